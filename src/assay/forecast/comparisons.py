"""Who forecasts better: each pair of models, and each model against each reference.

As in the original: Wilcoxon's signed rank over items (data set, learner, measure; arms and repeats averaged), with
Benjamini-Hochberg over all comparisons of one score. It takes items of one data set for independent, which they are
not: the same runs and the same words of the data set stand behind them, and its p is too small.
Beside it: the exact sign-flip test with the data set as the unit (2^D patterns), its interval by inversion, Holm over
the comparisons of one score. A difference is taken on the arms that both answered; a reference sees no prompt and stands
for all arms of its target.

    calibrated_coverage     covers_mean, the original's primary measure                     higher is better
    hit                     share covered of what the claim is of (runs, or the mean)       higher, gamed by [0, 1]
    interval_score_scaled   the proper score, in shares of the measure's range              lower is better
"""

from __future__ import annotations

from itertools import combinations
from typing import Any, Literal

import numpy as np
import pandas as pd
from numpy.typing import NDArray

from assay.forecast.analysis import Analysis, asked_models, headline, per_item, respondents
from assay.forecast.frames import CELL, Forecasts
from assay.statistics.comparison import Comparison, adjusted
from assay.statistics.paired import paired_difference, wilcoxon
from assay.statistics.reach import Reach

Array = NDArray[np.float64]
Better = Literal["higher", "lower"]
SCORES: dict[str, tuple[str, Better]] = {  # name in the tables -> (column of the scores, which way is better)
    "calibrated_coverage": ("covers_mean", "higher"),
    "hit": ("hit", "higher"),
    "interval_score_scaled": ("interval_score_scaled", "lower"),
}
PROPER = "interval_score_scaled"


def comparisons(forecasts: Forecasts) -> Analysis:
    """One row a pair and score, the two tests beside each other: the rows of statistical_tests.csv."""
    models = asked_models(forecasts)
    others = [name for name in respondents(forecasts) if name in forecasts.references]
    pairs = [*combinations(models, 2), *((model, other) for model in models for other in others)]
    if not pairs:
        return Analysis.untold("comparisons", "Nothing can be compared: there is one respondent, or none.")
    rows = headline(forecasts)
    found: list[pd.DataFrame] = []
    said: list[Comparison] = []
    for score, (column, better) in SCORES.items():
        table = per_item(rows, column, forecasts)
        if table.empty:
            continue
        by_item, by_dataset = _both_tests(table, pairs, score, better)
        found.append(_rows(by_item, by_dataset, score))
        said += by_dataset if score == PROPER else []
    if not found:
        return Analysis.untold("comparisons", "Nothing can be compared: no readable range was scored.")
    sentences = [c.sentence() for c in said if c.names[1] in forecasts.references or c.distinguishable]
    n = max((c.n_clusters for c in said), default=0)
    reach = str(Reach(n, max(len(pairs), 1))).replace("units", "data sets")
    return Analysis("comparisons", pd.concat(found, ignore_index=True), (*sentences, reach))


def paired_items(table: pd.DataFrame, one: str, other: str) -> pd.DataFrame:
    """Both columns averaged to items (data set, learner, measure) over the arms on which both have a value."""
    both = table[[name for name in (one, other) if name in table]].dropna()
    if one not in table or other not in table:
        return pd.DataFrame(columns=["a", "b"], index=table.index[:0].droplevel(list(range(3, table.index.nlevels))))
    means = both.groupby(level=[*CELL, "measure"], sort=False, observed=True).mean()
    return means.rename(columns={one: "a", other: "b"})


def _both_tests(
    table: pd.DataFrame, pairs: list[tuple[str, str]], score: str, better: Better
) -> tuple[list[Comparison], list[Comparison]]:
    by_item, by_dataset = [], []
    for one, other in pairs:
        items = paired_items(table, one, other)
        a, b = items["a"].to_numpy(float), items["b"].to_numpy(float)
        datasets = items.index.get_level_values("dataset").to_numpy()
        words: dict[str, Any] = {"measure": score, "units": "items", "clusters": "data sets", "better": better}
        by_item.append(wilcoxon(a, b, names=(one, other)).described(**words))
        by_dataset.append(paired_difference(a, b, datasets, names=(one, other)).described(**words))
    return adjusted(by_item, "bh"), adjusted(by_dataset, "holm")


def _rows(by_item: list[Comparison], by_dataset: list[Comparison], score: str) -> pd.DataFrame:
    return pd.DataFrame(
        [
            {
                "score": score,
                "a": exact.names[0],
                "b": exact.names[1],
                "mean_a": exact.means[0],
                "mean_b": exact.means[1],
                "difference": exact.difference,
                "low": exact.interval.low if exact.interval else None,
                "high": exact.interval.high if exact.interval else None,
                "n_items": exact.n_units,
                "n_datasets": exact.n_clusters,
                "p_sign_flip": exact.p,
                "p_sign_flip_holm": exact.p_adjusted,
                "smallest_p": exact.smallest_p,
                "p_wilcoxon": original.p,
                "p_wilcoxon_bh": original.p_adjusted,
                "wilcoxon_statistic": original.statistic,
                "hodges_lehmann": original.difference,
                "n_comparisons": exact.n_comparisons,
                "superiority": exact.effect.value if exact.effect else None,
                "better": exact.better,
                "significant_original": original.distinguishable,
                "significant_clustered": exact.distinguishable,
                "notes": " ".join(exact.notes),
            }
            for original, exact in zip(by_item, by_dataset, strict=True)
        ]
    )
