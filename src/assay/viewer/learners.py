"""Learners against each other over the data sets of a study.

d_u = mean of A over its runs on data set u - the same of B;   sign-flip test and interval over data sets, Holm
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from itertools import combinations

import numpy as np
from numpy.typing import NDArray

from assay.measures.graphs import MEASURES
from assay.statistics.comparison import adjusted
from assay.statistics.paired import paired_difference
from assay.viewer import blocks
from assay.viewer.database import Aggregate
from assay.viewer.outline import TaskOutline
from assay.viewer.parts import AnalysisPart

MOST = 45  # pairs: ten respondents
COMPARED = ("f1", "shd")


def compared(
    task: TaskOutline, aggregates: Sequence[Aggregate], statuses: Mapping[int, Mapping[str, int]]
) -> list[AnalysisPart]:
    """One analysis a measure, and the completeness of every cell."""
    parts = [_pairs(task, aggregates, name) for name in COMPARED if name in task.measures]
    rows = [
        {"item": cell.item, "variant": cell.variant, "respondent": cell.respondent, "planned": cell.repeats}
        | dict(statuses.get(place, {}))
        for place, cell in enumerate(task.cells)
    ]
    return [*parts, AnalysisPart("completeness", tables=(blocks.table("Runs by status", rows),))]


def _pairs(task: TaskOutline, aggregates: Sequence[Aggregate], measure: str) -> AnalysisPart:
    name = f"learners by {measure}"
    items, pairs = task.items, list(combinations(task.respondents, 2))
    if not pairs or len(items) < 2:
        return AnalysisPart(name, ("Two learners and two data sets are needed to compare learners.",), told=False)
    if len(pairs) > MOST:
        why = f"{len(pairs)} pairs of learners are too many for one family of tests. Compare two: assay compare A B"
        return AnalysisPart(name, (why,), told=False)
    means = _means(task, aggregates, measure)
    labels = np.array(items, dtype=object)
    found = [paired_difference(means[a], means[b], labels, task.level, names=(a, b)) for a, b in pairs]
    told = [
        one.described(measure=measure, units="data sets", clusters="data sets", better=MEASURES[measure].better)
        for one in adjusted(found, "holm")
    ]
    tables = (blocks.table(f"Paired differences in {measure}", [one.row() for one in told]),)
    return AnalysisPart(name, tuple(one.sentence() for one in told), tables=tables)


def _means(task: TaskOutline, aggregates: Sequence[Aggregate], measure: str) -> dict[str, NDArray[np.float64]]:
    """Learner -> its mean on every data set, NaN where it has none."""
    place = {item: k for k, item in enumerate(task.items)}
    found: dict[str, NDArray[np.float64]] = {name: np.full(len(place), np.nan) for name in task.respondents}
    for one in aggregates:
        if one.measure == measure and one.mean is not None:
            cell = task.cells[one.cell]
            found[cell.respondent][place[cell.item]] = one.mean
    return found
