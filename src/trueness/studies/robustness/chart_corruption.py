"""corruption: clean beside corrupted, column by column, missing values and regimes marked."""

from __future__ import annotations

from typing import TYPE_CHECKING

import pandas as pd

from trueness.datasets.corruptions import Corrupted
from trueness.showing import theme
from trueness.showing.marks import named_data, with_data
from trueness.showing.saving import Figure

if TYPE_CHECKING:
    import altair as alt

KEY = "line: clean; points: observed; ticks: missing; shaded: intervention"

CLEAN, CORRUPTED = theme.TRUTH, theme.OKABE_ITO[1]


def corruption_frame(corrupted: Corrupted, rows: int = 200, columns: int = 4) -> pd.DataFrame:
    """One row a value, of rows taken evenly from all."""
    return corrupted.frame(rows, columns)


def corruption_chart(frame: pd.DataFrame, width: theme.Width = "page") -> alt.VConcatChart:
    """A panel a column: the clean line, the corrupted points, ticks below where a value is missing."""
    import altair as alt

    regimes = frame.groupby("regime", sort=True)["row"].agg(first="min", last="max").reset_index()
    held = regimes[regimes["regime"] > 0].assign(last=lambda rows: rows["last"] + 1)
    panels = []
    for k, column in enumerate(dict.fromkeys(frame["column"])):
        here = alt.FieldEqualPredicate(field="column", equal=column)
        last = k == frame["column"].nunique() - 1
        x = alt.X("row:Q", axis=alt.Axis(title="row" if last else None, labels=last, grid=False))
        base = alt.Chart(named_data("values")).transform_filter(here)
        y_axis = alt.Axis(title=column, tickCount=3, grid=False)
        layers = [
            alt.Chart(named_data("held"))
            .mark_rect(color=theme.RUNS, opacity=0.35)
            .encode(x=alt.X("first:Q"), x2=alt.X2("last:Q")),
            base.mark_line(color=CLEAN, strokeWidth=0.7).encode(x=x, y=alt.Y("clean:Q", axis=y_axis)),
            base.transform_filter("!datum.missing")
            .mark_point(color=CORRUPTED, size=5, filled=True, opacity=0.8)
            .encode(x=x, y=alt.Y("corrupted:Q", axis=y_axis)),
            base.transform_filter("datum.missing")
            .mark_rule(color=theme.MISSING, strokeWidth=0.7)
            .encode(x=x, y=alt.value(56), y2=alt.value(60)),
        ]
        panels.append(alt.layer(*layers, width=theme.POINTS[width] - 52, height=60))
    chart = alt.vconcat(*panels, spacing=4)
    return with_data(theme.apply_theme(chart, "Clean beside corrupted", KEY), {"values": frame, "held": held})


def corruption(corrupted: Corrupted, rows: int = 200, columns: int = 4, width: theme.Width = "page") -> Figure:
    frame = corruption_frame(corrupted, rows, columns)
    card = corrupted.card
    labels = f" Note: {'; '.join(card.labels)}." if card.labels else ""
    caption = (
        f"{card.name} ({'; '.join(card.steps) or 'nothing is done'}) on {corrupted.source}, seed {corrupted.seed}. "
        f"Line: clean; points: what is observed; ticks: missing ({100 * corrupted.mask.mean():.0f} % of all "
        f"{len(corrupted.values):,} rows); shaded: under an intervention.{labels}"
    )
    return Figure(f"corruption_{card.name}", frame, chart=corruption_chart(frame, width), caption=caption)
