"""Which node a symbol of a formula stands for: by its name, by what the rule says of it, by custom, by its letters.

F = m*a        F, force, Force (N), Mass m (kg), V_s for Vs          their own names and symbols
where k is the spring constant, v_0, V = π r² h of a tank_radius     said, or by custom
a = F/m        of force and mass: letters that begin one name each, and what is left over where it is one of each
"""

from __future__ import annotations

import re
from collections.abc import Mapping, Sequence

from trueness.patterns import late
from trueness.reasoning.candidates import STANDS_FOR
from trueness.reasoning.notation import by_custom, by_letter, means_another
from trueness.reasoning.syntax import symbol
from trueness.reasoning.trees import CONSTANTS, FUNCTIONS, NATURE, Name, Tree
from trueness.reasoning.typeset import latin
from trueness.reasoning.word_names import are_alike, is_other
from trueness.reasoning.word_subject import shares_word

_GREEK = frozenset(
    "alpha beta gamma delta epsilon zeta eta theta kappa lamda lambda mu nu rho sigma tau phi chi psi omega".split()
)
_DIGITS = late(r"\d+")
_ANY = frozenset("result answer ans value total sum output res ret final target".split())


def explained_symbols(text: str, names: Sequence[str]) -> dict[str, str]:
    """`where k is the spring constant and x is the extension`: what the rule itself says that a symbol stands for.
    names: of the causes, and last of the effect."""
    plain = {symbol(name).casefold(): name for name in names}
    parts = [part for piece in re.split(r"\band\b", text) for part in STANDS_FOR.findall(piece)]
    explained = {short: plain.get(symbol(words.strip()).casefold()) for short, words in parts}
    meanings = by_custom(text, names) | {short: name for short, name in explained.items() if name is not None}
    customary = by_letter(text, names[:-1]).items()
    meanings |= {short: name for short, name in customary if short not in meanings and name not in meanings.values()}
    return meanings if len(set(meanings.values())) == len(meanings) else {}


def aliases_of(
    left: Tree | None, symbols: Sequence[str], causes: Sequence[str], effect: str, explained: Mapping[str, str]
) -> dict[str, str]:
    """What each symbol stands for, as far as that is clear. The effect may stand on either side: F = m*a."""
    exact = _exact((*causes, effect), symbols)
    aliases = exact | {
        short: name for short, name in explained.items()
        if short in symbols and short not in exact and name not in exact.values()
    }  # fmt: skip
    assigns = left is None or isinstance(left, Name)
    unmatched = [
        name
        for name in symbols
        if name not in aliases
        and name not in CONSTANTS
        and (name not in NATURE or Name(name) == left or any(abbreviates(name, one) for one in (*causes, effect)))
    ]
    if effect not in aliases.values():
        free_names = [name for name in (*causes, effect) if name not in aliases.values()]
        together = _guess_names(unmatched, free_names, assigns, effect)
        if effect in together.values():
            return aliases | together
        if isinstance(left, Name) and left.name in unmatched and _may_call(left.name, effect):
            aliases[left.name] = effect
            unmatched.remove(left.name)
    guessed = _guess_names(unmatched, [cause for cause in causes if cause not in aliases.values()], assigns)
    rest = [short for short in unmatched if short not in guessed]
    free = {*causes} - {*aliases.values(), *guessed.values()}
    if (
        not guessed and len(rest) > 1 and effect not in aliases.values()
    ):  # m v^2 / 2 = E: what is left over is the effect
        begun = {short: [cause for cause in causes if abbreviates(short, cause)] for short in unmatched}
        clear = {short: of[0] for short, of in begun.items() if len(of) == 1}
        rest = [short for short in unmatched if not begun[short]]
        if len(rest) == 1 and len(set(clear.values())) == len(clear) == len(unmatched) - 1 == len(free):
            return aliases | clear | {rest[0]: effect}
    return aliases | guessed


def _exact(names: Sequence[str], symbols: Sequence[str]) -> dict[str, str]:
    """Symbols that are a node's own name, or the only one that differs in case or underscores: V_s for Vs."""
    aliases = {symbol(name): name for name in names if symbol(name) in symbols}
    bare = {name: symbol(name).replace("_", "").casefold() for name in names}
    for short in symbols:
        near = [name for name in names if bare[name] == short.replace("_", "").casefold()]
        if short not in aliases and len(near) == 1 and near[0] not in aliases.values():
            aliases[short] = near[0]
    return aliases


def _guess_names(unmatched: Sequence[str], free: Sequence[str], assigns: bool, effect: str = "") -> dict[str, str]:
    """Symbols that begin exactly one cause each, then one symbol and one cause left over; else nothing. In an equation
    such as 2 x + 3 y = 12 what is left over need not be a cause."""
    begun = {short: [cause for cause in free if abbreviates(short, cause)] for short in unmatched}
    clear = {short: causes[0] for short, causes in begun.items() if len(causes) == 1}
    if len(set(clear.values())) < len(clear):
        return {}
    rest = [short for short in unmatched if short not in clear]
    left = [cause for cause in free if cause not in clear.values()]
    word = len(left) == 1 and len(symbol(left[0])) > 2  # a cause called g is not called a
    if assigns and word and len(rest) == 1 and not begun[rest[0]] and rest[0] not in NATURE:
        if means_another(rest[0], left[0]) or (
            left[0] != effect and _is_word_of_another(rest[0], left[0])
        ):  # r, for a diameter
            return {}
        return clear | {rest[0]: left[0]} if _may_be_one(rest[0]) else {}
    return clear if not rest else {}


def _may_call(left: str, effect: str) -> bool:
    """Whether a formula may give the effect under this name: a symbol, or a word that the effect has, or any does."""
    words = re.findall(r"[^\W\d_]{3,}", left)
    names_it = not words or shares_word(left, effect) or left.casefold() in _ANY
    names_it = names_it or (left != left.lower() and not left.istitle())  # KE; Pressure is a word
    short = any(_is_within(left.casefold(), word) for word in symbol(effect).casefold().split("_"))  # avg, amt
    begun = "".join(word[:1] for word in symbol(effect).casefold().split("_"))
    if re.fullmatch(r"[A-Z]{2}", left) and (at := begun.find(left[0].casefold())) >= 0 and not short:
        return _is_within(left.casefold(), begun[at:])  # PV is no gas pressure but P V; PE is the potential energy
    return names_it or short or len(symbol(effect)) <= 2  # time required = ... for t


def _is_within(short: str, word: str) -> bool:
    """Whether its letters stand in a word in their order, from the first on."""
    letters = iter(word)
    return short[:1] == word[:1] and all(letter in letters for letter in short)


def _is_word_of_another(short: str, cause: str) -> bool:
    """`width`, for the perimeter of another field: a word says what it is, as a letter does not."""
    word = short.replace("_", " ")
    if len(word) < 4 or word.casefold() in _GREEK or word.casefold().startswith("delta"):
        return False
    return is_other(word, cause) or not are_alike((word, cause))


def _may_be_one(short: str) -> bool:
    """A letter with its index, or a word; `qE` and `rhogh` are products of which a part is missing."""
    bare = short.rstrip("0123456789'").partition("_")[0]
    return len(bare) <= 1 or bare.casefold() in _GREEK or (len(bare) >= 4 and not bare.startswith(tuple(_GREEK)))


def letters_of(text: str, causes: Sequence[str], effect: str, explained: Sequence[str]) -> frozenset[str]:
    """What a word may be split into: letters that begin one cause, or the effect and no cause, or are told; and words
    that stay whole, as they abbreviate a name."""
    words = set(re.findall(r"[^\W\d]\w*'*", latin(text))) - set(FUNCTIONS)
    clear = {short for short in (*explained, *NATURE) if len(short) == 1}
    for letter in {letter for word in words for letter in word if letter.isalpha()} - clear:
        begun = [name for name in causes if abbreviates(letter, name)] or [effect] * abbreviates(letter, effect)
        clear |= {letter} if len(begun) == 1 else set()
    return frozenset(clear | {word for word in words if any(abbreviates(word, name) for name in (*causes, effect))})


def abbreviates(short: str, name: str) -> bool:
    """v, vol, v_0 and TD for volume, volume, v..., total distance: a letter, a beginning or the first letters.

    Two letters are no beginning: `ma` is not mass but m a.
    """
    letters, word = short.split("_")[0].rstrip("0123456789'").casefold(), symbol(name).casefold()
    if letters[:1] != word[:1]:
        return False
    if (index := _DIGITS.findall(short)) and _DIGITS.findall(word) not in ([], index):  # m2 is not m1
        return False
    if "_" in short and word[1:2] == "_" and not word.startswith(short.casefold()):  # v_f is not v_i, nor v_i t
        return False
    if letters and len(letters) != 2 and word.startswith(letters):
        return True
    return bool(letters) and letters == "".join(part[0] for part in word.split("_") if part)
