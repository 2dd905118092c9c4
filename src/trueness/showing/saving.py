"""Figures and files on disk: every figure as PNG, SVG and PDF with its numbers as CSV beside it, written atomically."""

from __future__ import annotations

import math
import re
from base64 import b64encode
from collections.abc import Callable, Iterable, Mapping
from dataclasses import dataclass
from pathlib import Path, PurePosixPath
from typing import TYPE_CHECKING, TypeAlias

import numpy as np
import pandas as pd
from pandas.api.types import is_numeric_dtype

from trueness.files import write_atomically, write_bytes_atomically
from trueness.outside import Json, file_name
from trueness.showing.drawers import NotDrawn, pictures
from trueness.showing.rendering import FORMATS, Source
from trueness.texts import csv_row, drawable, html_text, printable_lines

if TYPE_CHECKING:
    from altair.typing import ChartType

_EXPRESSIONS = {"labelExpr", "expr", "filter", "calculate", "test"}
_USUAL = re.compile(r"[/: ]")  # in names of models and data sets: no hash for these
_UNSAFE = re.compile(r"[/:\\\\\s\x00-\x1f\x7f*?\"'<>|$`%]")


@dataclass(frozen=True)
class Drawing:
    """A picture that is SVG from the start (a graph); it is saved as charts are."""

    svg: str

    def _repr_svg_(self) -> str:
        return self.svg


Chart: TypeAlias = "ChartType | Drawing"


@dataclass(frozen=True, eq=False)
class Figure:
    """One chart with the numbers that it draws and what its caption says."""

    name: str
    frame: pd.DataFrame
    chart: Chart
    caption: str

    def save(self, folder: Path, formats: Iterable[str] = FORMATS) -> list[Path]:
        """Write name.png, name.svg, name.pdf (those asked for) and name.csv; what was written."""
        return save_figure(self, folder, "", formats)

    def _repr_html_(self) -> str:
        """In a notebook: the picture as `save` writes it, which needs no script, and its caption."""
        caption = f"<figcaption>{html_text(self.caption)}</figcaption>"
        try:
            svg = pictures(source_of(self.chart), ("svg",))["svg"].decode()
        except NotDrawn as error:
            return f"<figure><p>{html_text(f'No picture: {error}')}</p>{caption}</figure>"
        picture = b64encode(_with_caption(svg, self.caption).encode()).decode()
        image = f'<img alt="{html_text(self.name)}" src="data:image/svg+xml;base64,{picture}">'
        return f"<figure>{image}{caption}</figure>"


Save = Callable[[Figure, Path, str], list[Path]]  # figure, the study's folder, the folder below it


def save_figure(figure: Figure, folder: Path, inner: str, formats: Iterable[str] = FORMATS) -> list[Path]:
    """Write its files below folder/inner; what was written. NotDrawn: its numbers were."""
    name = str(PurePosixPath(inner, figure.name))
    numbers = write_numbers(folder, name, figure.frame)
    drawn_files = write_pictures(folder, name, pictures(source_of(figure.chart), list(formats)), figure.caption)
    return [*drawn_files, numbers]


def source_of(chart: Chart) -> Source:
    """What the renderer draws, its names as they may be drawn; altair would copy the data row by row."""
    if isinstance(chart, Drawing):
        return printable_lines(chart.svg)
    data, chart.datasets = chart.datasets, {}
    try:
        specification: dict[str, Json] = chart.to_dict(validate=False)  # it was checked part by part when built
    finally:
        chart.datasets = data
    named: dict[str, Json] = _drawable(specification | ({"datasets": data} if isinstance(data, dict) else {}))
    return named


def _drawable(part: Json, key: str = "") -> Json:
    """Every text of a chart. Expressions are ours; the names in them were made fit to be drawn (charts/marks.py)."""
    if isinstance(part, str):
        return printable_lines(part) if key in _EXPRESSIONS else drawable(part)
    if isinstance(part, dict):
        return {name: _drawable(entry, name) for name, entry in part.items()}
    return [_drawable(entry) for entry in part] if isinstance(part, list) else part


def write_pictures(folder: Path, name: str, pictures_by_format: Mapping[str, bytes], caption: str = "") -> list[Path]:
    """name.png, name.svg, name.pdf below the folder; the SVG says what it shows."""
    described = {
        form: _with_caption(content.decode(), caption).encode() if form == "svg" else content
        for form, content in pictures_by_format.items()
    }
    return [write_bytes_atomically(folder, f"{name}.{form}", content) for form, content in described.items()]


def write_numbers(folder: Path, name: str, frame: pd.DataFrame) -> Path:
    """name.csv"""
    return write_atomically(folder, f"{name}.csv", csv_text(frame))


def _with_caption(svg: str, caption: str) -> str:
    """The caption as the picture's own <desc>: it goes where the picture goes, and a screen reader says it."""
    start = svg.find(">", svg.find("<svg")) + 1
    return f"{svg[:start]}<desc>{html_text(caption)}</desc>{svg[start:]}" if caption else svg


def csv_text(frame: pd.DataFrame) -> str:
    """Numbers as Python writes them (they read back exactly); a missing value is an empty cell; texts by csv_cell."""
    named = {name: csv_row(frame[name]) for name in frame if not is_numeric_dtype(frame[name])}
    shown = frame.assign(**{str(name): pd.Series(cells, frame.index, object) for name, cells in named.items()})
    return str(shown.to_csv(index=False, header=csv_row(map(str, frame.columns)), lineterminator="\n"))


def plain_columns(frame: pd.DataFrame) -> dict[str, list[Json]]:
    """The columns as Python's own values; None where one is missing (nan alone differs from itself)."""
    return {str(name): [None if value != value else value for value in frame[name].tolist()] for name in frame}


def plain_records(frame: pd.DataFrame) -> list[dict[str, Json]]:
    """The rows for JSON; by columns, which is ten times as fast as by rows."""
    columns = plain_columns(frame)
    return [dict(zip(columns, row, strict=True)) for row in zip(*columns.values(), strict=True)]


def safe_name(*parts: str) -> str:
    """A file name of names that users chose: a slash or a colon would be a folder or a drive."""
    joined = file_name(_USUAL.sub("-", "_".join(parts)), _UNSAFE)
    return f"-{joined[1:]}" if joined.startswith(".") else joined


def plain_rows(table: pd.DataFrame) -> list[dict[str, Json]]:
    """Rows as plain JSON values."""
    names = list(map(str, table.columns))
    columns = (map(plain, column.tolist()) for _, column in table.items())
    return [dict(zip(names, row, strict=True)) for row in zip(*columns, strict=True)]


def plain(value: object) -> Json:
    """A value that JSON can hold; NaN and NA become None."""
    if type(value) is float:
        return value if math.isfinite(value) else None
    if value is None or type(value) is str or type(value) is int:  # nearly all of them
        return value
    if isinstance(value, Mapping):
        return {str(key): plain(item) for key, item in value.items()}
    if isinstance(value, list | tuple):
        return [plain(item) for item in value]
    if isinstance(value, np.generic):
        value = value.item()
    if value is pd.NA or value is None or (isinstance(value, float) and not math.isfinite(value)):
        return None
    return value if isinstance(value, bool | int | float | str) else str(value)
