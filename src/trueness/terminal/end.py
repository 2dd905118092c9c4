"""The end of a run: its tables and its page, then why models failed, and the command that goes on.

The second is told whatever becomes of the first. The study is stored by then: what its tables stumble over is a mistake
of ours, and no reason to restore anything.
"""

from __future__ import annotations

import re
import shlex
from argparse import Namespace
from collections import Counter
from collections.abc import Mapping, Sequence
from pathlib import Path

from rich.table import Table

from trueness.errors import TruenessError
from trueness.outside import Json, one_line
from trueness.page.pages import StudyPage
from trueness.printing import say, say_json
from trueness.running.outputs import outdated
from trueness.running.study import RunEnd
from trueness.showing.console import console, plain
from trueness.showing.summary import Standing
from trueness.terminal import print_report as terminal
from trueness.texts import counted, printable

ROOM = 8  # rows of small tables below the headlines
_CLAUSE = re.compile(r"[;.](?: |$)|[:,] (?![^(]*\))")  # where the first clause ends, not within brackets


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
    from trueness.page.standalone import with_page
    from trueness.studies.reporting import Report, write_report

    study = outcome.study
    if outcome.interrupted:  # who stops it wants it to stop; `trueness report` writes the rest
        written = Report(study)
    else:
        with terminal.busy("writing tables, charts and the page"), study.store.ensure_open():
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
    for name in ("allow_host", "allow_key"):
        words += [word for value in getattr(options, name) for word in (f"--{name.replace('_', '-')}", value)]
    return shlex.join([*words, *(["--json"] if options.json else [])])
