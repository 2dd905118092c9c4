"""Adaptive lasso on the Gram matrix, the penalty chosen by BIC. The number of rows drops out.

    beta(l) = argmin (1/2) |y - X b|^2 + l sum_k |b_k| / |b_k^ols|          all l at once, by LARS (Efron et al. 2004)
    BIC(l)  = n log(2 pi s^2) + RSS(l) / s^2 + log(n) df(l)                 s^2 from the full least-squares fit

as scikit-learn's LassoLarsIC(criterion="bic") on X scaled by |b^ols| (Zou 2006; Zou, Hastie & Tibshirani 2007).
"""

from __future__ import annotations

import numpy as np
from numpy.typing import NDArray

Array = NDArray[np.float64]


def adaptive_lasso(gram: Array, xy: Array, yy: float, n: int) -> Array:
    """Coefficients of y on the columns of X; gram = X'X, xy = X'y, yy = y'y of centred data."""
    ols = np.linalg.lstsq(gram, xy, rcond=None)[0]
    scale = np.abs(ols)
    path = lasso_path(gram * np.outer(scale, scale), xy * scale)
    rss = yy - 2 * path @ (xy * scale) + np.einsum("ki,ij,kj->k", path, gram * np.outer(scale, scale), path)
    left = n - len(xy) - 1
    variance = max(float(yy - ols @ xy), float(np.finfo(float).tiny)) / max(left, 1)
    df = np.count_nonzero(np.abs(path) > np.finfo(float).eps, axis=1)
    bic = n * np.log(2 * np.pi * variance) + rss / variance + np.log(n) * df
    chosen: Array = path[int(np.argmin(bic))] * scale
    return chosen


def lasso_path(gram: Array, xy: Array) -> Array:
    """All the knots of the lasso path (knots, p), from nothing to least squares."""
    p = len(xy)
    beta, c = np.zeros(p), xy.copy()
    active: list[int] = []
    knots = [beta.copy()]
    tolerance = 1e-12 * max(np.abs(xy).max(initial=0.0), np.finfo(float).tiny)
    dropped = -1
    for _ in range(8 * p):
        idle = np.array([j for j in range(p) if j not in active and j != dropped], dtype=np.intp)
        top = np.abs(c[active]).max() if active else np.abs(c).max(initial=0.0)
        if top <= tolerance:
            break
        if dropped < 0 and len(idle):
            active.append(int(idle[np.argmax(np.abs(c[idle]))]))
            top = np.abs(c[active[-1]])
            idle = idle[idle != active[-1]]
        if top <= tolerance:
            break
        signs = np.sign(c[active])
        try:
            step = np.linalg.solve(gram[np.ix_(active, active)], signs)
        except np.linalg.LinAlgError:  # two columns say the same: the later one stays out
            active.pop()
            break
        rate = gram[:, active] @ step  # how fast each correlation falls; `signs` for the active ones
        gamma = top
        if dropped >= 0:
            idle = np.append(idle, dropped)
        if len(idle):
            with np.errstate(divide="ignore", invalid="ignore"):
                meet = np.concatenate([(top - c[idle]) / (1 - rate[idle]), (top + c[idle]) / (1 + rate[idle])])
            meet = meet[np.isfinite(meet) & (meet > tolerance)]
            gamma = min(gamma, meet.min(initial=np.inf))
        dropped = -1
        with np.errstate(divide="ignore", invalid="ignore"):
            zero = -beta[active] / step
        zero = np.where(np.isfinite(zero) & (zero > 0), zero, np.inf)
        if zero.min(initial=np.inf) < gamma:
            gamma = zero.min()
            dropped = active[int(np.argmin(zero))]
        beta[active] += gamma * step
        c -= gamma * rate
        if dropped >= 0:
            active.remove(dropped)
            beta[dropped] = 0.0
        knots.append(beta.copy())
        if dropped < 0 and not len(idle):
            break
    return np.array(knots)
