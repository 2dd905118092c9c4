"""The truth of a question: weighted conditional distributions, and how well the survey knows them.

    p[c, l] = W[c, l] / W[c, .]          w_c = W[c, .] / W[., .]         marginal = sum_c w_c p[c, .]
    Kish    n_eff[c] = (sum w)^2 / sum w^2                               design effect = n / n_eff

and 2,000 bootstrap draws of p (B, C, L), by what the task names:

    cells       W*[c, l] = (S/W) Poisson(W^2/S): the mean and variance that a Poisson bootstrap of the rows gives each
                cell, at the price of one draw a cell. Unweighted it is Poisson(n). No rows are touched again.
    clusters    whole clusters are drawn, n_h - 1 of n_h in each stratum with weight n_h/(n_h - 1) (Rao & Wu 1988)
    replicates  p* = p + sum_r z_r sqrt(scale) (p_r - p), z_r ~ N(0, 1): its covariance is that of the replicates,
                scale sum_r (p_r - p)(p_r - p)'; cut off at 0 and divided by its sum

With clusters or replicates n_eff is what the draws show, sum_l p(1-p) / sum_l var*(p_l); else it is Kish's. A condition
without rows is an error; one with fewer than `least` rows is left out and named in `thin`.
Kish (1965), Survey Sampling; Fay & Train (1995) for the replicates of the ACS.
"""

from __future__ import annotations

from pathlib import Path

import numpy as np
from numpy.typing import NDArray

from trueness.datasets.surveys import Microdata, open_microdata
from trueness.errors import DataError, listed
from trueness.studies.population.high_dimensional import kept_truth
from trueness.studies.population.questions import Question
from trueness.studies.population.survey_rows import Rows, rows_of
from trueness.studies.population.truth import QUANTILES, Array, Design, PopulationTruth

DRAWS = 2_000
_COUNTS_AT_ONCE = 4_000_000  # entries of a block of drawn clusters: 32 MB


def truth_of(
    question: Question,
    rng: np.random.Generator,
    data: Microdata | None = None,
    draws: int = DRAWS,
    folder: Path | None = None,
) -> PopulationTruth:
    """Read the data of a question and estimate what it asks for; `folder`: of the study, where fits are kept."""
    data = data or open_microdata(question.data, question.folder)
    rows = rows_of(question, data)
    if question.high_dimensional:
        return kept_truth(rows, rng, draws, folder)
    counts = rows.totals(None)
    keep, thin = _conditions(rows.question, counts.sum(axis=1))
    weight = rows.weight
    total = counts if weight is None else rows.totals(weight)
    squares = counts if weight is None else rows.totals(weight**2)
    empty = keep[total[keep].sum(axis=1) <= 0]
    if len(empty):
        raise DataError(
            f"condition {rows.question.conditions[empty[0]]!r} of task {question.name!r} must have rows with a weight "
            "above 0, got none. Drop the level, or widen the population."
        )
    total, squares, counts = total[keep], squares[keep], counts[keep]
    probs = total / total.sum(axis=1, keepdims=True)
    kish = total.sum(axis=1) ** 2 / squares.sum(axis=1)
    design: Design = "cells"
    if question.replicate_weights:
        design, drawn = "replicates", _by_replicates(rows, data, keep, probs, draws, rng)
    elif question.clusters is not None:
        design, drawn = "clusters", _by_clusters(rows, data, keep, probs, draws, rng)
    else:
        drawn = cell_draws(total, squares, probs, draws, rng)
    n_eff = kish if design == "cells" else _seen_n_eff(probs, drawn, kish)
    means, quantiles = (None, None) if rows.numbers is None else _on_numbers(rows, rows.numbers, keep)
    return PopulationTruth(
        rows.question, tuple(rows.question.conditions[c] for c in keep), probs, total.sum(axis=1) / total.sum(),
        counts.sum(axis=1), kish, n_eff, drawn, design, thin,
        rows.n_data, rows.n_outside, rows.n_missing, rows.n_unlisted, means, quantiles, rows.notes,
    )  # fmt: skip


def _on_numbers(rows: Rows, numbers: Array, keep: NDArray[np.intp]) -> tuple[Array, Array]:
    """(C,) weighted means and (C, 5) quantiles of the numbers themselves; cells play no part."""
    condition = rows.cell // len(rows.question.levels)
    weight = np.ones(len(numbers)) if rows.weight is None else rows.weight
    inside = [(numbers[condition == c], weight[condition == c]) for c in keep]
    means = np.array([np.average(x, weights=w) for x, w in inside])
    return means, np.array([np.quantile(x, QUANTILES, method="inverted_cdf", weights=w) for x, w in inside])


def _conditions(question: Question, rows: Array) -> tuple[NDArray[np.intp], dict[str, int]]:
    """Which conditions are kept. Combinations of several variables may be empty; a single level may not."""
    names = question.conditions
    empty = [name for name, n in zip(names, rows, strict=True) if n == 0]
    if empty and len(question.given) < 2:
        raise DataError(
            f"condition {empty[0]!r} of task {question.name!r} must have rows in the population "
            f"({question.population.text}), got none. Drop the level, or widen the population."
        )
    thin = {name: int(n) for name, n in zip(names, rows, strict=True) if n < question.least}
    keep = np.flatnonzero(rows >= question.least)
    if not len(keep):
        raise DataError(
            f"task {question.name!r} must have a condition with at least {question.least} rows, "
            f"got {listed(f'{name} {n}' for name, n in thin.items())}. Merge levels, or lower 'least'."
        )
    return keep, thin


def cell_draws(total: Array, squares: Array, probs: Array, draws: int, rng: np.random.Generator) -> Array:
    mean = np.divide(total**2, squares, out=np.zeros_like(total), where=squares > 0)
    unit = np.divide(squares, total, out=np.zeros_like(total), where=total > 0)
    return _normalise(rng.poisson(mean, size=(draws, *total.shape)) * unit, probs)


def _by_clusters(
    rows: Rows, data: Microdata, keep: NDArray[np.intp], probs: Array, draws: int, rng: np.random.Generator
) -> Array:
    import pandas as pd

    question = rows.question
    assert question.clusters is not None
    data.check_column(question.clusters, f"'clusters' of task {question.name!r}")
    columns = [question.clusters, *([question.strata] if question.strata else [])]
    for column in columns[1:]:
        data.check_column(column, f"'strata' of task {question.name!r}")
    frame = data.read(columns)[rows.kept]
    stratum = pd.factorize(frame[question.strata])[0] if question.strata else np.zeros(len(frame), dtype=np.int64)
    # the same cluster number may be used again in another stratum
    cluster, labels = pd.factorize(pd.MultiIndex.from_arrays([stratum, pd.factorize(frame[question.clusters])[0]]))
    stratum_of = np.array([label[0] for label in labels])
    c, levels = rows.shape
    table = np.zeros((len(labels), c * levels))
    np.add.at(table, (cluster, rows.cell), 1.0 if rows.weight is None else rows.weight)
    totals = np.zeros((draws, c * levels))
    for h in np.unique(stratum_of):
        members = table[stratum_of == h]
        n = len(members)
        if n == 1:  # a lone cluster has no spread to show: it stays as it is
            totals += members[0]
            continue
        block = max(1, _COUNTS_AT_ONCE // n)
        for start in range(0, draws, block):
            size = min(block, draws - start)
            drawn = rng.multinomial(n - 1, np.full(n, 1 / n), size=size) * (n / (n - 1))
            totals[start : start + size] += drawn @ members
    return _normalise(totals.reshape(draws, c, levels)[:, keep], probs)


def _by_replicates(
    rows: Rows, data: Microdata, keep: NDArray[np.intp], probs: Array, draws: int, rng: np.random.Generator
) -> Array:
    question = rows.question
    names = question.replicate_weights
    for name in names:
        data.check_column(name, f"'replicate_weights' of task {question.name!r}")
    scale = question.replicate_scale
    if scale is None:
        raise DataError(
            f"task {question.name!r} must say 'replicate_scale' with its replicate weights (4/80 = 0.05 for the ACS, "
            "1/R for a bootstrap, (R-1)/R for a jackknife), got none."
        )
    apart = np.empty((len(names), *probs.shape))
    for r, name in enumerate(names):  # one column at a time: 80 columns of 3 million rows are 2 GB
        total = rows.totals(data.read([name])[name].to_numpy(dtype=np.float64)[rows.kept])[keep]
        sums = total.sum(axis=1, keepdims=True)
        apart[r] = np.divide(total, sums, out=probs.copy(), where=sums > 0) - probs
    z = rng.standard_normal((draws, len(names))) * np.sqrt(scale)
    moved = probs + np.tensordot(z, apart, axes=1)
    return _normalise(np.maximum(moved, 0.0), probs)


def _normalise(totals: Array, probs: Array) -> Array:
    """Rows that sum to 1; a condition that was not drawn at all keeps its distribution."""
    sums = totals.sum(axis=-1, keepdims=True)
    return np.where(sums > 0, totals / np.where(sums > 0, sums, 1.0), probs)


def _seen_n_eff(probs: Array, draws: Array, kish: Array) -> Array:
    spread = draws.var(axis=0).sum(axis=1)
    inside = (probs * (1 - probs)).sum(axis=1)
    return np.where(spread > 0, inside / np.where(spread > 0, spread, 1.0), kish)
