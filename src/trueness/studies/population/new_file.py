"""`trueness new population DATA`: a commented task file from a CSV or parquet, by asking the data.

Every column is looked at: texts and numbers of few values become levels with their shares, other numbers get bins at
round numbers near their quartiles, and what is neither (identifiers, free text) is named and left out. A column that
could be a weight is pointed out and not used. The file can be read as it stands; what only people know (who, where,
when, the wording) is marked EDIT.
"""

from __future__ import annotations

import json
import re
from collections.abc import Iterable
from pathlib import Path

import numpy as np

from trueness.datasets.surveys import Microdata, open_microdata
from trueness.errors import DataError
from trueness.running.study import NewFile
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
{weights}# strata = "..."                  # and clusters, or replicate_weights = {{prefix = "PWGTP", count = 80}}
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
title = {data}            # EDIT
licence = "the user's own"
{left_out}{variables}

[tasks.{task}]           # one table a task
variables = {both}           # V1 given V2
# {{}} takes the level of V2, {{population}} the population                        EDIT the wording
prompt = {prompt}
# second_prompt = "What is the ... of the person in the story?"
"""


def new_population(path: Path | str) -> str:
    """The text of a task file for the rows in `path`."""
    file = Path(path)
    data = open_microdata(file.name, file.parent)
    read = {name: _levels_of(data, name) or _bins_of(data, name) for name in data.columns}
    usable = {name: one for name, one in read.items() if not isinstance(one, str)}
    if len(usable) < 2:
        raise DataError(
            f"{file.name} must have two columns with levels or numbers, got {len(usable)} of {len(read)}. "
            "A task asks for one given the other."
        )
    few = (name for name, lines in usable.items() if lines[-1] == "]" and len(lines) <= 10)
    outcome = next(few, next(iter(usable)))
    condition = next(name for name in usable if name != outcome)
    left_out = [f"#   {printable(name)}: {why}" for name, why in read.items() if isinstance(why, str)]
    weights = [name for name in data.columns if _WEIGHT.search(name)]
    named = f"#   names that sound like one: {', '.join(weights)}; `weight` may be body mass, so say it yourself\n"
    prompt = f"A person is drawn at random from {{population}}, with {condition}: {{}}. "
    return _FILE.format(
        reference=printable(file.name), n=len(data.read([data.columns[0]])), columns=len(read), data=_text(file.name),
        source=_text(file.stem), weights=printable(named[:-1]) + "\n" if weights else "",
        ages=_text(next((name for name in usable if AGE.search(name)), "age")),
        left_out="\n".join(["", "# Columns that are left out:", *left_out, ""] if left_out else []),
        variables="\n".join(f"\n[variables.{_key(name)}]\n" + "\n".join(lines) for name, lines in usable.items()),
        task=_key(f"{outcome}_by_{condition}"), both=_toml_list([outcome, condition]),
        prompt=_text(f"{prompt}What is the {outcome} of this person?"),
    )  # fmt: skip


def _levels_of(data: Microdata, name: str) -> list[str] | str:
    """The lines of a column of few values, or why it is left out; none where it may have bins."""
    import pandas as pd

    series = data.read([name])[name]
    numeric = pd.api.types.is_numeric_dtype(series.dtype) and not pd.api.types.is_bool_dtype(series.dtype)
    shares = series.value_counts(normalize=True)
    shares = shares[shares > 0]
    if len(shares) < 2:
        return f"{len(shares)} value" + "s" * (len(shares) == 0)
    missing = _missing(len(series), int(series.isna().sum()))
    if len(shares) > (FEW_NUMBERS if numeric else FEW_TEXTS):
        if numeric or len(shares) > MOST_LEVELS or len(shares) * 5 > series.count():
            return "" if numeric else f"{len(shares):,} different values"
        return [*missing, f"# {len(shares)} levels, all that the data have; too many for mode qa ({FEW_TEXTS} letters)"]
    ordered = isinstance(series.dtype, pd.CategoricalDtype) and bool(series.dtype.ordered)
    shares = shares.sort_index() if numeric or ordered else shares
    levels: dict[str, tuple[list[str], float]] = {}  # texts that differ in case alone are one with several spellings
    for text, share in zip(texts(shares.index), shares.tolist(), strict=True):
        spellings, before = levels.get(text.casefold(), ([], 0.0))
        levels[text.casefold()] = [*dict.fromkeys([*spellings, text])], before + share
    return [
        *missing,
        f"ordinal = {'true' if numeric else 'false'}        # true where they are ordered",
        "levels = [           # [name, other spellings ...]",
        *(f"    {_toml_list(one) + ',':<40} # {100 * share:.1f} %" for one, share in levels.values()),
        "]",
    ]


def _bins_of(data: Microdata, name: str) -> list[str] | str:
    """The lines of a column of many numbers, or why it is left out."""
    series = data.read([name])[name]
    numbers = series.dropna().to_numpy(dtype=np.float64)
    whole = bool((numbers == np.round(numbers)).all())
    if whole and len(np.unique(numbers)) == len(numbers):
        return "a different whole number in every row: an identifier"
    bins = round_bins(name, numbers)
    stated = f"bins = [{', '.join(f'{number:.12g}' for number in bins)}]"
    if whole:
        stated += f"  # {'; '.join(level.name for level in bin_levels(tuple(bins)))}"
    else:  # "20-29" would be silent about 29.5
        ends = [f"{low:,g} to under {high:,g}" for low, high in zip(bins, bins[1:], strict=False)]
        stated += f"\nlabels = {_toml_list([*ends, f'{bins[-1]:,g} or more'])}"
    about = f"# {numbers.min():g} to {numbers.max():g}, median {np.median(numbers):g}"
    return [*_missing(len(series), len(series) - len(numbers)), about, stated]


def _missing(rows: int, missing: int) -> list[str]:
    return [f"# {missing:,} of {rows:,} rows are missing and will be left out"] if missing else []


def _key(name: str) -> str:
    return name if re.fullmatch(r"[A-Za-z0-9_-]+", name) else _text(name)


def _toml_list(items: Iterable[str]) -> str:
    return "[" + ", ".join(map(_text, items)) + "]"


def _text(text: str) -> str:
    """A TOML string, in the letters of its language."""
    quoted = json.dumps(arriving(text), ensure_ascii=False)
    return "".join(sign if sign.isprintable() else f"\\U{ord(sign):08x}" for sign in quoted)


def new_tasks(file: str | None, plan: str | None) -> NewFile | None:
    """A task file of the user's own data, beside them; None where no data are named."""
    if not file or file.endswith(".toml"):
        return None
    path = Path(file).with_name(f"{Path(file).name.split('.')[0]}_tasks.toml")
    return NewFile(
        path, new_population(file), f'Edit what is marked EDIT, then name it in a plan: tasks = ["{path.name}"]'
    )
