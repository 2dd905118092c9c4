"""How the verdicts settle with the number of runs: what would have been said with fewer.

    for m = 10, 20, 30, 50, 100, ... n and B draws of m runs without replacement:
    agreement(m)  = share of claims whose verdict `low <= mean of the m runs <= high` is that of all runs
    coverage(m)   = share of claims that cover the mean of m runs, averaged over draws; its sd between draws
    ratio_mean(m) = median width / (2 z sd / sqrt(m)):  against the CI of the mean a claim looks wider the more was run
    ratio_runs    = median width / width of the range of the runs: does not move with m

All runs are the reference, so the agreement at m = n is 1 by construction and near n it flatters (the draw shares most
of its runs with the reference); the sd of the coverage is the honest part. The runs of a cell are drawn together for
all respondents.
"""

from __future__ import annotations

from collections.abc import Iterator

import numpy as np
import pandas as pd
from scipy.special import ndtri

from trueness.statistics.convergence import CHECKPOINTS
from trueness.studies.forecast.analysis import Analysis, Array, percent
from trueness.studies.forecast.frames import CELL, Forecasts, Truth

DRAWS = 50
_SETTLED = 0.95  # the agreement from which on verdicts are called settled


def convergence(forecasts: Forecasts, draws: int = DRAWS) -> Analysis:
    """One row a respondent and number of runs."""
    rows = forecasts.answers(forecasts.claimants)
    rows = rows[rows["truth_runs"] >= 2]
    if rows.empty:
        return Analysis.untold("convergence", "Convergence cannot be told: no readable claim about a measured cell.")
    place, keys = pd.factorize(pd.MultiIndex.from_frame(rows[[*CELL, "measure"]]))
    truths = [forecasts.truths[key] for key in keys]
    n = max(len(truth.runs) for truth in truths)
    steps = [m for m in CHECKPOINTS if m < n] + [n]
    means = _subsampled_means(truths, steps, draws, np.random.default_rng([forecasts.seed, 0xC0]))
    spread = np.array([truth.runs.std(ddof=1) for truth in truths])[place]
    low, high, mean = (rows[name].to_numpy(float) for name in ("low", "high", "truth_mean"))
    final = (low <= mean) & (mean <= high)
    ratio_runs = _ratio(high - low, (rows["truth_high"] - rows["truth_low"]).to_numpy())
    who, names = pd.factorize(rows["respondent"])
    table = []
    for step, m in enumerate(steps):
        drawn = means[step][place]  # (claims, draws)
        verdict = (low[:, None] <= drawn) & (drawn <= high[:, None])
        agrees = (verdict == final[:, None]).mean(axis=1)
        ratio = _ratio(high - low, 2 * ndtri((1 + forecasts.level) / 2) * spread / np.sqrt(m))
        for code, name in enumerate(names):
            mine = who == code
            coverage = verdict[mine].mean(axis=0)
            table.append(
                {
                    "respondent": name, "runs": m, "claims": int(mine.sum()), "agreement": float(agrees[mine].mean()),
                    "coverage": float(coverage.mean()),
                    "coverage_sd": float(coverage.std(ddof=1)) if draws > 1 else np.nan,
                    "ratio_mean": float(pd.Series(ratio[mine]).median()),
                    "ratio_runs": float(pd.Series(ratio_runs[mine]).median()),
                }
            )  # fmt: skip
    frame = pd.DataFrame(table)
    return Analysis("convergence", frame, tuple(_sentences(frame, forecasts, n, draws)))


def _subsampled_means(truths: list[Truth], steps: list[int], draws: int, rng: np.random.Generator) -> list[Array]:
    """Of each step: (cells, draws) means. The first m of a shuffled order are a draw of m without replacement."""
    means: list[Array] = [np.empty((len(truths), draws)) for _ in steps]
    for k, truth in enumerate(truths):
        runs = truth.runs
        shuffled = rng.permuted(np.broadcast_to(runs, (draws, len(runs))), axis=1)
        sums = np.cumsum(shuffled - runs[0], axis=1)
        for step, m in enumerate(steps):
            all_of_them = m >= len(runs)  # a cell with fewer runs than the others stays at what it has
            means[step][k] = truth.mean if all_of_them else sums[:, m - 1] / m + runs[0]
    return means


def _ratio(part: Array, whole: Array) -> Array:
    ratio: Array = np.divide(part, whole, out=np.full(len(part), np.nan), where=whole > 0)
    return ratio


def _sentences(table: pd.DataFrame, forecasts: Forecasts, n: int, draws: int) -> Iterator[str]:
    models = table[table["respondent"].isin(forecasts.models)]
    each = (models if len(models) else table).groupby("runs")[["agreement", "coverage_sd"]].mean()
    settled = each.index[each["agreement"] >= _SETTLED]
    least, first = each.index[0], each.iloc[0]
    yield (
        f"With {least} runs a cell {percent(first['agreement'])} of the verdicts (the mean is covered or not) "
        f"are those of all {n} runs; {percent(_SETTLED)} agree from {settled[0]} runs on. Between draws of "
        f"{least} runs a model's coverage moves by {percent(first['coverage_sd'])} (sd; {draws} draws)."
    )
    small, large = table[table["runs"] == least], table[table["runs"] == n]
    ratios = small["ratio_mean"].median(), large["ratio_mean"].median(), large["ratio_runs"].median()
    if least < n and all(np.isfinite(ratios)):
        yield (
            f"Against the CI of the mean the median claim is {ratios[0]:.1f} times as wide at {least} runs and "
            f"{ratios[1]:.1f} times at {n}, against the range of the runs {ratios[2]:.2f} times at any number: only "
            "the latter says something about the claim."
        )
