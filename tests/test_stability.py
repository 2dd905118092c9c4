"""Stability: true edges are found again and again, failures are counted, and the order of columns has no say."""

from dataclasses import dataclass
from typing import ClassVar

import numpy as np
import pytest

from trueness.datasets.table import Table
from trueness.errors import DataError, GraphError, SettingError
from trueness.graphs import Graph
from trueness.learners.base import Card
from trueness.learners.contract import COLLIDER, binary_sample, continuous_sample
from trueness.learners.ges import GES
from trueness.learners.stability import stability


def rng(seed=0):
    return np.random.default_rng(seed)


def card(returns="dag"):
    return Card(title="A test", summary="For tests.", returns=returns, assumes=(), paper="none")


@dataclass(frozen=True)
class Scripted:
    """Answers with the graphs it was given, in turn by the first drawn row; raises or talks nonsense where told."""

    answers: tuple = ()
    card: ClassVar[Card] = card("pag")

    def fit(self, data, rng):
        answer = self.answers[int(data.values[0, 0]) % len(self.answers)]
        if isinstance(answer, Exception):
            raise answer
        return answer


def numbered(n=40):
    """Row k begins with k, so that a scripted learner can tell resamples apart."""
    return Table(("a", "b", "c"), np.column_stack([np.arange(n), rng().normal(size=(n, 2))]), (None,) * 3)


@pytest.mark.parametrize("sample", [continuous_sample, binary_sample])
def test_the_edges_of_a_strong_collider_are_almost_always_found(sample):
    # twice the penalty, because repeated rows make chance dependences look surer than they are
    result = stability(GES(penalty=2.0), sample(COLLIDER, rng()), 60, rng=rng(1))
    for edge in COLLIDER.edges:
        assert result.of(edge.source, edge.target, "->").frequency > 0.9
        assert result.of(edge.target, edge.source, "<-") == result.of(edge.source, edge.target, "->")
    assert result.graph() == result.graph(0.5)
    assert (result.graph().marks == COLLIDER.marks).all()
    assert result.failures == {} and result.n == 60


def test_every_interval_holds_its_frequency_and_counts_add_up():
    result = stability(GES(), continuous_sample(COLLIDER, rng(), 100), 40, rng=rng(2), level=0.9)
    assert result.edges
    for row in (*result.edges, *result.adjacencies):
        assert row.low <= row.frequency <= row.high and row.frequency == row.times / 40
    for pair in result.adjacencies:
        told = [row for row in result.edges if {row.source, row.target} == {pair.source, pair.target}]
        assert sum(row.times for row in told) == pair.times


def test_the_graph_of_a_dag_learner_has_no_cycle():
    @dataclass(frozen=True)
    class Turning(Scripted):
        card: ClassVar[Card] = card("dag")

    ways = [("a -> b", "b -> c"), ("b -> c", "c -> a"), ("c -> a", "a -> b")]
    result = stability(
        Turning(tuple(Graph.from_edges(way, ("a", "b", "c")) for way in ways)), numbered(), 90, rng=rng()
    )
    assert all(row.frequency > 0.5 for row in result.edges) and len(result.edges) == 3
    graph = result.graph(0.5)
    assert graph.kind == "dag" and graph.n_edges() == 2
    assert {str(edge) for edge in graph.edges} == {f"{row.source} -> {row.target}" for row in result.edges[:2]}


def test_an_undecided_direction_is_undirected_in_the_graph_of_a_cpdag_learner():
    @dataclass(frozen=True)
    class Torn(Scripted):
        card: ClassVar[Card] = card("cpdag")

    graphs = tuple(Graph.from_edges([edge], ("a", "b", "c"), "cpdag") for edge in ("a -> b", "a <- b", "a -- b"))
    result = stability(Torn(graphs), numbered(), 60, rng=rng())
    assert [str(edge) for edge in result.graph(0.7).edges] == ["a -- b"]
    assert result.graph(0.7).weights[0, 1] == 1.0


def test_wrong_questions_are_answered_with_the_reason():
    table = numbered()
    with pytest.raises(SettingError, match="'repeats' of stability must be at least 1, got 0. Try 100."):
        stability(GES(), table, 0, rng=rng())
    with pytest.raises(SettingError, match="'threshold' of stability must be in"):
        stability(GES(), table, 2, rng=rng(), threshold=0)
    with pytest.raises(SettingError, match="'level' of stability must be in"):
        stability(GES(), table, 2, rng=rng(), level=95)
    with pytest.raises(DataError, match="must vary"):
        stability(GES(), np.ones((20, 2)), 2, rng=rng())
    result = stability(GES(), table, 2, rng=rng())
    with pytest.raises(GraphError, match="'z' is not a column"):
        result.of("a", "z")
    with pytest.raises(GraphError, match="'mark' of an edge must be one of"):
        result.of("a", "b", "=>")


def gappy_table():
    source, n = rng(), 400
    a = source.normal(size=n)
    b, c = (
        a + source.normal(size=n),
        0.12 * a + source.normal(size=n),
    )  # a - c is weak: half of it missing leaves it open
    values = np.column_stack([a, b, c, source.normal(size=n)])
    values[source.random(n) < 0.5, 2] = np.nan
    return Table(tuple("abcd"), values, (None,) * 4)
