"""The methods paragraph of every kind of study, from what its plan said and what was run.

Data, learners, measures, prompts, settings, versions, seeds: as sentences, not escaped. What was not done is not told.
"""

from __future__ import annotations

import textwrap
from collections.abc import Iterable, Mapping, Sequence
from pathlib import Path

from trueness.errors import TruenessError
from trueness.files import read_text
from trueness.outside import MAX_PLAN, Json, json_of, toml_of
from trueness.running.provenance import without_paths
from trueness.settings import flat_settings

_NAMED = (  # packages whose version a reader asks for
    "trueness", "numpy", "scipy", "pandas", "numba", "networkx", "gadjid", "causal-learn", "lingam", "gcastle",
    "pyAgrum", "tigramite", "torch",
)  # fmt: skip


def of_the_plan(folder: Path) -> list[str]:
    """Every setting that the plan gives, and the versions that ran it."""
    sentences = []
    try:
        plan = without_paths(toml_of(read_text(folder, "study.toml", MAX_PLAN), "study.toml"))
    except TruenessError:
        plan = {}
    stated = flat_settings(plan)
    settings = [f"{key} = {_value(value)}" for key, value in stated.items() if key not in ("folder", "name")]
    if settings:
        sentences.append(f"The plan as it was given: {'; '.join(settings)}. All other settings are the defaults.")
    try:
        ran = json_of(read_text(folder, "provenance.json"), "provenance.json")
    except TruenessError:
        return sentences
    ran = ran if isinstance(ran, dict) else {}
    packages = ran["packages"] if isinstance(ran.get("packages"), dict) else {}
    versions = listed(f"{name} {packages[name]}" for name in _NAMED if name in packages)
    sentences.append(
        f"Seed {ran.get('seed')}; Python {ran.get('python')}; {versions}; {ran.get('machine')}. All versions and the "
        "full settings of every cell are in provenance.json."
    )
    return sentences


def prompts(used: Mapping[str, Json] | None) -> list[str]:
    if not used:
        return []
    versions = listed(f"{name} (version {p.get('version')}, {str(p.get('hash'))[:8]})" for name, p in used.items())
    return [f"Prompts: {versions}."]


def listed(names: Iterable[object]) -> str:
    items = [str(name) for name in names]
    return " and ".join([", ".join(items[:-1]), items[-1]]) if len(items) > 1 else "".join(items)


def spread(counts: Sequence[int]) -> str:
    return "no" if not counts else f"{counts[0]}" if counts[0] == counts[-1] else f"{counts[0]} to {counts[-1]}"


def percent(level: float) -> str:
    return f"{100 * level:g} %"


def settings_text(settings: object, before: str = "; ", after: str = "") -> str:
    if not isinstance(settings, Mapping) or not settings:
        return ""
    pairs = [f"{key} {_value(value)}" for key, value in settings.items() if value not in (None, [], {}, "")]
    return f"{before}{', '.join(pairs)}{after}" if pairs else ""


def _value(value: object) -> str:
    if isinstance(value, list):
        return listed(_value(entry) for entry in value)
    if isinstance(value, dict):
        return "{" + ", ".join(f"{key} {_value(entry)}" for key, entry in value.items()) + "}"
    return f"{value:g}" if isinstance(value, float) else str(value)


_WIDE = 110


def section(title: str, lines: Iterable[str], wrap: bool = True) -> str:
    body = [_wrap(line) if wrap else f"  {line}" for line in lines]
    return "\n".join([title, "-" * len(title), *(body or ["  nothing"])])


def _wrap(line: str) -> str:
    return textwrap.fill(
        " ".join(line.split()), _WIDE, initial_indent="  ", subsequent_indent="      ", break_long_words=False
    )
