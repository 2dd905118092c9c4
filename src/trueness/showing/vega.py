"""Vega-Lite, written in Altair's words: as much of them as the charts of this house use.

    base = Chart(named_data("marks")).transform_filter("datum.kind == 'mean'")
    bar = base.mark("rule", strokeWidth=3).encode(x=channel("low:Q", axis=options(title="F1")), x2="high:Q")
    layer(bar, base.mark("point").encode(x="mean:Q")).facet(channel("panel:N"), columns=3)

A chart is the specification itself, which the renderer draws as it stands. Altair checks each part against a schema and
copies all of them with every step, a second for a report; who asks a figure for its chart is given Altair's.
"""

from __future__ import annotations

import re
from collections.abc import Sequence
from typing import TYPE_CHECKING

from trueness.outside import Json

if TYPE_CHECKING:
    from altair.typing import ChartType

Spec = dict[str, Json]

_SHORT = re.compile(r"(?:(?P<aggregate>\w+)\((?P<of>\w*)\)|(?P<field>\w+))(?::(?P<type>[QNO]))?")
_TYPES = {"Q": "quantitative", "N": "nominal", "O": "ordinal"}
_SECOND = ("x2", "y2")  # channels whose type is that of x and y


def options(**settings: Json) -> Spec:
    """A scale, an axis, a legend, a header, a title."""
    return settings


def channel(shorthand: str, **settings: Json) -> Spec:
    """A channel of a column: `channel("share:Q", axis=None)`, `channel("mean(share):Q")`."""
    return _short(shorthand) | settings


def constant(value: Json) -> Spec:
    return {"value": value}


class Chart(Spec):
    """Each step gives another chart."""

    def __init__(self, data: Spec | None = None, **parts: Json):
        super().__init__(parts if data is None else {"data": data, **parts})

    def mark(self, type: str, **settings: Json) -> Chart:
        return self._with(mark={"type": type, **settings})

    def encode(self, **channels: str | Spec) -> Chart:
        encoding = {name: _short(one) if isinstance(one, str) else one for name, one in channels.items()}
        for name in _SECOND:
            if name in encoding:
                encoding[name] = {key: entry for key, entry in encoding[name].items() if key != "type"}
        return self._with(encoding=self.get("encoding", {}) | encoding)

    def transform_filter(self, test: str | Spec) -> Chart:
        return self._transform({"filter": test})

    def transform_calculate(self, **expressions: str) -> Chart:
        return self._transform(*({"calculate": expression, "as": name} for name, expression in expressions.items()))

    def transform_aggregate(self, groupby: Sequence[str], **sums: str) -> Chart:
        """name="min(share)\""""
        fields = [_short(shorthand) | {"as": name} for name, shorthand in sums.items()]
        aggregate = [{"op": one.pop("aggregate"), **one} for one in fields]
        return self._transform({"aggregate": aggregate, "groupby": list(groupby)})

    def properties(self, **settings: Json) -> Chart:
        return self._with(**settings)

    def resolve_scale(self, **channels: str) -> Chart:
        return self._with(resolve={"scale": channels})

    def facet(self, facet: Spec, **settings: Json) -> Chart:
        """A panel each; facet: a channel, or one for `row` and one for `column`."""
        spec = self._with()
        return Chart(spec.pop("data", None), facet=facet, spec=spec, **settings)

    def to_altair(self) -> ChartType:
        import altair as alt

        chart: ChartType = alt.Chart.from_dict({key: entry for key, entry in self.items() if key != "datasets"})
        chart.datasets = self["datasets"]  # beside its checks, which look at each value of each row
        return chart

    def _with(self, **parts: Json) -> Chart:
        return Chart(**self | parts)

    def _transform(self, *steps: Spec) -> Chart:
        return self._with(transform=[*self.get("transform", ()), *steps])


def layer(*charts: Chart, data: Spec | None = None) -> Chart:
    """One over the other; data that all have stands once."""
    first = charts[0].get("data")
    if first is not None and all(chart.get("data") == first for chart in charts):
        data, charts = first, tuple(Chart(**{k: v for k, v in chart.items() if k != "data"}) for chart in charts)
    return Chart(data, layer=list(charts))


def hconcat(*charts: Chart, **settings: Json) -> Chart:
    return Chart(hconcat=list(charts), **settings)


def vconcat(*charts: Chart, **settings: Json) -> Chart:
    return Chart(vconcat=list(charts), **settings)


def concat(*charts: Chart, **settings: Json) -> Chart:
    return Chart(concat=list(charts), **settings)


def _short(shorthand: str) -> Spec:
    match = _SHORT.fullmatch(shorthand)
    assert match is not None, shorthand
    aggregate, of, name, kind = match.groups()
    spec: Spec = {} if aggregate is None else {"aggregate": aggregate}
    if name or of:
        spec["field"] = name or of
    return spec | ({"type": _TYPES[kind]} if kind else {})
