"""Score: a number with its status."""

from __future__ import annotations

from typing import NamedTuple

from trueness.status import Status


class Score(NamedTuple):
    """A value, or the reason why there is none."""

    value: float | None
    status: Status = Status.OK


UNDEFINED = Score(None, Status.DEGENERATE)  # the answer is there and the measure has no value on it


def ratio(part: float, whole: float) -> Score:
    """part / whole; 0/0 is undefined, never 0."""
    return Score(part / whole) if whole else UNDEFINED
