"""Tables of a study as data: what `trueness show` prints, as JSON, CSV, LaTeX and Markdown."""

from __future__ import annotations

import csv
import io
from collections.abc import Sequence
from hashlib import sha256

from trueness.errors import SettingError, did_you_mean
from trueness.running.results import CellSummary, Results
from trueness.showing import theme
from trueness.showing.tables import Column, Table, label_of
from trueness.statistics.result import interval_cells
from trueness.statistics.runs import RunSummary
from trueness.texts import csv_row

LONGEST = 40  # letters of a study's name in names of files


def choose_measures(results: Results, measures: Sequence[str] | None) -> tuple[str, ...]:
    """The measures asked for, or the headline ones."""
    for name in measures or ():
        if name not in results.measures:
            raise SettingError(
                f"{name!r} is not a measure of this study. {did_you_mean(name, results.measures)} "
                "See 'trueness list measures'."
            )
    return tuple(measures) if measures else results.headline


def flat_rows(results: Results, measures: Sequence[str]) -> list[dict[str, object]]:
    """One row a cell and measure."""
    return [_row(cell, name, cell.measures[name]) for cell in results.summaries for name in measures]


def as_dict(results: Results, measures: Sequence[str]) -> dict[str, object]:
    return {
        "study": results.study,
        "task": results.task,
        "level": results.level,
        "completeness": results.completeness(),
        "row_dependence": {
            cell.item: about["row_dependence"]
            for cell, about in zip(results.cells, results.abouts, strict=True)
            if "row_dependence" in about
        },
        "rows": flat_rows(results, measures),
    }


def as_csv(results: Results, measures: Sequence[str]) -> str:
    text = io.StringIO()
    rows = flat_rows(results, measures)
    writer = csv.writer(text, lineterminator="\n")
    writer.writerow(csv_row(rows[0] if rows else ()))
    writer.writerows(csv_row(row.values()) for row in rows)
    return text.getvalue()


def _row(cell: CellSummary, measure: str, summary: RunSummary) -> dict[str, object]:
    return {
        "item": cell.item,
        "respondent": cell.respondent,
        **{key: cell.about.get(key) for key in ("returns", "truth", "vary")},  # None in a task of a user's own
        "measure": measure,
        **summary.to_row(),
    }


def own_name(study: str) -> str:
    """A study's name in names of files, which TeX takes too: letters and digits, a hash where it had others."""
    plain = label_of(study)[:LONGEST]
    return plain if plain and plain == study else f"{plain}-{sha256(study.encode()).hexdigest()[:6]}"


def means_table(results: Results, measures: Sequence[str]) -> Table:
    """One row a cell: the mean of each measure with the CI of the mean."""
    columns = [Column("item", "Item", "text"), Column("variant", "Variant", "text")]
    columns += [Column("respondent", "Respondent", "text"), Column("n", "n", "count")]
    columns += [
        Column(
            name, theme.measure_label(name), "number", f"{name}_low", f"{name}_high", results.measure(name).direction
        )
        for name in measures
    ]
    rows = []
    for cell, summary in zip(results.cells, results.summaries, strict=True):
        row = {"item": cell.item, "variant": cell.variant, "respondent": cell.respondent}
        rows.append(row | {"n": summary.ok, "planned": cell.repeats} | wide_means(summary, measures))
    caption = f"Mean over the n runs that gave a result, with the {100 * results.level:g} % bootstrap CI of the mean."
    return Table(
        f"{own_name(results.task)}_summary",
        tuple(columns),
        rows,
        caption,
        rule_before="item",
        within=("item", "variant"),
        on_screen=(Column("planned", "Planned", "count"),),
    )


def wide_means(cell: CellSummary, measures: Sequence[str]) -> dict[str, float | None]:
    """Each measure's mean under its name, its ends beside it."""
    row: dict[str, float | None] = {}
    for name in measures:
        summary = cell.measures[name]
        row[name] = summary.mean
        if summary.degenerate and summary.n > 1:
            row[f"{name}_constant"] = True
        elif summary.ci is not None:
            row |= interval_cells(summary.ci, name)
    return row
