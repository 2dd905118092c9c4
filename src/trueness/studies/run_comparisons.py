"""Learners against each other over the data sets of a study.

d_u = mean of A over its runs on data set u - the same of B;   sign-flip test and interval over data sets, Holm
"""

from __future__ import annotations

from collections.abc import Sequence

from trueness.running.results import Results
from trueness.running.store import Aggregate
from trueness.showing import blocks
from trueness.studies.protocol import AnalysisPart
from trueness.studies.run_findings import PAIRS_TESTED, Words, compare_learners

COMPARED = ("f1", "shd")


def comparison_parts(task: Results, aggregates: Sequence[Aggregate], words: Words) -> list[AnalysisPart]:
    """One analysis a measure, and the completeness of every cell."""
    names = [name for name in COMPARED if name in task.measures] or task.headline[:2]
    parts = [_pairs(task, aggregates, name, words) for name in names]
    rows = [
        {"item": cell.item, "variant": cell.variant, "respondent": cell.respondent, "planned": cell.repeats}
        | dict(task.statuses.get(place, {}))
        for place, cell in enumerate(task.cells)
    ]
    return [*parts, AnalysisPart("completeness", tables=(blocks.table("Runs by status", rows),))]


def _pairs(task: Results, aggregates: Sequence[Aggregate], measure: str, words: Words) -> AnalysisPart:
    name, learners = f"{words.who}s by {measure}", len(set(task.names))
    if learners < 2 or len(task.items) < 2:
        return AnalysisPart(
            name, (f"Two {words.who}s and two {words.item}s are needed to compare {words.who}s.",), told=False
        )
    pairs = learners * (learners - 1) // 2
    if pairs > PAIRS_TESTED:
        why = f"{pairs} pairs of {words.who}s are too many for one family of tests. Compare two: trueness compare A B"
        return AnalysisPart(name, (why,), told=False)
    means = [
        (task.cells[one.cell].item, task.names[one.cell], one.mean)
        for one in aggregates
        if one.measure == measure and one.mean is not None
    ]
    comparisons = compare_learners(means, task.measure(measure), task.level, words.item)
    tables = (blocks.table(f"Paired differences in {measure}", [one.row() for one in comparisons]),)
    return AnalysisPart(name, tuple(one.sentence() for one in comparisons), tables=tables)
