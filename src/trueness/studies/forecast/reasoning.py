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

Whether forecasts come from knowing the data set by name: what a study's own tables can show, and what not.

    names        score(named) - score(anonymised or renamed), same question otherwise, by data set
    interaction  that difference on famous data sets minus that on the others: memory of a famous set goes with its name
    recognised   share of replies to prompts without names that name the data set all the same

Scores are interval scores in shares of the measure's range: negative differences are better. Tests are exact over data
sets (sign flips; splits into famous and other). What cannot be told: a small difference does not show that nothing is
remembered (a model may know a data set by its size and sampling); a large one does not show recall of figures (names
also carry domain knowledge, which is fair). Which data sets are famous is a choice: FAMOUS, or `famous` of the plan.
"""

from __future__ import annotations

import re
from collections.abc import Iterable, Iterator, Mapping, Sequence
from functools import cache
from types import SimpleNamespace
from typing import NamedTuple

import numpy as np
import pandas as pd

from trueness.errors import listed
from trueness.showing.summary import Finding
from trueness.statistics.comparison import Comparison
from trueness.statistics.paired import paired_difference
from trueness.statistics.proportions import wilson
from trueness.statistics.unpaired import unpaired_difference
from trueness.studies.forecast.analysis import (
    ALL_MODELS,
    PROPER,
    Analysis,
    ends,
    lines,
    over_datasets,
    per_item,
    percent,
    percent_with_ends,
    table_of,
)
from trueness.studies.forecast.frames import NAMES, REPLY, Forecasts, LearnerAbout
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


# ---- contamination

FAMOUS = frozenset(  # in textbooks, package examples and many papers' result tables
    "asia cancer earthquake survey sachs sachs-17 sachs-pooled child alarm insurance hailfinder hepar2".split()
)
RECOGNISED = "recognised"  # a probe of replies, not of scores
WITHOUT_NAMES = NAMES[1:]


Rows = Iterator[dict[str, object]]


def contamination(forecasts: Forecasts) -> Analysis:
    """One row a probe, contrast and respondent (or all models)."""
    famous = frozenset(forecasts.notes.get("famous") or FAMOUS)
    table = per_item(forecasts.all_arms, PROPER, forecasts)
    models = [name for name in forecasts.models if name in table]
    if not models:
        return Analysis.untold("contamination", "Contamination cannot be probed: no model gave a readable range.")
    probes = [*_names(table, models, famous), *_recognition(forecasts)]
    if not probes:
        return Analysis.untold(
            "contamination", "Contamination cannot be probed: every prompt named the data set alike."
        )
    sentences = [
        str(row["sentence"]) for row in probes if row["respondent"] == ALL_MODELS or row["probe"] == RECOGNISED
    ]
    frame = table_of(probes).drop(columns=["sentence"])
    return Analysis("contamination", frame, (*sentences, *_limits(frame, forecasts)))


def _names(table: pd.DataFrame, models: list[str], famous: frozenset[str]) -> Rows:
    present = set(table.index.get_level_values("names"))
    for hidden in (arm for arm in WITHOUT_NAMES if arm in present and "named" in present):
        wide = table[models].stack().unstack("names")[["named", hidden]].dropna()
        for who in (ALL_MODELS, *models):
            mine = wide if who == ALL_MODELS else wide[wide.index.get_level_values(-1) == who]
            means = mine.groupby(level="dataset", sort=False).mean()
            is_famous = means.index.isin(list(famous))
            for group, part in (("all", means), ("famous", means[is_famous]), ("other", means[~is_famous])):
                if len(part):
                    pair = paired_difference(part["named"], part[hidden], names=("named", hidden))
                    yield _row("names", f"named - {hidden}, {group} data sets", who, pair)
            gain = (means["named"] - means[hidden]).to_numpy()
            if is_famous.any() and not is_famous.all():
                groups = gain[is_famous], gain[~is_famous]
                apart = unpaired_difference(*groups, test="permutation", names=("famous", "others"))
                yield _row("interaction", f"(named - {hidden}), famous - others", who, apart)


def _row(probe: str, contrast: str, who: str, c: Comparison) -> dict[str, object]:
    c = c.described(measure=PROPER, units="data sets", clusters="data sets", better="lower")
    return {
        "probe": probe, "contrast": contrast, "respondent": who, "difference": c.difference, **ends(c.interval),
        "n_datasets": c.n_units, "test": c.test, "p": c.p, "smallest_p": c.smallest_p,
        "sentence": f"{who}, {contrast}: {c.sentence()}",
    }  # fmt: skip


def _recognition(forecasts: Forecasts) -> Rows:
    replies = forecasts.replies
    hidden = replies[replies["names"].isin(WITHOUT_NAMES) & replies["prompt"].notna()]
    for (who, arm), mine in hidden.groupby(["respondent", "names"], sort=False):
        hits = [
            _says(str(row.text), str(row.dataset)) and not _says(str(row.prompt), str(row.dataset))
            for row in lines(mine[["text", "prompt", "dataset"]])
        ]
        share, interval = sum(hits) / len(hits), wilson(sum(hits), len(hits))
        low, high = interval.low, interval.high
        names = sorted({str(name) for name, hit in zip(mine["dataset"], hits, strict=True) if hit})
        which = f": {listed(names)}" if names else ""
        yield {
            "probe": RECOGNISED, "contrast": f"{arm} replies that name the data set", "respondent": who,
            "difference": share, "low": low, "high": high, "n_datasets": mine["dataset"].nunique(), "test": "Wilson",
            "sentence": f"{who} names the data set in {sum(hits)} of {len(hits)} replies to {arm} prompts "
            f"({percent(share)} [{percent(low)}, {percent(high)}], Wilson){which}.",
        }  # fmt: skip


def _says(text: str, dataset: str) -> bool:
    return re.search(rf"\b{re.escape(dataset)}\b", text, re.I) is not None


def _limits(frame: pd.DataFrame, forecasts: Forecasts) -> Iterator[Finding]:
    probes = set(frame["probe"])
    smallest = frame["smallest_p"].min() if "smallest_p" in frame else np.nan
    sets = counted(len(forecasts.datasets), "data set")
    for is_open, sentence in (
        ("names" not in probes, "Names were not varied, so what a name gives away cannot be told."),
        ("interaction" not in probes, "Whether famous data sets are remembered cannot be told: it needs both kinds."),
        (smallest > 0.05, f"With {sets} no contrast can reach .05 (smallest p {smallest:.2g})."),
    ):
        if is_open:
            yield Finding(sentence, open=True)
