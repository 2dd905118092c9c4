"""What every analysis of a forecast study returns, and the means and tests that several of them share.

    Analysis = table (one row a finding) + sentences + further tables; `possible` is False where it cannot be made
    per_item(rows, column)   items x respondents: one number an item and respondent, repeats averaged

An item is (data set, learner, measure) under one arm (formulation, names, metadata, definition, target). What was drawn
independently is the data set: intervals and exact tests below count data sets, never replies. Each has the same weight:

    v_d = mean of the values on data set d,   estimate = (1/D) sum_d v_d,   interval = estimate -+ t_{D-1} s / sqrt(D)
    p   = share of the 2^D sign patterns of v_d - null whose mean is at least as far out

The exact test of a rank correlation is over all orders of one of the two:

    p = share of the n! orders whose Spearman's rho is at least as far out as the one seen     (all of them up to n = 8)
    p = (1 + #) / (1 + 20,000)                                                                 (drawn orders beyond)

Two-sided p cannot fall below 2/n!: .083 for four units, .017 for five. Phipson & Smyth (2010) for the drawn ones.
"""

from __future__ import annotations

import math
from collections.abc import Iterable, Iterator, Mapping
from dataclasses import dataclass, field, replace
from itertools import permutations
from types import SimpleNamespace
from typing import Literal

import numpy as np
import pandas as pd
from numpy.typing import ArrayLike, NDArray

from trueness.intervals import Interval, value_text
from trueness.outside import Json
from trueness.showing.saving import plain_rows
from trueness.statistics import Comparison, estimates, sign_flip
from trueness.statistics.clusters import Totals
from trueness.statistics.result import UNBOUNDED, Alternative, Bounds, Estimate, interval_cells
from trueness.statistics.sign_flip import RESAMPLES
from trueness.studies.forecast.frames import CELL, ITEM, Forecasts

Array = NDArray[np.float64]
Sides = Literal["two-sided", "greater"]
PROPER = "interval_score_scaled"  # the proper score, in shares of the measure's range
ALL_MODELS = "all models"
ENUMERATED = 8
_DRAWN = 20_000


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


def table_of(rows: Iterable[Mapping[str, object]]) -> pd.DataFrame:
    """A column in which nothing is known is one of missing numbers."""
    table = pd.DataFrame(list(rows))
    return table.astype({name: float for name in table if table[name].isna().all()})


def lines(table: pd.DataFrame) -> Iterator[SimpleNamespace]:
    """The rows by attribute."""
    return (SimpleNamespace(**{str(key): value for key, value in row.items()}) for row in table.to_dict("records"))


# ---- means


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
    rows = forecasts.answers(forecasts.claimants, measure)
    rows = rows[rows["truth_mean"].notna()]
    means = rows.groupby(["respondent", *CELL], sort=False)[["midpoint", "truth_mean"]].mean()
    return means.reset_index().rename(columns={"midpoint": "predicted", "truth_mean": "measured"})


def over_datasets(
    values: ArrayLike,
    datasets: ArrayLike,
    name: str,
    null: float | None = None,
    alternative: Alternative = "two-sided",
    within: Bounds = UNBOUNDED,
) -> Estimate:
    """values: (n,), NaN where missing; datasets: (n,). With `null` the sign-flip p of that mean stands beside.

    within: what the mean can be at all; an interval of t is cut to it.
    """
    column = np.asarray(values, dtype=np.float64)
    codes, labels = pd.factorize(np.asarray(datasets))
    there = ~np.isnan(column)
    sizes = np.bincount(codes[there], minlength=len(labels)).astype(np.float64)
    sums = np.bincount(codes[there], weights=column[there], minlength=len(labels))
    means = sums[sizes > 0] / sizes[sizes > 0]
    estimate = estimates.mean(means, name=name, bounds=within)
    estimate = replace(estimate, n=int(there.sum()), n_missing=int((~there).sum()), method="t")
    if null is None or len(means) == 0:
        return estimate
    flips = sign_flip.flips(Totals(tuple(range(len(means))), means, np.ones(len(means))), RESAMPLES, _fixed())
    sided = "two-sided" if alternative == "two-sided" else "one-sided"
    test = ("exact " if flips.exact else "") + f"{flips.test} over data sets, {sided}"
    return replace(estimate, p=flips.p(null, alternative), test=test, null=null)


def _fixed() -> np.random.Generator:
    """The same data give the same p."""
    return np.random.default_rng(0)


# ---- rank correlations


def orders(n: int, rng: np.random.Generator) -> NDArray[np.intp]:
    """(orders, n) places."""
    if n <= ENUMERATED:
        return np.array(list(permutations(range(n))), dtype=np.intp)
    return rng.permuted(np.broadcast_to(np.arange(n), (_DRAWN, n)), axis=1).astype(np.intp)


def permutation_p(x: Array, y: Array, places: NDArray[np.intp], alternative: Sides = "two-sided") -> float:
    """places: from `orders`. NaN when a value is missing or one of the two does not vary."""
    from scipy.stats import rankdata

    if len(x) < 2 or np.isnan(x).any() or np.isnan(y).any() or np.ptp(x) == 0 or np.ptp(y) == 0:
        return math.nan
    one, other = rankdata(x) - (len(x) + 1) / 2, rankdata(y) - (len(y) + 1) / 2
    drawn, seen = one[places] @ other, float(one @ other)
    reached = np.abs(drawn) >= abs(seen) - 1e-9 if alternative == "two-sided" else drawn >= seen - 1e-9
    return float(reached.mean()) if len(x) <= ENUMERATED else float((1 + reached.sum()) / (1 + len(places)))


def permutation_test(n: int) -> str:
    return "exact permutation" if n <= ENUMERATED else "permutation"


def smallest_permutation_p(n: int, alternative: Sides = "two-sided") -> float:
    """The least p that n units without ties can reach."""
    tails = 2 if alternative == "two-sided" else 1
    return min(1.0, tails / math.factorial(n)) if n <= ENUMERATED else 1 / (1 + _DRAWN)


# ---- cells and words


def ends(interval: Interval | None) -> dict[str, float | None]:
    """The cells `low` and `high`; none of a difference that is the same everywhere, which is a constant."""
    return interval_cells(None if interval is None or interval.degenerate else interval)


def pair_cells(c: Comparison) -> dict[str, str | float | None]:
    """Who was compared, the means, the difference a - b and its interval, at the level of the verdict where known."""
    level = c.span.level if c.span else None
    means = {"mean_a": c.means[0], "mean_b": c.means[1], "difference": c.difference}
    return {"a": c.names[0], "b": c.names[1], **means, **ends(c.span), "level": level}


def percent(share: float | None) -> str:
    return "missing" if share is None or not np.isfinite(share) else f"{100 * share:.1f} %"


def percent_with_ends(share: float, low: float, high: float) -> str:
    """`62.5 % [40.1 %, 81.0 %]`."""
    return value_text(share, (low, high), lambda value, more=0: f"{100 * value:.{1 + more}f} %")
