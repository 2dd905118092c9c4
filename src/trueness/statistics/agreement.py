"""Do raters agree? Krippendorff's alpha, weighted kappa, Gwet's AC1, with intervals over the items.

    alpha   = 1 - D_o/D_e      pairs of values within an item against pairs from anywhere; raters may miss items
    kappa_w = 1 - sum w_ij o_ij / sum w_ij e_ij,   w_ij = 1[i != j], |i - j| or (i - j)^2;   two raters
    AC1     = (p_a - p_e)/(1 - p_e),   p_e = sum_c pi_c (1 - pi_c)/(q - 1);   steady where nearly all say the same

ratings: (raters, items), NaN is missing. Items are what was drawn: an interval says what other items would give, with
these raters. Items that belong together (one text, one task) go as `clusters`.

    interval: atanh(value) -+ t_{C-2} SE,   SE from leaving out one item (or cluster) at a time

All raters in one mind on one value leave nothing to disagree about: no coefficient has a value then, and none is made.
Krippendorff (2011); Cohen (1968); Gwet (2008).
"""

from __future__ import annotations

import math
from collections.abc import Callable
from dataclasses import replace
from typing import Literal

import numpy as np
from numpy.typing import ArrayLike
from scipy.special import stdtrit

from trueness.errors import DataError
from trueness.statistics.clusters import Array, Labels, clusters_of, labels_at
from trueness.statistics.proportions import rule_of_three
from trueness.statistics.rank_correlations import atanh_interval, jackknife_error
from trueness.statistics.result import Estimate, checked_choice, checked_level

Scale = Literal["nominal", "ordinal", "interval"]
KappaWeights = Literal["none", "linear", "quadratic"]
Coefficient = Callable[[Array], Array]  # weights of the items (R, U) -> coefficients (R,), NaN where there is none
_MOST_CATEGORIES = 200
_MOST_LEFT_OUT = 500  # groups of items beyond which leaving out one at a time tells no more


def krippendorff_alpha(
    ratings: ArrayLike,
    scale: Scale = "nominal",
    clusters: Labels | None = None,
    level: float = 0.95,
) -> Estimate:
    """Any number of raters, values missing here and there; items with fewer than two values say nothing."""
    checked_choice("scale", scale, Scale)
    table, labels, dropped = _rated_items(ratings, clusters)
    coefficient = _interval_alpha(table) if scale == "interval" else _categorical_alpha(table, scale)
    name = f"Krippendorff's alpha ({scale})"
    return _with_interval(name, coefficient, table.shape[1], labels, dropped, level)


def weighted_kappa(
    a: ArrayLike,
    b: ArrayLike,
    weights: KappaWeights = "quadratic",
    clusters: Labels | None = None,
    level: float = 0.95,
) -> Estimate:
    """Two raters. Weights count the steps between categories in their order, as they occur in the data."""
    checked_choice("weights", weights, KappaWeights)
    one, other = np.asarray(a, dtype=np.float64), np.asarray(b, dtype=np.float64)
    if one.shape != other.shape or one.ndim != 1:
        raise DataError(f"'a' and 'b' must be one rating an item each, got shapes {one.shape} and {other.shape}.")
    table, labels, dropped = _rated_items(np.vstack([one, other]), clusters)
    values, codes = np.unique(table, return_inverse=True)
    codes, q = codes.reshape(table.shape), len(values)
    steps = np.abs(np.arange(q)[:, None] - np.arange(q)).astype(np.float64)
    cost = {"none": (steps > 0).astype(np.float64), "linear": steps, "quadratic": steps**2}[weights]

    def coefficient(k: Array) -> Array:
        rows, columns = k @ np.eye(q)[codes[0]], k @ np.eye(q)[codes[1]]
        seen = k @ cost[codes[0], codes[1]]
        by_chance = ((rows @ cost) * columns).sum(axis=1) / k.sum(axis=1)
        return np.asarray(1 - seen / by_chance)

    name = (
        "Cohen's kappa" if weights == "none" else f"{weights}ly weighted kappa".replace("quadraticly", "quadratically")
    )
    return _with_interval(name, coefficient, table.shape[1], labels, dropped, level)


def gwet_ac1(
    ratings: ArrayLike,
    clusters: Labels | None = None,
    level: float = 0.95,
    *,
    categories: int | None = None,
) -> Estimate:
    """Any number of raters, nominal values. categories: how many could be given; None counts those that were."""
    table, labels, dropped = _rated_items(ratings, clusters)
    counts = _counts(table)
    q = categories or counts.shape[1]
    if q < counts.shape[1]:
        raise DataError(f"'categories' must be at least the {counts.shape[1]} that occur, got {categories}.")
    rated = counts.sum(axis=1)
    agreed = (counts * (counts - 1)).sum(axis=1) / (rated * (rated - 1))
    shares = counts / rated[:, None]

    def coefficient(k: Array) -> Array:
        pi = (k @ shares) / k.sum(axis=1, keepdims=True)
        by_chance = (pi * (1 - pi)).sum(axis=1) / (q - 1) if q > 1 else np.full(len(k), math.nan)
        return np.asarray((k @ agreed / k.sum(axis=1) - by_chance) / (1 - by_chance))

    return _with_interval("Gwet's AC1", coefficient, table.shape[1], labels, dropped, level)


def _rated_items(ratings: ArrayLike, clusters: Labels | None) -> tuple[Array, list[object] | None, int]:
    """The items with two values or more, their labels, and how many were left out."""
    table = np.asarray(ratings, dtype=np.float64)
    if table.ndim != 2 or table.shape[0] < 2:
        raise DataError(f"'ratings' must be (raters, at least 2; items), got shape {table.shape}.")
    enough = (~np.isnan(table)).sum(axis=0) >= 2
    return table[:, enough], labels_at(clusters, enough), int((~enough).sum())


def _with_interval(
    name: str, coefficient: Coefficient, n: int, labels: list[object] | None, dropped: int, level: float
) -> Estimate:
    """The coefficient of all items and its interval over items, or over clusters of them."""
    checked_level(level)
    inside = clusters_of(labels, n)
    with np.errstate(divide="ignore", invalid="ignore"):
        value = float(coefficient(np.ones((1, n)))[0]) if n else math.nan
    blank = Estimate(name, None, None, n, inside.count, "jackknife", level, n_missing=dropped)
    if not math.isfinite(value):
        note = "There is nothing to disagree about: all ratings are the same." if n else "No item has two ratings."
        return replace(blank, notes=(note,))
    known = replace(blank, value=value)
    if inside.count < 4:
        return replace(known, notes=("Fewer than four independent items: no interval.",))
    if value > 1 - 1e-12:
        still = rule_of_three(inside.count, level)
        note = f"The raters agree throughout; disagreement on up to {still:.2g} of such items cannot be ruled out."
        return replace(known, notes=(note,))
    groups = inside.merge(_MOST_LEFT_OUT)
    with np.errstate(divide="ignore", invalid="ignore"):
        left = coefficient((1.0 - np.eye(groups.count))[:, groups.codes])
    if not np.isfinite(left).all():
        return replace(known, notes=("Without one of the items nothing is left to disagree about: no interval.",))
    se = jackknife_error(left)
    if se < 1e-9:
        return replace(
            known, notes=("All independent items are alike: the value is a constant here, and has no interval.",)
        )
    interval = atanh_interval(value, se, float(stdtrit(groups.count - 2, (1 + level) / 2)), level)
    return replace(known, interval=interval, method="jackknife, atanh scale", se=se * (1 - value**2))


def _counts(table: Array) -> Array:
    """(U, q): how many raters gave item u each of the values that occur."""
    values = np.unique(table[~np.isnan(table)])
    if len(values) == 0:
        return np.empty((table.shape[1], 0))
    if len(values) > _MOST_CATEGORIES:
        raise DataError(
            f"ratings must have at most {_MOST_CATEGORIES} categories, got {len(values)}. Use scale interval."
        )
    return np.stack([(table == value).sum(axis=0) for value in values], axis=1).astype(np.float64)


def _interval_alpha(table: Array) -> Coefficient:
    """By sums alone: D_o and D_e are variances within items and of all values."""
    centred = table - np.nanmean(table) if table.size else table
    rated = (~np.isnan(table)).sum(axis=0).astype(np.float64)
    sums, squares = np.nansum(centred, axis=0), np.nansum(centred**2, axis=0)
    within = 2 * (rated * squares - sums**2) / (rated - 1)  # sum over ordered pairs of (x - y)^2, by m - 1

    def coefficient(k: Array) -> Array:
        n = k @ rated
        everywhere = 2 * (n * (k @ squares) - (k @ sums) ** 2)
        return np.asarray(1 - (n - 1) * (k @ within) / np.where(everywhere > 1e-12, everywhere, math.nan))

    return coefficient


def _categorical_alpha(table: Array, scale: Scale) -> Coefficient:
    counts = _counts(table)
    rated = counts.sum(axis=1)
    q = counts.shape[1]
    # coincidences[u, c, d]: ordered pairs of the values c and d within item u, by m_u - 1
    pairs = counts[:, :, None] * counts[:, None, :] - np.einsum("uc,cd->ucd", counts, np.eye(q))
    coincidences = (pairs / (rated - 1)[:, None, None]).reshape(len(counts), q * q)

    def coefficient(k: Array) -> Array:
        together, totals = (k @ coincidences).reshape(-1, q, q), k @ counts
        n = totals.sum(axis=1)
        cost = _ordinal_cost(totals) if scale == "ordinal" else (1 - np.eye(q))[None]
        seen = (together * cost).sum(axis=(1, 2))
        by_chance = (totals[:, :, None] * totals[:, None, :] * cost).sum(axis=(1, 2))
        return np.asarray(1 - (n - 1) * seen / np.where(by_chance > 0, by_chance, math.nan))

    return coefficient


def _ordinal_cost(totals: Array) -> Array:
    """(R, q, q): the squared number of values from c to d, the outer two counted half."""
    middle = np.cumsum(totals, axis=1) - totals / 2
    return np.asarray((middle[:, :, None] - middle[:, None, :]) ** 2)
