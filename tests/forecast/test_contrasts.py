"""Learners in order, pairs of learners and of data sets: who is better, by how much, on which data."""

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from tests.forecast.handmade import claim, spread, study, truth
from trueness.studies.forecast.contrasts import contrasts, order_agreement, ranking

FAMILY = {"pc": "constraint-based", "fci": "constraint-based", "lingam": "functional"}
NAMES = ("asia", "child", "synthetic-12", "synthetic-30", "sachs", "wine")


def made(predicted, measured, names=NAMES, breaks=None):
    """predicted, measured: (data set, learner) -> the middle of the claim, and of the runs."""
    truths = [truth(spread(measured(d, a), 0.02), dataset=d, learner=a) for d in names for a in FAMILY]
    claims = [
        claim(dataset=d, learner=a, low=predicted(d, a) - 0.05, high=predicted(d, a) + 0.05)
        for d in names
        for a in FAMILY
    ]
    forecasts = study(claims, truths)
    for name, family in FAMILY.items():
        more = {"family": family, "breaks": (breaks or {}).get(name, {})}
        forecasts.learners[name] = {**forecasts.learners[name], **more}
    return forecasts


def of(forecasts, kind, a, b):
    table = contrasts(forecasts).table
    return table[(table["kind"] == kind) & (table["a"] == a) & (table["b"] == b)].iloc[0]


def better(d, a):
    return {"pc": 0.5, "fci": 0.4, "lingam": 0.7 if d != "sachs" else 0.3}[a]


def test_who_is_better_by_how_much_and_on_which_data():
    row = of(made(lambda d, a: {"pc": 0.5, "fci": 0.4, "lingam": 0.6}[a], better), "learners", "pc", "lingam")
    assert (row["right"], row["of"], row["wrong_on"]) == (5, 6, "sachs")
    assert np.isclose(row["measured"], (5 * -0.2 + 0.2) / 6) and np.isclose(row["predicted"], -0.1)
    assert np.isclose(row["off_by"], row["predicted"] - row["measured"]) and row["off_by_low"] < row["off_by"]


def test_knowing_a_pair_on_six_data_sets_is_told_with_its_exact_p():
    row = of(made(better, better), "learners", "pc", "fci")
    assert row["right"] == 6 and np.isclose(row["p"], 1 / 64) and row["p_holm"] >= row["p"]


def test_data_sets_of_the_document_are_compared_and_counted_by_learner():
    size = {"asia": 0.0, "child": -0.2, "synthetic-12": 0.0, "synthetic-30": -0.3}
    found = made(lambda d, a: 0.5, lambda d, a: 0.6 + size.get(d, 0.0))
    row = of(found, "data sets", "child", "asia")
    assert (row["unit"], row["right"], row["of"]) == ("learner", 0, 3) and np.isnan(row["p"])
    assert np.isclose(of(found, "data sets", "synthetic-30", "synthetic-12")["measured"], -0.3)


def test_broken_assumptions_are_held_against_kept_ones():
    gaussian = {"lingam": {"synthetic-12": ["non-Gaussian noise"], "synthetic-30": ["non-Gaussian noise"]}}

    def falls(d, a):
        return 0.3 if a == "lingam" and d.startswith("synthetic") else 0.6

    knows, blind = made(falls, falls, breaks=gaussian), made(lambda d, a: 0.6, falls, breaks=gaussian)
    assert of(knows, "broken", "non-Gaussian noise", "not broken")["right"] == 1
    assert of(blind, "broken", "non-Gaussian noise", "not broken")["right"] == 0
    row = of(knows, "assumptions", "broken", "not broken")
    assert (row["n"], row["right"]) == (2, 2) and np.isclose(row["measured"], -0.3)


def test_claims_that_have_no_cell_in_common_cannot_be_told():
    """pc was read on one data set and fci on the other: half of the replies had failed, and the report with them."""
    places = (("asia", "pc"), ("child", "fci"))
    truths = [truth(spread(0.5, 0.02), dataset=d, learner=a) for d, a in places]
    analysis = contrasts(study([claim(dataset=d, learner=a, low=0.4, high=0.6) for d, a in places], truths))
    assert not analysis.possible and "none has both" in " ".join(analysis.sentences)


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
    assert row["order"] == 0 and row["pairs"] == 0.5
    assert np.isnan(row["spearman"])


@given(st.lists(st.floats(0, 1), min_size=2, max_size=8, unique=True), st.randoms())
def test_agreement_is_symmetric_under_reversal(values, random):
    measured = np.array(values)
    predicted = np.array(random.sample(values, len(values)))
    assert order_agreement(measured, predicted) == -order_agreement(measured, -predicted)
    assert order_agreement(measured, measured) == 1
