"""Whether learners are put in the right order."""

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from tests.forecast.handmade import claim, spread, study, truth
from trueness.studies.forecast.contrasts import order_agreement, ranking

LEARNERS = ("pc", "fci", "lingam", "notears")


def asked(datasets, centres, respondent="m", half=0.05):
    return [
        claim(dataset=d, learner=name, low=c - half, high=c + half, respondent=respondent)
        for d in datasets
        for name, c in zip(LEARNERS, centres, strict=True)
    ]


def runs(datasets, centres=(0.2, 0.4, 0.6, 0.8)):
    return [
        truth(spread(c), dataset=d, learner=name) for d in datasets for name, c in zip(LEARNERS, centres, strict=True)
    ]


def test_the_right_order_has_tau_one_and_the_reverse_minus_one():
    datasets = list("abcdef")
    claims = asked(datasets, (0.1, 0.2, 0.3, 0.4), "right") + asked(datasets, (0.4, 0.3, 0.2, 0.1), "wrong")
    table = ranking(study(claims, runs(datasets))).table.set_index("respondent")
    assert table.loc["right", ["order", "spearman", "kendall", "pairs"]].tolist() == [1, 1, 1, 1]
    assert table.loc["wrong", "order"] == -1 and table.loc["wrong", "pairs"] == 0
    assert table.loc["right", "p"] == pytest.approx(2 / 2**6)  # six data sets, all signs alike
    assert table.loc["right", "p_holm"] == pytest.approx(2 * 2 / 2**6)


def test_one_answer_for_all_learners_is_chance_and_not_missing():
    datasets = list("abc")
    analysis = ranking(study(asked(datasets, (0.5,) * 4), runs(datasets)))
    row = analysis.table.iloc[0]
    assert row["order"] == 0 and row["pairs"] == 0.5 and row["equal"] == 3
    assert np.isnan(row["spearman"])
    assert "one answer for all learners on 3 data sets" in str(analysis)


@given(st.lists(st.floats(0, 1), min_size=2, max_size=8, unique=True), st.randoms())
def test_agreement_is_symmetric_under_reversal(values, random):
    measured = np.array(values)
    predicted = np.array(random.sample(values, len(values)))
    assert order_agreement(measured, predicted) == -order_agreement(measured, -predicted)
    assert order_agreement(measured, measured) == 1
