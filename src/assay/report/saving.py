"""Figures and files on disk: every figure as PNG, SVG and PDF with its numbers as CSV beside it, written atomically.

The chart is compiled once (Vega-Lite to SVG, by the renderer's own engine, offline); PNG and PDF are made from the SVG.
The same chart gives the same bytes.
"""

from __future__ import annotations

import os
import re
from base64 import b64encode
from collections.abc import Iterable
from dataclasses import dataclass
from html import escape
from pathlib import Path
from typing import Any

import pandas as pd

from assay.store import write_atomically

FORMATS = ("png", "svg", "pdf")
PNG_SCALE = 2.0  # 144 points to the inch: for screens; print takes the PDF
_UNSAFE = re.compile(r"[/:\\\\\s\x00-\x1f\x7f*?\"'<>|$`%]")


@dataclass(frozen=True)
class Drawing:
    """A picture that is SVG from the start (a graph); it is saved as charts are."""

    svg: str

    def _repr_svg_(self) -> str:
        return self.svg


@dataclass(frozen=True, eq=False)
class Figure:
    """One chart with the numbers that it draws and what its caption says."""

    name: str
    frame: pd.DataFrame
    chart: Any  # altair's chart, or a Drawing
    caption: str

    def save(self, folder: Path, formats: Iterable[str] = FORMATS) -> list[Path]:
        return save(self.chart, folder / self.name, self.frame, formats, self.caption)

    def _repr_html_(self) -> str:
        """In a notebook: the picture as `save` writes it, which needs no script, and its caption."""
        picture = b64encode(_described(svg_of(self.chart), self.caption).encode()).decode()
        image = f'<img alt="{escape(self.name)}" src="data:image/svg+xml;base64,{picture}">'
        return f"<figure>{image}<figcaption>{escape(self.caption)}</figcaption></figure>"


def save(
    chart: Any,
    path: Path,
    frame: pd.DataFrame | None = None,
    formats: Iterable[str] = FORMATS,
    caption: str = "",
) -> list[Path]:
    """Write path.png, path.svg, path.pdf (those asked for) and, where a frame is given, path.csv."""
    import vl_convert

    written = []
    svg = svg_of(chart)
    for form in formats:
        target = path.with_name(f"{path.name}.{form}")
        if form == "svg":
            write_atomically(target, _described(svg, caption))
        elif form == "png":
            write_bytes_atomically(target, vl_convert.svg_to_png(svg, ppi=72 * PNG_SCALE))
        else:
            write_bytes_atomically(target, pdf_of(svg))
        written.append(target)
    if frame is not None:
        written.append(path.with_name(f"{path.name}.csv"))
        write_atomically(written[-1], csv_text(frame))
    return written


def svg_of(chart: Any) -> str:
    import vl_convert

    if isinstance(chart, Drawing):
        return chart.svg
    return str(vl_convert.vegalite_to_svg(chart.to_dict(validate=False)))  # it was checked part by part when built


def pdf_of(svg: str) -> bytes:
    import vl_convert

    return bytes(vl_convert.svg_to_pdf(svg))


def _described(svg: str, caption: str) -> str:
    """The caption as the picture's own <desc>: it goes where the picture goes, and a screen reader says it."""
    start = svg.find(">", svg.find("<svg")) + 1
    return f"{svg[:start]}<desc>{escape(caption)}</desc>{svg[start:]}" if caption else svg


def write_bytes_atomically(path: Path, content: bytes) -> None:
    """As store.write_atomically, for what is not text."""
    path.parent.mkdir(parents=True, exist_ok=True)
    temporary = path.with_name(f".{path.name}.{os.getpid()}.tmp")
    temporary.write_bytes(content)
    temporary.replace(path)


def csv_text(frame: pd.DataFrame) -> str:
    """Numbers as Python writes them (they read back exactly); a missing value is an empty cell."""
    return str(frame.to_csv(index=False, lineterminator="\n"))


def plain_columns(frame: pd.DataFrame) -> dict[str, list[Any]]:
    """The columns as Python's own values; None where one is missing (nan alone differs from itself)."""
    return {str(name): [None if value != value else value for value in frame[name].tolist()] for name in frame}


def plain_records(frame: pd.DataFrame) -> list[dict[str, Any]]:
    """The rows for JSON; by columns, which is ten times as fast as by rows."""
    columns = plain_columns(frame)
    return [dict(zip(columns, row, strict=True)) for row in zip(*columns.values(), strict=True)]


def safe_name(*parts: str) -> str:
    """A file name of names that users chose: a slash or a colon would be a folder or a drive."""
    joined = _UNSAFE.sub("-", "_".join(parts))
    return f"-{joined[1:]}" if joined.startswith(".") else joined
