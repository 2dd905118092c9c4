"""Rows to cells: for each condition c and level l the number of rows, sum of w, and sum of w^2.

    n[c, l] = #{i: condition c, level l},   W[c, l] = sum w_i,   S[c, l] = sum w_i^2        (C, L) each

Everything the truth needs (distributions, Kish n_eff, bootstrap) follows from these; the rows are not kept. Rows that
lack the outcome or a given variable, lie outside the listed levels or bins, or outside the population are counted.

A column without levels or bins has all the levels of the data, up to 60. An outcome that is a number is counted in up
to 100 even cells between its 1st and 99th percentile (the end cells hold the rest). Levels No and Yes take data of 0
and 1.
"""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass, replace
from typing import TYPE_CHECKING

import numpy as np
from numpy.typing import NDArray

from trueness.datasets.surveys import Microdata, nearest
from trueness.errors import DataError, listed
from trueness.studies.population.questions import Level, Question, TargetPopulation, Variable, bin_levels, texts

if TYPE_CHECKING:
    import pandas as pd

Array = NDArray[np.float64]
Codes = NDArray[np.int32]
MISSING, UNLISTED = -1, -2
MOST_LEVELS = 60  # of a column whose levels the task does not list
CELLS = 100  # at most, of an outcome of numbers
_NO, _YES = {"no", "n", "false", "0"}, {"yes", "y", "true", "1"}


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
    numbers: Array | None = None  # (n,) the outcome of each row, where answers are numbers

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
    outcome, *covariates = [with_levels(v, frame[v.column][inside], question) for v in question.variables]
    question = replace(question, outcome=outcome, given=tuple(covariates))
    if outcome.numeric and question.high_dimensional:
        raise DataError(
            f"{outcome.column!r} of task {question.name!r} must have levels or bins for a high-dimensional truth, got "
            "numbers. Give it 'bins'."
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
        _numbers(outcome.column, frame[outcome.column])[kept] if outcome.numeric else None,
    )  # fmt: skip


def with_levels(variable: Variable, column: pd.Series, question: Question) -> Variable:
    """The variable with its levels: as listed, one a bin, even cells of a number, or all that the data have."""
    if variable.levels:
        return _with_yes_and_no(variable, column)
    if variable.bins:
        return replace(variable, levels=bin_levels(variable.bins, variable.top), ordinal=True)
    if variable.numeric:
        return _with_cells(variable, column, question)
    names = set(texts(column.dropna().unique()))
    if len(names) > MOST_LEVELS:
        number = ", or numeric = true" if variable is question.outcome else ""
        raise DataError(
            f"column {variable.column!r} of task {question.name!r} must have at most {MOST_LEVELS} levels, "
            f"got {len(names):,}. Give 'levels' or 'bins' in [variables.{variable.column}]{number}."
        )
    return replace(variable, levels=tuple(Level(n, (n,), (n,)) for n in sorted(names, key=_natural)))


def _with_yes_and_no(variable: Variable, column: pd.Series) -> Variable:
    """Two levels that say No and Yes, over data of 0 and 1 (or False and True) that they do not list."""
    if variable.bins or len(variable.levels) != 2:
        return variable
    there = {text.casefold() for text in texts(column.dropna().unique())}
    words = [{text.casefold() for text in (level.name, *level.spellings, *level.values)} for level in variable.levels]
    if not there or not (there <= {"0", "1"} or there <= {"false", "true"}) or there & (words[0] | words[1]):
        return variable
    for yes, no in ((0, 1), (1, 0)):
        if words[yes] & _YES and words[no] & _NO and not (words[yes] & _NO or words[no] & _YES):
            levels = list(variable.levels)
            levels[yes] = replace(levels[yes], values=("1", "True"))
            levels[no] = replace(levels[no], values=("0", "False"))
            return replace(variable, levels=tuple(levels))
    return variable


def _with_cells(variable: Variable, column: pd.Series, question: Question) -> Variable:
    """Even cells of a round width over the middle 98 % of the numbers: a uniform guess is uniform over them."""
    numbers = _numbers(variable.column, column.dropna())
    numbers = numbers[np.isfinite(numbers)]
    low, high = np.quantile(numbers, [0.01, 0.99]) if len(numbers) else (0.0, 0.0)
    if low >= high:
        raise DataError(
            f"column {variable.column!r} of task {question.name!r} must hold different numbers, got {low:g} in nearly "
            "every row. List its 'levels', or give it 'bins'."
        )
    width = (high - low) / CELLS
    unit = 10.0 ** np.floor(np.log10(width))
    step = next(unit * factor for factor in (1, 2, 2.5, 5, 10) if unit * factor >= width)
    if (numbers == np.round(numbers)).all():
        step = max(step, 1.0)
    first, last = np.floor(low / step), np.floor(high / step)
    bins = tuple(float(f"{step * k:.12g}") for k in np.arange(first, last + 1))
    top = float(f"{step * (last + 1):.12g}")
    return replace(variable, numeric=True, ordinal=True, bins=bins, top=top, levels=bin_levels(bins, top))


def codes_of(variable: Variable, column: pd.Series) -> Codes:
    """(n,) the index of each row's level; MISSING or UNLISTED where it has none."""
    if variable.bins:
        numbers = _numbers(variable.column, column)
        code = cells_of(variable, numbers).astype(np.int32)
        if not variable.numeric:
            beyond = False if variable.top is None else numbers >= variable.top
            code[(numbers < variable.bins[0]) | beyond] = UNLISTED
        code[~np.isfinite(numbers) if variable.numeric else np.isnan(numbers)] = MISSING
        return code
    import pandas as pd

    values, different = pd.factorize(column)
    where = {text: k for k, level in enumerate(variable.levels) for text in level.values or (level.name,)}
    folded = {text.casefold(): k for text, k in where.items()}
    lookup = [where.get(text, folded.get(text.casefold(), UNLISTED)) for text in texts(different)]
    table = np.array([*lookup, MISSING], dtype=np.int32)  # factorize codes a missing value -1: the last entry
    return np.asarray(table[values])


def cells_of(variable: Variable, numbers: Array) -> NDArray[np.intp]:
    """The bin of each number; those beyond the ends are in the end bins."""
    return np.maximum(np.searchsorted(np.array(variable.bins), numbers, side="right") - 1, 0)


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


def _columns(population: TargetPopulation) -> list[str]:
    named = [*population.where]
    named += [population.age_column] if population.ages is not None and population.age_column else []
    return named + ([population.year_column] if population.year and population.year_column else [])


def _inside(population: TargetPopulation, frame: pd.DataFrame, task: str) -> NDArray[np.bool_]:
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
        stated = f"{low:g} or more" if high is None else f"{low:g} to {high:g}"
        raise DataError(
            f"{what} must be those of the data ({there.min():g} to {there.max():g} in {column!r}), got {stated}. "
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


def _matches(column: str, values: pd.Series, wanted: object) -> NDArray[np.bool_]:
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
