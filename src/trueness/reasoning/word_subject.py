"""What a sentence speaks of: whether the words before its arithmetic name the effect, and whether it says more than
arithmetic does.
"""

from __future__ import annotations

import re
from collections.abc import Sequence

from trueness.patterns import late
from trueness.reasoning.word_names import GENERAL, is_acronym, is_symbol, names_symbol, share_meaning, stem, tokens
from trueness.reasoning.word_numbers import CONDITION, LESS, MORE, NUMERAL

_MOST_JOINTS = 12  # words at which a sentence can be cut: the number of readings grows with them
_JOINTS = late(r"\b(?:plus|minus|times|by|with|to|from|and|added|divided|multiplied|subtracted)\b|[,&]")
SAYS_MORE = late(
    CONDITION.pattern + r"|\b(?:proportional|approximately|about|roughly|depends?|affect\w*|influenc\w*|caus\w*|may|"
    r"might|should|assum\w*|formula|equation|law|theorem|function|sequence|each time|between \w+ and \w+ times|or|"
    r"varies|some|appropriate|at least|at most|up to|nearly|almost|again|ago|from now|worth (?:half|twice|\w+ times))\b"
    r"|\b(?:times|square of|cube of) [^,]* minus (?:one|two|1|2)$|\bdivided by (?!one |two |\d)[^,]* (?:minus|"
    r"plus) (?:one|two|1|2)$"  # n minus 1, or the product minus 1
    r"|^(?:twice|half|double|triple) [^,]* (?:in|de)creased by"  # of the number, or of the number decreased
)
COMMAND = late(
    r"^(?:start(?:ing)? (?:with|from)|begin(?:ning)? with|calculate|compute|find|determine|obtain|get|take|evaluate|"
    rf"(?:choose|select|pick)(?! {NUMERAL}\b))\s+"
)
_TWO_STATEMENTS = late(r"\b(?:is|are|equals) .*\b(?:times|plus|minus|divided|multiplied|sum|product)\b")
_NEGATED = late(r"\b(?:not|no|non|never|without|un\w+|fail\w*|complement)\b")
_COMBINED = late(r"\bcombin(?:e|ing)\b")  # adds, where the effect is what comes together
_NOT_ADDED = late(r"probab|chance|resist|factor|ratio|percent")
_TOGETHER = late(r"total|combined|together|sum\b|overall|all\b|altogether|final")
_CHANGED = late(
    r"\b(?:increas|decreas|reduc|rais|ris|grow|fall|drop|shrink|discount|lower)(?:e|ed|es|s|ing)?\b"
    r".*(?<!divided)(?<!multiplied) by\b"
    rf"|% {LESS}|% {MORE}|% off\b|\bsubtracting [\d.]+\s?% from\b"
)
_CHANGE = late(
    r"(?<!after )(?<!with )(?<!after the )\b(?:discount|reduction|decrease|increase|change|savings?|loss|drop|rise|"
    r"raise|growth|gain|saved|lost|extra|difference)\b(?! (?:price|cost|amount after))"
)
_OF_EFFECT = late(r"^(?:the |an? |one )*(reciprocal|inverse|half|twice|double|triple|third of|quarter of)\b")
_EXTREMES = (
    late(r"^(?:the )?(?:larger|largest|maximum|highest|greater|bigger) of\b|\b(?:highest|largest|maximum|biggest)$"),
    late(r"^(?:the )?(?:smaller|smallest|minimum|lowest|lesser) of\b|\b(?:lowest|smallest|minimum|min|least)\b"),
)
_LEFT_OVER = (late(r"\bmodulo\b"), late(r"\b(?:full|complete|whole)\b"))
_OF_NOBODY = frozenset(map(stem, "total final net gross new left remaining combined share".split()))


def says_more(sentence: str, causes: Sequence[str], effect: str) -> bool:
    """Whether a sentence says what arithmetic does not, or something of its effect that it is not."""
    named = effect.lower().replace("_", " ")
    if _CHANGE.search(named) and _CHANGED.search(sentence):  # the discount is no price reduced by 20 %
        return True
    if any(other.search(named) and one.search(sentence) for one, other in (_EXTREMES, _EXTREMES[::-1], _LEFT_OVER)):
        return True
    if "percent" in named and re.search(r"\b100\s*(?:%|percent)(?! minus)", sentence):
        return True  # 0.6, or 60
    shared = any(tokens(effect) & tokens(cause) for cause in causes)
    if _COMBINED.search(sentence) and (
        _NOT_ADDED.search(" ".join((effect, *causes)).lower()) or not (shared or _TOGETHER.search(named))
    ):
        return True
    if _NEGATED.search(named):  # the probability of not drawing red is ...
        sentence = re.sub(r"^[^,]*?\bnot\b[^,]*? (?=(?:is|are|equals?) )", "", sentence)
    known = " ".join((named, *causes)).lower().replace("_", " ")
    conditions = (match[0] for match in SAYS_MORE.finditer(sentence))
    return (
        any(one not in known or not re.search(rf"\b{re.escape(one)}\b", known) for one in conditions)
        or len(_JOINTS.findall(sentence)) > _MOST_JOINTS
    )


def shares_word(phrase: str, name: str) -> bool:
    return bool(tokens(phrase) & tokens(name))


def is_about(front: str, effect: str) -> bool:
    """Whether what stands before the arithmetic names the effect and nothing is computed in it."""
    before = re.sub(r"\b(?:he|she|it|they|this|that|we|you|i)\b", "", COMMAND.sub("", front)).strip()
    if {*_OF_EFFECT.findall(re.split(r"[;.] ", front)[-1])} - {
        *_OF_EFFECT.findall(effect.lower().replace("_", " "))
    } or re.search(r"\bwhere\b", front):  # half of the cost is ...
        return False
    owners = {stem(one) for one in re.findall(r"\b([a-z]{2,})'s\b", front)}
    first = tokens(re.split(r"[\s_]", effect.lower())[0]) - GENERAL - _OF_NOBODY
    if owners and first and not owners & tokens(effect) and not first & tokens(front):  # Ann's pay, for tom_pay
        return False
    if _TWO_STATEMENTS.search(front) or re.search(r"\bas (?:many|much)\b", front):
        return False  # area is length times width, and perimeter (is ...)
    named = re.split(r"\b(?:with|after|before|without|including|excluding)\b", effect.lower().replace("_", " "))[0]
    about = named if tokens(named) else effect
    if is_acronym(before, effect) or is_acronym(effect, before) or before.startswith("amount") and "amount" in named:
        return not re.search(r"\d|%", front)
    if is_symbol(effect) and names_symbol(before, effect):
        return not re.search(r"\d|%", front)
    return not re.search(r"\d|%", front) and (not re.search("[a-z]", before) or share_meaning(before, about))
