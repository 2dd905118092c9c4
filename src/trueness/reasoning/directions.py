"""Which way an effect goes with a cause, where no value can be computed: +1, -1, or nothing.

    pressure rises with temperature; falls as the load grows; is (inversely) proportional to the distance
    the more rain, the higher the river; friction reduces the speed

    sign(known -> target) = product of the signs along a path, where every path has one and all are the same

A formula has the sign of its slope at the values that there are, or at three points above 0 that agree. A sentence with
a condition, a negation or a turning point says nothing, and so does a phrase that fits no cause or two.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence

from trueness.patterns import late
from trueness.reasoning.execute import Program
from trueness.reasoning.names import tokens
from trueness.reasoning.rules import Rule
from trueness.reasoning.trees import Tree, evaluate

_LONGEST = 300
_RISES = "increases?|rises?|grows?|raises?|boosts?"
_FALLS = "decreases?|falls?|drops?|declines?|shrinks?|reduces?|lowers?|slows?(?: down)?|diminishes|weakens?"
_UP, _DOWN = "more|higher|larger|greater|longer|faster|stronger", "less|fewer|lower|smaller|shorter|slower|weaker"
_WAY = rf"{_RISES}|{_FALLS}|{_UP}|{_DOWN}"
_HEDGED = late(
    r"\b(?:not|no|never|unless|until|if|except|may|might|could|can|sometimes|but|however|first|then|either|or|neither|"
    r"optim\w+|maxim\w+|minim\w+|peak\w*|threshold|up to|beyond|only|difference|reciprocal|ratio|minus|over)\b|n't\b"
)
_NAMED = r"[^,]{1,100}?"
_FORMS = tuple(
    late(form)
    for form in (  # x: what stands for the effect; y: for the causes
        rf"(?:(?P<x>{_NAMED}) (?:is|varies|scales) )?(?P<how>inversely )?(?:directly )?proportional to (?P<y>.+?)"
        r"(?: and inversely (?:proportional )?to (?P<z>.+))?",
        rf"(?P<x>{_NAMED}) (?P<v>{_RISES}|{_FALLS}) (?:as|when) (?P<y>{_NAMED}) (?P<w>{_RISES}|{_FALLS})",
        rf"(?P<x>{_NAMED}) (?P<v>{_RISES}|{_FALLS}) with (?P<y>.+)",
        rf"the (?P<w>{_UP}|{_DOWN}) (?P<y>{_NAMED}), the (?P<v>{_UP}|{_DOWN}) (?P<x>{_NAMED})",
        rf"(?P<y>{_NAMED}) (?P<v>{_RISES}|{_FALLS}) (?P<x>{_NAMED})",
    )
)
_FALLING = late(rf"(?:{_FALLS}|{_DOWN}|inversely )")
_AGAIN = late(rf"\b(?:{_WAY}|proportional)\b")
_AND = late(r", (?:and )?| and ")
_POINTS = (0.7, 1.9, 5.3)


def word_signs(text: str, causes: Sequence[str], effect: str) -> dict[str, int]:
    """Per cause that a sentence speaks of, the way the effect goes with it."""
    sentence = " ".join(text.replace("_", " ").replace("’", "'").lower().split()).rstrip(".;!")
    if len(text) > _LONGEST or _HEDGED.search(sentence):
        return {}
    match = next((match for form in _FORMS if (match := form.fullmatch(sentence))), None)
    about = match["x"] or effect if match is not None else ""
    if match is None or _AGAIN.search(f"{about} {match['y']}") or not tokens(about) & tokens(effect):
        return {}
    ways = [word for group, word in match.groupdict().items() if group in ("how", "v", "w") and word]
    sign = -1 if sum(_FALLING.fullmatch(word) is not None for word in ways) % 2 else 1
    signs: dict[str, int] = {}
    inverse = match.groupdict().get("z") or ""
    pieces = [(piece, sign) for piece in _AND.split(match["y"])] + [(one, -sign) for one in _AND.split(inverse) if one]
    for piece, piece_sign in pieces:
        shared = {cause: len(tokens(piece) & tokens(cause)) / len(tokens(cause) or {""}) for cause in causes}
        best = [cause for cause, score in shared.items() if score and score == max(shared.values())]
        if len(best) != 1 or signs.setdefault(best[0], piece_sign) != piece_sign:
            return {}
    return signs


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
