"""Which way an effect goes with a cause, where no value can be computed: +1, -1, or nothing.

    pressure rises with temperature; is (inversely) proportional to the distance; falls as the load grows
    the more rain, the higher the river; a longer wire means a smaller current; friction reduces the speed

    sign(known -> target) = product of the signs along a path, where every path has one and all are the same

A formula has the sign of its slope at the values that there are, or at three points above 0 that agree. A sentence with
a condition, a negation or a turning point says nothing, and so does a phrase that fits no cause or two.
"""

from __future__ import annotations

import re
from collections.abc import Iterator, Mapping, Sequence

from trueness.patterns import late
from trueness.reasoning.execute import Program
from trueness.reasoning.names import tokens
from trueness.reasoning.rules import Rule
from trueness.reasoning.trees import Tree, evaluate

_LONGEST = 300
_UP = (
    "more|higher|larger|greater|bigger|longer|faster|stronger|hotter|warmer|heavier|taller|wider|thicker|older|"
    "increasing|rising|growing"
)
_DOWN = (
    "less|fewer|lower|smaller|shorter|slower|weaker|colder|cooler|lighter|narrower|thinner|younger|decreasing|falling"
)
_RISES = "increases?|rises?|grows?|goes up|go up|climbs?"
_FALLS = "decreases?|falls?|drops?|declines?|shrinks?|goes down|go down|diminishes|diminish"
_RAISES = "increases?|raises?|boosts?|enhances?|speeds? up|adds? to"
_LOWERS = "decreases?|reduces?|lowers?|slows?(?: down)?|diminishes|diminish|weakens?"
_HEDGED = late(
    r"\b(?:not|no|never|unless|until|if|except|may|might|could|can|sometimes|but|however|first|then|either|or|neither|"
    r"optim\w+|maxim\w+|minim\w+|peak\w*|threshold|up to|beyond|only|n't)\b|n't\b"
)
_PROPORTIONAL = late(
    r"(?P<x>.*?)\b(?:(?:is|are|be|varies|vary|scales|scale)\s+)?(?P<how>inversely|indirectly|directly|linearly)?\s*"
    r"(?:proportional (?:to|with)|(?<=inversely )(?:with|as)|(?<=directly )(?:with|as))\s+(?P<y>.+)"
)
_INVERSE_PART = late(r"\s*,?\s*(?:and|but)?\s*inversely(?: proportional)? (?:to|with)\s+")
_AS = late(rf"(?P<x>.*?)\b(?P<v>{_RISES}|{_FALLS})\s+(?:as|when)\s+(?P<y>.+?)\s+(?P<w>{_RISES}|{_FALLS})")
_AS_FIRST = late(rf"(?:as|when)\s+(?P<y>.+?)\s+(?P<w>{_RISES}|{_FALLS}),\s*(?P<x>.+?)\s+(?P<v>{_RISES}|{_FALLS})")
_WITH = late(rf"(?P<x>.*?)\b(?P<v>{_RISES}|{_FALLS})\s+(?:\w+ly\s+)?with\s+(?P<y>.+)")
_THE_MORE = late(rf"the\s+(?P<w>{_UP}|{_DOWN})\b\s*(?P<y>.*?),\s*the\s+(?P<v>{_UP}|{_DOWN})\b\s*(?P<x>.*)")
_MEANS = late(
    rf"(?:an?\s+|the\s+)?(?P<w>{_UP}|{_DOWN})\s+(?P<y>.+?)\s+"
    rf"(?:leads? to|means?|gives?|results? in|causes?|produces?|implies|yields?)\s+"
    rf"(?:an?\s+|the\s+)?(?P<v>{_UP}|{_DOWN})\s+(?P<x>.+)"
)
_ACTS = late(rf"(?P<y>.+?)\s+(?P<v>{_RAISES}|{_LOWERS})\s+(?P<x>.+)")
_DEPENDS = late(
    r"(?P<x>.*?)\b(?:is|are|depends?)?\s*(?P<v>positively|negatively)\s+(?:correlated|related|associated|linked|on|depend\w*)?"
    r"\s*(?:with|to|on)?\s+(?P<y>.+)"
)
_SECOND = late(rf"\s*,?\s*\band\s+(?=(?:{_RISES}|{_FALLS})\s+(?:\w+ly\s+)?with\b)")
_AGAIN = late(rf"\b(?:{_RISES}|{_FALLS}|{_RAISES}|{_LOWERS}|proportional|{_UP}|{_DOWN})\b")
_FALLING = late(rf"(?:{_DOWN}|{_FALLS}|{_LOWERS}|negatively)")
_COMPARED = late(rf"^(?:an?\s+|the\s+)?(?P<w>{_UP}|{_DOWN})\s+(?P<y>.+)")
_RATIO = late(r"^(?:the\s+)?ratio of (?P<over>.+) to (?P<under>.+)$")
_POINTS = (0.7, 1.9, 5.3)


def word_signs(text: str, causes: Sequence[str], effect: str) -> dict[str, int]:
    """Per cause that a sentence speaks of, the way the effect goes with it."""
    sentence = " ".join(text.replace("_", " ").replace("’", "'").lower().split()).rstrip(".;!")
    if len(text) > _LONGEST or _HEDGED.search(sentence):
        return {}
    signs: dict[str, int] = {}
    readings = [reading for clause in _clauses(sentence) for reading in _read(clause)]
    if any(_AGAIN.search(f"{about} {part}") for about, part, _ in readings):
        return {}  # a second statement within the first
    for about, cause_part, sign in readings:
        if about and not tokens(about) & tokens(effect):
            return {}
        for part, part_sign in _parts(cause_part):
            for cause in _causes_in(part, causes):
                if signs.setdefault(cause, sign * part_sign) != sign * part_sign:
                    return {}
    return signs


def _clauses(sentence: str) -> list[str]:
    """`speed rises with push and falls with load`: two statements on one subject."""
    first, *others = _SECOND.split(sentence)
    subject = re.match(rf"(.*?)\b(?:{_RISES}|{_FALLS})\b", first)
    return [first, *(f"{subject[1] if subject else ''}{other}" for other in others)]


def _read(sentence: str) -> Iterator[tuple[str, str, int]]:
    """(what stands for the effect, what stands for the causes, sign) of the first pattern that fits."""
    match = _PROPORTIONAL.fullmatch(sentence)
    if match:
        direct, *inverse = _INVERSE_PART.split(match["y"])
        sign = -1 if match["how"] in ("inversely", "indirectly") else 1
        yield match["x"], direct, sign
        yield from ((match["x"], part, -1) for part in inverse)
        return
    for pattern in (_THE_MORE, _AS_FIRST, _AS, _MEANS):
        match = pattern.fullmatch(sentence)
        if match:
            yield match["x"], match["y"], _sign(match["v"]) * _sign(match["w"])
            return
    for pattern in (_WITH, _DEPENDS, _ACTS):
        match = pattern.fullmatch(sentence)
        if match:
            compared = _COMPARED.match(match["y"])
            cause, turned = (compared["y"], _sign(compared["w"])) if compared else (match["y"], 1)
            yield match["x"], cause, _sign(match["v"]) * turned
            return


def _parts(phrase: str) -> Iterator[tuple[str, int]]:
    ratio = _RATIO.match(phrase)
    if ratio:
        yield ratio["over"], 1
        yield ratio["under"], -1
    elif not re.search(r"\b(?:difference|reciprocal|inverse|minus|less|ratio|over|divided)\b|[-−/]", phrase):
        yield phrase, 1


def _causes_in(phrase: str, causes: Sequence[str]) -> list[str]:
    """The causes whose words stand in the phrase: one for each piece of it, and no piece for two."""
    named: list[str] = []
    for piece in re.split(r"\s*,\s*(?:and\s+)?|\s+and\s+", phrase):
        shared = {cause: len(tokens(piece) & tokens(cause)) / len(tokens(cause) or {""}) for cause in causes}
        best = [cause for cause, score in shared.items() if score and score == max(shared.values())]
        if len(best) != 1:
            return []
        named += best
    return named


def _sign(word: str) -> int:
    return -1 if _FALLING.fullmatch(word) else 1


def direction_to_target(program: Program, known: str) -> int | None:
    """The sign of a known's effect on the target; None where a step has none or paths differ."""
    return _sign_to_target(program, known, {})


def _sign_to_target(program: Program, node: str, seen: dict[str, int | None]) -> int | None:
    graph = program.graph
    if node == graph.target:
        return 1
    if node not in seen:
        seen[node] = None  # of a cycle nothing is said
        below = [child for child in graph.children[node] if child == graph.target or graph.path_to_target(child)]
        signs = {_step_sign(program, node, child, seen) for child in below}
        seen[node] = signs.pop() if len(signs) == 1 else None
    return seen[node]


def _step_sign(program: Program, node: str, child: str, seen: dict[str, int | None]) -> int | None:
    onward = _sign_to_target(program, child, seen)
    signs = {_rule_sign(program, rule, node, child) for rule in program.rules.get(child, ())}
    if onward is None or program.is_held(child) or len(signs) != 1:
        return None
    sign = signs.pop()
    return None if sign is None else sign * onward


def _rule_sign(program: Program, rule: Rule, cause: str, effect: str) -> int | None:
    if rule.tree is None:
        return word_signs(rule.text, program.graph.parents[effect], effect).get(cause)
    return _slope(rule.tree, cause, rule.uses, program.base.values)


def _slope(tree: Tree, cause: str, uses: frozenset[str], values: Mapping[str, float]) -> int | None:
    """The sign of the slope at the values that there are, the others at three points above 0."""
    signs = set()
    for k, root in enumerate(_POINTS):
        point = {name: values.get(name, root ** (1 + place / 7)) for place, name in enumerate(sorted(uses))}
        at = point.get(cause, 0.0)
        step = abs(at) * 0.5 or 1.0
        try:
            rise = evaluate(tree, point | {cause: at + step}) - evaluate(tree, point)
        except (ArithmeticError, ValueError, KeyError):
            return None
        signs.add((rise > 0) - (rise < 0))
        if k == 0 and uses <= values.keys():
            break
    sign = signs.pop() if len(signs) == 1 else 0
    return sign or None
