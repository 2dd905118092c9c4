"""Choosing K against truths: the oracle is named, other graphs do not see this one, optimism has an interval."""

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from trueness.errors import DataError, SettingError
from trueness.graphs import Graph
from trueness.studies.robustness.choose_k import (
    f1_at,
    k_from_other_graphs,
    leave_one_graph_out,
    matched_k,
    optimism,
    oracle_k,
    own_k,
)
from trueness.studies.robustness.sensitivity import original_range, sensitivity_curve


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
    assert chosen.is_oracle and "oracle" in str(chosen) and chosen.row()["oracle"] is True


def test_the_oracle_stays_within_the_originals_range():
    curves = [curve(0, edges=1, noise=0)]
    assert oracle_k(curves).k == 1 and oracle_k(curves, within=original_range(1, 8)).k == 5


@settings(max_examples=15)
@given(st.integers(0, 5), st.integers(0, 1000))
def test_what_is_chosen_on_other_graphs_does_not_change_with_this_one(target, seed):
    curves = family()
    before = k_from_other_graphs(curves, f"g{target}")
    after = k_from_other_graphs(curves | {f"g{target}": [curve(seed, edges=25)]}, f"g{target}")
    assert before == after and not before.is_oracle and before.uses == "the truths of other graphs"


def test_every_graph_weighs_the_same_however_many_seeds_it_has():
    few, many = (
        {"a": [curve(1)], "b": [curve(2)], "t": [curve(3)]},
        {"a": [curve(1)] * 9, "b": [curve(2)], "t": [curve(3)]},
    )
    assert k_from_other_graphs(few, "t") == k_from_other_graphs(many, "t")


def test_k_is_carried_over_as_edges_a_node():
    small = {f"s{g}": [curve(g, d=8, edges=8, noise=0)] for g in range(3)}
    chosen = k_from_other_graphs(small | {"large": [curve(9, d=16, edges=16, noise=0)]}, "large")
    assert chosen.k == pytest.approx(16, abs=1)


def test_leaving_each_out_gives_a_choice_for_each():
    curves = family(4)
    assert leave_one_graph_out(curves) == {name: k_from_other_graphs(curves, name) for name in curves}


def test_a_matched_k_is_one_for_all_and_stays_an_oracle():
    chosen = oracle_k([curve(0)], "rc-gnn")
    for name, match in matched_k(chosen, ["rc-gnn", "pc"]).items():
        assert match.k == chosen.k and match.learner == name and match.is_oracle
    assert matched_k(chosen, ["pc"])["pc"].method == "matched to oracle_k"


def test_an_undirected_edge_is_two_ordered_pairs_of_a_learners_own_k():
    assert own_k(Graph.from_edges(["a -> b", "b -- c"], kind="cpdag")).k == 3
    assert own_k(Graph.empty(("a", "b"))).note == "The learner kept no edge."


def test_optimism_is_paired_by_graph_with_an_interval_and_never_a_p_alone():
    curves = {f"g{g}": [curve(10 * g + s, edges=3 + 3 * g, noise=0.5) for s in range(2)] for g in range(7)}
    found = optimism(curves, curves, "pc")
    others = leave_one_graph_out(curves)
    by_hand = [f1_at(c, oracle_k(c).k) - f1_at(c, others[g].k) for g, c in curves.items()]
    assert found.difference == pytest.approx(np.mean(by_hand)) and min(by_hand) >= 0
    assert found.interval.low <= found.difference <= found.interval.high
    assert found.n_clusters == 7 and "oracle_k" in str(found) and "k_from_other_graphs" in str(found)


@pytest.mark.parametrize(
    ("call", "told"),
    [
        (lambda: oracle_k([]), "at least one curve"),
        (lambda: oracle_k([curve(0, d=8), curve(0, d=9)]), "same number of nodes"),
        (lambda: k_from_other_graphs({"a": [curve(0)]}, "a"), "other graphs to choose on, got none"),
        (lambda: k_from_other_graphs({"asia": [curve(0)]}, "asai"), "Did you mean 'asia'"),
        (lambda: optimism({}, {"a": [curve(0)]}), "got none for 'a'"),
        (lambda: f1_at([curve(0)], 57), r"'K' must be in \[1, 56\]"),
    ],
)
def test_mistakes_are_one_line(call, told):
    with pytest.raises((DataError, SettingError), match=told):
        call()


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
    assert f"K = {chosen.k} [" in str(chosen) and chosen.row()["k_low"] == chosen.interval.low
    assert oracle_k([curve(seed, noise=1.0) for seed in range(5)]).interval is None
    equal = oracle_k([curve(0)] * 10)
    assert equal.interval is None and "the same K" in equal.note and "the same K" not in chosen.note
