"""Whether forecasts follow what makes a data set hard: size, density, dimension.

    x_d = nodes (size), edges / possible edges (density), nodes / rows (dimension)
    rho_measured = Spearman(x_d, mean F1 on d),   rho_predicted = Spearman(x_d, predicted midpoint on d),   over d

As in the original, with what it lacks: an interval of each rho (Bonett & Wright), a permutation p (all n! orders up to
8 data sets, else 20,000 drawn ones), and the difference rho_predicted - rho_measured with an interval from drawing data
sets (both rho share their data sets, so the difference is known better than either). `learner` "all" averages over the
learners first. With n data sets rho's smallest two-sided p is 2/n!; below 5 data sets no rho can be told from chance.
"""

from __future__ import annotations

import math
from collections.abc import Callable
from functools import cache

import numpy as np
import pandas as pd
from numpy.typing import NDArray

from trueness.statistics.multiplicity import adjust
from trueness.statistics.rank_correlations import rank_correlation
from trueness.statistics.runs import expanded_tail
from trueness.studies.forecast import rank_permutation
from trueness.studies.forecast.analysis import Analysis, asked_models, claimants, lines
from trueness.studies.forecast.forecast_frames import Forecasts
from trueness.studies.forecast.selection import headline

Array = NDArray[np.float64]
PROPERTIES = ("size", "density", "dimension")
ALL = "all"
MEASURED = "measured"
_RESAMPLES = 2000


def effects(forecasts: Forecasts, measure: str = "f1") -> Analysis:
    """One row a property, learner (or all) and respondent; `measured` is the row of the runs themselves."""
    rows = headline(forecasts)
    rows = rows[rows["answered"] & (rows["measure"] == measure) & rows["respondent"].isin(claimants(forecasts))]
    names = [name for name in forecasts.datasets if any(key[0] == name for key in forecasts.truths)]
    if len(names) < 3:
        why = f"{len(names)} data set{'s' if len(names) != 1 else ''}; a rank correlation needs three"
        return Analysis.untold("effects", f"Size, density and dimension effects cannot be told: {why}.")
    columns = _columns(rows, forecasts, measure, names)
    rng = np.random.default_rng([forecasts.seed, 0xEF])
    drawn = rng.integers(len(names), size=(_RESAMPLES, len(names)))
    orders = cache(lambda n: rank_permutation.orders(n, rng))
    ranks = {key: _centred_ranks(y, drawn) for key, y in columns.items()}
    table = pd.DataFrame(
        [
            row
            for name in PROPERTIES
            for row in _of_property(name, _property(name, forecasts, names), columns, ranks, drawn, orders)
        ]
    )
    table["q"] = np.nan
    screened = (table["learner"] == ALL) & table["p"].notna()
    table.loc[screened, "q"] = adjust(table.loc[screened, "p"].to_numpy(float), "bh")
    return Analysis("effects", table, tuple(_sentences(table, forecasts, measure, len(names))))


def _property(name: str, forecasts: Forecasts, datasets: list[str]) -> Array:
    about = [forecasts.datasets[dataset] for dataset in datasets]
    if name == "size":
        return np.array([float(a["nodes"]) for a in about])
    if name == "density":
        return np.array([float(a["density"]) for a in about])
    return np.array([a["nodes"] / a["rows"] for a in about])


def _columns(
    rows: pd.DataFrame, forecasts: Forecasts, measure: str, datasets: list[str]
) -> dict[tuple[str, str], Array]:
    """{(learner or all, respondent or measured): one number a data set}; `all` only where every learner has one."""
    learners = list(dict.fromkeys(key[1] for key in forecasts.truths))
    truth = np.array([[_mean(forecasts, (d, name, measure)) for d in datasets] for name in learners])
    tables = {MEASURED: truth}
    means = rows.groupby(["respondent", "learner", "dataset"], sort=False)["midpoint"].mean()
    for respondent in pd.unique(rows["respondent"]):
        tables[respondent] = (
            means[respondent].unstack("dataset").reindex(index=learners, columns=datasets).to_numpy(float)
        )
    columns: dict[tuple[str, str], Array] = {}
    for respondent, table in tables.items():
        columns |= {(ALL, respondent): table.mean(axis=0)}
        columns |= {(learner, respondent): table[k] for k, learner in enumerate(learners)} if len(learners) > 1 else {}
    return columns


def _mean(forecasts: Forecasts, key: tuple[str, str, str]) -> float:
    truth = forecasts.truths.get(key)
    return truth.mean if truth else math.nan


def _of_property(
    name: str,
    x: Array,
    columns: dict[tuple[str, str], Array],
    ranks: dict[tuple[str, str], Array],
    drawn: NDArray[np.int64],
    orders: Callable[[int], NDArray[np.intp]],
) -> list[dict[str, object]]:
    x_ranks = _centred_ranks(x, drawn)
    resampled = {key: _rho(x_ranks, y_ranks) for key, y_ranks in ranks.items()}
    measured = {learner: rank_correlation(x, y).value for (learner, who), y in columns.items() if who == MEASURED}
    rows = []
    for (learner, respondent), y in columns.items():
        rho = rank_correlation(x, y)
        row: dict[str, object] = {"property": name, "learner": learner, "respondent": respondent, "datasets": rho.n}
        row |= rho.cells("rho", missing=np.nan) | {
            "p": _permutation_p(x, y, orders),
            "test": rank_permutation.test_name(rho.n),
        }
        if respondent != MEASURED:
            truth = columns[learner, MEASURED]
            whole = not np.isnan(y).any()
            same = measured[learner] if whole else rank_correlation(x, np.where(np.isnan(y), np.nan, truth)).value
            row |= _difference(rho.value, same, resampled[learner, respondent], resampled[learner, MEASURED], rho.n)
        rows.append(row)
    return rows


def _permutation_p(x: Array, y: Array, orders: Callable[[int], NDArray[np.intp]]) -> float:
    there = ~np.isnan(y)
    return rank_permutation.permutation_p(x[there], y[there], orders(int(there.sum())))


def _difference(rho: float | None, measured: float | None, one: Array, other: Array, n: int) -> dict[str, float | None]:
    row = {"rho_measured": measured, "difference": np.nan, "difference_low": np.nan, "difference_high": np.nan}
    if rho is None or measured is None:
        return row
    row["difference"] = rho - measured
    apart = (one - other)[~np.isnan(one - other)]
    if len(apart) >= _RESAMPLES / 2:  # many resamples hold too few different data sets: no interval then
        tail = expanded_tail(0.95, n)
        ends = np.quantile(apart, [tail, 1 - tail])
        row |= {"difference_low": max(float(ends[0]), -2.0), "difference_high": min(float(ends[1]), 2.0)}
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


def _sentences(table: pd.DataFrame, forecasts: Forecasts, measure: str, n: int) -> list[str]:
    sentences = []
    pooled = table[table["learner"] == ALL]
    for name in PROPERTIES:
        mine = pooled[pooled["property"] == name]
        truth = mine[mine["respondent"] == MEASURED].iloc[0]
        if not np.isfinite(truth["rho"]):
            sentences.append(f"{name}: no correlation can be had, the data sets do not differ in it.")
            continue
        each = [
            f"{row.respondent} {_with_ends(row.rho, row.rho_low, row.rho_high)}, off by "
            f"{_with_ends(row.difference, row.difference_low, row.difference_high)}"
            for row in lines(mine)
            if row.respondent in asked_models(forecasts) and np.isfinite(row.rho)
        ]
        sentences.append(
            f"{name}: measured {measure} goes with it by rho "
            f"{_with_ends(truth['rho'], truth['rho_low'], truth['rho_high'])} (permutation p = {truth['p']:.2g}; "
            f"{n} data sets); forecasts: {'; '.join(each) or 'none that vary'}."
        )
    smallest = rank_permutation.smallest_permutation_p(n)
    if smallest > 0.05:
        sentences.append(
            f"With {n} data sets the smallest p of a rank correlation is {smallest:.2g}: no effect can be shown."
        )
    return sentences


def _with_ends(value: float, low: float, high: float) -> str:
    return f"{value:+.2f}" + (f" [{low:+.2f}, {high:+.2f}]" if np.isfinite(low) else "")
