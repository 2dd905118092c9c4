"""What the terminal shows of a population study: a line a respondent and mode, tasks by respondents, the notes."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any

from rich.console import Console
from rich.markup import escape
from rich.table import Table

from assay.population_study import Populations
from assay.report.population_tables import summary_rows, task_table
from assay.report.population_tree import notes
from assay.status import Status

TROUBLE = (Status.REFUSED, Status.UNREADABLE, Status.TRUNCATED, Status.FAILED, Status.TIMED_OUT)
WIDE_TABLE = 7  # columns of respondents that a terminal holds


def print_populations(out: Console, populations: Populations, tasks: bool = True) -> None:
    rows = summary_rows(populations)
    replies = sum(row["replies"] for row in rows)
    sources = len({truth.question.source for truth in populations.truths.values()})
    out.print(f"[bold]population[/]   {len(populations.truths)} tasks from {sources} sources, {replies:,} replies read")
    out.print(_main(rows))
    if tasks:
        _print_tasks(out, populations)
    told = [
        "score: 100 cannot be told from the truth, 0 no better than uniform; the mean over informative tasks.  skill: "
        "1 - distance / distance of the baseline, below 0 is worse.",
        "Intervals are clustered by source.  mass: probability on option letters.  Modes are not averaged.",
        *notes(populations),
    ]
    for line in told:
        out.print(f"  {escape(line)}", style="dim")


def _main(rows: list[dict[str, Any]]) -> Table:
    table = Table(box=None, pad_edge=False, header_style="bold", collapse_padding=True)
    for name in ("respondent", "mode"):
        table.add_column(name, no_wrap=True)
    for name in ("answered", "score", "skill uniform", "skill marginal", "TV", "mass"):
        table.add_column(name, justify="right" if name in ("answered", "mass") else "left", no_wrap=True)
    table.add_column("not read", overflow="fold")
    kind = ""
    for row in rows:
        if kind and row["kind"] != kind:
            table.add_section()
        kind = row["kind"]
        mode = f"{row['mode']} by {row['fell_back']}" if row["fell_back"] else row["mode"]
        table.add_row(
            escape(row["respondent"]),
            mode,
            f"{row['answered']} / {row['tasks']}",
            escape(_value(row, "score", 0)),
            *(escape(_value(row, name, 2)) for name in ("skill_uniform", "skill_marginal", "tv")),
            "-" if row["mass"] is None else f"{100 * row['mass']:.0f} %",
            ", ".join(f"{status} {row[str(status)]}" for status in TROUBLE if row[str(status)]),
        )
    return table


def _print_tasks(out: Console, populations: Populations) -> None:
    found = task_table(populations)
    if len(found.columns) - 2 > WIDE_TABLE:
        return  # in population/table.csv
    table = Table(box=None, pad_edge=False, header_style="bold", title="score by task", title_justify="left")
    for column in found.columns:
        table.add_column(escape(column.title), no_wrap=column.key == "task")
    for cells in found.cells():
        table.add_row(*(escape(cell) for cell in cells))
    out.print(table)


def _value(row: Mapping[str, Any], name: str, places: int) -> str:
    if row[name] is None:
        return "-"
    low, high = row[f"{name}_low"], row[f"{name}_high"]
    ends = "" if low is None else f" [{low:.{places}f}, {high:.{places}f}]"
    return f"{row[name]:.{places}f}{ends}"
