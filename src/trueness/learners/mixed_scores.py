"""Scores of tables with categories and numbers: degenerate Gaussian BIC (kernels/mixed_scores.py), also with gaps, and
conditional Gaussian BIC (kernels/conditional.py), without: mean likelihoods of families with other rows differ by
n^-1/2, which log(n) / n cannot outweigh, so that columns with gaps become parents by chance.

With gaps the correlations are pairwise, shrunk until positive definite, and n is the harmonic mean of the pairs' rows
(scoring/covariance.py); `gaps_note` says both.
"""

from __future__ import annotations

from typing import TYPE_CHECKING

import numpy as np
from numpy.typing import NDArray

from trueness.datasets.table import Table
from trueness.errors import DataError
from trueness.learners.gaps import DummyCoded, cell_values
from trueness.learners.kernels import scores as kernel

if TYPE_CHECKING:
    from trueness.learners.scoring.covariance import Correlations


def mixed_scorer(table: Table, penalty: float, max_parents: int) -> kernel.Scorer:
    """The local scores of a table with at least one number."""
    embedded = DummyCoded(table)
    p, d, n = embedded.values.shape[1], table.d, table.n
    varying = np.flatnonzero(np.nanstd(embedded.values, axis=0) > 0)
    moments = np.zeros((p + 1, p))
    moments[p, varying] = 2 * np.log(np.nanstd(embedded.values[:, varying], axis=0))
    if table.has_gaps:
        pairwise = _pairwise(table, embedded, varying)
        moments[np.ix_(varying, varying)], n = pairwise.matrix, pairwise.effective_n
    else:
        z = embedded.standardise()[varying]
        moments[np.ix_(varying, varying)] = z @ z.T / n
    wide = np.sort(np.diff(embedded.first))[::-1]
    limit = min(max_parents, d - 1, max(int(np.searchsorted(np.cumsum(wide), n - 2, side="right")) - 1, 0))
    return kernel.mixed_scorer(moments, embedded.first, n, penalty, limit)


def conditional_scorer(table: Table, penalty: float, max_parents: int) -> kernel.Scorer:
    if table.has_gaps:
        raise DataError(
            f"{table.source} must have no gaps for score = 'cg-bic', got some. Set missing = 'complete' or 'impute', "
            "or score = 'bic'."
        )
    values, levels = cell_values(table), np.zeros(table.d, np.int64)
    for j in np.flatnonzero(table.discrete):  # only levels that occur have parameters
        occurring, values[j] = np.unique(values[j], return_inverse=True)
        levels[j] = len(occurring)
    variances = np.where(table.discrete, 0.0, 2 * np.log(table.values.std(axis=0)))
    return kernel.conditional_scorer(np.column_stack([values, variances]), levels, penalty, max_parents)


def gaps_note(table: Table) -> str:
    """What a score of a table with gaps rests on; '' without gaps."""
    if not table.has_gaps:
        return ""
    embedded = DummyCoded(table)
    pairwise = _pairwise(table, embedded, np.flatnonzero(np.nanstd(embedded.values, axis=0) > 0))
    repair = f", shrunk to the identity by {pairwise.shrinkage:.3g} to be positive definite" * (pairwise.shrinkage > 0)
    return f"pairwise correlations of {pairwise.effective_n:,} rows on the whole (of {table.n:,}){repair}"


def _pairwise(table: Table, embedded: DummyCoded, varying: NDArray[np.intp]) -> Correlations:
    if table.kind == "discrete":
        raise DataError(
            f"{table.source} must have no gaps for a score of categories alone, got some. Set missing = 'complete' or "
            "'impute', or use a learner that tests (pc, fci)."
        )
    from trueness.learners.scoring.covariance import pairwise_correlations  # with scipy.stats, which few need

    return pairwise_correlations(embedded.as_observed(table, varying))
