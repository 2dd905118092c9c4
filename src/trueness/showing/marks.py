"""What all charts share: data put into the chart itself, rows on a numeric axis with names, panels in a grid."""

from __future__ import annotations

import json
from collections.abc import Iterable, Mapping, Sequence
from typing import TYPE_CHECKING, TypeVar

import pandas as pd

from trueness.outside import Json
from trueness.showing import theme
from trueness.showing.saving import plain_records
from trueness.texts import drawable

if TYPE_CHECKING:
    import altair as alt

Chart = TypeVar("Chart")

HATCH = "M-1,0L0,-1M-1,1L1,-1M0,1L1,0"  # three diagonals of a square: nothing was answered here


def named_data(name: str) -> alt.NamedData:
    """Data that the outermost chart holds once (see `with_data`), however many layers draw it."""
    import altair as alt

    return alt.NamedData(name=name)


def with_data(chart: Chart, frames: Mapping[str, pd.DataFrame]) -> Chart:
    """Altair's own way from a frame has a limit of rows and checks each value of each row; this has neither.

    Call it last: every later change of the chart would copy the data.
    """
    chart.datasets = {  # type: ignore[attr-defined]
        name: plain_records(frame) for name, frame in frames.items()
    }
    return chart


def row_axis(names: Sequence[str], shown: bool = True, **settings: Json) -> alt.Axis:
    """The axis of rows 0, 1, ...: their names at the middle of each. Names are data, so they are quoted."""
    import altair as alt

    quoted = json.dumps([drawable(name) for name in names])
    return alt.Axis(
        values=[k + 0.5 for k in range(len(names))], labelExpr=f"{quoted}[floor(datum.value)]",
        labels=shown, ticks=False, title=None, domain=False, grid=False, labelOverlap=False, **settings,
    )  # fmt: skip


def row_scale(n: int) -> alt.Scale:
    """Row 0 on top."""
    import altair as alt

    return alt.Scale(domain=[max(n, 1), 0], nice=False, zero=False)


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
