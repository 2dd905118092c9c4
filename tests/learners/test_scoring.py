"""Every scorer: a matrix over the columns, gaps handled as its card says, the same seed the same scores."""

import importlib.util

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from tests.each import each
from trueness import registry
from trueness.datasets.observed import Observed
from trueness.errors import DataError, MissingExtra
from trueness.learners.scoring import EdgeScorer, EdgeScores, scorer
from trueness.registry import need

SCORERS = registry.names("scorer")

SMALL = {"rc-gnn": {"members": 3, "settling": 2}, "dag-gnn": {"steps": 15, "rounds": 2}}
EXTRAS = {"dag-gnn": "torch", "pcmci+": "tigramite", "lpcmci": "tigramite", "varlingam": "lingam"}
SERIES = ("granger", "pcmci+", "lpcmci", "varlingam", "dynotears")


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
def test_every_scorer_has_the_contracts_shape(name):
    known = made(name)
    found = known.scores(series(), np.random.default_rng(0))
    assert isinstance(known, EdgeScorer) and isinstance(found, EdgeScores)
    assert found.names == ("A", "B", "C", "D")
    assert found.matrix.shape == (4, 4) and (found.matrix >= 0).all() and not found.matrix.diagonal().any()
    assert found.matrix.max() > 0


@each("name", SCORERS)
def test_a_scorer_that_calls_itself_symmetric_is(name):
    known = made(name)
    found = known.scores(series(), np.random.default_rng(0))
    assert found.symmetric == known.card.symmetric
    assert np.array_equal(found.matrix, found.matrix.T) or not found.symmetric


@each("name", SCORERS)
def test_the_same_seed_gives_the_same_bits(name):
    known, data = made(name), series(missing=0.1)
    one, other = (known.scores(data, np.random.default_rng(3)).matrix for _ in range(2))
    assert one.tobytes() == other.tobytes()


@each("name", [name for name in SCORERS if name not in ("rc-gnn", "dag-gnn", "lingam", "pc", "fci", "varlingam")])
def test_a_scorer_that_calls_itself_deterministic_does_not_use_the_generator(name):
    known, data = made(name), series(missing=0.1)
    one, other = (known.scores(data, np.random.default_rng(seed)).matrix for seed in (1, 2))
    assert one.tobytes() == other.tobytes()


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
    jumping = ("rc-gnn", "dag-gnn", "lingam", "pc", "fci", "notears", "dagma")  # their scores can, with a small change
    if name not in jumping:
        assert np.abs(handled - full).max() < 0.5 * full.max()


@each("name", SCORERS)
def test_the_card_says_how_gaps_are_handled(name):
    known = made(name)
    found = known.scores(series(missing=0.1), np.random.default_rng(0))
    assert found.handles_missing == known.card.missing
    assert found.handles_missing.startswith(("own likelihood", "pairwise", "imputation: ", "complete rows"))


@each("name", SCORERS)
def test_scores_do_not_depend_on_units(name):
    known, data = made(name), series()
    scaled = Observed(data.names, data.values * [1, 100, 0.01, 7] + 3, data.levels, "scaled", None, 1)
    one, other = (known.scores(each, np.random.default_rng(0)).matrix for each in (data, scaled))
    assert np.allclose(one, other, rtol=0.02, atol=0.02 * one.max())


@each("name", SCORERS)
def test_data_are_left_unchanged(name):
    data = series(missing=0.1)
    before = data.values.copy()
    made(name).scores(data, np.random.default_rng(0))
    assert np.array_equal(before, data.values, equal_nan=True)


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


def test_a_missing_package_is_one_line_with_the_command(monkeypatch):
    import importlib

    def absent(name):
        raise ModuleNotFoundError(f"No module named {name!r}", name=name)

    monkeypatch.setattr(importlib, "import_module", absent)
    with pytest.raises(MissingExtra, match=r"dag-gnn.* needs torch.*pip install 'trueness\[torch\]'"):
        need("torch", "dag-gnn")


@settings(max_examples=30)
@given(st.integers(0, 10_000), st.permutations(range(4)))
def test_permuted_columns_give_permuted_scores(seed, order):
    data = series(seed, missing=0.1)
    for name in ("correlation", "partial-correlation", "notears-lite", "granger"):
        known = scorer(name)
        straight = known.scores(data, np.random.default_rng(0)).matrix
        permuted = known.scores(data.columns(order), np.random.default_rng(0)).matrix
        assert np.allclose(permuted, straight[np.ix_(order, order)], rtol=1e-6, atol=1e-9)
