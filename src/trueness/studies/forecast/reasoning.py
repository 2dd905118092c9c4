"""Whether the reasoning names the assumptions of the learner.

    A = the assumptions on the learner's card,  N = named in the reply
    named = |A and N|,   missed = |A| - named

The original protocol asks whether the text "mentions" assumptions; so does this. A mention is a phrase of a concept in
one sentence ("faithfulness", "no hidden confounders", "non-normal errors"). A sentence that says `not` ("does not
assume Gaussian noise") is about what is not assumed and names nothing. What the prompt itself told (the `interval`
formulation shows the card) is set apart: `unprompted` counts only assumptions that the prompt does not name, where
knowing and repeating differ. Intervals are by data set (clustered t).

A sentence that names another learner and not the one in question is not about it. What the rules cannot see: irony, an
assumption paraphrased in words not listed here, a pronoun that stands for another learner. Phrases of cards that no
concept knows are looked for word for word.
"""

from __future__ import annotations

import re
from collections.abc import Iterable, Iterator, Mapping, Sequence
from functools import cache
from types import SimpleNamespace
from typing import NamedTuple

import numpy as np
import pandas as pd

from trueness.studies.forecast.analysis import (
    Analysis,
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
        titles = {other: (other, str(about.get("title", other))) for other, about in learners.items()}
        mine = (*titles.pop(name), name.split("/")[-1])
        own = {alias.lower() for alias in mine}
        others = tuple(word for words in titles.values() for word in words if word.lower() not in own)
        return cls(mine, others, frozenset(concept_of(phrase) for phrase in learners[name].get("assumes", ())))


def reasoning(forecasts: Forecasts) -> Analysis:
    """One row a respondent; `more` has one row a reply."""
    replies = forecasts.replies
    cards = {name: _Card.of(name, forecasts.learners) for name in forecasts.learners}
    texts = replies[replies["text"].fillna("").astype(str).ne("") & replies["learner"].isin(list(cards))]
    if texts.empty:
        return Analysis.untold("reasoning", "Reasoning cannot be told: no reply has a text.")
    if not any(card.assumes for card in cards.values()):
        return Analysis.untold("reasoning", "Reasoning cannot be told: no learner's card names an assumption.")
    each = pd.DataFrame(_of_replies(texts, cards))
    table = table_of(_respondent_row(name, mine) for name, mine in each.groupby("respondent", sort=False))
    return Analysis("reasoning", table, tuple(map(_sentence, lines(table))), {"replies": each})


def _of_replies(replies: pd.DataFrame, cards: Mapping[str, _Card]) -> Iterator[dict[str, object]]:
    @cache
    def read(text: str, learner: str) -> frozenset[str]:
        card = cards[learner]
        return mentions(text, card.names, card.others, card.assumes)

    for *values, prompt, text in replies[[*REPLY, "prompt", "text"]].itertuples(index=False, name=None):
        key = dict(zip(REPLY, values, strict=True))
        learner = key["learner"]
        assumes, found = cards[learner].assumes, read(str(text), learner)
        named = assumes & found
        # where the prompt is not stored, what it told is not known: nothing counts as unprompted
        prompted = read(prompt, learner) if isinstance(prompt, str) else assumes
        yield key | {
            "assumed": len(assumes), "named": len(named), "missed": len(assumes - named),
            "not_told": len(assumes - prompted), "unprompted": len(named - prompted),
            "which_named": ", ".join(sorted(named)),
        }  # fmt: skip


def _respondent_row(name: object, mine: pd.DataFrame) -> dict[str, object]:
    share = mine["named"] / mine["assumed"].where(mine["assumed"] > 0)
    estimate = over_datasets(share, mine["dataset"], "assumptions named", within=(0.0, 1.0))
    counts = {key: int(mine[key].sum()) for key in ("named", "missed")}
    blank = int(mine["not_told"].sum())
    return {
        "respondent": name, "replies": len(mine), "datasets": mine["dataset"].nunique(),
        **estimate.cells("named_share"), **counts,
        "unprompted_share": int(mine["unprompted"].sum()) / blank if blank else None,
    }  # fmt: skip


def _sentence(row: SimpleNamespace) -> str:
    named = percent_with_ends(row.named_share, row.named_share_low, row.named_share_high)
    unprompted = "the prompts told all of them"
    if np.isfinite(row.unprompted_share):
        unprompted = f"{percent(row.unprompted_share)} of those that the prompt did not tell"
    replies = "1 reply" if row.replies == 1 else f"{row.replies} replies"
    return (
        f"{row.respondent} names {named} of the assumptions of the learners ({replies} on "
        f"{counted(row.datasets, 'data set')}, clustered t); {unprompted}."
    )


# ---- the reader


class Concept(NamedTuple):
    """An assumption: `card` matches the phrases of cards that mean it, `phrase` those of a text that name it."""

    name: str
    card: str
    phrase: str


_WITHOUT = r"\b(?:no|without|absence\s+of|rules?\s+out|excludes?)\s+(?:any\s+)?"
_HIDDEN = r"(?:hidden|latent|unmeasured|unobserved|omitted)\s+(?:common\s+)?(?:confound\w*|causes?|variables?|factors?)"
_NOT_NON = r"(?<!non)(?<!non-)(?<!non )"

CONCEPTS = (
    Concept("causal sufficiency", r"sufficien|hidden|latent|confound",
            rf"causal(?:ly)?[\s-]+sufficien\w*|unconfounded\w*|sufficiency\b|{_WITHOUT}(?:{_HIDDEN}|confound\w*)"),
    Concept("no selection bias", r"selection",
            rf"\b(?:random|unselected|representative)\s+samp\w+|{_WITHOUT}selection[\s-]+(?:bias\w*|effects?)"),
    Concept("faithfulness", r"faithful",
            r"(?:un)?faithful\w*"),
    Concept("acyclicity", r"acycl|cycle",
            rf"acyclic\w*|{_WITHOUT}(?:directed\s+)?(?:cycles?|feedback\w*)\b"),
    Concept("linear relations", r"\blinear",
            rf"{_NOT_NON}\blinear(?:ity|ly)?\b(?!\s+(?:algebra|regressions?|time|order|programming))"),
    Concept("non-Gaussian noise", r"non-?\s?(?:gaussian|normal)",
            r"\bnon-?\s?(?:gaussian|normal)\w*"),
    Concept("Gaussian noise", r"^(?!.*non-?\s?(?:gaussian|normal)).*(?:gaussian|normal)",
            rf"{_NOT_NON}\bgaussian\w*(?!\s+process)"
            rf"|{_NOT_NON}\bnormal(?:ity|ly\s+distributed|\s+(?:noise|errors?|distribut\w+))"),
    Concept("continuous variables", r"continuous",
            r"\bcontinuous(?:[\s-]+valued)?(?:\s+(?:variables?|data|measurements?))?\b(?!\s+optimi[sz]ation)"),
    Concept("equal noise variances", r"equal.*varianc",
            r"\b(?:equal|same|identical|constant|homogeneous)\s+(?:noise|error|residual)?[\s-]*varianc\w*"
            r"|homos[ck]edastic\w*|varianc\w*\s+(?:are|is|be)\s+equal|varsortab\w*"),
)  # fmt: skip
_DENIES = re.compile(r"\b(?:not|never|without\s+assum\w+|no\s+assumptions?|nor|cannot|unnecessary)\b|n't\b", re.I)
_ENDLESS = re.compile(r"[\s-]{60,}|\w{100,}")  # no words: patterns with \w* and \s+ would look at them again and again
_SENTENCE = re.compile(r"[^.!?\n;]+(?:\.(?=\d)[^.!?\n;]*)*")


def concept_of(phrase: str) -> str:
    """The concept that a phrase on a card means; the phrase itself where none does."""
    return next((concept.name for concept in CONCEPTS if re.search(concept.card, phrase, re.I)), phrase)


def mentions(
    text: str, names: Sequence[str] = (), others: Iterable[str] = (), phrases: Iterable[str] = ()
) -> frozenset[str]:
    """What its sentences name. names: of the learner in question; others: of other ones; phrases: of its card."""
    known = {concept.name: concept.phrase for concept in CONCEPTS}
    patterns = {phrase: re.escape(phrase) for phrase in phrases} | known
    mine, foreign = _any_of(tuple(names)), _any_of(tuple(others))
    said = []
    for words in _SENTENCE.findall(_ENDLESS.sub(".", text)):
        about_another = foreign is not None and foreign.search(words) and not (mine and mine.search(words))
        if not about_another and not _DENIES.search(words):
            said.append(words)
    whole = "\n.\n".join(said)  # a phrase stands in one sentence
    return frozenset(name for name, pattern in patterns.items() if re.search(pattern, whole, re.I))


@cache
def _any_of(names: tuple[str, ...]) -> re.Pattern[str] | None:
    longest_first = sorted({name for name in names if name}, key=len, reverse=True)
    return re.compile(r"\b(?:" + "|".join(map(re.escape, longest_first)) + r")\b", re.I) if longest_first else None
