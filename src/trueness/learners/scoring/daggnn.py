"""DAG-GNN: a variational autoencoder whose two halves share one weighted graph. Scores |A_ij|.

x (n, d) standardised, A[i, j] of i -> j, f and g small networks on single values, the same for every variable:

    encoder   Z = f(X) (I - A)           decoder   X^ = g(Z (I - A)^-1)
    minimise  (1/n) sum (X - X^)^2 / 2 + (1/n) sum Z^2 / 2      the evidence bound with unit variances, no draw
    subject to  h(A) = tr[(I + A o A / d)^d] - d = 0            by an augmented Lagrangian: c grows tenfold
                                                                while h does not fall to a quarter

Rows have no time order for it; gaps are filled by draws. Training sees the rows alone. The same seed gives the same
scores on a CPU. What it keeps by its own rule (`own_k`): |A| > .3, as the paper.
Yu, Chen, Gao & Yu (2019), DAG structure learning with graph neural networks, ICML.
"""

from __future__ import annotations

from dataclasses import dataclass
from typing import TYPE_CHECKING, Annotated, ClassVar

import numpy as np
from numpy.random import Generator
from numpy.typing import NDArray

from trueness.datasets.table import Table
from trueness.learners.base import Card
from trueness.learners.scoring.covariance import DRAWS, fill_by_correlations
from trueness.learners.scoring.edge_scores import Array, EdgeScores, Scorer, answer, as_observed
from trueness.registry import need
from trueness.settings import Between

if TYPE_CHECKING:
    from torch import Tensor

THRESHOLD = 0.3  # of |A|: what the paper keeps
CLOSE, MOST_C = 1e-8, 1e16  # h that counts as 0, and the weight at which it is given up


Whole = Annotated[int, Between(1, 1e6, closed=True)]


@dataclass(frozen=True)
class DAGGNN(Scorer):
    """Needs torch. `steps`: of Adam in each of at most `rounds` rounds of the Lagrangian."""

    hidden: Whole = 16
    sparsity: Annotated[float, Between(0, 1e6, closed=True)] = 0.0
    rate: Annotated[float, Between(1e-6, 1, closed=True)] = 0.003
    steps: Whole = 200
    batch: Annotated[int, Between(8, 1e6, closed=True)] = 128
    rounds: Whole = 12
    device: str = "cpu"

    card: ClassVar[Card] = Card(
        title="DAG-GNN",
        summary="The sizes of the weights of a graph that the encoder and the decoder of an autoencoder share.",
        missing=DRAWS,
        assumes=("the same nonlinearity for every variable", "causal sufficiency", "acyclicity"),
        paper="Yu, Chen, Gao & Yu 2019",
        needs="torch",
        deterministic=False,
    )

    def scores(self, data: Table, rng: Generator | None = None) -> EdgeScores:
        rng = np.random.default_rng(rng)
        need("torch", "scorer 'dag-gnn'")
        seen = as_observed(data, self)
        values = fill_by_correlations(seen, rng)
        weights, h = self._train((values - values.mean(axis=0)) / values.std(axis=0), rng)
        size = np.abs(weights)
        return answer(self, seen, size, h=h, own_k=int(np.count_nonzero(size > THRESHOLD)))

    def _train(self, z: Array, rng: Generator) -> tuple[Array, float]:
        import torch

        rows, d = torch.as_tensor(z, dtype=torch.float32, device=self.device), z.shape[1]
        first: dict[str, NDArray[np.float64]] = {"a": np.zeros((d, d))}
        for name in ("encoder", "decoder"):
            first |= {f"{name} in": rng.standard_normal((1, self.hidden)), f"{name} bias": np.zeros(self.hidden)}
            first |= {f"{name} out": rng.standard_normal((self.hidden, 1)) / np.sqrt(self.hidden)}
        made = {name: torch.tensor(part, dtype=torch.float32, device=self.device) for name, part in first.items()}
        parts = {name: part.requires_grad_() for name, part in made.items()}
        penalty, multiplier, before, h = 1.0, 0.0, np.inf, np.inf
        for _ in range(self.rounds):
            while penalty < MOST_C:
                optimiser = torch.optim.Adam(parts.values(), lr=self.rate)
                for _ in range(self.steps):
                    some = rows[torch.as_tensor(rng.integers(0, len(z), min(self.batch, len(z))), device=self.device)]
                    optimiser.zero_grad()
                    cycles = acyclicity(parts["a"])
                    loss = evidence_bound(parts, some) + multiplier * cycles + penalty / 2 * cycles**2
                    (loss + self.sparsity * parts["a"].abs().sum()).backward()
                    optimiser.step()
                h = float(acyclicity(parts["a"]).detach())
                if h <= before / 4:
                    break
                penalty *= 10
            multiplier, before = multiplier + penalty * h, h
            if h <= CLOSE or penalty >= MOST_C:
                break
        weights = parts["a"].detach().cpu().numpy().astype(np.float64)
        return weights * (1 - np.eye(d)), h


def acyclicity(a: Tensor) -> Tensor:
    """h(A): 0 where the graph of A (without its diagonal) has no cycle."""
    import torch

    d = len(a)
    eye = torch.eye(d, dtype=a.dtype, device=a.device)
    h: Tensor = torch.linalg.matrix_power(eye + (a * (1 - eye)) ** 2 / d, d).trace() - d
    return h


def evidence_bound(parts: dict[str, Tensor], x: Tensor) -> Tensor:
    """Reconstruction and divergence of rows x (n, d), by row."""
    import torch

    d = x.shape[1]
    eye = torch.eye(d, dtype=x.dtype, device=x.device)
    mixing = eye - parts["a"] * (1 - eye)
    z = _network(parts, "encoder", x) @ mixing
    back = torch.linalg.solve(mixing, z, left=False)  # z (I - A)^-1
    lost = _network(parts, "decoder", back) - x
    return ((lost**2).sum() + (z**2).sum()) / (2 * len(x))


def _network(parts: dict[str, Tensor], name: str, x: Tensor) -> Tensor:
    """The same function of every value: one hidden layer."""
    hidden = (x[..., None] @ parts[f"{name} in"] + parts[f"{name} bias"]).relu()
    return (hidden @ parts[f"{name} out"])[..., 0]


SCORERS = {"dag-gnn": DAGGNN}
