"""The references: their formulas and what they may not see."""

import numpy as np
import pytest

from tests.forecast.example import DATASETS
from tests.forecast.truths import truth, truths
from trueness.errors import DataError
from trueness.studies.forecast.references import REFERENCES, heuristic_base, reference_claims

SHARES = [0.1, 0.2, 0.3, 0.4, 0.5, 0.6, 0.7]
ATLAS = {"pc": {measure: {"run": SHARES, "mean": SHARES} for measure in ("f1", "shd")}}
ABOUT = {name: DATASETS[name] | {"atlas": ATLAS} for name in ("asia", "cancer", "child", "sachs")}


def beta(dataset, seed, learner="pc", measure="f1", n=100):
    rng = np.random.default_rng(seed)
    if measure == "shd":
        pairs = ABOUT[dataset]["nodes"] * (ABOUT[dataset]["nodes"] - 1) / 2
        return truth(rng.binomial(int(pairs), 0.1 + 0.1 * rng.random(), n), measure, dataset, learner, upper=pairs)
    return truth(rng.beta(8, 4, n) * (1 - 0.1 * seed), measure, dataset, learner)


@pytest.fixture(scope="module")
def four():
    return truths(*(beta(name, k, measure=m) for k, name in enumerate(ABOUT) for m in ("f1", "shd")))


def at(claims, level=0.95, **where):
    rows = claims[claims["level"] == level]
    for name, value in where.items():
        rows = rows[rows[name] == value]
    assert len(rows) == 1
    return rows.iloc[0]


def test_each_reference_claims_three_levels_and_a_median(four):
    found = reference_claims(four, ABOUT, targets=("run", "mean"))
    assert set(found["formulation"]) == {"reference"}
    for name in REFERENCES:
        rows = found[found["respondent"] == name]
        assert sorted(rows["level"].unique()) == [0.5, 0.8, 0.95]
        assert (rows["status"] == "ok").all()
        assert ((rows["low"] <= rows["median"]) & (rows["median"] <= rows["high"])).all()
        wide = rows.pivot_table(index=["dataset", "measure", "target", "repeat"], columns="level", values="low")
        assert (wide[0.95] <= wide[0.8]).all() and (wide[0.8] <= wide[0.5]).all()


def test_the_atlas_says_what_was_planned_with_shd_in_pairs(four):
    found = reference_claims(four, ABOUT, ["baseline/atlas"])
    asia = at(found, dataset="asia", measure="shd")
    assert (asia["low"], asia["median"], asia["high"]) == pytest.approx((2.8, 11.2, 19.6))  # of 28 pairs


def test_a_study_of_before_the_atlas_and_a_learner_that_it_lacks_are_refused_with_the_reason(four):
    before = {name: {key: value for key, value in own.items() if key != "atlas"} for name, own in ABOUT.items()}
    found = reference_claims(four, before, ["baseline/atlas"])
    assert set(found["status"]) == {"refused"} and set(found["flags"]) == {"planned before there was an atlas"}
    other = truths(beta("asia", 0, "score"))
    assert "no score" in reference_claims(other, ABOUT, ["baseline/atlas"])["flags"].iloc[0]


@pytest.mark.parametrize("bad", [[0.1] * 6, "abcdefg", [0.1] * 6 + [2.0], [[0.1] * 7], {"a": 1}])
def test_a_stored_study_with_another_atlas_is_refused(four, bad):
    about = {name: own | {"atlas": {"pc": {"f1": {"run": bad}, "shd": {"run": bad}}}} for name, own in ABOUT.items()}
    with pytest.raises(DataError, match="must be 7 shares"):
        reference_claims(four, about, ["baseline/atlas"])


@pytest.mark.parametrize(  # worked by hand from the formula of the original protocol
    ("learner", "rows", "nodes", "base"),
    [
        ("pc", 10_000, 8, 0.55 + 0.1 - 0.12),
        ("lingam", 1_000, 12, 0.60 + 0 - 0.18),
        ("fci", 5_000, 20, 0.50 + 0.1 * np.log10(5) - 0.20),
        ("notears", 10**6, 5, 0.58 + 0.15 - 0.075),
        ("fci", 10, 30, 0.2),
    ],
)
def test_heuristic_base(learner, rows, nodes, base):
    assert heuristic_base(learner, rows, nodes) == pytest.approx(base)


def test_heuristic_ranges_are_those_of_the_original(four):
    found = reference_claims(four, ABOUT, ["baseline/heuristic"])
    share, count = at(found, dataset="asia", measure="f1"), at(found, dataset="asia", measure="shd")
    assert (share["low"], share["high"]) == pytest.approx((0.43, 0.63))
    assert (count["low"], count["high"]) == pytest.approx((0.47 * 28 / 2 - 2.8, 0.47 * 28 / 2 + 2.8))


def test_climatology_never_sees_the_data_set_it_forecasts(four):
    before = reference_claims(four, ABOUT, ["baseline/climatology"])
    other = dict(four) | truths(beta("asia", 9), beta("asia", 8, measure="shd"))
    after = reference_claims(other, ABOUT, ["baseline/climatology"])
    same = before["dataset"] == "asia"
    assert before[same].equals(after[same])
    assert not before[~same].equals(after[~same])


def test_climatology_weighs_cells_alike_whatever_their_runs():
    cells = (beta("asia", 0), truth([0.2] * 10, dataset="cancer"), truth([0.8] * 1000, dataset="child"))
    found = at(reference_claims(truths(*cells), ABOUT, ["baseline/climatology"]), dataset="asia")
    assert found["low"] == pytest.approx(0.2) and found["high"] == pytest.approx(0.8)
    assert found["median"] == pytest.approx(0.5, abs=0.31)
    of_mean = at(reference_claims(truths(*cells), ABOUT, ["baseline/climatology"], ["mean"]), dataset="asia")
    assert of_mean["median"] == pytest.approx(0.5)


def test_shd_travels_as_a_share_of_the_pairs():
    cells = (truth([14, 14, 14], "shd", "asia"), truth([1, 1, 1], "shd", "cancer", upper=10.0))
    found = reference_claims(truths(*cells), ABOUT, ["baseline/climatology"])
    assert at(found, dataset="asia")["median"] == pytest.approx(2.8)
    assert at(found, dataset="cancer")["median"] == pytest.approx(5.0)
