"""A gate for continuous integration: one sentence that makes the command end with 1.

    "NAME worse by more than 2 points"             fails where the interval lies wholly beyond: it was shown
    "NAME possibly worse by more than 2 points"    fails unless the interval excludes it: it was not ruled out

What it names is what makes it fail; what has no interval is neither, and ends with 2.
NAME is asked about, the candidate; it may be left out where another setting names the baseline.
Points are per cent of a share; a number without a word is in the unit of the score.
"""

from __future__ import annotations

import re
from collections.abc import Sequence
from dataclasses import dataclass, replace
from typing import TYPE_CHECKING, Literal

import numpy as np

from trueness.errors import SettingError, did_you_mean, listed
from trueness.intervals import Interval, short
from trueness.measure import measure_of
from trueness.statistics.comparison import Comparison
from trueness.statistics.proportions import rule_of_three, tango
from trueness.texts import counted, printable

if TYPE_CHECKING:
    from trueness.outside import Json

_GATE = re.compile(
    r"(?:(?P<name>.+?) (?:is )?)??"
    r"(?P<possibly>possibly )?(?P<way>worse|better) by more than (?P<margin>\d*\.?\d+) ?(?P<unit>points?|%)?",
    re.I,
)
_TIED = 1e-9
State = Literal["shown", "ruled out", "open", "not known"]
_WORDS = {"open": "neither shown nor ruled out", "not known": "cannot be judged"}


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
    lost: tuple[int, int] = (0, 0)  # runs without a score: of the candidate, of the baseline
    if_failed: tuple[Interval | None, Interval | None] = (None, None)  # had those of the one, or of the other, failed

    def turned(self) -> Case:
        difference = None if self.difference is None else -self.difference
        ends, *failed = (side and side.scaled(-1) for side in (self.interval, *self.if_failed[::-1]))
        return replace(
            self, candidate=self.baseline, baseline=self.candidate, difference=difference, interval=ends,
            lost=self.lost[::-1], if_failed=(failed[0], failed[1]),
        )  # fmt: skip

    def words(self) -> str:
        """By how much the candidate is better or worse, and what has no score."""
        if self.difference is None:
            return "".join(f", {words}" for words in self.missing)
        worst = () if self.if_failed[0] is None else (f"had they failed, up to {self._loss(self.if_failed[0])}",)
        return ", ".join([f", {self._size(self.difference, self.interval)}", *self.missing, *worst])

    def _loss(self, interval: Interval) -> str:
        return f"{max(-interval.low, 0.0):{'.1f' if self.points else '.3g'}}{' points' if self.points else ''} worse"

    def _size(self, difference: float, interval: Interval | None) -> str:
        ends = interval and interval.scaled(1 if difference >= 0 else -1)
        digits = ".1f" if self.points else ".3g"
        size = f"{abs(difference):{digits}}{' points' if self.points else ''}"
        where = f" [{ends.low + 0.0:{digits}}, {ends.high + 0.0:{digits}}]" if ends else ""
        return f"{size} {'better' if difference >= 0 else 'worse'}{where}"


@dataclass(frozen=True)
class Gate:
    """`margin` in points where `points`, else in the unit of the score."""

    name: str | None
    condition: str  # the sentence without the name
    margin: float
    points: bool
    unless_ruled_out: bool

    def judge(self, cases: Sequence[Case]) -> GateVerdict:
        """Of every domain. Where the gate has a name, it is asked about that side of each case."""
        if self.name is not None:
            cases = [
                case if case.candidate == self.name else case.turned()
                for case in cases
                if self.name in (case.candidate, case.baseline)
            ]
        if not cases:
            raise SettingError(f"'gate' must have two sides to compare, got {self.condition!r} where nothing is.")
        return GateVerdict(self, tuple((case, self._state(case)) for case in cases))

    def _state(self, case: Case) -> State:
        margin = self.margin * (case.point if self.points else 1.0)
        if case.most is not None and margin >= case.most:
            least = f"{short(case.most / case.point)} points" + (f" ({short(case.most)})" if case.point != 1 else "")
            raise SettingError(
                f"'gate' must name less than {least}, the most that there can be, got {self.condition!r}: it would "
                "never hold. Name a smaller difference."
            )
        if case.interval is None:
            return "not known"
        if case.interval.high < -margin:
            return "shown"
        if case.interval.low < -margin:
            return "open"
        if not case.lost[0]:
            return "ruled out"
        worst = case.if_failed[0]  # of runs without a score nobody knows whether they failed because of the candidate
        if worst is None:
            return "not known" if self.unless_ruled_out else "open"
        return "ruled out" if worst.low >= -margin else "open"

    def fails(self, state: State) -> bool:
        return state == "shown" or (self.unless_ruled_out and state == "open")


@dataclass(frozen=True)
class GateVerdict:
    """What a gate says: it fails where it does in any domain, and passes where every domain can be judged."""

    gate: Gate
    cases: tuple[tuple[Case, State], ...]
    beside: tuple[str, ...] = ()  # what was not judged: files that were left out, other measures

    @property
    def fails(self) -> bool:
        return any(self.gate.fails(state) for _, state in self.cases)

    @property
    def exit_code(self) -> int:
        return 1 if self.fails else 2 if any(state == "not known" for _, state in self.cases) else 0

    def sentence(self) -> str:
        """One line, with both roles."""
        sides: dict[tuple[str, str], list[str]] = {}
        for case, state in self.cases:
            words = f"{case.domain}: {_WORDS.get(state, state)}{case.words()}"
            sides.setdefault((case.candidate, case.baseline), []).append(words)
        each = [f"{a} (candidate) against {b} (baseline): {'; '.join(words)}" for (a, b), words in sides.items()]
        says = {0: "passes", 1: "fails", 2: "cannot be judged"}[self.exit_code]
        unsure = self.exit_code == 0 and any(state == "open" for _, state in self.cases)
        more = [f" Not judged: {words}." for words in self.beside]
        more += [f" 'possibly {self.gate.condition}' would fail."] if unsure else []
        text = f"gate {says} ({self.gate.condition}): {'; '.join(each)}.{''.join(more)}"
        return printable(text)

    def to_dict(self) -> dict[str, Json]:
        verdicts = [
            {
                "domain": case.domain, "candidate": case.candidate, "baseline": case.baseline, "state": state,
                "fails": self.gate.fails(state), "difference": case.difference,
                "low": case.interval and case.interval.low, "high": case.interval and case.interval.high,
                "missing": list(case.missing),
            }
            for case, state in self.cases
        ]  # fmt: skip
        return {
            "condition": self.gate.condition,
            "fails": self.fails,
            "judged": self.exit_code < 2,
            "sentence": self.sentence(),
            "verdicts": verdicts,
        }


def gate_of(text: str) -> Gate:
    plain = " ".join(text.split())
    match = _GATE.fullmatch(plain)
    if match is None:
        raise SettingError(
            f"'gate' must be like 'NAME worse by more than 2 points', got {text!r}. 'possibly worse' makes it strict."
        )
    start = min(match.start(part) for part in ("possibly", "way") if match[part])
    if match["way"].lower() == "better":
        raise SettingError(f"'gate' must name what makes it fail, so 'worse', got {text!r}. Turn it round.")
    return Gate(match["name"], plain[start:], float(match["margin"]), bool(match["unit"]), bool(match["possibly"]))


def named(gate: Gate, sides: Sequence[Sequence[str]]) -> Gate:
    """The gate with the first of the names of the side that it names: a file may be called by its path or its model."""
    if gate.name is None:
        return gate
    plain = [(names[0], [" ".join(name.split()) for name in names]) for names in sides]
    names_meant = {first for first, names in plain if gate.name == names[0]}
    names_meant = names_meant or {first for first, names in plain if gate.name in names}
    if len(names_meant) != 1:
        known = list(dict.fromkeys(first for first, _ in plain))
        near = did_you_mean(gate.name, [name for _, names in plain for name in names])
        meant = next((first for first, names in plain if any(near.endswith(f"{name!r}?") for name in names)), "NAME")
        raise SettingError(
            f"'gate' must name one of {listed(known)}, got {gate.name!r}.{f' {near}' if near else ''} "
            f'Write: --gate "{meant} {gate.condition}"'
        )
    return replace(gate, name=names_meant.pop())


def judge_comparison(gate: Gate, comparison: Comparison) -> GateVerdict:
    """Of two respondents of a study, the first the candidate: a point is a hundredth of a measure that ends at 1."""
    if comparison.better is None:
        raise SettingError(
            f"'gate' must be of a measure of which one way is better; of {comparison.measure} neither is. "
            "Name another with --measure."
        )
    measure = measure_of(comparison.measure)
    least, greatest = (None, None) if measure is None else measure.bounds
    case = Case(
        comparison.measure, *comparison.names, comparison.difference, ends_of(comparison), points=False,
        point=0.01 if greatest == 1 else 1.0, most=None if least is None or greatest is None else greatest - least,
        missing=(f"{counted(comparison.n_missing, 'unit')} without a partner",) if comparison.n_missing else (),
    )  # fmt: skip
    if comparison.better == "lower":
        difference = None if case.difference is None else -case.difference
        case = replace(case, difference=difference, interval=case.interval and case.interval.scaled(-1))
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
        ends = Interval(result.difference - unseen, result.difference + unseen, level, "mean").within(*result.bounds)
    elif 2 * np.count_nonzero(abs(each) > _TIED) > len(each):
        if result.constant and result.n_comparisons * 2 * 0.5**result.n_clusters <= 1 - result.level:
            ends = Interval(result.difference, result.difference, level, "mean")
    elif most is not None:
        rare = tango(float(each[each > _TIED].sum()), float(-each[each < -_TIED].sum()), len(each), level)
        low, high = most * rare.low, most * rare.high
        ends = Interval(min(low, ends.low), max(high, ends.high), level, "mean") if ends else replace(
            rare, low=low, high=high
        )  # fmt: skip
    return ends
