"""A gate for continuous integration: one sentence that makes the command end with 1.

    "worse by more than 2 points"             fails where the interval lies wholly beyond: it was shown
    "possibly worse by more than 2 points"    fails unless the interval excludes it: it was not ruled out

What has no interval is neither, and ends with 2. The candidate is asked about: --treatment, or no --baseline.
Points are per cent of a share; a number without a word is in the unit of the score.
"""

from __future__ import annotations

import re
from collections.abc import Sequence
from dataclasses import dataclass
from typing import TYPE_CHECKING, Literal

import numpy as np

from trueness.errors import SettingError
from trueness.intervals import Interval, short
from trueness.measure import measure_of
from trueness.statistics.comparison import Comparison
from trueness.statistics.proportions import rule_of_three, tango
from trueness.statistics.result import interval_cells
from trueness.texts import counted, printable

if TYPE_CHECKING:
    from trueness.outside import Json

_GATE = re.compile(r"(?P<possibly>possibly )?worse by more than (?P<margin>\d*\.?\d+) ?(?P<unit>points?|%)?", re.I)
_TIED = 1e-9
State = Literal["shown", "ruled out", "neither shown nor ruled out", "cannot be judged"]


@dataclass(frozen=True)
class Case:
    """Two sides in one domain; the difference is above 0 where the candidate is better."""

    domain: str
    candidate: str
    baseline: str
    difference: float | None
    interval: Interval | None
    points: bool  # whether the difference is in points
    point: float = 1.0  # what a point is in its unit
    most: float | None = None  # the greatest difference that there can be
    missing: tuple[str, ...] = ()
    lost: int = 0  # runs of the candidate without a score: nobody knows whether they failed because of it

    def words(self) -> str:
        """By how much the candidate is better or worse, and what has no score."""
        digits, unit = (".1f", " points") if self.points else (".3g", "")
        if self.difference is None:
            return "".join(f", {words}" for words in self.missing)
        sign, word = (1, "better") if self.difference >= 0 else (-1, "worse")
        ends = self.interval and self.interval.scaled(sign)
        where = f" [{ends.low + 0.0:{digits}}, {ends.high + 0.0:{digits}}]" if ends else ""
        size = f"{abs(self.difference):{digits}}{unit} {word}{where}"
        return "".join(f", {words}" for words in (size, *self.missing))


@dataclass(frozen=True)
class Gate:
    """`margin` in points where `points`, else in the unit of the score."""

    condition: str  # the sentence
    margin: float
    points: bool
    strict: bool  # fails unless it is ruled out

    def judge(self, cases: Sequence[Case]) -> GateVerdict:
        if not cases:
            raise SettingError(f"'gate' must have two sides to compare, got {self.condition!r} where nothing is.")
        return GateVerdict(self, [(case, self._state(case)) for case in cases])

    def _state(self, case: Case) -> State:
        margin, ends = self.margin * (case.point if self.points else 1.0), case.interval
        if case.most is not None and margin >= case.most:
            least = f"{short(case.most / case.point)} points" + (f" ({short(case.most)})" if case.point != 1 else "")
            raise SettingError(
                f"'gate' must name less than {least}, the most that there can be, got {self.condition!r}: it would "
                "never hold. Name a smaller difference."
            )
        if ends is None or (self.strict and case.lost and ends.low >= -margin):
            return "cannot be judged"
        if ends.high < -margin:
            return "shown"
        return "ruled out" if ends.low >= -margin and not case.lost else "neither shown nor ruled out"


@dataclass(frozen=True)
class GateVerdict:
    """What a gate says: it fails where it does in any domain, and passes where every domain can be judged."""

    gate: Gate
    cases: Sequence[tuple[Case, State]]

    def fails(self, state: State) -> bool:
        return state == "shown" or (self.gate.strict and state == "neither shown nor ruled out")

    @property
    def exit_code(self) -> int:
        states = [state for _, state in self.cases]
        return 1 if any(map(self.fails, states)) else 2 if "cannot be judged" in states else 0

    def sentence(self) -> str:
        """One line, with both roles."""
        sides: dict[str, list[str]] = {}
        for case, state in self.cases:
            words = f"{case.domain}: {state}{case.words()}"
            sides.setdefault(f"{case.candidate} (candidate) against {case.baseline} (baseline)", []).append(words)
        each = "; ".join(f"{roles}: {'; '.join(words)}" for roles, words in sides.items())
        says = {0: "passes", 1: "fails", 2: "cannot be judged"}[self.exit_code]
        more = []
        if any(case.lost for case, _ in self.cases):
            more.append(" Runs without a score may have failed: --unscored failed counts them so.")
        if self.exit_code == 0 and "neither shown nor ruled out" in each:
            more.append(f" 'possibly {self.gate.condition}' would fail.")
        return printable(f"gate {says} ({self.gate.condition}): {each}.{''.join(more)}")

    def to_dict(self) -> dict[str, Json]:
        verdicts = [
            {
                "domain": case.domain, "candidate": case.candidate, "baseline": case.baseline, "state": state,
                "fails": self.fails(state), "difference": case.difference, **interval_cells(case.interval),
                "missing": list(case.missing),
            }
            for case, state in self.cases
        ]  # fmt: skip
        said = {"condition": self.gate.condition, "fails": self.exit_code == 1, "judged": self.exit_code < 2}
        return said | {"sentence": self.sentence(), "verdicts": verdicts}


def gate_of(text: str) -> Gate:
    match = _GATE.fullmatch(" ".join(text.split()))
    if match is None:
        raise SettingError(
            f"'gate' must be like 'worse by more than 2 points', or 'possibly worse ...' to be strict, got {text!r}. "
            "Who is asked about is said with --baseline or --treatment."
        )
    return Gate(match[0], float(match["margin"]), bool(match["unit"]), bool(match["possibly"]))


def judge_comparison(gate: Gate, comparison: Comparison) -> GateVerdict:
    """Of two respondents of a study, the first the candidate: a point is a hundredth of a measure that ends at 1."""
    if comparison.better is None:
        raise SettingError(
            f"'gate' must be of a measure of which one way is better; of {comparison.measure} neither is. "
            "Name another with --measure."
        )
    measure = measure_of(comparison.measure)
    least, greatest = (None, None) if measure is None else measure.bounds
    sign = -1 if comparison.better == "lower" else 1
    ends = ends_of(comparison)
    case = Case(
        comparison.measure,
        *comparison.names,
        None if comparison.difference is None else sign * comparison.difference,
        ends and ends.scaled(sign),
        points=False,
        point=0.01 if greatest == 1 else 1.0,
        most=None if least is None or greatest is None else greatest - least,
        missing=(f"{counted(comparison.n_missing, 'unit')} without a partner",) if comparison.n_missing else (),
    )
    return gate.judge([case])


def ends_of(result: Comparison | None) -> Interval | None:
    """The interval of a difference. Where most units tie, signs say nothing of how rare a loss is: then it is at least
    Tango's, each difference in [-1, 1] taken for a share of a win or loss. One that is the same everywhere and not 0 is
    its interval where the sign-flip test, for so many comparisons, refuses any other value."""
    if result is None or result.difference is None:
        return None
    ends, most = result.interval, result.bounds[1]
    level = ends.level if ends else 1 - (1 - result.level) / result.n_comparisons
    totals = result.totals
    each = np.ones(1) if totals is None else totals.sums / totals.sizes / (most or 1.0)
    if result.design == "unpaired" and result.constant and most is not None:
        unseen = most * sum(rule_of_three(n, (1 + level) / 2) for n in result.n_each)
        return Interval(result.difference - unseen, result.difference + unseen, level, "mean").within(*result.bounds)
    if 2 * np.count_nonzero(abs(each) > _TIED) > len(each):
        if result.constant and result.n_comparisons * 2 * 0.5**result.n_clusters <= 1 - result.level:
            return Interval(result.difference, result.difference, level, "mean")
    elif most is not None:
        rare = tango(float(each[each > _TIED].sum()), float(-each[each < -_TIED].sum()), len(each), level).scaled(most)
        return Interval(min(rare.low, ends.low), max(rare.high, ends.high), level, "mean") if ends else rare
    return ends
