"""Charts of a study for the page: the SVG that `trueness report` drew, fit for a dark page too, with its data and code.

An SVG is shown as an image, in which no script runs. It follows the page between light and dark by a style of its own:
the inks of showing/theme.py have a counterpart, the colours of respondents stay.
"""

from __future__ import annotations

import re
from collections.abc import Iterable, Sequence
from html import unescape
from pathlib import Path, PurePosixPath

from trueness.files import Together, names_in
from trueness.outside import Json

FORMATS = ("pdf", "png", "svg", "csv")
_DESC = re.compile(r"<desc>([^<]*)</desc>")
_DARK = {
    "white": "#171b21", "#fff": "#171b21", "black": "#e8eaed", "#000": "#e8eaed", "#000000": "#ffffff",
    "#E8E8E8": "#2c323a", "#ddd": "#2c323a", "#D8D8D8": "#3a424c", "#888888": "#7d8590", "#888": "#7d8590",
    "#BFC5CC": "#4d5661", "#F0F0F0": "#232931", "#444444": "#c3c8ce", "#3C3C3C": "#b4bac2", "#525252": "#a3a9b1",
}  # fmt: skip
_PAPER = ("white", "#fff", "#F0F0F0")  # a ground where it fills a box; white words on a dark cell stay white


def chart_rows(
    folder: Path, places: Iterable[str], order: Sequence[str], folder_shown: str | None = None
) -> list[dict[str, Json]]:
    """Every chart of the study: name, caption, SVG, CSV and how to make it again; there its folder is `folder_shown`.

    places: folders of the study that hold charts. order: starts of names that come first.
    """
    there = {f"{place}/{name}" for place in places for name in names_in(folder, place)}
    drawn = [PurePosixPath(name) for name in sorted(there) if name.endswith(".svg")]
    where = str(folder) if folder_shown is None else folder_shown
    files = Together(folder)
    return [_figure(files, path, there, where) for path in sorted(drawn, key=lambda path: _rank(path.stem, order))]


def _rank(name: str, order: Sequence[str]) -> tuple[int, str]:
    places = [k for k, start in enumerate(order) if name.startswith(start)]
    return min(places, default=len(order)), name


def python_line(name: str, folder: Path | str) -> str:
    """Code that makes the chart from the study."""
    return f"import trueness; figure = trueness.figure({str(folder)!r}, {name!r})"


def _figure(kept: Together, path: PurePosixPath, there: set[str], folder_shown: str) -> dict[str, Json]:
    svg = kept.text(str(path))
    caption = _DESC.search(svg)
    files = {form: name for form in FORMATS if (name := str(path.with_suffix(f".{form}"))) in there}
    return {
        "name": path.stem,
        "title": path.stem.replace("_", " "),
        "caption": unescape(caption[1]) if caption else "",
        "svg": for_both(svg),
        "csv": kept.text(files["csv"]) if "csv" in files else "",
        "files": files,
        "python": python_line(path.stem, folder_shown),
    }


def for_both(svg: str) -> str:
    """With a style that turns its inks where the page around it is dark."""
    rules = "".join(
        f'{"rect" if light in _PAPER else ""}[fill="{light}"]{{fill:{dark}}}[stroke="{light}"]{{stroke:{dark}}}'
        for light, dark in _DARK.items()
    )
    style = f"<style>@media (prefers-color-scheme:dark){{{rules}}}</style>"
    start = svg.find(">", svg.find("<svg")) + 1
    return svg[:start] + style + svg[start:] if start else svg
