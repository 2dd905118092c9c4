"""Where in a rule its formula stands: the text as it is, then without what people write in front of and behind it.

Newton: a = F/m (second law)          a = F/m
Energy equals mgh                     mgh
E = m c^2, because mass is energy     E = m c^2; what computes on (`, capped at 5`) is not left out
"""

from __future__ import annotations

import re
from collections.abc import Iterator, Sequence

from trueness.patterns import late
from trueness.reasoning.clauses import numerals
from trueness.reasoning.syntax import symbol
from trueness.reasoning.trees import FUNCTIONS
from trueness.reasoning.word_numbers import ROUNDING, computes
from trueness.reasoning.word_subject import shares_word

_BEHIND = late(
    r"\s*(?:\bwhere\b|\bwith\b|\bsince\b|\bbecause\b|[;\n]|,\s+[^\W\d]+['’]?\w*\s+[^\W\d]+|(?<!\w)\((?!\s*(?:sin|cos|tan|ln|log|exp|sqrt)\b)\s*[^\W\d]+['’]?\w*\s+[^\W\d]).*$"
)
_DEFINES = late(
    r"\b(?:with|where|taking|take|let|assuming|when|if|for)\s+(?:[^\W\d]\w*\s*)?$"
)  # ..., with g = 9.8 m/s²
STANDS_FOR = late(r"\b([^\W\d]\w{0,3})\s+(?:is|denotes|represents|stands for)\s+(?:the\s+)?([^,;.()=]+)")
LET = late(r"\blet\s+([^\W\d_])\s+(?:be|denote|represent|stand for|=)\s+(?:the\s+)?([^,;.()=\d]+)", re.IGNORECASE)
_FRONT_CLAUSE = late(r"^[^\W\d][^=,]*,\s*(?=[^,=]+=)")  # By the theorem, c^2 = a^2 + b^2
FRONT = late(r"^[^:=]*(?<!\d):\s*|^[^:=]*:\s+")
_COMPUTED = late(r"[+*/^×·÷\\½²³]|(?<!\w)[-−]|(?<!\w)\d+(?:\.\d+)?\s*[^\W\d]")  # 2 x + 3 y is not x
_IN_UNIT = late(r"\b(?:per|in)\s+\S+|\([^()]*\)")
_PROGRAM = late(r"^\s*(?:return\b|=)\s*")
_FUNCTION = late(r"\b([^\W\d]\w*'*)\s*\(\s*[^\W\d]\w*(?:\s*,\s*[^\W\d]\w*)*\s*\)\s*=(?!=)")  # B(x, y) = ...
_EQUATION = late(r"[^\W\d][\w']*\s*=(?!=).*$")
EQUALS = late(  # energy equals mgh
    r"^(?P<left>[^\W\d][^=:]*?)\s+(?:(?:equals|is equal to|is given by)\s+(?P<right>[^\W\d_]{2,4}|\S*[\d^*/+²³½]\S*?)"
    r"|is\s+(?P<short>(?=\S*[^\W\d])\S*[*/^+²³½]\S*?))\.?$"
)
_IS = late(
    r"^(?P<left>[^\W\d][^=:]*?)\s+is\s+(?:given by\s+)?(?P<right>[^=:,]*[+*/^×·÷(−][^=:,]*?)"
    r"\.?$"
)  # the term is a + (n - 1)d
_FOLLOWS = late(r"^[^=:\d]*\b(?:follows from|comes from|is given by|is found from|obeys|satisfies)\s+(?=[^=]*=)")
_MIXED = late(
    r"^(?P<left>[^\W\d][^=:()]*?)\s*(?:\s(?:is|equals)\s|=)"
    r"\s*(?P<right>[^=:,;]*[+*/^×·÷(][^=:,;]*?)\.?$"
)
_SIGN_WORDS = {"divided by": "/", "over": "/", "times": "*", "multiplied by": "*", "plus": "+", "minus": "-"}
ROUNDED = late(rf"[,(]\s*(?:and\s+)?{ROUNDING}")
_ON = late(
    r"[<>≤≥=%+*^×÷·]|\s[-−/]\s|(?<!\w)\d|\b(?:cap(?:ped|s)?|limit(?:ed)?|at (?:least|most)|up to|then|tax|discount|tip|"
    r"fee|round\w*|nearest|again|also|plus|minus|times|multipl\w+|divid\w+|add(?:ed|ing|s)?|subtract\w*|less|increas\w+|"
    r"decreas\w+|reduc\w+|percent|half|halved|twice|doubled?|tripled?|squared|if|unless|when|except|otherwise|until|not)\b"
)


def candidates(text: str, causes: Sequence[str], effect: str) -> Iterator[str]:
    """The text as it is, then without what people write in front of and behind a formula, then what stands at its =."""
    tried = {text, ""}
    yield text
    text = _PROGRAM.sub("", text).replace(":=", "=")
    text = _FUNCTION.sub(lambda match: match[0] if match[1].lower() in FUNCTIONS else f"{match[1]} =", text)
    shorter = _BEHIND.sub("", text)
    if _adds_to_it(text[len(shorter) :]):
        shorter = text
    sentence = _EQUATION.search(text)
    front = text[: sentence.start()] if sentence is not None else ""
    plain_front = sentence is not None and not _computes_more(front, sentence[0]) and not _DEFINES.search(front)
    # m v² = E is not v² = E, and q1 + q2 = Q not q2 = Q
    plain_front = plain_front and not re.search(r"(?:^|\s)[^\W_]\s*$|[½¼¾]|[-+*/×·÷^−]\s*$", front)
    inside = _BEHIND.sub("", sentence[0]) if sentence is not None and plain_front else ""
    if sentence is not None and _adds_to_it(sentence[0][len(inside) :]):
        inside = ""
    inside = inside.strip().rstrip(".")
    inside = inside[:-1] if inside.count(")") > inside.count("(") else inside
    called, _, by = inside.partition("=")
    called = called.strip()
    if front.rstrip() and called in by and re.search(rf"(?<!\w){re.escape(called)}(?!\w)", by):
        inside = ""  # probability of red = red / (red + blue): the left side is more than its last word
    left, _, right = text.partition("=")
    words = set(re.findall(r"[^\W\d]\w*", left))
    stands = (
        shares_word(left, effect)
        and not _DEFINES.search(left)
        and not words & ({"solve", "Solve", *map(symbol, causes)} - set(symbol(effect).split("_")))
    )
    stands = stands and not words & set(FUNCTIONS) and not _COMPUTED.search(_IN_UNIT.sub("", left.replace(effect, "")))
    named_by = EQUALS.match(text)
    is_named = named_by is not None and shares_word(named_by["left"], effect)
    token = (named_by["right"] or named_by["short"]) if named_by is not None and is_named else ""
    begins, _, rest = shorter.partition(",")
    follows = _FOLLOWS.match(text)
    from_it = text[follows.end() :] if follows is not None and not computes(follows[0]) else ""
    spoken = _IS.match(text)
    if spoken is not None and (
        not shares_word(spoken["left"], effect)
        or (computes(spoken["left"]) and symbol(spoken["left"]).casefold() != symbol(effect).casefold())
        or not _has_names(spoken["right"], causes)
    ):
        spoken = None
    behind = _FRONT_CLAUSE.sub("", shorter) if not _computes_more(begins, rest) else ""
    for candidate in (
        text, shorter, token, behind, FRONT.sub("", text), FRONT.sub("", shorter), inside, right if stands else "",
        spoken["right"] if spoken is not None else "", from_it, _words_as_signs(text, causes, effect),
    ):  # fmt: skip
        if candidate not in tried:
            tried.add(candidate)
            yield candidate


def _has_names(text: str, causes: Sequence[str]) -> bool:
    """Whether its words are words of causes: what is left over must be no guess here."""
    known = set(re.findall(r"[a-z]{3,}", " ".join(causes).lower())) | set(FUNCTIONS)
    return set(re.findall(r"[a-z]{3,}", text.lower())) <= known


def _words_as_signs(text: str, causes: Sequence[str], effect: str) -> str:
    """`Present value is the future value divided by (1 + r)^n`: words for signs beside signs."""
    match = _MIXED.match(text)
    if match is None or not shares_word(match["left"], effect) or computes(match["left"]):
        return ""
    right = f" {match['right']} "
    for word, sign in _SIGN_WORDS.items():
        right = re.sub(rf"\s{word}\s", f" {sign} ", right, flags=re.IGNORECASE)
    right = re.sub(r"(?<![^\W_])the\s", "", right, flags=re.IGNORECASE)
    changed = right.strip() != match["right"].strip()
    return right if changed and _has_names(right, causes) and not computes(re.sub(r"[\d.]+", "", right)) else ""


def _computes_more(front: str, formula: str) -> bool:
    """Whether what stands before a formula computes: since there are 52 weeks in a year, ... * 52 does not."""
    reason = re.match(
        r"\s*(?:since|because|as|given that|(?:if )?there (?:is|are)|knowing that)"
        r"\b",
        front,
        re.IGNORECASE,
    )
    bare = re.sub(r"(?<![\w.])\d+(?:\.\d+)?(?![\w.%])|^\s*if there\b", "", front, flags=re.IGNORECASE)
    return computes(bare if reason and numerals(front) <= numerals(formula) else front)


def _adds_to_it(behind: str) -> bool:
    """Whether what stands behind a formula computes on: capped at 5, then doubled, where c = 2 x, plus tax."""
    rest = ROUNDED.sub("", STANDS_FOR.sub("", behind), count=1)
    reason = re.match(r"[\s,(]*(?:because|since|as)\b[^\d=%+*^×÷·]*$", rest)
    return reason is None and bool(_ON.search(rest))
