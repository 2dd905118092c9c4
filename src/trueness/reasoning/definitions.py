"""Quantities that a rule defines on its way: each is read over its own causes and put where the rule uses it.

    main with Q, where Q is e        main(Q) and e, each a formula or words; main[Q := e]

dividing fixed costs by the margin, which is the price minus the cost     Q is the margin
Q = m c ΔT, where ΔT is the final minus the initial temperature           Q is ΔT
net rate: inflow less outflow. Time is the volume over the net rate       Q is the net rate
the change in velocity, final minus initial, divided by the time          Q is the change in velocity
add their speeds and divide the distance by this sum                      Q is this sum

Both must be read, Q must be no cause, and together they must use every cause. What Q is called does not matter then: it
stands as a node of its own.
"""

from __future__ import annotations

import re
from collections.abc import Callable, Iterator, Sequence
from itertools import combinations
from typing import NamedTuple

from trueness.patterns import late
from trueness.reasoning.clauses import cause_called
from trueness.reasoning.islands import islands_of
from trueness.reasoning.syntax import symbol
from trueness.reasoning.trees import Name, Tree, agree, count_names, replace_names
from trueness.reasoning.word_names import share_meaning, tokens
from trueness.reasoning.word_numbers import NUMERAL, OPERATION_WORDS, computes

Read = Callable[[str, tuple[str, ...], str], Tree | None]  # text, causes, effect
_MARK = "node_q{}q"
_MOST_CAUSES = 6
_PHRASE = r"[^\W\d][\w'’]*(?:[ _-][^\W\d_][\w'’]*){0,4}?"
_IS = r"(?:is (?:given by|equal to|calculated as|found as|defined as|just|simply)|is|are|being|equals?|=|≈)"
_SO = "(?:and|so|then|thus|hence|therefore)"
_COMPUTED = late(
    r"[-+*/^×·÷−²³½]|\b(?:minus|plus|times|less|over|per|divided|multiplied|sum|difference|product|half|twice|double|"
    r"triple|thrice|third|quarter|square|squared|root|average|mean|add|subtract|multiply|divide|more|fewer|total|"
    r"as many|as much|percent|ratio|reciprocal)\b|%"
)
_BEHIND = late(
    r"^(?P<main>.+?)(?:[,;.]\s*|\s+)(?:where|with|and|in which|here|while)\s+(?:the |each |this )?"
    rf"(?P<name>{_PHRASE})\s*(?:{_IS}\s+|(?=half |twice |double ))(?P<what>.+)$",
    re.IGNORECASE | re.DOTALL,
)
_WHICH = late(
    rf"^(?P<main>.*\b(?P<name>{_PHRASE})),?\s+(?:which|that|who) (?:itself )?(?:is|are|equals?|make up)\s+"
    r"(?P<what>.+)$",
    re.IGNORECASE,
)
_IN_FRONT = late(
    rf"^(?:first,?\s+)?(?:find |compute |calculate |get |let )?(?:the )?(?P<name>{_PHRASE})\s*(?::|{_IS}|be)\s+"
    rf"(?P<what>[^;]+?)(?:[;.]\s+|,\s*{_SO}\s+|\s+and\s+(?=the |its ))(?:(?:{_SO}|finally|now)\b,?\s*)*(?P<main>.+)$",
    re.IGNORECASE,
)
_GIVES = late(
    rf"^(?:[^:=]+: )?(?P<what>[^;.:]+?) (?:gives|yields|is) (?:the |us the )?(?P<name>{_PHRASE})"
    r"(?:[;.]\s+|,\s*(?:and\s+)?(?:then\s+)?)(?P<main>.+)$",
    re.IGNORECASE,
)
_GO_ON = (  # a step without its object: what came before
    (late(r"(?:then )?(subtract|deduct) ((?:(?! from ).)+)", re.IGNORECASE), r"\1 \2 from {}"),
    (late(r"(?:then )?add ((?:(?! to ).)+)", re.IGNORECASE), r"add \1 to {}"),
    (late(r"(?:then )?(multiply|divide) by (.+)", re.IGNORECASE), r"\1 {} by \2"),
    (late(r"(?:then )?convert to [a-z]+ by (multiply|divid)ing by (.+)", re.IGNORECASE), r"\1 {} by \2"),
)
_DONE_FIRST = late(
    r"^(?:first,?\s+)?(?P<what>(?:add|multiply|subtract|divide|sum|take|average|deduct|compute|calculate|find)\b.+?)"
    r"(?:[,;.]\s*(?:and\s+)?(?:then\s+|finally\s+)?|\s+and\s+(?:then\s+)?)"
    r"(?P<main>(?:[a-z]+ )?.*\b(?P<name>(?:this|that) (?:sum|total|product|difference|quotient|amount|number|result|"
    r"value)|the result|what is left|what remains|the remainder|the rest)\b.*)$",
    re.IGNORECASE,
)
_ASIDE = late(
    rf"(?P<name>{_PHRASE})(?:\s+\((?P<bracket>[^()]+)\)|,\s+(?:i\.e\.,?\s+|that is,?\s+)(?P<last>[^,;]+)$|"
    r",\s+(?P<comma>[^,;]+)(?:,(?=\s)|$))",
    re.IGNORECASE,
)
_IN_BRACKETS = late(
    r"\b(?:by|times|plus|minus|over|from|to|and|is|multiply|divide|subtract|add) "
    r"(?P<all>\((?P<what>[^()]*(?:\([^()]*\)[^()]*)*)\))",
    re.IGNORECASE,
)
_CONSTANT = late(
    r"^(?:using|taking|with|assuming|take|use) (?P<name>pi|π|[A-Za-z]) (?:=|≈|as|to be) (?P<what>\d+(?:\.\d+)?)"
    r"(?: [a-z/²]+\^?\d?)?,\s+(?P<main>[^=]+)$",
    re.IGNORECASE,
)
_WHY = late(r"^(?:since|because|as|given that)\s+(?P<why>[^,\d%=]+),\s*", re.IGNORECASE)
_TO_GET = late(r",?\s+to (?:get|find|obtain|give|yield|determine)\s[^,\d%=]+$", re.IGNORECASE)
_AS_MANY = late(
    rf"^(?:there (?:is|are) )?(?P<times>{NUMERAL} times|twice|thrice|half) as (?:many|much) (?P<name>[a-z ]+?) as "
    r"(?P<other>[a-z ]+)$",
    re.IGNORECASE,
)
_STARTS = frozenset("the a an this that each of by from to over times plus minus divided multiplied and is are".split())


class Defined(NamedTuple):
    """A rule with a node in the place of what it defines, that node, and what it is."""

    main: str
    node: str
    name: str
    what: str


def with_definitions(text: str, causes: tuple[str, ...], effect: str, read: Read) -> Tree | None:
    """The tree of a rule that defines a quantity of its own; None where none, or two that differ, can be read."""
    if not 0 < len(causes) <= _MOST_CAUSES or len(text) > 300:
        return None
    trees: list[Tree] = []
    for one in definitions(text, causes, effect):
        tree = _together(one, causes, effect, read)
        if tree is not None and not any(agree(tree, other) for other in trees):
            trees.append(tree)
    return trees[0] if len(trees) == 1 else None


def definitions(text: str, causes: Sequence[str], effect: str) -> Iterator[Defined]:
    """Every way to take a part of a text for the definition of a quantity that the rest uses."""
    node = next(mark for k in range(9) if (mark := _MARK.format(chr(97 + k))) not in " ".join((text, *causes)))
    text = _TO_GET.sub("", text.strip().rstrip(".").replace("π", " π "))
    why = _WHY.match(text)
    text = text[why.end() :] if why is not None and not computes(why["why"]) else text
    constant = _CONSTANT.match(text)
    if constant is not None:
        letter = re.compile(rf"(?<!\w){constant['name']}(?!\w)")
        if len(letter.findall(constant["main"])) == 1:
            yield Defined(letter.sub(constant["what"], constant["main"]), "", "", "")
    for pattern in (_BEHIND, _WHICH, _IN_FRONT, _GIVES, _DONE_FIRST):
        match = pattern.match(text)
        if match is None:
            continue
        name, what, main = match["name"], match["what"].rstrip(" ."), match["main"]
        if pattern is _WHICH:
            for phrase in _last_phrases(main):
                yield from _definition(f"{main[: len(main) - len(phrase)]}{node}", node, phrase, what, causes, effect)
            continue
        if pattern is _DONE_FIRST:
            if len(re.findall(r"\b(?:this|that|the result|what is left|what remains)\b", main, re.IGNORECASE)) < 2:
                yield Defined(re.sub(rf"\b{re.escape(name)}\b", node, main), node, name, what)
            continue
        used = _in_place(main, name, node, before=pattern in (_IN_FRONT, _GIVES))
        if used is not None:
            yield from _definition(used, node, name, what, causes, effect)
    for start, end in islands_of(text, causes, effect):  # the pressure is ρgh plus the pressure of the air
        yield Defined(f"{text[:start]}{node}{text[end:]}", node, "part", text[start:end])
    many = re.match(r"^(?P<main>.+?),? (?:where|with|and|given that) (?P<what>[^,]+)$", text, re.IGNORECASE)
    as_many = _AS_MANY.match(many["what"]) if many else None
    if many and as_many and (used := _in_place(many["main"], as_many["name"], node, before=False)) is not None:
        yield from _definition(
            used, node, as_many["name"], f"{as_many['times']} the {as_many['other']}", causes, effect
        )
    for match in _IN_BRACKETS.finditer(text):  # multiply the price by (1 - d/100)
        yield Defined(f"{text[: match.start('all')]}{node}{text[match.end() :]}", node, "part", match["what"])
    for match in _ASIDE.finditer(text):
        what = match["bracket"] or match["last"] or match["comma"]
        if re.match(
            r"(?:meaning|with|where|each|which|when|if|so|then|and|or|but|as|giving|plus|minus|times|less)\b", what
        ):
            continue
        for phrase in _last_phrases(text[: match.end("name")]):
            start = match.end("name") - len(phrase)
            yield from _definition(f"{text[:start]}{node}{text[match.end() :]}", node, phrase, what, causes, effect)


def _last_phrases(text: str) -> Iterator[str]:
    """The last one to five words, as far back as they may be one name."""
    words = re.findall(r"\S+", text)[-5:]
    for count in range(1, len(words) + 1):
        first = words[-count].lower()
        if not re.fullmatch(r"[^\W\d_][\w'’-]*", first) or (first in _STARTS and first not in ("of", "the")):
            return
        if first not in _STARTS:
            yield text[text.rindex(words[-count]) if count == 1 else _place(text, words[-count:]) :]


def _place(text: str, words: Sequence[str]) -> int:
    matches = list(re.finditer(r"\s+".join(map(re.escape, words)) + r"$", text))
    return matches[0].start()


def _in_place(main: str, name: str, node: str, before: bool) -> str | None:
    """The main rule with the node where the name stands; behind its definition `that power` and `it` are the name."""
    flags = re.IGNORECASE if len(name) > 2 else 0
    by_name = re.compile(rf"(?<![\w']){re.escape(name)}(?![^\W²³]|')", flags)
    sides = re.split(rf"\s{_IS}\s|=", main, maxsplit=1)
    if by_name.search(main) is None and len(name) == 1:  # 2x + 6
        by_name = re.compile(rf"(?<=\d){re.escape(name)}(?!\w)")
        node = f"({node})"
    if by_name.search(main) is not None:
        return by_name.sub(node, main) if len(sides) < 2 or not by_name.search(sides[0]) else None
    short = re.split(r" of ", name)[0]
    if before and short != name:  # the side of the square is ...; the side
        return _in_place(main, short, node, before)
    head = name.split()[-1]
    again = re.compile(
        rf"\b(?:this|that|the) (?:{re.escape(head)}|result|amount|total|value)\b|\b(?:it|this|these|them)\b",
        re.IGNORECASE,
    )
    if before and len(again.findall(main)) == 1:
        return again.sub(node, main)
    steps = (pattern.sub(template.format(node), main) for pattern, template in _GO_ON if pattern.fullmatch(main))
    return next((step.replace("divid ", "divide ") for step in steps), None) if before else None


def _definition(main: str, node: str, name: str, what: str, causes: Sequence[str], effect: str) -> Iterator[Defined]:
    """A definition that computes, or says which cause a symbol is, of a name that is neither cause nor effect."""
    name = re.sub(r"^(?:the|a|an|each|this|that)\s+", "", name.strip(), flags=re.IGNORECASE)
    known = cause_called(name, causes) is not None or any(symbol(name) == symbol(one) for one in (*causes, effect))
    known = known or any(tokens(name) <= tokens(cause) for cause in causes)
    shares = [{float(one) for one in re.findall(r"(\d+(?:\.\d+)?) ?%", part)} for part in (what, main)]
    rest = any(100 - one in shares[1] for one in shares[0]) and f"% of {node}" in main  # of the whole, not of 2 %
    if (
        known
        or rest
        or set(name.lower().split()) & (OPERATION_WORDS - {"all"})
        or not tokens(name)
        or cause_called(name, (effect,)) is not None
    ):
        return
    if _COMPUTED.search(what.lower()):
        yield Defined(main, node, name, what)
    elif len(name) <= 3 and (cause := cause_called(what, causes)) is not None:
        yield Defined(main, node, name, cause)


def _together(one: Defined, causes: tuple[str, ...], effect: str, read: Read) -> Tree | None:
    """Both parts, over causes that are all of them together."""
    what = one.what
    if not one.node:
        return read(one.main, causes, effect)
    trees: list[Tree] = []
    for inner_causes in _subsets(causes, what):
        inner: Tree | None = Name(what) if what in causes and inner_causes == (what,) else None
        inner = inner or read(what, inner_causes, one.name)
        if inner is None or set(count_names(inner)) & set(causes) != set(inner_causes):
            continue
        rest = tuple(cause for cause in causes if cause not in inner_causes)
        for again in _subsets(inner_causes, one.main, empty=True):
            outer = read(one.main, (*rest, *again, one.node), effect)
            if outer is None or set(count_names(outer)) & {*causes, one.node} != {*rest, *again, one.node}:
                continue
            tree = replace_names(outer, {one.node: inner})
            if not any(agree(tree, other) for other in trees):
                trees.append(tree)
    return trees[0] if len(trees) == 1 else None


def _subsets(causes: Sequence[str], text: str, empty: bool = False) -> Iterator[tuple[str, ...]]:
    """Causes of which the text has a word or the symbol, in any number; those that it calls by their name always."""
    near = [cause for cause in causes if _speaks_of(text, cause)]
    plain = f" {text.lower().replace('_', ' ')} "
    called = {cause: cause.lower().replace("_", " ") for cause in near}
    must = {one for one, name in called.items() if name in plain and re.search(rf"\W{re.escape(name)}\W", plain)}
    for count in range(0 if empty else 1, len(near) + 1):
        yield from (some for some in combinations(near, count) if must <= set(some))


def _speaks_of(text: str, cause: str) -> bool:
    if re.search(r"\b(?:both|all|each|their|two|three|four|other|others)\b", text.lower()):
        return True
    short = re.findall(r"[^\W\d_][\w]*", symbol(cause))
    if symbol(cause) in text or share_meaning(text, cause):
        return True
    letters = (re.escape(one) for one in short if len(one) <= 3 and one in text)
    return any(re.search(rf"(?<![^\W\d_]){one}(?![^\W\d_])", text) for one in letters)
