"""Claims from tables: markdown, LaTeX, comma-separated or aligned with blanks.

cell (row, column): its measure and its role (lower, upper, median, 80 %) are said by the heads of row and column

Tables of a text, their cells as spans: markdown and boxes, LaTeX, comma-separated, aligned with blanks.
"""

from __future__ import annotations

import re
from bisect import bisect_left, bisect_right
from collections.abc import Sequence
from functools import lru_cache
from typing import NamedTuple

from trueness.patterns import late
from trueness.reading.labels import Label
from trueness.reading.ranges import (
    POINT,
    Claim,
    Ends,
    Expression,
    Number,
    Scale,
    claims_of_ends,
    expression_at,
    numbers_in,
    one_sided,
    trouble,
)
from trueness.reading.words import gap_of

_RULE = late(r"[\s|:+=-]*")
_ALIGNED = late(r"\S(?:\S| (?=\S))*")
_HEADS = late(r"^[a-z1 _]+(?:,[a-z1 _]+){2,}$", re.MULTILINE)  # precision_low,precision_high,...
_TWO_COMMAS = late(r",[a-z1 _]+,")  # a cheap look for them
_A_DIGIT = late(r"(?<![a-z])\d")
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
        if _A_DIGIT.search(view, rows[0][0][0], rows[0][-1][1]):
            if sign == "," or any(len(row) != 3 for row in rows):  # or lines of a name and two numbers
                return
        elif sign == " " and all(len(row) == len(rows[0]) + 1 for row in rows[1:]):
            rows = [((rows[0][0][0], rows[0][0][0]), *rows[0]), *rows[1:]]  # nothing stands above the names of the rows
    tables.append(Table(start, end, tuple(rows), sign))


def _sign_and_cells(line: str, at: int) -> tuple[str, Row]:
    """The sign that parts a line, and its cells; ("", ()) where it is no line of a table."""
    if "|" in line:
        return "|", _cells_of(line, at, "|")
    if "&" in line:
        return "&", _cells_of(line.partition("\\\\")[0], at, "&")
    if ":" in line or "(" in line or "[" in line:
        return "", ()
    if line.count(",") > 1:
        return ",", _cells_of(line, at, ",")
    inner = line.strip()
    if "  " in inner:
        cells = tuple((at + cell.start(), at + cell.end()) for cell in _ALIGNED.finditer(line))
        if len(cells) > 2 or "   " in inner:
            return " ", cells
    return "", ()


def _cells_of(line: str, at: int, sign: str) -> Row:
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


# ---- what the cells say


_WORDS = late(r"[^\W\d]+")
_DIGITS = late(r"\d+(?:\.\d+)?")
_LOWER = frozenset(
    "lower low min minimum lb from untere untergrenze inférieure inferior mínimo lo l 下限 下界 left".split()
)
_UPPER = frozenset(
    "upper high max maximum ub to obere obergrenze supérieure superior máximo hi u 上限 上界 right".split()
)
_OF_ENDS = (
    _LOWER
    | _UPPER
    | frozenset(
        "bound bounds limit end estimate value ci of the confidence interval range est grenze borne límite limite "
        "quantile percentile predicted expected pi credible in percent estimated precision recall f shd case "
        "scenario".split()
    )
)
_MIDDLE = frozenset("median mean midpoint central point mid mode expected mediana médiane 中位数 best average".split())
_WORST = frozenset("worst pessimistic pessimistisch pessimiste pesimista pessimista 悲观 最差".split())
_BEST = frozenset("best optimistic optimistisch optimiste optimista 乐观 最好".split())
_TYPICAL = _MIDDLE | frozenset("typical likely realistic typisch typique típico realistisch probable 典型".split())
_OF_ROWS = frozenset(  # heads of the column in which the rows are named that leave 2.5 % and 97.5 % quantiles
    "quantile quantiles percentile percentiles quantil quantils perzentil percentil level levels coverage interval ci "
    "confidence bound bounds end limit statistic measure measures metric metrics estimate forecast q p the of".split()
)
_SILENT = frozenset(
    "reasoning reason notes note rationale comment comments explanation confidence justification why width unit "
    "description interpretation meaning definition begründung remarque nota assumption assumptions direction baseline "
    "random because basis remark factors source argument evidence literature published reported possible theoretical "
    "理由 说明 备注 remarks sd std".split()
)
_SPREAD = frozenset("sd std stdev deviation variance se".split())
_ASIDE = late(r"\s*\((?![^()]*(?:-|to|,) ?[\d.])")  # 0.5 to 0.7 (2 of 8 edges are weak)
_LEVELS = frozenset((50.0, 80.0, 90.0, 95.0, 99.0))
QUANTILES = {
    2.5: (0.95, "lower"), 97.5: (0.95, "upper"), 25.0: (0.5, "lower"), 75.0: (0.5, "upper"), 10.0: (0.8, "lower"),
    90.0: (0.8, "upper"), 50.0: (None, "median"), 0.025: (0.95, "lower"), 0.975: (0.95, "upper"),
    5.0: (0.9, "lower"), 95.0: (0.9, "upper"), 0.05: (0.9, "lower"), 0.95: (0.9, "upper"), 0.5: (None, "median"),
    0.25: (0.5, "lower"), 0.75: (0.5, "upper"), 0.1: (0.8, "lower"), 0.9: (0.8, "upper"),
}  # fmt: skip


class _Head(NamedTuple):
    measure: str = ""
    role: str = ""
    level: float | None = None
    silent: bool = False
    percent: bool = False
    text: str = ""
    words: frozenset[str] = frozenset()


def claims_in_table(
    view: str, table: Table, labels: Sequence[Label], numbers: Sequence[Number], scale: Scale
) -> list[Claim]:
    """The claims of all cells; a measure with several unnamed value columns cannot be read."""
    grid = _Grid(view, table, labels, numbers)
    columns = _cases(_quantiles([_head(view, cell, grid.measure(cell)) for cell in table.rows[0]]))
    by_columns = sum(bool(head.measure) for head in columns) > 1
    if by_columns and grid.repeats_labels():
        return []  # lines of labels and values, parted by bars
    rows = list(table.rows[1:])
    if by_columns:
        heads = _cases([_head(view, row[0], "") for row in rows])
        if _OF_ROWS.issuperset(columns[0].words):
            heads = _quantiles(heads)
        else:
            heads = [head._replace(level=None) for head in heads]  # 95 % of something else
    else:
        place = grid.place_of_measures()
        if grid.numbers_in(table.rows[0]) and grid.measure(table.rows[0][min(place, len(table.rows[0]) - 1)]):
            rows, columns = list(table.rows), _ends_of(grid, table)  # no line of heads
        columns = [head._replace(measure="") if head.measure else head for head in columns]
        heads = [_head(view, row[place], grid.measure(row[place])) if place < len(row) else _Head() for row in rows]
        if place < len(columns) and columns[place].percent:  # Metric (in %)
            heads = [head._replace(percent=head.measure != "shd") for head in heads]
    collected = _TableClaims(view, scale)
    for row, head in zip(rows, heads, strict=True):
        for index, cell in enumerate(row):
            column = columns[index] if index < len(columns) else _Head()
            if column.measure if by_columns else not grid.measure(cell):
                inside = grid.numbers_in((cell,))
                if inside:
                    collected.add(cell, inside, head, column)
    return collected.claims()


class _Grid:
    """The labels and numbers of a table, by cell."""

    def __init__(self, view: str, table: Table, labels: Sequence[Label], numbers: Sequence[Number]):
        self.view, self.table, self.numbers = view, table, numbers
        self.number_starts = [number.start for number in numbers]
        cells = [cell for row in table.rows for cell in row]
        starts = [start for start, _ in cells]
        self.measures: dict[Cell, str] = {}
        for measure, at, _ in labels:
            cell = cells[bisect_right(starts, at) - 1]
            if cell[0] <= at < cell[1]:
                self.measures[cell] = measure if self.measures.get(cell, measure) == measure else ""

    def measure(self, cell: Cell) -> str:
        """The one measure that a cell names."""
        return self.measures.get(cell, "")

    def numbers_in(self, cells: Row) -> Sequence[Number]:
        start, end = cells[0][0], cells[-1][1]
        if self.table.sign == ",":
            return numbers_in(self.view, start, end)  # there 4,9 are two cells
        return self.numbers[bisect_left(self.number_starts, start) : bisect_left(self.number_starts, end)]

    def repeats_labels(self) -> bool:
        """Whether cells below the heads name measures of their own, or the heads hold values."""
        below = any(self.measure(cell) for row in self.table.rows[1:] for cell in row)
        return below or any(not number.level and not number.percent for number in self.numbers_in(self.table.rows[0]))

    def place_of_measures(self) -> int:
        """The column that names the measures: the first, or the second behind an index."""
        first = sum(bool(self.measure(row[0])) for row in self.table.rows)
        return int(sum(bool(self.measure(row[1])) for row in self.table.rows if len(row) > 1) > first)


def _head(view: str, cell: Cell, measure: str) -> _Head:
    text = view[cell[0] : cell[1]].strip()
    return _head_of(text, measure) if len(text) < 100 else _Head(measure, text=text)


@lru_cache(maxsize=4096)
def _head_of(text: str, measure: str) -> _Head:
    words = frozenset(_WORDS.findall(text))
    digits = [float(d) for d in _DIGITS.findall(text.replace("f1", "").replace("f 1", ""))]
    lower, upper = bool(words & _LOWER), bool(words & _UPPER)
    role = "" if lower == upper else "lower" if lower else "upper"
    if role and not measure and not words <= _OF_ENDS:
        role = ""  # low alpha, high alpha
    role = role or ("median" if words & _MIDDLE else "")
    level = digits[0] / 100 if len(digits) == 1 and digits[0] in _LEVELS else None
    percent = "%" in text and not digits
    return _Head(measure, role, level, bool(words & _SILENT), percent, text, words)


def _quantiles(columns: list[_Head]) -> list[_Head]:
    """Columns headed 2.5 %, 50 %, 97.5 % are quantiles, not levels."""
    values = [_DIGITS.findall(head.text) for head in columns]
    heads = {float(value[0]) for value in values if len(value) == 1}
    if len(heads) < 2 or not (heads & {2.5, 97.5, 0.025, 25.0, 75.0, 10.0} or {5.0, 95.0} <= heads):
        return columns
    made = []
    for head, value in zip(columns, values, strict=True):
        if len(value) == 1 and not head.measure:
            level, role = QUANTILES.get(float(value[0]), (None, "other"))
            head = head._replace(level=level, role=role, percent=False)
        made.append(head)
    return made


def _cases(heads: list[_Head]) -> list[_Head]:
    """Pessimistic beside optimistic are the ends; which of them is the lower says the measure.

    The worst and the best case are ends only where what is expected stands between them; else they are extremes.
    """
    worst = [k for k, head in enumerate(heads) if not head.measure and not _WORST.isdisjoint(head.words)]
    if len(worst) != 1:
        return heads
    best = [k for k, head in enumerate(heads) if head.words & _BEST and not head.measure and k not in worst]
    if len(best) != 1:
        return heads
    between = {k: head.words & _TYPICAL for k, head in enumerate(heads) if k not in (*worst, *best)}
    extremes = "worst" in heads[worst[0]].words and not any(between.values())
    roles = {worst[0]: "other" if extremes else "worst", best[0]: "other" if extremes else "best"}
    roles |= {k: "median" for k, met in between.items() if met}
    return [head._replace(role=roles.get(k, head.role)) for k, head in enumerate(heads)]


def _ends_of(grid: _Grid, table: Table) -> list[_Head]:
    """Heads for lines without any: a measure and two numbers that rise in every line are the ends of a range."""
    heads = [_Head() for _ in table.rows[0]]
    for row in table.rows:
        numbers = grid.numbers_in(row[1:]) if len(row) == 3 and grid.measure(row[0]) else ()
        if len(numbers) != 2 or numbers[0].value > numbers[1].value or len(grid.numbers_in(row[1:2])) != 1:
            return heads
    return [_Head(), _Head(role="lower"), _Head(role="upper")]


class _TableClaims:
    """What the cells of a table say, by measure."""

    def __init__(self, view: str, scale: Scale):
        self.view, self.scale = view, scale
        self.ends: Ends = {}
        self.made: list[Claim] = []
        self.unnamed: dict[tuple[str, str], list[Claim]] = {}
        self.spread: set[str] = set()  # measures with a standard deviation: a mean beside it is no range

    def add(self, cell: Cell, numbers: Sequence[Number], row: _Head, column: _Head) -> None:
        measure = row.measure or column.measure
        if not measure or row.silent or column.silent:
            if not _SPREAD.isdisjoint(_WORDS.findall(column.text)):
                self.spread.add(measure)
            return
        role = row.role or column.role
        if role in ("worst", "best"):
            role = "lower" if (role == "worst") == (measure != "shd") else "upper"
        level = row.level or column.level
        if role == "other":
            return
        values = [number for number in numbers if not number.level]
        if len(numbers) > len(values):
            level = next(number.value / 100 for number in numbers if number.level)
        if not values:
            return
        expression, middle = self._expressions(values, cell)
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
        claim = self.scale.claim(measure, self._with_side(expression, cell), "table", True, level, percent)
        if level is None and row.measure and expression.kind == POINT and not column.measure:
            self.unnamed.setdefault((measure, row.text), []).append(claim)
        else:
            self.made.append(claim)

    def _with_side(self, expression: Expression, cell: Cell) -> Expression:
        if expression.kind != POINT:
            return expression
        side = gap_of(self.view[cell[0] : expression.start]).side
        return one_sided(expression, side == "least") if side in ("least", "most") else expression

    def _expressions(self, numbers: Sequence[Number], cell: Cell) -> tuple[Expression | None, Expression | None]:
        """The range of a cell and the point before it; None where more stands there."""
        first = expression_at(self.view, numbers, 0, cell[1])
        if first.taken == len(numbers) or (first.taken == 2 and _ASIDE.match(self.view, first.end, cell[1])):
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
        claims = [
            trouble(claim.measure, claim.start, claim.end, "table", "spread")
            if claim.measure in self.spread and claim.low == claim.high
            else claim
            for claim in self.made
        ]
        ranged = {claim.measure for claim in self.made} | {key[0] for key in self.ends}
        claims += claims_of_ends(self.ends, self.scale, "table")
        for (measure, _), points in self.unnamed.items():
            if len({point.low for point in points}) > 1:
                claims.append(trouble(measure, points[0].start, points[-1].end, "table", "candidates"))
            elif measure not in ranged:
                claims.append(points[0])
        return claims
