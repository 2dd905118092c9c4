"""Tables of a study as data: what `assay show` prints, as JSON, CSV, LaTeX and Markdown."""

from __future__ import annotations

import csv
import io
from collections.abc import Sequence
from pathlib import Path
from typing import TYPE_CHECKING, Any

from assay import registry
from assay.errors import SettingError, did_you_mean
from assay.intervals import Interval
from assay.running.results import CellSummary, Results
from assay.running.store import Store
from assay.statistics.runs import RunSummary
from assay.texts import csv_row

if TYPE_CHECKING:
    from assay.showing.tables import Table


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
    writer = csv.writer(text, lineterminator="\n")
    writer.writerow(csv_row(rows[0] if rows else ()))
    writer.writerows(csv_row(row.values()) for row in rows)
    return text.getvalue()


def of_runs_and_forecasts(results: Results, measures: Sequence[str], folder: Path) -> list[Table]:
    """For LaTeX and Markdown: what the learners did and, where there are forecasts, who claimed what."""
    if results.task not in registry.TASKS:
        raise SettingError(
            f"--tex and --md must be of a task of this program, got {results.task!r}. Use --csv or --json."
        )
    from assay.studies.discovery.tables import measured_table
    from assay.studies.forecast.answers import forecasts_of  # pandas is not needed for the rest
    from assay.studies.forecast.tables import by_formulation, main_results

    with Store.reading(folder) as store:
        by_task = {found.task: found for found in Results.all_of(store)}
        if "forecast" not in by_task:
            return [measured_table(results, measures)]
        forecasts = forecasts_of(by_task["discovery"], by_task["forecast"], store)
    return [measured_table(results, measures), main_results(forecasts), by_formulation(forecasts)]


def cell_text(found: RunSummary) -> str:
    """`0.64 [0.62, 0.66]`: the mean and the CI of the mean; a dash where there is nothing to average."""
    if found.mean is None:
        return "-"
    if found.ci is None or found.degenerate:
        return f"{found.mean:.2f}"
    return f"{found.mean:.2f} {interval_text(found.ci)}"


def interval_text(interval: Interval | None) -> str:
    return "-" if interval is None else f"[{_two(interval.low)}, {_two(interval.high)}]"


def _two(value: float) -> str:
    """Two decimals; what rounds to 0 has no sign."""
    return f"{round(value, 2) + 0.0:.2f}"


def _row(cell: CellSummary, measure: str, found: RunSummary) -> dict[str, Any]:
    return {
        "item": cell.item,
        "respondent": cell.respondent,
        **{key: cell.about.get(key) for key in ("returns", "truth", "vary")},  # None in a task of a user's own
        "measure": measure,
        **found.to_row(),
    }
