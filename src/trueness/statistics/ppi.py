"""Prediction-powered inference: a judge's many scores, corrected by a few that people gave.

    estimate = mean(y) + lam (mean(f_N) - mean(f_n))
    V        = var(y - lam f)/n + lam^2 var(f_N)/N
    lam      = cov(y, f) / ((1 + n/N) var(f)),  within [0, 1]

y, f: labels and predictions of the n labelled items; f_N: predictions of N others. lam = 1 is the original form, 0
leaves the predictions out, and the one above makes V smallest, so that a bad judge costs nothing but its calls.

Labels that agree are few, not certain. Of 0 and 1, what was not seen in n may be in q = 1 - (1 - level)^(1/n) of all
(the rule of three), so that var(y - lam f) is at least q (1 - q); a judge that met every other label exactly is worth
no more than the labels alone. Where all labels are one value, a mean of 0 and 1 has Wilson's interval, any other none.
Angelopoulos et al. (2023), Science 382; lam: Angelopoulos, Duchi & Zrnic (2023), PPI++.
"""

from __future__ import annotations

import math

import numpy as np
from numpy.typing import ArrayLike
from scipy.special import ndtri, stdtrit

from trueness.errors import DataError
from trueness.intervals import Interval
from trueness.statistics.clusters import Array, Labels, as_sample, clusters_of, labels_at
from trueness.statistics.proportions import rule_of_three, share
from trueness.statistics.result import Estimate, checked_level


def prediction_powered_mean(
    labels: ArrayLike,
    predictions: ArrayLike,
    more_predictions: ArrayLike,
    clusters: tuple[Labels | None, Labels | None] | None = None,
    level: float = 0.95,
    *,
    lam: float | None = None,
    name: str = "prediction-powered mean",
) -> Estimate:
    """labels[i] and predictions[i] are of one item; more_predictions of items that nobody labelled.

    clusters: labels of the first items and of the others. lam: None chooses it from the data.
    """
    checked_level(level)
    y, f, others = as_sample(labels, "labels"), as_sample(predictions, "predictions"), as_sample(more_predictions)
    if len(y) != len(f):
        raise DataError(f"'labels' and 'predictions' must be equally long, got {len(y)} and {len(f)}.")
    there, here = ~(np.isnan(y) | np.isnan(f)), ~np.isnan(others)
    n_missing = int((~there).sum() + (~here).sum())
    y, f, others = y[there], f[there], others[here]
    groups = (None, None) if clusters is None else (labels_at(clusters[0], there), labels_at(clusters[1], here))
    few, many = clusters_of(groups[0], len(y)), clusters_of(groups[1], len(others))
    if few.count < 3 or many.count < 2:
        note = "Fewer than three labelled or two further items: nothing to correct with."
        value = float(y.mean()) if len(y) else None
        return Estimate(name, value, None, len(y), few.count, "PPI++", level, n_missing=n_missing, notes=(note,))
    if np.ptp(y) == 0 and lam is None:
        note = f"All {len(y)} labels are {y[0]:g}: by them nobody knows how far they vary."
        ends = share(y, groups[0], level).interval if y[0] in (0.0, 1.0) and _binary(f) else None
        value = float(y[0])
        return Estimate(name, value, ends, len(y), few.count, "PPI++", level, n_missing=n_missing, notes=(note,))
    weight = _best_weight(y, f, len(others)) if lam is None else lam
    value = float(y.mean() + weight * (others.mean() - f.mean()))
    rest = y - weight * f
    alone = math.sqrt(few.variance((y - y.mean()) / len(y)))
    v_few = few.variance((rest - rest.mean()) / len(y))
    least = _unseen(y, f, rest, few.count, level) / few.count
    v_few = max(v_few, min(alone**2, least))
    v_many = weight**2 * many.variance((others - others.mean()) / len(others))
    se = math.sqrt(v_few + v_many)
    df = (v_few + v_many) ** 2 / (v_few**2 / (few.count - 1) + v_many**2 / (many.count - 1)) if se else few.count - 1.0
    half = float(stdtrit(df, (1 + level) / 2)) * se
    gain = f"; the labels alone have a standard error of {alone:.3g}, these {se:.3g}"
    note = f"{len(others)} further predictions, weight {weight:.2g}{gain}."
    least, most = (0.0, 1.0) if _binary(y) and _binary(f) and _binary(others) else (-math.inf, math.inf)
    interval = Interval(value - half, value + half, level, "mean").within(least, most)
    return Estimate(name, value, interval, len(y), few.count, "PPI++", level, se, n_missing, notes=(note,))


def labels_needed(
    labels: ArrayLike, predictions: ArrayLike, n_others: int, half_width: float, level: float = 0.95
) -> int | None:
    """How many labels make the interval's half width z sqrt(V) at most `half_width`, by the variances of those at hand:
    with the judge's help or without it, whichever needs fewer; None where there are fewer than three to go by, or all
    are one value."""
    y, f = as_sample(labels, "labels"), as_sample(predictions, "predictions")
    there = ~(np.isnan(y) | np.isnan(f))
    y, f = y[there], f[there]
    if len(y) < 3 or half_width <= 0 or np.ptp(y) == 0:
        return None
    wanted = (half_width / float(ndtri((1 + level) / 2))) ** 2
    lam = _best_weight(y, f, n_others) if n_others > 1 else 0.0
    left = wanted - (lam**2 * float(f.var(ddof=1)) / n_others if lam else 0.0)
    needs = [max(_unseen(y, f, y, len(y), level), float(y.var(ddof=1))) / wanted]  # by the labels alone
    rest = y - lam * f
    needs += [max(_unseen(y, f, rest, len(y), level), float(rest.var(ddof=1))) / left] if left > 0 else []
    return max(3, math.ceil(min(needs)))


def _unseen(y: Array, f: Array, rest: Array, n: int, level: float) -> float:
    """The variance of what the judge leaves that may be there when less of it was seen in n."""
    if _binary(y) and _binary(f):
        q = min(0.5, rule_of_three(n, level))
        return q * (1 - q)
    return float(y.var(ddof=1)) if np.ptp(rest) <= 1e-12 * np.ptp(y) else 0.0


def _binary(values: Array) -> bool:
    return set(np.unique(values)) <= {0.0, 1.0}


def _best_weight(y: Array, f: Array, n_others: int) -> float:
    spread = float(f.var(ddof=1))
    if spread == 0:
        return 0.0
    together = float(np.cov(y, f, ddof=1)[0, 1])
    return min(1.0, max(0.0, together / ((1 + len(y) / n_others) * spread)))
