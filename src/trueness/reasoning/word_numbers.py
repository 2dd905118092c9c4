"""Numbers in words, shares, and whether a piece of text computes.

twelve, $4, 24 hours per day, 2 pi      number_of
40 %, two fifths                        share_of
"""

from __future__ import annotations

import math
import re

from trueness.patterns import late

NUMBER_WORDS = "zero one two three four five six seven eight nine ten eleven twelve".split()
_PARTS = dict(zip("third quarter fourth fifth sixth seventh eighth ninth tenth twelfth".split(),
                  (3, 4, 4, 5, 6, 7, 8, 9, 10, 12), strict=True))  # fmt: skip
SHARES = {"half": 1 / 2, "one half": 1 / 2, "a half": 1 / 2, "third": 1 / 3, "quarter": 1 / 4}
SHARES |= {f"{one} {part}": 1 / of for part, of in _PARTS.items() for one in ("a", "an", "one")}
SHARES |= {
    f"{word} {part}s": n / of for part, of in _PARTS.items() for n, word in enumerate(NUMBER_WORDS[:12]) if n > 1
}
SHARES |= {f"{word} halves": n / 2 for n, word in enumerate(NUMBER_WORDS[:12]) if n > 2}
NUMERAL = r"(?:\$?(?:\d{1,3}(?:,\d{3})+|\d+)(?:\.\d+)?(?:e[+-]?\d+)?|" + "|".join(NUMBER_WORDS[1:]) + ")"
_MEASURES = (
    "(?:dollars?|cents?|seconds?|minutes?|hours?|days?|weeks?|months?|years?|gb|mb|units?|people|persons?|items?)"
)
_EXTRAS = (  # a bonus of $50
    "bonus|fee|charge|tip|fare|deposit|surcharge|rebate|coupon|refund|payment|toll|allowance|stipend|credit|voucher|gift|"
    "penalty|fine|rent|commission|donation|supplement|premium|discount"
)
OPERATION_WORDS = frozenset(
    "half twice double triple percent minus plus sum difference product times divided multiplied less more fewer "
    "average mean ratio square squared root increased decreased reduced maximum minimum third quarter than added "
    "subtracted multiply multiplying divide dividing subtract subtracting add adding deduct deducting increase "
    "increases decrease decreases reduce reciprocal cube cubed excess quotient halve then all result largest larger "
    "greatest greater highest higher smallest smaller least lowest lower squares cubes roots fraction proportion "
    "percentage portion negative raised lowered reciprocals inverse inverses absolute positive sine "
    "cosine tangent sin cos tan log logarithm exponential factorial derivative integral gradient modulus magnitude "
    "remainder integer digits divisors complement minimized maximized".split()
)
ROUNDING = (  # the first group says which way
    r"round(?:ed|ing)?(?: it)?\s+(up|down|to the nearest (?:integer|whole number|whole [a-z]+))"
    r"(?: to (?:an?|the(?: next| nearest)?) (?:whole [a-z]+|whole|integer))?(?! to )"
)
LESS = "(?:[a-z]+ )?(?:discount|reduction|decrease|markdown|cut|pay cut)"
MORE = "(?:[a-z]+ )?(?:increase|raise|markup|mark-up|surcharge|tax|vat|tip|gratuity|fee|bonus|premium)"
AMOUNT = (  # what can be beyond a number; of students above 18 there may be any number
    "hours?|minutes?|miles?|kilometers?|sales?|income|earnings?|revenue|usage|consumption|kwh|weight|distance|amount|spending|"
    "purchases?|balance|profit|wages?|salary|speed"
)
UP = "older|taller|longer|heavier|faster|higher|greater|larger|bigger|wider|later|warmer|more expensive|more"
DOWN = "younger|shorter|lighter|slower|lower|smaller|narrower|earlier|colder|cheaper|less|fewer"
AWAY = (
    "(?:giving(?: away)?|using|eating|selling|spending|losing|removing|donating|paying(?: for)?|subtracting|deducting|"
    "taking(?: away| out)?|throwing away)"
)
LEFT = "(?:remaining|rest of|remainder of|what (?:remains|is left) of|(?:amount|number) (?:left|remaining) of)"
PART = "(?:fraction|share|proportion|part|portion)"
CONDITION = late(r"\b(?:if|unless|when|whether|except|not|never|otherwise|until)\b")


_HAS_NUMERAL = late(r"\d|" + "|".join(NUMBER_WORDS[1:]))
_OF_PI = late(rf"({NUMERAL})\s*(?:pi|π)")
_QUOTIENT = late(r"(\d+)\s*/\s*([1-9]\d*)")
_EXTRA = late(rf"(?:an? |the )?(?:[a-z]+ )?(?:{_EXTRAS}) of ({NUMERAL})(?:\s*{_MEASURES})?")
_COUNT = late(rf"({NUMERAL})(?:\s*{_MEASURES})?")
_COUNTED = late(  # `2 r` is no count of things, and 3 million is not 3
    r"(\$?\d[\d,]*(?:\.\d+)?)(?:\s+(?!pi\b|hundred|thousand|[mb]illion|dozen|pairs?\b|[b-z]\b)[a-z]+){1,4}"
)
_OPERATES = late(rf"\b(?:{'|'.join(sorted(OPERATION_WORDS))}|and|of|by|from|to|in|as|each(?= )|every)\b")


def number_of(text: str) -> float | None:
    """`twelve`, `$4`, `24 hours per day`: a numeral, behind digits also with what is counted."""
    if text in ("pi", "π"):
        return math.pi
    if _HAS_NUMERAL.search(text) is None:
        return None
    of_pi = _OF_PI.fullmatch(text)
    if of_pi:
        return math.pi * (number_of(of_pi[1]) or 0.0)
    quotient = _QUOTIENT.fullmatch(text)
    if quotient:
        return int(quotient[1]) / int(quotient[2])
    plain = _EXTRA.fullmatch(text) or _COUNT.fullmatch(text)
    match = plain or _COUNTED.fullmatch(text)
    if not match or (not plain and _OPERATES.search(text)):
        return None
    digits = match[1].lstrip("$").replace(",", "")
    return float(NUMBER_WORDS.index(digits)) if digits in NUMBER_WORDS else float(digits)


def share_of(text: str) -> float | None:
    """40 % is 0.4, and so are two fifths."""
    share = text.replace(",", "").replace("-", " ").strip()
    percent = re.match(r"(\d+(?:\.\d+)?)\s*(?:%|per ?cent)", share)
    return float(percent[1]) / 100 if percent else SHARES.get(share)


def computes(words: str) -> bool:
    """Whether a piece of text is more than an introduction: it counts, compares or sets a condition."""
    used = set(re.findall(r"[^\W_]+", words.lower()))
    return bool(used & OPERATION_WORDS or re.search(r"(?<!\w)\d|%", words) or CONDITION.search(words.lower()))
