"""sensitivity: F1 and SHD against the number of edges kept, the chosen K marked, and the band K +- 5 around the first.

One line a learner: the mean over its curves (seeds, or systems of one size), and the t interval of that mean as an area
where there are two curves or more; seeds of one graph are one cluster. Rules: the chosen K; an oracle says so in its
label. A panel a kind of system: series and rows, or graphs of another size, are not averaged.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field
from typing import TYPE_CHECKING, Literal

import pandas as pd

from trueness.showing import theme
from trueness.showing.marks import named_data, spread_of, with_data
from trueness.showing.saving import Figure, safe_name
from trueness.statistics import mean
from trueness.studies.robustness.choose_k import KChoice
from trueness.studies.robustness.plateau import AROUND
from trueness.studies.robustness.sensitivity import SensitivityCurve, k_range

if TYPE_CHECKING:
    import altair as alt

KEY = "line: mean; area: t interval; dashed: chosen K; grey: K +- 5"

HEIGHT = 130
MEASURES = {"f1": "F1 (directed)", "shd_reversals_twice": "SHD (reversals twice)"}
Curves = Mapping[str, Sequence[SensitivityCurve]]  # learner -> its curves


@dataclass(frozen=True, eq=False)
class Panel:
    """Curves of systems of one size. graphs: learner -> the graph of each of its curves, where there are several."""

    curves: Curves
    choices: Sequence[KChoice] = ()
    graphs: Mapping[str, Sequence[str]] = field(default_factory=dict)


def sensitivity_frame(curves: Curves, within: tuple[int, int] | None = None) -> pd.DataFrame:
    """One row a learner, measure and K. within: the K range; k_range(d) unless told."""
    return panels_frame({"": Panel(curves)}, within)


def panels_frame(panels: Mapping[str, Panel], within: tuple[int, int] | None = None) -> pd.DataFrame:
    """One row a panel, learner, measure and K."""
    rows: list[dict[str, object]] = []
    for title, panel in panels.items():
        for learner, several in panel.curves.items():
            parts = [curve.between(*(within or k_range(curve.nodes))) for curve in several]
            graphs = panel.graphs.get(learner)
            clusters = None if graphs is None or len(set(graphs)) < 2 else list(graphs)
            for measure in MEASURES:
                for at, k in enumerate(parts[0].k):
                    values = [getattr(part, measure)[at] for part in parts]
                    estimate = mean(values, clusters, bounds=(0.0, 1.0 if measure == "f1" else None))
                    row = {"panel": title, "learner": learner, "measure": measure, "k": int(k)}
                    row |= estimate.cells("value", "")
                    rows.append(row | {"n": estimate.n, "graphs": estimate.n_clusters})
    return pd.DataFrame(rows, columns=["panel", "learner", "measure", "k", "value", "low", "high", "n", "graphs"])


def sensitivity_chart(
    frame: pd.DataFrame,
    choices: Mapping[str, Sequence[KChoice]] | Sequence[KChoice] = (),
    width: theme.Width = "page",
    title: str = "Edges kept",
) -> alt.VConcatChart | alt.HConcatChart:
    """choices: of each panel by its title, or of the one that has none."""
    import altair as alt

    by_panel = choices if isinstance(choices, Mapping) else {"": choices}
    colours = theme.colours(frame["learner"])
    names = sorted(colours)
    colour = alt.Color(
        "learner:N",
        scale=alt.Scale(domain=names, range=[colours[name] for name in names]),
        legend=alt.Legend(title=None, symbolOpacity=1),
    )
    marked = _k_labels(by_panel)
    bands = pd.DataFrame(
        [
            {"panel": p, "low": c.k - AROUND, "high": c.k + AROUND}
            for p, several in by_panel.items()
            for c in several[:1]
        ],
        columns=["panel", "low", "high"],
    )
    rows = []
    for panel in dict.fromkeys(frame["panel"]):
        part = frame[frame["panel"] == panel]
        ends = [float(part["k"].min()), float(part["k"].max())]
        wide = (theme.POINTS[width] - 170) / 2
        both = [_layers(measure, label, panel, ends, colour, wide) for measure, label in MEASURES.items()]
        row = alt.hconcat(*both, spacing=14)
        rows.append(row.properties(title=alt.TitleParams(panel, fontSize=8, anchor="start")) if panel else row)
    chart = alt.vconcat(*rows, spacing=10) if len(rows) > 1 else rows[0]
    return with_data(theme.apply_theme(chart, title, KEY), {"curves": frame, "chosen": marked, "bands": bands})


def _layers(
    measure: str, label: str, panel: str, ends: list[float], colour: alt.Color, wide: float
) -> alt.LayerChart | alt.FacetChart:
    import altair as alt

    here = alt.datum.panel == panel
    x = alt.X("k:Q", scale=alt.Scale(domain=ends, nice=False), axis=alt.Axis(title="K, edges kept", grid=False))
    scale = alt.Scale(domain=[0, 1]) if measure == "f1" else alt.Scale(domainMin=0)
    y = alt.Y("value:Q", scale=scale, axis=alt.Axis(title=label))
    base = alt.Chart(named_data("curves")).transform_filter((alt.datum.measure == measure) & here)
    bands, chosen = (alt.Chart(named_data(name)).transform_filter(here) for name in ("bands", "chosen"))

    def labels(turn: int, align: Literal["left", "right"], dy: int, y: int) -> alt.Chart:
        text = chosen.transform_filter(f"datum.place % 2 == {turn}").mark_text(
            align=align, dy=dy, angle=270, fontSize=6, color="#444444", clip=True
        )
        placed: alt.Chart = text.encode(x=alt.X("k:Q"), y=alt.value(y), text=alt.Text("label:N"))
        return placed

    return alt.layer(
        bands.mark_rect(color=theme.RUNS, opacity=0.4, clip=True).encode(x=alt.X("low:Q"), x2=alt.X2("high:Q")),
        base.mark_area(opacity=0.15, clip=True).encode(
            x=x, y=alt.Y("low:Q", scale=scale), y2=alt.Y2("high:Q"), color=colour
        ),
        base.mark_line(strokeWidth=1.2).encode(x=x, y=y, color=colour),
        chosen.mark_rule(strokeDash=[3, 2], color="#444444", clip=True).encode(x=alt.X("k:Q")),
        labels(0, "right", -6, 4),
        labels(1, "left", 9, HEIGHT - 4),
        width=wide,
        height=HEIGHT,
    )


def _k_labels(by_panel: Mapping[str, Sequence[KChoice]]) -> pd.DataFrame:
    """One row a panel and K: labels of one K are joined, neighbours stand at the top and the bottom by turns."""
    rows = []
    for panel, several in by_panel.items():
        at: dict[int, dict[str, list[str]]] = {}
        for choice in several:
            at.setdefault(choice.k, {}).setdefault(choice.learner, []).append(_method(choice))
        for place, (k, learners) in enumerate(sorted(at.items())):
            labels = [(f"{name}: " if name else "") + " = ".join(dict.fromkeys(how)) for name, how in learners.items()]
            rows.append({"panel": panel, "k": k, "label": ", ".join(labels), "place": place})
    return pd.DataFrame(rows, columns=["panel", "k", "label", "place"])


def sensitivity(
    curves: Curves,
    corruption: str,
    choices: Sequence[KChoice] = (),
    within: tuple[int, int] | None = None,
    width: theme.Width = "page",
) -> Figure:
    return sensitivity_panels({"": Panel(curves, choices)}, corruption, within, width)


def sensitivity_panels(
    panels: Mapping[str, Panel],
    corruption: str,
    within: tuple[int, int] | None = None,
    width: theme.Width = "page",
) -> Figure:
    frame = panels_frame(panels, within)
    dashed = "; ".join(
        (f"{title}: " if title else "") + ", ".join(f"{_label(choice)} (K = {choice.k})" for choice in panel.choices)
        for title, panel in panels.items()
        if panel.choices
    )
    n, graphs = (int(frame[name].max()) if len(frame) else 0 for name in ("n", "graphs"))
    inside = f" of {graphs} graphs" if graphs < n else ""
    caption = (
        f"Directed F1 and SHD (fp + fn) under {corruption} against K, the number of edges kept; mean over "
        f"{spread_of(frame['n'])} curve{'s' if n != 1 else ''}{inside} a learner"
        f"{', areas: 95 % t intervals of the mean' if n > 1 else ''}."
        + (f" Dashed: {dashed}; shaded: the first of them +- {AROUND}." if dashed else "")
    )
    chosen = {title: panel.choices for title, panel in panels.items()}
    chart = sensitivity_chart(frame, chosen, width, f"How many edges to keep: {corruption}")
    return Figure(f"sensitivity_curve_{safe_name(corruption)}", frame, chart, caption)


def _label(choice: KChoice) -> str:
    return f"{choice.learner}: {_method(choice)}" if choice.learner else _method(choice)


def _method(choice: KChoice) -> str:
    return f"{choice.method} (oracle)" if choice.is_oracle and "oracle" not in choice.method else choice.method
