"""H1 to H5 and their three verdicts."""

import numpy as np
import pytest

from tests.forecast.handmade import claim, over, spread, study, truth
from trueness.intervals import Interval
from trueness.studies.forecast.comparisons import robustness
from trueness.studies.forecast.contrasts import contrasts
from trueness.studies.forecast.hypotheses import CANNOT, NOT_SUPPORTED, SUPPORTED, hypotheses, verdict

NAMES = [f"d{k}" for k in range(11)]
TRUTHS = [truth(spread(0.5), dataset=name) for name in NAMES]


def decided(forecasts):
    return hypotheses(forecasts, contrasts(forecasts), robustness(forecasts)).table.set_index("hypothesis")


def naive(low, high, name="baseline/random", names=NAMES):
    return over(names, low, high, respondent=name, formulation="reference")


@pytest.mark.parametrize(
    ("p", "smallest", "interval", "expected"),
    [
        (0.05, 0.01, (0.1, 0.3), SUPPORTED),
        (0.06, 0.01, (-0.1, 0.3), NOT_SUPPORTED),  # the design could have told
        (0.06, 0.06, (-0.1, 0.3), CANNOT),
        (0.99, 0.06, (-0.3, -0.1), NOT_SUPPORTED),  # the design could not, but the interval is on the wrong side
        (np.nan, 0.01, None, CANNOT),
        (1.0, 1.0, None, CANNOT),
    ],
)
def test_the_rule_of_the_verdicts(p, smallest, interval, expected):
    found = Interval(*interval, 0.95, "mean") if interval else None
    assert verdict(p, smallest, found, (0.0, np.inf)) == expected


def test_beating_every_naive_reference_on_eleven_data_sets_is_understanding():
    claims = over(NAMES, 0.4, 0.6) + naive(0.0, 0.2) + naive(0.0, 1.0, "baseline/heuristic")
    found = decided(study(claims, TRUTHS, references=("baseline/random", "baseline/heuristic"))).loc["H1"]
    assert found["verdict"] == SUPPORTED and found["n"] == 11
    assert "hardest of 2" in found["what"]


def test_ranges_that_cover_their_level_are_calibrated():
    # 96 of 100 runs lie within .0965 of the middle
    found = decided(study(over(NAMES, 0.4035, 0.5965), TRUTHS)).loc["H2"]
    assert found["estimate"] == pytest.approx(0.96) and found["verdict"] == SUPPORTED


@pytest.mark.parametrize(("low", "high"), [(0.49, 0.51), (0.0, 1.0)])
def test_too_narrow_and_always_right_are_both_not_calibrated(low, high):
    assert decided(study(over(NAMES, low, high), TRUTHS)).loc["H2", "verdict"] == NOT_SUPPORTED


def framed(shift):
    return [
        c
        for repeat in (0, 1)
        for k, name in enumerate(("direct", "steps"))
        for c in over(NAMES, 0.4 + k * shift, 0.6 + k * shift, formulation=name, repeat=repeat)
    ]


def test_equal_answers_to_all_formulations_are_robust_and_different_ones_are_not():
    assert decided(study(framed(0.0), TRUTHS)).loc["H3", "verdict"] == SUPPORTED
    assert decided(study(framed(0.3), TRUTHS)).loc["H3", "verdict"] == NOT_SUPPORTED


def graded(n, order=1):
    """Model k is off by k: the higher the number, the worse."""
    return [c for k in range(n) for c in over(NAMES, 0.4 - 0.05 * k * order, 0.5 - 0.05 * k, respondent=f"m{k}")]


def test_capability_that_goes_with_quality_needs_five_models():
    five = {f"m{k}": 10 - k for k in range(5)}
    assert decided(study(graded(5), TRUTHS, notes={"capability": five})).loc["H4", "verdict"] == SUPPORTED
    three = decided(study(graded(3), TRUTHS, notes={"capability": five})).loc["H4"]
    assert three["verdict"] == CANNOT and three["n"] == 3


@pytest.mark.parametrize(("better", "expected"), [("pc", SUPPORTED), ("fci", NOT_SUPPORTED)])
def test_knowing_which_learner_does_better_is_specific(better, expected):
    truths = [
        truth(spread(0.7 if m == "pc" else 0.3), dataset=name, learner=m) for name in NAMES for m in ("pc", "fci")
    ]
    claims = [
        claim(dataset=name, learner=m, low=0.5 if m == better else 0.1, high=0.9 if m == better else 0.5)
        for name in NAMES
        for m in ("pc", "fci")
    ]
    assert decided(study(claims, truths)).loc["H5", "verdict"] == expected


def test_a_sentence_has_estimate_interval_n_and_adjustment():
    claims = over(NAMES[:5], 0.4, 0.5) + over(NAMES[5:], 0.4, 0.6)
    sentence = decided(study(claims, TRUTHS)).loc["H2", "sentence"]
    assert "11 data sets" in sentence and "Holm over" in sentence and "[" in sentence
    constant = decided(study(over(NAMES, 0.4, 0.5), TRUTHS)).loc["H2", "sentence"]
    assert "0.5, no interval (the same on every data set)" in constant and "[" not in constant


def two_learners(better):
    """Eleven data sets on which pc does .52 and fci .48; who is `better` is claimed to be so, narrowly and nearby."""
    truths = [
        truth(spread(0.5 + sign * 0.02), dataset=d, learner=a) for d in NAMES for a, sign in (("pc", 1), ("fci", -1))
    ]
    claims = [
        claim(dataset=d, learner=a, low=0.39 + 0.02 * (a == better), high=0.59 + 0.02 * (a == better))
        for d in NAMES
        for a in ("pc", "fci")
    ]
    return study(
        claims + naive(0.0, 0.2) + [c | {"learner": "fci"} for c in naive(0.0, 0.2)], truths, ("baseline/random",)
    )


def test_understanding_weighs_all_the_evidence():
    knows, does_not = decided(two_learners("pc")).loc["H1"], decided(two_learners("fci")).loc["H1"]
    assert knows["verdict"] == SUPPORTED and "aligned p" in knows["what"] and "learners p" in knows["what"]
    assert does_not["verdict"] == NOT_SUPPORTED and "hardest: learners" in does_not["what"]
    assert "not weighed" in knows["what"] and "rewording" in knows["what"]  # one formulation
