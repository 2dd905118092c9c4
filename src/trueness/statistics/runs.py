"""What the runs of a cell show: their mean, their range, and how well each is known.

    ci    = bootstrap interval of the mean                         shrinks as 1/sqrt(n)
    runs  = [Q(a/2), Q(1 - a/2)], numpy's 'linear' quantiles       does not shrink: where single runs fall

Q is itself an estimate. With B ~ Binomial(n, p) values at or below the true p quantile q, and x_(1) <= ... <= x_(n),

    P(x_(r) > q) = P(B <= r - 1),    P(x_(s) < q) <= P(B >= s)

so the greatest r and the least s that keep both below a/2 bound q at level 1 - a for every distribution; ties only
make it safer. Where no r or s does, n runs cannot bound that end at all and it is None: the lower bound of the
2.5 % quantile needs 146 runs (0.975^146 < 0.025), so at 100 runs it is missing.
A new run falls into `runs` of n continuous runs with probability (1 - a)(n - 1)/(n + 1) on average: .931 at n = 100,
.889 at n = 30 and .777 at n = 10 where the name says 95 %. `range_note` says so beside every range of fewer than 100.
David & Nagaraja (2003), Order Statistics, ch. 7.
"""

from __future__ import annotations

import math
from collections import Counter
from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass
from functools import lru_cache
from typing import NamedTuple

import numpy as np
from numpy.typing import ArrayLike, NDArray
from scipy.special import bdtr, bdtrc

from trueness.errors import DataError
from trueness.intervals import Interval, short
from trueness.statistics.bootstrap import Array, as_columns, bootstrap_means

ENOUGH = 100  # runs, from which a range may stand without a note


def expected_content(n: int, level: float = 0.95) -> float | None:
    """The share of new runs that the range of n runs holds on average; None where one run has no range."""
    return level * (n - 1) / (n + 1) if n > 1 else None


def range_note(counts: Iterable[int], level: float = 0.95) -> str:
    """What ranges of so few runs hold, in one sentence; nothing where each has ENOUGH, or there is none."""
    known = [n for n in counts if n > 1]
    if not known or min(known) >= ENOUGH:
        return ""
    few, many = min(known), max(known)
    low, high = (f"{100 * level * (n - 1) / (n + 1):.0f}" for n in (few, many))
    if few == many:
        return f"A range of {few} runs holds about {low} % of new runs, not {100 * level:g} %."
    return f"Ranges of {few} to {many} runs hold about {low} to {high} % of new runs, not {100 * level:g} %."


class QuantileBounds(NamedTuple):
    """A confidence interval of a quantile; an end that the runs cannot bound is None."""

    low: float | None
    high: float | None

    @classmethod
    def of(cls, interval: Interval | None) -> QuantileBounds:
        """The ends of an interval, for a table in which it may be missing."""
        return NO_BOUNDS if interval is None else cls(interval.low, interval.high)


NO_BOUNDS = QuantileBounds(None, None)


@dataclass(frozen=True)
class RunSummary:
    """One measure over the runs of one cell. `n` counts the runs with a value, `missing` the others by status."""

    n: int
    level: float
    missing: Mapping[str, int]
    mean: float | None = None
    std: float | None = None  # ddof = 1
    ci: Interval | None = None
    median: float | None = None
    min: float | None = None
    max: float | None = None
    runs: Interval | None = None
    runs_low_ci: QuantileBounds = NO_BOUNDS
    runs_high_ci: QuantileBounds = NO_BOUNDS
    degenerate: bool = False  # every run gave the same value: the intervals have no width

    @property
    def n_missing(self) -> int:
        return sum(self.missing.values())

    def to_row(self) -> dict[str, float | int | bool | None]:
        """Flat, for a table or JSON; None is missing. ci_* is of the mean, run_* of single runs.

        run_content: the share of new runs that [run_lower, run_upper] holds on average.
        """
        return {
            "n": self.n,
            "n_missing": self.n_missing,
            "mean": self.mean,
            "std": self.std,
            "ci_lower": QuantileBounds.of(self.ci).low,
            "ci_upper": QuantileBounds.of(self.ci).high,
            "run_lower": QuantileBounds.of(self.runs).low,
            "run_upper": QuantileBounds.of(self.runs).high,
            "run_content": None if self.degenerate else expected_content(self.n, self.level),
            "run_lower_ci_lower": self.runs_low_ci.low,
            "run_lower_ci_upper": self.runs_low_ci.high,
            "run_upper_ci_lower": self.runs_high_ci.low,
            "run_upper_ci_upper": self.runs_high_ci.high,
            "median": self.median,
            "min": self.min,
            "max": self.max,
            "degenerate": self.degenerate,
        }

    def __str__(self) -> str:
        lost = ", ".join(f"{count} {status}" for status, count in self.missing.items())
        lost = f"; {self.n_missing} missing: {lost}" if lost else ""
        if self.mean is None:
            return f"no run has a value{lost}"
        counted = f"{self.n} run{'s' if self.n != 1 else ''}{lost}"
        if self.ci is None:
            return f"{short(self.mean)} ({counted}; one run has no spread)"
        if self.degenerate:
            return f"{short(self.mean)} in every run ({counted}; degenerate)"
        note = range_note([self.n], self.level).removesuffix(".")
        return f"mean {short(self.mean)} {self.ci}; sd {short(self.std or 0.0)}; runs {self.runs}; {counted}" + (
            f". {note}" if note else ""
        )


def summarise_runs(
    values: ArrayLike,
    statuses: Sequence[str] | None = None,
    level: float = 0.95,
    resamples: int = 10_000,
    *,
    rng: np.random.Generator,
) -> RunSummary:
    """values: (n,), one a run, NaN where missing; statuses: why, one a run ('ok' where there is a value)."""
    column = np.asarray(values, dtype=np.float64)
    if column.ndim != 1:
        raise DataError(f"'values' must be one a run, got shape {column.shape}. Use summarise_columns for a table.")
    reasons = None if statuses is None else np.asarray(statuses, dtype=object)[:, None]
    return summarise_columns(column[:, None], reasons, level, resamples, rng=rng)[0]


def summarise_columns(
    values: ArrayLike,
    statuses: ArrayLike | None = None,
    level: float = 0.95,
    resamples: int = 10_000,
    *,
    rng: np.random.Generator,
) -> list[RunSummary]:
    """One summary a column of values (n, m), with one bootstrap for all. statuses: (n, m), or None."""
    table = as_columns(values)
    reasons = None if statuses is None else _checked_statuses(np.asarray(statuses, dtype=object), table)
    cis = bootstrap_means(table, level, resamples, rng=rng)
    absent = np.isnan(table)
    ordered = [np.sort(column[~gone]) for column, gone in zip(table.T, absent.T, strict=True)]
    missing: list[Mapping[str, int]] = [{} for _ in ordered]
    for k in np.flatnonzero(absent.any(axis=0)):
        gone = absent[:, k]
        missing[k] = {"missing": int(gone.sum())} if reasons is None else dict(Counter(map(str, reasons[gone, k])))
    quantiles = _quantiles(ordered, (1 - level) / 2)
    return [_summary(*column, level) for column in zip(ordered, quantiles, cis, missing, strict=True)]


def quantile_bounds(ordered: ArrayLike, p: float, level: float = 0.95) -> QuantileBounds:
    """The distribution-free confidence interval of the p quantile, from sorted values."""
    x = np.asarray(ordered, dtype=np.float64)
    r, s = _order_statistics(len(x), p, level)
    return QuantileBounds(float(x[r - 1]) if r > 0 else None, float(x[s - 1]) if s <= len(x) else None)


def _quantiles(ordered: Sequence[Array], tail: float) -> Array:
    """(columns, 3): both ends of the range and the median; columns of one length in one call, which costs as one."""
    sizes = np.array([len(x) for x in ordered], dtype=np.int64)
    quantiles = np.full((len(ordered), 3), np.nan)
    for n in np.unique(sizes[sizes > 0]):
        columns = np.flatnonzero(sizes == n)
        quantiles[columns] = np.quantile([ordered[k] for k in columns], [tail, 0.5, 1 - tail], axis=1).T
    return quantiles


def _summary(x: Array, quantiles: Array, ci: Interval | None, missing: Mapping[str, int], level: float) -> RunSummary:
    n, tail = len(x), (1 - level) / 2
    if n == 0:
        return RunSummary(0, level, missing)
    low, median, high = quantiles.tolist()
    degenerate = bool(x[0] == x[-1])
    return RunSummary(
        n=n,
        level=level,
        missing=missing,
        mean=float(x[0]) if degenerate else float(x.mean()),  # a mean of equal numbers may differ by rounding
        std=None if n < 2 else 0.0 if degenerate else float(x.std(ddof=1)),
        ci=ci,
        median=median,
        min=float(x[0]),
        max=float(x[-1]),
        runs=Interval(low, high, level, "run"),
        runs_low_ci=quantile_bounds(x, tail, level),
        runs_high_ci=quantile_bounds(x, 1 - tail, level),
        degenerate=degenerate,
    )


@lru_cache(maxsize=4096)
def _order_statistics(n: int, p: float, level: float) -> tuple[int, int]:
    """(r, s), counted from 1; r = 0 and s = n + 1 when there is no such value."""
    tail = (1 - level) / 2
    below = np.arange(n + 1)
    at_most = bdtr(below, n, p)  # P(B <= k)
    at_least = np.concatenate(([1.0], bdtrc(below[:-1], n, p)))  # P(B >= k)
    r = int(np.count_nonzero(at_most <= tail))
    s = int(np.count_nonzero(at_least > tail))
    return r, s


def _checked_statuses(statuses: NDArray[np.object_], table: Array) -> NDArray[np.object_]:
    if statuses.shape != table.shape:
        raise DataError(f"'statuses' must have one entry a value {table.shape}, got {statuses.shape}.")
    wrong = (statuses == "ok") == np.isnan(table)
    if wrong.any():
        run, column = (int(i) for i in np.argwhere(wrong)[0])
        value = table[run, column]
        expected = "a value" if math.isnan(value) else "no value (nan)"
        raise DataError(
            f"run {run} of column {column} with status {statuses[run, column]!s} must have {expected}, got {value}."
        )
    return statuses
