"""RC-GNN: robust causal graph network. Signals are cleaned by messages along a graph, the graph is learned from them.

    reading      y_i(t) = x_i(t) + noise,  Student-t with `tails` degrees of freedom and spread r_i; or a gap
    signal       x_j(t) = b_j + sum over parents (i, l) of w_lij x_i(t - l) + e_j(t),    l = 0 ... lags
    regimes      in regime g the node j is either as above or held: x_j(t) = c_jg + e_jg(t), cut from its causes
    score of a graph and its held nodes, over nodes j, with n rows:
                 log likelihood of x_j, its shape included (negentropy of e_j: Hyvarinen 1998)
                 - edge_cost (log n) / 2 for an edge - held_cost log n for a held node and regime

In turns, `settling` + `members` times: the graph that a greedy search finds for the signals (edges within a row stay
acyclic), rows weighted at random (Bayesian bootstrap, of a series in blocks); then `sweeps` rounds of messages: each
x_i(t) is drawn given its reading, its causes and its effects, l rows later (Gibbs sampling: gaps are filled by as many
draws as there are members, outliers lose their weight). r_i is drawn for a series, where time tells noise from signal;
of rows without order it is READ_ERROR: there it could not be told from e_j.

    matrix[i, j] = mean over members of log(1 + G_ij) in the graph (0 outside) + .002 (mean of max(G_ij, -10) + 10)
                   G: what the score of the graph loses without i -> j, or would gain with it; the largest over lags
    details      frequency (d, d): the share of members with i -> j; own_k: those of half of them or more;
                 probability (d, d): how many of 100 such edges were true, of the systems it was developed on;
                 signal (n, d): its mean over members, in the data's units; noise (n, d) = reading - signal;
                 held (regimes, d): the share of members that hold a node; read_error (d,): r; effects (lags + 1, d, d)

Columns are standardised by median and interquartile range. A series without labels is cut into `segments`, which take
the place of regimes. It knows values, gaps, regimes and time order; no graph, no number of edges. The compiled loops:
learners/kernels/rcgnn.py.
"""

from __future__ import annotations

from dataclasses import dataclass
from typing import Annotated, ClassVar

import numpy as np
from numpy.random import Generator
from numpy.typing import NDArray

from trueness.datasets.observed import Observed
from trueness.datasets.table import Table
from trueness.learners.base import Card
from trueness.learners.scoring.covariance import fill_by_correlations, interpolate
from trueness.learners.scoring.edge_scores import Array, EdgeScores, Scorer, answer, as_observed
from trueness.settings import Between

READ_ERROR = 0.005  # variance of a reading of rows without order, of a standardised column's 1
FIRST_ERROR = 0.05  # of a series, before it is drawn
BLOCK = 20  # rows of a series that are weighted together
BOUND = 4.0  # signals beyond it weigh no more in the search
CALIBRATION = {True: (-1.55, 1.24), False: (-1.03, 0.82)}  # of a series, of rows: benchmarks/rcgnn_calibration.py
Labels = NDArray[np.int64]
LEAD = (
    "The lead of RC-GNN over the best baseline was measured under moderate, severe, compound_full_decoy and "
    "extreme_decoy, of which the last two come with labels of their regimes: AUPRC +.086 [+.057, +.116] on series, "
    "+.116 [+.072, +.158] on rows. On 17 systems of another maker, with other corruptions and no such labels, it was "
    "not found: +.010 [-.032, +.052] on series, -.076 [-.175, +.036] on rows, where GES over 12 resamples is ahead."
)


@dataclass(frozen=True)
class RCGNN(Scorer):
    """An ensemble of graphs over signals that are cleaned along them. `lags`: None takes what the data say."""

    lags: Annotated[int, Between(0, closed=True)] | None = None
    members: Annotated[int, Between(1, 10_000, closed=True)] = 24
    settling: Annotated[int, Between(0, 10_000, closed=True)] = 8
    sweeps: Annotated[int, Between(0, 10_000, closed=True)] = 3  # 0: readings are taken for signals
    edge_cost: Annotated[float, Between(0, 1e6, closed=True)] = 1.5
    held_cost: Annotated[float, Between(0, 1e6, closed=True)] = 2.0
    shape: Annotated[float, Between(0, 1, closed=True)] = 1.0  # 0: Gaussian likelihood
    tails: Annotated[float, Between(0.5, 1e6, closed=True)] = 1.0
    segments: Annotated[int, Between(1, 1000, closed=True)] = 7
    resample: bool = True

    card: ClassVar[Card] = Card(
        title="RC-GNN",
        summary="An ensemble of graphs over latent signals: readings with noise, outliers and gaps are cleaned by "
        "messages along the graph; regimes may hold nodes; non-Gaussian likelihood.",
        missing="own likelihood: a gap is drawn anew for each graph, given its causes and effects",
        assumes=("linear relations", "acyclicity within a time step", "causal sufficiency"),
        lead=LEAD,
        paper="built here after the idea of RC-GNN (see docs/rcgnn.md)",
        deterministic=False,
    )

    def scores(self, data: Table, rng: Generator | None = None) -> EdgeScores:
        rng = np.random.default_rng(rng)
        chain = Chain(self, data, rng)
        members = []  # (2, from, to) each: the largest G over lags of edges in the graph (-1: none), and of all pairs
        signal, effects, held = (np.zeros(part.shape) for part in (chain.x, chain.by_lag, chain.held))
        settling = self.settling if self.sweeps else 0  # signals that are never drawn need not settle
        for step in range(settling + self.members):
            is_member = step >= settling
            strength = chain.find_graph(settled=is_member)
            if is_member:
                inside = np.where(chain.by_lag, np.maximum(strength, 0.0), -1.0)
                members.append(np.stack((inside.max(axis=1), strength.max(axis=1))).swapaxes(1, 2))
                effects += chain.by_lag * chain.weights[:, :-1].reshape(strength.shape)
                held += chain.held
            chain.clean_signals()
            if is_member:
                signal += chain.x
        return chain.answer(np.array(members), signal, effects, held)


class Chain:
    """Signals x (n, d) and the graph over them, each in turn given the other; in standard units."""

    def __init__(self, plan: RCGNN, data: Table, rng: Generator) -> None:
        seen = as_observed(data, plan)
        lags = seen.lags if plan.lags is None else plan.lags
        as_observed(seen, plan, lags)
        self.plan, self.seen, self.lags, self.rng, d = plan, seen, lags, rng, seen.d
        low, self.centre, high = np.nanpercentile(seen.values, (25, 50, 75), axis=0)
        spread = (high - low) / 1.349  # 1 for a standard normal column
        self.scale = np.where(spread > 0, spread, np.nanstd(seen.values, axis=0))
        standard = (seen.values - self.centre) / self.scale
        self.there = ~seen.gaps
        self.y: Array = np.ascontiguousarray(np.where(self.there, standard, 0.0))
        filled = interpolate(standard) if lags else (fill_by_correlations(seen, rng) - self.centre) / self.scale
        self.x: Array = np.ascontiguousarray(np.clip(filled, -BOUND, BOUND))
        self.regime = _labels(seen, lags, plan.segments)
        self.regimes = int(self.regime.max()) + 1
        columns = (lags + 1) * d + 1
        self.allowed = np.ones((d, columns), dtype=np.uint8)
        self.allowed[np.arange(d), np.arange(d)] = 0  # its own past is among its causes, itself is not
        self.parents = np.zeros((d, columns), dtype=np.uint8)
        self.weights = np.zeros((d, columns))
        self.held = np.zeros((d, self.regimes), dtype=np.uint8)
        self.read_error: Array = np.full(d, FIRST_ERROR if lags else READ_ERROR)
        self.trust: Array = self.there / self.read_error

    @property
    def by_lag(self) -> NDArray[np.bool_]:
        """(to, lag, from): the graph."""
        return np.asarray(self.parents[:, :-1].reshape(len(self.parents), self.lags + 1, -1) == 1)

    def answer(self, members: Array, signal: Array, effects: Array, held: Array) -> EdgeScores:
        """members (members, 2, d, d); signal, effects (to, lag, from) and held are sums over them."""
        count, d = len(members), self.seen.d
        kept, gains = members.swapaxes(0, 1)
        matrix = np.log1p(np.maximum(kept, 0.0)).mean(axis=0) + 0.002 * (np.maximum(gains, -10.0).mean(axis=0) + 10)
        frequency = (kept >= 0).mean(axis=0) * (1 - np.eye(d))
        probability = edge_probability(frequency, count, d, CALIBRATION[self.lags > 0]) * (1 - np.eye(d))
        mean = signal / count * self.scale + self.centre
        return answer(
            self.plan, self.seen, matrix, frequency=frequency, probability=probability, signal=mean,
            noise=self.seen.values - mean, own_k=int(np.count_nonzero(frequency >= 0.5)), held=held.T / count,
            read_error=self.read_error, effects=effects.transpose(1, 2, 0) / count, lags=self.lags,
        )  # fmt: skip

    def _stack(self) -> Array:
        """(n - lags, (lags + 1) d + 1): the row itself, the rows before it, and 1."""
        n, lags = len(self.x), self.lags
        return np.hstack([*(self.x[lags - back : n - back] for back in range(lags + 1)), np.ones((n - lags, 1))])

    def find_graph(self, settled: bool) -> Array:
        """The graph of the signals as they are; strength (to, lag, from) of each edge in it or out of it."""
        from trueness.learners.kernels.rcgnn import search

        plan, rows, d = self.plan, len(self.x) - self.lags, self.x.shape[1]
        z = np.ascontiguousarray(np.clip(self._stack(), -BOUND, BOUND))
        weights: Array = np.ones(rows)
        if settled:
            self.parents[:] = 0  # each member from the empty graph; before, from the last one
            if plan.resample:
                block = BLOCK if self.lags else 1
                weights = np.repeat(self.rng.exponential(size=-(-rows // block)), block)[:rows]
                weights /= weights.mean()
        regime = self.regime[self.lags :]
        parts = [regime == g for g in range(self.regimes)]
        grams = np.stack([(z[part] * weights[part, None]).T @ z[part] for part in parts])
        strength = np.empty_like(self.weights)
        costs = float(plan.edge_cost * np.log(rows) / 2), float(plan.held_cost * np.log(rows))
        search(
            self.parents, self.allowed, grams, z, weights, regime, *costs, plan.shape, strength, self.held, self.weights
        )
        return strength[:, :-1].reshape(d, self.lags + 1, d)

    def clean_signals(self) -> None:
        """Rounds of messages, and between them how far each reading is to be trusted."""
        from trueness.learners.kernels.rcgnn import pass_messages

        n, d = self.x.shape
        to, column = np.nonzero(self.parents[:, :-1])
        order = np.argsort(column % d, kind="stable")
        to, column = to[order], column[order]
        first = np.searchsorted(column % d, np.arange(d + 1))
        active = self.held[:, self.regime].T == 0
        active[: self.lags] = False  # without a whole past
        means = np.stack([self.x[self.regime == g].mean(axis=0) for g in range(self.regimes)])
        expected = means[self.regime]
        expected[self.lags :] = np.where(active[self.lags :], self._stack() @ self.weights.T, expected[self.lags :])
        left = self.x - expected
        plan, rng, counts = self.plan, self.rng, self.there.sum(axis=0)
        for _ in range(plan.sweeps):
            spread = np.ascontiguousarray(self._variances(left, active).T[self.regime])
            pass_messages(
                self.x, left, self.y, self.trust, spread, to, column // d, self.weights[to, column], first,
                active, rng.standard_normal((n, d)),
            )  # fmt: skip
            error = (self.y - self.x) ** 2
            weight = rng.gamma((plan.tails + 1) / 2, size=(n, d)) / ((plan.tails + error / self.read_error) / 2)
            if self.lags:
                total = (self.there * weight * error).sum(axis=0)
                self.read_error = (0.04 + total) / (2 * rng.gamma(2.0 + counts / 2))
            self.trust = self.there * weight / self.read_error

    def _variances(self, left: Array, active: NDArray[np.bool_]) -> Array:
        """(d, regimes): one of each node where it hears its causes, and one of each regime that holds it."""
        v = np.stack([(left[self.regime == g] ** 2).mean(axis=0) for g in range(self.regimes)], axis=1)
        count = active.sum(axis=0)
        shared = (active * left**2).sum(axis=0) / np.maximum(count, 1)
        return np.asarray(np.maximum(np.where((self.held == 0) & (count > 0)[:, None], shared[:, None], v), 1e-4))


def edge_probability(frequency: Array, members: int, d: int, parameters: tuple[float, float]) -> Array:
    """How likely an edge is true that this share f of m graphs have: frequencies claim too much.

    log odds = a - log((d - 1) / 10) + b logit((m f + 1/2) / (m + 1)),    a, b = parameters

    The second term: with as many edges a node, the share of true pairs falls as 1 / (d - 1).
    """
    smooth = (frequency * members + 0.5) / (members + 1)
    odds = parameters[0] - np.log(max(d - 1, 1) / 10) + parameters[1] * np.log(smooth / (1 - smooth))
    return np.asarray(1 / (1 + np.exp(-odds)))


def _labels(seen: Observed, lags: int, segments: int) -> Labels:
    """(n,) regimes 0, 1, ...: as labelled, or of a series its segments."""
    if seen.regimes is not None:
        return np.unique(seen.regimes, return_inverse=True)[1].astype(np.int64)
    return np.arange(seen.n, dtype=np.int64) * (segments if lags else 1) // seen.n


SCORERS = {"rc-gnn": RCGNN}
