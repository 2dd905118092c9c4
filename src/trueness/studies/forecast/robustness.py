"""Whether a claim depends on how the question is put.

The original, for each cell (data set, learner, measure), over its three formulations k (original-*; else our three):

    V = sd_k(width_k) (n in the denominator, as numpy.std),   V < .1 mean width: robust,  V > .2: unstable, else between

Three equal widths are no robustness ([0, .2] and [.8, 1] have V = 0), so beside it, between all pairs of formulations:

    IoU of the two ranges,   |midpoint_k - midpoint_l| / largest value,   and both between repeats of one formulation
"""

from __future__ import annotations

from collections.abc import Iterator
from itertools import combinations
from typing import Any

import numpy as np
import pandas as pd
from numpy.typing import NDArray

from trueness.measures.interval_scores import iou
from trueness.studies.forecast.analysis import Analysis, Array, lines, over_datasets, table_of
from trueness.studies.forecast.frames import ARMS, CELL, ORIGINAL, Forecasts
from trueness.texts import counted

ROBUST, UNSTABLE = 0.1, 0.2  # of the mean width
OURS = ("direct", "steps", "interval")  # over which V is taken where the original's own three were not asked
_CELL = ["respondent", *CELL, "measure", *(arm for arm in ARMS if arm != "formulation")]
_LEVELS = list(range(len(_CELL)))


def robustness(forecasts: Forecasts) -> Analysis:
    """One row a respondent; `more` has one row a cell."""
    rows = forecasts.answers(forecasts.models)
    if rows.empty or rows["formulation"].nunique() < 2:
        only = f"{rows['formulation'].iloc[0]!r} is the only formulation" if len(rows) else ""
        why = only or "no model gave a readable range"
        return Analysis.untold("robustness", f"Prompt robustness cannot be told: {why}.")
    framed = _framing_cells(rows)
    table = table_of(_respondent_row(name, mine) for name, mine in framed.groupby("respondent", sort=False))
    return Analysis("robustness", table, tuple(_sentences(table)), {"cells": framed})


def _framing_cells(rows: pd.DataFrame) -> pd.DataFrame:
    rows = rows.assign(width=rows["high"] - rows["low"])
    framed = rows.groupby([*_CELL, "formulation"], sort=False, observed=True).agg(
        width=("width", "mean"), n=("width", "size")
    )
    table = framed.groupby(level=_LEVELS, sort=False, observed=True).agg(
        formulations=("width", "size"), width=("width", "mean"), repeats=("n", "mean")
    )
    forms = framed.index.get_level_values("formulation")
    three = ORIGINAL if forms.isin(ORIGINAL).any() else OURS
    widths = framed[forms.isin(three)].groupby(level=_LEVELS, sort=False, observed=True)["width"]
    table["v"] = widths.std(ddof=0).where(widths.size() > 1).reindex(table.index)
    table["v_width"] = widths.mean().reindex(table.index)
    table["class"] = _classes(table["v"].to_numpy(), table["v_width"].to_numpy())
    table["upper"] = rows.groupby(_CELL, sort=False, observed=True)["truth_upper"].first().reindex(table.index)
    # IoU and distance of midpoints, averaged over pairs: of formulations at the same repeat, of repeats
    wide: Any = rows.set_index([*_CELL, "formulation", "repeat"])[["low", "high"]]
    wide = wide[~wide.index.duplicated()]
    for key, suffix in (("formulation", ""), ("repeat", "_repeats")):
        for name, column in zip(("iou", "spread"), _between(wide.unstack(key)), strict=True):
            table[f"{name}{suffix}"] = column.reindex(table.index)
        table[f"spread{suffix}"] /= table["upper"]
    return table.reset_index()


def _classes(v: Array, width: Array) -> NDArray[np.object_]:
    """robust, between or unstable by V against the mean width; widths that are all zero have V = 0 and are robust."""
    classes = np.full(len(v), "between", dtype=object)
    classes[(v < ROBUST * width) | ((v == 0) & (width == 0))] = "robust"
    classes[v > UNSTABLE * width] = "unstable"
    classes[np.isnan(v)] = None
    return classes


def _between(wide: pd.DataFrame) -> tuple[pd.Series, pd.Series]:
    """Means over all pairs of columns, and over the rows of a cell."""
    low, high = wide["low"], wide["high"]
    total, apart, n = (np.zeros(len(wide)) for _ in range(3))
    for one, other in combinations(low.columns, 2):
        ends = [frame[name].to_numpy(float) for name in (one, other) for frame in (low, high)]
        there = ~np.isnan(ends).any(axis=0)
        filled = [np.where(there, end, 0.0) for end in ends]
        total += np.where(there, iou(*filled), 0.0)
        apart += np.where(there, np.abs(sum(filled[:2]) - sum(filled[2:])) / 2, 0.0)
        n += there
    by_row = pd.DataFrame({"iou": total, "apart": apart, "n": n}, index=wide.index)
    sums = by_row.groupby(level=_LEVELS, sort=False, observed=True).sum()
    pairs = sums["n"].where(sums["n"] > 0)
    return sums["iou"] / pairs, sums["apart"] / pairs


def _respondent_row(name: object, mine: pd.DataFrame) -> dict[str, object]:
    classes = mine["class"].value_counts()
    judged = int(mine["v"].notna().sum())
    row: dict[str, object] = {"respondent": name, "cells": judged, "datasets": mine["dataset"].nunique()}
    row |= {kind: int(classes.get(kind, 0)) for kind in ("robust", "between", "unstable")}
    row["v_relative"] = (mine["v"] / mine["v_width"].where(mine["v_width"] > 0)).mean()
    for column in ("iou", "iou_repeats", "spread", "spread_repeats"):
        row |= over_datasets(mine[column], mine["dataset"], column, within=(0.0, 1.0)).cells(column)
    apart = mine["iou"] - mine["iou_repeats"]
    difference = over_datasets(apart, mine["dataset"], "difference", null=0.0, within=(-1.0, 1.0))
    row |= difference.cells("iou_difference") | {"p": difference.p, "test": difference.test}
    return row


def _sentences(table: pd.DataFrame) -> Iterator[str]:
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
