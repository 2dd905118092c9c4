"""ranks_learners: mean ranks of the learners over data sets (showing/chart_critical_difference.py)."""

from __future__ import annotations

import pandas as pd

from trueness.measure import direction
from trueness.outside import Json
from trueness.running.results import Results
from trueness.showing import theme
from trueness.showing.chart_critical_difference import ranks
from trueness.showing.saving import Figure


def ranks_of_learners(results: Results, measure: str = "f1", **settings: Json) -> Figure:
    """A discovery study: learners by the mean of a measure over the runs on each data set."""
    cells = {(c.item, c.respondent): c.measures[measure].mean for c in results.summaries}
    names = list(dict.fromkeys(c.respondent for c in results.summaries))
    table = pd.Series(cells, dtype=float).unstack().reindex(columns=names)
    better = direction(measure) or "higher"
    return ranks(
        table,
        better,
        theme.measure_label(measure),
        respondents=names,
        level=results.level,
        name="ranks_learners",
        **settings,
    )
