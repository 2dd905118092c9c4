"""The exact test of a rank correlation: all orders of one of the two.

    p = share of the n! orders whose Spearman's rho is at least as far out as the one seen     (all of them up to n = 8)
    p = (1 + #) / (1 + 20,000)                                                                 (drawn orders beyond)

Two-sided p cannot fall below 2/n!: .083 for four units, .017 for five. Phipson & Smyth (2010) for the drawn ones.
"""

from __future__ import annotations

import math
from itertools import permutations
from typing import Literal

import numpy as np
from numpy.typing import NDArray

Array = NDArray[np.float64]
ENUMERATED = 8
_DRAWN = 20_000


def orders(n: int, rng: np.random.Generator) -> NDArray[np.intp]:
    """(orders, n) places."""
    if n <= ENUMERATED:
        return np.array(list(permutations(range(n))), dtype=np.intp)
    return rng.permuted(np.broadcast_to(np.arange(n), (_DRAWN, n)), axis=1).astype(np.intp)


def permutation_p(
    x: Array, y: Array, places: NDArray[np.intp], alternative: Literal["two-sided", "greater"] = "two-sided"
) -> float:
    """places: from `orders`. NaN when a value is missing or one of the two does not vary."""
    from scipy.stats import rankdata

    if len(x) < 2 or np.isnan(x).any() or np.isnan(y).any() or np.ptp(x) == 0 or np.ptp(y) == 0:
        return math.nan
    one, other = rankdata(x) - (len(x) + 1) / 2, rankdata(y) - (len(y) + 1) / 2
    drawn, seen = one[places] @ other, float(one @ other)
    reached = np.abs(drawn) >= abs(seen) - 1e-9 if alternative == "two-sided" else drawn >= seen - 1e-9
    return float(reached.mean()) if len(x) <= ENUMERATED else float((1 + reached.sum()) / (1 + len(places)))


def test_name(n: int) -> str:
    return "exact permutation" if n <= ENUMERATED else "permutation"


def smallest_permutation_p(n: int, alternative: Literal["two-sided", "greater"] = "two-sided") -> float:
    """The least p that n units without ties can reach."""
    if n <= ENUMERATED:
        return min(1.0, (2 if alternative == "two-sided" else 1) / math.factorial(n))
    return 1 / (1 + _DRAWN)
