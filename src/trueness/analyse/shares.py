"""Pass columns as shares in [0, 1]: True/False as text or flags, 0/1, rates, per cents, verdicts.

pass -> 1,  fail -> 0,  a rate as it is,  absent, error -> missing (it is in no denominator, and that is shown)
"""

from __future__ import annotations

from collections.abc import Sequence
from typing import Literal

import numpy as np
import pandas as pd
from numpy.typing import NDArray
from pandas.api.types import is_bool_dtype, is_numeric_dtype

from trueness.errors import DataError, listed

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
