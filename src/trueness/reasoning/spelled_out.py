"""Causes called by symbols, and a rule in words: *the heat divided by the power* for Q (J) and P (W).

Each symbol stands for the quantities that it has by custom or by its unit. Where the text names just one of them, and
no other cause could be meant by it, the rule is read with that word in the symbol's place; every cause must have one.
"""

from __future__ import annotations

import re
from collections.abc import Mapping, Sequence

from trueness.patterns import late
from trueness.reasoning.literals import kinds_of
from trueness.reasoning.notation import BY_LETTER, unit_in
from trueness.reasoning.syntax import symbol

_GREEK = "lamda|rho|mu|theta|omega|eta|sigma|tau|alpha"
_SYMBOL = late(rf"([A-Za-z]|[A-Z]{{2}}|{_GREEK}|Delta[A-Z])(?:\d{{1,2}}|_\w{{1,8}})?'*")
_SUBJECT = late(r"^(?:the\s+)?([^\W\d][^=,;:()]{0,60}?)\s*(?:=|\b(?:is|equals)\b)", re.IGNORECASE)
_BY_KIND: Mapping[str, str] = {
    "energy": "energy|heat|work|kinetic energy|potential energy", "power": "power", "force": "force|weight|tension",
    "mass": "mass", "time": "time|period|duration", "current": "current", "voltage": "voltage|potential difference",
    "resistance": "resistance", "pressure": "pressure", "charge": "charge", "frequency": "frequency",
    "temperature": "temperature", "length": "distance|length|height|radius|width|depth|displacement|altitude",
}  # fmt: skip


def spelled_out(text: str, causes: Sequence[str]) -> dict[str, str] | None:
    """Cause -> the words by which the text calls it; None where one is no symbol, or not called, or not it alone."""
    if not causes or not all(_base(cause) for cause in causes):
        return None
    lowered = text.casefold()
    words_of: dict[str, str] = {}
    for cause in causes:
        called = [words for words in _words_of(cause) if words in lowered and re.search(rf"\b{words}\b", lowered)]
        longest = [words for words in called if not any(words != more and words in more for more in called)]
        if len(longest) != 1 or len(re.findall(rf"\b{longest[0]}\b", _SUBJECT.sub("", lowered))) != 1:
            return None
        words_of[cause] = longest[0]
    meant = [[cause for cause in causes if words in _words_of(cause)] for words in words_of.values()]
    return words_of if all(len(of) == 1 for of in meant) and len(set(words_of.values())) == len(words_of) else None


def effect_called(text: str, effect: str) -> str:
    """What a text calls an effect that is a symbol: its subject, where a word of it begins with the symbol's letter or
    is one of its words by custom; the symbol itself elsewhere."""
    subject = _SUBJECT.match(text)
    letter = _base(effect)[:1].casefold()
    if subject is None or not letter:
        return effect
    words = [word for word in re.findall(r"[^\W\d_]+", subject[1].casefold()) if word not in ("the", "a", "an", "of")]
    begins = any(word[0] == letter for word in words)
    return subject[1] if begins or any(one in subject[1].casefold() for one in _words_of(effect)) else effect


def _base(name: str) -> str:
    bare = re.sub(r"\s*[(\[].*$", "", name.strip())
    match = _SYMBOL.fullmatch(symbol(bare))
    return match[1] if match else ""


def _words_of(name: str) -> tuple[str, ...]:
    """By its letter; by its unit alone where that says one kind, and the letter's words of that kind where both do."""
    by_letter = tuple(filter(None, BY_LETTER.get(_base(name), "").split("|")))
    kinds = kinds_of(unit_in(name) or "")
    by_kind = tuple(_BY_KIND.get(next(iter(kinds)), "").split("|")) if len(kinds) == 1 else ()
    both = tuple(word for word in by_letter if word in by_kind)
    return both or tuple(filter(None, by_kind)) or by_letter
