"""The runs of a cell by columns, without their answers: what tables, charts and files are made of.

A row a run as Python knows it takes two kilobytes and some microseconds a score; a column of numbers takes neither.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from math import isnan
from typing import Self

import numpy as np
from numpy.typing import NDArray

from trueness.status import Status

RunRow = tuple[int, int, str, str, float | None]  # id, repeat, status, message, seconds
ScoreRow = tuple[int, str, float | None, str]  # id of the run, measure, value, status


@dataclass(frozen=True, eq=False)
class RunColumns:
    """n runs in the order of their repeats, and m measures of each; NaN where there is no number."""

    ids: NDArray[np.int64]  # (n,), greater where a run came later
    repeats: NDArray[np.int64]  # (n,)
    statuses: Sequence[str]  # (n,)
    messages: Sequence[str]  # (n,)
    seconds: NDArray[np.float64]  # (n,)
    values: NDArray[np.float64]  # (m, n)
    reasons: NDArray[np.object_] | None  # (m, n): the status of each value; None where all are there

    @classmethod
    def of(cls, ids: Sequence[int], runs: Sequence[RunRow], scores: Sequence[ScoreRow], names: Sequence[str]) -> Self:
        """In the order of the ids; ids without a run are left out, and so are scores that nobody asks for."""
        run_of = {run[0]: run for run in runs}
        ordered = [run_of[row] for row in ids if row in run_of]
        ids, repeats, statuses, messages, seconds = zip(*ordered, strict=True) if ordered else ((),) * 5
        n, m = len(ids), len(names)
        row_of = {name: k * n for k, name in enumerate(names)}
        place_of = {run: k for k, run in enumerate(ids)}
        wanted = [score for score in scores if score[1] in row_of]
        where = np.array([row_of[measure] + place_of[run] for run, measure, _, _ in wanted], dtype=np.int64)
        values, why = np.full(m * n, np.nan), [score[3] for score in wanted]
        values[where] = np.array([score[2] for score in wanted], dtype=np.float64)  # None becomes NaN
        reasons = None
        if {*why, *statuses} - {Status.OK} or np.isnan(values).any():
            reasons = np.tile(np.array(statuses, dtype=object), m)  # what failed has no scores, and its own status
            reasons[where] = why
        shape = (m, n)
        return cls(
            np.array(ids, dtype=np.int64), np.array(repeats, dtype=np.int64), statuses, messages,
            np.array(seconds, dtype=np.float64), values.reshape(shape),
            None if reasons is None else reasons.reshape(shape),
        )  # fmt: skip

    def __len__(self) -> int:
        return len(self.repeats)

    def numbers(self, row: int) -> list[float | None]:
        """The values of a measure; None where there is none."""
        return or_none(self.values[row])

    def sums(self) -> list[float]:
        """Of the values of each measure, added one after the other as the runs came: SQLite's sums to the digit."""
        return [float(total) for total in np.nancumsum(self.values[:, np.argsort(self.ids)], axis=1)[:, -1]]

    def reasons_of(self, row: int) -> list[str]:
        """The status of each value of a measure."""
        return [Status.OK] * len(self) if self.reasons is None else self.reasons[row].tolist()


def or_none(values: NDArray[np.float64]) -> list[float | None]:
    """Python's own numbers; None where there is none."""
    return [None if isnan(value) else value for value in values.tolist()]


def number_texts(values: NDArray[np.float64], missing: str) -> list[str]:
    """As Python writes them, each once: the scores of ten thousand runs are a few. By their bits: -0.0 equals 0.0."""
    bits, which = np.unique(values.view(np.int64), return_inverse=True)
    texts = [missing if isnan(value) else repr(value) for value in bits.view(np.float64).tolist()]
    return [texts[k] for k in which.tolist()]
