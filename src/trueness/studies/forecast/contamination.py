"""Whether forecasts come from knowing the data set by name: what a study's own tables can show, and what not.

    names        score(named) - score(anonymised or renamed), same question otherwise, by data set
    interaction  that difference on famous data sets minus that on the others: memory of a famous set goes with its name
    fame         on named prompts: (model - reference) on famous data sets minus the same on the others; the reference
                 takes out that famous data sets may be easier
    recognised   share of replies to prompts without names that name the data set all the same
    published    share of claims that hold a published figure to two digits, named minus anonymised; only where the
                 plan names such figures (published = "figures.csv": dataset, learner, measure, value)

Scores are interval scores in shares of the measure's range: negative differences are better. Tests are exact over data
sets (sign flips; splits into famous and other). What cannot be told: a small difference does not show that nothing is
remembered (a model may know a data set by its size and sampling); a large one does not show recall of figures (names
also carry domain knowledge, which is fair). Which data sets are famous is a choice: FAMOUS, or `famous` of the plan.
"""

from __future__ import annotations

import csv
import io
import re
from pathlib import Path
from typing import NamedTuple

import numpy as np
import pandas as pd
from numpy.typing import NDArray

from trueness.errors import PlanError
from trueness.outside import MEGABYTE, is_there, text_of
from trueness.showing.finding import Finding
from trueness.statistics.comparison import Comparison
from trueness.statistics.paired import paired_difference
from trueness.statistics.proportions import wilson
from trueness.statistics.unpaired import unpaired_difference
from trueness.studies.forecast.analysis import (
    Analysis,
    asked_models,
    ends,
    join_words,
    lines,
    number,
    per_item,
    percent,
)
from trueness.studies.forecast.comparisons import PROPER
from trueness.studies.forecast.forecast_frames import CELL, Forecasts
from trueness.studies.forecast.selection import all_arms
from trueness.texts import counted

FAMOUS = frozenset(  # in textbooks, package examples and many papers' result tables
    "asia cancer earthquake survey sachs sachs-17 sachs-pooled child alarm insurance hailfinder hepar2".split()
)
MAX_PUBLISHED = MEGABYTE
ALL = "all models"
WITHOUT_NAMES = ("anonymised", "renamed")
_REFERENCES = ("baseline/climatology", "baseline/heuristic", "baseline/random")  # the first that is there


class Published(NamedTuple):
    """A figure of the literature that a model may know by heart."""

    dataset: str
    learner: str
    measure: str
    value: float


def read_published(path: Path) -> tuple[Published, ...]:
    if not is_there(path):
        raise PlanError(f"'published' must be a CSV file, got {path.name!r}, which is not there.")
    rows = csv.DictReader(io.StringIO(text_of(path, MAX_PUBLISHED, PlanError)))
    figures = []
    for row in rows:
        try:
            dataset, learner, measure = (row[name].strip().lower() for name in ("dataset", "learner", "measure"))
            figures.append(Published(dataset, learner, measure, float(row["value"])))
        except (KeyError, TypeError, ValueError, AttributeError):
            raise PlanError(
                f"line {rows.line_num} of {path.name} must have dataset, learner, measure and a number as value, got "
                f"{dict(row)!r:.80}. The first line names the columns."
            ) from None
    return tuple(figures)


def contamination(forecasts: Forecasts) -> Analysis:
    """One row a probe, contrast and respondent (or all models)."""
    famous = frozenset(forecasts.notes.get("famous") or FAMOUS)
    rows = all_arms(forecasts)
    table = per_item(rows, PROPER, forecasts)
    models = [name for name in asked_models(forecasts) if name in table]
    if not models:
        return Analysis.untold("contamination", "Contamination cannot be probed: no model gave a readable range.")
    probes = [*_names(table, models, famous), *_fame(table, models, famous)]
    probes += [*_recognition_rows(forecasts), *_published_rows(rows, forecasts)]
    if not probes:
        why = "every prompt named the data set alike, and famous and other data sets are not both there"
        return Analysis.untold("contamination", f"Contamination cannot be probed: {why}.")
    sentences = [str(row["sentence"]) for row in probes if row["respondent"] == ALL or row["probe"] == "recognised"]
    frame = pd.DataFrame(probes).drop(columns=["sentence"])
    return Analysis("contamination", frame, tuple([*sentences, *_limits(frame, forecasts)]))


def _names(table: pd.DataFrame, models: list[str], famous: frozenset[str]) -> list[dict[str, object]]:
    present = set(table.index.get_level_values("names"))
    probes = []
    for hidden in (arm for arm in WITHOUT_NAMES if arm in present and "named" in present):
        wide = table[models].stack().unstack("names")[["named", hidden]].dropna()
        for who in (ALL, *models):
            mine = wide if who == ALL else wide[wide.index.get_level_values(-1) == who]
            means = mine.groupby(level="dataset", sort=False).mean()
            is_famous = means.index.isin(list(famous))
            for group, part in (("all", means), ("famous", means[is_famous]), ("other", means[~is_famous])):
                if len(part):
                    pair = paired_difference(part["named"], part[hidden], names=("named", hidden))
                    probes.append(_row("names", f"named - {hidden}, {group} data sets", who, pair))
            gain = (means["named"] - means[hidden]).to_numpy()
            if is_famous.any() and (~is_famous).any():
                apart = _split(gain, is_famous)
                probes.append(_row("interaction", f"(named - {hidden}), famous - others", who, apart))
    return probes


def _fame(table: pd.DataFrame, models: list[str], famous: frozenset[str]) -> list[dict[str, object]]:
    reference = next((name for name in _REFERENCES if name in table), None)
    named = table[table.index.get_level_values("names") == "named"]
    if reference is None or named.empty:
        return []
    probes = []
    for who in (ALL, *models):
        mine = named[models].mean(axis=1) if who == ALL else named[who]
        gain = (mine - named[reference]).dropna().groupby(level="dataset", sort=False).mean()
        is_famous = gain.index.isin(list(famous))
        if is_famous.any() and (~is_famous).any():
            probes.append(
                _row("fame", f"(model - {reference}), famous - others", who, _split(gain.to_numpy(), is_famous))
            )
    return probes


def _split(gain: NDArray[np.float64], is_famous: NDArray[np.bool_]) -> Comparison:
    return unpaired_difference(gain[is_famous], gain[~is_famous], test="permutation", names=("famous", "others"))


def _row(probe: str, contrast: str, who: str, c: Comparison) -> dict[str, object]:
    c = c.described(measure=PROPER, units="data sets", clusters="data sets", better="lower")
    return {
        "probe": probe,
        "contrast": contrast,
        "respondent": who,
        "difference": number(c.difference),
        **ends(c.interval),
        "n_datasets": c.n_units,
        "test": c.test,
        "p": number(c.p),
        "smallest_p": number(c.smallest_p),
        "sentence": f"{who}, {contrast}: {c.sentence()}",
    }


def _recognition_rows(forecasts: Forecasts) -> list[dict[str, object]]:
    replies = forecasts.replies
    hidden = replies[replies["names"].isin(WITHOUT_NAMES) & replies["prompt"].notna()] if len(replies) else replies
    probes = []
    for (who, arm), mine in hidden.groupby(["respondent", "names"], sort=False) if len(hidden) else ():
        hits = [
            _says(str(row.text), str(row.dataset)) and not _says(str(row.prompt), str(row.dataset))
            for row in lines(mine[["text", "prompt", "dataset"]])
        ]
        share = wilson(sum(hits), len(hits))
        names = sorted({str(name) for name, hit in zip(mine["dataset"], hits, strict=True) if hit})
        which = f": {join_words(names)}" if names else ""
        probes.append(
            {
                "probe": "recognised",
                "contrast": f"{arm} replies that name the data set",
                "respondent": who,
                "difference": sum(hits) / len(hits),
                "low": share.low,
                "high": share.high,
                "n_datasets": mine["dataset"].nunique(),
                "test": "Wilson",
                "sentence": f"{who} names the data set in {sum(hits)} of {len(hits)} replies to {arm} prompts "
                f"({percent(sum(hits) / len(hits))} [{percent(share.low)}, {percent(share.high)}], Wilson){which}.",
            }
        )
    return probes


def _says(text: str, dataset: str) -> bool:
    return re.search(rf"\b{re.escape(dataset)}\b", text, re.I) is not None


def _published_rows(rows: pd.DataFrame, forecasts: Forecasts) -> list[dict[str, object]]:
    figures: dict[tuple[str, str, str], list[float]] = {}
    for entry in forecasts.notes.get("published", ()):
        figure = Published(**entry)
        figures.setdefault((figure.dataset, figure.learner, figure.measure), []).append(figure.value)
    answered = rows[rows["answered"] & rows["respondent"].isin(asked_models(forecasts))]
    keys = [tuple(map(str.lower, key)) for key in answered[[*CELL, "measure"]].itertuples(index=False, name=None)]
    known = answered[[key in figures for key in keys]] if figures else answered.iloc[:0]
    if known.empty:
        return []
    ends = known[["low", "high", "midpoint"]].to_numpy(float).round(2)
    claims = zip([key for key in keys if key in figures], ends, strict=True)
    recalled = np.array([np.isin(np.round(figures[key], 2), values).any() for key, values in claims], dtype=float)
    probes = []
    for who in (ALL, *pd.unique(known["respondent"])):
        mine = np.ones(len(known), bool) if who == ALL else (known["respondent"] == who).to_numpy()
        by = (
            pd.Series(recalled[mine])
            .groupby([known["dataset"].to_numpy()[mine], known["names"].to_numpy()[mine]])
            .mean()
        )
        wide = by.unstack()
        if not {"named", "anonymised"} <= set(wide):
            continue
        pair = paired_difference(wide["named"], wide["anonymised"], names=("named", "anonymised"))
        row = _row("published", "claims with a published figure, named - anonymised", str(who), pair)
        probes.append(row)
    return probes


def _limits(frame: pd.DataFrame, forecasts: Forecasts) -> list[str]:
    limits = []
    if "names" not in set(frame["probe"]):
        limits.append("Names were not varied, so what a name gives away cannot be told.")
    if not set(frame["probe"]) & {"interaction", "fame"}:
        limits.append("Famous and other data sets are not both there, so memory of famous ones cannot be told.")
    if "published" not in set(frame["probe"]):
        limits.append("Verbatim recall of published figures cannot be told: the study holds none to compare with.")
    smallest = frame["smallest_p"].min() if "smallest_p" in frame else np.nan
    n = len(forecasts.datasets)
    if np.isfinite(smallest) and smallest > 0.05:
        limits.append(f"With {counted(n, 'data set')} no contrast can reach .05 (smallest p {smallest:.2g}).")
    return [Finding(sentence, open=True) for sentence in limits]
