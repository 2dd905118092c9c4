"""Hill climbing: local optima by brute force, and directions that the order of the columns has no say in."""

import numpy as np
import pytest

import trueness
from tests.each import each
from tests.learners.test_ges import drawn
from trueness.graphs import Graph
from trueness.learners.hill_climbing import HillClimbing
from trueness.learners.scores import Scores


def neighbours(graph, most=None):
    """Every DAG that one added, deleted or reversed edge leads to."""
    matrix = graph.directed.astype(float)
    for i in range(len(graph)):
        for j in range(len(graph)):
            if i == j or matrix[j, i]:
                continue
            changes = [{(i, j): 0.0}, {(i, j): 0.0, (j, i): 1.0}] if matrix[i, j] else [{(i, j): 1.0}]
            for change in changes:
                other = matrix.copy()
                for place, value in change.items():
                    other[place] = value
                reached = np.linalg.matrix_power(other + np.eye(len(other)), len(other))
                if np.trace(reached) > len(other) or (most and other.sum(axis=0).max() > most):
                    continue
                yield Graph.from_matrix(other, graph.nodes, direction="row to column")


@each("seed", range(6))
def test_no_single_move_improves_the_answer(seed):
    table = drawn(seed) if seed % 2 else trueness.load("survey").draw(500, np.random.default_rng(seed))
    result = HillClimbing().fit_details(table)
    scores = Scores.of(table)
    assert result.score == pytest.approx(scores.total(result.graph), rel=1e-12)
    assert max(scores.total(other) for other in neighbours(result.graph)) <= result.score + 1e-7


@each("seed", range(6))
def test_tabu_and_restarts_are_never_worse(seed):
    table = drawn(seed)
    plain = HillClimbing().fit_details(table).score
    assert HillClimbing(tabu=10).fit_details(table).score >= plain - 1e-9
    restarted = HillClimbing(restarts=5).fit_details(table, np.random.default_rng(seed))
    assert restarted.score == max(restarted.climbs) >= plain - 1e-9
    assert len(restarted.climbs) == 6


def test_the_order_of_the_columns_does_not_decide_a_direction():
    """X0 -> X1 and X1 -> X0 have equal scores; which one is found follows from the data."""
    ways = set()
    for seed in range(12):
        rng = np.random.default_rng(seed)
        x = rng.normal(size=200)
        table = trueness.Table.of(np.column_stack([x, x + rng.normal(size=200)]))
        graph = HillClimbing().fit(table)
        assert HillClimbing().fit(table.columns([1, 0])) == graph
        ways.add(str(graph.edges[0]))
    assert ways == {"X0 -> X1", "X1 -> X0"}
