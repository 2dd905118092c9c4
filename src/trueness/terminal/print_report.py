"""What the terminal shows of results: tables and cards. Colours on a TTY, plain lines elsewhere."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from contextlib import contextmanager, nullcontext
from dataclasses import replace
from pathlib import Path
from typing import TYPE_CHECKING

from trueness.learners import kernels
from trueness.printing import say
from trueness.running.progress import clock
from trueness.showing.console import Console, console, plain, print_points, print_rows, print_table
from trueness.studies.protocol import FilesReading
from trueness.studies.reading import Reading
from trueness.texts import counted

if TYPE_CHECKING:
    from trueness.running.cost import AskCost, CellCost, PlanCost
    from trueness.running.study import Study
    from trueness.studies.reporting import Report

MOST_ROWS = 1_000  # of a table that anybody reads
MANY_CELLS = 40  # above it `trueness plan` has a line a learner


@contextmanager
def busy(what: str) -> Iterator[None]:
    """A spinner while something takes its time; nothing where there is no TTY."""
    out = console(stderr=True)
    if not out.is_terminal:
        yield
        return
    with out.status(what):
        yield


def tell_compiling(study: Study) -> bool:
    """Whether it fits; that kernels are compiled first, which may take longer than all the rest, has a line."""
    fits = any(stage.is_fitted for stage in study.stages)
    if fits and not kernels.are_kept():
        say("compiling the learners' kernels, once for this environment: a minute or two", stderr=True)
    return fits


@contextmanager
def timing(study: Study) -> Iterator[None]:
    """While `plan` times fits."""
    with busy("timing a fit of each cell") if tell_compiling(study) else nullcontext():
        yield


def print_estimate(study: Study, total: PlanCost) -> None:
    out = console()
    out.print(f"[bold]{plain(study.plan.name)}[/]   {plain(study.plan.folder)}")
    lasts = f"{'at least' if total.at_least else 'about'} {clock(total.seconds)} on {counted(total.workers, 'worker')}"
    if total.cells:
        out.print(
            f"{counted(len(total.cells), 'cell')}, {counted(total.fits, 'fit')}, {total.done:,} done already; {lasts}"
        )
    if total.cells:
        print_rows(_rows_of_cells(total.cells), title="")
    if total.asks:
        several = any(ask.asks != ask.calls for ask in total.asks)
        print_rows([_ask_row(ask, several) for ask in total.asks], title="models")
        out.print(f"limit {total.limit_usd:g} USD" if total.limit_usd is not None else "no limit_usd is set")
    print_points(total.notes, out)


def _rows_of_cells(cells: Sequence[CellCost]) -> list[dict[str, object]]:
    """One line per data set and learner, over all ways in which the data are taken; per learner, where these lines
    would fill the screen. The first trouble is told."""
    every = len(cells) <= MANY_CELLS
    groups: dict[tuple[str, str], list[CellCost]] = {}
    for cost in cells:
        groups.setdefault((cost.item if every else "", cost.respondent), []).append(cost)
    rows = []
    for (item, name), costs in groups.items():
        left, seconds = sum(cost.left for cost in costs), sum(cost.left * cost.seconds for cost in costs)
        each = seconds / left if left else costs[0].seconds
        trouble = next((f"{cost.status}: {cost.message}" for cost in costs if cost.status != "ok"), "")
        row: dict[str, object] = {"data set": item} if every else {}
        row |= {"learner": name} | ({} if every else {"cells": len(costs)})
        rows.append(row | {"fits left": left, "s/fit": f"{each:.3f}", "total": clock(seconds), "": trouble})
    return rows


def _ask_row(ask: AskCost, several: bool) -> dict[str, object]:
    """several: asks take several calls somewhere, so both are counted."""
    low, high = ask.cost
    cost = "price not known" if low is None or high is None else f"{low:.2f} to {high:.2f}" if high else "0"
    return {
        "model": ask.model,
        **({"asks": f"{ask.asks:,}"} if several else {}),
        "calls": f"{ask.calls:,}",
        "left": f"{ask.left:,}",
        "prompt tokens": f"{ask.input_tokens[0]:,} to {ask.input_tokens[1]:,}",
        "reply tokens": f"{ask.output_tokens[0]:,} to {ask.output_tokens[1]:,}",
        "USD": cost,
    }


def show_reading(
    reading: Reading | FilesReading, out: Console, folder: Path, measures: Sequence[str] | None = None
) -> None:
    """The answer first, then how whole the study is, its tables, and what their numbers rest on."""
    unbroken = not out.is_terminal  # a line of a file is not broken
    names = dict.fromkeys((reading.study, reading.task, str(folder)))
    out.print(f"[bold]{'   '.join(map(plain, names))}[/]   {reading.state}", soft_wrap=unbroken)
    if headline := reading.summary().headline:
        out.print(plain(headline.sentence), soft_wrap=unbroken)
    for line in reading.troubles():
        out.print(f"  {plain(line)}", style="yellow", soft_wrap=unbroken)
    on_screen = reading.tables_on_screen if isinstance(reading, Reading) else reading.tables
    for table in on_screen(measures):
        shown = replace(table, rows=table.rows[:MOST_ROWS])
        print_table(out, "", shown, f"trueness show {folder} --csv")
        if left := len(table.rows) - len(shown.rows):
            out.print(f"{left:,} more cells: trueness show {plain(folder)} --csv")
    for note in reading.notes():
        out.print(f"  {plain(note)}", style="dim", soft_wrap=unbroken)


def print_report(report: Report, out: Console | None = None, answered: bool = True) -> None:
    """What every study of a plan found, where its files lie, and what was left out."""
    out = out or console()
    for reading in report.readings.values():
        if reading.asks and not answered:
            continue
        show_reading(reading, out, report.folder)
        print_points(reading.first_findings(), out)
        out.print(f"report: {plain(report.folder / reading.files_below)}")
    for note in report.notes:
        out.print(plain(note), style="yellow", soft_wrap=not out.is_terminal)
