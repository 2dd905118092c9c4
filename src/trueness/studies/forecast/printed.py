"""What the terminal shows of a forecast study: the checks first, a line a respondent, the hypotheses."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from typing import TYPE_CHECKING

from trueness.intervals import fixed, value_text
from trueness.outside import Json
from trueness.showing.console import Console, plain
from trueness.showing.sheet import Sheet, changes, left_out, one_by_one
from trueness.statistics.runs import range_note
from trueness.studies.forecast import selection
from trueness.studies.forecast.summary import rows

if TYPE_CHECKING:
    from trueness.studies.forecast.forecast_frames import Forecasts

SKILL_AGAINST = ("skill_random", "skill_heuristic", "skill_climatology")


def print_forecasts(out: Console, forecasts: Forecasts) -> None:
    """One line a respondent, models before baselines."""
    table = rows(forecasts)
    replies = len(forecasts.replies)
    unread = int((forecasts.replies["status"] != "ok").sum())
    out.print(f"[bold]forecast[/]   {replies:,} replies, {unread:,} not fully read; {100 * forecasts.level:g} % ranges")
    sheet = _sheet(table)
    sheet.print(out)
    notes = [
        selection.arm_text(forecasts),
        "covers mean: share of ranges that hold the mean of the runs.  covers runs: share of runs inside the range, "
        f"{100 * forecasts.level:g} % if honest.",
        "interval score: lower is better; scaled to the largest value of each measure.  skill: 1 - score / score of "
        "the baseline.  width: median ratio to the range of runs.  Intervals are "
        "clustered by data set; a mean without one is the same on each.",
    ]
    if few := range_note((len(truth.runs) for truth in forecasts.truths.values()), forecasts.level):
        notes.append(few)
    for note in filter(None, (*left_out(sheet.missing(out.width), "evaluation/main_results.csv"), *notes)):
        out.print(f"  {plain(note)}", style="dim")


def _sheet(table: Sequence[Mapping[str, Json]]) -> Sheet:
    skills = [name for name in SKILL_AGAINST if any(row.get(name) is not None for row in table)]
    titles = [name.replace("_", " ") for name in skills]
    columns = {
        "respondent": [str(row["respondent"]) for row in table],
        "answered": [f"{row['answered']} / {row['asked']}" for row in table],
        "covers mean": [_with_ends(row, "calibrated_coverage") for row in table],
        "covers runs": [_with_ends(row, "coverage_runs") for row in table],
        "interval score": [_with_ends(row, "interval_score") for row in table],
        **{title: [_number(row.get(name)) for row in table] for title, name in zip(titles, skills, strict=True)},
        "bias": [_number(row["bias"], signed=True) for row in table],
        "width": [_number(row["width_ratio_runs"]) for row in table],
        "confidence": [str(row["confidence"]) for row in table],
    }
    drop = one_by_one([*titles[:-1], "bias", "width", *titles[-1:], "covers runs", "confidence", "answered"])
    return Sheet(columns, drop, ("answered", "bias", "width", *titles), changes([row["kind"] for row in table]))


def _with_ends(row: Mapping[str, Json], name: str) -> str:
    if row[name] is None:
        return "-"
    ends = row[f"{name}_low"], row[f"{name}_high"]
    return value_text(row[name], ends, fixed(0 if abs(row[name]) >= 100 else 2), bool(row.get(f"{name}_constant")))


def _number(value: float | None, signed: bool = False) -> str:
    if value is None:
        return "-"
    if abs(value) >= 100:
        return f"{value:.0f}"
    return f"{value:+.2f}" if signed else f"{value:.2f}"
