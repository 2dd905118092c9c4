"""BOSS: the best class on easy data, an order no move improves, and scores not below causal-learn's."""

import numpy as np
import pytest

import trueness
from tests.learners.test_ges import drawn
from tests.learners.test_scores import all_dags
from trueness.learners.contract import CHAIN, COLLIDER, binary_sample, continuous_sample
from trueness.learners.ges import BOSS
from trueness.learners.scores import Scores, ScoreSettings


@pytest.mark.parametrize("truth", [CHAIN, COLLIDER], ids=["chain", "collider"])
@pytest.mark.parametrize("sample", [continuous_sample, binary_sample])
def test_no_dag_at_all_scores_higher_on_easy_data(truth, sample):
    table = sample(truth, np.random.default_rng(4))
    scores = Scores.of(table)
    best = max(all_dags(table.names), key=scores.total)
    found = BOSS().fit_details(table)
    assert found.graph == best.to_cpdag() == truth.to_cpdag()
    assert found.score == pytest.approx(scores.total(best), rel=1e-12)


def grow_and_shrink(scores, node, before):
    """As in the paper, without trees."""
    parents = []
    while True:
        rest = [p for p in before if p not in parents]
        tried = {p: scores.local(node, [*parents, p]) for p in rest}
        if not tried or max(tried.values()) <= scores.local(node, parents):
            break
        parents.append(max(tried, key=tried.get))
    while parents:
        tried = {p: scores.local(node, [q for q in parents if q != p]) for p in parents}
        if max(tried.values()) <= scores.local(node, parents):
            break
        parents.remove(max(tried, key=tried.get))
    return scores.local(node, parents)


@pytest.mark.parametrize("seed", range(3))
def test_the_trees_choose_what_grow_and_shrink_choose(seed):
    table = drawn(seed).columns(range(4))
    result = BOSS(starts=1, deletes=False).fit_details(table)
    scores = Scores.of(table)

    def of_order(order):
        return sum(grow_and_shrink(scores, node, order[:k]) for k, node in enumerate(order))

    assert result.starts[0] == pytest.approx(of_order(result.order), rel=1e-12)
    assert result.score == pytest.approx(of_order(result.order), rel=1e-12)


@pytest.mark.parametrize("name", ["asia", "cancer", "survey"])
def test_the_score_is_not_below_causal_learns(name):
    """On shuffled columns: causal-learn starts from their order, which in these files is the causal one."""
    from causallearn.search.PermutationBased.BOSS import boss

    rng = np.random.default_rng(1)
    table = trueness.load(name).draw(1000, rng)
    table = table.columns(rng.permutation(table.d).tolist())
    peers = boss(np.array(table.values), "local_score_BDeu", verbose=False)
    peers = trueness.Graph.from_causallearn(peers, kind="cpdag", nodes=table.names)
    assert BOSS().fit_details(table).score >= Scores.of(table).total(peers) - 1e-6


def tangled():
    """Columns of which most depend on most: trees outgrow their room, and shrinking takes many parents out."""
    rng = np.random.default_rng(0)
    return trueness.Table.of(rng.normal(size=(2000, 25)) @ np.triu(rng.uniform(0.2, 1.0, size=(25, 25))))


@pytest.mark.parametrize("penalty", [0.1, 2.0])
def test_trees_of_large_sets_choose_what_grow_and_shrink_choose(penalty):
    table = tangled()
    result = BOSS(penalty=penalty, starts=2, deletes=False).fit_details(table)
    scores, order = Scores.of(table, ScoreSettings(penalty=penalty)), result.order
    expected = sum(grow_and_shrink(scores, node, order[:k]) for k, node in enumerate(order))
    assert max(result.starts) == pytest.approx(expected, rel=1e-12)
