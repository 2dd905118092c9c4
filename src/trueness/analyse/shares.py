"""Pass columns as shares in [0, 1]: True/False as text or flags, 0/1, rates, per cents, verdicts.

    pass -> 1,  fail -> 0,  a rate as it is,  absent, error -> missing (it is in no denominator, and that is shown)

Rates that were stored rounded are given back as the fraction they came from: .3333 -> 1/3, the only fraction with a
denominator up to 50 that rounds to it. Two runs that are equal then tie again, which decides rank tests.
"""

from __future__ import annotations

import re
from fractions import Fraction
from typing import Literal

import numpy as np
import pandas as pd
from numpy.typing import NDArray

from trueness.errors import DataError

Kind = Literal["true/false", "0/1", "rate", "per cent", "verdict", "constant"]
Array = NDArray[np.float64]

PASS = {"true", "pass", "passed", "yes", "y", "correct", "success", "ok", "c", "✅", "✓", "✔", "✔️"}
FAIL = {"false", "fail", "failed", "no", "n", "incorrect", "wrong", "failure", "i", "❌", "✗", "✘", "✖"}
ABSENT = {
    "absent", "na", "n/a", "#n/a", "none", "null", "nan", "missing", "skip", "skipped", "not applicable", "", "-", "–",
    "timeout", "timed out", "crash", "crashed", "refused", "invalid", "unparsable", "not run", "#div/0!", "#value!",
    "error", "errored", "err", "exception", "cancelled", "canceled", "aborted",
}  # fmt: skip
NO_NUMBER = ABSENT | {"fail", "failed", "failure"}  # beside numbers: a run that has none
PER_CENT = ("accuracy", "acc", "acc_norm", "pass_rate", "success_rate", "win_rate", "exact_match", "em")
_OF = re.compile(r"(\d+(?:\.\d+)?)\s*(?:/|of|out of)\s*(\d+(?:\.\d+)?)")  # 8/10
_FLAGS = {"true", "false"}
DECIMALS = 4  # more is not rounding but precision
DENOMINATOR = 50


def as_shares(column: pd.Series, name: str) -> tuple[Array, Kind]:
    """The share of passes in each row, NaN where absent, and how the column was understood."""
    if pd.api.types.is_bool_dtype(column.dtype):
        return column.to_numpy(dtype=np.float64, na_value=np.nan), "true/false"
    if pd.api.types.is_numeric_dtype(column.dtype):
        return _numbers(column.to_numpy(dtype=np.float64, na_value=np.nan), name)
    codes, words = pd.factorize(column.astype("string").str.strip().str.casefold())
    if all(word in NO_NUMBER or _is_number(word) for word in words) and any(_is_number(word) for word in words):
        levels = np.array([np.nan if word in NO_NUMBER else float(word) for word in words] + [np.nan])
        return _numbers(levels[codes], name)
    matches = {word: match for word in words if (match := _OF.fullmatch(word))}
    parts = {word: float(m[1]) / float(m[2]) if float(m[2]) else np.nan for word, m in matches.items()}
    if parts and all(word in parts or word in NO_NUMBER for word in words):
        levels = np.array([parts.get(word, np.nan) for word in words] + [np.nan])
        return _numbers(levels[codes], name)
    levels = np.array([_level(str(word), name) for word in words] + [np.nan])
    kind: Kind = "true/false" if {str(word) for word in words} <= _FLAGS | ABSENT else "verdict"
    return levels[codes], kind


def _level(word: str, name: str) -> float:
    if word in PASS:
        return 1.0
    if word in FAIL:
        return 0.0
    if word in ABSENT:
        return np.nan
    raise DataError(
        f"column {name!r} must hold passes (True/False, 0/1, a rate in [0, 1], or pass/fail/absent), got {word!r}. "
        "Rename the column if it is no rule, or mend the value."
    )


def _numbers(values: Array, name: str) -> tuple[Array, Kind]:
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


def decimals(values: Array, most: int = 12) -> int | None:
    """With how many decimals a column was stored; None when they are too many to be rounding."""
    present = np.unique(values[np.isfinite(values)])
    for digits in range(most):
        if np.allclose(present, np.round(present, digits), rtol=0, atol=1e-12):
            return digits if digits <= DECIMALS else None
    return None


def unround(values: Array) -> Array:
    """The fractions that rounded rates came from; a column that is not rounded, or not of fractions, stays as it is."""
    digits = decimals(values)
    if digits is None or digits < 2:
        return values
    levels, codes = np.unique(values, return_inverse=True)
    half = 0.5 * 10**-digits + 1e-12
    exact = np.array(
        [float(Fraction(level).limit_denominator(DENOMINATOR)) if level == level else level for level in levels]
    )
    return np.where(np.abs(exact - levels) <= half, exact, levels)[codes].reshape(values.shape)


def rounded_beside_exact(values: Array) -> tuple[int, int]:
    """How many values are rounded fractions (.3333) and how many exact ones (.33333333) in one column; 0, 0 if none."""
    levels, counts = np.unique(values[np.isfinite(values) & (values != np.round(values, 2))], return_counts=True)
    short = np.abs(levels - np.round(levels, DECIMALS)) < 1e-12
    away = np.full(len(levels), np.inf)  # from the nearest fraction
    for denominator in range(2, DENOMINATOR + 1):
        away = np.minimum(away, np.abs(levels - np.round(levels * denominator) / denominator))
    rounded = int(counts[short & (away > 1e-9) & (away <= 0.5 * 10**-DECIMALS + 1e-12)].sum())
    exact = int(counts[~short & (away <= 1e-9)].sum())
    return (rounded, exact) if rounded and exact else (0, 0)


def _is_number(word: object) -> bool:
    try:
        float(str(word))
    except ValueError:
        return False
    return str(word) not in ABSENT
