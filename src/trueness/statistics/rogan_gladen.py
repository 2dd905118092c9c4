"""A share that an imperfect judge counted, corrected by how often it is right where people said what is true.

    p = (q + sp - 1) / (se + sp - 1)
    V = [q (1 - q)/N + p^2 se (1 - se)/n1 + (1 - p)^2 sp (1 - sp)/n0] / (se + sp - 1)^2

q: share that the judge calls 1 over N items without a label; se, sp: its share right among the n1 items that are 1 and
the n0 that are 0. A judge no better than chance (se + sp <= 1) corrects nothing. The interval is cut to [0, 1].
Rogan & Gladen (1978), Am. J. Epidemiology 107; variance: delta method, shares with half a case added to each side.
"""

from __future__ import annotations

import math

import numpy as np
from numpy.typing import ArrayLike
from scipy.special import ndtri

from trueness.errors import DataError
from trueness.intervals import Interval
from trueness.statistics.clusters import as_sample
from trueness.statistics.result import Estimate, checked_level

NAME = "share corrected for the judge's errors (Rogan-Gladen)"


def rogan_gladen(
    labels: ArrayLike, predictions: ArrayLike, more_predictions: ArrayLike, level: float = 0.95, *, name: str = NAME
) -> Estimate:
    """labels[i] and predictions[i] (0 or 1) are of one item; more_predictions of items that nobody labelled."""
    checked_level(level)
    y, f, others = as_sample(labels, "labels"), as_sample(predictions, "predictions"), as_sample(more_predictions)
    if len(y) != len(f):
        raise DataError(f"'labels' and 'predictions' must be equally long, got {len(y)} and {len(f)}.")
    there = ~(np.isnan(y) | np.isnan(f))
    n_missing = int((~there).sum() + np.isnan(others).sum())
    y, f, others = y[there], f[there], others[~np.isnan(others)]
    if not set(np.unique(np.concatenate([y, f, others]))) <= {0.0, 1.0}:
        raise DataError("labels and predictions of a share must be 0 or 1, got other values. Use a mean.")
    n1, n0 = int((y == 1).sum()), int((y == 0).sum())

    def missing(why: str) -> Estimate:
        return Estimate(name, None, None, len(y), len(y), "Rogan-Gladen", level, n_missing=n_missing, notes=(why,))

    if n1 < 2 or n0 < 2 or len(others) < 2:
        return missing("Fewer than two labelled items of each kind, or two further ones: nothing to correct with.")
    sensitivity, specificity, q = float(f[y == 1].mean()), float(1 - f[y == 0].mean()), float(others.mean())
    gap = sensitivity + specificity - 1
    if gap <= 0:
        return missing("The judge is no better than chance on the labelled items: nothing to correct with.")
    p = min(1.0, max(0.0, (q + specificity - 1) / gap))
    se, sp = (sensitivity * n1 + 0.5) / (n1 + 1), (specificity * n0 + 0.5) / (n0 + 1)
    spread = q * (1 - q) / len(others) + p**2 * se * (1 - se) / n1 + (1 - p) ** 2 * sp * (1 - sp) / n0
    error = math.sqrt(spread) / gap
    half = float(ndtri((1 + level) / 2)) * error
    note = f"The judge is right in {sensitivity:.0%} of {n1} items that are 1 and {specificity:.0%} of {n0} that are 0."
    interval = Interval(max(0.0, p - half), min(1.0, p + half), level, "mean")
    return Estimate(name, p, interval, len(y), len(y), "Rogan-Gladen", level, error, n_missing, notes=(note,))
