"""PCMCI+: lagged and contemporaneous links of a series by momentary conditional independence (tigramite).

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
from dataclasses import dataclass
from typing import ClassVar, TypedDict

import numpy as np
from numpy.random import Generator
from numpy.typing import NDArray

from trueness.datasets.table import Table
from trueness.errors import DataError
from trueness.learners.base import Alpha, Card
from trueness.learners.scoring.edge_scores import EdgeScores, Lags, Scorer, answer, series
from trueness.registry import need

FLAG = 999.0  # tigramite's mark of a missing value; columns are standardised, none reaches it by itself
_SHARE = {"-->": 1.0, "o-o": 0.5, "x-x": 0.5, "": 0.5, "<--": 0.0}


class Links(TypedDict):
    """(cause, effect, lag) each."""

    graph: NDArray[np.str_]
    val_matrix: NDArray[np.float64]
    p_matrix: NDArray[np.float64]


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
            frame = processing.DataFrame(np.where(seen.missing, FLAG, z), missing_flag=FLAG, var_names=list(seen.names))
            try:
                made = search.PCMCI(dataframe=frame, cond_ind_test=tests.ParCorr(), verbosity=0)
                links: Links = made.run_pcmciplus(tau_min=0, tau_max=lags, pc_alpha=self.alpha)
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


SCORERS = {"pcmci+": PCMCIPlus}
