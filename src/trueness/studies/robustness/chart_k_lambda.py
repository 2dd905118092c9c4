"""k_lambda: F1 for every number of edges kept (K) and every value of one setting (lambda) of a scorer.

value = mean over graphs and seeds of F1 at K under the validation corruption; the best K of each lambda is marked. It
looks at the truth, so the mark is an oracle's: the picture shows how much the two settings trade off, not what to use.
"""

from __future__ import annotations

from collections import Counter
from typing import TYPE_CHECKING

import pandas as pd

from trueness.showing import theme
from trueness.showing.marks import named_data, spread_of, text_width, with_data
from trueness.showing.saving import Figure, safe_name
from trueness.studies.robustness.scores import RobustnessScores
from trueness.studies.robustness.sensitivity import k_lambda_frame

if TYPE_CHECKING:
    import altair as alt

KEY = "framed: the best K of a row, which looks at the truth"

_BLUES = ["#F2F6FB", "#C3D9EE", "#7FB2D9", "#2F78B7", "#08396E"]


def k_lambda_cells(evaluation: RobustnessScores, scorer: str, group: str) -> pd.DataFrame:
    """One row a lambda and K: mean F1 and SHD, n, and whether that K is the lambda's best (an oracle's)."""
    lambdas = {name: value for name, (whose, _, value) in evaluation.sweeps.items() if whose == scorer}
    parts = []
    sizes = Counter(len(system.truth) for system in evaluation.systems.values() if system.group == group)
    usual = sizes.most_common(1)[0][0] if sizes else 0  # a K means the same among graphs of one size alone
    for dataset, system in evaluation.systems.items():
        seeds = {
            a.seed for a in evaluation.answers if a.dataset == dataset and a.scorer in lambdas and a.matrix is not None
        }
        for seed in sorted(seeds) if (system.group, len(system.truth)) == (group, usual) else ():
            scores = {
                lambdas[a.scorer]: a.matrix
                for a in evaluation.answers
                if (a.dataset, a.seed) == (dataset, seed) and a.scorer in lambdas and a.matrix is not None
            }
            parts.append(k_lambda_frame(scores, system.truth))
    columns = ["lambda", "k", "f1", "shd", "n", "best"]
    if not parts:
        return pd.DataFrame(columns=columns)
    grouped = pd.concat(parts).groupby(["lambda", "k"], as_index=False)
    frame = grouped.agg(f1=("f1", "mean"), shd=("shd", "mean"), n=("f1", "count"))
    best = frame.groupby("lambda")["f1"].transform("max")
    first = (frame["f1"] == best) & ~frame[frame["f1"] == best].duplicated("lambda").reindex(
        frame.index, fill_value=True
    )
    return frame.assign(best=first)[columns]


def k_lambda_chart(
    frame: pd.DataFrame, setting: str, title: str, width: theme.Width = "page"
) -> alt.LayerChart | alt.FacetChart:
    import altair as alt

    shown = frame.assign(row=[f"{value:g}" for value in frame["lambda"]])
    rows = [f"{value:g}" for value in sorted(set(frame["lambda"]))]
    wide = theme.POINTS[width] - text_width(rows) - 90
    base = alt.Chart(named_data("cells")).encode(
        x=alt.X(
            "k:O", axis=alt.Axis(title="K, edges kept", labelAngle=0, labelOverlap=True, ticks=False, domain=False)
        ),
        y=alt.Y("row:N", sort=rows[::-1], axis=alt.Axis(title=setting, ticks=False, domain=False)),
    )
    high = float(frame["f1"].max()) if len(frame) else 1.0
    colour = alt.Color(
        "f1:Q",
        scale=alt.Scale(domain=[0, high], range=_BLUES),
        legend=alt.Legend(title="F1", gradientLength=60, gradientThickness=8, tickCount=4, format=".2f"),
    )
    cell = wide / max(frame["k"].nunique(), 1)
    layers = [
        base.mark_rect(stroke="white", strokeWidth=0.5).encode(color=colour),
        base.transform_filter("datum.best").mark_rect(fillOpacity=0, stroke="#D55E00", strokeWidth=1.4),
    ]
    if cell >= 14:
        ink = alt.condition(f"datum.f1 > {0.62 * high}", alt.value("white"), alt.value("#111111"))
        layers.append(
            base.mark_text(fontSize=min(6.5, cell / 2.6)).encode(text=alt.Text("f1:Q", format=".2f"), color=ink)
        )
    chart = alt.layer(*layers, width=wide, height=17 * len(rows))
    return with_data(theme.apply_theme(chart, title, KEY), {"cells": shown})


def k_lambda(evaluation: RobustnessScores, scorer: str, group: str, width: theme.Width = "page") -> Figure:
    frame = k_lambda_cells(evaluation, scorer, group)
    setting = next(name for whose, name, _ in evaluation.sweeps.values() if whose == scorer)
    caption = (
        f"Directed F1 of {scorer} under {evaluation.validation} for every K and {setting}, {group}; mean over "
        f"{spread_of(frame['n'])} fits a cell. Framed: the best K of each row, which looks at the truth (oracle)."
    )
    title = f"{scorer}: K against {setting} ({group})"
    return Figure(f"k_lambda_{safe_name(scorer, group)}", frame, k_lambda_chart(frame, setting, title, width), caption)
