"""How much wider the ranges must be to reach their level: leave-one-data-set-out conformal widening.

Of a claim [l, u] with centre c and half width h (at least half the measure's resolution), and an outcome y:

    needed factor  e = |y - c| / h                [c - k h, c + k h] covers y  <=>  e <= k
    needed margin  a = max(l - y, y - u) / M      [l - a M, u + a M] covers y, M the largest value (negative: narrower)
    k_level        = the `level` quantile of e over data sets, claims and outcomes; every data set has the same weight,
                     within it every claim, within it every outcome (the runs, or the mean where that is the target)

For each data set the quantile is taken from the others and tried on it: `coverage_after` is what the widening is worth
on data it has not seen. Romano, Patterson & Candes (2019); split by groups: Dunn, Wasserman & Ramdas (2023).
A new data set is like one of the D seen ones, no more: a distribution-free promise from D data sets holds at a level of
D/(D + 1) at most, so .95 needs 19. Below, the factor is an estimate, and `promised` says how far a promise would go.
"""

from __future__ import annotations

from typing import NamedTuple

import numpy as np
import pandas as pd
from numpy.typing import NDArray

from trueness.studies.forecast.analysis import Analysis, claimants, lines, percent, percent_with_ends
from trueness.studies.forecast.by_dataset import over_datasets
from trueness.studies.forecast.forecast_frames import CELL, MEASURES, Forecasts
from trueness.studies.forecast.selection import headline
from trueness.texts import counted

Array = NDArray[np.float64]
ALL = "all"
ORACLE = "baseline/oracle"
_NUMBERS = ("low", "high", "truth_upper", "truth_resolution")
_OUTCOMES = 50  # a cell with more different outcomes is stood for by so many quantiles


def conformal(forecasts: Forecasts) -> Analysis:
    """One row a respondent and measure (or all)."""
    rows = headline(forecasts)
    people = [name for name in claimants(forecasts) if name != ORACLE]  # it has seen the runs
    rows = rows[rows["answered"] & rows["respondent"].isin(people) & (rows["truth_runs"] > 0)]
    if rows.empty:
        return Analysis.untold("conformal", "Widening cannot be told: no readable claim about a measured cell.")
    outcomes = _outcomes(forecasts)
    table = []
    for name, mine in rows.groupby("respondent", sort=False):
        needed = _widening_needs(mine, outcomes)
        for measure in (ALL, *MEASURES):
            part = needed if measure == ALL else needed.of(measure)
            if len(part.weight):
                table.append({"respondent": name, "measure": measure, **_widening(part, forecasts.level)})
    frame = pd.DataFrame(table)
    return Analysis("conformal", frame, tuple(_sentences(frame, forecasts.level)))


class _Needed(NamedTuple):
    """What each outcome of each claim asks for; (n,) each. `weight` is that of the outcome within its claim."""

    dataset: NDArray[np.intp]
    measure: NDArray[np.intp]
    factor: Array
    margin: Array
    weight: Array
    covered: NDArray[np.bool_]

    def of(self, measure: str) -> _Needed:
        mine = self.measure == MEASURES.index(measure)
        return _Needed(*(part[mine] for part in self))


class _Outcomes(NamedTuple):
    """values[t, j] is shares[t, j] of the outcomes of question t (cell, measure, target); a share of 0 is padding."""

    keys: pd.MultiIndex
    values: Array
    shares: Array


def _outcomes(forecasts: Forecasts) -> _Outcomes:
    """The different outcomes of a cell and their shares; runs of counts repeat themselves."""
    grid = (np.arange(_OUTCOMES) + 0.5) / _OUTCOMES
    measured = {key: truth for key, truth in forecasts.truths.items() if len(truth.runs)}
    values, shares = np.zeros((2, 2 * len(measured), _OUTCOMES))
    for k, truth in enumerate(measured.values()):
        different, times = np.unique(truth.runs, return_counts=True)
        if len(different) > _OUTCOMES:
            values[2 * k], shares[2 * k] = np.quantile(truth.runs, grid), 1 / _OUTCOMES
        else:
            values[2 * k, : len(different)], shares[2 * k, : len(different)] = different, times / times.sum()
        values[2 * k + 1, 0], shares[2 * k + 1, 0] = truth.mean, 1.0
    keys = [(*key, target) for key in measured for target in ("run", "mean")]
    return _Outcomes(pd.MultiIndex.from_tuples(keys), values, shares)


def _widening_needs(rows: pd.DataFrame, outcomes: _Outcomes) -> _Needed:
    place = outcomes.keys.get_indexer(pd.MultiIndex.from_frame(rows[[*CELL, "measure", "target"]]))
    y, share = outcomes.values[place], outcomes.shares[place]
    low, high, upper, step = (rows[name].to_numpy(float)[:, None] for name in _NUMBERS)
    codes = pd.factorize(rows["dataset"])[0]
    measure = pd.Index(MEASURES).get_indexer(pd.Index(rows["measure"]))
    real = share > 0
    return _Needed(
        dataset=np.broadcast_to(codes[:, None], y.shape)[real],
        measure=np.broadcast_to(measure[:, None], y.shape)[real],
        factor=(np.abs(y - (low + high) / 2) / np.maximum((high - low) / 2, step / 2))[real],
        margin=(np.maximum(low - y, y - high) / upper)[real],
        weight=share[real],
        covered=((low <= y) & (y <= high))[real],
    )


def _widening(needed: _Needed, level: float) -> dict[str, float | None]:
    present, codes = np.unique(needed.dataset, return_inverse=True)
    n = len(present)
    weight = needed.weight / np.bincount(codes, weights=needed.weight)[codes]  # every data set weighs 1
    before = np.bincount(codes, weights=weight * needed.covered)
    row: dict[str, float | None] = {"datasets": n, "promised": n / (n + 1)}
    row |= over_datasets(before, present, "coverage", within=(0.0, 1.0)).cells("coverage", missing=np.nan)
    for name, needs in (("factor", needed.factor), ("margin", needed.margin)):
        order = np.argsort(needs)
        value, mass, where = needs[order], weight[order], codes[order]
        row[name] = _quantile(value, np.cumsum(mass), level)
        row |= {f"{name}_least": np.nan, f"{name}_most": np.nan, f"coverage_{name}": np.nan}
        row |= {f"coverage_{name}_low": np.nan, f"coverage_{name}_high": np.nan}
        if n > 1:
            without = [_quantile(value, np.cumsum(np.where(where == k, 0.0, mass)), level) for k in range(n)]
            after = np.bincount(where, weights=mass * (value <= np.array(without)[where] + 1e-12), minlength=n)
            row |= {f"{name}_least": min(without), f"{name}_most": max(without)}
            estimate = over_datasets(after, present, "coverage", within=(0.0, 1.0))
            row |= estimate.cells(f"coverage_{name}", missing=np.nan)
    return row


def _quantile(ordered: Array, total: Array, level: float) -> float:
    """The smallest value at or below which at least `level` of the mass lies; total: the running sum of the mass."""
    return float(ordered[min(int(np.searchsorted(total, level * total[-1] * (1 - 1e-12))), len(ordered) - 1)])


def _sentences(table: pd.DataFrame, level: float) -> list[str]:
    sentences = []
    for row in lines(table[table["measure"] == ALL]):
        covered = f"{row.respondent} covers {percent(row.coverage)} where it says {percent(level)}"
        if row.datasets < 2:
            sentences.append(f"{covered} (1 data set); what widening is worth elsewhere cannot be told.")
            continue
        verb = "widened" if row.factor > 1 else "narrowed"
        sentences.append(
            f"{covered}; {verb} by a factor of {row.factor:.2f} ({row.factor_least:.2f} to {row.factor_most:.2f} when "
            f"one data set is left out) it would; on the data set left out that covers "
            f"{percent_with_ends(row.coverage_factor, row.coverage_factor_low, row.coverage_factor_high)} "
            f"({counted(row.datasets, 'data set')}, t). As a margin: {row.margin:+.3f} of the measure's range."
        )
    few = int(table["datasets"].max()) if len(table) else 0
    if few / (few + 1) < level:
        sentences.append(
            f"{counted(few, 'data set')} can promise {percent(few / (few + 1))} on a new one at most; {percent(level)} "
            f"needs {int(np.ceil(level / (1 - level) - 1e-9))}. The factors are estimates."
        )
    return sentences
