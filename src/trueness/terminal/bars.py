"""Progress in the terminal: a bar a stage and a line a model on a TTY, plain lines elsewhere; always on stderr."""

from __future__ import annotations

import time
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from typing import TYPE_CHECKING

from trueness.printing import say
from trueness.running.drivers import ModelProgress, Progress, Report, clock
from trueness.showing.console import Console, plain

if TYPE_CHECKING:
    from trueness.running.study import Study

PLAIN_EVERY = 5.0  # seconds between lines where there is no TTY
MANY_UNREADABLE = 0.10  # share of a model's replies above which the terminal says so at once
ENOUGH = 5  # replies before that share means anything
ROOM_FOR_BARS = 110  # columns of a terminal
TROUBLE = 60  # characters of what a fault says


@contextmanager
def progress_of(study: Study, out: Console, quiet: bool = False) -> Iterator[Report]:
    """Stages follow each other; each gets its own bar."""
    warn, tell = _warner(out), _teller(out)
    if quiet:
        yield tell  # what is happening is told; how far it has come is not
    elif out.is_terminal:
        out.print(f"[bold]{plain(study.plan.name)}[/]   {plain(study.plan.folder)}")
        out.print("  [dim]Ctrl-C stops safely; the same command goes on[/]")
        with _bars(out) as update:
            yield lambda now: (update(now), warn(now), tell(now))[0]
    else:
        lines = _lines()
        yield lambda now: (lines(now), warn(now), tell(now))[0]


@contextmanager
def _bars(out: Console) -> Iterator[Report]:
    from rich.progress import BarColumn, TaskProgressColumn, TextColumn
    from rich.progress import Progress as Bars
    from rich.table import Column

    columns = (
        TextColumn("  {task.description}", table_column=Column(no_wrap=True)),
        TextColumn("{task.fields[count]}", table_column=Column(no_wrap=True)),
        *([BarColumn(bar_width=24)] if out.width >= ROOM_FOR_BARS else []),
        TaskProgressColumn(table_column=Column(no_wrap=True)),
        TextColumn("{task.fields[rest]}", table_column=Column(no_wrap=True, overflow="ellipsis", ratio=1)),
    )
    rows: dict[str, object] = {}
    began: dict[str, float] = {}
    with Bars(*columns, console=out, refresh_per_second=4, expand=True) as bars:

        def row(name: str, indent: str = "") -> int:
            if name not in rows:
                rows[name] = bars.add_task(indent + plain(name.split("\n")[-1]), total=1, count="", rest="")
                began[name] = time.monotonic()
            return rows[name]  # type: ignore[return-value]

        def update(now: Progress) -> None:
            done = now.before + now.done
            first = row(now.stage)
            rest = f"{time_left(now, time.monotonic() - began[now.stage])}   {_where(now)}{_failures(now)}"
            count = f"{done:,} / {now.total:,} {now.unit}"
            bars.update(first, total=now.total, completed=done, count=count, rest=rest)  # type: ignore[arg-type]
            for name, model in now.models.items():
                part = row(f"{now.stage}\n{name}", "  ")
                count = f"{model.done:,} / {model.total:,}"
                bars.update(part, total=model.total, completed=model.done, count=count, rest=asked_text(model))  # type: ignore[arg-type]

        yield update


def _lines() -> Report:
    began: dict[str, float] = {}
    shown: dict[str, float] = {}

    def update(now: Progress) -> None:
        start = began.setdefault(now.stage, time.monotonic())
        elapsed, done = time.monotonic() - start, now.before + now.done
        if elapsed - shown.get(now.stage, -PLAIN_EVERY) >= PLAIN_EVERY or done == now.total:
            if done == now.total and shown.get(now.stage) == float("inf"):
                return
            shown[now.stage] = float("inf") if done == now.total else elapsed
            rest = f"{time_left(now, elapsed)}  {now.last}{_failures(now)}{_money(now)}"
            say(f"{now.stage}  {done:,} / {now.total:,} {now.unit}  {rest}", stderr=True)

    return update


def _teller(out: Console) -> Report:
    """Says each note of a stage once, as soon as it is there."""
    notes_printed: dict[str, int] = {}

    def tell(now: Progress) -> None:
        for note in now.notes[notes_printed.get(now.stage, 0) :]:
            out.print(plain(note), style="yellow", soft_wrap=True)
        notes_printed[now.stage] = len(now.notes)

    return tell


def _warner(out: Console) -> Callable[[Progress], None]:
    """Says once for each model that many of its replies cannot be read, with examples."""
    warned: set[str] = set()

    def warn(now: Progress) -> None:
        for name, model in now.models.items():
            if name in warned or model.done < ENOUGH or model.unreadable <= MANY_UNREADABLE * model.done:
                continue
            warned.add(name)
            share = 100 * model.unreadable / model.done
            out.print(
                plain(f"  {name}: in {model.unreadable} of {model.done} asks ({share:.0f} %) a reply cannot be read:"),
                *(f"\n      {plain(repr(text))}" for text in model.examples),
                style="yellow",
                sep="",
            )

    return warn


def asked_text(model: ModelProgress) -> str:
    parts = ["set aside"] if model.is_set_aside else []
    parts += [f"{model.in_flight} in flight"] if model.in_flight else []
    parts += [f"{model.waiting} to try again ({trouble(model)})"] if model.waiting else []
    if model.cost:
        parts.append(f"${model.cost:.2f}")
    share = f" ({100 * model.unreadable / model.done:.0f} %)" if model.unreadable and model.done else ""
    parts.append(f"unreadable {model.unreadable}{share}")
    parts += [f"refused {model.refused}"] if model.refused else []
    parts += [f"timed out {model.timed_out}"] if model.timed_out else []
    parts += [f"failed {model.failed}"] if model.failed else []
    return "   ".join(parts)


def trouble(model: ModelProgress) -> str:
    """What the last fault of a model said, in a few words."""
    text = model.trouble
    return plain(text if len(text) <= TROUBLE else f"{text[: TROUBLE - 3]}...")


def _where(now: Progress) -> str:
    if now.unit == "fits":
        return f"{now.slots} worker{'s' if now.slots != 1 else ''}   {plain(now.last)}"
    return _money(now).strip()


def _money(now: Progress) -> str:
    if now.limit is not None:
        return f"   spent ${now.spent:.2f} of ${now.limit:.2f}"
    return f"   spent ${now.spent:.2f}" if now.spent else ""


def time_left(now: Progress, elapsed: float) -> str:
    todo = now.total - now.before - now.done
    if todo <= 0:
        return f"done in {clock(elapsed)}"
    if now.seconds_left is None:
        return "timing a fit of each cell" if now.unit == "fits" else "waiting for the first reply"
    return f"{clock(now.seconds_left)} left"


def _failures(now: Progress) -> str:
    return "".join(f"   {status} {count}" for status, count in sorted(now.failures.items()))
