"""Who forecasts better: each pair of models, and each model against each reference.

As in the original: Wilcoxon's signed rank over items (data set, learner, measure; arms and repeats averaged), with
Benjamini-Hochberg over all comparisons of one score. It takes items of one data set for independent, which they are
not: the same runs and the same words of the data set stand behind them, and its p is too small.
Beside it: the exact sign-flip test with the data set as the unit (2^D patterns), its interval by inversion, Holm over
the comparisons of one score. A difference is taken on the arms that both answered; a reference sees no prompt and
stands for all arms of its target.

    calibrated_coverage     covers_mean, the original's primary measure                     higher is better
    hit                     share covered of what the claim is of (runs, or the mean)       higher, gamed by [0, 1]
    overlaps_, iou_         as the original compares ranges: do they meet, |both| / |either|     higher
    interval_score_scaled   the proper score, in shares of the measure's range              lower is better
"""

from __future__ import annotations

from itertools import combinations
from typing import NamedTuple

import numpy as np
import pandas as pd
from numpy.typing import NDArray

from trueness.measure import direction
from trueness.showing.finding import Finding
from trueness.statistics.comparison import Comparison
from trueness.statistics.multiplicity import adjust, adjusted
from trueness.statistics.paired import paired_difference, signed_rank_p
from trueness.statistics.reach import Reach
from trueness.studies.forecast.analysis import Analysis, asked_models, number, pair_cells, per_item, respondents
from trueness.studies.forecast.forecast_frames import CELL, Forecasts
from trueness.studies.forecast.selection import headline

Array = NDArray[np.float64]
SCORES = {  # name in the tables -> column of the scores
    "calibrated_coverage": "covers_mean",
    "hit": "hit",
    "overlaps_mean_ci": "overlaps_mean_ci",
    "iou_mean_ci": "iou_mean_ci",
    "iou_runs": "iou_runs",
    "interval_score_scaled": "interval_score_scaled",
}
EXACT_ITEMS = 50  # as scipy's own choice; ties are respected here
PROPER = "interval_score_scaled"


def comparisons(forecasts: Forecasts) -> Analysis:
    """One row a pair and score, the two tests beside each other: the rows of statistical_tests.csv."""
    models = asked_models(forecasts)
    others = [name for name in respondents(forecasts) if name in forecasts.references]
    pairs = [*combinations(models, 2), *((model, other) for model in models for other in others)]
    if not pairs:
        return Analysis.untold("comparisons", "Nothing can be compared: there is one respondent, or none.")
    rows = headline(forecasts)
    tables = {score: per_item(rows, column, forecasts) for score, column in SCORES.items()}
    if tables[PROPER].empty:
        return Analysis.untold("comparisons", "Nothing can be compared: no readable range was scored.")
    frames, proper = [], []
    for score, table in tables.items():
        items = Items.of(table)
        exact = adjusted([_by_dataset(items, pair, score) for pair in pairs], "holm")
        frames.append(_rows(exact, [_by_item(items, pair) for pair in pairs], score))
        proper += exact if score == PROPER else []
    whole = pd.concat(frames, ignore_index=True)
    return Analysis("comparisons", whole, tuple(_sentences(whole, proper, len(pairs))))


class Items(NamedTuple):
    """values[i, r]: the score of respondent r on row i (an item under one arm); item[i] is its place in `datasets`."""

    values: Array
    respondents: tuple[str, ...]
    item: NDArray[np.intp]
    datasets: NDArray[np.object_]

    @classmethod
    def of(cls, table: pd.DataFrame) -> Items:
        question = table.index.to_frame(index=False)[[*CELL, "measure"]]
        item, labels = pd.factorize(pd.MultiIndex.from_frame(question))
        datasets = np.array([label[0] for label in labels], dtype=object)
        return cls(table.to_numpy(float), tuple(table.columns), item.astype(np.intp), datasets)

    def pair(self, one: str, other: str) -> tuple[Array, Array]:
        """One number an item each, averaged over the arms on which both have a value; NaN where there is none."""
        if one not in self.respondents or other not in self.respondents:
            return np.full(len(self.datasets), np.nan), np.full(len(self.datasets), np.nan)
        columns = self.values[:, [self.respondents.index(one), self.respondents.index(other)]]
        both = ~np.isnan(columns).any(axis=1)
        n = np.bincount(self.item[both], minlength=len(self.datasets)).astype(float)
        n[n == 0] = np.nan
        sums = (np.bincount(self.item[both], weights=columns[both, k], minlength=len(self.datasets)) for k in (0, 1))
        a, b = (total / n for total in sums)
        return a, b


def _by_dataset(items: Items, pair: tuple[str, str], score: str) -> Comparison:
    a, b = items.pair(*pair)
    difference = paired_difference(a, b, items.datasets, names=pair)
    return difference.described(measure=score, units="items", clusters="data sets", better=direction(score))


def _by_item(items: Items, pair: tuple[str, str]) -> dict[str, float]:
    """The original's test: exact for few items, beyond in scipy's normal form. Without any difference p is 1."""
    a, b = items.pair(*pair)
    d = (a - b)[~np.isnan(a - b)]
    if not np.abs(d).max(initial=0.0) > 1e-12:
        return {"median_difference": 0.0 if len(d) else np.nan, "statistic": np.nan, "p": 1.0 if len(d) else np.nan}
    d = np.round(d, 12)
    if len(d) <= EXACT_ITEMS:
        statistic, p, _ = signed_rank_p(d)
    else:
        from scipy.stats import wilcoxon

        statistic, p = (float(value) for value in wilcoxon(d))
    return {"median_difference": float(np.median(d)), "statistic": statistic, "p": number(p)}


def _rows(exact: list[Comparison], original: list[dict[str, float]], score: str) -> pd.DataFrame:
    q = adjust([row["p"] for row in original], "bh")
    return pd.DataFrame(
        [
            {
                "score": score,
                **pair_cells(c),
                "n_items": c.n_units,
                "n_datasets": c.n_clusters,
                "p_sign_flip": number(c.p),
                "p_sign_flip_holm": number(c.p_adjusted),
                "smallest_p": number(c.smallest_p),
                "wilcoxon_statistic": before["statistic"],
                "median_difference": before["median_difference"],
                "p_wilcoxon": before["p"],
                "p_wilcoxon_bh": float(adjusted_p),
                "n_comparisons": c.n_comparisons,
                "superiority": number(c.effect.value) if c.effect else np.nan,
                "better": c.better,
                "significant_original": bool(adjusted_p <= 1 - c.level),
                "significant_clustered": c.distinguishable,
                "notes": " ".join(c.notes),
            }
            for c, before, adjusted_p in zip(exact, original, q, strict=True)
        ]
    )


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
    n = max((c.n_clusters for c in tests), default=0)
    reach = Reach(n, n_pairs)
    return [*sentences, Finding(str(reach).replace("units", "data sets"), open=not reach.possible)]
