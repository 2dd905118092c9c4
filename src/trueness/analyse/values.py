"""What a run scored, and the other ways to read the same record.

    failure = failed / scored          scored leaves absent rules out of the denominator
    absent rules failed                (failed + absent) / (scored + absent)
    rates unrounded                    from the rules' fractions, where the stored score is their rounded sum
    unscored runs missing | failed     a run with 0 of 0 rules: it failed at all of them, or it says nothing

Each reading is a whole column: whatever is computed from `value` can be computed from any of them.
"""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass, field
from types import MappingProxyType

import numpy as np
import pandas as pd
from numpy.typing import NDArray

from trueness.analyse.schema import FAILURES, Outcome
from trueness.analyse.settings import Settings
from trueness.analyse.shares import Array, as_shares, decimals, unrounded
from trueness.errors import DataError
from trueness.measure import direction, measure_of

ABSENT_FAILED = "absent rules failed"
UNROUNDED = "rates unrounded"
LOWER_WORDS = (
    "shd", "aid", "sid", "error", "loss", "interval_score", "wis", "crps", "brier", "pinball", "distance", "seconds",
    "duration", "cost", "tokens", "fail", "width",
)  # fmt: skip
_SAME = 1e-9
_OF_THESE_RULES = 0.01  # a stored score this close to the sum of the rules is that sum, rounded


@dataclass(frozen=True, eq=False)
class Values:
    """`value`: (n,), NaN where missing. `unscored`: runs with nothing to score."""

    value: Array
    percent: bool  # a failure rate in [0, 1]
    lower_is_better: bool
    unscored: NDArray[np.bool_]
    readings: Mapping[str, Array] = field(default_factory=lambda: MappingProxyType({}))
    notes: tuple[str, ...] = ()
    turned: bool = False  # the column holds passes, `value` failures


def values_of(frame: pd.DataFrame, outcome: Outcome, rules: pd.DataFrame, settings: Settings, measure: str) -> Values:
    """rules: (n, rules) shares of passes; measure: the one chosen of a long table, or empty."""
    if outcome.kind == "long table":
        return _of_measure(number(frame, outcome.columns[0]), measure, settings)
    if outcome.kind == "column":
        return _of_column(frame, outcome.columns[0], settings)
    if outcome.kind == "counts":
        passes, fails = (number(frame, column) for column in outcome.columns)
        absent = number(frame, outcome.absent) if outcome.absent else np.zeros(len(frame))
        return _failures(fails, passes + fails, absent, None, settings)
    if outcome.kind == "rules":
        absent = rules.isna().sum(axis=1).to_numpy(dtype=np.float64)
        scored = len(rules.columns) - absent
        failed = (1 - rules).sum(axis=1).to_numpy(dtype=np.float64)
        return _failures(failed, scored, absent, scored - _passes(rules), settings)
    score, total = (number(frame, column) for column in outcome.columns)
    exact = None
    if decimals(score) not in (None, 0) and not rules.empty:
        passes = _passes(rules)
        if np.nanmax(np.abs(passes - score), initial=0.0) < _OF_THESE_RULES:
            exact = total - passes
    return _failures(total - score, total, np.zeros(len(frame)), exact, settings)


def is_lower_better(measure: str) -> bool:
    """As the measures of our studies say; of others by the words of their names: an error, a distance, a cost."""
    if measure_of(measure):
        return direction(measure) == "lower"
    name = measure.lower()
    return not name.startswith("skill") and any(word in name for word in LOWER_WORDS)


def number(frame: pd.DataFrame, column: str) -> Array:
    """A column of numbers; inf is no score and stays missing."""
    values = pd.to_numeric(frame[column], errors="coerce").to_numpy(dtype=np.float64, na_value=np.nan)
    text = frame[column].notna().to_numpy() & np.isnan(values)
    if text.any():
        raise DataError(f"column {column!r} must hold numbers, got {frame[column][text].iloc[0]!r}.")
    return np.where(np.isinf(values), np.nan, values)


def _passes(rules: pd.DataFrame) -> Array:
    """Passes of each run from the rules' fractions; rounded at 1e-9 so that equal sums are equal numbers."""
    columns = [unrounded(rules[name].to_numpy(dtype=np.float64)) for name in rules]
    return np.asarray(np.round(np.nansum(np.column_stack(columns), axis=1), 9))


def _failures(failed: Array, scored: Array, absent: Array, exact: Array | None, settings: Settings) -> Values:
    """exact: failures without rounding, where they can be had."""
    unscored = scored == 0
    fill = {"failed": 1.0, "missing": np.nan}
    chosen = fill[settings.unscored]
    value = np.where(unscored, chosen, _ratio(failed, scored))
    readings = {}
    if unscored.any():
        other = "missing" if settings.unscored == "failed" else "failed"
        readings[f"unscored runs {other}"] = np.where(unscored, fill[other], value)
    if np.nansum(np.where(unscored, 0.0, absent)) > 0:
        readings[ABSENT_FAILED] = np.where(unscored, chosen, _ratio(failed + absent, scored + absent))
    if exact is not None:
        found = np.where(unscored, chosen, _ratio(exact, scored))
        if not np.allclose(found, value, rtol=0, atol=_SAME, equal_nan=True):
            readings[UNROUNDED] = found
    return Values(value, True, True, unscored, readings)


def _ratio(part: Array, whole: Array) -> Array:
    return np.asarray(np.divide(part, whole, out=np.full(len(part), np.nan), where=whole > 0))


def _of_measure(values: Array, measure: str, settings: Settings) -> Values:
    """A measure of a study, on its own scale."""
    lower = settings.lower_is_better or is_lower_better(measure)
    told = f"{'lower' if lower else 'higher'} {measure} is better"
    if measure_of(measure) and direction(measure) is None and not lower:
        told = f"neither way of {measure} is better: 'better' below means higher"
    notes = (told,)
    return Values(values, False, lower, np.zeros(len(values), dtype=bool), notes=notes)


def _of_column(frame: pd.DataFrame, column: str, settings: Settings) -> Values:
    """A failure rate, a share of passes, or a score on its own scale."""
    nothing = np.zeros(len(frame), dtype=bool)
    if settings.lower_is_better or column.lower() in FAILURES:
        values = number(frame, column)
        shares = bool(np.nanmax(values, initial=0.0) <= 1 and np.nanmin(values, initial=1.0) >= 0)
        return Values(values, shares, True, nothing, notes=_rounding(values, column))
    if _is_scale(frame[column]):
        note = f"higher {column} is better (--lower-is-better turns it)"
        return Values(number(frame, column), False, False, nothing, notes=(note,))
    passes, _ = as_shares(frame[column], column)
    return Values(1 - passes, True, True, nothing, notes=_rounding(passes, column), turned=True)


def _is_scale(column: pd.Series) -> bool:
    """Numbers that leave [0, 1] and are not per cent by name."""
    if not pd.api.types.is_numeric_dtype(column.dtype) or pd.api.types.is_bool_dtype(column.dtype):
        return False
    try:
        as_shares(column, str(column.name))
    except DataError:
        return True
    return False


def _rounding(values: Array, column: str) -> tuple[str, ...]:
    digits = decimals(values)
    if digits in (None, 0):
        return ()
    return (f"{column} has {digits} decimals and there are no counts: rounding can make or break ties",)
