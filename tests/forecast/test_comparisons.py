"""Who forecasts better: the original's test beside the one that counts data sets."""

import numpy as np
import pytest
from scipy import stats

from tests.forecast.handmade import claim, over, spread, study, truth
from trueness.studies.forecast.comparisons import comparisons

NAMES = [f"d{k}" for k in range(8)]
LEARNERS = ("pc", "fci", "lingam")


def truths(names=NAMES, learners=("pc",)):
    return [truth(spread(0.5 + 0.01 * k), dataset=name, learner=m) for k, name in enumerate(names) for m in learners]


def row(analysis, a, b, score="interval_score_scaled"):
    table = analysis.table
    return table[(table["a"] == a) & (table["b"] == b) & (table["score"] == score)].iloc[0]


def test_a_better_model_in_every_data_set_has_the_smallest_exact_p():
    claims = over(NAMES, 0.4, 0.7, respondent="good") + over(NAMES, 0.0, 0.1, respondent="bad")
    found = row(comparisons(study(claims, truths())), "good", "bad")
    assert found["difference"] < 0 and found["better"] == "lower"
    assert found["p_sign_flip"] == pytest.approx(2 / 2**8) == found["smallest_p"]
    assert found["significant_clustered"]


def test_items_of_one_data_set_are_many_to_wilcoxon_and_one_to_the_exact_test():
    names = NAMES[:3]
    claims = [
        claim(dataset=d, learner=m, low=0.4 if who == "good" else 0.0, high=0.6 if who == "good" else 0.1 + 0.01 * k)
        | {"respondent": who}
        for k, d in enumerate(names)
        for m in LEARNERS
        for who in ("good", "bad")
    ]
    found = row(comparisons(study(claims, truths(names, LEARNERS))), "good", "bad")
    assert found["n_items"] == 9 and found["n_datasets"] == 3
    assert found["p_wilcoxon"] < 0.05 < found["p_sign_flip"] == 0.25


def test_the_original_p_is_scipys_wilcoxon_over_items():
    claims = over(NAMES, 0.4, 0.6, respondent="a") + [
        claim(dataset=name, low=0.3, high=0.5 + 0.02 * k, respondent="b") for k, name in enumerate(NAMES)
    ]
    forecasts = study(claims, truths())
    wide = forecasts.scores.pivot(index="dataset", columns="respondent", values="interval_score_scaled")
    expected = stats.wilcoxon(wide["a"] - wide["b"]).pvalue
    assert row(comparisons(forecasts), "a", "b")["p_wilcoxon"] == pytest.approx(expected)


def test_a_difference_is_taken_where_both_answered():
    claims = over(NAMES, 0.4, 0.6, respondent="a") + over(NAMES[:5], 0.4, 0.6, respondent="b")
    claims += over(NAMES[5:], None, None, respondent="b")
    assert row(comparisons(study(claims, truths())), "a", "b")["n_datasets"] == 5


def test_arms_that_one_did_not_answer_are_left_out_of_the_other():
    # a is bad under `steps`, where b gave nothing readable: on `direct` both are the same
    claims = over(NAMES, 0.4, 0.6, respondent="a") + over(NAMES, 0.4, 0.6, respondent="b")
    claims += over(NAMES, 0.0, 0.1, respondent="a", formulation="steps")
    claims += over(NAMES, None, None, respondent="b", formulation="steps")
    assert row(comparisons(study(claims, truths())), "a", "b")["difference"] == 0


def test_a_reference_for_runs_is_not_compared_with_claims_about_the_mean():
    reference = over(NAMES, 0.4, 0.6, respondent="baseline/x", formulation="reference")
    claims = over(NAMES, 0.4, 0.6, target="mean") + reference
    found = row(comparisons(study(claims, truths(), references=("baseline/x",))), "m", "baseline/x")
    assert found["n_items"] == 0 and np.isnan(found["difference"])


def test_six_data_sets_are_said_to_be_too_few():
    claims = [c for k in range(5) for c in over(NAMES[:6], 0.1 * k, 0.5, respondent=f"m{k}")]
    told = str(comparisons(study(claims, truths(NAMES[:6]))))
    assert "after holm over 10 comparisons 0.31: no difference can reach 0.05" in told
