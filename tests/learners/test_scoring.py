"""Every scorer: a matrix over the columns, gaps handled as its card says, the same seed the same scores."""

import importlib.util

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from tests.each import each
from trueness import registry
from trueness.datasets.observed import Observed
from trueness.errors import DataError
from trueness.learners.scoring import EdgeScorer, EdgeScores, scorer

SCORERS = registry.names("scorer")

SMALL = {"rc-gnn": {"members": 3, "settling": 2}, "dag-gnn": {"steps": 15, "rounds": 2}}
EXTRAS = {"dag-gnn": "torch", "pcmci+": "tigramite"}
SERIES = ("granger", "pcmci+")


def made(name, **settings):
    if name in EXTRAS and importlib.util.find_spec(EXTRAS[name]) is None:
        pytest.skip(f"{EXTRAS[name]} is not installed")
    return scorer(name, **SMALL.get(name, {}), **settings)


def series(seed=0, n=240, d=4, missing=0.0, lags=1):
    """X0 -> X1 -> X2, X3 alone; each effect one row later."""
    rng = np.random.default_rng(seed)
    x = rng.laplace(size=(n, d))
    for t in range(1, n):
        x[t] += 0.3 * x[t - 1]
        x[t, 1] += 0.7 * x[t - 1, 0]
        x[t, 2] += 0.7 * x[t - 1, 1]
    x[rng.random(x.shape) < missing] = np.nan
    return Observed(tuple("ABCD"[:d]), x, (None,) * d, "the series", None, lags)


@each("name", SCORERS)
def test_every_scorer_keeps_the_contract(name):
    """Shape, sign and diagonal; what its card says of gaps, symmetry and chance; the same bits; data unchanged."""
    known, data = made(name), series(missing=0.1)
    before = data.values.copy()
    found, again, other = (known.scores(data, np.random.default_rng(seed)) for seed in (3, 3, 4))
    assert isinstance(known, EdgeScorer) and isinstance(found, EdgeScores)
    assert found.names == ("A", "B", "C", "D") and found.matrix.shape == (4, 4)
    assert found.matrix.max() > 0 and (found.matrix >= 0).all() and not found.matrix.diagonal().any()
    assert found.symmetric == known.card.symmetric
    assert np.array_equal(found.matrix, found.matrix.T) or not found.symmetric
    assert found.handles_missing == known.card.missing
    assert found.matrix.tobytes() == again.matrix.tobytes()
    assert found.matrix.tobytes() == other.matrix.tobytes() or not known.card.deterministic
    assert np.array_equal(before, data.values, equal_nan=True)


@each("name", SCORERS)
def test_gaps_are_not_zeros(name):
    """Filling 0 into columns whose mean is 50 changes everything; handling gaps as the card says hardly anything."""
    known, whole = made(name), series()
    shifted = Observed(whole.names, whole.values + 50, whole.levels, "shifted", None, 1)
    gaps = np.random.default_rng(5).random(whole.values.shape) < 0.05
    holed = Observed(whole.names, np.where(gaps, np.nan, shifted.values), whole.levels, "holed", None, 1)
    zeros = Observed(whole.names, np.where(gaps, 0.0, shifted.values), whole.levels, "zeros", None, 1)
    full, handled, filled = (known.scores(data, np.random.default_rng(0)).matrix for data in (shifted, holed, zeros))
    assert not np.array_equal(handled, filled)
    jumping = ("rc-gnn", "dag-gnn", "lingam", "pc", "notears")  # their scores can, with a small change
    if name not in jumping:
        assert np.abs(handled - full).max() < 0.5 * full.max()


@each("name", SCORERS)
def test_scores_do_not_depend_on_units(name):
    known, data = made(name), series()
    scaled = Observed(data.names, data.values * [1, 100, 0.01, 7] + 3, data.levels, "scaled", None, 1)
    one, other = (known.scores(each, np.random.default_rng(0)).matrix for each in (data, scaled))
    assert np.allclose(one, other, rtol=0.02, atol=0.02 * one.max())


@each("name", SCORERS)
def test_an_empty_column_is_refused_by_name(name):
    values = series().values.copy()
    values[:, 2] = np.nan
    with pytest.raises(DataError, match="'C'"):
        made(name).scores(Observed(tuple("ABCD"), values, (None,) * 4, "holes", None, 1), np.random.default_rng(0))


@each("name", SERIES)
def test_a_scorer_of_series_refuses_rows_without_order(name):
    with pytest.raises(DataError, match="must be a series"):
        made(name).scores(series(lags=0), np.random.default_rng(0))


@each("name", SERIES)
def test_a_series_shorter_than_its_lags_is_refused(name):
    with pytest.raises(DataError, match="fewer lags"):
        made(name, lags=100).scores(series(), np.random.default_rng(0))


@settings(max_examples=30)
@given(st.integers(0, 10_000), st.permutations(range(4)))
def test_permuted_columns_give_permuted_scores(seed, order):
    data = series(seed, missing=0.1)
    for name in ("correlation", "notears-lite", "granger"):
        known = scorer(name)
        straight = known.scores(data, np.random.default_rng(0)).matrix
        permuted = known.scores(data.columns(order), np.random.default_rng(0)).matrix
        assert np.allclose(permuted, straight[np.ix_(order, order)], rtol=1e-6, atol=1e-9)
