"""Score: a number with its status."""

from __future__ import annotations

from typing import NamedTuple

from trueness.errors import DataError
from trueness.status import Status


class Score(NamedTuple):
    """A value, or the reason why there is none."""

    value: float | None
    status: Status = Status.OK

    def __float__(self) -> float:
        if self.value is None:
            raise DataError(f"a score must have a value to be a number, got {self.status}. Look at .status first.")
        return self.value

    def __format__(self, spec: str) -> str:
        return format(float(self), spec) if spec else str(self)


NO_TRUTH = "no_truth"  # a status of scores alone: an answer came, and no truth is known to score it by
UNDEFINED = Score(None, Status.DEGENERATE)  # the answer is there and the measure has no value on it


def ratio(part: float, whole: float) -> Score:
    """part / whole; 0/0 is undefined, never 0."""
    return Score(part / whole) if whole else UNDEFINED
