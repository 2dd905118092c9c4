"""Texts in columns for a terminal of any width: columns go whole, in a stated order and with a word; nothing is cut.

    shown = all columns, less the first groups of `drop` until the rest has room, and those of them that still fit

Names in text columns fold over lines where even what stays is too wide: two respondents never look the same.
"""

from __future__ import annotations

from collections.abc import Collection, Iterator, Mapping, Sequence
from dataclasses import dataclass, replace
from typing import Literal

from rich.table import Table

from trueness.showing.console import Console, plain
from trueness.showing.tables import Table as ReportTable

FOLDED = 15


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


def left_out(names: Collection[str], place: str) -> Iterator[str]:
    """The word on columns that had no room, where there are any."""
    if names:
        yield f"Not shown in so narrow a window: {', '.join(names)} ({place})."


@dataclass(frozen=True)
class Sheet:
    """Title -> cells. `drop`: groups of titles in the order in which they go. `starts`: rows before which a rule is."""

    columns: Mapping[str, Sequence[str]]
    drop: Sequence[Sequence[str]] = ()
    right: Collection[str] = ()
    starts: Collection[int] = ()
    folds: Collection[str] = ()  # besides the first column: texts that may take several lines, of FOLDED signs at least

    def titles_that_fit(self, room: int) -> list[str]:
        widths = {title: max(len(title), *map(len, cells), 0) for title, cells in self.columns.items()}
        return columns_that_fit(widths | {title: min(widths[title], FOLDED) for title in self.folds}, room, self.drop)

    def missing(self, room: int) -> list[str]:
        shown = self.titles_that_fit(room)
        return [title for title in self.columns if title not in shown]

    def print(self, out: Console) -> None:
        shown, first = self.titles_that_fit(out.width), next(iter(self.columns))
        table = Table(box=None, pad_edge=False, header_style="bold", padding=(0, 1, 0, 0))
        for title in shown:
            folds = title == first or title in self.folds
            side: Literal["left", "right"] = "right" if title in self.right else "left"
            table.add_column(plain(title), justify=side, no_wrap=not folds, overflow="fold")
        for number, cells in enumerate(zip(*(self.columns[title] for title in shown), strict=True)):
            if number in self.starts:
                table.add_section()
            table.add_row(*map(plain, cells))
        out.print(table)


def print_table(
    out: Console, title: str, table: ReportTable, place: str, drop: Sequence[Sequence[str]] = (),
    once: Sequence[str] = (),
) -> None:  # fmt: skip
    """A table of the report by the same rule; a column in which nobody has anything is not shown.

    place: where all of it stands. Where the table does not say which columns go first, numbers do, from the last on.
    """
    if not table.rows:
        return
    table = replace(
        table, columns=(*table.columns, *table.on_screen), on_screen=(), title=title or table.title,
        drop=drop or table.drop, once=tuple(once) or table.once,
    )  # fmt: skip
    texts = dict(zip(table.columns, zip(*table.cells(), strict=True), strict=True))
    used = {column: cells for column, cells in texts.items() if any(cell != "-" for cell in cells)}
    widths = {column.key: max(len(column.title), *map(len, cells)) for column, cells in used.items()}
    widths |= {column.key: min(widths[column.key], FOLDED) for column in used if column.kind == "text"}
    numbers = [column.key for column in used if column.kind != "text"]
    shown = columns_that_fit(widths, out.width, table.drop or one_by_one(numbers[:0:-1]))
    out.print(table.to_rich([k for k, column in enumerate(table.columns) if column.key in shown]))
    for line in left_out([column.title for column in used if column.key not in shown], place):
        out.print(f"  {plain(line)}", style="dim", soft_wrap=not out.is_terminal)


def one_by_one(drop: Sequence[str]) -> list[tuple[str]]:
    """Each column a group of its own."""
    return [(name,) for name in drop]


def changes(values: Sequence[object]) -> set[int]:
    """Where a value is another than the one before."""
    return {k for k, (before, now) in enumerate(zip(values, values[1:], strict=False), 1) if before != now}
