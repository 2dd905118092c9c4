"""A comparison prints itself whole, and adjustments are those of statsmodels."""

import json
import pickle

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from trueness.statistics import adjusted, paired_difference
from trueness.statistics.multiplicity import adjust, verdict_levels
from trueness.statistics.paired import mcnemar_p

ps = st.lists(st.floats(0, 1), min_size=1, max_size=20)


def rng(seed=0):
    return np.random.default_rng(seed)


def comparison(shift=1.0, seed=1, n=6):
    r = rng(seed)
    base = r.normal(size=n)
    return paired_difference(base + shift + 0.2 * r.normal(size=n), base, names=("gpt-x", "heuristic"))


@settings(max_examples=40)
@given(ps, st.sampled_from([("holm", "holm"), ("bh", "fdr_bh")]))
def test_adjusted_p_values_are_statsmodels(p, methods):
    from statsmodels.stats.multitest import multipletests

    ours, theirs = methods
    assert adjust(p, ours) == pytest.approx(multipletests(p, method=theirs)[1])


def test_a_comparison_that_was_not_made_is_not_counted():
    assert adjust([0.01, np.nan, 0.04]) == pytest.approx([0.02, np.nan, 0.04], nan_ok=True)
    untested = paired_difference([1.0], [0.0])
    found = adjusted([comparison(), untested])
    assert found[0].n_comparisons == 1 and found[1].p_adjusted is None and found[1].p_final is None


def test_the_sentence_holds_estimate_interval_n_test_and_adjustment():
    found, _ = adjusted([comparison(n=7), comparison(0.1, 2, n=7)], "holm")
    text = found.described(measure="interval score", units="items", clusters="data sets", better="higher").sentence()
    assert text.startswith("gpt-x is better than heuristic by ")
    for part in (
        "95 % CI",
        "interval score",
        "paired over 7 items",
        "exact sign-flip p = 0.016",
        "Holm-adjusted 0.031",
    ):
        assert part in text
    assert "With 7 items no smaller p can be reached." in text


def test_no_claim_is_made_that_the_adjusted_p_does_not_carry():
    alone = comparison()
    many = adjusted([alone, *(comparison(0.0, seed) for seed in range(2, 6))], "holm")[0]
    assert alone.distinguishable and not many.distinguishable
    assert "is higher than" in str(alone) and "cannot be told apart once 5 comparisons are adjusted for" in str(many)


def test_a_row_is_plain_json_and_a_comparison_crosses_a_process_border():
    found = comparison()
    assert json.loads(json.dumps(found.row())) == found.row()
    assert pickle.loads(pickle.dumps(found)) == found
    assert {"difference", "low", "high", "p", "p_adjusted", "n_units", "n_clusters", "test"} <= set(found.row())


@given(st.lists(st.floats(0.0, 1.0), min_size=1, max_size=12), st.sampled_from(["bh", "holm"]))
def test_the_level_of_a_verdict_is_passed_exactly_where_the_adjusted_test_rejects(p, method):
    levels, rejected = verdict_levels(p, method), adjust(p, method) <= 0.05 + 1e-12
    near = np.abs(np.asarray(p) - (1 - levels)) < 1e-9
    assert ((np.asarray(p) <= 1 - levels) == rejected)[~near].all()
    assert (levels >= 0.95 - 1e-12).all()


@pytest.mark.parametrize("alternative", ["two-sided", "greater", "less"])
def test_mcnemar_is_the_sign_flip_test_of_passes(alternative):
    rng = np.random.default_rng(2)
    a, b = rng.integers(0, 2, (2, 14)).astype(float)
    assert mcnemar_p(a - b, alternative) == pytest.approx(paired_difference(a, b, alternative=alternative).p)
    assert mcnemar_p(np.array([0.5, 1.0])) is None
