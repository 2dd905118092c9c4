"""Gaussian likelihood of the graphs along a ranking: what one more edge is worth to the data.

Edges enter by |score|, largest first. Each node is regressed on its parents so far, from second moments alone:

    s2_j = S_jj - S_jP S_PP^-1 S_Pj,   b_j = S_PP^-1 S_Pj                         S: moments of the training rows
    loss(K) = sum_j log s2_j + (V_jj - 2 b_j V_Pj + b_j V_PP b_j) / s2_j          V: of the n_V rows that judge
    -2 log likelihood = n_V loss + constant

A parent brings its value in the same row and, in a series, its `lags` past ones; each node has its own past from the
start. An edge that would close a cycle brings its past alone: in rows without order that is nothing (it counts in K).
Gaps: moments over the pairs of values that are there, made positive definite by raising small eigenvalues; n is the
harmonic mean of the pairs' counts. No row is filled and no truth is known.
"""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np
from numpy.typing import NDArray

from trueness.datasets.observed import Observed
from trueness.errors import DataError

Array = NDArray[np.float64]
_FLOOR = 1e-3  # the smallest eigenvalue of a correlation matrix that a regression is asked to invert


@dataclass(frozen=True, eq=False)
class LaggedMoments:
    """Second moments of [x(t), x(t-1), ..., x(t-lags)] in standard units, and how many rows they stand for."""

    matrix: Array  # (d (lags + 1), d (lags + 1))
    n: float
    mean: Array
    sd: Array
    d: int
    lags: int


@dataclass(frozen=True, eq=False)
class Path:
    """loss[k] and parameters[k] after the first k edges, k = 0 ... most."""

    loss: Array
    parameters: NDArray[np.int64]
    n: float


def moments(data: Observed, like: LaggedMoments | None = None) -> LaggedMoments:
    """`like` gives the scale: rows that judge are measured in the units of those that trained."""
    lags, n = data.lags, data.n
    if n <= lags + 1:
        raise DataError(f"{data.source} must have more than {lags + 1} rows for {lags} lags, got {n}.")
    mean = np.nanmean(data.values, axis=0) if like is None else like.mean
    sd = np.nanstd(data.values, axis=0) if like is None else like.sd
    if like is None and not (sd > 0).all():
        raise DataError(f"column {data.names[int((~(sd > 0)).argmax())]!r} of {data.source} must vary. Use more rows.")
    z = (data.values - mean) / sd
    stacked = np.concatenate([z[lags - lag : n - lag] for lag in range(lags + 1)], axis=1)
    there = ~np.isnan(stacked)
    counts = there.T.astype(np.float64) @ there
    if counts.min() < 2:
        raise DataError(f"two columns of {data.source} must be observed together at least twice. Use more rows.")
    filled = np.where(there, stacked, 0.0)  # a zero adds nothing to a sum of products; the counts leave it out
    second = filled.T @ filled / counts
    values, vectors = np.linalg.eigh(second)
    if values[0] < _FLOOR:
        second = (vectors * np.maximum(values, _FLOOR)) @ vectors.T
    return LaggedMoments(second, float(1 / np.mean(1 / counts)), mean, sd, data.d, lags)


def likelihood_path(scores: Array, train: LaggedMoments, judge: LaggedMoments, most: int) -> Path:
    """scores[i, j]: of i -> j. judge is train itself for an in-sample criterion."""
    d = train.d
    order = rank_pairs(scores)[:most]
    parents: list[list[int]] = [_past(j, train) for j in range(d)]
    losses = np.array([_loss(j, parents[j], train, judge) for j in range(d)])
    reaches = np.eye(d, dtype=np.bool_)  # reaches[i, j]: a directed path within a row
    loss, parameters = np.empty(len(order) + 1), np.empty(len(order) + 1, dtype=np.int64)
    loss[0], parameters[0] = losses.sum(), sum(map(len, parents))
    for k, (i, j) in enumerate(order, start=1):
        cyclic = reaches[j, i]
        if not cyclic:
            reaches |= np.outer(reaches[:, i], reaches[j])
        brought = _past(i, train) if cyclic else [int(i), *_past(i, train)]
        if brought:
            parents[j] = parents[j] + brought
            losses[j] = _loss(j, parents[j], train, judge)
        loss[k], parameters[k] = losses.sum(), sum(map(len, parents))
    return Path(loss, parameters, judge.n)


def rank_pairs(scores: Array) -> NDArray[np.intp]:
    """(m, 2) pairs (cause, effect) with a score, largest |score| first, ties row by row."""
    size = np.abs(scores)
    np.fill_diagonal(size, 0.0)
    order = np.argsort(-size, axis=None, kind="stable")
    order = order[: np.count_nonzero(size)]
    return np.stack(np.unravel_index(order, size.shape), axis=1)


def _past(i: int, train: LaggedMoments) -> list[int]:
    """Where the lagged values of i stand among the moments."""
    return [lag * train.d + i for lag in range(1, train.lags + 1)]


def _loss(j: int, parents: list[int], train: LaggedMoments, judge: LaggedMoments) -> float:
    s, v = train.matrix, judge.matrix
    if not parents:
        return float(np.log(s[j, j]) + v[j, j] / s[j, j])
    at = np.array(parents, dtype=np.intp)
    inner = s[np.ix_(at, at)]
    slope = np.linalg.solve(inner, s[at, j])
    variance = max(float(s[j, j] - slope @ s[at, j]), _FLOOR**2)
    left = v[j, j] - 2 * slope @ v[at, j] + slope @ v[np.ix_(at, at)] @ slope
    return float(np.log(variance) + left / variance)
