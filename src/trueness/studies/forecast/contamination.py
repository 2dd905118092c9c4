"""Whether forecasts come from knowing the data set by name: what a study's own tables can show, and what not.

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
from collections.abc import Iterator

import numpy as np
import pandas as pd

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
    join_words,
    lines,
    per_item,
    percent,
    table_of,
)
from trueness.studies.forecast.frames import NAMES, Forecasts
from trueness.texts import counted

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
        which = f": {join_words(names)}" if names else ""
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
