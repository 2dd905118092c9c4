"""Damaged copies: always different, the same for the same seed, and told from the right ones."""

import numpy as np
import pytest

from trueness.errors import UnknownName
from trueness.reasoning import execute
from trueness.reasoning.checks import executable_components, graph_quality, score_of
from trueness.reasoning.damage import DAMAGES, damage, damaged_copies
from trueness.reasoning.problems import load_problems

PROBLEMS = load_problems()
EXECUTABLE = [problem for problem in PROBLEMS if problem.answer.value is not None]


@pytest.mark.parametrize("kind", DAMAGES)
def test_a_damaged_copy_differs_and_keeps_the_problem(kind):
    for problem in PROBLEMS:
        copy = damage(problem, kind, np.random.default_rng(1))
        assert (copy.problem.id, copy.problem.text, copy.kind) == (problem.id, problem.text, kind)
        assert copy.note
        changed = "answer" if kind == "answer_wrong" else "graph"
        assert getattr(copy.problem, changed) != getattr(problem, changed)


@pytest.mark.parametrize("kind", DAMAGES)
def test_every_problem_can_be_damaged_in_every_way(kind):
    assert all(damage(problem, kind, np.random.default_rng(2)) is not None for problem in PROBLEMS)


def test_the_same_seed_makes_the_same_copies():
    first, second = ([damaged_copies(p, np.random.default_rng(9)) for p in PROBLEMS[:20]] for _ in range(2))
    assert first == second
    assert first != [damaged_copies(p, np.random.default_rng(10)) for p in PROBLEMS[:20]]


def test_a_swapped_rule_can_be_executed_and_gives_another_value():
    for problem in EXECUTABLE:
        right = execute(problem.graph).target
        wrong = execute(damage(problem, "rule_swapped", np.random.default_rng(4)).problem.graph).target
        assert abs(wrong - right) > 5 * problem.tolerance * abs(right)


def test_a_kind_that_does_not_exist_is_told():
    with pytest.raises(UnknownName, match="rule_swapped"):
        damage(PROBLEMS[0], "rule_swaped", np.random.default_rng(0))


def auc(right, damaged):
    difference = np.subtract.outer(np.array(right), np.array(damaged))
    return (difference > 0).mean() + 0.5 * (difference == 0).mean()


def score(problem):
    return score_of(executable_components(problem.graph, problem.answer, problem.tolerance))


@pytest.mark.slow
def test_executable_checks_separate_right_from_damaged_graphs():
    right = [score(problem) for problem in EXECUTABLE]
    rng = np.random.default_rng(3)
    pooled, original = [], []
    for kind in DAMAGES:
        copies = [copy.problem for problem in EXECUTABLE if (copy := damage(problem, kind, rng))]
        scores = [score(copy) for copy in copies]
        assert None not in scores
        assert auc(right, scores) >= 0.95, kind
        pooled += scores
        original += [graph_quality(copy.graph).original for copy in copies]
    assert auc(right, pooled) >= 0.95
    assert auc([graph_quality(problem.graph).original for problem in EXECUTABLE], original) < 0.7  # shown beside it
