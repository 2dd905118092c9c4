"""One description of a table, written for the terminal, as LaTeX (booktabs), Markdown, HTML or CSV.

A column of estimates shows `value [low, high]` with as many decimals as the intervals allow: two digits of the median
width, d = 1 - floor(log10(width)), so that no figure is shown that the data do not know. The best row is bold only
where it can be told apart: its interval and that of every other contender have no point in common (sufficient, not
necessary). A value that never varied is `value (constant)`: an interval without width is none, and nothing is told
apart by it. `within` names keys: rows that agree on them contend with one another only.
All text is escaped and shows what it holds (texts.printable); a missing value is a dash, never a number.
"""

from __future__ import annotations

import math
import re
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from functools import cached_property
from html import escape
from typing import TYPE_CHECKING, Literal, SupportsFloat

import pandas as pd

from trueness.intervals import fixed, value_text
from trueness.showing.saving import csv_text
from trueness.statistics.result import latex_text
from trueness.texts import drawable, html_text, printable

if TYPE_CHECKING:
    from rich.table import Table as RichTable

Kind = Literal["text", "cell", "count", "number", "percent"]  # a cell is a text of numbers, which never folds


@dataclass(frozen=True)
class Column:
    """`key` of a row; where `low` and `high` name keys too, the interval stands beside the value."""

    key: str
    title: str
    kind: Kind = "number"
    low: str | None = None
    high: str | None = None
    better: Literal["higher", "lower"] | None = None
    decimals: int | None = None


_LINE = 78  # signs that a line of a plain article holds at \\small
_FOLDED = 24  # signs of a text in a table that is wider than a line; a longer text takes several
_TALL, _HEAD = 44, 4  # lines of a table on a page, and those of its head
_TITLE = Column("title", "", "text")
_BOLD = "Bold: the best of its rivals, where its interval is apart from all of theirs; references are no rivals."


@dataclass(frozen=True, eq=False)
class Table:
    """Rows and how to show them. Rows for which `contends` is false are never the best (references, say); where one is
    the best and bold, the caption says what that means."""

    name: str
    columns: tuple[Column, ...]
    rows: Sequence[Mapping[str, object]]
    caption: str
    contends: str | None = None
    rule_before: str | None = None  # a thin rule wherever this key changes
    within: tuple[str, ...] = ()  # the best is sought among the rows that agree on these keys
    title: str = ""  # above it, in a terminal
    drop: Sequence[Sequence[str]] = ()  # groups of keys in the order in which they go where a terminal is narrow
    once: tuple[str, ...] = ()  # keys whose text a terminal does not repeat from row to row
    on_screen: tuple[Column, ...] = ()  # behind the columns, in a terminal alone

    def __post_init__(self) -> None:
        if "Bold:" not in self.caption and self._best():
            object.__setattr__(self, "caption", f"{self.caption} {_BOLD}")

    def frame(self) -> pd.DataFrame:
        """All numbers, unrounded."""
        keys = [key for column in self.columns for key in (column.key, column.low, column.high) if key]
        return pd.DataFrame([{key: row.get(key) for key in keys} for row in self.rows], columns=keys)

    def to_csv(self) -> str:
        return csv_text(self.frame())

    def titles(self) -> list[str]:
        """Of the columns, not escaped."""
        return [drawable(printable(column.title)) for column in self.columns]

    def cells(self) -> list[list[str]]:
        """The text of each cell, not escaped."""
        return self._cells

    @cached_property
    def _cells(self) -> list[list[str]]:
        shown = {column.key: _cell_texts(column, self.rows) for column in self.columns}
        return [[shown[column.key][k] for column in self.columns] for k in range(len(self.rows))]

    def to_rich(self, shown: Sequence[int] | None = None) -> RichTable:
        """For the terminal; names are data, so they are escaped. shown: places of the columns that have room."""
        from rich.markup import escape as plain
        from rich.table import Table as Printed

        bold, rows, titles = self._best(), self.cells(), self.titles()
        places = range(len(self.columns)) if shown is None else shown
        printed = Printed(
            box=None, pad_edge=False, header_style="bold", collapse_padding=True, title=plain(self.title) or None,
            title_justify="left", title_style="bold",
        )  # fmt: skip
        for c in places:
            column = self.columns[c]
            left = column.kind in ("text", "cell") or column.low is not None  # estimates line up at their start
            folds = column.kind == "text"  # a name that has no room goes on in the next line, whole
            printed.add_column(
                plain(titles[c]), justify="left" if left else "right", no_wrap=not folds, overflow="fold"
            )
        for k, cells in enumerate(rows):
            if self._has_rule(k):
                printed.add_section()
            texts = [f"[bold]{plain(t)}[/]" if (k, c.key) in bold else plain(t)
                     for t, c in zip(cells, self.columns, strict=True)]  # fmt: skip
            for c, column in enumerate(self.columns):
                if column.key in self.once and k and cells[: c + 1] == rows[k - 1][: c + 1]:
                    texts[c] = ""
            printed.add_row(*(texts[c] for c in places))
        return printed

    def _repr_html_(self) -> str:
        bold = self._best()
        head = "".join(f"<th>{escape(title)}</th>" for title in self.titles())
        lines = []
        for k, cells in enumerate(self.cells()):
            texts = [escape(cell) for cell in cells]
            texts = [f"<b>{t}</b>" if (k, c.key) in bold else t for t, c in zip(texts, self.columns, strict=True)]
            lines.append("<tr>" + "".join(f"<td>{text}</td>" for text in texts) + "</tr>")
        caption = f"<caption>{html_text(self.caption)}</caption>"
        return f"<table>{caption}<thead><tr>{head}</tr></thead><tbody>{''.join(lines)}</tbody></table>"

    def to_markdown(self) -> str:
        bold = self._best()
        lines = ["| " + " | ".join(_markdown(title, _TITLE) for title in self.titles()) + " |"]
        lines.append("|" + "|".join(" :--- " if c.kind == "text" else " ---: " for c in self.columns) + "|")
        for k, cells in enumerate(self.cells()):
            texts = [_markdown(cell, column) for cell, column in zip(cells, self.columns, strict=True)]
            texts = [f"**{t}**" if (k, c.key) in bold else t for t, c in zip(texts, self.columns, strict=True)]
            lines.append("| " + " | ".join(texts) + " |")
        return "\n".join([*lines, "", printable(self.caption)]) + "\n"

    def to_latex(self) -> str:
        """A table environment with caption and label tab:<name>; needs booktabs. One that is too wide for a line stands
        in parts, each with the names of the rows; one that is too long for a page goes on in another table."""
        cells = self.cells()
        wide = [max(map(len, column)) + 2 for column in zip(self.titles(), *cells, strict=True)]
        folded = [min(w, _FOLDED) if c.kind == "text" else w for w, c in zip(wide, self.columns, strict=True)]
        widths = wide if sum(wide) <= _LINE else folded
        pages: list[list[str]] = [[]]
        filled = len(self.caption) // _LINE
        for places in self.parts(widths, _LINE):
            heights = [max(math.ceil((len(row[k]) + 2) / widths[k]) for k in places) for row in cells]
            if pages[-1] and filled + _HEAD + sum(heights) > _TALL:
                pages.append([])
                filled = 0
            rows: list[int] = []
            filled += _HEAD
            for r, height in enumerate(heights):
                if rows and filled + height > _TALL:
                    pages[-1].append(self._tabular(places, rows, widths))
                    pages.append([])
                    rows, filled = [], _HEAD
                rows.append(r)
                filled += height
            pages[-1].append(self._tabular(places, rows, widths))
        tops = [rf"\caption{{{tex_text(self.caption)}}}" + "\n" + rf"\label{{tab:{label_of(self.name)}}}"]
        tops += [r"\addtocounter{table}{-1}\caption{(continued)}"] * (len(pages) - 1)
        begin = "\n".join([r"\begin{table}[tp]", r"\centering", r"\small"])
        bodies = ("\n\\par\\bigskip\n".join(page) for page in pages)
        return "".join(f"{begin}\n{top}\n{body}\n\\end{{table}}\n" for top, body in zip(tops, bodies, strict=True))

    def _tabular(self, places: Sequence[int], rows: Sequence[int], widths: Sequence[int]) -> str:
        bold, titles, cells = self._best(), self.titles(), self.cells()
        spec = ""
        for k in places:
            folds = any(len(row[k]) + 2 > widths[k] for row in [titles, *cells])
            spec += rf"p{{{widths[k] / _LINE:.2f}\textwidth}}" if folds else "lr"[self.columns[k].kind != "text"]
        lines = [rf"\begin{{tabular}}{{{spec}}}", r"\toprule"]
        lines += [" & ".join(tex_text(titles[k]) for k in places) + r" \\", r"\midrule"]
        for r in rows:
            if r != rows[0] and self._has_rule(r):
                lines.append(r"\midrule")
            texts = [_latex(cells[r][k], self.columns[k], (r, self.columns[k].key) in bold) for k in places]
            lines.append(" & ".join(texts) + r" \\")
        return "\n".join([*lines, r"\bottomrule", r"\end{tabular}"])

    def parts(self, widths: Sequence[float], room: float) -> list[list[int]]:
        """Places of columns, in parts that have room; the texts that begin a row are its name and begin each part."""
        kinds = [column.kind == "text" for column in self.columns]
        names = list(range(kinds.index(False) if False in kinds else 0))
        parts: list[list[int]] = [[]]
        for k in range(len(names), len(kinds)):
            if parts[-1] and sum(widths[n] for n in (*names, *parts[-1], k)) > room:
                parts.append([])
            parts[-1].append(k)
        return [[*names, *part] for part in parts]

    def _has_rule(self, k: int) -> bool:
        key = self.rule_before
        return bool(k and key) and self.rows[k].get(str(key)) != self.rows[k - 1].get(str(key))

    def _best(self) -> set[tuple[int, str]]:
        fields: dict[tuple[object, ...], list[int]] = {}
        for k, row in enumerate(self.rows):
            if not self.contends or row.get(self.contends):
                fields.setdefault(tuple(row.get(key) for key in self.within), []).append(k)
        pairs = ((c.key, _best_row(c, self.rows, field)) for c in self.columns for field in fields.values())
        return {(row, key) for key, row in pairs if row is not None}


def tex_text(text: str) -> str:
    """For the text of a plain LaTeX article: specials escaped, signs that its fonts lack spelt out or named."""
    text = "".join(_SPELT.get(sign) or sign for sign in printable(text))
    named = "".join(sign if ord(sign) < 0x180 else f"[U+{ord(sign):04X}]" for sign in text)
    return "".join(_TEXT_SIGNS.get(sign) or latex_text(sign) for sign in named)


def label_of(name: str) -> str:
    return "".join(c if c.isascii() and c.isalnum() else "-" for c in name)


def decimals_of(widths: Sequence[float]) -> int:
    """Two digits of the median width, between 0 and 4 decimals; 2 where no interval is known."""
    known = sorted(w for w in widths if w > 0 and math.isfinite(w))
    if not known:
        return 2
    return min(4, max(0, 1 - math.floor(math.log10(known[len(known) // 2]))))


def _cell_texts(column: Column, rows: Sequence[Mapping[str, object]]) -> list[str]:
    if column.kind in ("text", "cell"):
        return [_text(row.get(column.key)) for row in rows]
    if column.kind == "count":
        return ["-" if _absent(row.get(column.key)) else f"{int(_at(row, column.key)):,}" for row in rows]
    scale = 100.0 if column.kind == "percent" else 1.0
    places = column.decimals
    if places is None:
        places = decimals_of([scale * width for row in rows if (width := _width(column, row)) is not None])
    return [_number(column, row, scale, places) for row in rows]


def _number(column: Column, row: Mapping[str, object], scale: float, places: int) -> str:
    if _absent(row.get(column.key)):
        return "-"
    keys = (column.low, column.high)
    low, high = (None if key is None or _absent(row.get(key)) else scale * _at(row, key) for key in keys)
    constant = column.low is not None and bool(row.get(column.low.removesuffix("low") + "constant"))
    return value_text(scale * _at(row, column.key), (low, high), fixed(places), constant)


def _width(column: Column, row: Mapping[str, object]) -> float | None:
    if column.low is None or column.high is None or _absent(row.get(column.low)) or _absent(row.get(column.high)):
        return None
    high = _at(row, column.high)
    width = high - _at(row, column.low)
    return width if width > _ROUNDING * max(1.0, abs(high)) else None


def _best_row(column: Column, rows: Sequence[Mapping[str, object]], field: Sequence[int]) -> int | None:
    """The row of the field that is best and can be told apart from every other one; None where none can."""
    if column.better is None:
        return None
    sign = 1.0 if column.better == "higher" else -1.0
    field = [k for k in field if not _absent(rows[k].get(column.key))]
    if len(field) < 2 or any(_width(column, rows[k]) is None for k in field):
        return None
    best = max(field, key=lambda k: sign * _at(rows[k], column.key))
    near, far = (column.low, column.high) if sign > 0 else (column.high, column.low)
    assert near is not None and far is not None
    apart = all(sign * _at(rows[best], near) > sign * _at(rows[k], far) for k in field if k != best)
    return best if apart else None


def _at(row: Mapping[str, object], key: str) -> float:
    """The number of a row."""
    value = row[key]
    assert isinstance(value, SupportsFloat), key
    return float(value)


def _absent(value: object) -> bool:
    return value is None or (isinstance(value, float) and math.isnan(value))


def _text(value: object) -> str:
    return "-" if _absent(value) or value == "" else drawable(printable(str(value)))


def _latex(cell: str, column: Column, bold: bool) -> str:
    if cell == "-":
        return "--"
    if column.kind in ("text", "cell"):
        return rf"\textbf{{{tex_text(cell)}}}" if bold else tex_text(cell)
    # each number in math, for its minus; the brackets outside, for the space before them
    text = f"${cell.replace(',', '{,}')}$" if column.kind == "count" else _NUMBER.sub(r"$\g<0>$", cell)
    return rf"{{\boldmath {text}}}" if bold else text


def _markdown(cell: str, column: Column) -> str:
    """Text is escaped, so that a name cannot be a link or a picture; numbers need it not."""
    if column.kind != "text":
        return cell
    return " ".join("".join("\\" + sign if sign in _MARKDOWN_SIGNS else sign for sign in cell).split())


_ROUNDING = 1e-9
_NUMBER = re.compile(r"-?\d+(\.\d+)?")
_MARKDOWN_SIGNS = set("\\`*_{}[]()<>#|!~")
_TEXT_SIGNS = {"<": r"\textless{}", ">": r"\textgreater{}", "|": r"\textbar{}"}
_SPELT = {"−": "-", "–": "--", "·": "-", "…": "...", "±": "+-", "≤": "<=", "≥": ">=", "×": "x"}
