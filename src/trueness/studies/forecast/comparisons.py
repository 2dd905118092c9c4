"""Who forecasts better, and what models make of how they are asked: paired differences with data sets as units.

Comparisons: each pair of models, and each model against each reference. As in the original: Wilcoxon's signed rank over
items (data set, learner, measure; arms and repeats averaged), with Benjamini-Hochberg over all comparisons of one
score. It takes items of one data set for independent, which they are not: the same runs and the same words of the data
set stand behind them, and its p is too small. Beside it: the exact sign-flip test with the data set as the unit (2^D
patterns), its interval by inversion, Holm over the comparisons of one score. A difference is taken on the arms that
both answered; a reference sees no prompt and stands for all arms of its target.

    calibrated_coverage     covers_mean, the original's primary measure                     higher is better
    hit                     share covered of what the claim is of (runs, or the mean)       higher, gamed by [0, 1]
    overlaps_, iou_         as the original compares ranges: do they meet, |both| / |either|     higher
    interval_score_scaled   the proper score, in shares of the measure's range              lower is better

Ablation: for an arm (formulation, names, metadata, definition, target) and two of its levels A, B, over questions that
differ in nothing else (same data set, learner, measure, other arms, respondent; repeats averaged):

    effect = mean_d mean_{questions on d} (score under A - score under B),   d over data sets

with the sign-flip interval and p over data sets, Holm over the rows of one arm and score. width_error = |log of the
claimed width over that of the runs| says how far it is calibrated (lower is better). For the arm `target` the two
levels are scored against different things (runs, their mean), as they must be: its rows compare how well each question
is answered, not the same answer. References see no prompt and are left out.

Robustness. The original, for each cell (data set, learner, measure), over its three formulations k (original-*; else
our three):

    V = sd_k(width_k) (n in the denominator, as numpy.std),   V < .1 mean width: robust,  V > .2: unstable, else between

Three equal widths are no robustness ([0, .2] and [.8, 1] have V = 0), so beside it, between all pairs of formulations:

    IoU of the two ranges,   and that between repeats of one formulation
"""

from __future__ import annotations

from collections.abc import Iterator
from itertools import combinations
from types import SimpleNamespace
from typing import Any

import numpy as np
import pandas as pd
from numpy.typing import NDArray

from trueness.measure import direction
from trueness.measures.interval_scores import iou
from trueness.showing.summary import Finding
from trueness.statistics.comparison import Comparison
from trueness.statistics.multiplicity import adjust, adjusted
from trueness.statistics.paired import paired_difference, signed_rank_p
from trueness.statistics.reach import Reach
from trueness.studies.forecast import frames
from trueness.studies.forecast.analysis import (
    ALL_MODELS,
    PROPER,
    Analysis,
    Array,
    lines,
    over_datasets,
    pair_cells,
    per_item,
    table_of,
)
from trueness.studies.forecast.frames import ARMS, CELL, ORIGINAL, Forecasts
from trueness.texts import counted

COMPARED = {  # name in the tables -> column of the scores
    "calibrated_coverage": "covers_mean",
    "hit": "hit",
    "overlaps_mean_ci": "overlaps_mean_ci",
    "iou_mean_ci": "iou_mean_ci",
    "iou_runs": "iou_runs",
    PROPER: PROPER,
}
ABLATED = ("hit", PROPER, "width_error")
EXACT_ITEMS = 50  # as scipy's own choice; ties are respected here


def comparisons(forecasts: Forecasts) -> Analysis:
    """One row a pair and score, the two tests beside each other: the rows of statistical_tests.csv."""
    models = forecasts.models
    others = [name for name in forecasts.as_scored if name in forecasts.references]
    pairs = [*combinations(models, 2), *((model, other) for model in models for other in others)]
    if not pairs:
        return Analysis.untold("comparisons", "Nothing can be compared: there is one respondent, or none.")
    tables = {score: per_item(forecasts.headline, column, forecasts) for score, column in COMPARED.items()}
    if tables[PROPER].empty:
        return Analysis.untold("comparisons", "Nothing can be compared: no readable range was scored.")
    rows, proper = [], []
    for score, table in tables.items():
        each = [_items(table, pair) for pair in pairs]
        exact = adjusted([_by_dataset(*one, score) for one in zip(each, pairs, strict=True)], "holm")
        rows += _rows(exact, [_by_item(items) for items in each], score)
        proper += exact if score == PROPER else []
    whole = table_of(rows)
    return Analysis("comparisons", whole, tuple(_sentences(whole, proper, len(pairs))))


def _items(table: pd.DataFrame, pair: tuple[str, str]) -> pd.DataFrame:
    """a and b: one number an item each, averaged over the arms on which both have one; NaN where there is none."""
    a, b = (table[name] if name in table else pd.Series(np.nan, table.index) for name in pair)
    both = pd.DataFrame({"a": a, "b": b}).where(a.notna() & b.notna())
    return both.groupby(level=[*CELL, "measure"], sort=False).mean()


def _by_dataset(items: pd.DataFrame, pair: tuple[str, str], score: str) -> Comparison:
    datasets = items.index.get_level_values("dataset").to_numpy()
    difference = paired_difference(items["a"].to_numpy(), items["b"].to_numpy(), datasets, names=pair)
    return difference.described(measure=score, units="items", clusters="data sets", better=direction(score))


def _by_item(items: pd.DataFrame) -> float:
    """The p of the original's test: exact for few items, beyond in scipy's normal form; 1 without any difference."""
    d = (items["a"] - items["b"]).dropna().to_numpy().round(12)
    if not np.abs(d).max(initial=0.0) > 0:
        return 1.0 if len(d) else np.nan
    if len(d) <= EXACT_ITEMS:
        p = signed_rank_p(d)[1]
        return np.nan if p is None else p
    from scipy.stats import wilcoxon

    return float(wilcoxon(d).pvalue)


def _rows(exact: list[Comparison], original: list[float], score: str) -> list[dict[str, object]]:
    return [
        {
            "score": score, **pair_cells(c), "n_items": c.n_units, "n_datasets": c.n_clusters, "p_sign_flip": c.p,
            "p_sign_flip_holm": c.p_adjusted, "smallest_p": c.smallest_p, "p_wilcoxon": p, "p_wilcoxon_bh": float(q),
            "n_comparisons": c.n_comparisons, "better": c.better, "significant_original": bool(q <= 1 - c.level),
            "significant_clustered": c.distinguishable, "notes": " ".join(c.notes),
        }
        for c, p, q in zip(exact, original, adjust(original, "bh"), strict=True)
    ]  # fmt: skip


def _sentences(table: pd.DataFrame, tests: list[Comparison], n_pairs: int) -> list[str]:
    sentences = [c.sentence() for c in tests if c.distinguishable]
    apart, same = len(sentences), len(tests) - len(sentences)
    proper = table[table["score"] == PROPER]
    flips = next((c.test for c in tests if c.p_error is not None), "exact sign flips")  # drawn over many data sets
    sentences.append(
        f"By the interval score {apart} of {len(tests)} pairs can be told apart ({flips} over data sets, "
        f"Holm), {same} cannot; Wilcoxon over items with Benjamini-Hochberg, as in the original, calls "
        f"{int(proper['significant_original'].sum())} different: it counts items of one data set as independent."
    )
    reach = Reach(max((c.n_clusters for c in tests), default=0), n_pairs)
    return [*sentences, Finding(str(reach).replace("units", "data sets"), open=not reach.possible)]


# ---- how they are asked

_ORDER = {"formulation": frames.FORMULATIONS, "names": frames.NAMES, "metadata": frames.METADATA,
          "definition": frames.DEFINITION, "target": frames.TARGETS}  # fmt: skip


def ablation(forecasts: Forecasts) -> Analysis:
    """One row an arm, pair of its levels, score, and respondent (or all models)."""
    models, rows = forecasts.models, forecasts.all_arms
    rows = rows.assign(width_error=rows["log_width_ratio_runs"].abs())
    rows = rows[rows["respondent"].isin(models) & rows["answered"]]
    varied = {arm: frames.in_order(rows[arm].unique(), _ORDER[arm]) for arm in ARMS}
    fixed = [arm for arm in ARMS if len(varied[arm]) < 2]
    found: list[tuple[dict[str, str], Comparison]] = []
    for score in ABLATED:
        table = per_item(rows, score, forecasts) if len(rows) else pd.DataFrame()
        for arm, levels in varied.items():
            family = [
                (who, _arm_effect(table, arm, one, other, models if who == ALL_MODELS else (who,)))
                for one, other in combinations(levels, 2)
                for who in (ALL_MODELS, *models)
            ]
            family = [(who, effect) for who, effect in family if effect.n_units]
            effects = adjusted([effect for _, effect in family], "holm")
            for (who, _), effect in zip(family, effects, strict=True):
                label = {"arm": arm, "respondent": who, "score": score}
                found.append((label, effect.described(measure=score, better=direction(score))))
    if not found:
        why = f"What information is worth cannot be told: every prompt had the same {', '.join(fixed)}."
        return Analysis.untold("ablation", why)
    table = table_of(
        {
            **label, **pair_cells(c), "n_datasets": c.n_units, "test": c.test, "p": c.p, "p_holm": c.p_adjusted,
            "smallest_p": c.smallest_p,
        }
        for label, c in found
    )  # fmt: skip
    sentences = [
        f"{label['arm']}: {c.sentence()}"
        for label, c in found
        if label["respondent"] == ALL_MODELS and label["score"] in ABLATED[:2]
    ]
    sentences += [f"Not varied in this study: {', '.join(fixed)}."] if fixed else []
    return Analysis("ablation", table, tuple(sentences))


def _arm_effect(table: pd.DataFrame, arm: str, one: str, other: str, who: tuple[str, ...]) -> Comparison:
    columns = [name for name in who if name in table]
    wide = table[columns].stack().unstack(arm) if columns else pd.DataFrame()  # (rest, respondent) x levels
    if one not in wide or other not in wide:
        return paired_difference([], [], names=(one, other))
    # averaged within a data set first, so that each has the same weight
    means = wide[[one, other]].dropna().groupby(level="dataset", sort=False).mean()
    effect = paired_difference(means[one].to_numpy(), means[other].to_numpy(), names=(one, other))
    return effect.described(units="data sets", clusters="data sets")


_QUESTIONS = {  # what the original asks of its formulations: (with, without)
    ("steps", "direct"): "Guided reasoning",
    ("original-steps", "original-direct"): "Guided reasoning (the original's words)",
    ("interval", "direct"): "Asking for the 95 % interval",
    ("original-interval", "original-direct"): "Asking for the 95 % interval (the original's words)",
    ("quantiles", "direct"): "Asking for a median and three intervals",
}


def guidelines(arms: Analysis, level: float = 0.05) -> Analysis:
    """What the paired tests of the interval score, all models together, advise for a prompt; arms: from `ablation`."""
    table = arms.table
    if not arms.possible or table.empty:
        return Analysis.untold("guidelines", "No guideline for prompts can be drawn: every prompt was put alike.")
    table = table[(table["respondent"] == ALL_MODELS) & (table["score"] == PROPER)]
    rows = [_advice(row, level) for row in lines(table)]
    sentences = tuple(Finding(row["sentence"], open=row["advice"] == "open") for row in rows)
    return Analysis("guidelines", pd.DataFrame(rows), sentences)


def _advice(row: SimpleNamespace, level: float) -> dict[str, object]:
    """row: of the ablation. A negative difference is a lower score of `a`, which is better."""
    one, other = (row.a, row.b) if (row.b, row.a) not in _QUESTIONS else (row.b, row.a)
    sign = 1.0 if one == row.a else -1.0
    difference = sign * row.difference
    what = _QUESTIONS.get((one, other), f"{row.arm.capitalize()} {one}")
    significant = np.isfinite(row.p_holm) and row.p_holm <= level
    advice = "open" if not significant else "helps" if difference < 0 else "harms"
    word = "cannot be told to help or to harm" if advice == "open" else advice
    span = sorted((sign * row.low, sign * row.high))
    interval = f" [{span[0]:+.3f}, {span[1]:+.3f}]" if np.isfinite(span).all() else ", no interval"
    p = f"Holm-adjusted p = {row.p_holm:.2g}" if np.isfinite(row.p_holm) else "no test"
    sentence = (
        f"{what} {word}: the interval score moves by {difference:+.3f}{interval} against {other} "
        f"(lower is better; {counted(row.n_datasets, 'data set')}, {p})."
    )
    return {"arm": row.arm, "a": one, "b": other, "advice": advice, "difference": difference, "sentence": sentence}


# ---- whether the question's wording matters

ROBUST, UNSTABLE = 0.1, 0.2  # of the mean width
OURS = ("direct", "steps", "interval")  # over which V is taken where the original's own three were not asked
_FRAMED = ["respondent", *CELL, "measure", *(arm for arm in ARMS if arm != "formulation")]
_OF_CELL = list(range(len(_FRAMED)))


def robustness(forecasts: Forecasts) -> Analysis:
    """One row a respondent; `more` has one row a cell."""
    rows = forecasts.answers(forecasts.models)
    if rows.empty or rows["formulation"].nunique() < 2:
        only = f"{rows['formulation'].iloc[0]!r} is the only formulation" if len(rows) else ""
        why = only or "no model gave a readable range"
        return Analysis.untold("robustness", f"Prompt robustness cannot be told: {why}.")
    framed = _framing_cells(rows)
    table = table_of(_robustness_row(name, mine) for name, mine in framed.groupby("respondent", sort=False))
    return Analysis("robustness", table, tuple(_robustness_sentences(table)), {"cells": framed})


def _framing_cells(rows: pd.DataFrame) -> pd.DataFrame:
    rows = rows.assign(width=rows["high"] - rows["low"])
    framed = rows.groupby([*_FRAMED, "formulation"], sort=False, observed=True).agg(
        width=("width", "mean"), n=("width", "size")
    )
    table = framed.groupby(level=_OF_CELL, sort=False, observed=True).agg(
        formulations=("width", "size"), width=("width", "mean"), repeats=("n", "mean")
    )
    forms = framed.index.get_level_values("formulation")
    three = ORIGINAL if forms.isin(ORIGINAL).any() else OURS
    widths = framed[forms.isin(three)].groupby(level=_OF_CELL, sort=False, observed=True)["width"]
    table["v"] = widths.std(ddof=0).where(widths.size() > 1).reindex(table.index)
    table["v_width"] = widths.mean().reindex(table.index)
    table["class"] = _classes(table["v"].to_numpy(), table["v_width"].to_numpy())
    # averaged over pairs: of formulations at the same repeat, of repeats
    wide: Any = rows.set_index([*_FRAMED, "formulation", "repeat"])[["low", "high"]]
    wide = wide[~wide.index.duplicated()]
    for key, name in (("formulation", "iou"), ("repeat", "iou_repeats")):
        table[name] = _iou_between(wide.unstack(key)).reindex(table.index)
    return table.reset_index()


def _classes(v: Array, width: Array) -> NDArray[np.object_]:
    """robust, between or unstable by V against the mean width; widths that are all zero have V = 0 and are robust."""
    classes = np.full(len(v), "between", dtype=object)
    classes[(v < ROBUST * width) | ((v == 0) & (width == 0))] = "robust"
    classes[v > UNSTABLE * width] = "unstable"
    classes[np.isnan(v)] = None
    return classes


def _iou_between(wide: pd.DataFrame) -> pd.Series:
    """The mean over all pairs of columns, and over the rows of a cell."""
    pairs = []
    for one, other in combinations(wide["low"].columns, 2):
        ends = [wide[end, key].to_numpy(float) for key in (one, other) for end in ("low", "high")]
        pairs.append(np.where(np.isnan(ends).any(axis=0), np.nan, iou(*ends)))
    each = pd.DataFrame(np.array(pairs).reshape(-1, len(wide)).T, index=wide.index)
    return pd.Series(each.stack()).groupby(level=_OF_CELL, sort=False, observed=True).mean()


def _robustness_row(name: object, mine: pd.DataFrame) -> dict[str, object]:
    classes = mine["class"].value_counts()
    judged = int(mine["v"].notna().sum())
    row: dict[str, object] = {"respondent": name, "cells": judged, "datasets": mine["dataset"].nunique()}
    row |= {kind: int(classes.get(kind, 0)) for kind in ("robust", "between", "unstable")}
    row["v_relative"] = (mine["v"] / mine["v_width"].where(mine["v_width"] > 0)).mean()
    for column in ("iou", "iou_repeats"):
        row |= over_datasets(mine[column], mine["dataset"], column, within=(0.0, 1.0)).cells(column)
    apart = mine["iou"] - mine["iou_repeats"]
    difference = over_datasets(apart, mine["dataset"], "difference", null=0.0, within=(-1.0, 1.0))
    row |= difference.cells("iou_difference") | {"p": difference.p, "test": difference.test}
    return row


def _robustness_sentences(table: pd.DataFrame) -> Iterator[str]:
    for row in lines(table):
        counts = f"{row.robust} of {row.cells} cells robust, {row.unstable} unstable by the spread of the widths (V)"
        interval = f" [{row.iou_low:.2f}, {row.iou_high:.2f}]" if np.isfinite(row.iou_low) else ""
        sets = counted(row.datasets, "data set")
        between = f"ranges of two formulations share {row.iou:.2f}{interval} (IoU; {sets}, t)"
        if not np.isfinite(row.iou_repeats):
            noise = "there are no repeats, so framing and chance cannot be told apart"
        else:
            noise = f"two repeats of one formulation {row.iou_repeats:.2f}"
        yield f"{row.respondent}: {counts}; {between}, {noise}."
