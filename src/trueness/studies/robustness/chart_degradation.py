"""degradation: AUPRC against the strength of each corruption, one line a scorer, its interval over graphs.

Strength 0 is clean, 1 the corruption as it is named; rows are the same at every strength (one seed, the same noise).
The dashed line is what random scores get. The loss against clean, paired, is in the frame.
"""

from __future__ import annotations

from typing import TYPE_CHECKING

import numpy as np
import pandas as pd

from trueness.measures.ranking import chance
from trueness.showing import theme
from trueness.showing.marks import named_data, panel_columns, with_data
from trueness.showing.saving import Figure
from trueness.studies.robustness.scores import RobustnessScores
from trueness.studies.robustness.summaries import degradation as summarised

if TYPE_CHECKING:
    import altair as alt

KEY = "line: mean; area: t interval over graphs; dashed: random scores"

MOST_PANELS = {"column": 1, "page": 3}


def degradation_frame(evaluation: RobustnessScores, measure: str = "auprc") -> pd.DataFrame:
    """One row a group, corruption, strength and scorer, with `chance` and the panel it is drawn in."""
    frame = summarised(evaluation, measure)
    by_group: dict[str, list[float]] = {}
    for system in evaluation.systems.values():
        by_group.setdefault(system.group, []).append(chance(measure, system.truth))
    several = frame["group"].nunique() > 1
    panels = [
        f"{group}: {name}" if several else name for group, name in zip(frame["group"], frame["corruption"], strict=True)
    ]
    level = {group: float(np.nanmean(levels)) for group, levels in by_group.items()}
    return frame.assign(panel=panels, chance=frame["group"].map(level))


def degradation_chart(frame: pd.DataFrame, width: theme.Width = "page") -> alt.FacetChart | alt.ConcatChart:
    import altair as alt

    colours = theme.colours(frame["scorer"])
    names = sorted(colours)
    colour = alt.Color(
        "scorer:N",
        scale=alt.Scale(domain=names, range=[colours[name] for name in names]),
        legend=alt.Legend(title=None, symbolOpacity=1),
    )
    shown = list(dict.fromkeys(frame["panel"]))
    columns = panel_columns(len(shown), MOST_PANELS[width])
    wide = (theme.POINTS[width] - 130 - 24 * columns) / columns
    scale = alt.Scale(domain=[0, 1], nice=False)
    panels = []
    for k, panel in enumerate(shown):
        here = alt.FieldEqualPredicate(field="panel", equal=panel)
        base = alt.Chart(named_data("points")).transform_filter(here)
        bottom = k >= len(shown) - columns
        x = alt.X(
            "strength:Q", axis=alt.Axis(title="share of its strength" if bottom else None, grid=False, tickCount=4)
        )
        y = alt.Y("value:Q", scale=scale, axis=alt.Axis(title="AUPRC" if k % columns == 0 else None, tickCount=5))
        layers = [
            base.mark_rule(color="#777777", strokeDash=[3, 2], strokeWidth=0.7).encode(
                y=alt.Y("mean(chance):Q", scale=scale)
            ),
            base.mark_area(opacity=0.12, clip=True).encode(
                x=x, y=alt.Y("low:Q", scale=scale), y2=alt.Y2("high:Q"), color=colour
            ),
            base.mark_line(strokeWidth=1.2).encode(x=x, y=y, color=colour),
            base.mark_point(filled=True, size=10, opacity=1).encode(x=x, y=y, color=colour),
        ]
        title = alt.TitleParams(panel, fontSize=8, anchor="start", offset=3)
        panels.append(alt.layer(*layers, width=wide, height=100, title=title))
    chart = alt.concat(*panels, columns=columns, spacing=12)
    return with_data(theme.apply_theme(chart, "What corruption costs", KEY), {"points": frame})


def degradation(evaluation: RobustnessScores, width: theme.Width = "page") -> Figure:
    frame = degradation_frame(evaluation)
    n = int(frame["n"].max()) if len(frame) else 0
    graphs = int(frame["units"].max()) if len(frame) else 0
    caption = (
        "AUPRC over ordered pairs against the strength of each corruption (0: clean, 1: as named); mean over up to "
        f"{n} fits a point, areas: {100 * evaluation.level:g} % t intervals over {graphs} graphs (or seeds of one). "
        "Dashed: what random scores get. One seed is the same rows at every strength."
    )
    return Figure("degradation", frame, degradation_chart(frame, width), caption)
