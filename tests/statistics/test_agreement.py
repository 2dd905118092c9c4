"""Agreement: the krippendorff package, scikit-learn and Gwet's own example."""

import krippendorff
import numpy as np
import pytest
from tests.each import each

from trueness.errors import DataError, SettingError
from trueness.statistics import gwet_ac1, krippendorff_alpha, weighted_kappa

# Krippendorff (2011), computing alpha-reliability, example C: 4 observers, 12 units, missing values
EXAMPLE = np.array(
    [
        [1, 2, 3, 3, 2, 1, 4, 1, 2, np.nan, np.nan, np.nan],
        [1, 2, 3, 3, 2, 2, 4, 1, 2, 5, np.nan, 3],
        [np.nan, 3, 3, 3, 2, 3, 4, 2, 2, 5, 1, np.nan],
        [1, 2, 3, 3, 2, 4, 4, 1, 2, 5, 1, np.nan],
    ]
)


def rng(seed=0):
    return np.random.default_rng(seed)


def ratings(n=40, raters=3, seed=1):
    r = rng(seed)
    truth = r.integers(0, 4, n)
    return np.array([np.where(r.random(n) < 0.7, truth, r.integers(0, 4, n)) for _ in range(raters)], dtype=float)


@pytest.mark.parametrize(("scale", "value"), [("nominal", 0.743), ("ordinal", 0.815), ("interval", 0.849)])
def test_alpha_is_krippendorffs_example(scale, value):
    found = krippendorff_alpha(EXAMPLE, scale)
    assert found.value == pytest.approx(value, abs=5e-4)  # Krippendorff (2011), section C and D
    assert found.n == 11 and found.n_missing == 1  # one unit has a single value


@each("scale", ["nominal", "ordinal", "interval"])
@each("seed", range(4))
def test_alpha_is_the_krippendorff_packages(scale, seed):
    table = ratings(seed=seed)
    table[rng(seed).random(table.shape) < 0.2] = np.nan
    assert krippendorff_alpha(table, scale).value == pytest.approx(
        krippendorff.alpha(table, level_of_measurement=scale), abs=1e-10
    )


@pytest.mark.parametrize("weights", ["none", "linear", "quadratic"])
def test_kappa_is_scikit_learns(weights):
    from sklearn.metrics import cohen_kappa_score

    a, b = ratings(raters=2)
    peer = cohen_kappa_score(a, b, weights=None if weights == "none" else weights)
    assert weighted_kappa(a, b, weights).value == pytest.approx(peer)


def test_ac1_stays_up_where_kappa_falls():
    # Gwet (2008): 118 both yes, 5 and 2 split, none both no: the paradox of kappa
    a = np.array([1.0] * 118 + [1.0] * 5 + [0.0] * 2)
    b = np.array([1.0] * 118 + [0.0] * 5 + [1.0] * 2)
    kappa, ac1 = weighted_kappa(a, b, "none"), gwet_ac1([a, b])
    assert kappa.value == pytest.approx(-0.0234, abs=1e-3)
    assert ac1.value == pytest.approx(0.9408, abs=1e-3)


def test_copies_of_items_in_clusters_add_no_evidence():
    table = ratings(20)
    once = krippendorff_alpha(table)
    copied = krippendorff_alpha(np.repeat(table, 5, axis=1), clusters=np.repeat(np.arange(20), 5))
    assert copied.interval.width == pytest.approx(once.interval.width, rel=0.1)
    assert krippendorff_alpha(np.repeat(table, 5, axis=1)).interval.width < 0.6 * once.interval.width


def test_one_value_throughout_leaves_nothing_to_disagree_about():
    for found in (krippendorff_alpha(np.ones((2, 9))), weighted_kappa(np.ones(9), np.ones(9))):
        assert found.value is None and "nothing to disagree about" in str(found)


def test_wrong_ratings_are_refused():
    with pytest.raises(DataError, match="'ratings' must be"):
        krippendorff_alpha([1.0, 2.0])
    with pytest.raises(DataError, match="at most 200 categories"):
        krippendorff_alpha(rng().random((2, 300)), "ordinal")
    with pytest.raises(DataError, match="'categories' must be at least"):
        gwet_ac1(ratings(), categories=2)
    with pytest.raises(SettingError, match="'scale' must be one of"):
        krippendorff_alpha(ratings(), "ratio")
    with pytest.raises(DataError, match="one rating an item"):
        weighted_kappa([1.0], [1.0, 2.0])
    assert krippendorff_alpha(np.full((2, 3), np.nan)).value is None
