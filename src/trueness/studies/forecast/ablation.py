"""What the models make of what they are told: paired effects of the arms.

For an arm (names, metadata, definition, target) and two of its levels A, B, over questions that differ in nothing else
(same data set, learner, measure, other arms, respondent; repeats averaged):

    effect = mean_d mean_{questions on d} (score under A - score under B),   d over data sets

with the sign-flip interval and p over data sets, Holm over the rows of one arm and score. `hit` is the share covered of
what the claim is of; the interval score is in shares of the measure's range (lower is better). For the arm `target` the
two levels are scored against different things (runs, their mean), as they must be: its rows compare how well each
question is answered, not the same answer. References see no prompt and are left out.
"""

from __future__ import annotations

from itertools import combinations
from typing import Any

import pandas as pd

from trueness.measure import direction
from trueness.statistics.adjustment import adjusted
from trueness.statistics.comparison import Comparison
from trueness.statistics.paired import paired_difference
from trueness.studies.forecast import frames
from trueness.studies.forecast.analysis import ITEM, Analysis, all_arms, asked_models, number, pair_cells, per_item
from trueness.studies.forecast.frames import Forecasts

INFORMATION = ("names", "metadata", "definition", "target")
SCORES = ("hit", "interval_score_scaled")
EVERYONE = "all models"
_ORDER = {"names": frames.NAMES, "metadata": frames.METADATA, "definition": frames.DEFINITION, "target": frames.TARGETS}


def ablation(forecasts: Forecasts) -> Analysis:
    """One row an arm, pair of its levels, score, and respondent (or all models)."""
    models = asked_models(forecasts)
    rows = all_arms(forecasts)
    rows = rows[rows["respondent"].isin(models) & rows["answered"]]
    varied = {arm: _levels(rows, arm) for arm in INFORMATION}
    fixed = [arm for arm in INFORMATION if len(varied[arm]) < 2]
    found: list[Comparison] = []
    labels: list[dict[str, str]] = []
    for score in SCORES:
        table = per_item(rows, score, forecasts) if len(rows) else pd.DataFrame()
        for arm, levels in varied.items():
            family = [
                (one, other, who, _paired(table, arm, one, other, who, models))
                for one, other in combinations(levels, 2)
                for who in (EVERYONE, *models)
            ]
            made = [comparison for *_, comparison in family if comparison.n_units]
            labels += [{"arm": arm, "respondent": who, "score": score} for *_, who, c in family if c.n_units]
            found += [c.described(measure=score, better=direction(score)) for c in adjusted(made, "holm")]
    if not found:
        told = f"What information is worth cannot be told: every prompt had the same {', '.join(fixed)}."
        return Analysis.untold("ablation", told)
    table = pd.DataFrame([{**label, **_row(c)} for label, c in zip(labels, found, strict=True)])
    sentences = [
        f"{label['arm']}: {c.sentence()}"
        for label, c in zip(labels, found, strict=True)
        if label["respondent"] == EVERYONE
    ]
    sentences += [f"Not varied in this study: {', '.join(fixed)}."] if fixed else []
    return Analysis("ablation", table, tuple(sentences))


def _levels(rows: pd.DataFrame, arm: str) -> list[str]:
    present = [str(level) for level in pd.unique(rows[arm])]
    known = [level for level in _ORDER[arm] if level in present]
    return known + [level for level in present if level not in known]


def _paired(table: pd.DataFrame, arm: str, one: str, other: str, who: str, models: tuple[str, ...]) -> Comparison:
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
    found = paired_difference(means[one].to_numpy(), means[other].to_numpy(), names=(one, other))
    return found.described(units="data sets", clusters="data sets")


def _row(c: Comparison) -> dict[str, Any]:
    return {
        **pair_cells(c),
        "n_datasets": c.n_units,
        "test": c.test,
        "p": number(c.p),
        "p_holm": number(c.p_adjusted),
        "smallest_p": number(c.smallest_p),
    }
