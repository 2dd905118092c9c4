"""What the models make of how they are asked and what they are told: paired effects of the arms.

For an arm (formulation, names, metadata, definition, target) and two of its levels A, B, over questions that differ in
nothing else (same data set, learner, measure, other arms, respondent; repeats averaged):

    effect = mean_d mean_{questions on d} (score under A - score under B),   d over data sets

with the sign-flip interval and p over data sets, Holm over the rows of one arm and score. `hit` is the share covered of
what the claim is of; the interval score is in shares of the measure's range (lower is better); width_error = |log of
the claimed width over that of the runs| says how far it is calibrated (lower is better). For the arm `target` the
two levels are scored against different things (runs, their mean), as they must be: its rows compare how well each
question is answered, not the same answer. References see no prompt and are left out.
"""

from __future__ import annotations

from itertools import combinations
from types import SimpleNamespace

import numpy as np
import pandas as pd

from trueness.measure import direction
from trueness.showing.finding import Finding
from trueness.statistics.comparison import Comparison
from trueness.statistics.multiplicity import adjusted
from trueness.statistics.paired import paired_difference
from trueness.studies.forecast import forecast_frames as frames
from trueness.studies.forecast.analysis import (
    ITEM,
    Analysis,
    asked_models,
    lines,
    number,
    pair_cells,
    per_item,
)
from trueness.studies.forecast.forecast_frames import Forecasts
from trueness.studies.forecast.selection import all_arms
from trueness.texts import counted

INFORMATION = ("formulation", "names", "metadata", "definition", "target")
PROPER = "interval_score_scaled"
SCORES = ("hit", PROPER, "width_error")
EVERYONE = "all models"
_ORDER = {"formulation": frames.FORMULATIONS, "names": frames.NAMES, "metadata": frames.METADATA,
          "definition": frames.DEFINITION, "target": frames.TARGETS}  # fmt: skip


def ablation(forecasts: Forecasts) -> Analysis:
    """One row an arm, pair of its levels, score, and respondent (or all models)."""
    models = asked_models(forecasts)
    rows = all_arms(forecasts)
    rows = rows.assign(width_error=rows["log_width_ratio_runs"].abs())
    rows = rows[rows["respondent"].isin(models) & rows["answered"]]
    varied = {arm: _levels(rows, arm) for arm in INFORMATION}
    fixed = [arm for arm in INFORMATION if len(varied[arm]) < 2]
    comparisons: list[Comparison] = []
    labels: list[dict[str, str]] = []
    for score in SCORES:
        table = per_item(rows, score, forecasts) if len(rows) else pd.DataFrame()
        for arm, levels in varied.items():
            family = [
                (one, other, who, _arm_effect(table, arm, one, other, who, models))
                for one, other in combinations(levels, 2)
                for who in (EVERYONE, *models)
            ]
            made = [comparison for *_, comparison in family if comparison.n_units]
            labels += [{"arm": arm, "respondent": who, "score": score} for *_, who, c in family if c.n_units]
            comparisons += [c.described(measure=score, better=direction(score)) for c in adjusted(made, "holm")]
    if not comparisons:
        why = f"What information is worth cannot be told: every prompt had the same {', '.join(fixed)}."
        return Analysis.untold("ablation", why)
    table = pd.DataFrame([{**label, **_row(c)} for label, c in zip(labels, comparisons, strict=True)])
    sentences = [
        f"{label['arm']}: {c.sentence()}"
        for label, c in zip(labels, comparisons, strict=True)
        if label["respondent"] == EVERYONE and label["score"] in SCORES[:2]
    ]
    sentences += [f"Not varied in this study: {', '.join(fixed)}."] if fixed else []
    return Analysis("ablation", table, tuple(sentences))


def _levels(rows: pd.DataFrame, arm: str) -> list[str]:
    present = [str(level) for level in pd.unique(rows[arm])]
    known = [level for level in _ORDER[arm] if level in present]
    return known + [level for level in present if level not in known]


def _arm_effect(table: pd.DataFrame, arm: str, one: str, other: str, who: str, models: tuple[str, ...]) -> Comparison:
    columns = [name for name in (models if who == EVERYONE else (who,)) if name in table]
    if not columns:
        return paired_difference([], [], names=(one, other))
    rest = [name for name in ITEM if name != arm]
    wide = table[columns].stack().unstack(arm)  # (question without the arm, respondent) x levels
    if one not in wide or other not in wide:
        return paired_difference([], [], names=(one, other))
    both = wide[[one, other]].dropna()
    datasets = both.index.get_level_values(rest[0]).to_numpy()
    # averaged within a data set first, so that each has the same weight
    means = both.groupby(datasets, sort=False).mean()
    effect = paired_difference(means[one].to_numpy(), means[other].to_numpy(), names=(one, other))
    return effect.described(units="data sets", clusters="data sets")


def _row(c: Comparison) -> dict[str, object]:
    return {
        **pair_cells(c),
        "n_datasets": c.n_units,
        "test": c.test,
        "p": number(c.p),
        "p_holm": number(c.p_adjusted),
        "smallest_p": number(c.smallest_p),
    }


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
    table = table[(table["respondent"] == EVERYONE) & (table["score"] == PROPER)]
    rows = [_advice(row, level) for row in lines(table)]
    frame = pd.DataFrame(rows)
    return Analysis("guidelines", frame, tuple(Finding(row["sentence"], open=row["advice"] == "open") for row in rows))


def _advice(row: SimpleNamespace, level: float) -> dict[str, object]:
    """row: of the ablation. A negative difference is a lower score of `a`, which is better."""
    one, other = (row.a, row.b) if (row.b, row.a) not in _QUESTIONS else (row.b, row.a)
    sign = 1.0 if one == row.a else -1.0
    difference = sign * row.difference
    what = _QUESTIONS.get((one, other), f"{row.arm.capitalize()} {one}")
    significant = np.isfinite(row.p_holm) and row.p_holm <= level
    advice = "open" if not significant else "helps" if difference < 0 else "harms"
    word = {"helps": "helps", "harms": "harms", "open": "cannot be told to help or to harm"}[advice]
    span = sorted((sign * row.low, sign * row.high))
    interval = f" [{span[0]:+.3f}, {span[1]:+.3f}]" if np.isfinite(span).all() else ", no interval"
    p = f"Holm-adjusted p = {row.p_holm:.2g}" if np.isfinite(row.p_holm) else "no test"
    sentence = (
        f"{what} {word}: the interval score moves by {difference:+.3f}{interval} against {other} "
        f"(lower is better; {counted(row.n_datasets, 'data set')}, {p})."
    )
    return {"arm": row.arm, "a": one, "b": other, "advice": advice, "difference": difference, "sentence": sentence}
