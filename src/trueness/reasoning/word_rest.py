"""What is left: whole - parts, where one cause can only be the whole and all others its parts.

    after it is gone     what is left after paying for the groceries      the parts are named, the whole is what is left
    the rest             the rest of the class walk                       the whole is named or says that it is one
    those who do not     those who did not pass failed                    the part is what they did not do
    of one cause         40 % are red, the rest are blue                  (1 - share) x whole, for the blue

A part that is a rate, a price of one or a share is no part; a whole smaller than its parts is none.
"""

from __future__ import annotations

import re
from collections.abc import Iterator, Sequence

from trueness.patterns import late
from trueness.reasoning.trees import Binary, Name, Number
from trueness.reasoning.word_causes import Values, of_two_kinds
from trueness.reasoning.word_forms import SHARE
from trueness.reasoning.word_names import GENERAL, is_another, may_measure, share_meaning, stem, tokens, words
from trueness.reasoning.word_numbers import NUMBER_WORDS, NUMERAL, number_of, share_of
from trueness.reasoning.word_shapes import Shape, join

_GONE = late(
    r"\b(?:paying|paid|using|used|eating|eaten|giving|given|selling|sold|spending|spent|losing|lost|removing|removed|"
    r"donating|donated|deducting|deducted|subtracting|subtracted|taking|taken|throwing|thrown|withdrawing|withdrawn|"
    r"buying|bought|covering|covered|serving|served|setting|set|discarding|discarded|consumed|shipped|shipping|cutting|cut)\b"
)
_AFTER = late(r"(?:.*\b)?(?:left(?: over)?|remain(?:s|ing|der)?|rest)\b(?P<of>.*?),?\s*\b(?:after|once)\s+(?P<gone>.+)")
_NUMBER_GONE = late(
    r"(?:.*\b)?(?:left(?: over)?|remain(?:s|ing|der)?)\b[a-z ]*?\b(?:after|once)\s+"
    rf"(?P<gone>[a-z ]*?)(?P<size>{NUMERAL})(?: (?P<unit>[a-z]+))?(?P<more> to [a-z ]+| on [a-z ]+| for [a-z ]+)?"
)
_REST = late(
    r"(?:.*\b)?(?:the rest|the remainder|the others|everyone else|everybody else|everything else|the remaining "
    r"(?P<these>[a-z]+))"
    r"(?P<of> of the [a-z]+| of [a-z]+)?(?P<are>\b.*)"
)
_DO_NOT = late(
    r"(?:.*\b)?(?:who|that|which|those|ones)\s+(?:do|did|does|are|were|is|was|have|has|had)(?:\s+not|n't)\s+(?P<do>.+)"
)
_SHARES = late(
    rf"(?:since |because |as )?(?P<share>{SHARE}) of (?:the |all |her |his |their |all the )?(?P<whole>[a-z]+)\s+"
    r"(?P<one>[a-z ]+?)(?:[,;]\s*(?:and |so |while |then |but )*| and | while | so )"
    r"the (?:rest|others?|remaining|remainder)"
    rf"[ ,]*(?P<other>{SHARE})?[ ,]*(?P<what>[a-z ]+)"
)
_SHARE_ALONE = late(rf"(?:[a-z ]+: )?(?P<share>{SHARE})(?: of (?:them|these|those))? (?!of\b|off\b)(?P<what>[a-z ]+)")
_DO = late(rf"(?P<share>{SHARE}) of (?:the |all |all the |her |his |their )?(?P<rest>[a-z ]+)")
_SHARE_OF = late(rf"^(?P<share>{SHARE}) of (?P<rest>.+)$")
_RATIO = late(
    rf"(?:the )?ratio of (?:the )?(?P<one>[a-z ]+?) to (?:the )?(?P<two>[a-z ]+?) is (?P<a>{NUMERAL})\s?(?::| "
    rf"to )\s?(?P<b>{NUMERAL})"
)
_NUMERAL = late(rf"\b{NUMERAL}\b")
_RELATIVE = frozenset("who that which and".split())
_GROUPS = frozenset("class group team mixture sum combined together".split())
_COUNTS = frozenset(map(stem, ("number", "count", "size")))
_OTHERS = frozenset("not non other others remaining rest left without no".split())
_WHOLE = frozenset(
    "total initial original start starting started all whole entire overall full gross beginning opening available "
    "budget allowance capacity altogether everyone everything".split()
)
_WHOLE_STEMS = frozenset(map(stem, _WHOLE))
_NO_PART = late(
    r"\b(?:per|each|every|rate|price of one|unit|one|single|percent|percentage|share|fraction|ratio|proportion|size|"
    r"capacity|hourly|daily|weekly|monthly|yearly|annual|speed|probability|number of times)\b|%"
)
_OPEN = late(r"\b(?:if|unless|when|or|some|most|half|twice|double|about|roughly|between|until|may|might)\b|%")


def what_is_left(sentence: str, causes: Sequence[str], effect: str, values: Values) -> Iterator[Shape]:
    """Shapes of what a sentence says to be left over; their names are those of causes."""
    if len(causes) == 1:
        yield from _of_one_cause(sentence, causes[0], effect)
        return
    part = _SHARE_OF.match(sentence)  # a third of the students who are not in band
    if part is not None and (share := share_of(part["share"])) is not None and _DO_NOT.fullmatch(part["rest"]):
        for shape in what_is_left(part["rest"], causes, effect, values):
            yield Binary("*", Number(share), shape)
        return
    counted = NUMBER_WORDS[len(causes) - 1]  # the two pieces
    if _OPEN.search(sentence) or any(number != counted for number in _NUMERAL.findall(sentence)):
        return
    after, rest, undone = _AFTER.fullmatch(sentence), _REST.fullmatch(sentence), _DO_NOT.fullmatch(sentence)
    for whole in causes:
        parts = [cause for cause in causes if cause != whole]
        if not _may_be_parts(whole, parts, values):
            continue
        says_so = _says_whole(whole, f"{effect} {sentence} {' '.join(parts)}") and not any(
            words(part) & _WHOLE for part in parts
        )
        named = after is not None and bool(tokens(after["of"]) & tokens(whole))
        named_parts = [tokens(one) for one in re.split(r",|\band\b", after["gone"]) if one.strip()] if after else []
        matching = [[one for one in named_parts if one <= tokens(part) <= one | GENERAL] for part in parts]
        if after and named and len(parts) == len(named_parts) and all(len(one) == 1 for one in matching):
            fits = True  # what remains of the budget after rent and food
        elif after and _GONE.search(after["gone"]):
            does = tokens(" ".join(_GONE.findall(after["gone"])))  # paying the cost is no part of the amount paid
            meant = share_meaning(after["of"], whole) or says_so or bool((tokens(effect) | does) & tokens(whole))
            fits = meant and all(tokens(after["gone"]) & tokens(part) - does for part in parts)
            gone = re.split(r",|\band\b", after["gone"])  # taxes and insurance, where there is no insurance
            fits = fits and all(any(tokens(one) & tokens(part) for part in parts) for one in gone if one.strip())
        elif undone:
            fits = says_so and _has_alone(undone["do"], parts, whole) and _is_the_other(sentence, effect, parts)
        elif rest:
            named = bool(tokens(f"{rest['of'] or ''} {rest['these'] or ''}") & tokens(whole))
            kin = all(tokens(part) & (tokens(whole) | tokens(effect) | tokens(sentence)) for part in parts)
            opposed = len(parts) == 1 and is_another(effect, parts[0])  # adults and children
            fits = (says_so or named) and (kin or opposed) and _is_the_other(sentence, effect, parts)
        else:
            return
        if fits:
            yield Binary("-", Name(whole), join("sum", [Name(part) for part in parts]))


def _of_one_cause(sentence: str, cause: str, effect: str) -> Iterator[Shape]:
    gone = _NUMBER_GONE.fullmatch(sentence)
    if gone and _GONE.search(gone["gone"]) and tokens(effect) & tokens(cause):
        size = number_of(gone["size"])
        same = gone["size"].startswith("$") or (gone["unit"] and may_measure(gone["unit"], cause))
        if size is not None and same and not _NO_PART.search(effect.lower()):
            yield Binary("-", Name(cause), Number(size))
    alone = _SHARE_ALONE.fullmatch(sentence)
    if alone and words(cause) & _WHOLE and not words(effect) & _OTHERS:
        share, distinct = share_of(alone["share"]), tokens(effect) - tokens(cause)
        if share is not None and distinct and distinct <= tokens(alone["what"]):
            yield Binary("*", Number(share), Name(cause))
    yield from _who_do(sentence, cause, effect)
    yield from _by_ratio(sentence, cause, effect)
    yield from _after_several(sentence, cause, effect)
    match = _SHARES.fullmatch(sentence)
    if match is None or not share_meaning(match["whole"], cause):
        return
    share, other = share_of(match["share"]), share_of(match["other"]) if match["other"] else None
    distinct = tokens(effect) - tokens(match["whole"])
    if distinct & tokens(match["one"]) or not distinct & tokens(match["what"]) or share is None:
        return
    if other is None or abs(share + other - 1) < 1e-9:
        yield Binary("*", Binary("-", Number(1.0), Number(share)), Name(cause))


def _after_several(sentence: str, cause: str, effect: str) -> Iterator[Shape]:
    """`30% of the flowers are roses and 45% are tulips; the rest are daisies`, and all customers except the 35% who
    paid by card: one minus the shares, of one whole."""
    except_for = _EXCEPT.fullmatch(sentence)
    if except_for is not None and (share := share_of(except_for["share"])) is not None:
        distinct = tokens(effect) - tokens(cause)
        if share_meaning(except_for["whole"], cause) and not distinct & tokens(except_for["what"]):
            if not distinct or distinct & tokens(except_for["front"]):
                yield Binary("*", Binary("-", Number(1.0), Number(share)), Name(cause))
    match = _SEVERAL_SHARES.fullmatch(sentence)
    if match is None or not share_meaning(match["whole"], cause):
        return
    pieces = [_PIECE.fullmatch(piece) for piece in re.split(r",? and |, ", match["shares"])]
    distinct = tokens(effect) - tokens(match["whole"]) - _WHOLE_STEMS - _COUNTS
    spoken_of = tokens(match["what"] or "")
    if not all(pieces) or len(pieces) < 2 or any(distinct & tokens(piece["what"]) for piece in pieces if piece):
        return
    shares = [share_of(piece["share"]) for piece in pieces if piece]
    if (distinct <= spoken_of or words(effect) & _OTHERS) and None not in shares and sum(filter(None, shares)) < 1:
        gone = join("sum", [Number(share or 0.0) for share in shares])
        yield Binary("*", Binary("-", Number(1.0), gone), Name(cause))


_EXCEPT = late(
    rf"(?P<front>.*?)(?:\b(?:is|are) )?all (?:of )?(?:the )?(?P<whole>[a-z]+),? (?:except|but)(?: for)? (?:the )?"
    rf"(?P<share>{SHARE})(?: of them)? (?:who|that|which) (?P<what>[a-z ]+)"
)
_SEVERAL_SHARES = late(
    rf"(?P<shares>{SHARE} of (?:the |all |all the |her |his |their )?(?P<whole>[a-z]+) .+?)(?:[;,.] (?:and )?|,? and )"
    r"(?:the rest|the others|the remainder|what is left|what remains)(?!.* or )(?P<what> [a-z ]+)?"
)
_PIECE = late(rf"(?P<share>{SHARE})(?P<what>(?! of (?:the )?(?:rest|remain|others?)| more| less)(?: [a-z]+)+)")


def _who_do(sentence: str, cause: str, effect: str) -> Iterator[Shape]:
    """`One third of the students take the bus`, for those who take it: all that the effect's name has beside its cause
    is said of them."""
    match = _DO.fullmatch(sentence)
    of, distinct = tokens(cause) - _WHOLE_STEMS - _COUNTS, tokens(effect) - tokens(cause) - _COUNTS
    spoken_of = tokens(match["rest"]) if match else frozenset()
    share = share_of(match["share"]) if match else None
    others = words(effect) | (words(match["rest"]) if match else frozenset())
    if share is not None and of and distinct and of | distinct <= spoken_of and not others & (_OTHERS | _RELATIVE):
        yield Binary("*", Number(share), Name(cause))


def _by_ratio(sentence: str, cause: str, effect: str) -> Iterator[Shape]:
    """`The ratio of boys to girls is 3:5`: girls from boys, or either from all of them."""
    match = _RATIO.fullmatch(sentence)
    numbers = [number_of(match[part]) for part in ("a", "b")] if match else []
    if match is None or len(numbers) != 2 or not numbers[0] or not numbers[1]:
        return
    sides = [tokens(match[side]) - (tokens(match["two"]) & tokens(match["one"])) for side in ("one", "two")]
    gives, has = ([bool(side & tokens(name)) for side in sides] for name in (effect, cause))
    if gives.count(True) != 1 or words(effect) & _OTHERS:
        return
    mine, other = (numbers[0], numbers[1]) if gives[0] else (numbers[1], numbers[0])
    if has.count(True) == 1 and has != gives:
        yield Binary("/", Binary("*", Name(cause), Number(mine)), Number(other))
    elif not any(has) and words(cause) & (_WHOLE | _GROUPS):
        yield Binary("/", Binary("*", Name(cause), Number(mine)), Number(mine + other))


def _may_be_parts(whole: str, parts: Sequence[str], values: Values) -> bool:
    if of_two_kinds(parts) or any(_NO_PART.search(part.lower().replace("_", " ")) for part in parts):
        return False
    units = {unit for name in (whole, *parts) for unit in re.findall(r"\(([^()]+)\)$", name)}
    known = [values[name][0] for name in (whole, *parts) if name in values]
    return len(units) < 2 and (len(known) < len(parts) + 1 or known[0] >= sum(known[1:]))


def _says_whole(name: str, others: str) -> bool:
    """The total, or the total of what the others speak of."""
    rest = tokens(name) - _WHOLE_STEMS
    return bool(words(name) & _WHOLE) and (not rest or bool(rest & tokens(others)))


def _has_alone(text: str, parts: Sequence[str], whole: str) -> bool:
    """Whether each part, and not the whole, is what a text says."""
    return all((tokens(part) - tokens(whole)) & tokens(text) for part in parts)


def _is_the_other(sentence: str, effect: str, parts: Sequence[str]) -> bool:
    """Whether the effect is what the sentence speaks of and none of the parts: it says so, or has a word of its own."""
    if words(effect) & _OTHERS:
        return True
    distinct = tokens(effect) - {token for part in parts for token in tokens(part)}
    return bool(distinct & tokens(sentence))
