"""A formula within a sentence: the run of symbols, numbers and signs in it, where the words around compute nothing.

    the energy gained is mgh                      mgh
    arranged on the shelf in n! ways              n!
    solving 3x + b = c for x gives x = (c - b)/3  x = (c - b)/3, and 3x + b = c must agree
    I squared R                                   I^2 R

The words in front must speak of the effect; what they compute must be in its name. Behind the formula nothing may stand
but what is counted or a unit, and clauses that begin with where or with, which are kept.
"""

from __future__ import annotations

import re
from collections.abc import Iterator, Sequence

from trueness.patterns import late
from trueness.reasoning.notation import symbols_in
from trueness.reasoning.syntax import RuleError, parse, symbol
from trueness.reasoning.trees import FUNCTIONS, agree
from trueness.reasoning.typeset import latin
from trueness.reasoning.word_names import GENERAL, share_meaning, tokens, without_unit
from trueness.reasoning.word_numbers import computes
from trueness.reasoning.word_subject import SAYS_MORE

_TOKEN = late(r"\S+")
_SIGN = late(r"[-+*/^×·÷−=()!²³½π√|%]|\\")
_LETTERS = late(r"[^\W\d_]+")
_CLAUSE = late(r"^\s*[,;(]?\s*(?:where|with|and|in which|here)\b", re.IGNORECASE)
_POWERS = ((late(r"\b([A-Za-z])\s+squared\b"), r"\1^2"), (late(r"\b([A-Za-z])\s+cubed\b"), r"\1^3"))
_CHOOSE = late(r"\b(?:n?C)\s*\(\s*(\w+)\s*,\s*(\w+)\s*\)|\b([A-Za-z]|\d+) choose ([A-Za-z]|\d+)\b")
_COPULA = late(
    r"\b(?:is|are|equals?|gives?|by|at|in|as|to|have|has|have)\s*(?:equal to|given by|just|simply|exactly)?\s*$",
    re.IGNORECASE,
)
_EXPLAINS = late(
    r"\s*[,;]?\s*(?:for (?:an? )?(?:constant|uniform|steady|ideal)|because|since|assuming)\b[^\d=<>%+*/^]*\.?"
)
_BEING = late(r"^\s*[,;]?\s*([A-Za-z]\w?) being\b")
_COUNTED = late(r"\s*(?:[^\W\d_]{4,}(?<!ed))?\s*\.?\s*")
_SYMBOL_IS = late(r"(?:\b(?:where|and|with|let)|,)\s+([A-Za-z])\s+(?:is|be|being|denotes|the|=|half|twice)\b")
_DEFINES = late(r"\b(?:let|call|denote|suppose|where|with)\b.*\b[A-Za-z] (?:be|is|as|denotes?|stands?)\b", re.I)
_OUTCOMES = (
    (late(r"\b(?:average|mean) of\b"), late(r"[/÷½]|\b0?\.\d|mean")),
    (late(r"\bdifference (?:between|of)\b"), late(r"[-−–]")),
    (late(r"\b(?:ratio|quotient) of\b"), late(r"[/÷]|frac")),
    (late(r"\bsquare root\b"), late(r"√|sqrt|\^")),
)


def formulas_within(text: str, causes: Sequence[str], effect: str) -> Iterator[tuple[str, str]]:
    """What stands in front, and a formula in a sentence, with the clauses that explain it."""
    text = plain_signs(text, causes, effect)
    short = {symbol(name) for name in (*causes, effect)} | set(symbols_in((*causes, effect))) | set(FUNCTIONS) | {"pi"}
    short -= {"degrees", "radians", "mean", "sum", "max", "min"}
    letters = (
        {one for one in short if len(one) == 1}
        | {name[:1].lower() for name in causes}
        | set("xynr")
        | set(_SYMBOL_IS.findall(text))
    )
    islands = list(_islands(text, short, letters))
    equations = [one for one in islands if "=" in text[slice(*one)]]
    if not islands or (len(islands) > 1 and not equations):
        return
    start, end = equations[-1] if equations else islands[-1]
    front, formula, behind = text[:start], text[start:end].strip(" ,.;:"), text[end:]
    formula = formula[:-1] if formula.count(")") > formula.count("(") else formula
    titled = called_so(formula, effect)
    for one in equations[:-1]:
        front = front.replace(text[slice(*one)], " ")
    if len(equations) > 1 and not titled:
        return
    if not _is_of(front, effect, titled) or (
        not equations and front.strip() and not _COPULA.search(front.rstrip(" :,")) and front.rstrip()[-1] not in ",:"
    ):
        return
    if (
        _DEFINES.search(front)
        or SAYS_MORE.search(front.lower())
        or any(outcome.search(front.lower()) and not sign.search(formula) for outcome, sign in _OUTCOMES)
    ):
        return
    yield from ((text[slice(*one)].strip(" ,.;"), "") for one in equations[:-1])
    title = re.sub(r"[,;:]?\s*(?:that is|i\.e\.|so|is|are|equals?|=)?[\s,:]*$", "", front)
    behind = _BEING.sub(r", where \1 is", behind)
    if _EXPLAINS.fullmatch(behind) and not computes(behind):
        yield title, formula
    elif _CLAUSE.match(behind):
        yield title, f"{formula}{behind if behind[0] in ',;' else ', ' + behind.strip()}"
    elif _COUNTED.fullmatch(behind) and not _is_of_another(front, behind, effect):
        yield title, formula


def _is_of_another(front: str, behind: str, effect: str) -> bool:
    """`A polygon with n sides has n(n-3)/2 diagonals`, for the sides: what is counted stands behind."""
    has = re.search(r"\b(?:has|have|are)\s*$", front)
    return bool(has and behind.strip(" .")) and not share_meaning(behind, effect) and share_meaning(front, effect)


def islands_of(text: str, causes: Sequence[str], effect: str) -> Iterator[tuple[int, int]]:
    """Products of symbols between words: ρgh."""
    short = {symbol(cause) for cause in causes} | set(symbols_in((*causes, effect)))
    letters = {one for one in short if len(one) == 1} | {cause for cause in causes if len(cause) == 1}
    for match in re.finditer(r"(?<![\w.'-])[^\W\d_]{2,4}(?![\w'-])", text):
        if set(match[0]) <= letters and "=" not in text and " " in text.strip():
            yield match.span()


def plain_signs(text: str, causes: Sequence[str], effect: str) -> str:
    """Without the signs of typesetting; powers of letters in words, and n choose k, as formulas write them."""
    text = text.replace("π", " π ").replace("  π", " π")
    text = text.replace("$", "") if "\\" in text or re.search(r"\$[^$]*[=^_{][^$]*\$", text) else text
    for pattern, power in _POWERS:
        text = pattern.sub(power, text)
    text = _CHOOSE.sub(lambda match: f"comb({match[1] or match[3]}, {match[2] or match[4]})", text)
    left, _, right = text.partition("=")
    if left.strip().startswith("comb(") and left.strip().endswith(")") and _are_one(left, right, causes):
        text = right
    angle = re.search(r"angle|degree", effect.lower()) and not re.search(r"\b(?:sin|cos|tan)", text)
    return re.sub(r"(?<=\d)\s*°(?!\s?[CF])", "", text) if angle else text


def _are_one(left: str, right: str, names: Sequence[str]) -> bool:
    try:
        return agree(parse(left, tuple(names)).right, parse(right, tuple(names)).right)
    except RuleError:
        return False


def _islands(text: str, short: set[str], letters: set[str]) -> Iterator[tuple[int, int]]:
    """Runs of pieces of a formula that compute something."""
    run: list[re.Match[str]] = []
    for token in (*_TOKEN.finditer(text), None):
        if token is not None and _is_formulaic(token[0], short, letters):
            run.append(token)
            if token[0][-1] not in ",;:.":
                continue
        elif token is not None and not run:
            continue
        while run and run[0][0] in ("a", "A", "I") and len(run) > 1 and not _SIGN.match(run[1][0]):
            if run[0][0] in short:
                break
            run.pop(0)
        if run and any(
            _SIGN.search(one[0])
            or len(_LETTERS.findall(one[0]))
            and _LETTERS.findall(one[0])[0] not in short
            and len(one[0].strip(",.;")) > 1
            for one in run
        ):
            yield run[0].start(), run[-1].end()
        run = []


def _is_formulaic(token: str, short: set[str], letters: set[str]) -> bool:
    """A number, a sign, a symbol, or symbols side by side."""
    bare = latin(token.strip(",.;:"))
    words = _LETTERS.findall(re.sub(r"_\w+", "", bare) if "_" in bare else bare)
    return (
        all(
            word in short or set(word) <= letters or word in ("node", "frac", "binom", "sqrt", "cdot", "times")
            for word in words
        )
        or symbol(bare) in short
    )


def called_so(formula: str, effect: str) -> bool:
    """Whether the left side is the effect's own name or symbol: what stands before it is a title."""
    left = symbol(formula.partition("=")[0].strip()) if "=" in formula else ""
    return bool(left) and left in {symbol(effect), *symbols_in([effect])}


def _is_of(front: str, effect: str, titled: bool) -> bool:
    """Whether words speak of the effect, and compute nothing that its name does not say."""
    effect_words = {word for word in re.findall(r"[a-z]+", effect.lower())}
    rest = " ".join(word for word in re.findall(r"[a-z'-]+|\S+", front.lower()) if word not in effect_words)
    rest = re.sub(r"^(?:using|by|from|since|as) [^,\d]*,|\bsum of interior\b", "", rest)
    if re.search(r"[\d%=<>]", rest) or computes(re.sub(r"\b(?:then|all|series sum)\b", "", rest)):
        return False
    if titled:
        return True
    begun = {word[:6] for word in re.findall(r"[a-z]{6,}", front.lower())}
    last = re.split(r"[;.]\s|\bso\b", front)[-1]
    same = {word for word in tokens(effect) if word in tokens(last) or word[:6] in begun and len(word) >= 6}
    mine, others = tokens(without_unit(effect)) - same - GENERAL, tokens(last) - tokens(effect) - GENERAL
    bare = re.sub(r"\b(?:the|so|then|hence|therefore|thus|we|have|get|by|gives?)\b", "", front.lower())
    if not re.search(r"[a-z]{3,}", bare) or (
        front.lower().lstrip(" the").startswith("number of ways") and "number" in effect_words
    ):
        return True
    return (bool(same) or share_meaning(last, effect)) and not (mine and others)
