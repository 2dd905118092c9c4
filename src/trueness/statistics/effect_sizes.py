"""Effect sizes without a unit.

    Cliff's delta = P(A > B) - P(A < B) = 2U/(nm) - 1        over all n m pairs of two samples
    superiority   = P(A > B) + P(A = B)/2                    over the units that both were measured on

Delta by sorting: for each a its place among the b, O((n + m) log(n + m)); never the double loop. The places are also
what its variance is made of: with h_i = mean_j sign(a_i - b_j) and g_j = mean_i sign(a_i - b_j),

    V = var(h)/n + var(g)/m,    interval = tanh(atanh(delta) -+ t sqrt(V)/(1 - delta^2)),   t with Welch's degrees

Where delta is -1 or 1 all places agree and V is 0; then Newcombe's score interval, which knows n and m only, stands.
Magnitudes: |delta| < .147 negligible, < .33 small, < .474 medium, else large (Romano et al. 2006).
Cliff (1993); DeLong et al. (1988); Newcombe (2006), Statistics in Medicine 25, method 5.
"""

from __future__ import annotations

import math
from collections.abc import Callable

import numpy as np
from numpy.typing import ArrayLike
from scipy.special import ndtri, stdtrit

from trueness.intervals import Interval
from trueness.statistics.clusters import Array, Labels, equally_long, robust_error, two_samples
from trueness.statistics.proportions import share
from trueness.statistics.result import Effect, checked_level

MAGNITUDES = ((0.147, "negligible"), (0.33, "small"), (0.474, "medium"), (math.inf, "large"))


def cliffs_delta(
    a: ArrayLike,
    b: ArrayLike,
    clusters: tuple[Labels | None, Labels | None] | None = None,
    level: float = 0.95,
) -> Effect:
    """Above 0: values of a tend to be greater. clusters: labels of a and of b; a label in both is one cluster."""
    checked_level(level)
    samples = two_samples(a, b, clusters)
    one, other, labels, notes = samples.one, samples.other, samples.labels, samples.notes
    n = (len(one), len(other))
    if min(n) == 0:
        return Effect("Cliff's delta", None, None, None, n, level, notes=(*notes, "A sample is empty."))
    if labels is None:  # the order of the rows does not matter: sorted queries are quick ones
        one, other = np.sort(one), np.sort(other)
        places = _places(one, other), _places(other, one)
    else:
        places = _places_in_order(one, other), _places_in_order(other, one)
    value = float(np.clip(places[0].mean(), -1.0, 1.0))
    # delta = mean h, and its error adds h and g: the second places are -g, and their difference is taken
    error, df, count = robust_error(places[0], places[1], labels)
    interval = delta_interval(value, error, df, n if count is None else (count, count), level)
    note = () if interval else ("One value a sample is needed twice over for an interval.",)
    method = "places, atanh scale" if error else "Newcombe's score interval"
    return Effect("Cliff's delta", value, interval, magnitude(value), n, level, method, count, (*notes, *note))


def magnitude(delta: float) -> str:
    return next(word for limit, word in MAGNITUDES if abs(delta) < limit)


def paired_superiority(a: ArrayLike, b: ArrayLike, clusters: Labels | None = None, level: float = 0.95) -> Effect:
    """How often a unit is higher under a than under b, a tie counting half; .5 is no difference."""
    one, other, _ = equally_long(a, b)
    wins = share((np.sign(one - other) + 1) / 2, clusters, level)
    size = None if wins.value is None else magnitude(2 * wins.value - 1)
    return Effect(
        "superiority", wins.value, wins.interval, size, (wins.n,), level, wins.method,
        wins.n_clusters if wins.n_clusters != wins.n else None, wins.notes,
    )  # fmt: skip


def delta_interval(
    value: float, error: float | None, df: float | None, n: tuple[int, int], level: float
) -> Interval | None:
    if min(n) < 2:
        return None
    if not error or df is None or abs(value) > 1 - 1e-12:
        return _newcombe(value, n, level)
    half = float(stdtrit(df, (1 + level) / 2)) * error / (1 - value**2)
    return Interval(math.tanh(math.atanh(value) - half), math.tanh(math.atanh(value) + half), level, "mean")


def _newcombe(value: float, n: tuple[int, int], level: float) -> Interval:
    """The theta in [0, 1] with |theta^ - theta| <= z sqrt(V(theta)), turned into deltas."""
    z, seen, more = float(ndtri((1 + level) / 2)), (value + 1) / 2, (n[0] + n[1]) / 2 - 1

    def outside(theta: float) -> float:
        factor = 1 + more * (1 - theta) / (2 - theta) + more * theta / (1 + theta)
        return abs(seen - theta) - z * math.sqrt(theta * (1 - theta) * factor / (n[0] * n[1]))

    ends = [_crossing(outside, seen, end) for end in (0.0, 1.0)]
    return Interval(2 * ends[0] - 1, 2 * ends[1] - 1, level, "mean")


def _crossing(outside: Callable[[float], float], inside: float, end: float) -> float:
    if inside == end:
        return end
    within, beyond = inside, end
    for _ in range(80):
        middle = (within + beyond) / 2
        within, beyond = (middle, beyond) if outside(middle) <= 0 else (within, middle)
    return within


def _places(one: Array, other: Array) -> Array:
    """For each of `one`, the mean sign of its difference from `other`; both sorted."""
    below = np.searchsorted(other, one, side="left")
    above = len(other) - np.searchsorted(other, one, side="right")
    return np.asarray((below - above) / len(other))


def _places_in_order(one: Array, other: Array) -> Array:
    order = np.argsort(one, kind="stable")
    places = np.empty(len(one))
    places[order] = _places(one[order], np.sort(other))
    return places
