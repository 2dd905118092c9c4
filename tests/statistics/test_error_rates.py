"""What the tests and intervals promise, checked by simulation on nested data: tasks x repeats under two conditions.

    y = task + task-by-condition + repeat;   sds 1, .5, .5;   12 tasks x 4 repeats unless a test says otherwise

Type-I error at .05 must lie in the band that 99.9 % of simulations of an exact test fill. An interval of 95 % must
cover at least 93 % from 6 clusters up: what is seen in n studies must not lie below the 1 % point of Binomial(n, .93).
Seeds are fixed and were not chosen; docs/statistics.md has the figures of longer runs.
"""

from dataclasses import dataclass

import numpy as np
from scipy import stats
from tests.each import each

from trueness.statistics import (
    adjusted,
    cliffs_delta,
    gwet_ac1,
    krippendorff_alpha,
    levene,
    mean,
    paired_difference,
    prediction_powered_mean,
    rank,
    rank_correlation,
    share,
    unpaired_difference,
    variance_ratio,
    weighted_kappa,
)
from trueness.statistics.paired import signed_rank_p
from trueness.statistics.ranks import friedman

STUDIES = 400


@dataclass(frozen=True)
class Nested:
    """One simulated study. a, b: rows of both conditions; task: the cluster of each row."""

    a: np.ndarray
    b: np.ndarray
    task: np.ndarray

    @property
    def means(self):
        tasks = self.task.max() + 1
        return self.a.reshape(tasks, -1).mean(axis=1), self.b.reshape(tasks, -1).mean(axis=1)


def mann_whitney(a, b, **options):
    return unpaired_difference(a, b, test="mann-whitney", **options)


def studies(n=STUDIES, tasks=12, repeats=4, shift=0.0, sd_task=1.0, sd_cell=0.5, sd=0.5, seed=1):
    r = np.random.default_rng(seed)
    label = np.repeat(np.arange(tasks), repeats)
    for _ in range(n):
        level = sd_task * r.normal(size=(tasks, 1))
        a, b = (level + sd_cell * r.normal(size=(tasks, 1)) + sd * r.normal(size=(tasks, repeats)) for _ in range(2))
        yield Nested((a + shift).ravel(), b.ravel(), label)


def rejected(p_values):
    found = np.array(list(p_values), dtype=float)
    return float(np.mean(found <= 0.05)), len(found)


def in_band(p_values):
    """Within the central 99.9 % of Binomial(n, .05)."""
    rate, n = rejected(p_values)
    low, high = stats.binom.ppf([0.0005, 0.9995], n, 0.05) / n
    return low <= rate <= high, rate


def coverage(intervals, truth):
    found = [interval.low <= truth <= interval.high for interval in intervals if interval is not None]
    return float(np.mean(found)), len(found)


def covers(intervals, truth):
    seen, n = coverage(intervals, truth)
    return seen >= stats.binom.ppf(0.01, n, 0.93) / n


# ---- type-I error


def unpaired_p(test):
    """Of different tasks in the two conditions: the second sample of another study."""
    pairs = zip(studies(STUDIES, 6), studies(STUDIES, 6, seed=2), strict=True)
    return (unpaired_difference(s.a, o.b, (s.task, o.task + 100), test=test).p for s, o in pairs)


def rank_p():
    r = np.random.default_rng(7)
    task = np.repeat(np.arange(12), 4)
    samples = ([r.normal(size=12)[task] + r.normal(size=48) for _ in range(2)] for _ in range(STUDIES))
    return (rank_correlation(x, y, task).p for x, y in samples)


def friedman_p():
    r = np.random.default_rng(3)
    return (friedman(r.normal(size=(12, 1)) + r.normal(size=(12, 4)))[2] for _ in range(STUDIES))


NULLS = {
    "sign-flip": lambda: (paired_difference(s.a, s.b, s.task).p for s in studies()),
    "wilcoxon": lambda: (signed_rank_p(s.means[0] - s.means[1])[1] for s in studies()),
    "welch": lambda: unpaired_p("welch"),
    "permutation": lambda: unpaired_p("permutation"),
    "mann-whitney of cluster means": lambda: (
        mann_whitney(s.means[0], o.means[1]).p for s, o in zip(studies(), studies(seed=2), strict=True)
    ),
    "levene": lambda: (levene(s.a, s.b, (s.task, s.task)).p for s in studies()),
    "friedman": friedman_p,
    "rank correlation": rank_p,
}


@each("test", NULLS)
def test_a_true_null_is_rejected_as_often_as_the_test_says(test):
    ok, rate = in_band(NULLS[test]())
    assert ok, rate


def test_repeats_in_an_unpaired_test_find_what_is_not_there():
    # the mistake of the facts: 20 tasks x 5 repeats as 100 independent rows, with task-by-condition variation
    wrong, _ = rejected(mann_whitney(s.a, s.b).p for s in studies(300, 20, 5, sd_task=0.3, sd_cell=0.9))
    right, _ = rejected(
        signed_rank_p(s.means[0] - s.means[1])[1] for s in studies(300, 20, 5, sd_task=0.3, sd_cell=0.9)
    )
    assert wrong > 0.25 and right < 0.09


def test_families_make_a_false_finding_no_more_often_than_they_say():
    r = np.random.default_rng(4)
    smallest = []
    for _ in range(300):
        d = r.normal(size=(10, 1)) + 0.7 * r.normal(size=(10, 4))  # four comparisons that depend on each other
        made = [paired_difference(d[:, k], np.zeros(10)) for k in range(4)]
        smallest.append(min(c.p_adjusted for c in adjusted(made, "holm")))
    rate, n = rejected(smallest)
    assert rate <= stats.binom.ppf(0.9995, n, 0.05) / n
    tables = [r.normal(size=(12, 1)) + r.normal(size=(12, 3)) for _ in range(200)]
    apart = [any(pair.distinguishable for pair in rank(table, list("abc"), "higher").pairs) for table in tables]
    assert np.mean(apart) <= stats.binom.ppf(0.9995, len(apart), 0.05) / len(apart)


def test_pairs_find_at_least_twice_what_an_unpaired_test_finds():
    # the case of the facts: 20 tasks x 5 repeats, shift .3: .98 against .49
    case = {"n": 200, "tasks": 20, "repeats": 5, "shift": 0.3, "sd_cell": 0.0}
    paired, _ = rejected(signed_rank_p(s.means[0] - s.means[1])[1] for s in studies(**case))
    unpaired, _ = rejected(mann_whitney(s.a, s.b).p for s in studies(**case))
    assert paired > 0.93 and paired >= 2 * unpaired


# ---- coverage


@each("tasks", [6, 12])
def test_means_and_their_differences_are_covered(tasks):
    assert covers((mean(s.a, s.task).interval for s in studies(STUDIES, tasks)), 0.0)
    paired = (paired_difference(s.a, s.b, s.task).interval for s in studies(STUDIES, tasks, shift=0.4))
    assert covers(paired, 0.4)
    pairs = zip(studies(STUDIES, tasks, shift=0.4), studies(STUDIES, tasks, seed=2), strict=True)
    assert covers((unpaired_difference(s.a, o.b, (s.task, o.task + 100)).interval for s, o in pairs), 0.4)
    r = np.random.default_rng(9)
    model, task = (axis.ravel() for axis in np.indices((tasks, tasks)))
    draws = (r.normal(size=tasks)[model] + r.normal(size=tasks)[task] + r.normal(size=tasks**2) for _ in range(STUDIES))
    assert covers((mean(x, model, task).interval for x in draws), 0.0)


def test_clusters_of_unequal_size_are_covered():
    r = np.random.default_rng(8)
    rows = np.repeat(np.arange(6), [1, 2, 4, 6, 9, 11])
    draws = [r.normal(size=6)[rows] + r.normal(size=len(rows)) for _ in range(250)]
    assert covers((mean(x, rows).interval for x in draws), 0.0)


@each("clusters", [6, 12, 20])
@each("p, rho", [(0.5, 0.2), (0.8, 0.3), (0.95, 0.3)])
def test_shares_of_clusters_are_covered(p, rho, clusters):
    r = np.random.default_rng(11)
    a, b = p * (1 - rho) / rho, (1 - p) * (1 - rho) / rho
    label = np.repeat(np.arange(clusters), 10)
    draws = [(r.random(len(label)) < r.beta(a, b, clusters)[label]).astype(float) for _ in range(STUDIES)]
    for method in ("korn-graubard", "wilson"):
        assert covers((share(x, label, method=method).interval for x in draws), p)


@each("shift", [0.0, 0.8, 2.0])
@each("tasks", [6, 12])
def test_cliffs_delta_is_covered_in_clusters_and_without(tasks, shift):
    r = np.random.default_rng(12)
    truth = 2 * stats.norm.cdf(shift / np.sqrt(2)) - 1
    plain = (cliffs_delta(r.normal(shift, 1, tasks), r.normal(size=tasks)).interval for _ in range(STUDIES))
    assert covers(plain, truth)
    unit = {"sd_task": 0.6, "sd_cell": 0.3, "sd": np.sqrt(1 - 0.36 - 0.09)}  # rows of unit variance
    made = (cliffs_delta(s.a, s.b, (s.task, s.task)).interval for s in studies(STUDIES, tasks, shift=shift, **unit))
    assert covers(made, truth)


@each("n", [6, 12])
def test_variance_ratios_and_rank_correlations_are_covered(n):
    r = np.random.default_rng(13)
    plain = (variance_ratio(r.normal(0, 2, n), r.normal(0, 1, n)).interval for _ in range(STUDIES))
    assert covers(plain, 4.0)
    assert covers((variance_ratio(s.a, s.b, (s.task, s.task)).interval for s in studies(STUDIES, n)), 1.0)
    truth, task = 6 / np.pi * np.arcsin(0.3), np.repeat(np.arange(n), 4)  # of normals with r = .6
    plain, nested = [], []
    for _ in range(300):
        x, u = r.normal(size=n), r.normal(size=4 * n)
        y, v = 0.6 * x + 0.8 * r.normal(size=n), 0.6 * u + 0.8 * r.normal(size=4 * n)
        plain.append(rank_correlation(x, y).interval)
        nested.append(rank_correlation(x[task] + u, y[task] + v, task).interval)
    assert covers(plain, truth) and covers(nested, truth)


def categorical(r, n, raters):
    truth = r.integers(0, 4, n)
    return np.array([np.where(r.random(n) < 0.7, truth, r.integers(0, 4, n)) for _ in range(raters)], dtype=float)


@each("items", [6, 12])
def test_agreement_is_covered(items):
    # raters copy the truth with probability .7: two of them agree with p = .49 + .51/4, so kappa and alpha are .49,
    # and AC1 too, because the categories are equally frequent
    r = np.random.default_rng(15)
    tables = [categorical(r, items, 3) for _ in range(400)]
    assert covers((krippendorff_alpha(t).interval for t in tables), 0.49)
    assert covers((weighted_kappa(t[0], t[1]).interval for t in tables), 0.49)
    assert covers((gwet_ac1(t, categories=4).interval for t in tables), 0.49)


def test_prediction_powered_means_are_covered():
    r = np.random.default_rng(16)
    made = []
    for _ in range(STUDIES):
        y = r.normal(size=15)
        others = r.normal(size=200)
        f, g = y + 0.4 + 0.5 * r.normal(size=15), others + 0.4 + 0.5 * r.normal(size=200)
        made.append(prediction_powered_mean(y, f, g).interval)
    assert covers(made, 0.0)
