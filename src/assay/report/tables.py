"""One description of a table, written as LaTeX (booktabs), Markdown or CSV.

A column of estimates shows `value [low, high]` with as many decimals as the intervals allow: two digits of the median
width, d = 1 - floor(log10(width)), so that no figure is shown that the data do not know. The best row is bold only
where it can be told apart: its interval and that of the runner-up have no point in common (sufficient, not necessary).
All text is escaped; a missing value is a dash, never a number.
"""

from __future__ import annotations

import math
import re
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from typing import Any, Literal

import pandas as pd

from assay.report.saving import csv_text
from assay.statistics.result import latex_text

Kind = Literal["text", "count", "number", "percent"]


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


_LINE = 78  # signs that a line of a plain article holds at \\small; a wider table is scaled
_TITLE = Column("title", "", "text")


@dataclass(frozen=True, eq=False)
class Table:
    """Rows and how to show them. Rows for which `contends` is false are never the best (references, say)."""

    name: str
    columns: tuple[Column, ...]
    rows: Sequence[Mapping[str, Any]]
    caption: str
    contends: str | None = None
    rule_before: str | None = None  # a thin rule wherever this key changes

    def frame(self) -> pd.DataFrame:
        """All numbers, unrounded."""
        keys = [key for column in self.columns for key in (column.key, column.low, column.high) if key]
        return pd.DataFrame([{key: row.get(key) for key in keys} for row in self.rows], columns=keys)

    def to_csv(self) -> str:
        return csv_text(self.frame())

    def cells(self) -> list[list[str]]:
        """The text of each cell, not escaped."""
        shown = {column.key: _shown(column, self.rows) for column in self.columns}
        return [[shown[column.key][k] for column in self.columns] for k in range(len(self.rows))]

    def to_markdown(self) -> str:
        bold = self._best()
        lines = ["| " + " | ".join(_markdown(column.title, _TITLE) for column in self.columns) + " |"]
        lines.append("|" + "|".join(" :--- " if c.kind == "text" else " ---: " for c in self.columns) + "|")
        for k, cells in enumerate(self.cells()):
            texts = [_markdown(cell, column) for cell, column in zip(cells, self.columns, strict=True)]
            texts = [f"**{t}**" if (k, c.key) in bold else t for t, c in zip(texts, self.columns, strict=True)]
            lines.append("| " + " | ".join(texts) + " |")
        return "\n".join([*lines, "", self.caption]) + "\n"

    def to_latex(self) -> str:
        """A table environment with caption and label tab:<name>; needs booktabs, and graphicx where it is wide."""
        bold = self._best()
        spec = "".join("l" if column.kind == "text" else "r" for column in self.columns)
        shown = [[column.title for column in self.columns], *self.cells()]
        fits = sum(max(len(row[k]) for row in shown) + 2 for k in range(len(self.columns))) <= _LINE
        begin, end = ("", "") if fits else (r"\resizebox{\textwidth}{!}{%" + "\n", "}")
        lines = [r"\begin{table}[t]", r"\centering", r"\small", rf"\caption{{{escaped(self.caption)}}}"]
        lines += [rf"\label{{tab:{label_of(self.name)}}}", rf"{begin}\begin{{tabular}}{{{spec}}}", r"\toprule"]
        lines += [" & ".join(escaped(column.title) for column in self.columns) + r" \\", r"\midrule"]
        for k, cells in enumerate(self.cells()):
            if k and self.rule_before and self.rows[k].get(self.rule_before) != self.rows[k - 1].get(self.rule_before):
                lines.append(r"\midrule")
            texts = [
                _latex(cell, column, (k, column.key) in bold) for cell, column in zip(cells, self.columns, strict=True)
            ]
            lines.append(" & ".join(texts) + r" \\")
        return "\n".join([*lines, r"\bottomrule", rf"\end{{tabular}}{end}", r"\end{table}"]) + "\n"

    def _best(self) -> set[tuple[int, str]]:
        pairs = ((column.key, _best_row(column, self.rows, self.contends)) for column in self.columns)
        return {(row, key) for key, row in pairs if row is not None}


def escaped(text: str) -> str:
    """For the text of a plain LaTeX article: specials escaped, signs that its fonts lack spelt out or named."""
    text = "".join(_SPELT.get(sign) or (sign if sign.isprintable() else " ") for sign in text)
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


def _shown(column: Column, rows: Sequence[Mapping[str, Any]]) -> list[str]:
    if column.kind == "text":
        return [_text(row.get(column.key)) for row in rows]
    if column.kind == "count":
        return ["-" if _absent(row.get(column.key)) else f"{int(row[column.key]):,}" for row in rows]
    scale = 100.0 if column.kind == "percent" else 1.0
    places = column.decimals
    if places is None:
        places = decimals_of([scale * width for row in rows if (width := _width(column, row)) is not None])
    return [_number(column, row, scale, places) for row in rows]


def _number(column: Column, row: Mapping[str, Any], scale: float, places: int) -> str:
    if _absent(row.get(column.key)):
        return "-"
    value = _fixed(scale * row[column.key], places)
    if _width(column, row) is None:
        return value
    assert column.low is not None and column.high is not None
    return f"{value} [{_fixed(scale * row[column.low], places)}, {_fixed(scale * row[column.high], places)}]"


def _fixed(value: float, places: int) -> str:
    text = f"{value:.{places}f}"
    return text[1:] if text.startswith("-") and float(text) == 0 else text  # no minus zero


def _width(column: Column, row: Mapping[str, Any]) -> float | None:
    if column.low is None or column.high is None or _absent(row.get(column.low)) or _absent(row.get(column.high)):
        return None
    return float(row[column.high] - row[column.low])


def _best_row(column: Column, rows: Sequence[Mapping[str, Any]], contends: str | None) -> int | None:
    """The row that is best and can be told apart from every other contender; None where none can."""
    if column.better is None:
        return None
    sign = 1.0 if column.better == "higher" else -1.0
    field = [k for k, row in enumerate(rows) if not contends or row.get(contends)]
    field = [k for k in field if not _absent(rows[k].get(column.key))]
    if len(field) < 2 or any(_width(column, rows[k]) is None for k in field):
        return None
    best = max(field, key=lambda k: sign * rows[k][column.key])
    near, far = (column.low, column.high) if sign > 0 else (column.high, column.low)
    assert near is not None and far is not None
    apart = all(sign * rows[best][near] > sign * rows[k][far] for k in field if k != best)
    return best if apart else None


def _absent(value: Any) -> bool:
    return value is None or (isinstance(value, float) and math.isnan(value))


def _text(value: Any) -> str:
    return "-" if _absent(value) or value == "" else str(value)


def _latex(cell: str, column: Column, bold: bool) -> str:
    if cell == "-":
        return "--"
    if column.kind == "text":
        return rf"\textbf{{{escaped(cell)}}}" if bold else escaped(cell)
    # each number in math, for its minus; the brackets outside, for the space before them
    text = f"${cell.replace(',', '{,}')}$" if column.kind == "count" else _NUMBER.sub(r"$\g<0>$", cell)
    return rf"{{\boldmath {text}}}" if bold else text


def _markdown(cell: str, column: Column) -> str:
    """Text is escaped, so that a name cannot be a link or a picture; numbers need it not."""
    if column.kind != "text":
        return cell
    return " ".join("".join("\\" + sign if sign in _MARKDOWN_SIGNS else sign for sign in cell).split())


_NUMBER = re.compile(r"-?\d+(\.\d+)?")
_MARKDOWN_SIGNS = set("\\`*_{}[]()<>#|!~")
_TEXT_SIGNS = {"<": r"\textless{}", ">": r"\textgreater{}", "|": r"\textbar{}"}
_SPELT = {"−": "-", "–": "--", "·": "-", "…": "...", "±": "+-", "≤": "<=", "≥": ">=", "×": "x"}
