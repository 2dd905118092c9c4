"""probes: cf and its components, how far each measure tells right from damaged graphs, and what changed problems show.
First the mean of a component over problems, of the given graphs and of models' own; then the AUC of each measure on
known groups, .5 dashed; where models were asked, how often their answer moves as the graph says. Bars are intervals; a
row without a value says so.
"""

from __future__ import annotations

from collections.abc import Mapping
from typing import TYPE_CHECKING

import pandas as pd

from trueness.showing import theme
from trueness.showing.marks import named_data, text_width, with_data
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
OWN = ", own graphs"  # a model's


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


def _mark(panel: str, row: str, series: str, cells: Mapping[str, object]) -> dict[str, object]:
    note = "" if cells["value"] is not None else cells["missing"] or "not known"
    marked = {"panel": panel, "row": row, "series": series, "note": note}
    return marked | {key: cells[key] for key in ("value", "low", "high", "n", "of")}


def probes_chart(frame: pd.DataFrame, colours: dict[str, str], width: theme.Width = "page") -> alt.VConcatChart:
    import altair as alt

    inks = alt.Scale(domain=list(colours), range=list(colours.values()))
    key = alt.Legend(title=None, orient="bottom", values=[name for name in colours if name != AUC], columns=4)
    colour = alt.Color("series:N", scale=inks, legend=key)
    side = theme.POINTS[width] - text_width(frame["row"]) - 16
    shown = frame.assign(text=[f"no value: {note}" if note else "" for note in frame["note"]])
    parts = {str(name): part for name, part in shown.groupby("panel", sort=False)}
    panels = [_panel(name, colour).properties(width=side, height=alt.Step(11)) for name in parts]
    chart: alt.VConcatChart = alt.vconcat(*panels, spacing=14).resolve_scale(color="shared", yOffset="independent")
    return with_data(theme.apply_theme(chart, "Faithfulness, and how far each measure can be believed", KEY), parts)


def _panel(name: str, colour: alt.Color) -> alt.LayerChart | alt.FacetChart:
    import altair as alt

    scale = alt.Scale(domain=[0, 1], nice=False)
    x = alt.X("value:Q", scale=scale, axis=alt.Axis(values=[0, 0.25, 0.5, 0.75, 1], title=PANELS[name], format=".2~f"))
    y, offset = alt.Y("row:N", sort=None, title=None), alt.YOffset("series:N", sort=None)
    base = alt.Chart(named_data(name)).encode(y=y, yOffset=offset)
    there = base.transform_filter("isValid(datum.value)")
    lost = base.transform_filter("!isValid(datum.value)").mark_text(align="left", fontSize=6, color=theme.MISSING)
    layers = [
        there.mark_rule(strokeWidth=1.4).encode(x=alt.X("low:Q", scale=scale), x2=alt.X2("high:Q"), color=colour),
        there.mark_point(size=24, filled=True, opacity=1).encode(x=x, color=colour),
        lost.encode(x=alt.XDatum(0.02, scale=scale), text=alt.Text("text:N")),
    ]
    if name == "known groups":
        line = alt.Chart(named_data(name)).mark_rule(color="#888888", strokeDash=[3, 2], strokeWidth=0.8)
        layers.insert(0, line.encode(x=alt.XDatum(0.5, scale=scale)))
    return alt.layer(*layers)


def probes(study: FaithfulnessStudy, width: theme.Width = "page") -> Figure:
    frame = probes_frame(study)
    colours = theme.colours({one.model for one in study.behaviours})
    fixed = {GIVEN: theme.TRUTH, AUC: theme.TRUTH}
    inks = {name: fixed.get(name) or colours[name.removesuffix(OWN)] for name in dict.fromkeys(frame["series"])}
    lost = frame[frame["value"].isna()]
    gone = ", ".join(dict.fromkeys(f"{row.row} ({row.series})" for row in lost.itertuples()))
    caption = (
        f"Components of counterfactual faithfulness over {len(study.right)} problems; "
        "AUC of each measure, right against damaged graphs (without a value: lowest; dashed: cannot tell). "
        f"Bars: {100 * study.level:g} % intervals over problems."
    )
    caption += f" Without a value: {gone}." if gone else ""
    return Figure("probes", frame, probes_chart(frame, inks, width), caption)
