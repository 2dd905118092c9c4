"""How well a share is known that was counted in n trials: Wilson's interval.

    (p + z^2/2n -+ z sqrt(p (1 - p)/n + z^2/4n^2)) / (1 + z^2/n),    p = successes / n,  z the (1 + level)/2 quantile

It inverts the score test, stays within [0, 1], has a width at p = 0 and p = 1 too, and covers close to its level down
to small n, where p -+ z sqrt(p (1 - p)/n) does not. Wilson (1927); Brown, Cai & DasGupta (2001).
"""

from __future__ import annotations

import math

from scipy.special import ndtri

from assay.errors import SettingError
from assay.intervals import Interval


def wilson(successes: int, n: int, level: float = 0.95) -> Interval:
    """The interval of the share of which `successes` of n trials is an estimate; it always holds successes / n."""
    if not 0 <= successes <= n or n < 1:
        raise SettingError(
            f"'successes' must be between 0 and the number of trials, which must be 1 or more, got {successes} of {n}."
        )
    if not 0 < level < 1:
        raise SettingError(f"'level' of a proportion must be in (0, 1), got {level}. Try 0.95.")
    z = float(ndtri((1 + level) / 2))
    p, more = successes / n, z * z / n
    middle = (p + more / 2) / (1 + more)
    half = z * math.sqrt(p * (1 - p) / n + more / (4 * n)) / (1 + more)
    low = 0.0 if successes == 0 else min(middle - half, p)  # exact at the ends, where rounding would show
    high = 1.0 if successes == n else max(middle + half, p)
    return Interval(max(low, 0.0), min(high, 1.0), level, "mean")
