"""Claims from tables: markdown, LaTeX, comma-separated or aligned with blanks.

cell (row, column): its measure and its role (lower, upper, median, 80 %) are said by the heads of row and column
"""

from __future__ import annotations

import re
from bisect import bisect_left
from collections.abc import Sequence
from typing import NamedTuple

from assay.reading.claims import Claim, Scale, paired, trouble
from assay.reading.labels import Label
from assay.reading.numbers import Number, numbers_in
from assay.reading.ranges import POINT, Expression, expression_at

_RULE = re.compile(r"[\s|:+=-]*")
_WORDS = re.compile(r"[^\W\d]+")
_DIGITS = re.compile(r"\d+(?:\.\d+)?")
_LOWER = frozenset(
    "lower low min minimum lb from untere untergrenze inférieure inferior mínimo lo l 下限 下界 left".split()
)
_UPPER = frozenset(
    "upper high max maximum ub to obere obergrenze supérieure superior máximo hi u 上限 上界 right".split()
)
_MIDDLE = frozenset("median mean midpoint central point mid mode expected mediana médiane 中位数 best average".split())
_SILENT = frozenset(
    "reasoning reason notes note rationale comment comments explanation confidence justification why width unit "
    "description interpretation meaning definition begründung remarque nota assumption assumptions direction baseline "
    "random 理由 说明 备注 remarks sd std".split()
)
_LEVELS = frozenset((50.0, 80.0, 90.0, 95.0, 99.0))
_QUANTILES = {
    2.5: (0.95, "lower"), 97.5: (0.95, "upper"), 25.0: (0.5, "lower"), 75.0: (0.5, "upper"), 10.0: (0.8, "lower"),
    90.0: (0.8, "upper"), 50.0: (None, "median"), 0.025: (0.95, "lower"), 0.975: (0.95, "upper"),
}  # fmt: skip
Cell = tuple[int, int]


class Table(NamedTuple):
    """Rows of cells, each a span of the view."""

    start: int
    end: int
    rows: tuple[tuple[Cell, ...], ...]


class _Head(NamedTuple):
    measure: str = ""
    role: str = ""
    level: float | None = None
    silent: bool = False
    percent: bool = False
    text: str = ""


def tables_in(view: str) -> list[Table]:
    """Runs of two or more lines that are parted alike."""
    found: list[Table] = []
    run: list[tuple[Cell, ...]] = []
    start = at = 0
    for line in view.split("\n"):
        cells = () if run and not line.strip() and "&" in view else _cells(line, at)  # a blanked \\hline
        if run and line and not line.strip(" +-=|"):
            cells = ()
        if cells is not None:
            if not run:
                start = at
            if cells:
                run.append(cells)
        else:
            if len(run) > 1:
                found.append(Table(start, at, tuple(run)))
            run = []
        at += len(line) + 1
    if len(run) > 1:
        found.append(Table(start, len(view), tuple(run)))
    return found


def may_hold_tables(view: str) -> bool:
    """A cheap look before the careful one."""
    return (
        view.count("|") > 2
        or "&" in view
        or "   " in view
        or ("," in view and ("metric," in view or "measure," in view))
    )


def _cells(line: str, at: int) -> tuple[Cell, ...] | None:
    """The cells of a line, () for a rule, None where it is no line of a table."""
    if "|" in line:
        inner = line.strip(" ")
        shift = at + line.index(inner[:1]) if inner else at
        if inner.startswith("|"):
            inner, shift = inner[1:], shift + 1
        inner = inner.removesuffix("|")
        sign = "|"
    elif "&" in line:
        inner, shift, sign = line.partition("\\\\")[0], at, "&"
    elif line.count(",") > 1 and ":" not in line and "." not in line[-1:] and "(" not in line and "[" not in line:
        inner, shift, sign = line, at, ","
    elif "   " in line.strip() and ":" not in line:
        return tuple((at + cell.start(), at + cell.end()) for cell in re.finditer(r"\S+(?: \S+)*", line))
    else:
        return None
    if _RULE.fullmatch(inner):
        return ()
    cells = []
    for part in inner.split(sign):
        cells.append((shift, shift + len(part)))
        shift += len(part) + 1
    return tuple(cells) if len(cells) > 1 else None


def claims_in_table(
    view: str, table: Table, labels: Sequence[Label], numbers: Sequence[Number], scale: Scale
) -> list[Claim]:
    """The claims of all cells; a measure with several unnamed value columns cannot be read."""
    starts = [number.start for number in numbers]
    places = [label.start for label in labels]

    def label_of(cell: Cell) -> str:
        inside = {label.measure for label in labels[bisect_left(places, cell[0]) : bisect_left(places, cell[1])]}
        return inside.pop() if len(inside) == 1 else ""

    top = table.rows[0]
    columns = [_head(view, cell, label_of(cell)) for cell in top]
    columns = _quantiles(columns)
    by_columns = sum(bool(head.measure) for head in columns) > 1
    rows = [_head(view, row[0], "" if by_columns else label_of(row[0])) for row in table.rows[1:]]
    if not by_columns and _measure_is_second(table, label_of):
        rows = [
            _head(view, row[1] if len(row) > 1 else row[0], label_of(row[1]) if len(row) > 1 else "")
            for row in table.rows[1:]
        ]
    if (
        not by_columns
        and columns[0].measure
        and not any(number.start < top[-1][1] for number in numbers if number.start >= top[0][0])
    ):
        columns = [head._replace(measure="") for head in columns]
    found = _Found(view, scale)
    comma = view[top[0][1] : top[0][1] + 1] == ","  # there 4,9 are two cells
    lines = list(zip(table.rows[1:], rows, strict=True))
    if columns[0].measure and not by_columns and len(top) > 1:  # a table without a header: its first line is data
        lines.insert(0, (top, columns[0]))
        columns = [_Head() for _ in top]
    for row, head in lines:
        for index, cell in enumerate(row):
            column = columns[index] if index < len(columns) else _Head()
            if by_columns and index == 0 and not column.measure:
                continue
            inside = numbers[bisect_left(starts, cell[0]) : bisect_left(starts, cell[1])]
            if comma:
                inside = numbers_in(view, cell[0], cell[1])
            if inside and not (label_of(cell) and not by_columns):
                found.add(cell, inside, head, column)
    return found.claims()


def _measure_is_second(table: Table, label_of: object) -> bool:
    first = sum(bool(label_of(row[0])) for row in table.rows[1:])  # type: ignore[operator]
    second = sum(bool(label_of(row[1])) for row in table.rows[1:] if len(row) > 1)  # type: ignore[operator]
    return second > first


def _head(view: str, cell: Cell, measure: str) -> _Head:
    text = view[cell[0] : cell[1]].strip()
    words = set(_WORDS.findall(text))
    digits = [float(d) for d in _DIGITS.findall(text.replace("f1", "").replace("f 1", ""))]
    lower, upper = bool(words & _LOWER), bool(words & _UPPER)
    role = "" if lower == upper else "lower" if lower else "upper"
    role = role or ("median" if words & _MIDDLE else "")
    level = digits[0] / 100 if len(digits) == 1 and digits[0] in _LEVELS else None
    percent = "%" in text and not digits
    return _Head(measure, role, level, bool(words & _SILENT), percent, text)


def _quantiles(columns: list[_Head]) -> list[_Head]:
    """Columns headed 2.5 %, 50 %, 97.5 % are quantiles, not levels."""
    values = [_DIGITS.findall(head.text) for head in columns]
    heads = {float(value[0]) for value in values if len(value) == 1}
    if not heads & {2.5, 97.5, 0.025, 25.0, 75.0, 10.0} or len(heads) < 2:
        return columns
    made = []
    for head, value in zip(columns, values, strict=True):
        if len(value) == 1 and not head.measure:
            level, role = _QUANTILES.get(float(value[0]), (None, "other"))
            head = head._replace(level=level, role=role, percent=False)
        made.append(head)
    return made


class _Found:
    """What the cells of a table say, by measure."""

    def __init__(self, view: str, scale: Scale):
        self.view, self.scale = view, scale
        self.ends: dict[tuple[str, float | None, str], Expression] = {}
        self.made: list[Claim] = []
        self.unnamed: dict[tuple[str, str], list[Claim]] = {}

    def add(self, cell: Cell, numbers: Sequence[Number], row: _Head, column: _Head) -> None:
        measure = row.measure or column.measure
        if not measure or row.silent or column.silent:
            return
        role = row.role or column.role
        level = row.level or column.level
        if role == "other":
            return
        own = [number for number in numbers if not number.level]
        if len(numbers) > len(own):
            level = next(number.value / 100 for number in numbers if number.level)
        if not own:
            return
        expression, middle = self._expressions(own, cell)
        percent = row.percent or column.percent
        if expression is None:
            self.made.append(trouble(measure, cell[0], cell[1], "table", "candidates"))
            return
        if role in ("lower", "upper") and expression.kind == POINT:
            key = (measure, level, role)
            if key in self.ends and self.ends[key].first.value != expression.first.value:
                self.made.append(trouble(measure, cell[0], cell[1], "table", "candidates"))
            number = expression.first
            if percent and not number.percent:
                expression = expression._replace(first=number._replace(percent=True))
            self.ends[key] = expression
            return
        if role == "median" and expression.kind == POINT:
            self.made.append(self.scale.claim(measure, expression, "table", True, None, percent, (), True))
            return
        if middle is not None:
            self.made.append(self.scale.claim(measure, middle, "table", True, None, percent, (), True))
        claim = self.scale.claim(measure, self._sided(expression, cell), "table", True, level, percent)
        if level is None and row.measure and expression.kind == POINT and not column.measure:
            self.unnamed.setdefault((measure, row.text), []).append(claim)
        else:
            self.made.append(claim)

    def _sided(self, expression: Expression, cell: Cell) -> Expression:
        from assay.reading.claims import one_sided
        from assay.reading.words import gap_of

        if expression.kind != POINT:
            return expression
        side = gap_of(self.view[cell[0] : expression.start]).side
        return one_sided(expression, side == "least") if side in ("least", "most") else expression

    def _expressions(self, numbers: Sequence[Number], cell: Cell) -> tuple[Expression | None, Expression | None]:
        """The range of a cell and the point before it; None where more stands there."""
        first = expression_at(self.view, numbers, 0, cell[1])
        if first.taken == len(numbers):
            return first, None
        second = expression_at(self.view, numbers, first.taken, cell[1])
        if first.taken + second.taken < len(numbers):
            return None, None
        if first.kind == POINT and second.kind != POINT:
            return second, first
        if second.kind == POINT and first.kind != POINT:
            return first, second
        return None, None

    def claims(self) -> list[Claim]:
        claims = list(self.made)
        ranged = {claim.measure for claim in self.made} | {key[0] for key in self.ends}
        for (measure, level, role), low in self.ends.items():
            high = self.ends.get((measure, level, "upper"))
            if role == "lower" and high is not None:
                claims.append(self.scale.claim(measure, paired(low, high), "table", True, level))
            elif role == "lower" or (measure, level, "lower") not in self.ends:
                claims.append(trouble(measure, low.start, low.end, "table", "one end only"))
        for (measure, _), points in self.unnamed.items():
            if len({point.low for point in points}) > 1:
                claims.append(trouble(measure, points[0].start, points[-1].end, "table", "candidates"))
            elif measure not in ranged:
                claims.append(points[0])
        return claims
