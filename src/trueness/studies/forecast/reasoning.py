"""Whether the reasoning names the assumptions of the learner.

    A = the assumptions on the learner's card,  N = named in the reply,  D = denied,  W = said to be assumed, not in A
    named = |A and N|,   missed = |A| - named,   wrong = |W| + |A and D|
    recall = sum named / sum |A|,   precision = sum named / sum (named + wrong)

The original protocol asks only whether the text "mentions" assumptions. Here a mention has a span, a denial counts
against, and what the prompt itself told (the `interval` formulation shows the card) is set apart: `unprompted` counts
only assumptions that the prompt does not name, where knowing and repeating differ.
Intervals are by data set (clustered t); the rules of reading are in assumptions.py.
"""

from __future__ import annotations

from collections.abc import Mapping
from functools import cache
from typing import NamedTuple

import numpy as np
import pandas as pd

from trueness.studies.forecast.analysis import Analysis, join_words, lines, percent, percent_with_ends
from trueness.studies.forecast.assumptions import Mention, concept_of, mentions
from trueness.studies.forecast.by_dataset import over_datasets
from trueness.studies.forecast.forecast_frames import ARMS, CELL, Forecasts, LearnerAbout
from trueness.texts import counted

_REPLY = (*CELL, *ARMS, "respondent", "repeat")


class _Card(NamedTuple):
    names: tuple[str, ...]
    others: tuple[str, ...]
    assumes: frozenset[str]


def reasoning(forecasts: Forecasts) -> Analysis:
    """One row a respondent; `more` has one row a reply and one row a span."""
    replies = forecasts.replies
    texts = replies[replies["text"].notna() & (replies["text"].astype(str).str.len() > 0)] if len(replies) else replies
    if len(texts) == 0:
        return Analysis.untold("reasoning", "Reasoning cannot be told: no reply has a text.")
    cards = {name: _card(name, forecasts.learners) for name in forecasts.learners}
    if not any(card.assumes for card in cards.values()):
        return Analysis.untold("reasoning", "Reasoning cannot be told: no learner's card names an assumption.")
    texts = texts[texts["learner"].isin(list(cards))]
    per_reply, spans = _read_all(texts, cards)
    table = _by_respondent(per_reply)
    return Analysis("reasoning", table, tuple(_sentences(table)), {"replies": per_reply, "spans": spans})


def _card(name: str, learners: Mapping[str, LearnerAbout]) -> _Card:
    about = learners[name]
    mine = (name, str(about.get("title", name)), name.split("/")[-1])
    others = [
        word for other, card in learners.items() if other != name for word in (other, str(card.get("title", other)))
    ]
    theirs = tuple(word for word in others if word.lower() not in {alias.lower() for alias in mine})
    return _Card(mine, theirs, frozenset(concept_of(phrase) for phrase in about.get("assumes", ())))


def _read_all(replies: pd.DataFrame, cards: Mapping[str, _Card]) -> tuple[pd.DataFrame, pd.DataFrame]:
    @cache
    def read(text: str, learner: str) -> tuple[Mention, ...]:
        card = cards[learner]
        return tuple(mentions(text, card.names, card.others, card.assumes))

    rows, spans = [], []
    columns = [*_REPLY, "prompt", "text"]
    for values in replies[columns].itertuples(index=False, name=None):
        key, prompt, text = values[:-2], values[-2], str(values[-1])
        assumes = cards[key[1]].assumes
        matches = read(text, key[1])
        named = {m.concept for m in matches if not m.denied}
        denied = {m.concept for m in matches if m.denied} - named
        wrong = {m.concept for m in matches if not m.denied and m.as_assumption} - assumes
        # where the prompt is not stored, what it told is not known: nothing counts as unprompted
        prompted = {m.concept for m in read(prompt, key[1]) if not m.denied} if isinstance(prompt, str) else assumes
        rows.append(
            (
                *key,
                len(assumes),
                len(assumes & named),
                len(assumes - named),
                len(wrong) + len(assumes & denied),
                len(assumes - prompted),
                len((assumes & named) - prompted),
                ", ".join(sorted(assumes & named)),
                ", ".join(sorted(wrong)),
                ", ".join(sorted(assumes & denied)),
            )
        )
        spans += [
            (*key, m.concept, m.denied, m.concept in assumes, m.start, m.end, text[m.start : m.end]) for m in matches
        ]
    counts = ["assumed", "named", "missed", "wrong", "not_told", "unprompted"]
    words = ["which_named", "which_wrong", "which_denied"]
    per_reply = pd.DataFrame(rows, columns=[*_REPLY, *counts, *words])
    where = ["concept", "denied", "on_card", "start", "end", "evidence"]
    return per_reply, pd.DataFrame(spans, columns=[*_REPLY, *where])


def _by_respondent(replies: pd.DataFrame) -> pd.DataFrame:
    table = []
    for name, mine in replies.groupby("respondent", sort=False):
        share = mine["named"] / mine["assumed"].where(mine["assumed"] > 0)
        estimate = over_datasets(share, mine["dataset"], "assumptions named", within=(0.0, 1.0))
        n_named = int(mine["named"].sum() + mine["wrong"].sum())
        blank = int(mine["not_told"].sum())
        table.append(
            {
                "respondent": name,
                "replies": len(mine),
                "datasets": mine["dataset"].nunique(),
                **estimate.cells("named_share", missing=np.nan),
                "named": int(mine["named"].sum()),
                "missed": int(mine["missed"].sum()),
                "wrong": int(mine["wrong"].sum()),
                "precision": int(mine["named"].sum()) / n_named if n_named else np.nan,
                "unprompted_share": int(mine["unprompted"].sum()) / blank if blank else np.nan,
                "all_named": float((mine["missed"] == 0).mean()),
                "silent": float(((mine["named"] == 0) & (mine["wrong"] == 0)).mean()),
                "most_wrong": _most_common(mine["which_wrong"]),
            }
        )
    return pd.DataFrame(table)


def _most_common(words: pd.Series) -> str:
    phrases = words[words != ""].str.split(", ").explode()
    return str(phrases.value_counts().index[0]) if len(phrases) else ""


def _sentences(table: pd.DataFrame) -> list[str]:
    sentences = []
    for row in lines(table):
        named = percent_with_ends(row.named_share, row.named_share_low, row.named_share_high)
        wrong = f"; {counted(row.wrong, 'assumption')} wrongly named or denied" if row.wrong else "; none wrongly named"
        wrong += f", mostly {row.most_wrong}" if row.most_wrong else ""
        unprompted = (
            f"{percent(row.unprompted_share)} of those that the prompt did not tell"
            if np.isfinite(row.unprompted_share)
            else "the prompts told all of them"
        )
        sentences.append(
            f"{row.respondent} names {named} of the assumptions of the learners "
            f"({counted(row.replies, 'reply').replace('replys', 'replies')} on {counted(row.datasets, 'data set')}, "
            f"clustered t){wrong}; {unprompted}."
        )
    silent = [row.respondent for row in lines(table) if row.silent == 1]
    if silent:
        sentences.append(f"{join_words(silent)} never speak{'s' if len(silent) == 1 else ''} of an assumption.")
    return sentences
