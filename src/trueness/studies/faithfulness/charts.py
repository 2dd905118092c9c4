"""probes: cf and its components, how far each measure tells right from damaged graphs, and what changed problems show.
Left: the mean of a component over problems, of the given graphs and of models' own. Right: AUC of each measure on known
groups, .5 dashed. Below, where models were asked: how often their answer moves as the graph says. Bars are intervals; a
row without a value says so.
"""

from __future__ import annotations

from collections.abc import Mapping
from typing import TYPE_CHECKING

import pandas as pd

from trueness.showing import theme
from trueness.showing.marks import named_data, row_axis, row_scale, text_width, with_data
from trueness.showing.saving import Figure
from trueness.studies.faithfulness import findings
from trueness.studies.faithfulness.answers import FaithfulnessStudy
from trueness.studies.faithfulness.batch import GIVEN

if TYPE_CHECKING:
    import altair as alt

KEY = "dot: mean, or AUC; bar: its interval over problems"
COLUMNS = ("panel", "row", "series", "value", "low", "high", "n", "of", "note")
PANELS = {
    "component": "mean over problems",
    "known groups": "AUC, right against damaged",
    "changed problems": "share of answers that move as the graph says",
}
AUC = "all damages"
OWN = ", own graphs"  # a model's, in its colour and as diamonds
_GAP = 0.24  # of a row that stays free between its series
_LINE = 11  # points that one series of a row takes


def probes_frame(study: FaithfulnessStudy) -> pd.DataFrame:
    """One row a mark; a component, measure or model without a value has its note and no number."""
    rows: list[dict[str, object]] = []
    for row in findings.component_rows(study):
        is_own = row["method"] != GIVEN
        if is_own and row["measure"] in ("cf", "logic_quality"):
            continue  # without a judge of its own a model's graph has no logic and no cf
        series = f"{row['method']}{OWN}" if is_own else GIVEN
        rows.append(_mark("component", findings.title(str(row["measure"])), series, row))
    for one in study.separations:
        if one.damage == "all":
            cells: dict[str, object] = {**one.auc_lowest.cells("value", "")}
            of = one.n_right + one.n_damaged
            cells |= {"missing": one.verdict(), "n": of - one.n_missing, "of": of}
            rows.append(_mark("known groups", findings.title(one.measure), AUC, cells))
    for row in findings.behaviour_rows(study):
        cells = {"value": row["agreement"], "low": row["agreement_low"], "high": row["agreement_high"]}
        cells |= {"missing": row["missing"], "n": row["probes"], "of": row["probes"]}
        rows.append(_mark("changed problems", str(row["model"]), f"{row['model']}{OWN}", cells))
    return pd.DataFrame(rows, columns=list(COLUMNS))


def probes_chart(frame: pd.DataFrame, colours: dict[str, str], width: theme.Width = "page") -> alt.VConcatChart:
    import altair as alt

    panels = {name: _place_rows(frame[frame["panel"] == name]) for name in PANELS if (frame["panel"] == name).any()}
    legend = [name for name in dict.fromkeys(frame["series"]) if name != AUC]
    key = alt.Legend(title=None, orient="bottom", direction="horizontal", values=legend, columns=4)
    inks = alt.Scale(domain=[*legend, AUC], range=[*(colours[name] for name in legend), theme.TRUTH])
    signs = ["diamond" if OWN in name else "circle" for name in (*legend, AUC)]
    colour = alt.Color("series:N", scale=inks, legend=key)
    shape = alt.Shape("series:N", scale=alt.Scale(domain=[*legend, AUC], range=signs), legend=key)
    labels = text_width([row for part in panels.values() for row in part["row"]])
    beside = max(1, min(2, sum(name != "changed problems" for name in panels)))
    side = (theme.POINTS[width] - beside * (labels + 16) - 14 * (beside - 1)) / beside
    tall = max(_height(part) for name, part in panels.items() if name != "changed problems")
    top, below = [], []
    for name, part in panels.items():
        if name == "changed problems":
            below.append(_panel(name, part, (colour, shape), side, _height(part)))
        else:
            top.append(_panel(name, part, (colour, shape), side, tall))
    drawn = alt.vconcat(alt.hconcat(*top, spacing=14), *below, spacing=14)
    chart: alt.VConcatChart = drawn.resolve_scale(color="shared", shape="shared")
    return with_data(theme.apply_theme(chart, "Faithfulness, and how far each measure can be believed", KEY), panels)


def probes(study: FaithfulnessStudy, width: theme.Width = "page") -> Figure:
    frame = probes_frame(study)
    colours = theme.colours({one.model for one in study.behaviours})
    fixed = {GIVEN: theme.TRUTH, AUC: theme.TRUTH}
    inks = {name: fixed.get(name) or colours[name.removesuffix(OWN)] for name in dict.fromkeys(frame["series"])}
    chart = probes_chart(frame, inks, width)
    lost = frame[frame["value"].isna()]
    gone = ", ".join(dict.fromkeys(f"{row.row} ({row.series})" for row in lost.itertuples()))
    caption = (
        f"Components of counterfactual faithfulness over {len(study.right)} problems; "
        "AUC of each measure, right against damaged graphs (without a value: lowest; dashed: cannot tell). "
        f"Bars: {100 * study.level:g} % intervals over problems."
    )
    return Figure("probes", frame, chart, caption + (f" Without a value: {gone}." if gone else ""))


def _mark(panel: str, row: str, series: str, cells: Mapping[str, object]) -> dict[str, object]:
    note = "" if cells["value"] is not None else cells["missing"] or "not known"
    marked = {"panel": panel, "row": row, "series": series, "note": note}
    return marked | {key: cells[key] for key in ("value", "low", "high", "n", "of")}


def _place_rows(part: pd.DataFrame) -> pd.DataFrame:
    """Rows from the top, the series of a row below each other; `rows` lines high."""
    rows, _ = pd.factorize(part["row"])
    lines = part.groupby("row", sort=False)["series"]
    at = rows + _GAP / 2 + (1 - _GAP) * (lines.cumcount() + 0.5) / lines.transform("size")
    text = [f"no value: {note}" if note else "" for note in part["note"]]
    return part.assign(place=at, text=text)


def _panel(
    name: str, part: pd.DataFrame, look_of: tuple[alt.Color, alt.Shape], side: float, height: float
) -> alt.LayerChart | alt.FacetChart:
    import altair as alt

    colour, shape = look_of
    names = list(dict.fromkeys(part["row"]))
    scale = alt.Scale(domain=[0, 1], nice=False)
    axis = alt.Axis(values=[0, 0.25, 0.5, 0.75, 1], title=PANELS[name], format=".2~f")
    y = alt.Y("place:Q", scale=row_scale(len(names)), axis=row_axis(names))
    base = alt.Chart(named_data(name))
    there = base.transform_filter("isValid(datum.value)")
    bar, dot = there.mark_rule(strokeWidth=1.4), there.mark_point(size=24, filled=True, opacity=1)
    lost = base.transform_filter("!isValid(datum.value)").mark_text(align="left", fontSize=6, color=theme.MISSING)
    layers = [
        bar.encode(x=alt.X("low:Q", scale=scale), x2=alt.X2("high:Q"), y=y, color=colour),
        dot.encode(x=alt.X("value:Q", scale=scale, axis=axis), y=y, color=colour, shape=shape),
        lost.encode(x=alt.XDatum(0.02, scale=scale), y=y, text=alt.Text("text:N")),
    ]
    if name == "known groups":
        line = alt.Chart().mark_rule(color="#888888", strokeDash=[3, 2], strokeWidth=0.8)
        layers.insert(0, line.encode(x=alt.XDatum(0.5, scale=scale)))
    return alt.layer(*layers, width=side, height=height)


def _height(part: pd.DataFrame) -> float:
    series = part.groupby("row", sort=False)["series"].nunique()
    return float(len(series) * max(15, _LINE * int(series.max())))
