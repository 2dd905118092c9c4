"""What must be said of a judge before its ratings are used."""

from __future__ import annotations

import re
from collections import Counter
from collections.abc import Mapping, Sequence

from trueness.showing.finding import Finding
from trueness.statistics import Estimate
from trueness.studies.faithfulness.ratings import Table

ONE_SIDED = 0.95  # share of one rating from which a judge says nothing but that
FEW = 5  # ratings below which one cannot speak of always
UNRELIABLE = 0.667  # Krippendorff's limit for tentative conclusions
FAMILIES = (
    "gpt", "claude", "gemini", "gemma", "llama", "mistral", "mixtral", "qwen", "deepseek", "smollm", "grok", "phi",
    "command",
)  # fmt: skip
_SAME_HOUSE = {"gemma": "gemini", "mixtral": "mistral", "o1": "gpt", "o3": "gpt", "o4": "gpt", "chatgpt": "gpt"}


def constant_judges(table: Table, judges: Sequence[str]) -> list[str]:
    """A judge that gives one rating to everything of a kind, whatever it is asked."""
    warnings: list[str] = []
    for judge in judges:
        for kind in dict.fromkeys(item.kind for item in table):
            of_kind = [by_rater for item, by_rater in table.items() if item.kind == kind]
            values = [v for by_rater in of_kind for (name, _), v in by_rater.items() if name == judge]
            if len(values) < FEW:
                continue
            value, count = Counter(values).most_common(1)[0]
            if count / len(values) >= ONE_SIDED:
                word = {4.0: " (critical)" if kind == "intervention" else "", 0.0: " (none)"}.get(value, "")
                warning = (
                    f"{judge} gives {value:g}{word} to {count} of {len(values)} questions on {kind}: "
                    "its agreement says nothing, and its ratings carry no information."
                )
                warnings.append(Finding(warning, open=True))
    return warnings


def family_overlap(judges: Sequence[str], evaluated: Sequence[str]) -> list[str]:
    return [
        f"{judge} judges and {model} is evaluated, both of one family ({family(judge)}): a judge may prefer its own."
        for judge in judges
        for model in evaluated
        if family(judge) is not None and family(judge) == family(model)
    ]


def family(model: str) -> str | None:
    """The house of a model by its name; None where the name does not tell."""
    words = re.findall(r"[a-z]+\d?", model.lower().replace("/", " "))
    for word in words:
        for name in (*FAMILIES, *_SAME_HOUSE):
            if word == name or (name in FAMILIES and word.startswith(name)):
                return _SAME_HOUSE.get(name, name)
    return None


def weak_agreement(retest: Mapping[str, Mapping[str, Estimate]], between: Mapping[str, Estimate]) -> list[str]:
    alphas = [(f"{judge} with itself", name, a) for judge, estimates in retest.items() for name, a in estimates.items()]
    alphas += [("between the judges", name, a) for name, a in between.items()]
    named = {
        f"{who}{name.removeprefix('alpha').replace(' ', ' on ', 1)}": alpha
        for who, name, alpha in alphas
        if name.startswith("alpha")
    }
    return [
        f"Agreement {name} is alpha {alpha.value:.2f}, below {UNRELIABLE}: do not rest conclusions on it."
        for name, alpha in named.items()
        if alpha.value is not None and alpha.value < UNRELIABLE
    ]
