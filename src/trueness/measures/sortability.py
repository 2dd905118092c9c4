"""Sortability: can the causal order be read off the data without any learning?

    sortability = sum_k #{i -> ... -> j over k edges : s_i < s_j, ties 1/2} / sum_k #{i -> ... -> j over k edges}

s_i is the variance of column i (varsortability, Reisach, Seiler & Weichwald 2021) or the R^2 of column i on all the
others, R^2_i = 1 - 1 / (C^-1)_ii with C the correlation matrix (R2-sortability, Reisach et al. 2023). A pair counts
once for every length k at which a path joins it, as in CausalDisco. 1: sorting by s gives the causal order; 0: the
reverse order; near 1/2: s says nothing. Raw simulated linear data come near 1, and learners such as NOTEARS live on it.
"""

from __future__ import annotations

from collections.abc import Sequence

import numpy as np
from numpy.typing import ArrayLike, NDArray

from trueness.errors import DataError, GraphError
from trueness.graphs import Graph
from trueness.measures.score import UNDEFINED, Score

Array = NDArray[np.float64]

TIE = 1e-9
"""Scores this close (relative to the larger) are tied: standardised columns differ by rounding, which is no order."""


def varsortability(data: ArrayLike, truth: Graph, columns: Sequence[str] | None = None) -> Score:
    """data: (n, d); columns: its names, by default those of a data frame, else truth.nodes in their order."""
    return sortability_of(_align_columns(data, truth, columns).var(axis=0), truth)


def r2_sortability(data: ArrayLike, truth: Graph, columns: Sequence[str] | None = None) -> Score:
    """As varsortability, by R^2, so that scale has no say. Undefined when a column is constant."""
    x = _align_columns(data, truth, columns)
    if (np.ptp(x, axis=0) == 0).any():
        return UNDEFINED
    return sortability_of(_r2(x), truth)


def sortability_of(scores: Array, truth: Graph) -> Score:
    if truth.kind != "dag":
        raise GraphError(f"sortability is defined on a dag, got a {truth.kind}.")
    step = truth.directed
    gain = scores[None, :] - scores[:, None]  # positive where j scores higher than i
    tied = np.abs(gain) <= TIE * np.maximum(np.abs(scores)[None, :], np.abs(scores)[:, None])
    credit = np.where(tied, 0.5, (gain > 0).astype(np.float64))
    paths, right, total = step, 0.0, 0
    while paths.any():
        right += float(credit[paths].sum())
        total += int(np.count_nonzero(paths))
        paths = paths @ step  # of booleans: is there a path one edge longer
    return Score(right / total) if total else UNDEFINED


def _r2(x: Array) -> Array:
    d = x.shape[1]
    correlation = np.atleast_2d(np.corrcoef(x, rowvar=False))
    if len(x) > d and np.linalg.matrix_rank(correlation, hermitian=True) == d:
        return np.asarray(1 - 1 / np.linalg.inv(correlation).diagonal())
    return np.array([_r2_by_regression(x, k) for k in range(d)])  # collinear columns: no inverse


def _r2_by_regression(x: Array, k: int) -> float:
    centred = x - x.mean(axis=0)
    others = np.delete(centred, k, axis=1)
    weights = np.linalg.lstsq(others, centred[:, k], rcond=None)[0]
    residual = centred[:, k] - others @ weights
    return float(1 - (residual @ residual) / (centred[:, k] @ centred[:, k]))


def _align_columns(data: ArrayLike, truth: Graph, columns: Sequence[str] | None) -> Array:
    """The data with its columns in the order of truth.nodes."""
    names = tuple(columns if columns is not None else getattr(data, "columns", truth.nodes))
    x = np.asarray(data, dtype=np.float64)
    if x.ndim != 2 or x.shape[1] != len(names) or len(x) < 2:
        raise DataError(f"'data' must be (rows, {len(names)} columns) with at least 2 rows, got shape {x.shape}.")
    if not np.isfinite(x).all():
        raise DataError("'data' must be finite numbers, got nan or inf. Drop those rows.")
    if set(names) != set(truth.nodes):
        raise DataError(f"the columns must be the nodes of the truth, got {', '.join(map(str, names))}.")
    return x[:, [names.index(node) for node in truth.nodes]]
