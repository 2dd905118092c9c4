"""What every analysis of a forecast study returns, and the views of the tables that several of them share.

    Analysis = table (one row a finding) + sentences + further tables; `possible` is False where it cannot be made
    per_item(rows, column)   items x respondents: one number an item and respondent, repeats averaged
    claimants(forecasts)     who makes claims of their own: all but baseline/random, which is scored in closed form

An item is (data set, learner, measure) under one arm (formulation, names, metadata, definition, target). What was drawn
independently is the data set: intervals and exact tests below count data sets, never replies.
"""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass, field
from types import SimpleNamespace

import numpy as np
import pandas as pd

from trueness.intervals import Interval, value_text
from trueness.outside import Json
from trueness.showing.saving import plain_rows
from trueness.statistics import Comparison
from trueness.statistics.result import interval_cells
from trueness.studies.forecast import selection
from trueness.studies.forecast.forecast_frames import ARMS, CELL, Forecasts
from trueness.studies.forecast.scores import RANDOM

ITEM = (*CELL, "measure", *ARMS)


@dataclass(frozen=True, eq=False)
class Analysis:
    """A table and what it says. An analysis that cannot be made on a study has no rows, and says why."""

    name: str
    table: pd.DataFrame
    sentences: tuple[str, ...]
    more: Mapping[str, pd.DataFrame] = field(default_factory=dict)
    possible: bool = True

    @classmethod
    def untold(cls, name: str, why: str) -> Analysis:
        """What cannot be told with this study, and why."""
        return cls(name, pd.DataFrame(), (why,), possible=False)

    def to_dict(self) -> dict[str, Json]:
        """Plain JSON: missing numbers are None."""
        return {
            "name": self.name,
            "told": self.possible,
            "sentences": list(self.sentences),
            "rows": plain_rows(self.table),
            "more": {name: plain_rows(table) for name, table in self.more.items()},
        }

    def __str__(self) -> str:
        return "\n".join(self.sentences)


def respondents(forecasts: Forecasts) -> tuple[str, ...]:
    """Everybody who answered or was asked, in the order of the tables."""
    return tuple(str(name) for name in pd.unique(forecasts.scores["respondent"]))


def asked_models(forecasts: Forecasts) -> tuple[str, ...]:
    """The respondents that are neither a baseline nor a human."""
    return tuple(name for name in respondents(forecasts) if name not in forecasts.references)


def claimants(forecasts: Forecasts) -> tuple[str, ...]:
    """All whose ranges are claims; those of baseline/random are expectations."""
    return tuple(name for name in respondents(forecasts) if name != RANDOM)


def per_item(rows: pd.DataFrame, column: str, forecasts: Forecasts) -> pd.DataFrame:
    """(items x respondents): the mean over repeats, of the items that a model was asked.

    A reference sees no prompt: what it says of a cell, measure and target stands for all arms.
    """
    kept = rows.loc[rows["answered"] & rows[column].notna(), [*ITEM, "respondent", column]].astype({column: float})
    is_reference = kept["respondent"].isin(forecasts.references)
    table = _mean_by(kept[~is_reference], list(ITEM), column)
    question = [*CELL, "measure", "target"]
    theirs = _mean_by(kept[is_reference], question, column)
    if table.empty:
        return _mean_by(kept, list(ITEM), column)  # references alone: each item is theirs
    questions = pd.MultiIndex.from_frame(table.index.to_frame()[question])
    for name in theirs:
        table[name] = theirs[name].reindex(questions).to_numpy()
    return table


def _mean_by(rows: pd.DataFrame, index: list[str], column: str) -> pd.DataFrame:
    means = rows.groupby([*index, "respondent"], observed=True, sort=True)[column].mean()
    return means.unstack("respondent").rename_axis(columns=None)


def cell_means(forecasts: Forecasts, measure: str) -> pd.DataFrame:
    """One row a respondent, data set and learner: the predicted middle and the measured mean."""
    rows = selection.headline(forecasts)
    rows = rows[rows["answered"] & (rows["measure"] == measure) & rows["respondent"].isin(claimants(forecasts))]
    rows = rows[rows["truth_mean"].notna()]
    means = rows.groupby(["respondent", *CELL], sort=False)[["midpoint", "truth_mean"]].mean()
    return means.reset_index().rename(columns={"midpoint": "predicted", "truth_mean": "measured"})


def lines(table: pd.DataFrame) -> Iterator[SimpleNamespace]:
    """The rows by attribute."""
    return (SimpleNamespace(**{str(key): value for key, value in row.items()}) for row in table.to_dict("records"))


def number(value: float | None) -> float:
    """A cell of a numeric column: NaN is missing."""
    return np.nan if value is None else float(value)


def ends(interval: Interval | None) -> dict[str, float | None]:
    """The cells `low` and `high`; none of a difference that is the same everywhere, which is a constant."""
    return interval_cells(None if interval is None or interval.degenerate else interval, missing=np.nan)


def pair_cells(c: Comparison) -> dict[str, str | float | None]:
    """Who was compared, the means, the difference a - b and its interval, at the level of the verdict where known."""
    means = {"mean_a": number(c.means[0]), "mean_b": number(c.means[1])}
    level = {"level": c.span.level if c.span else np.nan}
    return {"a": c.names[0], "b": c.names[1], **means, "difference": number(c.difference), **ends(c.span), **level}


def join_words(words: Sequence[object], most: int = 4) -> str:
    """`a, b and c`, or the first of many and how many more there are."""
    items = [str(word) for word in words]
    if len(items) > most:
        return ", ".join(items[:most]) + f" and {len(items) - most} more"
    return " and ".join([", ".join(items[:-1]), items[-1]] if len(items) > 1 else items)


def percent(share: float | None) -> str:
    return "missing" if share is None or not np.isfinite(share) else f"{100 * share:.1f} %"


def percent_with_ends(share: float, low: float, high: float) -> str:
    """`62.5 % [40.1 %, 81.0 %]`."""
    return value_text(share, (low, high), lambda value, more=0: f"{100 * value:.{1 + more}f} %")
