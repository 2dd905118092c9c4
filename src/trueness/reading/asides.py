"""Values that tell something else: what a measure is, a footnote, what another quantity depends on."""

from __future__ import annotations

from trueness.reading.ranges import Expression
from trueness.reading.words import Gap

_DEPENDENT = frozenset(  # words before a label that make it part of what is said of something else
    "mean average balance balances balanced balancing trade-off trade-offs tradeoff tradeoffs combine combines "
    "combined combining combination product function given because due depend depends depending based compute computes "
    "computed derive derives derived relationship than improve improves improved improving improvement definition "
    "probability chance odds likelihood whether drop loss gain change difference ratio".split()
)
_LINKS = frozenset("of between from by that in on to the both".split())


def is_definition(measure: str, expression: Expression, gap: Gap, form: bool) -> bool:
    """'Precision is between 0 and 1' tells what precision is; [0, 1] after a colon is a forecast that says nothing.

    So does 'SHD: [lower, upper] between 0 and 28' (`form`).
    """
    second = expression.second
    if second is None or expression.first.value != 0 or (expression.bracketed and (gap.direct or not gap.words)):
        return False
    if measure == "shd":
        return form
    return (gap.words or not measure) and second.value == (100 if second.percent else 1)


def is_reference(expression: Expression) -> bool:
    """Precision [1]: a footnote."""
    return expression.bracketed and expression.first.whole and not expression.first.percent


def is_dependent(view: str, start: int) -> bool:
    """F1 balances precision and recall; the probability that precision ...; a drop in recall."""
    words = view[max(0, start - 40) : start].rstrip(" :(").split()
    at = len(words) - 1
    while at >= 0 and words[at] in _LINKS and at > len(words) - 4:
        at -= 1
    return at >= 0 and words[at] in _DEPENDENT
