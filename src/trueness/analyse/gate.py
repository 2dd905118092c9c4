"""A gate for continuous integration: one sentence that makes the command end with 1.

    "NAME worse by more than 2 points"             fails where the interval lies wholly beyond: it was shown
    "NAME possibly worse by more than 2 points"    fails unless the interval excludes it: it was not ruled out

NAME is asked about, the candidate; it may be left out where another setting names the baseline.
Points are per cent of a share; a number without a word is in the unit of the score.
"""

from __future__ import annotations

import re
from collections.abc import Sequence
from dataclasses import dataclass, replace
from typing import TYPE_CHECKING, Literal

from trueness.errors import SettingError, did_you_mean, listed
from trueness.intervals import Interval, short
from trueness.measure import measure_of
from trueness.statistics.comparison import Comparison
from trueness.texts import counted, printable

if TYPE_CHECKING:
    from trueness.outside import Json

_GATE = re.compile(
    r"(?:(?P<name>.+?) (?:is )?)??"
    r"(?P<possibly>possibly )?(?P<way>worse|better) by more than (?P<margin>\d*\.?\d+) ?(?P<unit>points?|%)?",
    re.I,
)
State = Literal["shown", "ruled out", "open", "not known"]
_WORDS = {"open": "neither shown nor ruled out", "not known": "cannot be judged, there is no interval"}


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

    def turned(self) -> Case:
        difference = None if self.difference is None else -self.difference
        ends = _turned(self.interval)
        return replace(self, candidate=self.baseline, baseline=self.candidate, difference=difference, interval=ends)

    def words(self) -> str:
        """By how much the candidate is better or worse, and what has no score."""
        if self.difference is None:
            return "".join(f", {words}" for words in self.missing)
        ends = self.interval if self.difference >= 0 else _turned(self.interval)
        digits = ".1f" if self.points else ".3g"
        size = f"{abs(self.difference):{digits}}{' points' if self.points else ''}"
        interval = f" [{ends.low + 0.0:{digits}}, {ends.high + 0.0:{digits}}]" if ends else ""
        return ", ".join([f", {size} {'better' if self.difference >= 0 else 'worse'}{interval}", *self.missing])


@dataclass(frozen=True)
class Gate:
    """`margin` in points where `points`, else in the unit of the score."""

    name: str | None
    condition: str  # the sentence without the name
    way: str
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
        low, high = case.interval.low, case.interval.high
        low, high = (low, high) if self.way == "better" else (-high, -low)
        return "shown" if low > margin else "ruled out" if high <= margin else "open"

    def fails(self, state: State) -> bool:
        return state == "shown" or (self.unless_ruled_out and state != "ruled out")


@dataclass(frozen=True)
class GateVerdict:
    """What a gate says: it fails where it does in any domain."""

    gate: Gate
    cases: tuple[tuple[Case, State], ...]

    @property
    def fails(self) -> bool:
        return any(self.gate.fails(state) for _, state in self.cases)

    def sentence(self) -> str:
        """One line, with both roles."""
        sides: dict[tuple[str, str], list[str]] = {}
        for case, state in self.cases:
            words = f"{case.domain}: {_WORDS.get(state, state)}{case.words()}"
            sides.setdefault((case.candidate, case.baseline), []).append(words)
        each = [f"{a} (candidate) against {b} (baseline): {'; '.join(words)}" for (a, b), words in sides.items()]
        unsure = not self.fails and any(state in ("open", "not known") for _, state in self.cases)
        strict = f" 'possibly {self.gate.condition}' would fail." if unsure else ""
        text = f"gate {'fails' if self.fails else 'passes'} ({self.gate.condition}): {'; '.join(each)}.{strict}"
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
    way = match["way"].lower()
    return Gate(match["name"], plain[start:], way, float(match["margin"]), bool(match["unit"]), bool(match["possibly"]))


def named(gate: Gate, sides: Sequence[Sequence[str]]) -> Gate:
    """The gate with the first of the names of the side that it names: a file may be called by its path or its model."""
    if gate.name is None:
        return gate
    plain = [(names[0], [" ".join(name.split()) for name in names]) for names in sides]
    names_meant = {first for first, names in plain if gate.name == names[0]}
    names_meant = names_meant or {first for first, names in plain if gate.name in names}
    if len(names_meant) != 1:
        known = list(dict.fromkeys(first for first, _ in plain))
        near = did_you_mean(gate.name, known)
        raise SettingError(
            f"'gate' must name one of {listed(known)}, got {gate.name!r}.{f' {near}' if near else ''} "
            f'Write: --gate "{known[0]} {gate.condition}"'
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
        case = replace(case, difference=difference, interval=_turned(case.interval))
    return gate.judge([case])


def ends_of(result: Comparison | None) -> Interval | None:
    """The interval of a difference. One that is the same in every cluster has none; where they are so many that the
    exact sign-flip test, for so many comparisons, refuses any other value, it is that value."""
    if result is None or result.interval is not None or not result.constant or result.difference is None:
        return None if result is None else result.interval
    refused = result.n_comparisons * 2 * 0.5**result.n_clusters <= 1 - result.level
    return Interval(result.difference, result.difference, result.level, "mean") if refused else None


def _turned(ends: Interval | None) -> Interval | None:
    return None if ends is None else Interval(-ends.high, -ends.low, ends.level, ends.of)
