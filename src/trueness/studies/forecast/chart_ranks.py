"""ranks: mean ranks of the respondents over data sets (showing/chart_critical_difference.py)."""

from __future__ import annotations

from trueness.outside import Json
from trueness.showing.chart_critical_difference import ranks, with_enough
from trueness.showing.saving import Figure
from trueness.studies.forecast import selection
from trueness.studies.forecast.analysis import per_item
from trueness.studies.forecast.forecast_frames import Forecasts
from trueness.studies.forecast.selection import headline

SCORE = "interval_score_scaled"


def ranks_of_respondents(forecasts: Forecasts, **settings: Json) -> Figure:
    """A forecast study: respondents by their scaled interval score over the items that all of them answered."""
    table = per_item(headline(forecasts), SCORE, forecasts)
    names = selection.respondents(forecasts)
    answered = with_enough(table.reindex(columns=names)).dropna()
    scores = answered.groupby(level="dataset").mean()
    silent = [name for name in names if name not in scores]
    scores = scores.assign(**dict.fromkeys(silent, float("nan")))[names]  # they are named in the caption
    return ranks(
        scores, "lower", "scaled interval score", forecasts.references, names, level=forecasts.level, **settings
    )
