"""The adaptive lasso on the Gram matrix equals scikit-learn's."""

from importlib import import_module

import numpy as np
import pytest

from tests.each import each
from trueness.learners.kernels.lasso import adaptive_lasso


@pytest.fixture(scope="module")
def sklearn():
    """Its linear models, imported by the process that runs this file, not by each that collects it."""
    return import_module("sklearn.linear_model")


def data(seed, n=300, p=8):
    rng = np.random.default_rng(seed)
    x = rng.laplace(size=(n, p)) @ rng.normal(size=(p, p))
    y = x[:, : p // 2] @ rng.normal(size=p // 2) + rng.laplace(size=n)
    return x - x.mean(axis=0), y - y.mean()


@each("seed", range(20))
def test_few_rows_select_what_scikit_learn_selects(seed, sklearn):
    x, y = data(seed, n=15, p=12)
    scale = np.abs(sklearn.LinearRegression().fit(x, y).coef_)
    theirs = sklearn.LassoLarsIC(criterion="bic").fit(x * scale, y).coef_ * scale
    ours = adaptive_lasso(x.T @ x, x.T @ y, float(y @ y), len(y))
    np.testing.assert_array_equal(ours != 0, theirs != 0)
    np.testing.assert_allclose(ours, theirs, rtol=1e-6)


@each("seed", range(20))
def test_the_adaptive_lasso_is_the_one_lingam_and_causaldisco_use(seed, sklearn):
    x, y = data(seed)
    scale = np.abs(sklearn.LinearRegression().fit(x, y).coef_)
    theirs = sklearn.LassoLarsIC(criterion="bic").fit(x * scale, y).coef_ * scale
    ours = adaptive_lasso(x.T @ x, x.T @ y, float(y @ y), len(y))
    np.testing.assert_allclose(ours, theirs, atol=1e-8)
