"""Whether the learners are put in the right order on each data set.

On data set d, with f_l the measured mean of learner l and g_l the predicted midpoint (arms and repeats averaged):

    spearman, kendall    rank correlation of f and g over the learners (tau-b); missing when all g_l are equal
    pairs                (right + tied in g / 2) / pairs with f_l != f_m;    1/2 is chance
    order                2 pairs - 1, Kendall's tau-a over the pairs that differ in f: has a value for equal g too (0)

The original protocol gives the rank correlations. With four learners a data set says little (24 orders), so the mean
over data sets with its interval is the finding, and `order` is what is tested: dropping the data sets on which a
respondent gave one number for all would reward it for saying nothing.
"""

from __future__ import annotations

import numpy as np
import pandas as pd
from numpy.typing import NDArray

from trueness.showing.finding import Finding
from trueness.statistics.multiplicity import adjust
from trueness.statistics.rank_correlations import spearman
from trueness.statistics.result import p_text
from trueness.studies.forecast.analysis import Analysis, asked_models, cell_means, lines, number, percent
from trueness.studies.forecast.by_dataset import over_datasets
from trueness.studies.forecast.forecast_frames import Forecasts
from trueness.texts import counted

Array = NDArray[np.float64]


def ranking(forecasts: Forecasts, measure: str = "f1") -> Analysis:
    """One row a respondent; `more` has one row a respondent and data set."""
    rows = cell_means(forecasts, measure)
    if rows.empty:
        return Analysis.untold("ranking", f"The ranking of learners cannot be told: no readable claim about {measure}.")
    if rows["learner"].nunique() < 2:
        only = rows["learner"].iloc[0]
        return Analysis.untold("ranking", f"The ranking of learners cannot be told: {only} is the only learner.")
    each = pd.DataFrame(
        [
            {"respondent": respondent, "dataset": dataset, **_agreement(cell)}
            for (respondent, dataset), cell in rows.groupby(["respondent", "dataset"], sort=False)
        ]
    )
    table = _by_respondent(each, asked_models(forecasts))
    return Analysis("ranking", table, tuple(_sentences(table, measure)), {"datasets": each})


def order_agreement(measured: Array, predicted: Array) -> float:
    """`order` of the module's docstring; NaN when no two measured values differ."""
    first, second = np.triu_indices(len(measured), 1)
    truth = np.sign(measured[first] - measured[second])
    claim = np.sign(predicted[first] - predicted[second])
    differs = truth != 0
    return float((truth * claim)[differs].mean()) if differs.any() else float("nan")


def _agreement(cell: pd.DataFrame) -> dict[str, float]:
    from scipy.stats import kendalltau

    measured, predicted = cell["measured"].to_numpy(float), cell["predicted"].to_numpy(float)
    order = order_agreement(measured, predicted)
    varies = len(cell) > 1 and np.ptp(measured) > 0 and np.ptp(predicted) > 0
    return {
        "learners": len(cell),
        "spearman": spearman(measured, predicted) if varies else np.nan,
        "kendall": float(kendalltau(measured, predicted).statistic) if varies else np.nan,
        "order": order,
        "pairs": (order + 1) / 2,
        "best_right": bool(varies and measured.argmax() == predicted.argmax()),
        "one_answer_for_all": bool(len(cell) > 1 and np.ptp(predicted) == 0),
    }


def _by_respondent(each: pd.DataFrame, models: tuple[str, ...]) -> pd.DataFrame:
    table = []
    for name, mine in each.groupby("respondent", sort=False):
        order = over_datasets(mine["order"], mine["dataset"], "order", null=0.0, within=(-1.0, 1.0))
        row: dict[str, object] = {"respondent": name, "datasets": len(mine), **order.cells("order", missing=np.nan)}
        row |= {"p": number(order.p), "test": order.test}
        row |= {column: mine[column].mean() for column in ("pairs", "spearman", "kendall")}
        row |= {"best_right": int(mine["best_right"].sum()), "equal": int(mine["one_answer_for_all"].sum())}
        table.append(row)
    frame = pd.DataFrame(table)
    declared = frame["respondent"].isin(models)
    frame["p_holm"] = adjust(frame["p"].where(declared), "holm")  # references are there for comparison
    return frame


def _sentences(table: pd.DataFrame, measure: str) -> list[str]:
    sentences: list[str] = []
    for row in lines(table):
        if not np.isfinite(row.order):
            open_ = f"{row.respondent}: how it orders the learners by {measure} cannot be told: it gives no order."
            sentences.append(Finding(open_, open=True))
            continue
        interval = f" [{row.order_low:.2f}, {row.order_high:.2f}]" if np.isfinite(row.order_low) else " (no interval)"
        equal = f"; one answer for all learners on {counted(row.equal, 'data set')}" if row.equal else ""
        among = f"Holm-adjusted {row.p_holm:.2g}" if np.isfinite(row.p_holm) else "a reference: not adjusted"
        p = f"; {row.test} {p_text(row.p)}, {among}" if np.isfinite(row.p) else "; no test"
        sentences.append(
            f"{row.respondent} orders the learners by {measure} with tau {row.order:.2f}{interval} "
            f"({percent(row.pairs)} of the pairs; {counted(row.datasets, 'data set')}, t{p}); "
            f"the best one is right on {row.best_right} of {row.datasets}{equal}."
        )
    return sentences
