"""What all charts share: data put into the chart itself, rows on a numeric axis with names, panels in a grid."""

from __future__ import annotations

import json
from collections.abc import Iterable, Mapping, Sequence

import pandas as pd

from trueness.outside import Json
from trueness.showing import theme
from trueness.showing.saving import plain_records
from trueness.showing.vega import Chart, Spec, options
from trueness.texts import drawable

HATCH = "M-1,0L0,-1M-1,1L1,-1M0,1L1,0"  # three diagonals of a square: nothing was answered here


def named_data(name: str) -> Spec:
    """Data that the outermost chart holds once (see `with_data`), however many layers draw it."""
    return {"name": name}


def with_data(chart: Chart, frames: Mapping[str, pd.DataFrame]) -> Chart:
    """The outermost chart, with what `named_data` names."""
    return chart.properties(datasets={name: plain_records(frame) for name, frame in frames.items()})


def row_axis(names: Sequence[str], shown: bool = True, **settings: Json) -> Spec:
    """The axis of rows 0, 1, ...: their names at the middle of each. Names are data, so they are quoted."""
    quoted = json.dumps([drawable(name) for name in names])
    return options(
        values=[k + 0.5 for k in range(len(names))], labelExpr=f"{quoted}[floor(datum.value)]",
        labels=shown, ticks=False, title=None, domain=False, grid=False, labelOverlap=False, **settings,
    )  # fmt: skip


def row_scale(n: int) -> Spec:
    """Row 0 on top."""
    return options(domain=[max(n, 1), 0], nice=False, zero=False)


def text_width(names: Iterable[str], size: float = 7.0, most: float = theme.LABEL) -> float:
    """About how many points the longest name takes on an axis."""
    return min(most, 0.52 * size * max((len(name) for name in names), default=0))


def panel_columns(panels: int, most: int) -> int:
    """How many panels stand side by side: as few rows as can be, and those filled alike (6 of at most 5: 3 and 3)."""
    rows = -(-max(panels, 1) // most)
    return -(-max(panels, 1) // rows)


def spread_of(counts: pd.Series) -> str:
    """`100`, or `80 to 100` where they differ, for a caption."""
    if not len(counts):
        return "no"
    low, high = int(counts.min()), int(counts.max())
    return f"{low}" if low == high else f"{low} to {high}"
