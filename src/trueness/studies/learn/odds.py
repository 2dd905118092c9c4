"""How sure is an edge: shares of graphs over resamples and learners, turned into probabilities on twins.

    a_ij        share of the graphs with an edge between i and j, learners weighted equally
    o_ij        share of them with i -> j among those with the edge; an undirected one counts half each way
    P(edge)     logistic(b0 + b1 logit a_ij),  fitted on the pairs of all twins, whose graphs are known
    P(i -> j)   P(edge) logistic(c logit o_ij),  c fitted on the true edges of the twins

Shares are drawn towards 1/2 by one vote before logits are taken. The fits are drawn towards b = (0, 1), c = 1 (shares
as they are) by a penalty worth PENALTY pairs, so that few twins cannot turn everything round.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from typing import NamedTuple

import numpy as np
from numpy.typing import NDArray
from scipy import optimize, special

from trueness.graphs import ARROW

Array = NDArray[np.float64]
Marks = NDArray[np.int8]
PENALTY = 4.0


class Votes(NamedTuple):
    """adjacent (d, d), symmetric; onward (d, d): share of graphs with i -> j, an unclear direction counting half."""

    adjacent: Array
    onward: Array
    confounded: Array
    graphs: int


def votes_of(graphs: Sequence[Sequence[Marks]], d: int) -> Votes:
    """graphs: of each learner its graphs; a learner without any has no say."""
    shares = [_shares(np.stack(marks)) for marks in graphs if len(marks)]
    adjacent, onward, confounded = (
        np.mean([share[k] for share in shares], axis=0) if shares else np.zeros((d, d)) for k in range(3)
    )
    return Votes(adjacent, onward, confounded, min((len(marks) for marks in graphs if len(marks)), default=0))


def _shares(marks: Marks) -> tuple[Array, Array, Array]:
    """marks (runs, d, d): the mark at j's end of the edge between i and j."""
    turned = marks.transpose(0, 2, 1)
    adjacent, arrow, back = marks != 0, marks == ARROW, turned == ARROW
    both, settled = arrow & back, arrow ^ back
    onward = (settled & arrow) + 0.5 * (adjacent & ~settled)
    return adjacent.mean(axis=0), onward.mean(axis=0), both.mean(axis=0)


@dataclass(frozen=True)
class Calibration:
    """Of presence: intercept and slope; of direction: slope. `twins` they were fitted on."""

    intercept: float = 0.0
    slope: float = 1.0
    turn: float = 1.0
    twins: int = 0

    def odds(self, votes: Votes) -> tuple[Array, Array]:
        """P(edge) (d, d), symmetric, and P(i -> j | edge) (d, d)."""
        present = special.expit(self.intercept + self.slope * _logit(votes.adjacent, votes.graphs))
        np.fill_diagonal(present, 0.0)
        return present, special.expit(self.turn * _logit(_onward_shares(votes), votes.graphs))


def calibrate(twins: Sequence[tuple[Votes, NDArray[np.bool_]]]) -> Calibration:
    """twins: votes over resamples of a twin's draw, and its true DAG (d, d), i -> j."""
    x, y, turns = [], [], []
    for votes, directed in twins:
        above = np.triu_indices(len(directed), 1)
        x.append(_logit(votes.adjacent, votes.graphs)[above])
        y.append((directed | directed.T)[above])
        seen = directed & (votes.adjacent > 0)
        turns.append(_logit(_onward_shares(votes), votes.graphs)[seen])
    if not twins:
        return Calibration()
    shares, there, turned = np.concatenate(x), np.concatenate(y).astype(float), np.concatenate(turns)

    def loss(b: Array) -> float:
        z = b[0] + b[1] * shares
        return float((np.logaddexp(0, z) - there * z).sum() + PENALTY * (b[0] ** 2 + (b[1] - 1) ** 2))

    def loss_of_turns(c: Array) -> float:
        return float(np.logaddexp(0, -c[0] * turned).sum() + PENALTY * (c[0] - 1) ** 2)

    b = optimize.minimize(loss, [0.0, 1.0], method="Nelder-Mead").x
    c = optimize.minimize(loss_of_turns, [1.0], method="Nelder-Mead").x[0] if len(turned) else 1.0
    return Calibration(float(b[0]), float(max(b[1], 0.0)), float(max(c, 0.0)), len(twins))


def _onward_shares(votes: Votes) -> Array:
    return np.divide(votes.onward, votes.adjacent, out=np.full_like(votes.onward, 0.5), where=votes.adjacent > 0)


def _logit(share: Array, graphs: int) -> Array:
    n = max(graphs, 1)
    return np.asarray(special.logit((share * n + 0.5) / (n + 1)))
