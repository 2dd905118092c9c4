"""Charts of a study for the page: the SVG that `assay report` drew, made fit for a dark page, with its data and code.

An SVG is shown as an image, in which no script runs. It follows the page between light and dark by a style of its own:
the inks of showing/look.py have a counterpart, the colours of respondents stay.
"""

from __future__ import annotations

import re
from html import unescape
from pathlib import Path, PurePosixPath
from typing import Any

from assay.files import names_in, read_text

FORMATS = ("pdf", "png", "svg", "csv")
PLACES = ("plots", "robustness")  # folders of a study that hold charts
_DESC = re.compile(r"<desc>([^<]*)</desc>")
_DARK = {
    "white": "#171b21", "#fff": "#171b21", "black": "#e8eaed", "#000": "#e8eaed", "#000000": "#ffffff",
    "#E8E8E8": "#2c323a", "#ddd": "#2c323a", "#D8D8D8": "#3a424c", "#888888": "#7d8590", "#888": "#7d8590",
    "#BFC5CC": "#4d5661", "#F0F0F0": "#232931", "#444444": "#c3c8ce", "#3C3C3C": "#b4bac2", "#525252": "#a3a9b1",
}  # fmt: skip
_PAPER = ("white", "#fff", "#F0F0F0")  # a ground where it fills a box; white words on a dark cell stay white
_FORECAST = {"intervals", "runs", "calibration", "differences", "heatmap"}
_DISCOVERY = {"measured", "runtime", "ranks_learners"}
_ROBUSTNESS = ("degradation", "sensitivity_curve_", "k_lambda_")
_CALLS = {  # charts whose name is all there is to say: where the study is read, by what, what draws it
    "ranks": ("studies.forecast.answers", "read_forecasts", "ranks_of_respondents"),
    "consistency": ("studies.forecast.answers", "read_forecasts", "consistency"),
    "probes": ("studies.faithfulness.answers", "read_faithfulness", "probes"),
}
_CHARTS = "from assay.studies import charts"
_ORDER = ("intervals_f1", "measured", "population", "intervals", "calibration", "differences", "heatmap", "runs")


def described(folder: Path, told: str | None = None) -> list[dict[str, Any]]:
    """Every chart of the study: name, caption, SVG, CSV and how to make it again; there its folder is called `told`."""
    there = {f"{place}/{name}" for place in PLACES for name in names_in(folder, place)}
    drawn = [PurePosixPath(name) for name in sorted(there) if name.endswith(".svg")]
    where = str(folder) if told is None else told
    return [_figure(folder, path, there, where) for path in sorted(drawn, key=lambda path: _rank(path.stem))]


def _rank(name: str) -> tuple[int, str]:
    places = [k for k, start in enumerate(_ORDER) if name.startswith(start)]
    return min(places, default=len(_ORDER)), name


def _figure(folder: Path, path: PurePosixPath, there: set[str], told: str) -> dict[str, Any]:
    svg = read_text(folder, str(path))
    caption = _DESC.search(svg)
    files = {form: name for form in FORMATS if (name := str(path.with_suffix(f".{form}"))) in there}
    return {
        "name": path.stem,
        "title": path.stem.replace("_", " "),
        "caption": unescape(caption[1]) if caption else "",
        "svg": for_both(svg),
        "csv": read_text(folder, files["csv"]) if "csv" in files else "",
        "files": files,
        "python": python_line(path.stem, told),
    }


def python_line(name: str, folder: Path | str) -> str:
    """Code that makes the chart from the study; nothing for a chart that this page does not know."""
    kind, _, rest = name.partition("_")
    where = repr(str(folder))
    if name in _CALLS:
        source, reader, call = _CALLS[name]
        return f"from assay.{source} import {reader}; {_CHARTS}; figure = charts.{call}({reader}({where}))"
    if kind == "population":
        source, reader, call = "studies.population.answers", "read_populations", "distribution"
    elif kind in _FORECAST:
        source, reader, call = "studies.forecast.answers", "read_forecasts", kind
    elif name.startswith(_ROBUSTNESS):
        found = f"next(f for f in plots(read_robustness({where}).evaluation) if f.name == {name!r})"
        imports = (
            "from assay.studies.robustness.answers import read_robustness; "
            "from assay.studies.robustness.files import plots"
        )
        return f"{imports}; figure = {found}"
    elif kind == "dag" or name in _DISCOVERY:
        found = (
            f"next(f for f in plots(Results.read(Path({where})), plan_folder_of(Path({where}))) if f.name == {name!r})"
        )
        imports = "from assay.studies.discovery.files import Path, Results, plan_folder_of, plots"
        return f"{imports}; figure = {found}"
    else:
        return ""
    arguments = "".join(
        f", {part}" for part in (_heat(rest) if kind == "heatmap" else repr(rest) if rest else "",) if part
    )
    return f"from assay.{source} import {reader}; {_CHARTS}; figure = charts.{call}({reader}({where}){arguments})"


def _heat(rest: str) -> str:
    """heatmap_{measure}_{rows}_{columns}: what studies/forecast/files.py draws."""
    measure, rows, columns = rest.rsplit("_", 2)
    if (rows, columns) == ("dataset", "learner"):
        return repr(measure)
    return f"{measure!r}, rows={rows!r}, columns={columns!r}, panels=None"


def for_both(svg: str) -> str:
    """With a style that turns its inks where the page around it is dark."""
    rules = "".join(
        f'{"rect" if light in _PAPER else ""}[fill="{light}"]{{fill:{dark}}}[stroke="{light}"]{{stroke:{dark}}}'
        for light, dark in _DARK.items()
    )
    style = f"<style>@media (prefers-color-scheme:dark){{{rules}}}</style>"
    start = svg.find(">", svg.find("<svg")) + 1
    return svg[:start] + style + svg[start:] if start else svg
