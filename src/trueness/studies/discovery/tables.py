"""The table of a discovery study: what each learner did on each data set."""

from __future__ import annotations

from collections.abc import Sequence

from trueness.measure import direction
from trueness.running.results import CellSummary, Results
from trueness.showing import theme
from trueness.showing.tables import Column, Table
from trueness.studies.run_tables import wide_means

BASELINES = ("random", "correlation")


def measured_table(results: Results, measures: Sequence[str]) -> Table:
    """One row a cell: the mean of each measure with the CI of the mean.

    Bold is the best learner of its class on a data set: a measure against a CPDAG is another one than against a DAG.
    Who is better than a baseline alone is not the best of anything.
    """
    columns = [Column("item", "Data set", "text"), Column("respondent", "Learner", "text")]
    columns += [Column("returns", "Class", "text"), Column("n", "n", "count")]
    for name in measures:
        better = direction(name)
        columns.append(Column(name, theme.measure_label(name), "number", f"{name}_low", f"{name}_high", better))
    rows = [
        _wide_row(summary, measures) | {"contends": cell.identity.get("learner") not in BASELINES}
        for cell, summary in zip(results.cells, results.summaries, strict=True)
    ]
    caption = (
        f"Mean over the n runs that gave a graph, with the {100 * results.level:g} % bootstrap CI of the mean; each "
        "learner against the truth of its own class. Bold: the best learner of a class on a data set, where its "
        "interval is apart from all others; baselines are no rivals."
    )
    return Table(
        "results_summary", tuple(columns), rows, caption, rule_before="item", within=("item", "returns"),
        contends="contends",
    )  # fmt: skip


def _wide_row(cell: CellSummary, measures: Sequence[str]) -> dict[str, object]:
    row = {"item": cell.item, "respondent": cell.respondent, "returns": cell.about.get("returns"), "n": cell.ok}
    return row | wide_means(cell, measures)
