"""Out-of-fold boosted truth of P(Y | X1 ... Xk)."""

import numpy as np
import pandas as pd
import pytest

from tests.population.made import levels, microdata, question
from trueness.studies.population.questions import Variable
from trueness.studies.population.survey_rows import rows_of
from trueness.studies.population.truth import boosted_truth

pytest.importorskip("sklearn")


def asked(**changes):
    given = tuple(Variable(name, levels=levels("0", "1", "2")) for name in ("a", "b", "c"))
    outcome = Variable("y", levels=levels("yes", "no"))
    return question(outcome=outcome, given=given, high_dimensional=True, **changes)


def rows(n, rng):
    frame = pd.DataFrame(rng.integers(0, 3, (n, 3)), columns=list("abc"))
    chance = 0.1 + 0.2 * frame.a + 0.2 * (frame.b == 2)
    return frame.assign(y=np.where(rng.random(n) < chance, "yes", "no")), chance


@pytest.mark.slow
def test_the_truth_is_near_what_made_the_rows_and_says_how_near():
    rng = np.random.default_rng(0)
    frame, _ = rows(1_500, rng)
    truth = boosted_truth(rows_of(asked(), microdata(frame)), rng, draws=300, repeats=5)
    assert len(truth.conditions) == 27
    known = {}
    for a in range(3):
        for b in range(3):
            for c in range(3):
                known[f"a: {a}; b: {b}; c: {c}"] = 0.1 + 0.2 * a + 0.2 * (b == 2)
    off = truth.probs[:, 0] - np.array([known[condition] for condition in truth.conditions])
    assert np.sqrt(np.mean(off**2)) < 0.08
    assert truth.design == "model"
    assert truth.draws.mean(axis=0) == pytest.approx(truth.probs, abs=0.03)
    spread = truth.draws[:, :, 0].std(axis=0)
    assert np.sqrt(np.mean((off / spread) ** 2)) < 3  # its own uncertainty is of the size of the error


def test_pure_noise_is_not_learnt_because_predictions_are_out_of_fold():
    rng = np.random.default_rng(1)
    frame, _ = rows(600, rng)
    frame["y"] = rng.permutation(np.repeat(["yes", "no"], 300))
    truth = boosted_truth(rows_of(asked(), microdata(frame)), rng, draws=50, repeats=2)
    assert np.average(truth.probs[:, 0], weights=truth.weights) == pytest.approx(0.5, abs=0.05)
