"""The intraclass correlation: the share of variance that lies between items, not between ratings of one item.

    MS_r, MS_c, MS_e: mean squares of items, raters, residual;  MS_w: within items;   n items, k raters
    ICC(1,1) = (MS_r - MS_w)/(MS_r + (k-1) MS_w)                                raters differ from item to item
    ICC(2,1) = (MS_r - MS_e)/(MS_r + (k-1) MS_e + k (MS_c - MS_e)/n)            raters drawn, agreement in value
    ICC(3,1) = (MS_r - MS_e)/(MS_r + (k-1) MS_e)                                these raters, agreement in order

An item with a missing rating is left out. Which of the three is a claim about the raters: it has no default.
Shrout & Fleiss (1979); McGraw & Wong (1996).
"""

from __future__ import annotations

from typing import Literal

import numpy as np
from numpy.typing import ArrayLike

from trueness.errors import DataError
from trueness.statistics.agreement import RESAMPLES, Coefficient, Method, with_interval_over_items
from trueness.statistics.clusters import Array, Labels, labels_at
from trueness.statistics.result import Estimate, checked_choice

Form = Literal["1,1", "2,1", "3,1"]


def icc(
    ratings: ArrayLike,
    form: Form,
    clusters: Labels | None = None,
    level: float = 0.95,
    method: Method = "jackknife",
    *,
    resamples: int = RESAMPLES,
    rng: np.random.Generator | None = None,
) -> Estimate:
    """ratings: (raters, items); the interval is over items, or over clusters of them, with these raters."""
    checked_choice("form", form, Form)
    table = np.asarray(ratings, dtype=np.float64)
    if table.ndim != 2 or table.shape[0] < 2:
        raise DataError(f"'ratings' must be (raters, at least 2; items), got shape {table.shape}.")
    whole = np.asarray(~np.isnan(table).any(axis=0))
    table, labels = table[:, whole], labels_at(clusters, whole)
    dropped = int((~whole).sum())
    name = f"ICC({form})"
    coefficient, n = _coefficient(table, form), table.shape[1]
    return with_interval_over_items(name, coefficient, n, labels, dropped, level, method, resamples, rng)


def _coefficient(table: Array, form: Form) -> Coefficient:
    k_raters = len(table)
    x = table - table.mean() if table.size else table
    item_means, squares = x.mean(axis=0), (x**2).sum(axis=0)

    def coefficient(k: Array) -> Array:
        n = k.sum(axis=1)
        centre = (k @ item_means) / n
        between_items = k_raters * (k @ item_means**2 - n * centre**2)
        rater_means = (k @ x.T) / n[:, None]
        between_raters = n * ((rater_means - centre[:, None]) ** 2).sum(axis=1)
        total = k @ squares - n * k_raters * centre**2
        ms_r, ms_c = between_items / (n - 1), between_raters / (k_raters - 1)
        ms_w = (total - between_items) / (n * (k_raters - 1))
        ms_e = (total - between_items - between_raters) / ((n - 1) * (k_raters - 1))
        if form == "1,1":
            above, below = ms_r - ms_w, ms_r + (k_raters - 1) * ms_w
        else:
            above, below = ms_r - ms_e, ms_r + (k_raters - 1) * ms_e
            below = below + (k_raters * (ms_c - ms_e) / n if form == "2,1" else 0.0)
        return np.asarray(above / np.where(np.abs(below) > 1e-12, below, np.nan))

    return coefficient
