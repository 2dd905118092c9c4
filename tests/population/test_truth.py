"""Truth: weighted conditional distributions and how well the survey knows them."""

import numpy as np
import pandas as pd
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from tests.population.made import levels, microdata, people, question
from trueness.errors import DataError
from trueness.studies.population.questions import TargetPopulation, Variable
from trueness.studies.population.truth import truth_of


def rng():
    return np.random.default_rng(7)


def small():
    return pd.DataFrame(
        {
            "sex": ["male", "male", "female", "male", "female", "female"],
            "age": [20, 30, 30, 50, 60, 70],
            "w": [1.0, 1.0, 2.0, 3.0, 1.0, 2.0],
        }
    )


def test_shares_are_those_counted_by_hand():
    truth = truth_of(question(), rng(), microdata(small()))
    assert truth.conditions == ("18-39", "40 or more")
    assert truth.probs == pytest.approx(np.array([[2 / 3, 1 / 3], [1 / 3, 2 / 3]]))
    assert truth.weights == pytest.approx([0.5, 0.5])
    assert truth.n_eff == pytest.approx([3, 3])


def test_weighted_shares_and_kish_are_those_counted_by_hand():
    truth = truth_of(question(weight="w"), rng(), microdata(small()))
    assert truth.probs == pytest.approx(np.array([[0.5, 0.5], [0.5, 0.5]]))
    assert truth.weights == pytest.approx([0.4, 0.6])
    assert truth.n_eff == pytest.approx([16 / 6, 36 / 14])  # (sum w)^2 / sum w^2
    assert truth.rows / truth.n_eff == pytest.approx([3 * 6 / 16, 3 * 14 / 36])


def test_the_bootstrap_of_cells_spreads_as_resampled_rows_do():
    frame = people(600, seed=3)
    truth = truth_of(question(weight="w"), rng(), microdata(frame), draws=4_000)
    young = frame[frame.age < 40]
    male, w = (young.sex == "male").to_numpy(), young.w.to_numpy()
    picks = np.random.default_rng(0).integers(0, len(young), (4_000, len(young)))
    resampled = (male[picks] * w[picks]).sum(axis=1) / w[picks].sum(axis=1)
    assert truth.draws[:, 0, 0].std() == pytest.approx(resampled.std(), rel=0.06)
    assert truth.draws[:, 0, 0].mean() == pytest.approx(resampled.mean(), abs=0.004)


def test_clusters_that_agree_lower_the_effective_size():
    frame = people(2_000)
    cluster = frame.cluster.to_numpy()
    frame["sex"] = np.where(cluster % 2 == 0, "male", "female")  # a whole cluster has one sex
    alone = truth_of(question(), rng(), microdata(frame))
    together = truth_of(question(clusters="cluster"), rng(), microdata(frame))
    assert (together.n_eff < 60).all()  # 40 clusters, whatever the rows
    assert (alone.n_eff > 500).all()


def test_strata_keep_their_shares_in_every_draw():
    frame = people(800).assign(stratum=lambda f: (f.sex == "male").astype(int), person=range(800))
    frame["age"] = 30
    asked = question(given=(Variable("age", levels=levels("30")),), clusters="person", strata="stratum")
    truth = truth_of(asked, rng(), microdata(frame))
    assert truth.draws.std() == pytest.approx(truth.probs.std(), rel=1e-6)  # the strata fix the outcome
    assert truth.draws[:, 0, 0].std() < 1e-9


def test_replicate_weights_give_the_variance_they_were_made_for():
    frame = people(1_000)
    generator = np.random.default_rng(5)
    names = [f"r{k}" for k in range(1, 401)]
    replicates = pd.DataFrame(generator.poisson(1.0, (1_000, 400)).astype(float), columns=names)
    frame = pd.concat([frame, replicates], axis=1)
    asked = question(replicate_weights=tuple(names), replicate_scale=1 / 400)
    by_replicates = truth_of(asked, rng(), microdata(frame))
    by_cells = truth_of(question(), rng(), microdata(frame))
    assert by_replicates.n_eff == pytest.approx(by_cells.n_eff, rel=0.25)  # 400 replicates know a variance to 7 %
    assert by_replicates.design == "replicates"


def test_missing_and_unlisted_rows_are_counted_not_guessed():
    frame = small().assign(sex=["male", None, "female", "other", "female", "male"])
    asked = question(outcome=Variable("sex", levels=levels("male", "female"), only=True))
    truth = truth_of(asked, rng(), microdata(frame))
    assert (truth.n_missing, truth.n_unlisted, truth.rows.sum()) == (1, 1, 4)


def test_the_population_filters_the_rows():
    frame = people().assign(year=lambda f: 2019 + f.index % 2)
    population = TargetPopulation(
        "adults", "Testland", "2020", (18.0, 64.0), "age", "year", {"cluster": {"from": 0, "to": 19}}
    )
    truth = truth_of(question(population=population), rng(), microdata(frame))
    kept = frame[(frame.year == 2020) & (frame.age <= 64) & (frame.cluster <= 19)]
    assert truth.rows.sum() == len(kept)
    assert truth.n_outside == len(frame) - len(kept)


def test_a_prompt_may_not_claim_ages_that_the_data_lack():
    population = TargetPopulation("people", "Testland", "2020", (0.0, 99.0), "age")
    with pytest.raises(DataError, match=r"'ages' .* must be those of the data \(18 to 79 in 'age'\), got 0 to 99"):
        truth_of(question(population=population), rng(), microdata(people()))


def test_a_level_of_the_data_that_is_not_listed_is_not_dropped_in_silence():
    outcome = Variable("sex", levels=levels("male"))
    with pytest.raises(DataError, match="got none for female. Add them, or set only = true"):
        truth_of(question(outcome=outcome), rng(), microdata(people()))


def test_thin_conditions_are_left_out_and_named():
    frame = people().assign(age=lambda f: f.age.where(f.index != 0, 95))
    asked = question(given=(Variable("age", bins=(18, 40, 90), ordinal=True),), least=30)
    truth = truth_of(asked, rng(), microdata(frame))
    assert truth.conditions == ("18-39", "40-89")
    assert truth.thin == {"90 or more": 1}


@settings(max_examples=30)
@given(st.lists(st.tuples(st.booleans(), st.booleans(), st.floats(0.01, 50)), min_size=4, max_size=60))
def test_every_draw_is_a_distribution_and_kish_is_at_most_the_rows(rows):
    rows = [(True, True, 1.0), (True, False, 1.0), (False, True, 1.0), (False, False, 1.0), *rows]
    frame = pd.DataFrame(rows, columns=["m", "old", "w"])
    frame = frame.assign(sex=np.where(frame.m, "male", "female"), age=np.where(frame.old, 60, 20))
    truth = truth_of(question(weight="w"), rng(), microdata(frame), draws=50)
    assert truth.draws.sum(axis=-1) == pytest.approx(1.0)
    assert (truth.draws >= 0).all()
    assert (truth.kish <= truth.rows + 1e-9).all()
    assert truth.marginal.sum() == pytest.approx(1.0)


def test_body_mass_called_weight_is_never_used_unless_it_is_named():
    frame = people()
    plain = truth_of(question(), rng(), microdata(frame))
    without = truth_of(question(), rng(), microdata(frame.drop(columns="weight")))
    named = truth_of(question(weight="weight"), rng(), microdata(frame))
    assert np.array_equal(plain.probs, without.probs)
    assert np.array_equal(plain.draws, without.draws)
    assert not np.allclose(plain.probs, named.probs)
