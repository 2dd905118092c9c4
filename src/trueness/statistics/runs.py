"""What the runs of a cell show: their mean, their range, and how well each is known.

    ci    = percentile bootstrap interval of the mean              shrinks as 1/sqrt(n)
    runs  = [Q(a/2), Q(1 - a/2)], numpy's 'linear' quantiles       does not shrink: where single runs fall

    mean*_r = (1/n) sum_i c_ri x_i,    c_r ~ Multinomial(n; 1/n, ..., 1/n),    r = 1 ... R
    ci      = [a/2, 1 - a/2] quantiles of mean*_1 ... mean*_R

A resample is a row of counts, so that R resamples of m columns are one product (R x n) (n x m). Columns with equally
many values share their resamples; each interval is the one it would be on its own, because the counts are drawn without
a look at the values. The resamples depend on the generator and on n only, so a column's interval does not change when
another measure joins the table. Efron & Tibshirani (1993), ch. 13.

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
from scipy.sparse import csr_array
from scipy.special import bdtr, bdtrc, ndtr, stdtrit

from trueness.errors import DataError
from trueness.intervals import Interval
from trueness.statistics.clusters import Array
from trueness.statistics.result import checked_level
from trueness.statistics.sign_flip import check_resamples

CHECKPOINTS = (10, 20, 30, 50, 100, 200, 300, 500, 1000, 2000, 3000, 5000, 10_000)
ENOUGH = 100  # runs, from which a range may stand without a note
_COUNTS_AT_ONCE = 250_000  # entries of a block of counts: 2 MB, so that drawing and product stay in the cache
_MEANS_AT_ONCE = 12_500_000  # entries of a block of resampled means: 100 MB


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


def settling(
    values: ArrayLike, level: float = 0.95, resamples: int = 10_000, *, rng: np.random.Generator
) -> list[list[dict[str, float | int | None]]]:
    """Of each column of values (n, m) a row at 10, 20, 30, 50, ..., n runs: the estimates over the first so many.

    The mean settles as 1/sqrt(runs) and more runs always sharpen it; the range of runs settles to a width that stays.
    """
    table = as_columns(values)
    steps = [*(runs for runs in CHECKPOINTS if runs < len(table)), len(table)]
    # column k of a part holds the first steps[k] runs: one bootstrap serves all of them
    shown = np.arange(len(table))[:, None] < np.array(steps)
    prefixes = np.hstack([np.where(shown, column[:, None], np.nan) for column in table.T])
    rows: list[dict[str, float | int | None]] = []
    for at, one in enumerate(summarise_columns(prefixes, None, level, resamples, rng=rng)):
        (ci_low, ci_high), (low, high) = QuantileBounds.of(one.ci), QuantileBounds.of(one.runs)
        rows.append({
            "runs": steps[at % len(steps)], "n": one.n, "mean": one.mean, "ci_lower": ci_low, "ci_upper": ci_high,
            "half_width": None if one.ci is None else one.ci.width / 2, "run_lower": low, "run_upper": high,
            "run_content": None if one.runs is None else expected_content(one.n, level),
        })  # fmt: skip
    return [rows[start : start + len(steps)] for start in range(0, len(rows), len(steps))]


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


# ---- the bootstrap of means


def bootstrap_means(
    values: ArrayLike, level: float = 0.95, resamples: int = 10_000, *, rng: np.random.Generator
) -> list[Interval | None]:
    """The percentile interval of each column's mean. values: (n, m), or (n,) for one column; NaN is missing.

    A column with fewer than two values has no interval (None). A constant column has one of zero width.
    """
    table = as_columns(values)
    checked_level(level)
    check_resamples(resamples)
    seed = int(rng.integers(2**63))
    present = ~np.isnan(table)
    sizes = present.sum(axis=0)
    # values first, missing last: the order of the runs does not matter to a resample, their number does
    packed = np.take_along_axis(table, np.argsort(~present, axis=0, kind="stable"), axis=0)
    intervals: list[Interval | None] = [None] * table.shape[1]
    for n in np.unique(sizes[sizes > 1]):
        columns = np.flatnonzero(sizes == n)
        blocks = math.ceil(len(columns) * resamples / _MEANS_AT_ONCE)
        for block in np.array_split(columns, min(blocks, len(columns))):
            # measured from the first run: a constant column then stays exactly constant, whatever the rounding
            origin = packed[0, block]
            means = _resampled_means(packed[:n, block] - origin, resamples, np.random.default_rng([seed, int(n)]))
            ends = np.quantile(means, [(1 - level) / 2, (1 + level) / 2], axis=1).T + origin[:, None]
            for column, (low, high) in zip(block, ends, strict=True):
                intervals[column] = Interval(low, high, level, "mean")
    return intervals


def as_columns(values: ArrayLike) -> Array:
    """A (n, m) table of float64 in which NaN is missing; infinite values are refused."""
    table = np.asarray(values, dtype=np.float64)
    table = table[:, None] if table.ndim == 1 else table
    if table.ndim != 2:
        raise DataError(f"'values' must be (runs, columns), got shape {table.shape}.")
    if np.isinf(table).any():
        raise DataError("'values' must be finite or missing (nan), got inf. Mark such runs as missing.")
    return table


def _resampled_means(values: Array, resamples: int, rng: np.random.Generator) -> Array:
    """means[k, r]: the mean of column k of values (n, m) in resample r."""
    n, m = values.shape
    rows = np.ascontiguousarray(values.T) / n
    means = np.empty((m, resamples))
    size = max(1, min(resamples, _COUNTS_AT_ONCE // n))  # m has no say: a column's resamples do not depend on it
    narrow = np.uint16 if n <= 2**16 else np.int64  # half the time of the draws
    ones, starts = np.ones(size * n), np.arange(0, size * n + 1, n, dtype=np.int32)
    for start in range(0, resamples, size):
        k = min(size, resamples - start)
        drawn = rng.integers(n, size=k * n, dtype=narrow)
        # what a sparse matrix has several times in one place it adds up: a third of the time of np.bincount
        counts = csr_array((ones[: k * n], drawn.astype(np.int32), starts[: k + 1]), shape=(k, n)).toarray()
        np.matmul(rows, counts.T, out=means[:, start : start + k])
    return means


def expanded_tail(level: float, n_clusters: int) -> float:
    """The share to cut off at each end of a bootstrap of few clusters, z_tail = sqrt(C/(C - 1)) t_{C - 1}: the plain
    percentiles cover 86 % with 6 clusters. Hesterberg (2015)."""
    t = float(stdtrit(n_clusters - 1, (1 + level) / 2))
    return float(ndtr(-math.sqrt(n_clusters / (n_clusters - 1)) * t))
