"""Whether forecasts follow what makes a data set hard: size, density, dimension.

    x_d = nodes (size), edges / possible edges (density), nodes / rows (dimension)
    rho_measured = Spearman(x_d, mean F1 on d),   rho_predicted = Spearman(x_d, predicted midpoint on d),   over d

As in the original, with what it lacks: an interval of each rho (Bonett & Wright), a permutation p (all n! orders up to
8 data sets, else 20,000 drawn ones), and the difference rho_predicted - rho_measured with an interval from drawing data
sets (both rho share their data sets, so the difference is known better than either). `learner` "all" averages over the
learners first. With n data sets rho's smallest two-sided p is 2/n!; below 5 data sets no rho can be told from chance.
"""

from __future__ import annotations

from collections.abc import Iterator
from functools import cache

import numpy as np
import pandas as pd
from numpy.typing import NDArray

from trueness.statistics.multiplicity import adjust
from trueness.statistics.rank_correlations import rank_correlation
from trueness.statistics.runs import expanded_tail
from trueness.studies.forecast.analysis import (
    Analysis,
    Array,
    lines,
    orders,
    permutation_p,
    permutation_test,
    smallest_permutation_p,
    table_of,
)
from trueness.studies.forecast.frames import Forecasts
from trueness.texts import counted

PROPERTIES = ("size", "density", "dimension")
ALL = "all"
MEASURED = "measured"
_RESAMPLES = 2000
Columns = dict[tuple[str, str], Array]  # (learner or all, respondent or measured) -> one number a data set


def effects(forecasts: Forecasts, measure: str = "f1") -> Analysis:
    """One row a property, learner (or all) and respondent; `measured` is the row of the runs themselves."""
    names = [name for name in forecasts.datasets if any(key[0] == name for key in forecasts.truths)]
    if len(names) < 3:
        why = f"{counted(len(names), 'data set')}; a rank correlation needs three"
        return Analysis.untold("effects", f"Size, density and dimension effects cannot be told: {why}.")
    columns = _columns(forecasts, measure, names)
    rng = np.random.default_rng([forecasts.seed, 0xEF])
    drawn = rng.integers(len(names), size=(_RESAMPLES, len(names)))
    orders_of = cache(lambda n: orders(n, rng))
    about = [forecasts.datasets[name] for name in names]
    properties = {
        "size": [float(a["nodes"]) for a in about],
        "density": [float(a["density"]) for a in about],
        "dimension": [a["nodes"] / a["rows"] for a in about],
    }
    ranks = {key: _centred_ranks(y, drawn) for key, y in columns.items()}
    rows = []
    for name in PROPERTIES:
        x = np.array(properties[name])
        x_ranks = _centred_ranks(x, drawn)
        resampled = {key: _rho(x_ranks, y_ranks) for key, y_ranks in ranks.items()}
        for (learner, respondent), y in columns.items():
            rho, there = rank_correlation(x, y), ~np.isnan(y)
            row: dict[str, object] = {"property": name, "learner": learner, "respondent": respondent, "datasets": rho.n}
            p = permutation_p(x[there], y[there], orders_of(int(there.sum())))
            row |= rho.cells("rho") | {"p": p, "test": permutation_test(rho.n)}
            if respondent != MEASURED:
                same = rank_correlation(x, np.where(there, columns[learner, MEASURED], np.nan)).value
                apart = resampled[learner, respondent] - resampled[learner, MEASURED]
                row |= _difference(rho.value, same, apart, rho.n)
            rows.append(row)
    table = table_of(rows)
    table["q"] = np.nan
    screened = (table["learner"] == ALL) & table["p"].notna()
    table.loc[screened, "q"] = adjust(table.loc[screened, "p"].to_numpy(float), "bh")
    return Analysis("effects", table, tuple(_sentences(table, forecasts, measure, len(names))))


def _columns(forecasts: Forecasts, measure: str, datasets: list[str]) -> Columns:
    """`all` only where every learner has a number."""
    rows = forecasts.answers(forecasts.claimants, measure)
    learners = list(dict.fromkeys(key[1] for key in forecasts.truths))
    means = {key: truth.mean for key, truth in forecasts.truths.items()}
    tables = {MEASURED: np.array([[means.get((d, name, measure), np.nan) for d in datasets] for name in learners])}
    claimed = rows.groupby(["respondent", "learner", "dataset"], sort=False)["midpoint"].mean()
    for respondent in pd.unique(rows["respondent"]):
        wide = claimed[respondent].unstack("dataset").reindex(index=learners, columns=datasets)
        tables[respondent] = wide.to_numpy(float)
    columns: Columns = {}
    for respondent, table in tables.items():
        columns |= {(ALL, respondent): table.mean(axis=0)}
        columns |= {(learner, respondent): table[k] for k, learner in enumerate(learners)} if len(learners) > 1 else {}
    return columns


def _difference(rho: float | None, measured: float | None, apart: Array, n: int) -> dict[str, float | None]:
    """apart: the same difference in each resample of data sets."""
    row = {"rho_measured": measured, "difference": np.nan, "difference_low": np.nan, "difference_high": np.nan}
    if rho is None or measured is None:
        return row
    row["difference"] = rho - measured
    apart = apart[~np.isnan(apart)]
    if len(apart) >= _RESAMPLES / 2:  # many resamples hold too few different data sets: no interval then
        tail = expanded_tail(0.95, n)
        low, high = np.quantile(apart, [tail, 1 - tail])
        row |= {"difference_low": max(float(low), -2.0), "difference_high": min(float(high), 2.0)}
    return row


def _centred_ranks(values: Array, drawn: NDArray[np.int64]) -> Array:
    """(resamples, n): the ranks within each resample of data sets, about their mean; NaN when a value is missing."""
    from scipy.stats import rankdata

    if np.isnan(values).any():
        return np.full(drawn.shape, np.nan)
    return np.asarray(rankdata(values[drawn], axis=1) - (drawn.shape[1] + 1) / 2)


def _rho(one: Array, other: Array) -> Array:
    """Spearman's rho of each resample; NaN where one of the two does not vary."""
    scale = np.sqrt((one**2).sum(axis=1) * (other**2).sum(axis=1))
    rho: Array = np.divide((one * other).sum(axis=1), scale, out=np.full(len(one), np.nan), where=scale > 0)
    return rho


def _sentences(table: pd.DataFrame, forecasts: Forecasts, measure: str, n: int) -> Iterator[str]:
    pooled = table[table["learner"] == ALL]
    for name in PROPERTIES:
        mine = pooled[pooled["property"] == name]
        truth = mine[mine["respondent"] == MEASURED].iloc[0]
        if not np.isfinite(truth["rho"]):
            yield f"{name}: no correlation can be had, the data sets do not differ in it."
            continue
        each = [
            f"{row.respondent} {_with_ends(row.rho, row.rho_low, row.rho_high)}, off by "
            f"{_with_ends(row.difference, row.difference_low, row.difference_high)}"
            for row in lines(mine)
            if row.respondent in forecasts.models and np.isfinite(row.rho)
        ]
        yield (
            f"{name}: measured {measure} goes with it by rho "
            f"{_with_ends(truth['rho'], truth['rho_low'], truth['rho_high'])} (permutation p = {truth['p']:.2g}; "
            f"{n} data sets); forecasts: {'; '.join(each) or 'none that vary'}."
        )
    smallest = smallest_permutation_p(n)
    if smallest > 0.05:
        yield f"With {n} data sets the smallest p of a rank correlation is {smallest:.2g}: no effect can be shown."


def _with_ends(value: float, low: float, high: float) -> str:
    return f"{value:+.2f}" + (f" [{low:+.2f}, {high:+.2f}]" if np.isfinite(low) else "")
