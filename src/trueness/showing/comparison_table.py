"""One comparison as a table of one row: `trueness compare A B --csv | --tex | --md`."""

from __future__ import annotations

from trueness.showing.tables import Column, Table
from trueness.showing.theme import measure_label
from trueness.statistics.comparison import ADJUSTED, Comparison


def comparison_table(comparison: Comparison) -> Table:
    row = {**comparison.row(), "measure": measure_label(comparison.measure)}
    columns: tuple[Column, ...] = (
        Column("a", "a", "text"),
        Column("b", "b", "text"),
        Column("measure", "Measure", "text"),
        Column("n_units", comparison.units, "count"),
        Column("n_clusters", comparison.clusters, "count"),
        Column("mean_a", "Mean a"),
        Column("mean_b", "Mean b"),
        Column("difference", "a - b", "number", "low", "high"),
        Column("p", f"p ({comparison.test})", decimals=3),
        Column("p_adjusted", f"p ({ADJUSTED.get(comparison.adjustment or '', 'not adjusted')})", decimals=3),
    )
    if comparison.n_units == comparison.n_clusters or comparison.units == comparison.clusters:
        columns = tuple(column for column in columns if column.key != "n_clusters")
    return Table("comparison", columns, [row], comparison.sentence())
