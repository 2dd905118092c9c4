"""Learners against each other over the data sets of a study.

d_u = mean F1 of A over the runs on data set u - the same of B;   sign-flip test and interval over data sets, Holm
"""

from __future__ import annotations

from collections.abc import Sequence
from itertools import combinations

import numpy as np
import pandas as pd
from numpy.typing import NDArray

from assay.results import CellSummary
from assay.statistics.comparison import adjusted
from assay.statistics.paired import paired_difference
from assay.viewer import blocks
from assay.viewer.outline import TaskOutline
from assay.viewer.parts import AnalysisPart

MOST = 45  # pairs: ten respondents


def compared(summaries: Sequence[CellSummary], task: TaskOutline) -> list[AnalysisPart]:
    """One analysis a headline measure, and the completeness of every cell."""
    parts = [found for name in ("f1", "shd") if name in task.measures for found in _pairs(summaries, task, name)]
    rows = [
        {"item": cell.item, "respondent": cell.respondent, "planned": cell.repeats, **cell.statuses}
        for cell in summaries
    ]
    return [*parts, AnalysisPart("completeness", tables=(blocks.table("Runs by status", rows),))]


def _pairs(summaries: Sequence[CellSummary], task: TaskOutline, measure: str) -> list[AnalysisPart]:
    means = pd.DataFrame(
        [(cell.item, cell.respondent, cell.measures[measure].mean) for cell in summaries],
        columns=["item", "respondent", "mean"],
    )
    wide = means.pivot_table(index="item", columns="respondent", values="mean", aggfunc="first", dropna=False)
    wide = wide.astype(float)
    pairs = list(combinations(task.respondents, 2))
    name = f"learners by {measure}"
    if not pairs or len(wide) < 2:
        return [AnalysisPart(name, ("Two learners and two data sets are needed to compare learners.",), told=False)]
    if len(pairs) > MOST:
        why = f"{len(pairs)} pairs of learners are too many for one family of tests. Compare two: assay compare A B"
        return [AnalysisPart(name, (why,), told=False)]
    items = wide.index.to_numpy(dtype=object)
    found = [paired_difference(_column(wide, a), _column(wide, b), items, task.level, names=(a, b)) for a, b in pairs]
    told = [
        one.described(
            measure=measure, units="data sets", clusters="data sets", better="lower" if measure == "shd" else "higher"
        )
        for one in adjusted(found, "holm")
    ]
    tables = (blocks.table(f"Paired differences in {measure}", [one.row() for one in told]),)
    return [AnalysisPart(name, tuple(one.sentence() for one in told), tables=tables)]


def _column(wide: pd.DataFrame, name: str) -> NDArray[np.float64]:
    return wide[name].to_numpy(dtype=np.float64)
