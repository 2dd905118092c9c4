"""Correlations with gaps, and the rows that stand in for them."""

import numpy as np
import pytest

from trueness.datasets.observed import Observed
from trueness.errors import DataError
from trueness.learners.notears import NOTEARS
from trueness.learners.pc import PC
from trueness.learners.scoring.covariance import fill_by_correlations, pairwise_correlations


def holed(seed=0, n=400, d=5, missing=0.2):
    rng = np.random.default_rng(seed)
    x = rng.standard_normal((n, d)) @ (np.eye(d) + 0.3 * rng.standard_normal((d, d))) * 10 + 100
    x[rng.random(x.shape) < missing] = np.nan
    return Observed(tuple(f"X{j}" for j in range(d)), x, (None,) * d, "holes")


def test_pairwise_correlations_are_those_of_pandas():
    import pandas as pd

    data = holed()
    found = pairwise_correlations(data)
    assert found.shrinkage == 0
    assert np.allclose(found.matrix, pd.DataFrame(data.values).corr().to_numpy(), atol=1e-12)


def test_learners_that_use_correlations_alone_answer_the_same_from_stand_ins():
    data = holed(missing=0.0)
    z = (data.values - data.values.mean(axis=0)) / data.values.std(axis=0)
    rows = pairwise_correlations(data).stand_in()
    assert rows.n == data.n
    assert PC().fit(rows) == PC().fit(data)
    assert np.allclose(NOTEARS().fit_details(rows).weights, NOTEARS().fit_details(z).weights, atol=1e-4)


def test_columns_never_seen_together_are_refused():
    x = np.random.default_rng(0).standard_normal((100, 2))
    x[:50, 0] = x[50:, 1] = np.nan
    with pytest.raises(DataError, match="observed together"):
        pairwise_correlations(Observed(("a", "b"), x, (None, None), "halves"))


def test_a_gap_is_drawn_given_what_is_there_in_its_own_row():
    """x_mis = C_mo C_oo^-1 x_obs + cholesky(C_mm - C_mo C_oo^-1 C_om) noise, row by row, in standard units."""
    rng = np.random.default_rng(1)
    x = rng.standard_normal((60, 4)) @ rng.standard_normal((4, 4))
    x[rng.random(x.shape) < 0.4] = np.nan
    x[7] = np.nan
    data = Observed(tuple("abcd"), x, (None,) * 4, "gaps", None, 0)
    centre, scale = np.nanmean(x, axis=0), np.nanstd(x, axis=0)
    c, z = pairwise_correlations(data).matrix, (x - centre) / scale
    noise = np.random.default_rng(0).standard_normal(x.shape)
    for row, draw in zip(z, noise, strict=True):
        gap = np.isnan(row)
        slope = c[np.ix_(gap, ~gap)] @ np.linalg.inv(c[np.ix_(~gap, ~gap)])
        left = c[np.ix_(gap, gap)] - slope @ c[np.ix_(~gap, gap)]
        row[gap] = slope @ row[~gap] + np.linalg.cholesky(left) @ draw[gap]
    assert len({tuple(row) for row in np.isnan(x)}) > 8
    assert fill_by_correlations(data, np.random.default_rng(0)) == pytest.approx(z * scale + centre)
