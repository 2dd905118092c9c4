"""What the terminal shows of results: tables, and the end of a run. Colours on a TTY, plain lines elsewhere.

The end of a run: its tables and its page, then why models failed, and the command that goes on. The second is told
whatever becomes of the first. The study is stored by then: what its tables stumble over is a mistake of ours, and no
reason to restore anything.
"""

from __future__ import annotations

import re
import shlex
from argparse import Namespace
from collections import Counter
from collections.abc import Iterator, Mapping, Sequence
from contextlib import contextmanager, nullcontext
from dataclasses import replace
from pathlib import Path
from typing import TYPE_CHECKING

from rich.table import Table

from trueness.errors import TruenessError
from trueness.learners import kernels
from trueness.outside import Json, one_line
from trueness.printing import say, say_json
from trueness.running.drivers import clock
from trueness.running.study_folder import outdated
from trueness.showing.console import Console, console, plain, print_notes, print_points, print_rows, print_table
from trueness.showing.summary import Standing
from trueness.studies.protocol import FilesReading
from trueness.studies.reading import Reading
from trueness.texts import counted, printable

if TYPE_CHECKING:
    from trueness.running.cost import AskCost, CellCost, PlanCost
    from trueness.running.study import RunEnd, Study
    from trueness.studies.reporting import Report

ROOM = 8  # rows of small tables below the headlines
_CLAUSE = re.compile(r"[;.](?: |$)|[:,] (?![^(]*\))")  # where the first clause ends, not within brackets
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
    print_notes(reading.troubles(), out, "yellow")
    on_screen = reading.tables_on_screen if isinstance(reading, Reading) else reading.tables
    for table in on_screen(measures):
        shown = replace(table, rows=table.rows[:MOST_ROWS])
        print_table(out, "", shown, f"trueness show {folder} --csv")
        if left := len(table.rows) - len(shown.rows):
            out.print(f"{left:,} more cells: trueness show {plain(folder)} --csv")
    print_notes(reading.notes(), out)


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


def write_end(folder: Path, outcome: RunEnd, as_json: bool, answer: bool = False) -> None:
    """Write and print everything of a study that was just run; `answer`: print what is known when interrupted, too."""
    try:
        _write(folder, outcome, as_json, answer)
    except (TruenessError, BrokenPipeError):
        raise
    except Exception as error:
        what = f"{type(error).__name__}: {one_line(error, 100)}"
        raise TruenessError(
            f"the study in {folder} is stored, but its tables cannot be written ({what}). "
            f"'trueness --debug report {folder}' shows where."
        ) from error


def _write(folder: Path, outcome: RunEnd, as_json: bool, answer: bool) -> None:
    from trueness.page.pages import StudyPage
    from trueness.page.standalone import with_page
    from trueness.studies.reporting import Report, write_report

    study = outcome.study
    if outcome.interrupted:  # who stops it wants it to stop; `trueness report` writes the rest
        written = Report(study)
    else:
        with busy("writing tables, charts and the page"), study.store.ensure_open():
            written = with_page(write_report(study))
    if as_json:
        report = {} if outcome.interrupted else {"report": written.to_dict()}
        completeness = study.tasks[0].completeness()
        say_json(outcome.to_dict() | {"folder": str(folder), "completeness": completeness} | report)
        return
    if not outcome.interrupted or answer:
        print_headlines(folder, StudyPage(study).overview()["tasks"], written.notes)
        say(f"tables: trueness show {folder}")
    if not outcome.interrupted:
        say(f"page: {folder / 'report.html'}")


def print_headlines(folder: Path, tasks: Sequence[Mapping[str, Json]], notes: Sequence[str]) -> None:
    """What matters of each study: checks in a line, the headline, a small table; `show` has the rest."""
    out = console()
    for task in tasks:
        checks = plain(checks_line(task["checks"]))
        out.print(f"[bold]{plain(task['task'])}[/]   {checks}", soft_wrap=not out.is_terminal)
        headline = task["headline"]
        if headline is None:
            continue
        out.print(plain(headline["sentence"]), soft_wrap=not out.is_terminal)
        rows = [Standing(**row) for row in headline["rows"]]
        if rows:
            first = rows[: max(3, ROOM // len(tasks))]
            shown = Table(box=None, pad_edge=False, header_style="bold", padding=(0, 1, 0, 0))
            shown.add_column("", overflow="fold")
            shown.add_column(plain(headline["of"].split(";")[0]), no_wrap=True, overflow="fold")
            for row in first:
                shown.add_row(plain(f"  {row.name}"), plain(row.text))
            out.print(shown)
            if rows[len(first) :]:
                out.print(f"  {len(rows) - len(first)} more: trueness show {plain(folder)}", style="dim")
    for note in notes:
        out.print(plain(note), style="yellow", soft_wrap=not out.is_terminal)


def checks_line(checks: Sequence[Mapping[str, Json]]) -> str:
    """`6 checks, 1 fails: complete (...)`; of a reason its first clause, `show` has the rest."""
    failed = [check for check in checks if check["passed"] is False]
    unknown = sum(check["passed"] is None for check in checks)
    text = counted(len(checks), "check")
    text += f", {len(failed)} fail{'s' if len(failed) == 1 else ''}" if failed else ", all hold" if not unknown else ""
    text += f", {unknown} not checked" if unknown else ""
    why = "; ".join(f"{check['name']} ({_CLAUSE.split(check['sentence'])[0]})" for check in failed)
    return f"{text}: {why}" if why else text


def tell_end(outcome: RunEnd, command: str) -> None:
    """What went wrong with each model, and the commands that mend it."""
    for line in (line for model in outcome.models for line in model.lines()):
        say(line, stderr=True)
    left = outcome.total - outcome.done
    if outcome.interrupted:
        say(f"Stopped with {outcome.done:,} of {outcome.total:,} done. Go on with: {command}", stderr=True)
        if earlier := outdated(outcome.study.path):
            say(f"Until then, {earlier}", stderr=True)
    elif outcome.stopped:
        say(f"trueness: stopped with {outcome.done:,} of {outcome.total:,} done: {outcome.stopped}", stderr=True)
    elif left and not outcome.models:
        say(f"{left:,} of {outcome.total:,} were left when the time was up. Go on with: {command}", stderr=True)
    elif left:
        say(f"{left:,} of {outcome.total:,} were not asked. Ask them with: {command}", stderr=True)
    if outcome.failed:
        say(f"{outcome.failed:,} failed{_usual_reason(outcome)}. Do them again with: {command} --retry", stderr=True)


def _usual_reason(outcome: RunEnd) -> str:
    """What most of the failed fits said: where that follows from the data, doing them again does not help."""
    reasons = sum((results.reasons() for results in outcome.study.tasks), Counter[str]())
    if not reasons:
        return ""
    (reason, count), *_ = reasons.most_common(1)
    return f" ({count:,} with: {printable(reason).rstrip('.')})"


def same_command(options: Namespace) -> str:
    """What goes on with a run: also with all that the user has allowed."""
    words = ["trueness", "run", *filter(None, [options.file])]
    for name in ("folder", "workers", "cluster"):
        value = getattr(options, name)
        words += [] if value is None else [f"--{name}", str(value)]
    words += [word for host in options.allow_host for word in ("--allow-host", host)]
    return shlex.join([*words, *(["--json"] if options.json else [])])
