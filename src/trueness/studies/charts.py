"""The charts of every study under one name: charts.intervals(forecasts, "f1"), charts.intervals_frame(...)."""

from importlib import import_module
from typing import Any

_PLACES = ("showing.chart_critical_difference", "showing.chart_measured",
           "studies.faithfulness.charts", "studies.forecast.charts",
           "studies.population.charts", "studies.robustness.charts")  # fmt: skip


def __getattr__(name: str) -> Any:
    for place in _PLACES:
        chart = getattr(import_module(f"trueness.{place}"), name, None)
        if callable(chart) and chart.__module__.endswith(place):
            return chart
    raise AttributeError(f"there is no chart {name!r}")
