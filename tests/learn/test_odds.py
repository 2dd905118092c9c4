"""Odds of edges: what votes are, and that calibration makes them true."""

import numpy as np
import pytest

from trueness.graphs import ARROW, TAIL
from trueness.studies.learn.odds import Calibration, Votes, calibrate, votes_of

FORWARD, UNDIRECTED, NOTHING = (np.array(marks, dtype=np.int8) for marks in (
    [[0, ARROW], [TAIL, 0]], [[0, TAIL], [TAIL, 0]], [[0, 0], [0, 0]],
))  # fmt: skip


def test_an_undirected_edge_counts_half_each_way_and_learners_count_alike():
    votes = votes_of([[FORWARD, FORWARD, UNDIRECTED, NOTHING], [NOTHING], []], 2)
    assert votes.adjacent[0, 1] == votes.adjacent[1, 0] == pytest.approx((3 / 4 + 0) / 2)
    assert votes.onward[0, 1] == pytest.approx((2.5 / 4) / 2) and votes.onward[1, 0] == pytest.approx((0.5 / 4) / 2)
    assert votes.confounded.max() == 0


def simulated(rng, d=12, graphs=20, honest=0.5):
    """Votes of a learner that is surer than it is right: shares are pushed to the ends."""
    chance = rng.random((d, d))
    chance = np.triu(chance, 1) + np.triu(chance, 1).T
    there = np.triu(rng.random((d, d)) < chance, 1)
    logit = np.log(chance + 1e-9) - np.log(1 - chance + 1e-9)
    pushed = 1 / (1 + np.exp(-logit / honest))
    share = np.triu(rng.binomial(graphs, np.clip(pushed, 0, 1)) / graphs, 1)
    share = share + share.T
    return Votes(share, share / 2, share * 0, graphs), there


def test_overconfident_shares_are_drawn_in():
    rng = np.random.default_rng(1)
    made = calibrate([simulated(rng) for _ in range(40)])
    assert made.twins == 40 and 0.3 < made.slope < 0.8
    errors = {}
    for name, calibration in (("as counted", Calibration()), ("calibrated", made)):
        odds, truth = [], []
        for votes, there in (simulated(rng) for _ in range(60)):
            above = np.triu_indices(12, 1)
            odds.append(calibration.odds(votes)[0][above])
            truth.append(there[above])
        odds, truth = np.concatenate(odds), np.concatenate(truth)
        bins = np.digitize(odds, np.linspace(0, 1, 11))
        errors[name] = sum(abs(odds[bins == k].sum() - truth[bins == k].sum()) for k in np.unique(bins)) / len(odds)
    assert errors["calibrated"] < 0.05 < errors["as counted"]


def test_without_twins_shares_stay_as_they_are():
    assert calibrate([]) == Calibration()
    present, onward = Calibration().odds(votes_of([[FORWARD] * 99], 2))
    assert present[0, 1] == present[1, 0] == pytest.approx(0.995) and onward[0, 1] == pytest.approx(0.995)
    assert present[0, 0] == 0
