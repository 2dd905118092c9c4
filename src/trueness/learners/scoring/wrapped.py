"""Scorers by known methods. Of columns: correlation, NOTEARS-lite, NOTEARS, LiNGAM, PC; of series: Granger, PCMCI+.

    correlation    |R_ij|, symmetric
    notears-lite   one pass on R:  W_ij = -O_ij / O_jj, the least-squares weights of all others on j
                   (O = (R + ridge I)^-1), then one step down h(W) = tr exp(W o W) - d, whose gradient is
                   (exp(W o W))' o 2W:  W <- W o (1 - (exp(W o W))' / (2 max)),  so that what closes strong ways back
                   shrinks most.  A baseline: no search, no guarantee of a DAG.
    notears        |W_ij| before any threshold, on standardised columns: the scale of a column gives no order away
    lingam         |B_ij| on standardised columns
    pc             the mean over resamples of the rows (blocks of rows of a series) of what the learned marks say: 1 for
                   i -> j, 1/2 for i - j, else 0

What each would keep by its own rule (`own_k`): |W| > .3, every weight of LiNGAM, an edge of at least half of the
resamples. All but LiNGAM use the data through correlations and n alone, so gaps are handled pairwise
(scoring/covariance.py). `transform`: "normal scores" ranks each column first, which outliers cannot sway.

Granger: do i's past values help to predict j, given everybody's past?

    x_t = c + A_1 x_{t-1} + ... + A_L x_{t-L} + u_t                            least squares
    H0(i -> j): A_1[j, i] = ... = A_L[j, i] = 0      F = b' V^-1 b / L,  b the L coefficients, V their covariance,
                                                     with L and d (T - L - dL - 1) degrees of freedom

One joint F test of all lags for each ordered pair: no least p over lags is picked. Without gaps these are the F and p
of statsmodels' VAR(...).fit(L).test_causality(kind="f"). matrix[i, j] = F of i -> j; all pairs share their degrees of
freedom, so the ranks are those of 1 - p without its rounding to 1. Granger (1969); Luetkepohl (2005), ch. 3.6.

Gaps are filled by linear interpolation in time. Least squares need no more than the correlations of (x_t, x_{t-1}, ...,
x_{t-L}); outliers can be ranked away (`transform`).

PCMCI+: lagged and contemporaneous links of a series by momentary conditional independence (tigramite).

    for each pair and lag l = 0 ... L:  x_i(t - l) and x_j(t) are tested given the lagged parents of both and, for
    l = 0, sets of contemporaneous neighbours; partial correlation (ParCorr), then colliders and rules as in PC.

matrix[i, j] = max over l of share_ij(l) |r_ij(l)|, r the partial correlation of the pair's strongest separating test;
share is 1 for a link i -> j (any lagged link), 1/2 for an undirected one and where there is none, 0 against the arrow.
p-values are in the details; |r| ranks like them and does not vanish. Runge (2020), UAI; tigramite 5.2.
"""

from __future__ import annotations

import contextlib
import io
import warnings
from dataclasses import dataclass, field
from typing import Annotated, ClassVar, Literal

import numpy as np
from numpy.random import Generator
from numpy.typing import NDArray

from trueness.datasets.observed import Observed
from trueness.datasets.table import Table
from trueness.errors import DataError
from trueness.learners import lingam, notears, pc
from trueness.learners.base import Alpha, AtLeast0, Card
from trueness.learners.scoring.covariance import (
    DRAWS,
    INTERPOLATION,
    PAIRWISE,
    Correlations,
    Transform,
    fill_by_correlations,
    interpolate,
    normal_scores,
    pairwise_correlations,
    with_lags,
)
from trueness.learners.scoring.edge_scores import Array, EdgeScores, Lags, Scorer, answer, as_observed, series
from trueness.registry import need
from trueness.settings import Between, Hint

THRESHOLD = 0.3  # of |W|: what the papers keep


@dataclass(frozen=True)
class CorrelationScorer(Scorer):
    """|r| of each pair."""

    transform: Transform = "none"

    card: ClassVar[Card] = Card(
        title="Correlation",
        summary="The size of each pair's correlation; says nothing of direction.",
        missing=PAIRWISE,
        assumes=("no indirect dependence",),
        paper="baseline",
        symmetric=True,
    )

    def scores(self, data: Table, rng: Generator | None = None) -> EdgeScores:
        seen = as_observed(data, self)
        r = pairwise_correlations(seen, self.transform)
        matrix, details = self._strength(r)
        return answer(self, seen, matrix, shrinkage=r.shrinkage, **details)

    def _strength(self, r: Correlations) -> tuple[Array, dict[str, object]]:
        return np.abs(r.matrix), {"counts": r.counts}


@dataclass(frozen=True)
class NotearsLite(CorrelationScorer):
    """Regression of each column on all others, and one step against cycles."""

    ridge: Annotated[float, Between(0, 1, closed=True)] = 0.01

    card: ClassVar[Card] = Card(
        title="NOTEARS-lite",
        summary="One pass on the covariance: least-squares weights, and one gradient step of NOTEARS' constraint.",
        missing=PAIRWISE,
        assumes=("linear relations", "causal sufficiency", "acyclicity"),
        paper="baseline after Zheng, Aragam, Ravikumar & Xing 2018",
    )

    def _strength(self, r: Correlations) -> tuple[Array, dict[str, object]]:
        from scipy.linalg import expm

        precision = np.linalg.inv(r.matrix + self.ridge * np.eye(len(r.matrix)))
        weights = -precision / precision.diagonal()
        np.fill_diagonal(weights, 0.0)
        ways_back = expm(np.clip(weights**2, 0.0, 4.0)).T
        np.fill_diagonal(ways_back, 0.0)
        return np.abs(weights) * (1 - 0.5 * ways_back / max(ways_back.max(), 1.0)), {"weights": weights}


@dataclass(frozen=True)
class NOTEARSScorer(Scorer):
    """|W| of linear NOTEARS. A small lambda1 leaves few ties at 0."""

    lambda1: AtLeast0 = 0.02
    transform: Transform = "none"

    card: ClassVar[Card] = Card(
        title="NOTEARS",
        summary="The sizes of the weights of linear NOTEARS on standardised columns.",
        missing=PAIRWISE,
        assumes=("linear relations", "causal sufficiency", "acyclicity"),
        paper=notears.NOTEARS.card.paper,
    )

    def scores(self, data: Table, rng: Generator | None = None) -> EdgeScores:
        seen = as_observed(data, self)
        r = pairwise_correlations(seen, self.transform)
        fit = notears.NOTEARS(lambda1=self.lambda1, solver="reference").fit_details(r.stand_in())
        size = np.abs(fit.weights)
        n_edges = int(np.count_nonzero(size > THRESHOLD))
        return answer(self, seen, size, h=fit.h, own_k=n_edges, shrinkage=r.shrinkage, converged=fit.converged)


@dataclass(frozen=True)
class LiNGAMScorer(Scorer):
    """|B| of DirectLiNGAM. It needs the shape of the noise, so correlations do not do: gaps are drawn."""

    card: ClassVar[Card] = Card(
        title="DirectLiNGAM",
        summary="The sizes of the weights of DirectLiNGAM on standardised columns.",
        missing=DRAWS,
        assumes=("linear relations", "non-Gaussian noise", "causal sufficiency", "acyclicity"),
        paper=lingam.DirectLiNGAM.card.paper,
        deterministic=False,
    )

    def scores(self, data: Table, rng: Generator | None = None) -> EdgeScores:
        rng = np.random.default_rng(rng)
        seen = as_observed(data, self)
        values = fill_by_correlations(seen, rng)
        z = (values - values.mean(axis=0)) / values.std(axis=0)
        fit = lingam.DirectLiNGAM().fit_details(Table(seen.names, z, (None,) * seen.d, seen.source))
        weights = np.zeros((seen.d, seen.d)) if fit.graph.weights is None else fit.graph.weights  # it has no edge
        n_edges = int(np.count_nonzero(weights))
        return answer(self, seen, np.abs(weights), order=fit.order, ties=fit.ties, own_k=n_edges)


@dataclass(frozen=True)
class PCScorer(Scorer):
    """How often an edge is found in `repeats` resamples of the rows, or each pair's strongest separating test."""

    alpha: Alpha = 0.05
    score: Literal["stability"] = "stability"  # a setting still, by which fits of before are known
    repeats: Annotated[int, Between(1, 10_000, closed=True), Hint("Try 50.")] = 20
    transform: Transform = "none"

    card: ClassVar[Card] = Card(
        title="PC",
        summary="How often each edge is found in resamples.",
        missing=PAIRWISE,
        assumes=pc.PC.card.assumes,
        paper=pc.PC.card.paper,
        deterministic=False,
    )

    def scores(self, data: Table, rng: Generator | None = None) -> EdgeScores:
        rng = np.random.default_rng(rng)
        seen = as_observed(data, self)
        # the rule for colliders that docs/rcgnn.md is measured with: what another is worth for a ranking is not known
        learner = pc.PC(alpha=self.alpha, test="fisher-z", colliders="separating set", conflicts="first")
        share = np.zeros((seen.d, seen.d))
        for _ in range(self.repeats):
            sample = pairwise_correlations(seen.rows(_resample(seen, rng)), self.transform)
            graph = learner.fit(sample.stand_in())
            share += np.where(graph.directed, 1.0, np.where(graph.undirected, 0.5, 0.0))
        share /= self.repeats
        return answer(self, seen, share, own_k=int(np.count_nonzero(share >= 0.5)))


def _resample(seen: Observed, rng: Generator) -> NDArray[np.intp]:
    """Rows with replacement; of a series whole blocks of about n^(1/3) rows, which keep its dependence."""
    length = round(seen.n ** (1 / 3)) if seen.lags else 1
    starts = rng.integers(0, seen.n - length + 1, size=-(-seen.n // length))
    return (starts[:, None] + np.arange(length)).reshape(-1)[: seen.n].astype(np.intp)


# ---- series

ALPHA = 0.05  # Granger's own rule of what to keep; the score does not know it


@dataclass(frozen=True)
class Granger(Scorer):
    """Joint F tests of all lags in one VAR."""

    lags: Lags = None
    transform: Transform = field(default="none", metadata={"later": True})

    card: ClassVar[Card] = Card(
        title="Granger",
        summary="Joint F tests, for each ordered pair, of all lags of one in a vector autoregression of all.",
        missing=INTERPOLATION,
        assumes=("linear relations", "stationarity", "no effects within a time step", "causal sufficiency"),
        paper="Granger 1969; Luetkepohl 2005",
        needs_series=True,
    )

    def scores(self, data: Table, rng: Generator | None = None) -> EdgeScores:
        from scipy import stats

        seen, lags = series(data, self, self.lags)
        values = interpolate(seen.values)
        if self.transform == "normal scores":
            values = normal_scores(values)
        f, rows_left = joint_f(seen, values, lags)
        freedom = (lags, seen.d * rows_left)
        p = stats.f.sf(f, *freedom)
        n_edges = int(np.count_nonzero(p[~np.eye(seen.d, dtype=bool)] < ALPHA))
        return answer(self, seen, f, p_values=p, freedom=freedom, lags=lags, own_k=n_edges)


def joint_f(seen: Observed, values: Array, lags: int) -> tuple[Array, int]:
    """(d, d): F of i -> j; and the rows that the regressions leave."""
    n, d = values.shape
    rows = with_lags(seen, values, lags)
    r = pairwise_correlations(rows).matrix
    past, now = r[d:, d:], r[d:, :d]
    if np.linalg.matrix_rank(rows.values[:, d:]) < d * lags:
        raise DataError(f"{seen.source} must have no column that is a linear function of others' past.")
    effects: Array = np.linalg.solve(past, now).astype(np.float64)  # row l d + i: of x_i(t - l - 1)
    inverse: Array = np.linalg.inv(past).astype(np.float64)
    noise = r[:d, :d] - now.T @ effects  # of standardised columns, by n
    rows_left = max(n - lags - len(inverse) - 1, 1)
    f, scale = np.zeros((d, d)), noise.diagonal() / rows_left
    for i in range(d):
        of_i: NDArray[np.intp] = i + d * np.arange(lags)
        b = effects[of_i]  # (L, d): on every j
        f[i] = np.einsum("lj,lm,mj->j", b, np.linalg.inv(inverse[np.ix_(of_i, of_i)]), b) / scale / lags
    return f, rows_left


FLAG = 999.0  # tigramite's mark of a missing value; columns are standardised, none reaches it by itself
_SHARE = {"-->": 1.0, "o-o": 0.5, "x-x": 0.5, "": 0.5, "<--": 0.0}


@dataclass(frozen=True)
class PCMCIPlus(Scorer):
    """tigramite's run_pcmciplus with partial correlations."""

    lags: Lags = None
    alpha: Alpha = 0.05

    card: ClassVar[Card] = Card(
        title="PCMCI+",
        summary="Momentary conditional independence at each lag, oriented by time and by colliders.",
        missing="complete rows of each test (tigramite's missing_flag)",
        assumes=("linear relations", "stationarity", "causal sufficiency", "faithfulness", "acyclicity within a step"),
        paper="Runge 2020",
        needs_series=True,
        needs="tigramite",
    )

    def scores(self, data: Table, rng: Generator | None = None) -> EdgeScores:
        seen, lags = series(data, self, self.lags)
        z = (seen.values - np.nanmean(seen.values, axis=0)) / np.nanstd(seen.values, axis=0)
        z = np.where(np.abs(z) == FLAG, np.nextafter(FLAG, 0), z)
        with contextlib.redirect_stdout(io.StringIO()), warnings.catch_warnings():  # it prints and warns as it goes
            warnings.simplefilter("ignore")
            processing, tests, search = (
                need(f"tigramite.{part}", f"scorer {self.card.title!r}")
                for part in ("data_processing", "independence_tests.parcorr", "pcmci")
            )
            frame = processing.DataFrame(np.where(seen.gaps, FLAG, z), missing_flag=FLAG, var_names=list(seen.names))
            try:
                made = search.PCMCI(dataframe=frame, cond_ind_test=tests.ParCorr(), verbosity=0)
                links = made.run_pcmciplus(tau_min=0, tau_max=lags, pc_alpha=self.alpha)
            except ValueError as error:  # it drops every window with a gap, and may be left with none
                raise DataError(
                    f"{seen.source} must leave {self.card.title} some windows without a gap, got: {error}. "
                    "Use fewer lags, or a scorer that takes gaps pairwise."
                ) from None
        graph, r = links["graph"], np.abs(np.nan_to_num(links["val_matrix"]))
        share = np.vectorize(lambda link: _SHARE.get(str(link), 0.5), otypes=[np.float64])(graph)
        kept = ((share > 0) & (graph != "")).any(axis=2) & ~np.eye(seen.d, dtype=bool)
        scores, n_edges = (share * r).max(axis=2), int(np.count_nonzero(kept))
        return answer(self, seen, scores, graph=graph, p_values=links["p_matrix"], lags=lags, own_k=n_edges)


SCORERS = {
    "correlation": CorrelationScorer,
    "notears-lite": NotearsLite,
    "notears": NOTEARSScorer,
    "lingam": LiNGAMScorer,
    "pc": PCScorer,
    "granger": Granger,
    "pcmci+": PCMCIPlus,
}
