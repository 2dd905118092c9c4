"""A claim: one thing a reply says about one measure, before it is decided which claim counts."""

from __future__ import annotations

from typing import NamedTuple

from trueness.reading.ranges import AT_LEAST, AT_MOST, OUT_OF_RANGE, PAIR, Expression, bounds_of

_new = tuple.__new__  # half the time of a named tuple's own
INTERVAL, MEDIAN, PROBLEM = "interval", "median", "problem"


class Claim(NamedTuple):
    """low to high for a measure, read from [start, end) of the reply by a parser."""

    measure: str
    kind: str  # interval (a point is one, flagged), median, or problem: something stands there that is no range
    low: float
    high: float
    start: int
    end: int
    parser: str
    strong: bool  # label and value stand together as in an answer, not in running text
    level: float | None = None
    flags: tuple[str, ...] = ()
    problem: str = ""


class Scale(NamedTuple):
    """What turns written numbers into values."""

    nodes: int | None
    commas: bool  # the reply writes 0,7
    percent: bool = False  # the reply says that its values are percentages

    def claim(
        self,
        measure: str,
        expression: Expression,
        parser: str,
        strong: bool,
        level: float | None = None,
        in_percent: bool = False,
        flags: tuple[str, ...] = (),
        median: bool = False,
    ) -> Claim:
        way, _, _, start, end, bracketed, _ = expression
        in_percent = in_percent or (self.percent and measure != "shd")
        low, high, marks, problem = bounds_of(expression, measure, self.nodes, in_percent, self.commas)
        if low < 0 and parser == "table":
            problem = OUT_OF_RANGE  # what parts cells may be a dash
        if way == PAIR and not bracketed:
            flags = (*flags, "bare_pair")
        kind = PROBLEM if problem else MEDIAN if median else INTERVAL
        if flags:
            marks = (*marks, *flags)
        if median and marks:
            marks = tuple(mark for mark in marks if mark != "point")
        return _new(Claim, (measure, kind, low, high, start, end, parser, strong, level, marks, problem))


def trouble(measure: str, start: int, end: int, parser: str, problem: str, strong: bool = True) -> Claim:
    """Something was said here, and it cannot be taken for a range."""
    return Claim(measure, PROBLEM, 0.0, 0.0, start, end, parser, strong, None, (), problem)


def pair_of_ends(low: Expression, high: Expression) -> Expression:
    """A lower and an upper end that were given apart."""
    start, end = min(low.start, high.start), max(low.end, high.end)
    return _new(Expression, (PAIR, low.first, high.first, start, end, True, 2))


def one_sided(expression: Expression, at_least: bool) -> Expression:
    return expression._replace(kind=AT_LEAST if at_least else AT_MOST)
