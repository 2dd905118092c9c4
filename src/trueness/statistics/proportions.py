"""How well a share is known that was counted in n trials, at the ends 0 and 1 too.

    wilson           (p + z^2/2n -+ z sqrt(p (1 - p)/n + z^2/4n^2)) / (1 + z^2/n),  p = k/n,  z at (1 + level)/2
    clopper-pearson  [B(a/2; k, n-k+1), B(1-a/2; k+1, n-k)],   beta quantiles: never below its level, often above
    tango            of two shares of the same n trials: (b - c - n D)^2 = z^2 n (2 q + D (1 - D)), q the share of
                     losses that fits D best; it has a width where no pair differs (Tango 1998)
    rule of three    never in n trials: below 1 - (1 - level)^(1/n) ~ 3/n at 95 %, one-sided

Wilson's inverts the score test, stays within [0, 1], has a width at p = 0 and p = 1 too, and covers close to its level
down to small n, where p -+ z sqrt(p (1 - p)/n) does not. Wilson (1927); Brown, Cai & DasGupta (2001).

Clustered trials count for fewer: n_eff = p (1 - p)/V_c with the clustered variance V_c, times (z/t_{C-1})^2 for having
estimated it from C clusters, goes into Clopper and Pearson's form (Korn & Graubard 1998); or n_eff goes into Wilson's
with t_{C-1} for z, which errs less on the long side. Where fewer than three clusters hold the rarer outcome, V_c is
unknown and n_eff is at most C, the least it can be (with few rows a cluster n (z/t)^2 is less still, and is taken).
"""

from __future__ import annotations

import math
from typing import Literal

import numpy as np
from numpy.typing import ArrayLike
from scipy.special import betaincinv, ndtri, stdtrit

from trueness.errors import DataError, SettingError
from trueness.intervals import Interval
from trueness.statistics.clusters import Labels, as_sample, present
from trueness.statistics.result import Estimate, checked_choice, checked_level

Method = Literal["korn-graubard", "wilson"]
_EDGE = 1e-9  # of a difference of two shares that lies at an end
_ENOUGH = 3  # clusters with the rarer outcome, below which the spread between clusters is not known


def wilson(successes: int, n: int, level: float = 0.95) -> Interval:
    """The interval of the share of which `successes` of n trials is an estimate; it always holds successes / n."""
    _check(successes, n, level)
    return _wilson_of_share(successes / n, n, float(ndtri((1 + level) / 2)), level)


def rule_of_three(n: int, level: float = 0.95) -> float:
    """The share that may still be there when it was not seen in n trials: 3/n, exactly."""
    _check(0, n, level)
    return -math.expm1(math.log1p(-level) / n)


def tango(wins: float, losses: float, n: int, level: float = 0.95) -> Interval:
    """The difference of two shares of the same n trials, of which one has `wins` alone and the other `losses`."""
    from scipy.optimize import brentq

    z, centre = float(ndtri((1 + level) / 2)), (wins - losses) / n

    def distance(d: float) -> float:
        b = (2 * n - wins + losses) * d - wins - losses
        q = (math.sqrt(max(b * b + 8 * n * losses * d * (1 - d), 0.0)) - b) / (4 * n)
        return (wins - losses - n * d) ** 2 - z * z * n * max(2 * q + d * (1 - d), 0.0)

    low, high = (
        end if abs(centre - end) < _EDGE else float(brentq(distance, centre + math.copysign(_EDGE, end), end))
        for end in (-1.0, 1.0)
    )
    return Interval(low, high, level, "mean")


def share(
    values: ArrayLike,
    clusters: Labels | None = None,
    level: float = 0.95,
    method: Method = "korn-graubard",
    *,
    name: str = "share",
) -> Estimate:
    """The mean of values in [0, 1] (passes, rates, wins with 1/2 for a tie), boundary-aware, clusters respected."""
    checked_level(level)
    checked_choice("method", method, Method)
    sample, inside, n_missing = present(as_sample(values), clusters)
    n, count = len(sample), inside.count
    if n and (sample.min() < 0 or sample.max() > 1):
        raise DataError(f"'values' of a share must be in [0, 1], got {sample.min():g} to {sample.max():g}.")
    if n == 0:
        return Estimate(name, None, None, 0, 0, "wilson", level, n_missing=n_missing, notes=("No row has a value.",))
    p = float(sample.mean())
    z = float(ndtri((1 + level) / 2))
    if count == n:
        return Estimate(name, p, _wilson_of_share(p, n, z, level), n, n, "wilson", level, n_missing=n_missing)
    label = "Korn-Graubard" if method == "korn-graubard" else "clustered wilson"
    if count < 2:
        note = "All rows lie in one cluster, so no interval is known."
        return Estimate(name, p, None, n, count, label, level, n_missing=n_missing, notes=(note,))
    variance = inside.variance((sample - p) / n)
    effective = min(float(n), p * (1 - p) / variance) if variance > 0 else float(n)
    t = float(stdtrit(count - 1, (1 + level) / 2))
    effective *= (z / t) ** 2 if method == "korn-graubard" else 1.0
    note = f"n_eff = {effective:.3g}."
    with_rarer = int(np.count_nonzero(inside.sums(sample if p < 0.5 else 1 - sample)))
    if with_rarer < _ENOUGH:
        effective = min(effective, float(count))
        note = f"The rarer outcome is in {with_rarer} of {count} clusters: each counts as one, n_eff = {effective:.3g}."
    if method == "wilson":
        interval = _wilson_of_share(p, effective, t, level)
    else:
        interval = _beta_interval(p * effective, effective, level)
    return Estimate(name, p, interval, n, count, label, level, math.sqrt(variance), n_missing, notes=(note,))


def _wilson_of_share(p: float, n: float, z: float, level: float) -> Interval:
    """Wilson's interval of the share p of n trials, where n need not be whole."""
    more = z * z / n
    middle = (p + more / 2) / (1 + more)
    half = z * math.sqrt(p * (1 - p) / n + more / (4 * n)) / (1 + more)
    low = 0.0 if p == 0 else min(middle - half, p)  # exact at the ends, where rounding would show
    high = 1.0 if p == 1 else max(middle + half, p)
    return Interval(max(low, 0.0), min(high, 1.0), level, "mean")


def _beta_interval(successes: float, n: float, level: float) -> Interval:
    """Clopper and Pearson's, where neither number need be whole."""
    tail, failures = (1 - level) / 2, n - successes
    low = 0.0 if successes <= 0 else float(betaincinv(successes, failures + 1, tail))
    high = 1.0 if failures <= 1e-12 * n else float(betaincinv(successes + 1, failures, 1 - tail))
    return Interval(low, high, level, "mean")


def _check(successes: int, n: int, level: float) -> None:
    if not 0 <= successes <= n or n < 1:
        raise SettingError(
            f"'successes' must be between 0 and the number of trials, which must be 1 or more, got {successes} of {n}."
        )
    if not 0 < level < 1:
        raise SettingError(f"'level' of a proportion must be in (0, 1), got {level}. Try 0.95.")
