"""What a run scored, and the other ways to read the same record.

    failure = failed / scored          scored leaves absent rules out of the denominator
    absent rules failed                (failed + absent) / (scored + absent)
    unscored runs missing | failed     a run with 0 of 0 rules: it failed at all of them, or it says nothing
    blank runs failed | missing        a run without any score
    pass columns                       pass 1, fail 0, a rate as it is, absent or error missing (in no denominator)

Each reading is a whole column: whatever is computed from `value` can be computed from any of them. What the user gave
as accuracy is shown as accuracy; failure rates are those of the protocol, or of a column that says so.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field, replace
from types import MappingProxyType
from typing import Literal

import numpy as np
import pandas as pd
from numpy.typing import NDArray
from pandas.api.types import is_bool_dtype, is_numeric_dtype

from trueness.analyse.analysis_settings import AnalysisSettings
from trueness.analyse.measure_names import better_of, is_share
from trueness.errors import DataError, SettingError, listed
from trueness.measure import measure_of
from trueness.texts import counted

Kind = Literal["true/false", "0/1", "rate", "per cent", "verdict", "constant"]
Array = NDArray[np.float64]

PASS = {"true", "pass", "passed", "yes", "y", "correct", "success", "ok", "c", "✅", "✓", "✔", "✔️", "1"}
FAIL = {"false", "fail", "failed", "no", "n", "incorrect", "wrong", "failure", "i", "❌", "✗", "✘", "✖", "0"}
ABSENT = {
    "absent", "na", "n/a", "#n/a", "none", "null", "nan", "missing", "skip", "skipped", "not applicable", "", "-", "–",
    "timeout", "timed out", "crash", "crashed", "refused", "invalid", "unparsable", "not run", "#div/0!", "#value!",
    "error", "errored", "err", "exception", "cancelled", "canceled", "aborted",
}  # fmt: skip
NO_NUMBER = ABSENT | {"fail", "failed", "failure"}  # beside numbers: a run that has none
PER_CENT = ("accuracy", "acc", "acc_norm", "pass_rate", "success_rate", "win_rate", "exact_match", "em")
DECIMALS = 4  # more is not rounding but precision
OF_PROTOCOL = ("pass_count", "fail_count"), ("auto_score", "scored_rules")
ABSENT_FAILED = "absent rules failed"
OutcomeKind = Literal["counts", "score of rules", "long table", "column", "rules"]


@dataclass(frozen=True)
class OutcomeColumns:
    """Where a run's score comes from."""

    kind: OutcomeKind
    columns: tuple[str, ...]
    absent: str | None = None  # the column that counts absent rules
    nameless: bool = False  # of a wide table whose columns name no measure

    @property
    def formula(self) -> str:
        if self.kind == "counts":
            return f"{self.columns[1]} / ({self.columns[0]} + {self.columns[1]})"
        if self.kind == "score of rules":
            return f"1 - {self.columns[0]} / {self.columns[1]}"
        if self.kind == "rules":
            return f"1 - mean of {len(self.columns)} rules"
        return self.columns[0]

    @property
    def of_protocol(self) -> bool:
        """As the published protocol has it: failure rates, questions RQ1 and RQ2."""
        return self.columns[:2] in OF_PROTOCOL

    @property
    def of_study(self) -> bool:
        """A long table with a status a row, as our studies write it: its measures are ours."""
        return self.kind == "long table" and bool(self.columns[2])


@dataclass(frozen=True, eq=False)
class Values:
    """`value`: (n,), NaN where missing. `unscored`: runs with nothing to score; `blank`: without any score."""

    value: Array
    percent: bool  # a share in [0, 1], shown in per cent
    lower_is_better: bool
    unscored: NDArray[np.bool_]
    blank: NDArray[np.bool_]
    readings: Mapping[str, Array] = field(default_factory=lambda: MappingProxyType({}))
    notes: tuple[str, ...] = ()
    turned: bool = False  # the columns hold failures, `value` passes
    assumed: bool = False  # which way is better: neither the name says it nor the user


def values_of(
    frame: pd.DataFrame, outcome: OutcomeColumns, rules: pd.DataFrame, settings: AnalysisSettings, measure: str
) -> Values:
    """rules: (n, rules) shares of passes; measure: the one chosen of a long table, or empty."""
    if outcome.kind in ("long table", "column"):
        name = measure or outcome.columns[0]
        ours = outcome.of_study and measure_of(measure) is not None
        return _with_blanks(_of_column(frame[outcome.columns[0]], name, settings, outcome.nameless, ours), settings)
    if outcome.kind == "rules":
        absent = rules.isna().sum(axis=1).to_numpy(dtype=np.float64)
        scored = len(rules.columns) - absent
        failed = (1 - rules).sum(axis=1).to_numpy(dtype=np.float64)
        values = _failures(failed, scored, absent, settings)
    elif outcome.kind == "counts":
        passes, fails = (_number(frame[column]) for column in outcome.columns)
        skipped = np.nan_to_num(_number(frame[outcome.absent])) if outcome.absent else np.zeros(len(frame))
        values = _failures(fails, passes + fails, np.asarray(skipped), settings)
    else:
        score, total = (_number(frame[column]) for column in outcome.columns)
        values = _failures(total - score, total, np.zeros(len(frame)), settings)
        values = replace(values, notes=_rounding(score, outcome.columns[0]))
    values = _with_blanks(values, settings)
    return values if outcome.of_protocol or outcome.kind == "rules" else _as_passes(values)


def _number(column: pd.Series) -> Array:
    """A column of numbers; inf is no score and stays missing."""
    values = pd.to_numeric(column, errors="coerce").to_numpy(dtype=np.float64, na_value=np.nan)
    text = column.notna().to_numpy() & np.isnan(values)
    if text.any():
        raise DataError(
            f"column {column.name!r} must hold numbers, got {column[text].iloc[0]!r}. Name another with --score."
        )
    return np.where(np.isinf(values), np.nan, values)


def _failures(failed: Array, scored: Array, absent: Array, settings: AnalysisSettings) -> Values:
    unscored = scored == 0
    fill = {"failed": 1.0, "missing": np.nan}
    way = settings.unscored or "failed"
    value = np.where(unscored, fill[way], _ratio(failed, scored))
    readings = {}
    if unscored.any():
        other = "missing" if way == "failed" else "failed"
        readings[f"unscored runs {other}"] = np.where(unscored, fill[other], value)
    if np.nansum(np.where(unscored, 0.0, absent)) > 0:
        readings[ABSENT_FAILED] = np.where(unscored, fill[way], _ratio(failed + absent, scored + absent))
    return Values(value, True, True, unscored, np.isnan(scored) | np.isnan(failed), readings)


def _ratio(part: Array, whole: Array) -> Array:
    return np.asarray(np.divide(part, whole, out=np.full(len(part), np.nan), where=whole > 0))


def _with_blanks(values: Values, settings: AnalysisSettings) -> Values:
    """Runs without a score: left missing and shown as failed beside it, or the other way where that was declared."""
    blank, as_failed = values.blank, settings.unscored == "failed"
    if not blank.any():
        return values
    if not values.percent:
        if as_failed:
            raise SettingError("'unscored' must be missing: on this scale nobody knows what a failed run scores.")
        return values
    failed, missing = (np.where(blank, x, values.value) for x in (1.0 if values.lower_is_better else 0.0, np.nan))
    fill = failed if as_failed else missing
    readings = {name: np.where(blank, fill, column) for name, column in values.readings.items()}
    if as_failed:
        return replace(values, value=failed, readings=readings | {"blank runs missing": missing})
    return replace(values, readings=readings | {"blank runs failed": failed})


def _as_passes(values: Values) -> Values:
    """The same as pass rates."""
    readings = {name: 1 - column for name, column in values.readings.items()}
    return replace(values, value=1 - values.value, readings=readings, lower_is_better=False, turned=True)


def _of_column(
    column: pd.Series, name: str, settings: AnalysisSettings, nameless: bool = False, ours: bool = False
) -> Values:
    """A failure rate, a share of passes, or a score on its own scale, as measures of our studies are."""
    nothing = np.zeros(len(column), dtype=bool)
    better = "lower" if settings.lower_is_better else None if nameless else better_of(name)
    assumed = not ours and not settings.lower_is_better and better is None
    if ours or better == "lower" or _is_scale(column, name):
        values = _number(column)
        within = bool(np.nanmax(values, initial=0.0) <= 1 and np.nanmin(values, initial=1.0) >= 0)
        share = not ours and better == "lower" and within and is_share(name)
        way = f"{better or 'higher'} {name} is better{'' if ours else ' (--lower-is-better)'}"
        if ours and better is None:
            way = f"neither way of {name} is better: 'better' below means higher"
        notes = (*(() if share else (way,)), *(() if ours else _rounding(values, name)))
        return Values(values, share, better == "lower", nothing, np.isnan(values), notes=notes, assumed=assumed)
    passes, kind = as_shares(column, name)
    notes = _rounding(passes, name) if is_numeric_dtype(column.dtype) else ()
    return Values(passes, True, False, nothing, np.isnan(passes), notes=notes, assumed=assumed and kind != "verdict")


def _is_scale(column: pd.Series, name: str) -> bool:
    """Numbers that leave [0, 1] and are not per cent by name, or whose name is of no share."""
    if not is_numeric_dtype(column.dtype) or is_bool_dtype(column.dtype):
        return False
    if not is_share(name):
        return True
    try:
        as_shares(column, name)
    except DataError:
        return True
    return False


def _rounding(values: Array, column: str) -> tuple[str, ...]:
    """Rates that were stored rounded, also where exact ones stand beside them."""
    digits = decimals(values[np.abs(values - np.round(values, DECIMALS)) < 1e-12])
    if digits in (None, 0):
        return ()
    return (f"{column} has {counted(digits or 0, 'decimal')} and there are no counts: rounding can make or break ties",)


# ---- pass columns as shares in [0, 1]


def numbers_beside_words(frame: pd.DataFrame, columns: Sequence[str]) -> tuple[dict[str, pd.Series], dict[str, str]]:
    """Columns of numbers and of words for runs that have none (timeout, error), as numbers; and which words."""
    parsed: dict[str, pd.Series] = {}
    said: dict[str, str] = {}
    for name in frame[list(columns)].select_dtypes(exclude=["number", "bool"]).columns:
        texts = frame[name].astype("string").str.strip()
        wordy = texts.str.casefold().isin(NO_NUMBER)
        numbers = pd.to_numeric(texts.mask(wordy), errors="coerce").astype("float64")
        if 0 < numbers.count() == (texts.notna() & ~wordy).sum():
            parsed[str(name)] = numbers
            words = [f"{word!r} ({n})" for word, n in texts[wordy].value_counts().items() if word]
            said |= {str(name): f"no score in {name}: {listed(words, most=4)}"} if words else {}
    return parsed, said


def are_verdicts(column: pd.Series) -> bool:
    """Passes and fails in words."""
    words = set(column.dropna().astype("string").str.strip().str.casefold().unique()) - ABSENT
    return bool(words) and words <= PASS | FAIL


def as_shares(column: pd.Series, name: str) -> tuple[Array, Kind]:
    """The share of passes in each row, NaN where absent, and how the column was understood."""
    if is_bool_dtype(column.dtype):
        return column.to_numpy(dtype=np.float64, na_value=np.nan), "true/false"
    if is_numeric_dtype(column.dtype):
        return _of_numbers(column.to_numpy(dtype=np.float64, na_value=np.nan), name)
    codes, words = pd.factorize(column.astype("string").str.strip().str.casefold())
    wrong = next((word for word in words if word not in PASS | FAIL | ABSENT), None)
    if wrong is not None:
        raise DataError(
            f"column {name!r} must hold passes (True/False, 0/1, a rate in [0, 1], or pass/fail/absent), got "
            f"{wrong!r}. Write numbers in one way, or rename the column if it is no rule."
        )
    levels = np.array([np.nan if word in ABSENT else float(word in PASS) for word in words] + [np.nan])
    return levels[codes], "true/false" if set(words) <= {"true", "false"} | ABSENT else "verdict"


def _of_numbers(values: Array, name: str) -> tuple[Array, Kind]:
    present = values[~np.isnan(values)]
    if not len(present):
        return values, "constant"
    low, high = float(present.min()), float(present.max())
    by_name = name.lower().rstrip(")] ").endswith(("pct", "percent", "%")) or name.lower() in PER_CENT
    if low < 0 or high > 100 or (high > 1 and not by_name):
        raise DataError(
            f"column {name!r} must hold shares of passes in [0, 1], got {low if low < 0 else high:g}. "
            "A score on another scale: name it with --score."
        )
    if high > 1:
        return values / 100, "per cent"
    return values, "0/1" if bool(np.isin(present, (0.0, 1.0)).all()) else "rate"


def decimals(values: Array, most: int = DECIMALS) -> int | None:
    """With how many decimals a column was stored; None when they are too many to be rounding."""
    present = np.unique(values[np.isfinite(values)])
    exact = (d for d in range(most + 1) if np.allclose(present, np.round(present, d), rtol=0, atol=1e-12))
    return next(exact, None)
