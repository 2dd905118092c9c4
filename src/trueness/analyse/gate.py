"""A gate for continuous integration: one sentence that makes the command end with 1.

    "worse by more than 2 points"             fails where the interval lies wholly beyond: it was shown
    "possibly worse by more than 2 points"    fails unless the interval excludes it: it was not ruled out

Points are per cent of a share; a number without a word is in the unit of the score.
"""

from __future__ import annotations

import re
from dataclasses import dataclass
from typing import Literal

from trueness.errors import SettingError
from trueness.intervals import Interval, short
from trueness.statistics.comparison import Comparison

_GATE = re.compile(
    r"(?P<possibly>possibly )?(?P<way>worse|better) by more than (?P<margin>\d*\.?\d+) ?(?P<unit>points?|%)?"
)
State = Literal["shown", "ruled out", "open", "not known"]


@dataclass(frozen=True)
class Gate:
    """`margin` in points where `points`, else in the unit of the score."""

    text: str
    way: str
    margin: float
    points: bool
    unless_ruled_out: bool

    def state(self, difference: Interval | None, scale: float, most: float | None) -> State:
        """difference: above 0 is better; scale: what a point is in its unit; most: the greatest there can be."""
        margin = self.margin * (scale if self.points else 1.0)
        if most is not None and margin >= most:
            least = f"{short(most / scale)} points" + (f" ({short(most)})" if scale != 1 else "")
            raise SettingError(
                f"'gate' must name less than {least}, the most that there can be, got {self.text!r}: it would never "
                "hold. Name a smaller difference."
            )
        if difference is None:
            return "not known"
        low, high = (difference.low, difference.high) if self.way == "better" else (-difference.high, -difference.low)
        return "shown" if low > margin else "ruled out" if high <= margin else "open"

    def fails(self, state: State) -> bool:
        return state == "shown" or (self.unless_ruled_out and state != "ruled out")


def ends_of(result: Comparison | None) -> Interval | None:
    """The interval of a difference. One that is the same in every cluster has none; where they are so many that the
    exact sign-flip test, for so many comparisons, refuses any other value, it is that value."""
    if result is None or result.interval is not None or not result.constant or result.difference is None:
        return None if result is None else result.interval
    refused = result.n_comparisons * 2 * 0.5**result.n_clusters <= 1 - result.level
    return Interval(result.difference, result.difference, result.level, "mean") if refused else None


def gate_of(text: str) -> Gate:
    match = _GATE.fullmatch(" ".join(text.lower().split()))
    if match is None:
        raise SettingError(
            f"'gate' must be like 'worse by more than 2 points', got {text!r}. 'possibly' makes it strict."
        )
    return Gate(text, match["way"], float(match["margin"]), bool(match["unit"]), bool(match["possibly"]))
