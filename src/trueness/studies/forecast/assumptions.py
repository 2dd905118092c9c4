"""Which assumptions of a learner a text names, and which it denies, with the span of each.

    mention   a phrase of a concept in one sentence        "faithfulness", "no hidden confounders", "non-normal errors"
    denied    the sentence says that it is not assumed     "does not assume Gaussian noise", "linearity is not needed"
    named     any other mention, violated ones too         "assumes linearity", "the data break faithfulness"
    opposite  a phrase that turns it round                 "no hidden confounders" names causal sufficiency, "allows
                                                           hidden confounders" denies it; alone it says neither
    as_assumption   the sentence speaks of assuming        "assumes", "requires", "relies on", ...

A sentence that names another learner and not the one in question is not about it. "DAG" alone is a kind of answer, not
an assumption. What the rules cannot see: irony, an assumption paraphrased in words not listed here, a pronoun that
stands for another learner. Phrases of cards that no concept knows are looked for word for word.
"""

from __future__ import annotations

import re
from collections.abc import Iterable, Iterator, Sequence
from dataclasses import dataclass
from functools import cache
from typing import NamedTuple


@dataclass(frozen=True)
class Concept:
    """`stems`: every text that the patterns match holds one of them, in lower case; they are looked for first."""

    name: str
    card: str  # pattern of the phrases on cards that mean it
    stems: tuple[str, ...]
    direct: str
    opposite: str = ""


class Mention(NamedTuple):
    """Where a text names (or denies) an assumption."""

    concept: str
    denied: bool
    as_assumption: bool
    start: int
    end: int


_NOISE = r"(?:\s+(?:noise|errors?|error\s+terms?|disturbances?|residuals?|distribut\w+|innovations?))?"
_HIDDEN = r"(?:hidden|latent|unmeasured|unobserved|omitted)\s+(?:common\s+)?(?:confound\w*|causes?|variables?|factors?)"
_UNEQUAL = r"(?:unequal|different|heteros[ck]edastic)"

CONCEPTS = (
    Concept(
        "causal sufficiency",
        r"sufficien|hidden|latent|confound",
        ("sufficien", "confound", "hidden", "latent", "unmeasured", "unobserved", "omitted"),
        r"causal(?:ly)?[\s-]+sufficien\w*|unconfounded\w*|sufficiency\b|all\s+common\s+causes\s+(?:are|were)\s+\w+",
        rf"{_HIDDEN}|unmeasured\s+confounding|hidden\s+confounding|latent\s+confounding|\bconfound(?:er|ers|ing)\b",
    ),
    Concept(
        "no selection bias",
        r"selection",
        ("select", "sampl"),
        r"\b(?:random|unselected|representative)\s+samp\w+",
        r"\bselection[\s-]+(?:bias\w*|effects?|variables?)|\bselected\s+samples?",
    ),
    Concept(
        "faithfulness",
        r"faithful",
        ("faithful",),
        r"(?:un)?faithful\w*",
    ),
    Concept(
        "acyclicity",
        r"acycl|cycle",
        ("acycl", "cycle", "cyclic", "feedback"),
        r"acyclic\w*",
        r"\bcycles?\b|\bcyclic\b|feedback(?:\s+loops?)?",
    ),
    Concept(
        "linear relations",
        r"\blinear",
        ("linear",),
        r"(?<!non)(?<!non-)(?<!non )\blinear(?:ity|ly)?\b(?!\s+(?:algebra|regressions?|time|order|programming))",
        r"\bnon-?\s?linear\w*",
    ),
    Concept(
        "non-Gaussian noise",
        r"non-?\s?(?:gaussian|normal)",
        ("gauss", "normal"),
        rf"\bnon-?\s?(?:gaussian|normal)\w*{_NOISE}|\bnot\s+(?:be\s+)?(?:gaussian|normal(?:ly)?)\b{_NOISE}",
    ),
    Concept(
        "Gaussian noise",
        r"^(?!.*non-?\s?(?:gaussian|normal)).*(?:gaussian|normal)",
        ("gauss", "normal"),
        r"(?<!non)(?<!non-)(?<!non )(?<!sub-)(?<!super-)\bgaussian\w*(?!\s+process)"
        rf"{_NOISE}|(?<!non)(?<!non-)(?<!non )\bnormal(?:ity|ly\s+distributed|\s+(?:noise|errors?|distribut\w+))",
    ),
    Concept(
        "continuous variables",
        r"continuous",
        ("continuous",),
        r"\bcontinuous(?:[\s-]+valued)?(?:\s+(?:variables?|data|measurements?))?\b(?!\s+optimi[sz]ation)",
    ),
    Concept(
        "equal noise variances",
        r"equal.*varianc",
        ("varianc", "homosced", "homosk", "varsortab"),
        r"(?:equal|same|identical|constant|homogeneous)\s+(?:noise|error|residual)?[\s-]*varianc\w*|homos[ck]edastic\w*"
        r"|varianc\w*\s+(?:are|is|be)\s+equal|varsortab\w*",
        rf"{_UNEQUAL}\s+(?:noise|error)?\s*varianc\w*",
    ),
)
_VERBS = (
    r"assum\w*|requir\w*|needs?\b|needed|rel(?:y|ies|ied|ying)\s+on|presuppos\w*|impos\w*|depend\w*\s+on|demand\w*"
    r"|expects?"
)
_SPEAKS_OF_ASSUMING = re.compile(rf"\b(?:{_VERBS}|presum\w*|premise\w*|violat\w*|under\s+the|conditions?\b)", re.I)
# 'does not assume X', 'without assuming X', 'no assumption of X', 'relaxes X', 'drops the X'
_DENIES_BEFORE = re.compile(
    rf"(?:\b(?:not|never|no\s+longer|nor|neither|without|cannot)\b|n't\b)[^.;:]{{0,30}}?\b(?:{_VERBS})[^.;:]{{0,60}}$"
    r"|\bno\s+(?:such\s+)?(?:assumptions?|requirements?|need)\s+(?:of|for|about|on)[^.;:]{0,40}$"
    r"|\b(?:relax\w*|drop(?:s|ped|ping)?|free\s+of|free\s+from|does\s+away\s+with|regardless\s+of|instead\s+of"
    r"|rather\s+than)\s+(?:the\s+|any\s+|on\s+)?(?:assumption\s+of\s+)?(?:\w+\s+){0,2}$"
    r"|\b(?:no|without)\s+(?:an?\s+|any\s+|the\s+)?$",
    re.I,
)
_DENIES_AFTER = re.compile(
    r"^[^.;:,]{0,40}?(?:\b(?:is|are|was|were|be|being)\s+(?:not|never)\s+(?:\w+\s+)?(?:assumed|required|needed|necessary)"
    r"|\b(?:isn't|aren't)\s+(?:assumed|required|needed|necessary)|\bneed\s+not\s+(?:hold|be)|\bunnecessary\b)",
    re.I,
)
_ABSENT = re.compile(
    r"(?:\b(?:no|without|absence\s+of|absent|free\s+of|free\s+from|rules?\s+out|exclud\w*|lack\s+of|neither|nor)\b|n't\b|\bnot\b"
    r"|\bnon-?)[^.;:]{0,40}$",
    re.I,
)
_ALLOWED = re.compile(
    r"\b(?:allow\w*|handl\w*|account\w*\s+for|permit\w*|toler\w*|robust\s+to|deal\w*\s+with|cop\w+\s+with|accommodat\w*"
    r"|support\w*|even\s+(?:with|in\s+the\s+presence)|in\s+the\s+presence\s+of|detect\w*)[^.;:]{0,50}$",
    re.I,
)
_NEAR = 200
_ENDLESS = re.compile(r"[\s-]{60,}|\w{100,}")  # no words: patterns with \w* and \s+ would look at them again and again
_SENTENCE = re.compile(r"[^.!?\n;]+(?:\.(?=\d)[^.!?\n;]*)*")


def concept_of(phrase: str) -> str:
    """The concept that a phrase on a card means; the phrase itself where none does."""
    for concept in CONCEPTS:
        if re.search(concept.card, phrase, re.I):
            return concept.name
    return phrase


def mentions(
    text: str, names: Sequence[str] = (), others: Iterable[str] = (), phrases: Iterable[str] = ()
) -> list[Mention]:
    """All mentions in a text. names: of the learner in question; others: of other ones; phrases: of its card."""
    text = _ENDLESS.sub(lambda run: "." * len(run.group()), text)
    lower = text.lower()
    looked_for = [rule for rule in _rules() if any(stem in lower for stem in rule.stems)]
    looked_for += [_literal(phrase) for phrase in phrases if phrase not in _concept_names() and phrase.lower() in lower]
    if not looked_for:
        return []
    mine, foreign = _names(tuple(names)), _names(tuple(others))
    matches: list[Mention] = []
    for sentence in _SENTENCE.finditer(text):
        words = sentence.group()
        part = words.lower()
        here = [rule for rule in looked_for if any(stem in part for stem in rule.stems)]
        if not here or (foreign and foreign.search(words) and not (mine and mine.search(words))):
            continue
        as_assumption = _SPEAKS_OF_ASSUMING.search(words) is not None
        for rule in here:
            for start, end, denied in _in_sentence(rule, words):
                matches.append(
                    Mention(rule.name, denied, as_assumption, sentence.start() + start, sentence.start() + end)
                )
    return matches


class _Rule(NamedTuple):
    """A concept with its patterns compiled."""

    name: str
    stems: tuple[str, ...]
    direct: re.Pattern[str]
    opposite: re.Pattern[str] | None


def _in_sentence(rule: _Rule, words: str) -> Iterator[tuple[int, int, bool]]:
    """(start, end, denied) of each mention."""
    for match in rule.direct.finditer(words):
        before, after = _around(words, match)
        denied = bool(_DENIES_BEFORE.search(before) or _DENIES_AFTER.search(after)) and not _says_violated(before)
        yield *match.span(), denied
    for match in rule.opposite.finditer(words) if rule.opposite else ():
        denied_or_not = _of_opposite(*_around(words, match))
        if denied_or_not is not None:
            yield *match.span(), denied_or_not


def _around(words: str, match: re.Match[str]) -> tuple[str, str]:
    """What stands near a mention: a denial further away is about something else, and long texts stay cheap."""
    return words[max(0, match.start() - _NEAR) : match.start()], words[match.end() : match.end() + _NEAR]


def _of_opposite(before: str, after: str) -> bool | None:
    """Whether an opposite phrase denies the assumption (True), names it (False), or says neither (None)."""
    if _DENIES_BEFORE.search(before) and _twice_negated(before):
        return True
    if _ABSENT.search(before) or re.match(r"\s+(?:are|is|were)\s+(?:absent|ruled out|excluded)", after, re.I):
        return False
    return True if _ALLOWED.search(before) else None


def _says_violated(before: str) -> bool:
    """'does not satisfy X' speaks of the data: X is named."""
    return bool(re.search(r"(?:not|n't)\s+(?:\w+\s+)?(?:satisf\w*|meet\w*|fulfil\w*|respect\w*|obey\w*)", before, re.I))


def _twice_negated(before: str) -> bool:
    """'does not assume no hidden confounders', 'does not require the absence of ...'."""
    return bool(re.search(r"(?:not|n't|without)\b.*\b(?:no|absence|without|free)\b", before, re.I))


@cache
def _rules() -> tuple[_Rule, ...]:
    return tuple(
        _Rule(c.name, c.stems, re.compile(c.direct, re.I), re.compile(c.opposite, re.I) if c.opposite else None)
        for c in CONCEPTS
    )


@cache
def _concept_names() -> frozenset[str]:
    return frozenset(concept.name for concept in CONCEPTS)


@cache
def _literal(phrase: str) -> _Rule:
    return _Rule(phrase, (phrase.lower(),), re.compile(re.escape(phrase), re.I), None)


@cache
def _names(names: tuple[str, ...]) -> re.Pattern[str] | None:
    longest_first = sorted({name for name in names if name}, key=len, reverse=True)
    return re.compile(r"\b(?:" + "|".join(map(re.escape, longest_first)) + r")\b", re.I) if longest_first else None
