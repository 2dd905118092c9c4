"""Where tables and colours go to the terminal; plain lines go through printing.py.

    console()      rich's, whose own codes are the only ones that pass
    plain(text)    a name or a sentence within rich's markup: one line, no markup of its own, nothing that acts

What reaches a console without `plain` drives no terminal either, but its line ends break lines.
"""

from __future__ import annotations

import io
import re
from collections.abc import Callable, Iterable, Mapping, Sequence
from dataclasses import replace
from pathlib import Path
from typing import IO, TYPE_CHECKING

from rich.console import Console as _Console
from rich.console import ConsoleOptions, RenderableType
from rich.markup import escape
from rich.padding import Padding
from rich.segment import Segment
from rich.table import Table

from trueness.files import write_atomically
from trueness.texts import printable, printable_lines

if TYPE_CHECKING:
    from trueness.showing.tables import Table as ReportTable

_LEFT_OPEN = re.compile(r"(\\*)\[(?=[a-z#/@][^\[\]]*$)")
PICTURE = 108  # columns of a saved picture
WIDE = 160  # columns assumed where there is no TTY
FOLDED = 15  # signs that a text which may take several lines has at least


class Console(_Console):
    """Segments that are no control of rich's own are shown character by character."""

    def __init__(
        self, *, stderr: bool = False, width: int | None = None, file: IO[str] | None = None, record: bool = False,
        force_terminal: bool | None = None,
    ) -> None:  # fmt: skip
        super().__init__(
            highlight=False, emoji=False, stderr=stderr, width=width, file=file, record=record,
            force_terminal=force_terminal,
        )  # fmt: skip

    def render(self, renderable: RenderableType, options: ConsoleOptions | None = None) -> Iterable[Segment]:
        for segment in super().render(renderable, options):
            text, style, control = segment
            shown = text if control else printable_lines(text)
            yield segment if shown is text or shown == text else Segment(shown, style)


def console(stderr: bool = False) -> Console:
    made = Console(stderr=stderr)
    return made if made.is_terminal else Console(stderr=stderr, width=WIDE)


def plain(text: object) -> str:
    """One line as it is; a bracket that is left open must not find its end in what follows."""
    return _LEFT_OPEN.sub(r"\1\1\[", escape(printable(str(text))))


def save_recorded(show: Callable[[Console], None], folder: Path, path: Path) -> None:
    from rich.terminal_theme import DIMMED_MONOKAI

    out = Console(record=True, width=PICTURE, file=io.StringIO(), force_terminal=True)
    show(out)
    svg = out.export_svg(title=printable(f"trueness show {folder}"), theme=DIMMED_MONOKAI)
    svg = re.sub(r"@font-face \{.*?\}\s*", "", svg, flags=re.DOTALL).replace("Fira Code", "DejaVu Sans Mono, Menlo")
    write_atomically(path.parent, path.name, svg)


def print_points(sentences: Iterable[object], out: Console) -> None:
    """Each behind a dash; where it breaks it goes on below its first word, and into a file it goes unbroken."""
    for sentence in sentences:
        if out.is_terminal:
            line = Table.grid(padding=(0, 1))
            line.add_row("-", plain(sentence))
            out.print(line)
        else:
            out.print(f"- {plain(sentence)}", soft_wrap=True)


def print_notes(lines: Iterable[str], out: Console, style: str = "dim") -> None:
    """Indented, also where they break; into a file they go unbroken."""
    for line in lines:
        if out.is_terminal:
            out.print(Padding(plain(line), (0, 0, 0, 2)), style=style)
        else:
            out.print(f"  {plain(line)}", style=style, soft_wrap=True)


def print_rows(rows: Sequence[Mapping[str, object]], title: str, out: Console | None = None) -> None:
    out = out or console()
    if not rows:
        out.print(f"no {plain(title)}")
        return
    table = Table(box=None, pad_edge=False, header_style="bold")
    for name in rows[0]:
        numbers = all(isinstance(row[name], int) for row in rows)
        shown = plain(name)
        table.add_column(shown, justify="right" if numbers else "left", overflow="fold", no_wrap=name == "name")
    for row in rows:
        table.add_row(*(plain(value) for value in row.values()))
    out.print(table)


def print_card(card: Mapping[str, object]) -> None:
    out = console()
    table = Table(box=None, show_header=False, pad_edge=False)
    table.add_column(style="bold", no_wrap=True)
    table.add_column(overflow="fold")
    for name, value in card.items():
        lines = str(value).split("\n")  # a prompt and a reply have several
        if isinstance(value, Mapping):
            lines = [f"{key}: {text}" if text != "" else key for key, text in value.items()]
        elif isinstance(value, list):
            lines = [", ".join(map(str, value))]
        table.add_row(plain(name), "\n".join(map(plain, lines)))
    out.print(table)


def print_table(
    out: Console, title: str, table: ReportTable, place: str, drop: Sequence[Sequence[str]] = ()
) -> None:  # fmt: skip
    """A table of the report; a column in which nobody has anything is not shown, and none and no name is cut.

    shown = all columns, less the first groups of `drop` until the rest has room, and those of them that still fit

    place: where all of it stands. Where the table does not say which columns go first, numbers do, from the last on.
    """
    if not table.rows:
        return
    columns = (*table.columns, *table.on_screen)
    table = replace(table, columns=columns, on_screen=(), title=title or table.title, drop=drop or table.drop)
    texts = dict(zip(columns, zip(*table.cells(), strict=True), strict=True))
    used = {column: cells for column, cells in texts.items() if any(cell != "-" for cell in cells)}
    widths = {column.key: max(len(column.title), *map(len, cells)) for column, cells in used.items()}
    widths |= {column.key: min(widths[column.key], FOLDED) for column in used if column.kind == "text"}
    numbers = [(column.key,) for column in used if column.kind != "text"]
    shown = columns_that_fit(widths, out.width, table.drop or numbers[:0:-1])
    out.print(table.to_rich([k for k, column in enumerate(columns) if column.key in shown]))
    if left_out := [column.title for column in used if column.key not in shown]:
        line = f"  Not shown in so narrow a window: {', '.join(left_out)} ({place})."
        out.print(plain(line), style="dim", soft_wrap=not out.is_terminal)


def columns_that_fit(widths: Mapping[str, int], room: int, drop: Sequence[Sequence[str]]) -> list[str]:
    """Names of columns: groups of `drop` go until the rest has room, then the last that still fit come back."""
    gone: list[Sequence[str]] = []

    def remaining() -> list[str]:
        return [name for name in widths if not any(name in group for group in gone)]

    def fits() -> bool:
        return sum(widths[name] + 1 for name in remaining()) - 1 <= room  # a space between two

    for group in drop:
        if not fits():
            gone.append(group)
    for group in tuple(reversed(gone)):
        gone.remove(group)
        if not fits():
            gone.append(group)
    return remaining()
