"""A share of a cause that need not be the effect: what is gone is not what is left, a rate is not what it changes.

    he sells 40 % of the books       the books sold; of `books left` it says 60 %, and a reader who sees that subtracts
    40 % of the houses lack a garage no houses with a garage
    apply the tax rate to the price  the tax; the total price is the price and the tax

Where the effect's name says that it is what is left, or the changed quantity, a share must be said to be that: *60 % of
the money is left*, *the sale price is 80 % of the price*. Else the rule stays words: what is done with the share is not
said. Words that operate (times, minus, reduced by) say it.
"""

from __future__ import annotations

import re
from collections.abc import Mapping

from trueness.patterns import late
from trueness.reasoning.trees import Binary, Name, Tree, count_names, walk
from trueness.reasoning.word_forms import SHARE
from trueness.reasoning.word_names import share_meaning, stem, tokens
from trueness.reasoning.word_numbers import NUMERAL

_UNLESS = r"(?!der|it|iq|ion|iform|ivers|til|cle|less|known)"
_LEFT = late(  # what is left, or what is not so
    r"\b(?:left|leftovers?|remain\w*|rest|still|kept|keeps?|keeping|stay\w*|surviv\w*|spare|retained|available|"
    rf"un{_UNLESS}[a-z]{{3,}}|non|not|without|no|others?|to (?:read|go|do|pay|sell|come|finish)|saved|savings?|free|"
    r"minus|less|excluding|back|in stock)\b"
)
_CHANGED = late(  # what has become of it
    r"\b(?:final|new|net|sale|sales price|selling|retail|take home|after|following|disposable|end|ending|closing|"
    r"current|now|next|future|updated|adjusted|resulting|discounted|reduced|increased|raised|lowered|due|payable|proceeds|"
    r"afterwards|(?:with|including|incl) (?:tax|vat|interest|tip|discount|fee)\w*)\b"
)
_WITH_PIECE = late(r"\b(?:total|gross|with|including|incl)\b")  # of a rate: the price and its tax
_MULTIPLE = rf"(?:twice|double|triple|{NUMERAL} times)"
_SAYS_SHARE = late(
    rf"\b{SHARE}|%|\bper ?cent|\bhalf\b|\d\s*/\s*\d|\b{NUMERAL} (?:in|out of)(?: every)? {NUMERAL}\b|"
    r"\b(?:percentage|fraction|share|portion|proportion)\b"
)
_IS_SHARE = late(rf"\b(?:is|are|was|were|costs?|equals?|at)\s(?:only |just |exactly )?(?:the )?(?:\d|{SHARE})")
_TAKES_MULTIPLE = late(rf"[a-z] {_MULTIPLE} (?:the|as|his|her|its|their|what)\b")
_OPERATES = late(
    r"\b(?:times|multipl\w+|product|divid\w+|ratio|minus|plus|subtract\w*|deduct(?:ing)?|add(?:ed|ing)?|sum|squared?|"
    r"average|difference|more|less|fewer|(?<!get )(?<!gets )(?<!got )(?<!getting )off|"
    r"as an? (?:percent|fraction|share|ratio|prop|dec)\w*|"
    r"(?:went|goes|going|gone) (?:up|down)|(?:in|de)creas\w+|reduc\w+|rais(?:e|es|ed|ing)|grow\w*|grew|rises?|rose|"
    r"drop\w*|falls?|fell|shrink\w*|shr[au]nk|lower\w*|discounted|marked|compound\w*|for every|per|each)\b"
)
_LEAVES = r"left (?:the|a|an|his|her|their|its|early|for|home|school|it|by|at)"
_GETS_OFF = r"quits?|get(?:s|ting)? off|got off|exit\w*|leav(?:e|es|ing)"
_GONE = late(  # verbs of what is gone then
    rf"\b(?:{_LEAVES}|{_GETS_OFF}|goe?s? (?:home|to)|went|gone|go|spen[dt]s?|spending|sells?|sold|selling|lost|losing|"
    r"loses?|pa(?:y|ys|id|ying)|gives?|gave|given|giving|eats?|ate|eaten|drinks?|drank|drunk|uses?|used|using|takes?|took|"
    r"taken|withh[eo]ld\w*|deduct\w*|donat\w+|remov\w+|evaporat\w+|leaks?|leaked|burns?|burn(?:t|ed)|breaks?|broke|"
    r"broken|di(?:e|es|ed)|throws?|threw|thrown|reads?|consum\w+|wast\w+|spill\w*|rott\w+|spoil\w*|melt\w*|decay\w*)\b"
)
_TAKEN = late(
    rf"{_GONE.pattern} (?:(?:a|an|the|only) )?(?:{SHARE}|\d+\s*/\s*\d+|{_MULTIPLE}) (?:of|the|his|her|its|their)\b"
)
_DENIES = late(  # of those of whom this is said, what the verb is about is not so
    r"\b(?:no|not|never|none|neither|cannot|[a-z]+n't|without|lacks?|lacking|lacked|skip\w*|miss(?:es|ed|ing)?|avoid\w*|"
    r"refus\w+|reject\w*|declin\w+|dislik\w+|hates?|hated|fails?|failed|failing|drop(?:s|ped)? out|cancel\w*|"
    rf"los(?:e|es|t)|stop\w*|forg[eo]t\w*|oppos\w+|against|abandon\w*|ignor\w+|{_LEAVES}|{_GETS_OFF})\b"
)
_APPLIES = late(r"\bappl(?:y|ies|ied|ying)\b")
_CHARGE = late(r"\bappl\w+ (?:an?|the) \d[\d.]*\s?(?:%|percent) (?!to\b|on\b)[a-z]")  # a 20 % discount: word_plain.py
_EXCHANGES = late(
    r"exchange|conver|currency|hour|daily|weekly|month|year|per\b|wage|pay\b|factor|multiplier|speed|flow"
)
_PIECE = late(
    r"\b(?:tax|taxes|discount|tip|interest|commission|fee|vat|markup|mark up|markdown|saving|savings|increase|decrease|"
    r"growth|gain|loss|reduction|depreciation|dividend|bonus|raise|amount off|change|charge|duty|levy|surcharge)\b"
)
_MODIFIER = r"(?:remaining|left|leftover|rest|final|new|net|current|total|gross|other)"
_OF_WHICH = late(rf"(\b(?:of|from) (?:(?:the|his|her|its|their|these|those|all|my|our) )*){_MODIFIER}\b")


def is_of_another(text: str, tree: Tree, units: Mapping[str, str | None], effect: str) -> bool:
    """Whether what words say of a cause may be said of something else than the effect. units: of the causes."""
    sentence, named = _spaced(text), _spaced(effect)
    taken = _TAKEN.search(sentence) and not sentence.startswith("take ")  # she spends half of the wage plus the bonus
    subtracts = any(isinstance(part, Binary) and part.operator == "-" for part in walk(tree))
    if "=" in text or _CHARGE.search(sentence) or (_is_complement(tree) if taken else subtracts):
        return False
    if _APPLIES.search(sentence):
        return _is_changed(named, units)
    bare = re.sub(rf"\b{_MULTIPLE}\b", "twice", sentence)
    if not (_TAKES_MULTIPLE.search(sentence) or _SAYS_SHARE.search(sentence)) or (_OPERATES.search(bare) and not taken):
        return False
    for name in sorted(map(_spaced, units), key=len, reverse=True):
        bare = bare.replace(name, "node") if len(name) > 2 else bare
    bare = _OF_WHICH.sub(r"\1", bare).removeprefix("take ")
    if _denies_only_one(bare, named):
        return True
    left, changed = _LEFT.findall(named), _CHANGED.findall(named)
    gone = _GONE.search(bare.replace(named, "node"))
    if left:
        return not _says_left(bare, left)
    if changed:
        named_so = {stem(one.split()[0]) for one in changed} & {stem(word) for word in bare.split()}
        return gone is not None or not (_IS_SHARE.search(bare) or named_so)
    return gone is not None and not _is_kin(bare, named, units)


def _is_complement(tree: Tree) -> bool:
    """Whether something is taken of a whole: a - b, (1 - 0.4) a; not 0.4 (a - b)."""
    return any(
        isinstance(part, Binary)
        and part.operator == "-"
        and (not count_names(part.left) or (part == tree and isinstance(part.left, Name)))
        for part in walk(tree)
    )


def _spaced(text: str) -> str:
    return " ".join(re.sub(r"[_\-–]+", " ", text.lower()).split())


def _is_kin(sentence: str, named: str, units: Mapping[str, str | None]) -> bool:
    """Whether an effect has a word of a sentence beside those of its causes: he sells 40 % of the books says nothing of
    the stock."""
    distinct = {stem(word) for word in named.split()} - {token for name in units for token in tokens(name)}
    spoken = {stem(word) for word in re.findall(r"[a-z]+", sentence)} - {"node", "the", "of"}
    return any(share_meaning(one, word) or one[:4] == word[:4] for one in distinct for word in spoken)


def _says_left(sentence: str, left: list[str]) -> bool:
    """Whether a sentence says itself that it speaks of what is left."""
    spoken = {stem(word) for word in re.findall(r"[a-z]+", re.sub(rf"\b{_LEAVES}\b", "", sentence))}
    kin = {stem(word) for word in left}
    if kin & {"remain", "still", stem("keep"), stem("kept"), "stay"} or any(one.startswith("remain") for one in left):
        kin |= {"remain", "keep", "stay", "surviv", "retain"}
    if any(word.startswith(("un", "non", "not", "no")) for word in left):
        kin |= {"not", "no", "without"}
    if any(word.startswith("to ") for word in left):
        kin |= {"will", "to"}
    return bool(kin & spoken)


def _denies_only_one(sentence: str, named: str) -> bool:
    """`40 % of the houses lack a garage`, for those with one."""
    return any(
        not {stem(word) for word in match[0].split()[:1]} & tokens(named) and not _LEFT.search(named)
        for match in _DENIES.finditer(sentence)
    )


def _is_changed(named: str, units: Mapping[str, str | None]) -> bool:
    """Whether a rate that is applied to a cause need not give this effect: it gives a discount, and no price."""
    rates = [name for name in map(_spaced, units) if re.search(r"rate|percent|%|share|fraction", name)]
    if any(map(_EXCHANGES.search, rates)):
        return False
    of_what = {word for name in rates for word in name.split()} - {"rate", "percentage", "percent", "the", "of"}
    alike = any(word[:5] == other[:5] for word in of_what for other in named.split() if len(other) > 2)
    others = [word for word in _LEFT.findall(named) if not word.startswith("saving")]
    if _CHANGED.search(named) or _WITH_PIECE.search(named) or (others and not alike):
        return True
    return not (alike or _PIECE.search(named))
