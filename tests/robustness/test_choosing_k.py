"""Choosing K: the oracle is named, other graphs do not see this one, stability sees no truth, K +- 5 has a verdict."""

from types import SimpleNamespace

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from trueness.datasets.observed import Observed
from trueness.graphs import Graph
from trueness.status import Status
from trueness.studies.robustness.choose_k import f1_at, k_from_other_graphs, matched_k, oracle_k, stability_k
from trueness.studies.robustness.scores import RobustnessScores, ScorerAnswer, System, Variant
from trueness.studies.robustness.sensitivity import original_range, sensitivity_curve
from trueness.studies.robustness.summaries import plateaus, verdict_of


def curve(seed, d=8, edges=9, noise=0.6):
    """Scores of a learner that is right but for noise."""
    rng = np.random.default_rng(seed)
    first, second = np.triu_indices(d, 1)
    picked = rng.choice(len(first), edges, replace=False)
    matrix = np.zeros((d, d))
    matrix[first[picked], second[picked]] = 1
    truth = Graph.from_matrix(matrix, [f"X{j}" for j in range(d)], direction="row to column")
    return sensitivity_curve(matrix + noise * np.abs(rng.standard_normal((d, d))), truth)


def family(graphs=6, seeds=3, **more):
    return {f"g{g}": [curve(100 * g + s, **more) for s in range(seeds)] for g in range(graphs)}


def test_the_oracle_has_the_best_mean_f1_and_says_that_it_is_one():
    curves = [curve(seed) for seed in range(3)]
    chosen = oracle_k(curves, "rc-gnn")
    best = max(f1_at(curves, k) for k in range(1, 57))
    assert f1_at(curves, chosen.k) == pytest.approx(best)
    assert chosen.is_oracle and chosen.row()["oracle"] is True


@settings(max_examples=15)
@given(st.integers(0, 5), st.integers(0, 1000))
def test_what_is_chosen_on_other_graphs_does_not_change_with_this_one(target, seed):
    curves = family()
    before = k_from_other_graphs(curves, f"g{target}")
    after = k_from_other_graphs(curves | {f"g{target}": [curve(seed, edges=25)]}, f"g{target}")
    assert before == after and not before.is_oracle and before.uses == "the truths of other graphs"


def test_k_is_carried_over_as_edges_a_node():
    small = {f"s{g}": [curve(g, d=8, edges=8, noise=0)] for g in range(3)}
    chosen = k_from_other_graphs(small | {"large": [curve(9, d=16, edges=16, noise=0)]}, "large")
    assert chosen.k == pytest.approx(16, abs=1)


def test_a_matched_k_is_one_for_all_and_stays_an_oracle():
    chosen = oracle_k([curve(0)], "rc-gnn")
    match = matched_k(chosen, "pc")
    assert (match.k, match.learner, match.method, match.is_oracle) == (chosen.k, "pc", "matched to oracle_k", True)


def test_k_by_shd_is_that_of_the_least_shd_within_the_range():
    curves = [curve(seed, noise=1.0) for seed in range(3)]
    mean_shd = np.mean([one.shd_reversals_twice for one in curves], axis=0)
    assert oracle_k(curves, metric="shd").k == curves[0].k[np.argmin(mean_shd)]
    low, high = original_range(10, 8)
    within = [one.between(low, high).shd_reversals_twice for one in curves]
    assert oracle_k(curves, within=(low, high), metric="shd").k == low + int(np.argmin(np.mean(within, axis=0)))
    by_graph = {str(seed): [curve(seed, noise=1.0)] for seed in range(4)}
    others = np.mean([by_graph[g][0].shd_reversals_twice for g in ("1", "2", "3")], axis=0)
    assert k_from_other_graphs(by_graph, "0", metric="shd").k == 1 + int(np.argmin(others))


def test_k_has_an_interval_over_seeds_and_none_of_few_or_of_equal_ones():
    chosen = oracle_k([curve(seed, noise=1.0) for seed in range(10)])
    assert chosen.interval.low <= chosen.k <= chosen.interval.high and chosen.interval.width > 0
    assert chosen.row()["k_low"] == chosen.interval.low
    assert oracle_k([curve(seed, noise=1.0) for seed in range(5)]).interval is None
    assert oracle_k([curve(0)] * 10).interval is None


# ---- without a truth


class Half:
    """Three pairs that every half sample has on top, and a coin for the others."""

    def scores(self, data, rng):
        self.seen = [*getattr(self, "seen", []), data]
        scores = rng.random((data.d, data.d)) * (1 - np.eye(data.d))
        scores[[0, 1, 2], [1, 2, 3]] += self.sure
        return SimpleNamespace(matrix=scores)

    def __init__(self, sure):
        self.sure = sure


@pytest.mark.parametrize(("sure", "k"), [(2, 3), (0, 1)])
def test_stability_keeps_what_half_samples_agree_on_and_at_least_one(sure, k):
    rng = np.random.default_rng(0)
    data = Observed(tuple("abcdefgh"), rng.random((60, 8)), (None,) * 8, "rows", None, 0)
    assert stability_k(Half(sure), data, rng, 40) == k


@pytest.mark.parametrize("lags", [0, 1])
def test_a_series_is_halved_as_one_stretch_and_rows_at_random(lags):
    scorer, values = Half(1), np.arange(240.0).reshape(60, 4)
    stability_k(scorer, Observed(tuple("abcd"), values, (None,) * 4, "rows", None, lags), np.random.default_rng(0), 5)
    for data in scorer.seen:
        assert data.n == 30 and ((np.diff(data.values[:, 0]) == 4).all() == bool(lags))


# ---- K +- 5


@pytest.mark.parametrize(
    ("f1_range", "verdict"),
    [(0.0, "stable"), (0.099, "stable"), (0.1, "moderate"), (0.2, "moderate"), (0.21, "sensitive")],
)
def test_verdicts_are_the_originals(f1_range, verdict):
    assert verdict_of(f1_range) == verdict


def plateau(noises):
    """Of one scorer on a chain of twelve, one seed a noise."""
    names = "abcdefghijkl"
    truth = Graph.from_edges([f"{a} -> {b}" for a, b in zip(names, names[1:], strict=False)], names, "dag")
    answers = tuple(
        ScorerAnswer(
            "g", "c", "s", seed, Status.OK, 2 * truth.directed + noise * np.random.default_rng(seed).random((12, 12))
        )
        for seed, noise in enumerate(noises)
    )
    systems, corruptions = {"g": System(truth, "known", False, 100)}, {"c": Variant(False)}
    return plateaus(RobustnessScores(systems, corruptions, ("s",), answers, "c", "s")).iloc[0]


def test_the_range_around_k_is_the_spread_of_f1_within_five():
    found = plateau([1.0])
    assert (found["k"], found["f1 at K"]) == (11, 1.0)
    assert found["value"] == pytest.approx(1 - 12 / 17) and found["verdict"] == "sensitive"  # K = 6: 2 x 6 / (6 + 11)
    assert found["low"] is None  # one curve: no other was drawn


def test_the_range_over_seeds_has_an_interval_and_no_verdict_where_it_spans_two():
    found = plateau([1 + seed / 5 for seed in range(10)])
    assert found["low"] < found["value"] < found["high"] and found["n"] == 10
    low, high = verdict_of(found["low"]), verdict_of(found["high"])
    assert found["verdict"] == (low if low == high else "cannot be told")
