"""Score and Measure: a number with its status, and what the number means."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Literal, NamedTuple

from assay.status import Status


class Score(NamedTuple):
    """A value, or the reason why there is none."""

    value: float | None
    status: Status = Status.OK


UNDEFINED = Score(None, Status.DEGENERATE)  # the answer is there and the measure has no value on it


def ratio(part: float, whole: float) -> Score:
    """part / whole; 0/0 is undefined, never 0."""
    return Score(part / whole) if whole else UNDEFINED


@dataclass(frozen=True)
class Measure:
    """One line of the lists and of the docs."""

    name: str
    title: str
    better: Literal["higher", "lower"]
    reference: str
    description: str
    minimum: float = 0.0
    maximum: float | None = 1.0  # None: it depends on the question
