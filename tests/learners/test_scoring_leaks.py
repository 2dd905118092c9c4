"""No scorer knows the truth: a shuffled one changes no bit, and one that looks is caught."""

from dataclasses import dataclass
from typing import ClassVar

import numpy as np
import pytest

from tests.each import each
from tests.learners.test_scoring import made
from trueness import registry
from trueness.datasets.series import VAR
from trueness.learners import Card
from trueness.learners.scoring import EdgeScores
from trueness.learners.scoring.leaks import check_no_leak

SYSTEM = VAR(nodes=5, lags=1, graph_seed=3)
TRUTH = SYSTEM.truth
CARD = Card(title="Leaks", summary="", missing="complete rows", assumes=(), paper="")


@each("name", registry.names("scorer"))
def test_a_shuffled_truth_gives_bit_identical_scores(name):
    report = check_no_leak(made(name), SYSTEM, n=200)
    assert report.passed, str(report)


def scored(names, truth):
    return EdgeScores(truth.directed.astype(float), names, False, CARD.missing)


@dataclass(frozen=True)
class ThroughTheData:
    card: ClassVar[Card] = CARD

    def scores(self, data, rng):
        return scored(data.names, data.truth)


@dataclass(frozen=True)
class ThroughAGlobalDataset:
    card: ClassVar[Card] = CARD

    def scores(self, data, rng):
        return scored(data.names, SYSTEM.truth)


@dataclass(frozen=True)
class ThroughAGlobalGraph:
    card: ClassVar[Card] = CARD

    def scores(self, data, rng):
        return scored(data.names, TRUTH)


@dataclass(frozen=True)
class LooksAndSaysNothing:
    """It hides the error and uses the truth for its stopping rule only."""

    card: ClassVar[Card] = CARD

    def scores(self, data, rng):
        getattr(data, "truth", None)
        return EdgeScores(1.0 - np.eye(len(data.names)), data.names, True, CARD.missing)


@pytest.mark.parametrize(
    ("leaking", "told"),
    [
        (ThroughTheData, "reads data.truth"),
        (ThroughAGlobalDataset, "reads dataset.truth"),
        (ThroughAGlobalGraph, "answers otherwise when the truth is shuffled"),
        (LooksAndSaysNothing, "reads data.truth"),
    ],
)
def test_a_leaking_scorer_is_caught(leaking, told):
    assert told in check_no_leak(leaking(), SYSTEM).findings


def test_the_check_leaves_data_set_and_truth_as_they_were():
    before = TRUTH.marks.copy()
    check_no_leak(ThroughTheData(), SYSTEM)
    assert SYSTEM.truth is TRUTH
    assert np.array_equal(TRUTH.marks, before)
    assert VAR(nodes=5, lags=1, graph_seed=4).truth != TRUTH
