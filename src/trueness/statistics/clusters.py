"""What was drawn independently: clusters of rows, their sums and their sizes.

    u_c = sum_{i in c} e_i,    V = C/(C - 1) sum_c u_c^2

is the cluster-robust variance of sum_i e_i, when e_i is what row i adds to the error of an estimate (its influence):
(s_i - mean)/n for a mean, which gives SE_c = (1/n) sqrt(C/(C-1) sum_c (sum_{i in c} (s_i - mean))^2).
Rows of one cluster may depend on each other in any way; clusters must not. Liang & Zeger (1986); Miller (2024).

V is estimated from C sums, to which large clusters add most. Its degrees of freedom are those of the chi-square with
the same mean and variance, C - 1 for equal sizes and fewer otherwise (6 clusters of 1 to 11 rows: about 4), and its
mean falls short by a factor that is 1 for equal sizes. Both for clusters that move as one: Bell & McCaffrey (2002).

Of a difference of two means, e_i = (x_i - mean x)/n for the first sample and -(y_j - mean y)/m for the second:

    rows independent:        V = s_x^2/n + s_y^2/m,   Welch's degrees of freedom
    clusters in both:        V as above,   C - 1                               what pairs share cancels
    clusters in one each:    V = V_x + V_y of the clusters of each,   Welch's form with C_x - 1 and C_y - 1

x, y may be values, absolute deviations (Levene) or places (Cliff's delta). Satterthwaite (1946); Welch (1947).
"""

from __future__ import annotations

import math
from collections.abc import Iterable
from dataclasses import dataclass
from functools import cached_property
from typing import NamedTuple

import numpy as np
from numpy.typing import ArrayLike, NDArray

from trueness.errors import DataError

Array = NDArray[np.float64]
Codes = NDArray[np.intp]
Labels = Iterable[object]  # one label a row: numbers, text, or tuples such as (model, task)


@dataclass(frozen=True, eq=False)
class Clusters:
    """codes[i] is the cluster of row i, 0 ... count - 1, named by `labels`."""

    labels: tuple[object, ...]
    codes: Codes

    @property
    def count(self) -> int:
        return len(self.labels)

    @cached_property
    def sizes(self) -> Array:
        return np.bincount(self.codes, minlength=self.count).astype(np.float64)

    def sums(self, values: Array) -> Array:
        return np.bincount(self.codes, weights=values, minlength=self.count).astype(np.float64, copy=False)

    def means(self, values: Array) -> Array:
        return self.sums(values) / self.sizes

    def variance(self, influence: Array) -> float:
        """V of the sum of `influence` over all rows; needs two clusters."""
        return float(self.count / (self.count - 1) * np.sum(self.sums(influence) ** 2))

    def merge(self, most: int) -> Clusters:
        """At most so many groups of whole clusters, for a jackknife that leaves out a group at a time."""
        return self if self.count <= most else Clusters(tuple(range(most)), self.codes % most)

    @cached_property
    def reference(self) -> ReferenceDistribution:
        return reference(self.sizes)


class ReferenceDistribution(NamedTuple):
    """mean / (factor SE_c) is compared with t of so many degrees of freedom."""

    df: float
    factor: float


def reference(sizes: Array) -> ReferenceDistribution:
    """With w_c = n_c/n and the residual maker M = diag(w)(I - 1w'): df = tr(MM')^2 / tr((MM')^2)."""
    count = len(sizes)
    if sizes.min() == sizes.max():
        return ReferenceDistribution(count - 1.0, 1.0)
    w = sizes / sizes.sum()
    two, three, four = (float((w**k).sum()) for k in (2, 3, 4))
    trace = float((w**2 * (1 - 2 * w + two)).sum())
    squared = float((w**4 * ((1 - 2 * w + two) ** 2 - (two - 2 * w) ** 2)).sum())
    squared += two**4 + 2 * two * four - 4 * two**2 * three + 2 * three**2
    return ReferenceDistribution(trace**2 / squared, math.sqrt(max(1.0, two * (count - 1) / (count * trace))))


@dataclass(frozen=True, eq=False)
class Totals:
    """Sum and size of the differences of each cluster: all that sign flips need to know."""

    labels: tuple[object, ...]
    sums: Array
    sizes: Array

    def merge(self, most: int) -> Totals:
        """At most so many groups of whole clusters: what holds for clusters holds for groups of them."""
        if len(self.sums) <= most:
            return self
        group = np.arange(len(self.sums)) % most
        sums, sizes = (np.asarray(np.bincount(group, values), np.float64) for values in (self.sums, self.sizes))
        return Totals(tuple(range(most)), sums, sizes)


def clusters_of(labels: Labels | None, n: int, name: str = "clusters") -> Clusters:
    """The clusters of n rows; None makes each row its own."""
    if labels is None:
        return Clusters(tuple(range(n)), np.arange(n))
    listed = _label_list(labels)
    if len(listed) != n:
        raise DataError(f"{name!r} must have one label a row ({n}), got {len(listed)}.")
    places: dict[object, int] = {}
    codes = np.fromiter((places.setdefault(label, len(places)) for label in listed), dtype=np.intp, count=n)
    missing = [label for label in places if label is None or label != label]
    if missing:
        raise DataError(f"{name!r} must name a cluster for every row, got {missing[0]!r}. Drop or label such rows.")
    return Clusters(tuple(places), codes)


def cross(first: Clusters, second: Clusters) -> Clusters:
    """The cells of two clusterings: rows that share both labels."""
    joint = first.codes * second.count + second.codes
    cells, codes = np.unique(joint, return_inverse=True)
    labels = tuple((first.labels[k // second.count], second.labels[k % second.count]) for k in cells)
    return Clusters(labels, codes.astype(np.intp))


def as_sample(values: ArrayLike, name: str = "values") -> Array:
    """One dimension of float64 in which NaN is missing; infinite values are refused."""
    try:
        sample = np.asarray(values, dtype=np.float64)
    except (TypeError, ValueError):
        raise DataError(f"{name!r} must be numbers, got {values!r:.60}.") from None
    if sample.ndim != 1:
        raise DataError(f"{name!r} must have one dimension, got shape {sample.shape}.")
    if np.isinf(sample).any():
        raise DataError(f"{name!r} must be finite or missing (nan), got inf. Mark such values as missing.")
    return sample


def present(sample: Array, labels: Labels | None, name: str = "clusters") -> tuple[Array, Clusters, int]:
    """The values that are there, their clusters, and how many are missing."""
    there = ~np.isnan(sample)
    return sample[there], clusters_of(labels_at(labels, there, name), int(there.sum()), name), int((~there).sum())


def equally_long(
    a: ArrayLike, b: ArrayLike, names: tuple[str, str] = ("a", "b"), of: str = " of a paired comparison"
) -> tuple[Array, Array, NDArray[np.bool_]]:
    """Two columns of the same rows, and in which rows both have a value."""
    one, other = as_sample(a, names[0]), as_sample(b, names[1])
    if len(one) != len(other):
        raise DataError(f"{names[0]!r} and {names[1]!r}{of} must be equally long, got {len(one)} and {len(other)}.")
    return one, other, ~(np.isnan(one) | np.isnan(other))


class Samples(NamedTuple):
    """Two samples without their missing values."""

    one: Array
    other: Array
    labels: tuple[list[object] | None, list[object] | None] | None
    n_missing: int

    @property
    def notes(self) -> tuple[str, ...]:
        return (f"{self.n_missing} missing values left out.",) if self.n_missing else ()


def two_samples(a: ArrayLike, b: ArrayLike, clusters: tuple[Labels | None, Labels | None] | None) -> Samples:
    one, other = as_sample(a, "a"), as_sample(b, "b")
    there, here = ~np.isnan(one), ~np.isnan(other)
    labels = None if clusters is None else (labels_at(clusters[0], there), labels_at(clusters[1], here))
    return Samples(one[there], other[here], labels, int((~there).sum() + (~here).sum()))


def labels_at(labels: Labels | None, there: NDArray[np.bool_], name: str = "clusters") -> list[object] | None:
    """The labels of the rows that are there."""
    if labels is None:
        return None
    listed = _label_list(labels)
    if len(listed) != len(there):
        raise DataError(f"{name!r} must have one label a row ({len(there)}), got {len(listed)}.")
    return [listed[i] for i in np.flatnonzero(there)]


def _label_list(labels: Labels) -> list[object]:
    """Python objects, so that 1, '1' and ('1', 'a') can all be labels."""
    if isinstance(labels, np.ndarray):
        return [tuple(row) for row in labels.tolist()] if labels.ndim == 2 else list(labels.tolist())
    return [tuple(label) if isinstance(label, list) else label for label in labels]


def robust_error(
    x: Array, y: Array, labels: tuple[Labels | None, Labels | None] | None
) -> tuple[float | None, float | None, int | None]:
    """(standard error of mean x - mean y, degrees of freedom, number of clusters); None where it cannot be had."""
    if labels is None or labels[0] is None or labels[1] is None:
        if min(len(x), len(y)) < 2:
            return None, None, None
        return *_two_errors(float(x.var(ddof=1)) / len(x), float(y.var(ddof=1)) / len(y), len(x), len(y)), None
    inside = clusters_of([*labels[0], *labels[1]], len(x) + len(y))
    influence = np.concatenate([(x - x.mean()) / len(x), -(y - y.mean()) / len(y)])
    of_x, of_y = set(inside.codes[: len(x)].tolist()), set(inside.codes[len(x) :].tolist())
    if of_x & of_y:
        if inside.count < 2:
            return None, None, inside.count
        df, factor = inside.reference
        return factor * math.sqrt(inside.variance(influence)), df, inside.count
    if min(len(of_x), len(of_y)) < 2:
        return None, None, inside.count
    squares = inside.sums(influence) ** 2
    v_x, v_y = (len(c) / (len(c) - 1) * float(squares[sorted(c)].sum()) for c in (of_x, of_y))
    return *_two_errors(v_x, v_y, len(of_x), len(of_y)), inside.count


def _two_errors(v_x: float, v_y: float, n_x: int, n_y: int) -> tuple[float, float]:
    if v_x + v_y == 0:
        return 0.0, float(n_x + n_y - 2)
    return math.sqrt(v_x + v_y), (v_x + v_y) ** 2 / (v_x**2 / (n_x - 1) + v_y**2 / (n_y - 1))
