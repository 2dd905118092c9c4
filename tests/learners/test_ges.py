"""GES: causal-learn's class, the best class where the data are easy, and a trace that adds up."""

import numpy as np
import pytest

import trueness
from tests.each import each
from tests.learners.test_scores import all_dags
from trueness.datasets.synthetic import Synthetic
from trueness.datasets.table import Table
from trueness.learners import learner
from trueness.learners.contract import CHAIN, COLLIDER, binary_sample, continuous_sample
from trueness.learners.ges import GES
from trueness.learners.kernels import extended
from trueness.learners.kernels.ges import NOTHING, InCirclesError, climb, empty_state, enter, working_space
from trueness.learners.scores import Scores

PLAIN = GES(search="plain")


def drawn(seed):
    """A random linear Gaussian model with 4 to 12 nodes."""
    rng = np.random.default_rng(seed)
    d = int(rng.integers(4, 13))
    edges = float(rng.uniform(0.5, min(2.0, (d - 1) / 2)))
    return Synthetic(nodes=d, edges_per_node=edges, noise="gaussian", graph_seed=seed).draw(400, rng)


@each("seed", range(15))
def test_the_class_is_causal_learns_on_gaussian_data(seed):
    table = drawn(seed)
    assert PLAIN.fit(table) == learner("causal-learn/ges").fit(table)


@pytest.mark.parametrize("name", ["asia", "cancer", "earthquake", "survey"])
def test_the_class_is_causal_learns_on_discrete_data(name):
    for seed in range(2):
        table = trueness.load(name).draw(1000, np.random.default_rng(seed))
        assert PLAIN.fit(table) == learner("causal-learn/ges").fit(table)


@pytest.mark.parametrize("truth", [CHAIN, COLLIDER], ids=["chain", "collider"])
@pytest.mark.parametrize("sample", [continuous_sample, binary_sample])
def test_no_dag_at_all_scores_higher_on_easy_data(truth, sample):
    table = sample(truth, np.random.default_rng(4))
    scores = Scores.of(table)
    best = max(all_dags(table.names), key=scores.total)
    found = GES().fit_details(table)
    assert found.graph == best.to_cpdag() == truth.to_cpdag()
    assert found.score == pytest.approx(scores.total(best), rel=1e-12)


@pytest.mark.parametrize("seed", range(4))
def test_the_answer_is_a_cpdag_and_the_steps_add_up_to_its_score(seed):
    table = drawn(seed)
    result = PLAIN.fit_details(table)
    scores = Scores.of(table)
    assert result.graph.problems() == ()
    start = sum(scores.local(node) for node in table.names)
    assert start + sum(step.gain for step in result.steps) == pytest.approx(result.score, rel=1e-10)
    assert all(step.gain > 0 for step in result.steps)
    inserted = sum(step.operator == "insert" for step in result.steps)
    assert inserted - (len(result.steps) - inserted) == result.graph.n_edges()
    assert [step.operator for step in result.steps] == ["insert"] * inserted + ["delete"] * (
        len(result.steps) - inserted
    )


def test_no_score_is_computed_with_more_parents_than_the_limit():
    rng = np.random.default_rng(0)
    causes = rng.normal(size=(500, 5))
    table = Table.of(np.column_stack([causes, causes.sum(axis=1) + rng.normal(size=500)]))
    assert GES().fit(table).directed[:, 5].sum() == 5
    assert GES(max_parents=2).fit(table).directed[:, 5].sum() == 2


def test_a_hub_with_many_neighbours_takes_no_time():
    """2^40 subsets of neighbours, and 40 cliques among them."""
    rng = np.random.default_rng(0)
    hub = rng.normal(size=(300, 1))
    table = Table.of(np.column_stack([hub, 3 * hub + rng.normal(size=(300, 40))]))
    assert GES(penalty=3.0).fit(table).undirected[0].sum() == 40


# ---- search = "extended"


@each("seed", range(6))
def test_every_step_of_extended_gains_what_the_scores_say(seed):
    """Inserts, deletes and turns add up to the score of the class: each gain is what the score really rose by."""
    table = dense(seed)
    result = GES(search="extended").fit_details(table)
    scores = Scores.of(table)
    assert result.graph.problems() == ()
    start = sum(scores.local(node) for node in table.names)
    assert start + sum(step.gain for step in result.steps) == pytest.approx(result.score, rel=1e-10)
    assert {step.operator for step in result.steps} <= {"insert", "delete", "turn"}


def test_extended_ends_where_rounding_decides_what_is_gained():
    """Columns that follow from each other: gains went round in circles, and the search with them, without end."""
    rng = np.random.default_rng(2)
    a, c, x = rng.integers(0, 5, 60), rng.integers(0, 4, 60), rng.standard_normal(60)
    c[a == 0] = 0
    y = x * (a > 2)
    levels = (tuple("abcde"), ("0", "1"), tuple("pqrs"), None, None, None)
    table = Table(tuple("abcxyz"), np.stack([a, a > 2, c, x, y, y + c], 1).astype(float), levels)
    with pytest.raises(InCirclesError, match="must not follow from each other.*Drop one"):
        extended.search(GES().scorer(table), table.d)
    assert GES().fit(table).problems() == ()


@pytest.mark.parametrize("seed", [6, 7])
def test_a_node_that_is_doubted_leads_out_of_an_end_that_no_edge_leads_out_of(seed):
    """With doubts of edges alone the search ended 21 and 38 below the true class."""
    system = Synthetic(12, 2.0, noise="gaussian", graph_seed=seed)
    table = system.draw(3000, np.random.default_rng(seed))
    assert GES(search="extended").fit(table) == system.truth.to_cpdag()


@pytest.mark.parametrize("seed", range(4))
def test_extended_does_not_depend_on_the_order_of_the_columns(seed):
    """Of very dense graphs: orders that score the same were told apart by what a sum in another order rounds to."""
    table = Synthetic(15, 4.0, noise="gaussian", graph_seed=seed).draw(5000, np.random.default_rng(seed))
    turned = table.columns(np.random.default_rng(seed).permutation(15).tolist())
    assert GES(search="extended").fit(turned).reorder(table.names) == GES(search="extended").fit(table)


@pytest.mark.parametrize(("d", "edges"), [(12, 4.0), (30, 3.0), (30, 6.0)])
def test_nothing_gains_where_a_climb_has_ended_though_its_gains_are_computed_anew(d, edges):
    """What opposed an operator is remembered; where the loss of an edge on a path goes unseen, one climb of the twelve
    ends too early."""
    for seed in range(12):
        room = working_space(d)
        table = Synthetic(d, edges, noise="gaussian", graph_seed=seed).draw(300, np.random.default_rng(seed))
        scorer, ended, anew = GES().scorer(table), empty_state(d), empty_state(d)
        assert climb(scorer, ended, NOTHING, NOTHING, True, extended.ALL, room) > d
        enter(anew, ended.graph)
        assert climb(scorer, anew, NOTHING, NOTHING, True, extended.ALL, room) == 0, seed


def dense(seed):
    return Synthetic(nodes=14, edges_per_node=2.5, noise="gaussian", graph_seed=seed).draw(
        2000, np.random.default_rng(seed)
    )
