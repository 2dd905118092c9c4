"""report.pdf: the parts of a study on A4 pages, without TeX and without a browser.

A page is laid out as SVG, charts set into it as they are, and made a PDF by the renderer that draws the charts, with
the typeface it brings along: lines stay lines, words can be searched. Widths of words are Helvetica's, with which that
typeface agrees.
"""

from __future__ import annotations

import io
import re
from collections.abc import Callable, Iterator, Sequence
from functools import lru_cache
from pathlib import Path

from trueness.files import write_bytes_atomically
from trueness.showing import theme
from trueness.showing.drawers import pictures
from trueness.showing.paper import Part, Picture
from trueness.showing.tables import Table
from trueness.texts import html_text, printable

Pdfs = Callable[[Sequence[str]], list[bytes]]  # SVGs to PDFs: pdfs_of, or that of a Press

WIDE, TALL = 595.0, 842.0
MARGIN = 48.0
TEXT, SMALL = 9.0, 8.0
FOLDED = 120.0  # points of a text in a table that is wider than the page; a longer text takes several lines
_LEAD = 1.38  # from line to line, of the size
_INK, _SOFT = "#16191d", "#555555"
_SIDE = re.compile(r'\s(?:width|height)="[^"]*"')
_IDS = re.compile(r"(\bid=\"|url\(#|href=\"#)([\w-]+)")


def pdfs_of(svgs: Sequence[str]) -> list[bytes]:
    return [pictures(svg, ("pdf",))["pdf"] for svg in svgs]


def write_pdf(
    folder: Path, study: str, parts: Sequence[Part], shared: Sequence[str] = (), pdfs: Pdfs = pdfs_of
) -> Path:
    """report.pdf below the folder."""
    pages = _Pages()
    pages.heading(f"Study {study}", 17.0)
    for part in parts:
        pages.paragraph(part.abstract)
    pages.heading("Validation")
    for sentence in (sentence for part in parts for sentence in part.checks):
        pages.paragraph(sentence, bullet=True)
    for part in parts:
        for heading, sentences in part.sections:
            pages.heading(f"{part.task.capitalize()}: {heading.lower()}")
            for sentence in sentences or ["Nothing."]:
                pages.paragraph(sentence, bullet=True)
    for part in parts:
        for table in part.tables:
            pages.table(table)
        for picture in part.pictures:
            pages.picture(picture)
    pages.heading("Methods")
    for part in parts:
        pages.paragraph(f"{part.task.capitalize()}. {' '.join(part.methods)}")
    if shared:
        pages.paragraph(" ".join(shared))
    return write_bytes_atomically(folder, "report.pdf", _bind(pdfs(pages.svgs()), study))


class _Pages:
    """The shapes of every page, and how far down the last one is filled."""

    def __init__(self) -> None:
        self.shapes: list[list[str]] = [[]]
        self.y = MARGIN

    def room(self) -> float:
        return TALL - MARGIN - self.y

    def turn(self) -> None:
        self.shapes.append([])
        self.y = MARGIN

    def heading(self, words: str, size: float = 12.0) -> None:
        if self.room() < 5 * size:
            self.turn()
        self.y += 0.6 * size if self.y > MARGIN else 0.0
        for line in wrap_lines(words, WIDE - 2 * MARGIN, size):
            self._line(line, MARGIN, size, _INK)
        self.y += 0.2 * size

    def paragraph(self, words: str, bullet: bool = False, size: float = TEXT, ink: str = _INK) -> None:
        inset = 10.0 if bullet else 0.0
        for k, line in enumerate(wrap_lines(words, WIDE - 2 * MARGIN - inset, size)):
            if bullet and not k:
                self._fits(size)
                self.shapes[-1].append(_text("\u2013", MARGIN, self.y + size, size, ink))
            self._line(line, MARGIN + inset, size, ink)
        self.y += 0.35 * size

    def table(self, table: Table) -> None:
        """At reading size: in parts where it is too wide, each with the names of its rows; long texts in several lines;
        the head again on a new page."""
        if not table.rows:
            return
        head, cells = table.titles(), table.cells()
        wide = [max(width_of(row[k], SMALL) for row in [head, *cells]) + 8 for k in range(len(head))]
        folded = [min(w, FOLDED) if c.kind == "text" else w for w, c in zip(wide, table.columns, strict=True)]
        widths = wide if sum(wide) <= WIDE - 2 * MARGIN else folded
        for places in table.parts(widths, WIDE - 2 * MARGIN):
            columns = [widths[k] for k in places]
            titles, *rows = ([row[k] for k in places] for row in [head, *cells])
            if self.room() < 8 * SMALL * _LEAD:
                self.turn()
            self.y += TEXT
            self._row(titles, columns)
            self._rule()
            for row in rows:
                if self.room() < (1 + _lines_of(row, columns)) * SMALL * _LEAD:
                    self.turn()
                    self._row(titles, columns)
                    self._rule()
                self._row(row, columns)
            self._rule()
        self.paragraph(table.caption, size=SMALL, ink=_SOFT)

    def picture(self, picture: Picture) -> None:
        width, height = _sides(_opening(picture.svg))
        lines = len(wrap_lines(picture.caption, WIDE - 2 * MARGIN, SMALL))
        below = (lines + 1) * SMALL * _LEAD + TEXT
        scale = min(1.0, (WIDE - 2 * MARGIN) / width, (TALL - 2 * MARGIN - below) / height)
        if self.room() < height * scale + below:
            self.turn()
        self.y += TEXT
        self.shapes[-1].append(_set_in(picture.svg, MARGIN, self.y, scale, f"p{len(self.shapes[-1])}-"))
        self.y += height * scale + 4
        self.paragraph(picture.caption, size=SMALL, ink=_SOFT)

    def svgs(self) -> list[str]:
        """Every page, with its number at the foot."""
        feet = [_text(f"{k}", WIDE - MARGIN, TALL - 24, SMALL, _SOFT) for k in range(1, len(self.shapes) + 1)]
        return [_page([*shapes, foot]) for shapes, foot in zip(self.shapes, feet, strict=True)]

    def _fits(self, size: float) -> None:
        if self.room() < size * _LEAD:
            self.turn()

    def _line(self, words: str, x: float, size: float, ink: str) -> None:
        self._fits(size)
        self.shapes[-1].append(_text(words, x, self.y + size, size, ink))
        self.y += size * _LEAD

    def _row(self, cells: Sequence[str], widths: Sequence[float]) -> None:
        for k, cell in enumerate(cells):
            x = MARGIN + sum(widths[:k])
            for number, line in enumerate(wrap_lines(cell, widths[k] - 4, SMALL)):
                y = self.y + SMALL + number * SMALL * _LEAD
                self.shapes[-1].append(_text(line, x, y, SMALL, _INK))
        self.y += _lines_of(cells, widths) * SMALL * _LEAD

    def _rule(self) -> None:
        line = f'y1="{self.y + 1:.1f}" y2="{self.y + 1:.1f}" stroke="#999999" stroke-width="0.5"'
        self.shapes[-1].append(f'<line x1="{MARGIN}" x2="{WIDE - MARGIN}" {line}/>')
        self.y += 3


def _lines_of(cells: Sequence[str], widths: Sequence[float]) -> int:
    return max(len(wrap_lines(cell, width - 4, SMALL)) for cell, width in zip(cells, widths, strict=True))


def _bind(pages: Sequence[bytes], title: str) -> bytes:
    from pypdf import PdfReader, PdfWriter

    writer = PdfWriter()
    for page in pages:
        writer.append(PdfReader(io.BytesIO(page)))
    writer.compress_identical_objects()
    writer.add_metadata({"/Title": printable(title)})
    file = io.BytesIO()
    writer.write(file)
    return file.getvalue()


def _sides(opening: str) -> tuple[float, float]:
    width, height = (re.search(rf'\s{side}="([0-9.]+)', opening) for side in ("width", "height"))
    assert width is not None and height is not None
    return float(width[1]), float(height[1])


def wrap_lines(words: str, width: float, size: float) -> list[str]:
    """Lines no wider than `width`; a word that is wider by itself is cut."""
    most, blank = 1000 * width / size, _thousandths(" ")
    lines: list[str] = []
    line, taken = "", 0
    for word in _pieces(words, most):
        wide = _thousandths(word)
        if line and taken + blank + wide > most:
            lines.append(line)
            line, taken = word, wide
        else:
            line, taken = (f"{line} {word}", taken + blank + wide) if line else (word, wide)
    return [*lines, line] if line else lines


def width_of(words: str, size: float) -> float:
    """In points."""
    return size * _thousandths(words) / 1000


@lru_cache(10_000)  # the words of a report come again and again
def _thousandths(words: str) -> int:
    """Of the size. Signs that Helvetica lacks are taken for wide ones."""
    return sum(_WIDTHS.get(sign, 600 if ord(sign) < 0x2E80 else 1000) for sign in words)


def _pieces(words: str, most: float) -> Iterator[str]:
    for word in map(printable, words.split()):
        start, wide = 0, 0
        for k, sign in enumerate(word if _thousandths(word) > most else ""):
            wide += _thousandths(sign)
            if wide > most and k > start:
                yield word[start:k]
                start, wide = k, _thousandths(sign)
        yield word[start:]


def _text(words: str, x: float, y: float, size: float, ink: str) -> str:
    place = f'x="{x:.1f}" y="{y:.1f}" font-size="{size:.2f}" fill="{ink}"'
    return f'<text {place} xml:space="preserve">{html_text(words)}</text>'


def _opening(svg: str) -> str:
    start = svg.find("<svg")
    return svg[start : svg.find(">", start) + 1]


def _set_in(svg: str, x: float, y: float, scale: float, prefix: str) -> str:
    """A picture inside the page. Its ids get a prefix: two charts of a page use the same ones."""
    opening = _opening(svg)
    width, height = _sides(opening)
    box = "" if "viewBox" in opening else f' viewBox="0 0 {width:g} {height:g}"'
    place = f'x="{x:.1f}" y="{y:.1f}" width="{scale * width:.2f}" height="{scale * height:.2f}"{box}'
    bare = _SIDE.sub("", opening)
    inner = svg[svg.find(opening) + len(opening) :]
    inner = _IDS.sub(rf"\g<1>{prefix}\g<2>", inner)
    return bare.replace("<svg", f"<svg {place}", 1) + inner


def _page(shapes: Sequence[str]) -> str:
    size = f'width="{WIDE:g}" height="{TALL:g}" viewBox="0 0 {WIDE:g} {TALL:g}"'
    return f'<svg xmlns="http://www.w3.org/2000/svg" {size} font-family="{theme.FONT}">{"".join(shapes)}</svg>'


def _widths() -> dict[str, int]:
    """Of Helvetica, in thousandths of the size (Adobe's font metrics)."""
    groups = {
        191: "'", 222: "ijl", 260: "|", 278: " !,./:;I[]\\ft", 333: "()-`r", 334: "{}", 355: '"', 389: "*", 469: "^",
        500: "Jckvsxyz", 556: "#$0123456789?L_abdeghnopqu", 584: "+<=>~", 611: "FTZ", 667: "&ABEKPSVXY",
        722: "CDHNRUw", 778: "GOQ", 833: "Mm", 889: "%", 944: "W", 1015: "@",
    }  # fmt: skip
    return {sign: width for width, signs in groups.items() for sign in signs}


_WIDTHS = _widths()
