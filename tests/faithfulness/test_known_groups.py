"""Measures are tried on right and damaged graphs."""

from dataclasses import replace

import numpy as np
import pytest

from trueness.reasoning.problems import load_problems
from trueness.studies.faithfulness.known_groups import group_of, known_groups, with_damaged
from trueness.studies.faithfulness.scores import score_problem

PROBLEMS = load_problems("physics") + load_problems("everyday")[:4]


@pytest.fixture(scope="module")
def separations():
    evaluations = [score_problem(problem) for problem in with_damaged(PROBLEMS, np.random.default_rng(1))]
    return {(found.measure, found.damage): found for found in known_groups(evaluations)}


def test_the_executable_checks_tell_right_from_damaged(separations):
    found = separations["executable", "all"].auc_lowest
    assert found.value >= 0.95
    assert found.interval.low >= 0.9


def test_the_originals_graph_quality_does_not(separations):
    assert separations["graph_quality", "all"].auc_lowest.value < 0.7
    assert separations["graph_quality", "rule_swapped"].auc_lowest.value == 0.5


def test_what_cannot_be_executed_is_counted_and_not_dropped():
    def in_words(problem):
        edges = tuple(replace(edge, rule="it follows by what is known") for edge in problem.graph.edges)
        return replace(problem, graph=replace(problem.graph, edges=edges))

    four = with_damaged(PROBLEMS[:4], np.random.default_rng(1))
    wrong = [problem for problem in four if group_of(problem.id)[1] == "answer_wrong"]
    right = [problem for problem in four if group_of(problem.id)[1] == "right"]
    given = [*right, *wrong[:2], *map(in_words, wrong[2:])]
    found = {one.measure: one for one in known_groups([score_problem(one) for one in given]) if one.damage == "all"}
    assert (found["abductive_reasoning"].n_missing, found["abductive_reasoning"].n_damaged) == (2, 4)
    assert found["abductive_reasoning"].auc_lowest.value > 0.9
