"""Whether the reasoning names the assumptions of the learner: which a text names, which it denies, with their spans.

    A = the assumptions on the learner's card,  N = named in the reply,  D = denied,  W = said to be assumed, not in A
    named = |A and N|,   missed = |A| - named,   wrong = |W| + |A and D|
    recall = sum named / sum |A|,   precision = sum named / sum (named + wrong)

The original protocol asks only whether the text "mentions" assumptions. Here a mention has a span, a denial counts
against, and what the prompt itself told (the `interval` formulation shows the card) is set apart: `unprompted` counts
only assumptions that the prompt does not name, where knowing and repeating differ. Intervals are by data set
(clustered t). Of a text:

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
from collections.abc import Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass
from functools import cache, cached_property
from typing import NamedTuple

import numpy as np
import pandas as pd

from trueness.studies.forecast.analysis import (
    Analysis,
    join_words,
    lines,
    over_datasets,
    percent,
    percent_with_ends,
    table_of,
)
from trueness.studies.forecast.frames import REPLY, Forecasts, LearnerAbout
from trueness.texts import counted


class _Card(NamedTuple):
    names: tuple[str, ...]
    others: tuple[str, ...]
    assumes: frozenset[str]

    @classmethod
    def of(cls, name: str, learners: Mapping[str, LearnerAbout]) -> _Card:
        def titles(of: str) -> tuple[str, str]:
            return of, str(learners[of].get("title", of))

        mine = (*titles(name), name.split("/")[-1])
        others = [word for other in learners if other != name for word in titles(other)]
        theirs = tuple(word for word in others if word.lower() not in {alias.lower() for alias in mine})
        return cls(mine, theirs, frozenset(concept_of(phrase) for phrase in learners[name].get("assumes", ())))


def reasoning(forecasts: Forecasts) -> Analysis:
    """One row a respondent; `more` has one row a reply and one row a span."""
    replies = forecasts.replies
    cards = {name: _Card.of(name, forecasts.learners) for name in forecasts.learners}
    texts = replies[replies["text"].fillna("").astype(str).ne("") & replies["learner"].isin(list(cards))]
    if texts.empty:
        return Analysis.untold("reasoning", "Reasoning cannot be told: no reply has a text.")
    if not any(card.assumes for card in cards.values()):
        return Analysis.untold("reasoning", "Reasoning cannot be told: no learner's card names an assumption.")
    per_reply, spans = _read_all(texts, cards)
    table = table_of(_respondent_row(name, mine) for name, mine in per_reply.groupby("respondent", sort=False))
    return Analysis("reasoning", table, tuple(_sentences(table)), {"replies": per_reply, "spans": spans})


def _read_all(replies: pd.DataFrame, cards: Mapping[str, _Card]) -> tuple[pd.DataFrame, pd.DataFrame]:
    @cache
    def read(text: str, learner: str) -> tuple[Mention, ...]:
        card = cards[learner]
        return tuple(mentions(text, card.names, card.others, card.assumes))

    rows, spans = [], []
    for *values, prompt, text in replies[[*REPLY, "prompt", "text"]].itertuples(index=False, name=None):
        key = dict(zip(REPLY, values, strict=True))
        learner = key["learner"]
        assumes, matches = cards[learner].assumes, read(str(text), learner)
        named = {m.concept for m in matches if not m.denied}
        denied = assumes & ({m.concept for m in matches if m.denied} - named)
        wrong = {m.concept for m in matches if not m.denied and m.as_assumption} - assumes
        # where the prompt is not stored, what it told is not known: nothing counts as unprompted
        prompted = {m.concept for m in read(prompt, learner) if not m.denied} if isinstance(prompt, str) else assumes
        counts = {
            "assumed": len(assumes), "named": len(assumes & named), "missed": len(assumes - named),
            "wrong": len(wrong) + len(denied), "not_told": len(assumes - prompted),
            "unprompted": len((assumes & named) - prompted),
        }  # fmt: skip
        which = {"which_named": assumes & named, "which_wrong": wrong, "which_denied": denied}
        rows.append(key | counts | {name: ", ".join(sorted(concepts)) for name, concepts in which.items()})
        spans += [
            key
            | {"concept": m.concept, "denied": m.denied, "on_card": m.concept in assumes, "start": m.start}
            | {"end": m.end, "evidence": str(text)[m.start : m.end]}
            for m in matches
        ]
    where = ["concept", "denied", "on_card", "start", "end", "evidence"]
    return pd.DataFrame(rows), pd.DataFrame(spans, columns=[*REPLY, *where])


def _respondent_row(name: object, mine: pd.DataFrame) -> dict[str, object]:
    share = mine["named"] / mine["assumed"].where(mine["assumed"] > 0)
    estimate = over_datasets(share, mine["dataset"], "assumptions named", within=(0.0, 1.0))
    named, missed, wrong, blank = (int(mine[key].sum()) for key in ("named", "missed", "wrong", "not_told"))
    phrases = mine["which_wrong"][mine["which_wrong"] != ""].str.split(", ").explode()
    return {
        "respondent": name, "replies": len(mine), "datasets": mine["dataset"].nunique(),
        **estimate.cells("named_share"), "named": named, "missed": missed, "wrong": wrong,
        "precision": named / (named + wrong) if named + wrong else None,
        "unprompted_share": int(mine["unprompted"].sum()) / blank if blank else None,
        "all_named": float((mine["missed"] == 0).mean()),
        "silent": float(((mine["named"] == 0) & (mine["wrong"] == 0)).mean()),
        "most_wrong": str(phrases.value_counts().index[0]) if len(phrases) else "",
    }  # fmt: skip


def _sentences(table: pd.DataFrame) -> Iterator[str]:
    for row in lines(table):
        named = percent_with_ends(row.named_share, row.named_share_low, row.named_share_high)
        wrong = f"; {counted(row.wrong, 'assumption')} wrongly named or denied" if row.wrong else "; none wrongly named"
        wrong += f", mostly {row.most_wrong}" if row.most_wrong else ""
        unprompted = "the prompts told all of them"
        if np.isfinite(row.unprompted_share):
            unprompted = f"{percent(row.unprompted_share)} of those that the prompt did not tell"
        yield (
            f"{row.respondent} names {named} of the assumptions of the learners "
            f"({counted(row.replies, 'reply').replace('replys', 'replies')} on {counted(row.datasets, 'data set')}, "
            f"clustered t){wrong}; {unprompted}."
        )
    silent = [row.respondent for row in lines(table) if row.silent == 1]
    if silent:
        yield f"{join_words(silent)} never speak{'s' if len(silent) == 1 else ''} of an assumption."


# ---- the reader


@dataclass(frozen=True)
class Concept:
    """`stems`: every text that the patterns match holds one of them, in lower case; they are looked for first."""

    name: str
    card: str  # pattern of the phrases on cards that mean it
    stems: tuple[str, ...]
    direct: str
    opposite: str = ""

    @cached_property
    def is_direct(self) -> re.Pattern[str]:
        return re.compile(self.direct, re.I)

    @cached_property
    def is_opposite(self) -> re.Pattern[str] | None:
        return re.compile(self.opposite, re.I) if self.opposite else None

    def mentions(self, words: str) -> Iterator[tuple[int, int, bool]]:
        """(start, end, denied) of each mention in a sentence."""
        for match in self.is_direct.finditer(words):
            before, after = _around(words, match)
            denied = bool(_DENIES_BEFORE.search(before) or _DENIES_AFTER.search(after)) and not _VIOLATED.search(before)
            yield *match.span(), denied
        for match in self.is_opposite.finditer(words) if self.is_opposite else ():
            denied_or_not = _of_opposite(*_around(words, match))
            if denied_or_not is not None:
                yield *match.span(), denied_or_not


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
# 'does not satisfy X' speaks of the data: X is named
_VIOLATED = re.compile(r"(?:not|n't)\s+(?:\w+\s+)?(?:satisf\w*|meet\w*|fulfil\w*|respect\w*|obey\w*)", re.I)
# 'does not assume no hidden confounders', 'does not require the absence of ...'
_TWICE_NEGATED = re.compile(r"(?:not|n't|without)\b.*\b(?:no|absence|without|free)\b", re.I)
_RULED_OUT = re.compile(r"\s+(?:are|is|were)\s+(?:absent|ruled out|excluded)", re.I)


def concept_of(phrase: str) -> str:
    """The concept that a phrase on a card means; the phrase itself where none does."""
    return next((concept.name for concept in CONCEPTS if re.search(concept.card, phrase, re.I)), phrase)


def mentions(
    text: str, names: Sequence[str] = (), others: Iterable[str] = (), phrases: Iterable[str] = ()
) -> list[Mention]:
    """All mentions in a text. names: of the learner in question; others: of other ones; phrases: of its card."""
    text = _ENDLESS.sub(lambda run: "." * len(run.group()), text)
    lower, known = text.lower(), {concept.name for concept in CONCEPTS}
    concepts = [concept for concept in CONCEPTS if any(stem in lower for stem in concept.stems)]
    concepts += [_literal(phrase) for phrase in phrases if phrase not in known and phrase.lower() in lower]
    if not concepts:
        return []
    mine, foreign = _any_of(tuple(names)), _any_of(tuple(others))
    matches: list[Mention] = []
    for sentence in _SENTENCE.finditer(text):
        words = sentence.group()
        part = words.lower()
        here = [concept for concept in concepts if any(stem in part for stem in concept.stems)]
        if not here or (foreign and foreign.search(words) and not (mine and mine.search(words))):
            continue
        as_assumption, at = _SPEAKS_OF_ASSUMING.search(words) is not None, sentence.start()
        matches += [
            Mention(concept.name, denied, as_assumption, at + start, at + end)
            for concept in here
            for start, end, denied in concept.mentions(words)
        ]
    return matches


def _around(words: str, match: re.Match[str]) -> tuple[str, str]:
    """What stands near a mention: a denial further away is about something else, and long texts stay cheap."""
    return words[max(0, match.start() - _NEAR) : match.start()], words[match.end() : match.end() + _NEAR]


def _of_opposite(before: str, after: str) -> bool | None:
    """Whether an opposite phrase denies the assumption (True), names it (False), or says neither (None)."""
    if _DENIES_BEFORE.search(before) and _TWICE_NEGATED.search(before):
        return True
    if _ABSENT.search(before) or _RULED_OUT.match(after):
        return False
    return True if _ALLOWED.search(before) else None


@cache
def _literal(phrase: str) -> Concept:
    return Concept(phrase, "", (phrase.lower(),), re.escape(phrase))


@cache
def _any_of(names: tuple[str, ...]) -> re.Pattern[str] | None:
    longest_first = sorted({name for name in names if name}, key=len, reverse=True)
    return re.compile(r"\b(?:" + "|".join(map(re.escape, longest_first)) + r")\b", re.I) if longest_first else None
