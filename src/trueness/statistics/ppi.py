"""A judge's many scores, corrected by a few that people gave: prediction-powered means, and Rogan and Gladen's share.

    estimate = mean(y) + lam (mean(f_N) - mean(f_n))
    V        = var(y - lam f)/n + lam^2 var(f_N)/N
    lam      = cov(y, f) / ((1 + n/N) var(f)),  within [0, 1]

y, f: labels and predictions of the n labelled items; f_N: predictions of N others. lam = 1 is the original form, 0
leaves the predictions out, and the one above makes V smallest, so that a bad judge costs nothing but its calls.

Labels that agree are few, not certain. Of 0 and 1, what was not seen in n may be in q = 1 - (1 - level)^(1/n) of all
(the rule of three), so that var(y - lam f) is at least q (1 - q); a judge that met every other label exactly is worth
no more than the labels alone. Where all labels are one value, a mean of 0 and 1 has Wilson's interval, any other none.
Angelopoulos et al. (2023), Science 382; lam: Angelopoulos, Duchi & Zrnic (2023), PPI++.

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
from scipy.special import ndtri, stdtrit

from trueness.errors import DataError
from trueness.intervals import Interval
from trueness.statistics.clusters import Array, Labels, as_sample, clusters_of, equally_long, labels_at
from trueness.statistics.proportions import rule_of_three, share
from trueness.statistics.result import Estimate, checked_level

ROGAN_GLADEN = "share corrected for the judge's errors (Rogan-Gladen)"
_NAMES = ("labels", "predictions")


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
    y, f, there = equally_long(labels, predictions, _NAMES, "")
    others = as_sample(more_predictions)
    here = ~np.isnan(others)
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
    y, f, there = equally_long(labels, predictions, _NAMES, "")
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


def rogan_gladen(
    labels: ArrayLike,
    predictions: ArrayLike,
    more_predictions: ArrayLike,
    level: float = 0.95,
    *,
    name: str = ROGAN_GLADEN,
) -> Estimate:
    """labels[i] and predictions[i] (0 or 1) are of one item; more_predictions of items that nobody labelled."""
    checked_level(level)
    y, f, there = equally_long(labels, predictions, _NAMES, "")
    others = as_sample(more_predictions)
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
