"""What a respondent said about one condition: a distribution over the levels, or the reason why there is none.

`distribution.n` is K, the number of answers it was counted from; None when it was claimed (`distribution`,
`likelihood`, `qa`). K enters the ceiling of the score: 20 honest draws must not be punished for being 20.
"""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass, field

from trueness.intervals import Distribution
from trueness.status import Status


@dataclass(frozen=True)
class Answer:
    """One condition. counts tells what became of each reply, so that no refusal is lost in a mean."""

    distribution: Distribution | None
    status: Status = Status.OK
    counts: Mapping[Status, int] = field(default_factory=dict)
    mass: float | None = None  # `qa`, `likelihood`: probability on the option letters before it was divided by itself
    texts: tuple[str, ...] = ()  # a sample of raw replies
    values: tuple[str, ...] = ()  # level read from each reply of `sample` and `story`, in order
    message: str = ""
    mode: str = ""  # how it was elicited in the end: a model without log-probabilities falls back
    error: float | None = None  # `qa`: the largest standard error of a level over the orders of the options
    total: float | None = None  # what stated shares summed to before they were divided by it
    flags: tuple[str, ...] = ()  # low_mass, off_sum, level_left_out

    @property
    def draws(self) -> float | None:
        """K, or None for a claim."""
        return None if self.distribution is None else self.distribution.n
