"""How everything looks: one colour and one short name a respondent, paper widths, one typeface.

Colours are those of Okabe & Ito (2008), which colour-blind readers tell apart; models take them in the order of their
names, references (baselines, humans) are one grey and stand by their names or numbers, never by a shade; so a colour
means the same respondent in every chart of a study.
The typeface is one that the renderer brings along, in one weight: a chart then needs no font of the machine, and a PDF
has the same bytes each time (with two weights the renderer writes them in random order).
"""

from __future__ import annotations

from collections.abc import Iterable, Mapping
from functools import cache
from typing import TYPE_CHECKING, Literal, TypeVar

from trueness.outside import Json

if TYPE_CHECKING:
    import altair as alt

OKABE_ITO = ("#0072B2", "#D55E00", "#009E73", "#CC79A7", "#56B4E9", "#E69F00", "#F0E442")  # black is for what is true
REFERENCE = "#6E6E6E"
TRUTH = "#000000"
RUNS = "#BFC5CC"  # the range of runs, behind the claims
MISSING = "#8A8A8A"
LABEL = 130  # points that a name on an axis may take; the end of a longer one is left out
FONT = "Liberation Sans, Arial, Helvetica, sans-serif"

Chart = TypeVar("Chart")  # of altair
Width = Literal["column", "page"]
POINTS: Mapping[Width, int] = {"column": 234, "page": 486}  # 3.25 and 6.75 inches; a pixel is a point

MEASURE_LABELS = {"precision": "precision", "recall": "recall", "f1": "F1", "shd": "SHD"}


def colours(respondents: Iterable[str], references: Iterable[str] = ()) -> dict[str, str]:
    """A colour for each respondent of a study. Past seven models the colours come again, darker each time round."""
    apart = set(references)
    models = sorted(name for name in set(respondents) if name not in apart)
    shades = {name: _shade(OKABE_ITO[k % 7], 0.62 ** (k // 7)) for k, name in enumerate(models)}
    return shades | dict.fromkeys(sorted(apart), REFERENCE)


def labels(respondents: Iterable[str], longest: int = 22) -> dict[str, str]:
    """Short names for axes: without the provider, unless two would be the same; the middle of a long one left out."""
    names = sorted(set(respondents))
    short = {name: name.rsplit("/", 1)[-1] or name for name in names}
    for names_of in (short, dict(short)):
        twice = _twice(names_of.values())
        short = {name: name if label in twice else label for name, label in short.items()}
    cut = {name: _shorten(label, longest) for name, label in short.items()}
    twice = _twice(cut.values())
    return {name: short[name] if label in twice else label for name, label in cut.items()}


def measure_label(measure: str) -> str:
    return MEASURE_LABELS.get(measure, measure.replace("_", " "))


def apply_theme(chart: Chart, title: str, key: str) -> Chart:
    """The chart in the house look; `key` says what marks, lines, bands and frames mean.

    Call it once, on the outermost chart: it is set on the chart itself, of which altair's own ways (`properties`,
    `configure`) make a copy each.
    """
    chart.title = {"text": title, "subtitle": key} if title else {"text": key, "fontSize": 7}  # type: ignore[attr-defined]
    chart.config = _config()  # type: ignore[attr-defined]
    return chart


@cache
def _config() -> alt.Config:
    import altair as alt

    axis: dict[str, Json] = {
        "labelFontSize": 7, "titleFontSize": 8, "titleFontWeight": "normal", "labelFontWeight": "normal",
        "gridColor": "#E8E8E8", "domainColor": "#888888", "tickColor": "#888888", "tickSize": 3, "labelLimit": LABEL,
        "titlePadding": 4, "labelPadding": 2,
    }  # fmt: skip
    legend: dict[str, Json] = {
        "labelFontSize": 7, "titleFontSize": 7, "titleFontWeight": "normal", "symbolSize": 50, "labelLimit": 140,
        "rowPadding": 1, "padding": 0,
    }  # fmt: skip
    normal = {"labelFontWeight": "normal", "titleFontWeight": "normal"}
    heading: dict[str, Json] = {
        "fontSize": 9, "fontWeight": "normal", "anchor": "start", "subtitleFontSize": 7, "offset": 6,
    }  # fmt: skip
    header: dict[str, Json] = {"labelFontSize": 8, "titleFontSize": 8} | normal
    return alt.Config(
        aria=False,  # a picture is described by its caption; words on each of a thousand marks help nobody
        font=FONT,
        background="white",
        padding=4,
        axis=alt.AxisConfig(**axis),
        legend=alt.LegendConfig(**legend),
        title=alt.TitleConfig(**heading),
        header=alt.HeaderConfig(labelPadding=3, **header),
        view=alt.ViewConfig(stroke="#D8D8D8"),
    )


def _twice(values: Iterable[str]) -> set[str]:
    seen: set[str] = set()
    return {value for value in values if value in seen or seen.add(value)}  # type: ignore[func-returns-value]


def _shorten(label: str, longest: int) -> str:
    if len(label) <= longest:
        return label
    keep = longest - 1
    return f"{label[: keep - keep // 2]}…{label[-(keep // 2) :]}"


def _shade(colour: str, factor: float) -> str:
    parts = (int(colour[k : k + 2], 16) for k in (1, 3, 5))
    return "#" + "".join(f"{round(part * factor):02X}" for part in parts)


def item_label(dataset: str, learner: str) -> str:
    return f"{dataset} · {learner}"
