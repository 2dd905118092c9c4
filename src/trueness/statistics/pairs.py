"""Every pair of several columns over the same units: paired differences, adjusted as one family.

columns: name -> (n,) one value a unit, NaN where missing;  clusters: (n,) what was drawn independently
"""

from __future__ import annotations

from collections.abc import Iterable, Mapping
from itertools import combinations
from typing import Literal

import numpy as np
from numpy.typing import ArrayLike

from trueness.statistics.clusters import Labels, as_sample, labels_at
from trueness.statistics.comparison import Comparison
from trueness.statistics.multiplicity import Adjustment, adjusted
from trueness.statistics.paired import Test, paired_difference
from trueness.statistics.result import UNBOUNDED, Bounds


def differences_in_pairs(
    columns: Mapping[str, ArrayLike],
    clusters: Labels | None = None,
    level: float = 0.95,
    test: Test = "sign-flip",
    *,
    pairs: Iterable[tuple[str, str]] | None = None,
    better: Literal["higher", "lower"] | None = None,
    bounds: Bounds = UNBOUNDED,
    adjustment: Adjustment = "holm",
) -> list[Comparison]:
    """All pairs in the order of the columns, or those of `pairs`; a unit that neither has is in no count.

    better: the better of a pair stands first, by the units that both have. bounds: what a value can be.
    """
    made = []
    samples = {name: as_sample(values, name) for name, values in columns.items()}
    for one, other in combinations(samples, 2) if pairs is None else pairs:
        either = ~(np.isnan(samples[one]) & np.isnan(samples[other]))
        a, b = samples[one][either], samples[other][either]
        lead = np.nan_to_num(a - b).sum() * (-1 if better == "lower" else 1)
        if better is not None and lead < 0:
            one, other, a, b = other, one, b, a
        labels = labels_at(clusters, either)
        made.append(paired_difference(a, b, labels, level, test, names=(one, other)).within(*bounds))
    return adjusted(made, adjustment) if made else []
