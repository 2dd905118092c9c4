"""How many runs are enough: the estimates over the first m runs, for growing m.

    half width of the CI of the mean at m runs  ~  z sd / sqrt(m)
    runs needed for a half width h  =  n (h_n / h)^2,   h_n the half width at all n runs

The mean settles as 1/sqrt(m) and more runs always sharpen it; the range of runs settles to a width that stays.
"""

from __future__ import annotations

import math
from collections.abc import Sequence
from dataclasses import dataclass

import numpy as np
from numpy.typing import ArrayLike

from trueness.errors import DataError, SettingError
from trueness.intervals import Interval, short
from trueness.statistics.runs import QuantileBounds, RunSummary, expected_content, summarise_columns

CHECKPOINTS = (10, 20, 30, 50, 100, 200, 300, 500, 1000, 2000, 3000, 5000, 10_000)


@dataclass(frozen=True)
class Checkpoint:
    """The estimates over the first `runs` runs, of which `n` have a value."""

    runs: int
    n: int
    mean: float | None
    ci: Interval | None
    range: Interval | None

    @property
    def half_width(self) -> float | None:
        return None if self.ci is None else self.ci.width / 2

    def to_row(self) -> dict[str, float | int | None]:
        return {
            "runs": self.runs,
            "n": self.n,
            "mean": self.mean,
            "ci_lower": QuantileBounds.of(self.ci).low,
            "ci_upper": QuantileBounds.of(self.ci).high,
            "half_width": self.half_width,
            "run_lower": QuantileBounds.of(self.range).low,
            "run_upper": QuantileBounds.of(self.range).high,
            "run_content": None if self.range is None else expected_content(self.n, self.range.level),
        }


@dataclass(frozen=True)
class Convergence:
    """The checkpoints, in order; `wanted` is the half width that `verdict` speaks of."""

    checkpoints: tuple[Checkpoint, ...]
    wanted: float | None
    verdict: str

    @property
    def last(self) -> Checkpoint:
        return self.checkpoints[-1]

    def runs_needed(self, half_width: float) -> int | None:
        """Runs with a value that bring the CI of the mean to this half width; None when nothing is known."""
        return _runs_needed(self.last, half_width)

    def to_rows(self) -> list[dict[str, float | int | None]]:
        return [checkpoint.to_row() for checkpoint in self.checkpoints]

    def __str__(self) -> str:
        return self.verdict


def convergences(
    values: ArrayLike,
    at: Sequence[int] | None = None,
    level: float = 0.95,
    resamples: int = 10_000,
    *,
    half_width: float | None = None,
    rng: np.random.Generator,
) -> list[Convergence]:
    """One for each column of values (n, m), in the order the runs were made, NaN where missing; columns share their
    resamples. at: which m, by default 10, 20, 30, 50, ..., n; half_width: what the verdict shall reach for, by default
    half of what all the runs give."""
    table = np.asarray(values, dtype=np.float64)
    if table.ndim != 2 or len(table) == 0:
        raise DataError(f"'values' of convergence must be one a run and at least one, got shape {table.shape}.")
    if half_width is not None and not half_width > 0:
        raise SettingError(f"'half_width' of convergence must be above 0, got {half_width}.")
    steps = _steps(len(table), at)
    # column k of a part holds the first steps[k] runs: one bootstrap serves all of them
    shown = np.arange(len(table))[:, None] < np.array(steps)
    prefixes = np.hstack([np.where(shown, column[:, None], np.nan) for column in table.T])
    summaries = summarise_columns(prefixes, None, level, resamples, rng=rng)
    results = []
    for start in range(0, len(summaries), len(steps)):
        part = summaries[start : start + len(steps)]
        checkpoints = tuple(Checkpoint(m, s.n, s.mean, s.ci, s.runs) for m, s in zip(steps, part, strict=True))
        wanted = half_width or (checkpoints[-1].half_width or 0) / 2 or None
        results.append(Convergence(checkpoints, wanted, _verdict(checkpoints[-1], part[-1], wanted)))
    return results


def _steps(n: int, at: Sequence[int] | None) -> list[int]:
    if at is None:
        return [m for m in CHECKPOINTS if m < n] + [n]
    steps = sorted(set(at))
    if not steps or steps[0] < 1 or steps[-1] > n:
        raise SettingError(f"'at' of convergence must be numbers of runs in [1, {n}], got {list(at)}.")
    return steps


def _runs_needed(last: Checkpoint, half_width: float) -> int | None:
    if not half_width > 0:
        raise SettingError(f"'half_width' must be above 0, got {half_width}.")
    if last.half_width is None or last.half_width == 0:
        return None
    return math.ceil(last.n * (last.half_width / half_width) ** 2 - 1e-9)


def _verdict(last: Checkpoint, summary: RunSummary, wanted: float | None) -> str:
    if last.mean is None or last.half_width is None:
        return f"{last.n} of {last.runs} runs have a value: nothing can be said about convergence."
    if summary.degenerate or wanted is None:
        return (
            f"All {last.n} runs gave {short(last.mean)}: more runs of the same kind will not change it. "
            "Check that the runs differ at all (new data, resampled rows)."
        )
    reached = f"After {last.n} runs the mean is {short(last.mean)} +- {short(last.half_width)}"
    needed = _runs_needed(last, wanted)
    if last.half_width <= wanted:
        return f"{reached}: the half width of {short(wanted)} is reached; about {needed} runs would do."
    return f"{reached}; a half width of {short(wanted)} needs about {needed} runs."
