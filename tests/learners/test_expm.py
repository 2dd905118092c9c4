"""The exponential of a non-negative matrix and h(W) equal scipy's, and keep digits that scipy's lose."""

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from scipy.linalg import expm

from trueness.learners.kernels.expm import acyclicity


def weights(seed, d, density, scale):
    rng = np.random.default_rng(seed)
    found = rng.normal(scale=scale, size=(d, d)) * (rng.random((d, d)) < density)
    np.fill_diagonal(found, 0.0)
    return found


@given(
    seed=st.integers(0, 10**6), d=st.integers(2, 25), density=st.floats(0.05, 1), scale=st.sampled_from([0.05, 0.5, 2])
)
@settings(max_examples=60)
def test_h_and_its_gradient_are_those_of_scipys_exponential(seed, d, density, scale):
    w = weights(seed, d, density, scale)
    whole = expm(w * w)
    h, gradient = acyclicity(w)
    assert h == pytest.approx(np.trace(whole) - d, rel=1e-9, abs=1e-12 * np.trace(whole))
    np.testing.assert_allclose(gradient, whole.T * 2 * w, rtol=1e-9, atol=1e-11 * whole.max())


def test_a_tiny_cycle_keeps_its_digits():
    w = np.zeros((2, 2))
    w[0, 1], w[1, 0] = 0.5, 1e-9
    h, _ = acyclicity(w)  # 2 (cosh(sqrt(a b)) - 1) = a b + (a b)^2 / 12 + ...
    assert h == pytest.approx(0.25e-18, rel=1e-12)
    assert np.trace(expm(w * w)) - 2 == 0.0  # what is lost where the identity is subtracted afterwards
