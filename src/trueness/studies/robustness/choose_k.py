"""How many edges to keep: K from what is known, and what was known for it.

    oracle_k               argmax_K mean F1 on the validation corruption, against the true graph       the original's
    k_from_other_graphs    argmax_K mean F1 over the other graphs: leave one graph out
    metric = "shd"         argmin_K of the mean SHD (fp + fn) instead, in both                         the original's
    interval of K          percentiles of the argmax over resampled curves (seeds of the graph)
    matched_k              one learner's K for all of them                                             the original's
    stability              number of pairs among the q largest scores in at least .7 of B half samples, and no truth:
                           q = sqrt((2 x .7 - 1) d (d - 1)), one false one expected  Meinshausen & Buehlmann 2010
    own rule               the edges that a learner keeps by itself; it says them with its scores

`oracle_k` sees the very truth that it is scored against; on the corruption it was chosen on, its F1 is the best that
any K could give. It is named oracle wherever it is shown.

Graphs may have different numbers of nodes: K is carried over as edges a node, K' = round(K d' / d). A series is halved
as one stretch, never row by row.
"""

from __future__ import annotations

import math
from collections.abc import Mapping, Sequence
from dataclasses import dataclass, replace
from typing import Literal

import numpy as np
from numpy.random import Generator
from numpy.typing import NDArray

from trueness.datasets.observed import Observed
from trueness.intervals import Interval
from trueness.learners.scoring import EdgeScorer
from trueness.statistics.result import interval_cells
from trueness.studies.robustness.sensitivity import Array, Counts, SensitivityCurve, sparsest

ORACLE, OTHERS, STABILITY = "oracle_k", "k_from_other_graphs", "stability"
Uses = Literal["the rows alone", "the truths of other graphs", "the truth of this graph (oracle)"]
Curves = Mapping[str, Sequence[SensitivityCurve]]  # graph -> its curves, one a seed or corruption
Metric = Literal["f1", "shd"]
RESAMPLES = 2000
FEWEST_CURVES = 6  # below it resampling cannot bound a K at 95 %
MATCHED = "matched to "  # and the method
STABLE_SHARE = 0.7


@dataclass(frozen=True)
class KChoice:
    """A K, how it was found, and on what."""

    k: int
    method: str
    uses: Uses
    learner: str = ""
    interval: Interval | None = None  # of K, where it was chosen on several curves that differ

    @property
    def is_oracle(self) -> bool:
        return "oracle" in self.uses

    @property
    def title(self) -> str:
        """The method, named an oracle where it is one."""
        return f"{self.method} (oracle)" if self.is_oracle and "oracle" not in self.method else self.method

    def row(self) -> dict[str, str | float | bool | None]:
        return {
            "learner": self.learner,
            "method": self.method,
            "k": self.k,
            **interval_cells(self.interval, "k"),
            "oracle": self.is_oracle,
            "uses": self.uses,
        }


def oracle_k(
    validation: Sequence[SensitivityCurve],
    learner: str = "",
    within: tuple[int, int] | None = None,
    metric: Metric = "f1",
    level: float = 0.95,
) -> KChoice:
    """The K with the best mean F1 (or SHD) over the curves of the validation corruption, the smallest of several.

    within: a K range, e.g. original_range(...); all K otherwise.
    """
    curves = [curve.between(*within) for curve in validation] if within else list(validation)
    merits = np.array([_merit(curve, metric) for curve in curves])
    k = curves[0].k[np.argmax(merits.mean(axis=0))]
    interval = _interval_of_k(curves[0].k, merits, level)
    return KChoice(int(k), ORACLE, "the truth of this graph (oracle)", learner, interval)


def _interval_of_k(ks: Counts, merits: Array, level: float) -> Interval | None:
    """Curves (rows) drawn anew; None of too few curves, or where every draw has the same K: a constant."""
    n, tail = len(merits), (1 - level) / 2
    if n < FEWEST_CURVES:
        return None
    draws = np.random.default_rng(0).multinomial(n, np.full(n, 1 / n), RESAMPLES)
    low, high = np.quantile(ks[np.argmax(draws @ merits, axis=1)], [tail, 1 - tail], method="nearest")
    return Interval(low, high, level, "mean") if low < high else None


def k_from_other_graphs(curves: Curves, target: str, learner: str = "", metric: Metric = "f1") -> KChoice:
    """The K for `target` with the best mean F1 (or SHD) over all other graphs; each graph weighs the same."""
    others = [several for name, several in curves.items() if name != target]
    d = curves[target][0].nodes
    wanted = np.arange(1, d * (d - 1) + 1)
    value = np.mean(
        [np.mean([_merit_at(curve, wanted * curve.nodes / d, metric) for curve in some], axis=0) for some in others], 0
    )
    return KChoice(int(wanted[np.argmax(value)]), OTHERS, "the truths of other graphs", learner)


def matched_k(choice: KChoice, learner: str) -> KChoice:
    """The same K for another learner, as the original had it; it favours the learner that it was chosen for."""
    return replace(choice, learner=learner, method=f"{MATCHED}{choice.method}")


def f1_at(curves: Sequence[SensitivityCurve], k: int) -> float:
    """Mean F1 over curves at one K."""
    return float(np.mean([_merit(curve, "f1")[curve.place(k)] for curve in curves]))


def _merit(curve: SensitivityCurve, metric: Metric) -> Array:
    """The larger the better. F1 is 0 where nothing is kept of nothing: no edge is the worst that a K can do."""
    return np.nan_to_num(curve.f1) if metric == "f1" else -curve.shd_reversals_twice


def _merit_at(curve: SensitivityCurve, k: Array, metric: Metric) -> Array:
    """At the nearest K that the curve has."""
    place = np.clip(np.rint(k).astype(np.intp), curve.k[0], curve.k[-1]) - curve.k[0]
    return np.asarray(_merit(curve, metric)[place])


# ---- without a truth


def stability_k(scorer: EdgeScorer, data: Observed, rng: Generator, subsamples: int = 20) -> int:
    """By stability selection; the bound is loose, so K is small. 1 where the rows favour no edge."""
    q = round(math.sqrt((2 * STABLE_SHARE - 1) * data.d * (data.d - 1)))
    halves = [scorer.scores(data.rows(_half(data, rng)), rng).matrix for _ in range(subsamples)]
    among = np.array([sparsest(matrix, max(q, 1)) != 0 for matrix in halves])
    return max(int(np.count_nonzero(among.mean(axis=0) >= STABLE_SHARE)), 1)


def _half(data: Observed, rng: Generator) -> NDArray[np.intp]:
    """Half of the rows: any, or one stretch of a series."""
    half = data.n // 2
    if data.lags:
        start = int(rng.integers(0, data.n - half + 1))
        return np.arange(start, start + half)
    return np.sort(rng.permutation(data.n)[:half])
