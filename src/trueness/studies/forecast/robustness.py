"""Whether a claim depends on how the question is put.

The original, for each cell (data set, learner, measure), over its three formulations k (original-*; else our three):

    V = sd_k(width_k) (n in the denominator, as numpy.std),   V < .1 mean width: robust,  V > .2: unstable, else between

Three equal widths are no robustness ([0, .2] and [.8, 1] have V = 0), so beside it, between all pairs of formulations:

    IoU of the two ranges,   |midpoint_k - midpoint_l| / largest value,   and both between repeats of one formulation

and the variance of the midpoints m_kr (formulation k, repeat r), in a balanced or nearly balanced cell:

    s2_repeat  = mean_k var_r(m_kr)                        what asking again changes
    s2_framing = max(0, var_k(mean_r m_kr) - s2_repeat / R)   what asking otherwise changes, R repeats (harmonic mean)
    share      = s2_framing / (s2_framing + s2_repeat)

Without repeats the two cannot be told apart; the share is missing then.
"""

from __future__ import annotations

from itertools import combinations
from typing import Any

import numpy as np
import pandas as pd
from numpy.typing import NDArray

from trueness.measures.interval_scores import iou
from trueness.studies.forecast.analysis import Analysis, asked_models, lines, number, percent
from trueness.studies.forecast.by_dataset import over_datasets
from trueness.studies.forecast.forecast_frames import ARMS, CELL, ORIGINAL, Forecasts
from trueness.studies.forecast.selection import headline, once
from trueness.texts import counted

ROBUST, UNSTABLE = 0.1, 0.2  # of the mean width
OURS = ("direct", "steps", "interval")  # over which V is taken where the original's own three were not asked
Array = NDArray[np.float64]
_OTHER_ARMS = tuple(arm for arm in ARMS if arm != "formulation")
_CELL = ("respondent", *CELL, "measure", *_OTHER_ARMS)


@once
def robustness(forecasts: Forecasts) -> Analysis:
    """One row a respondent; `more` has one row a cell."""
    rows = headline(forecasts)
    rows = rows[rows["answered"] & rows["respondent"].isin(asked_models(forecasts))]
    if rows.empty:
        return Analysis.untold("robustness", "Prompt robustness cannot be told: no model gave a readable range.")
    if rows["formulation"].nunique() < 2:
        only = rows["formulation"].iloc[0]
        return Analysis.untold("robustness", f"Prompt robustness cannot be told: {only!r} is the only formulation.")
    framed = _framing_cells(rows)
    table = pd.DataFrame([_respondent_row(name, mine) for name, mine in framed.groupby("respondent", sort=False)])
    return Analysis("robustness", table, tuple(_sentences(table)), {"cells": framed})


def _framing_cells(rows: pd.DataFrame) -> pd.DataFrame:
    rows = rows.assign(width=rows["high"] - rows["low"])
    by = [*_CELL, "formulation"]
    framed = rows.groupby(by, sort=False, observed=True).agg(
        width=("width", "mean"), mid=("midpoint", "mean"), var=("midpoint", "var"), n=("midpoint", "size")
    )
    framed["inverse"] = 1 / framed["n"]
    upper = rows.groupby(list(_CELL), sort=False, observed=True)["truth_upper"].first()
    whole = framed.groupby(level=list(range(len(_CELL))), sort=False, observed=True)
    table = whole.agg(
        formulations=("width", "size"), width=("width", "mean"), mid_var=("mid", "var"), s2_repeat=("var", "mean"),
        inverse=("inverse", "mean"), repeats=("n", "mean"),
    )  # fmt: skip
    forms = framed.index.get_level_values("formulation")
    three = ORIGINAL if forms.isin(ORIGINAL).any() else OURS
    original = framed[forms.isin(three)]["width"]
    widths = original.groupby(level=list(range(len(_CELL))), sort=False, observed=True)
    table["v"] = widths.std(ddof=0).where(widths.size() > 1).reindex(table.index)
    table["v_width"] = widths.mean().reindex(table.index)
    table["class"] = _classes(table["v"].to_numpy(), table["v_width"].to_numpy())
    table["s2_framing"] = (table["mid_var"] - table["s2_repeat"] * table["inverse"]).clip(lower=0)
    total = table["s2_framing"] + table["s2_repeat"]
    table["framing_share"] = table["s2_framing"] / total.where(total > 0)
    table["upper"] = upper.reindex(table.index)
    for name, column in _pairs(rows).items():
        table[name] = column.reindex(table.index)
    table["spread"] = table["spread"] / table["upper"]
    table["spread_repeats"] = table["spread_repeats"] / table["upper"]
    return table.drop(columns=["inverse"]).reset_index()


def _classes(v: Array, width: Array) -> NDArray[np.object_]:
    """robust, between or unstable by V against the mean width; widths that are all zero have V = 0 and are robust."""
    classes = np.full(len(v), "between", dtype=object)
    classes[(v < ROBUST * width) | ((v == 0) & (width == 0))] = "robust"
    classes[v > UNSTABLE * width] = "unstable"
    classes[np.isnan(v)] = None
    return classes


def _pairs(rows: pd.DataFrame) -> dict[str, pd.Series]:
    """IoU and distance of midpoints, averaged over pairs: of formulations at the same repeat, of repeats."""
    columns = ["low", "high"]
    wide: Any = rows.set_index([*_CELL, "formulation", "repeat"])[columns]
    wide = wide[~wide.index.duplicated()]
    return {
        **dict(zip(("iou", "spread"), _between(wide.unstack("formulation")), strict=True)),
        **dict(zip(("iou_repeats", "spread_repeats"), _between(wide.unstack("repeat")), strict=True)),
    }


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
    sums_of_rows = pd.DataFrame({"iou": total, "apart": apart, "n": n}, index=wide.index)
    sums = sums_of_rows.groupby(level=list(range(len(_CELL))), sort=False, observed=True).sum()
    pairs = sums["n"].where(sums["n"] > 0)
    return sums["iou"] / pairs, sums["apart"] / pairs


def _respondent_row(name: object, mine: pd.DataFrame) -> dict[str, object]:
    classes = mine["class"].value_counts()
    judged = int(mine["v"].notna().sum())
    row: dict[str, object] = {"respondent": name, "cells": judged, "datasets": mine["dataset"].nunique()}
    row |= {kind: int(classes.get(kind, 0)) for kind in ("robust", "between", "unstable")}
    row["v_relative"] = (mine["v"] / mine["v_width"].where(mine["v_width"] > 0)).mean()
    for column in ("iou", "iou_repeats", "spread", "spread_repeats"):
        estimate = over_datasets(mine[column], mine["dataset"], column, within=(0.0, 1.0))
        row |= estimate.cells(column, missing=np.nan)
    difference = over_datasets(
        mine["iou"] - mine["iou_repeats"], mine["dataset"], "difference", null=0.0, within=(-1.0, 1.0)
    )
    row |= difference.cells("iou_difference", missing=np.nan) | {"p": number(difference.p), "test": difference.test}
    # variances are added before they are divided: a share of each cell would weigh cells without noise like the others
    scaled = mine[["s2_framing", "s2_repeat"]].div(mine["upper"] ** 2, axis=0).dropna()
    total = float(scaled.to_numpy().sum())
    row["framing_share"] = float(scaled["s2_framing"].sum()) / total if total > 0 else np.nan
    return row


def _sentences(table: pd.DataFrame) -> list[str]:
    sentences = []
    for row in lines(table):
        counts = f"{row.robust} of {row.cells} cells robust, {row.unstable} unstable by the spread of the widths (V)"
        interval = f" [{row.iou_low:.2f}, {row.iou_high:.2f}]" if np.isfinite(row.iou_low) else ""
        between = (
            f"ranges of two formulations share {row.iou:.2f}{interval} (IoU; {counted(row.datasets, 'data set')}, t)"
        )
        if not np.isfinite(row.iou_repeats):
            noise = "there are no repeats, so framing and chance cannot be told apart"
        else:
            noise = f"two repeats of one formulation {row.iou_repeats:.2f}"
            if np.isfinite(row.framing_share):
                noise += (
                    f"; framing makes {percent(row.framing_share)} of the variance of the midpoints, chance the rest"
                )
            else:
                noise += "; the midpoints never move"
        sentences.append(f"{row.respondent}: {counts}; {between}, {noise}.")
    return sentences
