"""The error of a difference of two means, from what each row adds to it.

    e_i = (x_i - mean x)/n for the first sample,   -(y_j - mean y)/m for the second
    rows independent:        V = s_x^2/n + s_y^2/m,   Welch's degrees of freedom
    clusters in both:        V = C/(C-1) sum_c (sum_{i in c} e_i)^2,   C - 1       what pairs share cancels
                             (fewer for unequal clusters: clusters.py)
    clusters in one each:    V = V_x + V_y of the clusters of each,   Welch's form with C_x - 1 and C_y - 1

x, y may be values, absolute deviations (Levene), places (Cliff's delta) or squared deviations (variances).
Satterthwaite (1946); Welch (1947); Liang & Zeger (1986).
"""

from __future__ import annotations

import math

import numpy as np

from trueness.statistics.clusters import Array, Labels, clusters_of


def robust_error(
    x: Array, y: Array, labels: tuple[Labels | None, Labels | None] | None
) -> tuple[float | None, float | None, int | None]:
    """(standard error of mean x - mean y, degrees of freedom, number of clusters); None where it cannot be had."""
    if labels is None or labels[0] is None or labels[1] is None:
        if min(len(x), len(y)) < 2:
            return None, None, None
        return *_two_errors(float(x.var(ddof=1)) / len(x), float(y.var(ddof=1)) / len(y), len(x), len(y)), None
    inside = clusters_of([*labels[0], *labels[1]], len(x) + len(y))
    influence = np.concatenate([(x - x.mean()) / len(x), -(y - y.mean()) / len(y)])
    of_x, of_y = set(inside.codes[: len(x)].tolist()), set(inside.codes[len(x) :].tolist())
    if of_x & of_y:
        if inside.count < 2:
            return None, None, inside.count
        df, factor = inside.reference
        return factor * math.sqrt(inside.variance(influence)), df, inside.count
    if min(len(of_x), len(of_y)) < 2:
        return None, None, inside.count
    squares = inside.sums(influence) ** 2
    v_x, v_y = (len(c) / (len(c) - 1) * float(squares[sorted(c)].sum()) for c in (of_x, of_y))
    return *_two_errors(v_x, v_y, len(of_x), len(of_y)), inside.count


def _two_errors(v_x: float, v_y: float, n_x: int, n_y: int) -> tuple[float, float]:
    if v_x + v_y == 0:
        return 0.0, float(n_x + n_y - 2)
    return math.sqrt(v_x + v_y), (v_x + v_y) ** 2 / (v_x**2 / (n_x - 1) + v_y**2 / (n_y - 1))
