"""Tables of a text, their cells as spans: markdown and boxes, LaTeX, comma-separated, aligned with blanks."""

from __future__ import annotations

import re
from typing import NamedTuple

from trueness.patterns import late

_RULE = late(r"[\s|:+=-]*")
_ALIGNED = late(r"\S(?:\S| (?=\S))*")
_HEADS = late(r"^[a-z1 _]+(?:,[a-z1 _]+){2,}$", re.MULTILINE)  # precision_low,precision_high,...
_TWO_COMMAS = late(r",[a-z1 _]+,")  # a cheap look for them
_DIGIT = late(r"(?<![a-z])\d")
Cell = tuple[int, int]
Row = tuple[Cell, ...]


class Table(NamedTuple):
    """Rows of cells, each a span of the view; all rows are parted by the same sign."""

    start: int
    end: int
    rows: tuple[Row, ...]
    sign: str


def may_hold_tables(view: str) -> bool:
    """A cheap look before the careful one."""
    if view.count("|") > 2 or "&" in view:
        return True
    if "\n" not in view:
        return False
    if "   " in view or "metric," in view or "measure," in view:
        return True
    return _TWO_COMMAS.search(view) is not None and _HEADS.search(view) is not None


def tables_in(view: str) -> list[Table]:
    """Runs of two or more lines that are parted alike, rules and blanked LaTeX lines between them left out."""
    tables: list[Table] = []
    rows: list[Row] = []
    sign = ""
    start = at = 0
    for line in view.split("\n"):
        if not (rows and _is_rule(line, sign)):
            mark, row = _sign_and_cells(line, at)
            if rows and mark != sign:
                _close(view, start, at, rows, sign, tables)
                rows = []
            if row:
                start = start if rows else at
                sign = mark
                rows.append(row)
        at += len(line) + 1
    _close(view, start, len(view), rows, sign, tables)
    return tables


def _is_rule(line: str, sign: str) -> bool:
    return (bool(line) or sign == "&") and not line.strip(" +-=|:\\")


def _close(view: str, start: int, end: int, rows: list[Row], sign: str, tables: list[Table]) -> None:
    if len(rows) < 2:
        return
    if sign in ", ":  # signs of ordinary text: only a line of heads without numbers makes a table of it
        if _DIGIT.search(view, rows[0][0][0], rows[0][-1][1]):
            if sign == "," or any(len(row) != 3 for row in rows):  # or lines of a name and two numbers
                return
        elif sign == " " and all(len(row) == len(rows[0]) + 1 for row in rows[1:]):
            rows = [((rows[0][0][0], rows[0][0][0]), *rows[0]), *rows[1:]]  # nothing stands above the names of the rows
    tables.append(Table(start, end, tuple(rows), sign))


def _sign_and_cells(line: str, at: int) -> tuple[str, Row]:
    """The sign that parts a line, and its cells; ("", ()) where it is no line of a table."""
    if "|" in line:
        return "|", _cells(line, at, "|")
    if "&" in line:
        return "&", _cells(line.partition("\\\\")[0], at, "&")
    if ":" in line or "(" in line or "[" in line:
        return "", ()
    if line.count(",") > 1:
        return ",", _cells(line, at, ",")
    inner = line.strip()
    if "  " in inner:
        cells = tuple((at + cell.start(), at + cell.end()) for cell in _ALIGNED.finditer(line))
        if len(cells) > 2 or "   " in inner:
            return " ", cells
    return "", ()


def _cells(line: str, at: int, sign: str) -> Row:
    if _RULE.fullmatch(line):
        return ()
    inner = line.rstrip()
    shift = at
    if sign == "|":
        inner = inner.removesuffix("|")
        bare = inner.lstrip()
        if bare.startswith("|"):
            shift += len(inner) - len(bare) + 1
            inner = bare[1:]
    cells = []
    for part in inner.split(sign):
        cells.append((shift, shift + len(part)))
        shift += len(part) + 1
    return tuple(cells) if len(cells) > 1 else ()
