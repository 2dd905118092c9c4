"""`trueness new population DATA`: a commented task file from a CSV or parquet, by asking the data.

Every column is looked at: texts and numbers of few values become levels with their shares, other numbers get bins at
round numbers near their quartiles, and what is neither (identifiers, free text) is named and left out. A column that
could be a weight is pointed out and not used. The file can be read as it stands; what only people know (who, where,
when, the wording) is marked EDIT.
"""

from __future__ import annotations

import json
import re
from collections.abc import Sequence
from dataclasses import dataclass
from pathlib import Path

import numpy as np

from trueness.datasets.survey_files import SURVEYS, Microdata, Survey
from trueness.datasets.surveys import open_microdata
from trueness.errors import DataError
from trueness.running.plans import NewFile
from trueness.studies.population.questions import bin_levels, texts
from trueness.studies.population.survey_rows import AGE, MOST_LEVELS, round_bins
from trueness.texts import arriving, printable

FEW_NUMBERS = 10  # distinct numbers that are still levels
FEW_TEXTS = 26  # one letter each in mode `qa`
_WEIGHT = re.compile(r"weight|wgt|wgh|wt\b|^wt|pwgtp|^finalwt|_llcpwt", re.IGNORECASE)


_FILE = """\
# Population tasks on {reference}: {n:,} rows, {columns} columns. Lines marked EDIT need a person.
[defaults]
data = {data}
source = {source}             # EDIT: the survey; tasks of one source are one cluster
# weight = "..."                  # the survey's weight column; without this line nothing is weighted
{design}
modes = ["distribution", "sample"]  # also qa, likelihood, story (needs second_prompt)

[defaults.population]               # EDIT: it goes into the prompt, and the rows are filtered by it
who = "people"
# country = "the United States"
# year = 2024
# year_column = "year"
# ages = [18, 64]                   # [18] for no upper end
# age_column = {ages}
# where = {{ state = ["CA", "NY"], hours = {{ from = 1, to = 80 }} }}

[defaults.card]
title = {title}            # EDIT
url = {url}
licence = "the user's own"
{left_out}{variables}

[tasks.{task}]           # one table a task
variables = {both}           # V1 given V2
# {{}} takes the level of V2, {{population}} the population                        EDIT the wording
prompt = {prompt}
# second_prompt = "What is the ... of the person in the story?"
"""


@dataclass(frozen=True)
class _Column:
    name: str
    kind: str  # levels | bins | left out
    lines: tuple[str, ...]  # of its table, or why it is left out
    levels: int = 0


def new_population(path: Path | str) -> str:
    """The text of a task file for the rows in `path`, which may name its survey: "nhanes:files/DEMO_J.XPT"."""
    kind, colon, rest = str(path).partition(":")
    survey = SURVEYS.get(kind) if colon else None
    file = Path(rest if survey else path)
    reference = f"{kind}:{file.name}" if survey else file.name
    data = open_microdata(reference, file.parent)
    columns = [_read_column(data, name) for name in data.columns]
    usable = [column for column in columns if column.kind != "left out"]
    if len(usable) < 2:
        raise DataError(
            f"{file.name} must have two columns with levels or numbers, got {len(usable)} of {len(columns)}. "
            "A task asks for one given the other."
        )
    outcome = next((column for column in usable if column.kind == "levels" and column.levels <= 7), usable[0]).name
    condition = next(column.name for column in usable if column.name != outcome)
    ages = next((column.name for column in usable if column.kind == "bins" and AGE.search(column.name)), "age")
    left_out = [f"#   {printable(column.name)}: {column.lines[0]}" for column in columns if column.kind == "left out"]
    asks = f"A person is drawn at random from {{population}}, with {condition}: {{}}. What is the {outcome} of this person?"  # noqa: E501
    return _FILE.format(
        reference=printable(reference), n=len(data.read([data.columns[0]])), columns=len(columns),
        data=_text(reference),
        source=_text(file.stem), design="\n".join(map(printable, _design(columns, survey))), ages=_text(ages),
        title=_text(survey.title if survey else reference), url=_text(survey.url if survey else ""),
        left_out="\n".join(["", "# Columns that are left out:", *left_out, ""] if left_out else []),
        variables="\n".join(f"\n[variables.{_key(one.name)}]\n" + "\n".join(one.lines) for one in usable),
        task=_key(f"{outcome}_by_{condition}"), both=_toml_list([outcome, condition]), prompt=_text(asks),
    )  # fmt: skip


def _read_column(data: Microdata, name: str) -> _Column:
    import pandas as pd

    series = data.read([name])[name]
    present = series.dropna()
    missing = f"# {len(series) - len(present):,} of {len(series):,} rows are missing and will be left out" * (
        len(present) < len(series)
    )
    numeric = pd.api.types.is_numeric_dtype(series.dtype) and not pd.api.types.is_bool_dtype(series.dtype)
    shares = present.value_counts(normalize=True)
    if len(shares) < 2:
        return _Column(name, "left out", (f"{len(shares)} value" + "s" * (len(shares) == 0),))
    if len(shares) <= (FEW_NUMBERS if numeric else FEW_TEXTS):
        ordered = isinstance(series.dtype, pd.CategoricalDtype) and bool(series.dtype.ordered)
        if numeric or ordered:
            shares = shares[shares > 0].sort_index()
        level_lines = tuple(
            f"    {_toml_list(spellings)},{' ' * max(1, 40 - len(_toml_list(spellings)))}# {100 * share:.1f} %"
            for spellings, share in _levels(texts(shares.index), shares.tolist())
        )
        order_note = (
            "the data have this order: true where it means something" if ordered else "true where they are ordered"
        )
        order = (f"ordinal = {'true' if numeric else 'false'}        # {order_note}",)
        lines = (*((missing,) if missing else ()), *order, "levels = [           # [name, other spellings ...]")
        return _Column(name, "levels", (*lines, *level_lines, "]"), len(shares))
    if not numeric and len(shares) <= MOST_LEVELS and len(shares) * 5 <= len(present):
        lines = (f"# {len(shares)} levels, all that the data have; too many options for mode qa ({FEW_TEXTS} letters)",)
        return _Column(name, "levels", (*((missing,) if missing else ()), *lines), len(shares))
    if not numeric:
        return _Column(name, "left out", (f"{len(shares):,} different values",))
    numbers = present.to_numpy(dtype=np.float64)
    if len(shares) == len(present) and bool((numbers == np.round(numbers)).all()):
        return _Column(name, "left out", ("a different whole number in every row: an identifier",))
    bins = round_bins(name, numbers)
    names = [level.name for level in bin_levels(tuple(bins))]
    shown = [
        *([missing] if missing else []),
        f"# {numbers.min():g} to {numbers.max():g}, median {np.median(numbers):g}",
    ]
    if bool((numbers == np.round(numbers)).all()):
        shown += [f"bins = [{_join_numbers(bins)}]  # {'; '.join(names)}"]
    else:  # "20-29" would be silent about 29.5
        ends = [f"{low:,g} to under {high:,g}" for low, high in zip(bins, bins[1:], strict=False)]
        shown += [f"bins = [{_join_numbers(bins)}]", f"labels = {_toml_list([*ends, f'{bins[-1]:,g} or more'])}"]
    return _Column(name, "bins", tuple(shown), len(bins))


def _levels(names: Sequence[str], shares: Sequence[float]) -> list[tuple[list[str], float]]:
    """Texts that differ in case alone are one level with several spellings."""
    levels: dict[str, tuple[list[str], float]] = {}
    for name, share in zip(names, shares, strict=True):
        spellings, before = levels.get(name.casefold(), ([], 0.0))
        levels[name.casefold()] = ([*spellings, *([name] if name not in spellings else [])], before + share)
    return list(levels.values())


def _design(columns: Sequence[_Column], survey: Survey | None) -> list[str]:
    """Comments only: what could be a weight, and where a known survey keeps its design."""
    if survey is None:
        sounding = [column.name for column in columns if _WEIGHT.search(column.name)]
        names = f"#   names that sound like one: {', '.join(sounding)}; `weight` may be body mass, so say it yourself"
        rest = '# strata = "..."                  # and clusters, or replicate_weights = {prefix = "PWGTP", count = 80}'
        return [*([names] if sounding else []), rest]
    known = {"weight": survey.weight, "strata": survey.strata, "clusters": survey.clusters}
    lines = [f"#   its documentation: {key} = {_text(value)}" for key, value in known.items() if value]
    return [*lines, *([f"#   {survey.note}"] if survey.note else [])]


def _join_numbers(numbers: Sequence[float]) -> str:
    return ", ".join(f"{number:.12g}" for number in numbers)


def _key(name: str) -> str:
    return name if re.fullmatch(r"[A-Za-z0-9_-]+", name) else _text(name)


def _toml_list(items: Sequence[str]) -> str:
    return "[" + ", ".join(map(_text, items)) + "]"


def _text(text: str) -> str:
    """A TOML string, in the letters of its language."""
    quoted = json.dumps(arriving(text), ensure_ascii=False)
    return "".join(sign if sign.isprintable() else f"\\U{ord(sign):08x}" for sign in quoted)


def new_tasks(file: str | None, plan: str | None) -> NewFile | None:
    """A task file of the user's own data, beside them; None where no data are named."""
    if not file or file.endswith(".toml"):
        return None
    data = Path(file.partition(":")[2] or file)
    path = data.with_name(f"{data.name.split('.')[0]}_tasks.toml")
    return NewFile(
        path, new_population(file), f'Edit what is marked EDIT, then name it in a plan: tasks = ["{path.name}"]'
    )
