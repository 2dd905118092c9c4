"""Tables of a study as data: what `assay show` prints, as JSON, CSV, LaTeX and Markdown."""

from __future__ import annotations

import csv
import io
from collections.abc import Sequence
from typing import Any

from assay import registry
from assay.errors import SettingError, did_you_mean
from assay.intervals import Interval
from assay.results import CellSummary, Results
from assay.statistics.runs import RunSummary


def chosen(results: Results, measures: Sequence[str] | None) -> tuple[str, ...]:
    """The measures asked for, or the headline ones."""
    for name in measures or ():
        if name not in results.measures:
            raise SettingError(
                f"{name!r} is not a measure of this study. {did_you_mean(name, results.measures)} "
                "See 'assay list measures'."
            )
    return tuple(measures) if measures else results.headline


def flat_rows(results: Results, measures: Sequence[str]) -> list[dict[str, Any]]:
    """One row a cell and measure."""
    return [_row(cell, name, cell.measures[name]) for cell in results.summaries for name in measures]


def as_dict(results: Results, measures: Sequence[str]) -> dict[str, Any]:
    return {
        "study": results.study,
        "task": results.task,
        "level": results.level,
        "completeness": results.completeness(),
        "rows": flat_rows(results, measures),
    }


def as_csv(results: Results, measures: Sequence[str]) -> str:
    text = io.StringIO()
    rows = flat_rows(results, measures)
    writer = csv.DictWriter(text, list(rows[0]) if rows else [], lineterminator="\n")
    writer.writeheader()
    writer.writerows(rows)
    return text.getvalue()


def as_tex(results: Results, measures: Sequence[str]) -> str:
    """A booktabs table with caption and label, in the words of a discovery study."""
    if results.task not in registry.TASKS:
        raise SettingError(f"--tex must be of a task of this program, got {results.task!r}. Use --csv or --json.")
    from assay.report.discovery_tables import measured_table  # pandas is not needed for the rest

    return measured_table(results, measures).to_latex()


def as_markdown(results: Results, measures: Sequence[str]) -> str:
    from assay.report.discovery_tables import measured_table

    return measured_table(results, measures).to_markdown()


def cell_text(found: RunSummary) -> str:
    """`0.64 [0.62, 0.66]`: the mean and the CI of the mean; a dash where there is nothing to average."""
    if found.mean is None:
        return "-"
    if found.ci is None or found.degenerate:
        return f"{found.mean:.2f}"
    return f"{found.mean:.2f} {interval_text(found.ci)}"


def interval_text(interval: Interval | None) -> str:
    return "-" if interval is None else f"[{interval.low:.2f}, {interval.high:.2f}]"


def _row(cell: CellSummary, measure: str, found: RunSummary) -> dict[str, Any]:
    return {
        "item": cell.item,
        "respondent": cell.respondent,
        **{key: cell.about.get(key) for key in ("returns", "truth", "vary")},  # None in a task of a user's own
        "measure": measure,
        **found.to_row(),
    }
