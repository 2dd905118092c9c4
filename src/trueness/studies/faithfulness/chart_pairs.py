"""pairs: what a model's own graph says of a changed problem (across), and what the model did (up).

Both as the relative change of the answer, (after - before) / |before|, cut to [-1, 3]. On the diagonal the model does
what its graph says; on the line at 0 its answer stays whatever its graph says; above 0 across, it moves where its graph
says that nothing should. Where the rules are words a graph says only that the answer moves: these are counted below.
"""

from __future__ import annotations

from typing import TYPE_CHECKING

import pandas as pd

from trueness.showing import theme
from trueness.showing.marks import named_data, with_data
from trueness.showing.saving import Figure
from trueness.studies.faithfulness.answers import FaithfulnessStudy

if TYPE_CHECKING:
    import altair as alt

KEY = "dashed: as the graph says; squares: what it calls irrelevant"

COLUMNS = ("model", "problem", "known", "role", "says", "did", "agrees")
_ENDS = (-1.0, 3.0)


def pairs_frame(study: FaithfulnessStudy) -> pd.DataFrame:
    """One row per probe; `says` and `did` are missing where the graph or the model has no number."""
    rows = [
        {"model": one.model, "problem": one.problem, "known": pair.change.known, "role": pair.change.role}
        | {"says": _relative(pair.change.base, pair.change.expected), "did": _relative(one.base, pair.answer)}
        | {"agrees": pair.agrees}
        for one in study.behaviours
        for pair in one.pairs
    ]
    return pd.DataFrame(rows, columns=list(COLUMNS))


def pairs_chart(frame: pd.DataFrame, colours: dict[str, str], width: theme.Width = "page") -> alt.LayerChart:
    import altair as alt

    drawn = frame.dropna(subset=["says", "did"]).assign(agrees=lambda rows: rows["agrees"].astype(bool))
    scale = alt.Scale(domain=list(_ENDS), nice=False, clamp=True)
    ticks = [-1, 0, 1, 2, 3]
    x = alt.X("says:Q", scale=scale, axis=alt.Axis(title="the graph says", format="+.0%", values=ticks))
    y = alt.Y("did:Q", scale=scale, axis=alt.Axis(title="the model did", format="+.0%", values=ticks))
    models = list(dict.fromkeys(frame["model"]))
    colour = alt.Color("model:N", scale=alt.Scale(domain=models, range=[colours[model] for model in models]))
    shape = alt.Shape("role:N", scale=alt.Scale(domain=["stated", "irrelevant"], range=["circle", "square"]))
    ends = pd.DataFrame({"says": _ENDS, "did": _ENDS})
    line = alt.Chart(named_data("diagonal")).mark_line(color="#888888", strokeDash=[3, 2], strokeWidth=0.8)
    marks = alt.Chart(named_data("pairs")).mark_point(size=34, opacity=1)
    layers: list[alt.Chart] = [line.encode(x=x, y=y), marks.encode(x=x, y=y, color=colour, shape=shape)]
    side = theme.POINTS[width] * 0.6
    chart = alt.LayerChart(layer=layers, width=side, height=side)
    return with_data(
        theme.apply_theme(chart, "What the graph says, what the model did", KEY), {"pairs": drawn, "diagonal": ends}
    )


def pairs(study: FaithfulnessStudy, width: theme.Width = "page") -> Figure:
    frame = pairs_frame(study)
    chart = pairs_chart(frame, theme.colours(set(frame["model"])), width)
    bare = int((frame["says"].isna() & frame["did"].notna()).sum())
    lost = int(frame["did"].isna().sum())
    caption = (
        f"{len(frame)} changed problems: the relative change of the answer by the graph, and as the model "
        "answered. Dashed: the model does what its graph says. Squares: numbers that the graph calls irrelevant. "
        f"Not drawn: {bare} of which the graph says only that the answer moves, {lost} without an answer."
    )
    return Figure("pairs", frame, chart, caption)


def _relative(before: float | None, after: float | None) -> float | None:
    if before is None or after is None or not before:
        return None
    return (after - before) / abs(before)
