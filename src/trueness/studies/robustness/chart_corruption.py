"""corruption: clean beside corrupted, column by column, missing values and regimes marked."""

from __future__ import annotations

import pandas as pd

from trueness.datasets.corruptions import Corrupted
from trueness.showing import theme
from trueness.showing.marks import named_data, with_data
from trueness.showing.saving import Figure
from trueness.showing.vega import Chart, channel, constant, layer, options, vconcat

KEY = "line: clean; points: observed; ticks: missing; shaded: intervention"

CLEAN, CORRUPTED = theme.TRUTH, theme.OKABE_ITO[1]


def corruption_frame(corrupted: Corrupted, rows: int = 200, columns: int = 4) -> pd.DataFrame:
    """One row a value, of rows taken evenly from all."""
    return corrupted.frame(rows, columns)


def corruption_chart(frame: pd.DataFrame, width: theme.Width = "page") -> Chart:
    """A panel a column: the clean line, the corrupted points, ticks below where a value is missing."""
    regimes = frame.groupby("regime", sort=True)["row"].agg(first="min", last="max").reset_index()
    held = regimes[regimes["regime"] > 0].assign(last=lambda rows: rows["last"] + 1)
    panels = []
    for k, column in enumerate(dict.fromkeys(frame["column"])):
        here = options(field="column", equal=column)
        last = k == frame["column"].nunique() - 1
        x = channel("row:Q", axis=options(title="row" if last else None, labels=last, grid=False))
        base = Chart(named_data("values")).transform_filter(here)
        y_axis = options(title=column, tickCount=3, grid=False)
        layers = [
            Chart(named_data("held")).mark("rect", color=theme.RUNS, opacity=0.35).encode(x="first:Q", x2="last:Q"),
            base.mark("line", color=CLEAN, strokeWidth=0.7).encode(x=x, y=channel("clean:Q", axis=y_axis)),
            base.transform_filter("!datum.missing")
            .mark("point", color=CORRUPTED, size=5, filled=True, opacity=0.8)
            .encode(x=x, y=channel("corrupted:Q", axis=y_axis)),
            base.transform_filter("datum.missing")
            .mark("rule", color=theme.MISSING, strokeWidth=0.7)
            .encode(x=x, y=constant(56), y2=constant(60)),
        ]
        panels.append(layer(*layers).properties(width=theme.POINTS[width] - 52, height=60))
    chart = vconcat(*panels, spacing=4)
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
    return Figure(f"corruption_{card.name}", frame, corruption_chart(frame, width), caption)
