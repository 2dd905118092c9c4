"""What a rule comes to: the formula behind its reasons, or beside the name of a law.

    tau_1 must equal tau_2, leading to v = tau_1 d / eta    v = tau_1 d / eta
    a = F / m by Newton's second law                        a = F / m
    Thin lens equation 1/f = 1/a + 1/b                      1/f = 1/a + 1/b

The formula says itself that it gives the effect. A cause that is not in it must stand in the reasons.
"""

from __future__ import annotations

import re
from collections.abc import Sequence

from trueness.patterns import late
from trueness.reasoning.notation import symbols_in
from trueness.reasoning.syntax import symbol
from trueness.reasoning.word_numbers import OPERATION_WORDS, computes

_LAW = r"(?:law|rule|principle|theorem|formula|equation|relation|identity|definition|approximation)"
_BEHIND = late(
    rf"(?<=[\w)\]}}])\s*,?\s+\(?(?:by|from|using|via|according to|due to)\s+[^=+*/^\d,;:()]*\b{_LAW}"
    r"(?P<of> (?:of|for) [a-z ]+)?\)?\.?$",
    re.IGNORECASE,
)
_IN_FRONT = late(rf"^(?:The )?(?:[^\W\d]['’\w-]+ ){{1,5}}?{_LAW}(?: of [a-z ]+)?,? (?=[^a-z]*\S*\s*[=/^])", re.I)
_THEN = late(
    r"\b(?:so|hence|thus|therefore|which (?:gives|yields|means)|leading to|giving|gives?|yielding|yields?|we (?:get|"
    r"have|find|obtain)|resulting in|implies|implying|solving gives)\b[ ,:]*(?:that )?",
    re.IGNORECASE,
)
_CHANGED = late(rf"(?:the )?(?:{'|'.join(OPERATION_WORDS)}) (?:of |the ).*\b{_LAW} \S+\s*$", re.IGNORECASE)
_DENIED = late(
    rf"\b(?:(?:wrong|incorrect)(?:ly)? |might think|violation of|unlike |contrary to|not the [^=]*{_LAW})",
    re.IGNORECASE,
)
_DOUBTS = late(r"\b(?:not|might|would|oppos\w+|against|los(?:t|es?|s|ses)|minus|less)\b", re.IGNORECASE)


def is_doubted(text: str) -> bool:
    """Twice the law a = F / m; it would be wrong to say that a = F / m."""
    return "=" in text and bool(_CHANGED.match(text.partition("=")[0]) or _DENIED.search(text))


def without_law(text: str) -> str:
    """The formula without the name of its law; the text itself where there is none."""
    if text.count("=") != 1:
        return text
    if (law := _BEHIND.search(text)) and computes(law["of"] or ""):  # by the definition of the average
        return text
    return _IN_FRONT.sub("", _BEHIND.sub("", text))


def conclusion(text: str, causes: Sequence[str], effect: str) -> tuple[str, frozenset[str]]:
    """The last formula of the effect, and the causes that the reasons in front speak of; "" where there is none."""
    cuts = [match for match in _THEN.finditer(text) if match.start()]
    formula = text[cuts[-1].end() :].strip(" .$") if cuts else ""
    left, equals, right = formula.partition("=")
    short = {effect, effect.strip("$"), symbol(effect), *symbols_in([effect])}
    if not equals or "=" in right or left.strip(" $") not in short or re.search(r"[,;]", right):
        return "", frozenset()
    why = text[: cuts[-1].start()]
    before = [match[1] for one in short for match in re.finditer(rf"(?<!\w){re.escape(one)}\s*=([^=,;]*)", why)]
    names, used = re.compile(r"[^\W\d]\w*"), set(causes) & set(re.findall(r"[^\W\d]\w*", right))
    if _DOUBTS.search(why) or any(used and set(names.findall(by)) <= used for by in before):
        return "", frozenset()  # so m = E / c^2, giving m = E / c
    signs = [rf"(?<!\w){re.escape(one)}" + (r"\s*[\^*/+]" if len(one) > 2 else r"(?!\w)") for one in short]
    names_it = any(re.search(sign, why) for sign in signs)  # sigma^2 / 2 balances p; not `the side is the root of`
    if "=" not in why and not names_it and computes(re.sub(r"\b(?:is |must |are |be )*equals?(?: to)?\b", "", why)):
        return "", frozenset()  # twice the width, so length = width + 2
    spoken = (cause for cause in causes if re.search(rf"(?<!\w){re.escape(cause)}(?!\w)", why))
    return formula, frozenset(spoken)
