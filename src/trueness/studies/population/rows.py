"""Rows to cells: for each condition c and level l the number of rows, sum of w, and sum of w^2.

    n[c, l] = #{i: condition c, level l},   W[c, l] = sum w_i,   S[c, l] = sum w_i^2        (C, L) each

Everything the truth needs (distributions, Kish n_eff, bootstrap) follows from these; the rows are not kept. Rows that
lack the outcome or a given variable, lie outside the listed levels or bins, or outside the population are counted.
"""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass, replace
from typing import TYPE_CHECKING, Any

import numpy as np
from numpy.typing import NDArray

from trueness.datasets.microdata import Microdata, nearest
from trueness.errors import DataError, listed
from trueness.studies.population.questions import Level, Population, Question, Variable

if TYPE_CHECKING:
    import pandas as pd

Array = NDArray[np.float64]
Codes = NDArray[np.int32]
MISSING, UNLISTED = -1, -2
MOST_LEVELS = 60  # of a column whose levels the task does not list


@dataclass(frozen=True, eq=False)
class Rows:
    """The rows of a question that are in its population and have all its variables."""

    question: Question  # with its levels
    cell: NDArray[np.int64]  # (n,) c * L + l
    weight: Array | None  # (n,)
    kept: NDArray[np.bool_]  # (rows of the data,) which rows these are
    n_data: int
    n_outside: int  # not in the population
    n_missing: int  # a variable (or the weight) is missing
    n_unlisted: int  # a level that the task does not list

    @property
    def shape(self) -> tuple[int, int]:
        return len(self.question.conditions), len(self.question.levels)

    def totals(self, weight: Array | None) -> Array:
        """(C, L): sum of the weights in each cell; None counts the rows."""
        cells = int(np.prod(self.shape))
        return np.bincount(self.cell, weights=weight, minlength=cells).astype(np.float64).reshape(self.shape)


def rows_of(question: Question, data: Microdata) -> Rows:
    """Read the columns of a question and sort the rows into its cells."""
    if question.weight is not None:
        data.check_column(question.weight, f"'weight' of task {question.name!r}")
    for variable in question.variables:
        data.check_column(variable.column, f"a variable of task {question.name!r}")
    population = question.population
    for column in _columns(population):
        data.check_column(column, f"what the population of task {question.name!r} is filtered by")
    frame = data.read([*_columns(population), *(v.column for v in question.variables)])
    inside = _inside(population, frame, question.name)
    question = replace(
        question,
        outcome=with_levels(question.outcome, frame[question.outcome.column][inside], question),
        given=tuple(with_levels(v, frame[v.column][inside], question) for v in question.given),
    )
    codes = [codes_of(variable, frame[variable.column]) for variable in question.variables]
    for variable, code in zip(question.variables, codes, strict=True):
        _check_levels(variable, code, frame[variable.column], inside, question)
    weight = _weights(question, data, inside)
    missing = inside & np.any([code == MISSING for code in codes], axis=0)
    if weight is not None:
        missing |= inside & np.isnan(weight)
    unlisted = inside & ~missing & np.any([code == UNLISTED for code in codes], axis=0)
    kept = inside & ~missing & ~unlisted
    cell = np.zeros(int(kept.sum()), dtype=np.int64)
    for variable, code in zip((*question.given, question.outcome), (*codes[1:], codes[0]), strict=True):
        cell = cell * len(variable.levels) + code[kept]
    return Rows(
        question, cell, None if weight is None else weight[kept], kept, len(frame),
        int((~inside).sum()), int(missing.sum()), int(unlisted.sum()),
    )  # fmt: skip


def with_levels(variable: Variable, column: pd.Series, question: Question) -> Variable:
    """The variable with its levels: as listed, one a bin, or all that the data have."""
    if variable.levels:
        return variable
    if variable.bins:
        return replace(variable, levels=bin_levels(variable.bins, variable.top), ordinal=True)
    found = texts(column.dropna().unique())
    if len(found) > MOST_LEVELS:
        raise DataError(
            f"column {variable.column!r} of task {question.name!r} must have at most {MOST_LEVELS} levels, "
            f"got {len(found):,}. Give it 'bins', or list its 'levels'."
        )
    names = sorted(set(found), key=_natural)
    return replace(variable, levels=tuple(Level(name, (name,), (name,)) for name in names))


def bin_levels(bins: tuple[float, ...], top: float | None = None, labels: tuple[str, ...] = ()) -> tuple[Level, ...]:
    """[18, 30, 65] -> 18-29, 30-64, 65 or more."""
    whole = all(float(end).is_integer() for end in (*bins, *(() if top is None else (top,))))
    ends = [*bins[1:], top]
    names = labels or tuple(_bin_name(low, high, whole) for low, high in zip(bins, ends, strict=True))
    return tuple(Level(name, (name,)) for name in names)


def _bin_name(low: float, high: float | None, whole: bool) -> str:
    if high is None:
        return f"{low:,.10g} or more"
    if not whole:
        return f"{low:,.10g} to under {high:,.10g}"
    return f"{low:,.10g}" if high - low == 1 else f"{low:,.10g}-{high - 1:,.10g}"


def codes_of(variable: Variable, column: pd.Series) -> Codes:
    """(n,) the index of each row's level; MISSING or UNLISTED where it has none."""
    if variable.bins:
        return _binned(variable, column)
    import pandas as pd

    values, different = pd.factorize(column)
    where = {text: k for k, level in enumerate(variable.levels) for text in level.values or (level.name,)}
    folded = {text.casefold(): k for text, k in where.items()}
    lookup = [where.get(text, folded.get(text.casefold(), UNLISTED)) for text in texts(different)]
    table = np.array([*lookup, MISSING], dtype=np.int32)  # factorize codes a missing value -1: the last entry
    return np.asarray(table[values])


def texts(values: Any) -> list[str]:
    """Values as a task file spells them: 3.0 is '3'."""
    return [_text(value) for value in values]


def _text(value: Any) -> str:
    if isinstance(value, bool | np.bool_):
        return str(bool(value))
    if isinstance(value, int):
        return str(value)
    if isinstance(value, float | np.number):
        return str(int(value)) if float(value).is_integer() else f"{float(value):g}"
    return str(value).strip()


def _binned(variable: Variable, column: pd.Series) -> Codes:
    numbers = _numbers(variable.column, column)
    code = (np.searchsorted(np.array(variable.bins), numbers, side="right") - 1).astype(np.int32)
    code[code < 0] = UNLISTED
    if variable.top is not None:
        code[numbers >= variable.top] = UNLISTED
    code[np.isnan(numbers)] = MISSING
    return code


def _numbers(name: str, column: pd.Series) -> Array:
    import pandas as pd

    if isinstance(column.dtype, pd.CategoricalDtype):
        column = column.astype(object)
    try:
        return pd.to_numeric(column).to_numpy(dtype=np.float64, na_value=np.nan)
    except (ValueError, TypeError) as error:
        raise DataError(f"column {name!r} must hold numbers, got: {' '.join(str(error).split())[:120]}.") from error


def _natural(name: str) -> tuple[int, float, str]:
    try:
        return 0, float(name), name
    except ValueError:
        return 1, 0.0, name


def _check_levels(
    variable: Variable, code: Codes, column: pd.Series, inside: NDArray[np.bool_], question: Question
) -> None:
    """A listed level that no row has is a misspelling; one of the data that is not listed is left out openly only."""
    seen = set(np.unique(code).tolist())
    for k, level in enumerate(variable.levels):
        if k not in seen and not variable.bins:
            there = sorted(set(texts(column.dropna().unique())), key=_natural)
            raise DataError(
                f"level {level.name!r} of {variable.column!r} must be in the data of task {question.name!r}, "
                f"got no such value. {nearest(level.name, there)}"
            )
    strange = inside & (code == UNLISTED)
    if strange.any() and not variable.only and not variable.bins:
        unlisted = sorted(set(texts(column[strange].unique())), key=_natural)
        raise DataError(
            f"'levels' of {variable.column!r} in task {question.name!r} must list all values of the data, "
            f"got none for {listed(unlisted)}. Add them, or set only = true to leave these rows out."
        )


def _weights(question: Question, data: Microdata, inside: NDArray[np.bool_]) -> Array | None:
    if question.weight is None:
        return None
    weight = _numbers(question.weight, data.read([question.weight])[question.weight])
    bad = inside & ((weight < 0) | np.isinf(weight))
    if bad.any():
        raise DataError(
            f"'weight' of task {question.name!r} must be finite and >= 0, got {weight[bad].min():g} in "
            f"{int(bad.sum()):,} rows of "
            f"{question.weight!r}. Name the survey's weight column, or filter these rows."
        )
    return weight


def _columns(population: Population) -> list[str]:
    named = [*population.where]
    named += [population.age_column] if population.ages is not None and population.age_column else []
    return named + ([population.year_column] if population.year and population.year_column else [])


def _inside(population: Population, frame: pd.DataFrame, task: str) -> NDArray[np.bool_]:
    """Which rows are in the population; the data must span the ages and years that the prompt will name."""
    inside: NDArray[np.bool_] = np.ones(len(frame), dtype=bool)
    for column, wanted in population.where.items():
        inside &= _matches(column, frame[column], wanted)
    if population.year and population.year_column:
        low, high = _years(population.year, task)
        inside = _within(inside, frame, population.year_column, low, high, 0.0, f"'year' of task {task!r}")
    if population.age_range is not None and population.age_column:
        low, top = population.age_range
        inside = _within(inside, frame, population.age_column, low, top, 5.0, f"'ages' of task {task!r}")
    if not inside.any():
        raise DataError(f"the population of task {task!r} must have rows in the data, got none: {population.text}.")
    return inside


def _within(
    inside: NDArray[np.bool_], frame: pd.DataFrame, column: str, low: float, high: float | None, slack: float, what: str
) -> NDArray[np.bool_]:
    numbers = _numbers(column, frame[column])
    inside = inside & (numbers >= low) & (numbers <= (np.inf if high is None else high))
    there = numbers[inside]
    if len(there) and (there.min() > low + slack or (high is not None and there.max() < high - slack)):
        asked = f"{low:g} or more" if high is None else f"{low:g} to {high:g}"
        raise DataError(
            f"{what} must be those of the data ({there.min():g} to {there.max():g} in {column!r}), got {asked}. "
            "The prompt's population must equal the truth's."
        )
    return inside


def _years(text: str, task: str) -> tuple[float, float]:
    low, _, high = text.replace("\N{EN DASH}", "-").partition("-")
    try:
        return float(low), float(high or low)
    except ValueError:
        raise DataError(
            f"'year' of task {task!r} must be a year or a range such as 2003-2009 where 'year_column' is given, "
            f"got {text!r}."
        ) from None


def _matches(column: str, values: pd.Series, wanted: Any) -> NDArray[np.bool_]:
    if isinstance(wanted, Mapping):
        strange = set(wanted) - {"from", "to"}
        if strange:
            raise DataError(f"'where' for {column!r} must be a value, a list, or {{from = a, to = b}}, got {wanted!r}.")
        numbers = _numbers(column, values)
        return np.asarray((numbers >= wanted.get("from", -np.inf)) & (numbers <= wanted.get("to", np.inf)))
    allowed = set(texts(wanted if isinstance(wanted, list | tuple) else [wanted]))
    import pandas as pd

    codes, different = pd.factorize(values)
    table = np.array([*(text in allowed for text in texts(different)), False])
    return np.asarray(table[codes])
