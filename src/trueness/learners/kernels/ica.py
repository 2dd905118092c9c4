"""FastICA on weighted rows, and the causal order that an unmixing matrix allows. Columns are rows here: x (d, m).

    W <- (W W')^(-1/2) W   after   W <- E[tanh(W x) x'] - diag(E[1 - tanh(W x)^2]) W          x whitened, E[x x'] = I

until no row of W turns by more than the tolerance (parallel FastICA, log-cosh contrast; Hyvarinen 1999), as
scikit-learn's FastICA. Started at the same matrix it goes the same way.
"""

from __future__ import annotations

import numpy as np
from numba import njit
from numpy.typing import NDArray

from trueness.learners.kernels.compiling import kernel
from trueness.learners.kernels.lingam import FAR, exp2

Array = NDArray[np.float64]
_PER_ABS = -2.0 / np.log(2.0)


def whitening(covariance: Array) -> Array:
    """K (d, d) with K covariance K' = I; rows by falling variance, signs so that K[:, 0] >= 0."""
    variances, axes = np.linalg.eigh(covariance)
    variances, axes = variances[::-1], axes[:, ::-1]
    signs = np.where(axes[0] < 0, -1.0, 1.0)
    return np.asarray((axes * (signs / np.sqrt(variances))).T)


def fast_ica(x: Array, counts: Array, initial: Array, tolerance: float, most: int) -> tuple[Array, int, bool]:
    """The rotation W of whitened x, the number of steps, and whether it came to rest within `most` steps."""
    n = counts.sum()
    w = decorrelated(initial)
    slope = np.empty(len(x))
    for step in range(1, most + 1):
        sources = w @ x
        tanh_contrast(sources, counts, slope)
        turned = decorrelated(sources @ x.T / n - (slope / n)[:, None] * w)
        change = np.abs(np.abs((turned * w).sum(axis=1)) - 1).max()
        w = turned
        if change < tolerance:
            return w, step, True
    return w, most, False


def decorrelated(w: Array) -> Array:
    """(W W')^(-1/2) W, the orthogonal matrix nearest to W."""
    squares, axes = np.linalg.eigh(w @ w.T)
    squares = np.maximum(squares, np.finfo(np.float64).tiny)
    return np.asarray((axes / np.sqrt(squares)) @ (axes.T @ w))


@njit(cache=True, fastmath={"reassoc", "contract"}, error_model="numpy")
def tanh_contrast(sources: Array, counts: Array, slope: Array) -> None:
    """sources[i, t] <- counts[t] tanh(sources[i, t]); slope[i] <- sum_t counts[t] (1 - tanh^2)."""
    for i in range(len(sources)):
        total = 0.0
        for t in range(len(counts)):
            u = sources[i, t]
            e = exp2(_PER_ABS * min(abs(u), FAR))
            size = (1.0 - e) / (1.0 + e)
            total += counts[t] * (1.0 - size * size)
            sources[i, t] = counts[t] * (size if u > 0.0 else -size)
        slope[i] = total


def order_of_effects(effects: Array) -> NDArray[np.int64]:
    """The causal order of effects[i, j] of j on i after as few of the smallest |effects| as needed are set to 0.

    At least d (d + 1) / 2 of them are, as in lingam. Less effects never make a cycle, so that the number is found
    by bisection. Of the columns that may come next the first does.
    """
    d = len(effects)
    rank = np.empty(d * d, dtype=np.int64)
    rank[np.argsort(np.abs(effects), axis=None, kind="stable")] = np.arange(d * d)
    rank = rank.reshape(d, d)
    low, high = d * (d + 1) // 2, d * d
    while low < high:
        zeros = (low + high) // 2
        if topological_order(rank >= zeros)[1]:
            high = zeros
        else:
            low = zeros + 1
    return np.asarray(topological_order(rank >= low)[0])


@kernel
def topological_order(caused: NDArray[np.bool_]) -> tuple[NDArray[np.int64], bool]:
    """An order in which j comes before i where caused[i, j], the first column first; False where there is none."""
    d = len(caused)
    waits, placed, order = np.zeros(d, np.int64), np.zeros(d, np.bool_), np.empty(d, np.int64)
    for i in range(d):
        for j in range(d):
            waits[i] += caused[i, j]
    for k in range(d):
        free = 0
        while free < d and (placed[free] or waits[free] > 0):
            free += 1
        if free == d:
            return order, False
        order[k], placed[free] = free, True
        for i in range(d):
            waits[i] -= caused[i, free]
    return order, True
