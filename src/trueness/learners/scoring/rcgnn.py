"""RC-GNN: robust causal graph network. Scores E_ij = A_ij |W_ij| of a model that tells signal from corruption.

The model, its formulas and its loss: scoring/rcgnn_model.py. Here: settings, the data as tensors, what is handed back.

    columns       standardised by median and interquartile range, so that outliers do not set the scale
    held out      a fifth of the rows: of a series in blocks, otherwise drawn one by one. Training stops by their
                  likelihood; no graph, no count of edges, no score against anything else enters
    details       signal (T, d, k), corruption (T, d, q), disentanglement = 1 - mean normalised HSIC of the two (1: told
                  apart), structure A, effects by lag, held-out likelihood, the step stopped at, df, device

The same seed gives the same scores on a CPU. Data sets of one shape train together much faster (`scores_of_many`); sums
are then taken in another order, so the last digits may differ from those of one alone.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from typing import TYPE_CHECKING, Annotated, Any, ClassVar

import numpy as np
from numpy.random import Generator
from numpy.typing import NDArray

from trueness.datasets.observed import Observed
from trueness.datasets.table import Table
from trueness.errors import DataError
from trueness.learners.base import Card
from trueness.learners.scoring.base import Array, EdgeScores, Scorer, answer, observed
from trueness.registry import need
from trueness.settings import Between

if TYPE_CHECKING:
    from trueness.learners.scoring.rcgnn_model import Sizes

HELD_OUT = 0.2
BLOCKS = 20  # a series is cut into so many blocks, a fifth of them held out
WINDOW = 32  # rows over which slow changes of level and spread are taken
Weight = Annotated[float, Between(0, 1e6, closed=True)]  # of a part of the loss


@dataclass(frozen=True)
class RCGNN(Scorer):
    """Trained on the data alone. `lags`: None takes what the data say; 0 for rows without time order."""

    lags: Annotated[int, Between(0, closed=True)] | None = None
    sparsity: Weight = 0.02
    acyclicity: Weight = 5.0
    independence: Weight = 0.1
    invariance: Weight = 0.1
    clip: Annotated[float, Between(1, 1e6, closed=True)] = 5.0
    signal: Annotated[int, Between(2, 1e6, closed=True)] = 4
    corruption: Annotated[int, Between(1, 1e6, closed=True)] = 2
    hidden: Annotated[int, Between(1, 1e6, closed=True)] = 8
    steps: Annotated[int, Between(10, 1e6, closed=True)] = 300
    batch: Annotated[int, Between(8, 1e6, closed=True)] = 128
    rate: Annotated[float, Between(1e-6, 1, closed=True)] = 0.02
    patience: int = 8
    device: str = "auto"  # cuda where there is one

    card: ClassVar[Card] = Card(
        title="RC-GNN",
        summary="A small network: per-variable signal and corruption parts, a gated directed structure, Student-t "
        "likelihood, inverse-propensity weights for gaps, independence, sparsity, acyclicity, invariance over regimes.",
        missing="own likelihood: observed values alone, weighted by clipped inverse propensities; a missing parent "
        "enters as the model's own prediction of it",
        assumes=("additive effects", "acyclicity within a time step", "causal sufficiency"),
        paper="built here after the idea of RC-GNN (see docs/rcgnn.md)",
        needs="torch",
        deterministic=False,
    )

    def scores(self, data: Table, rng: Generator) -> EdgeScores:
        return self.scores_of_many([data], [rng])[0]

    def scores_of_many(self, data: Sequence[Table], rngs: Sequence[Generator]) -> list[EdgeScores]:
        """Scores of data sets of one shape (rows, columns, lags), trained at the same time, each on its own."""
        torch = need("torch", "scorer 'rc-gnn'")
        from trueness.learners.scoring import rcgnn_model as model

        seen = [observed(one, self) for one in data]
        lags = [one.lags if self.lags is None else self.lags for one in seen]
        if len({(one.values.shape, lag) for one, lag in zip(seen, lags, strict=True)}) > 1:
            raise DataError("data sets of one call of RC-GNN must have one shape and the same lags. Call it for each.")
        observed(seen[0], self, lags[0])
        device = self.device if self.device != "auto" else "cuda" if torch.cuda.is_available() else "cpu"
        regimes = max(1 if one.regimes is None else len(np.unique(one.regimes)) for one in seen)
        inputs = [_inputs(one, lags[0], regimes) for one in seen]
        slow = inputs[0][2].shape[-1]
        sizes = model.Sizes(seen[0].d, lags[0], self.signal, self.corruption, self.hidden, slow, regimes)

        def stacked(parts: Sequence[Any]) -> Any:
            return torch.stack([torch.as_tensor(part) for part in parts]).to(device)

        tensors = model.Data(*(stacked([one[part] for one in inputs]).float() for part in range(4)))
        splits = [_split(one.n, lags[0], rng) for one, rng in zip(seen, rngs, strict=True)]
        firsts = [model.first_parameters(sizes, rng) for rng in rngs]
        trained = model.train(
            tensors,
            {name: stacked([first[name] for first in firsts]) for name in firsts[0]},
            stacked([split[0] for split in splits]),
            stacked([split[1] for split in splits]),
            sizes,
            model.Weights(self.sparsity, self.acyclicity, self.independence, self.invariance, self.clip),
            model.Schedule(self.steps, self.batch, self.rate, self.patience, every=25, ramp=0.6),
            list(rngs),
        )
        return [self._answer(one, number, trained, tensors, sizes) for number, one in enumerate(seen)]

    def _answer(self, seen: Observed, number: int, trained: Any, tensors: Any, sizes: Sizes) -> EdgeScores:
        import torch

        from trueness.learners.scoring import rcgnn_model as model

        p = {name: value[number] for name, value in trained.parameters.items()}
        everything = torch.arange(seen.n, device=trained.filled.device)[None]
        alone = model.Data(*(part[number : number + 1] for part in tensors))
        rows, _ = alone.rows(trained.filled[number : number + 1], everything, sizes.lags)
        with torch.no_grad():
            found = model.predict(p, model.Rows(*(part[0] for part in rows)))
            by_lag = model.effects(p)
            some = torch.linspace(0, seen.n - 1, min(seen.n, 256), device=everything.device).long()
            told = 1 - float(model.shared(found.signal[some, 0], found.corruption[some], most=256))
        matrix = by_lag.square().sum(dim=0).sqrt().cpu().numpy().astype(np.float64)
        return answer(
            self,
            seen,
            matrix,
            structure=model.structure(p).cpu().numpy(),
            effects_by_lag=by_lag.cpu().numpy(),
            signal=found.signal[:, 0].cpu().numpy(),
            corruption=found.corruption.cpu().numpy(),
            disentanglement=told,
            held_out=float(trained.held_out[number]),
            stopped_at=int(trained.stopped[number]),
            df=(2 + torch.nn.functional.softplus(p["df"])).cpu().numpy(),
            device=str(trained.filled.device),
        )


def _inputs(seen: Observed, lags: int, regimes: int) -> tuple[Array, Array, Array, Array]:
    """values (T, d) with 0 for gaps, there (T, d), slow (T, d, 3 of a series or 0), regime (T, regimes)."""
    low, centre, high = np.nanpercentile(seen.values, (25, 50, 75), axis=0)
    spread = (high - low) / 1.349  # 1 for a standard normal column
    spread = np.where(spread > 0, spread, np.nanstd(seen.values, axis=0))
    there = ~seen.missing
    z = np.where(there, (seen.values - centre) / spread, 0.0)
    labels = (
        np.zeros(seen.n, dtype=np.intp) if seen.regimes is None else np.unique(seen.regimes, return_inverse=True)[1]
    )
    return z, there.astype(np.float64), _slow(z, there, lags), np.eye(regimes)[labels]


def _slow(z: Array, there: NDArray[np.bool_], lags: int) -> Array:
    """Level, spread and share observed over the WINDOW rows before each row (never the row itself)."""
    if not lags:
        return np.empty((*z.shape, 0))
    bounded = np.clip(z, -3, 3)

    def before(part: Array) -> Array:
        total = np.vstack((np.zeros((1, z.shape[1])), part.cumsum(axis=0)))
        now = np.arange(len(z))
        return np.asarray(total[now] - total[np.maximum(now - WINDOW, 0)])

    count = before(there.astype(np.float64))
    most = np.minimum(np.arange(len(z)), WINDOW)[:, None]
    level = before(bounded) / (count + 1)
    spread = before(np.abs(bounded)) / (count + 1)
    return np.stack((level, spread, count / np.maximum(most, 1)), axis=-1)


def _split(n: int, lags: int, rng: Generator) -> tuple[NDArray[np.intp], NDArray[np.intp]]:
    """Rows to learn from and rows held out, as many of each for every generator: data sets train together.

    Of a series whole blocks are held out, never the first, whose first rows have no past and are left out.
    """
    blocks = min(BLOCKS, n // 2) if lags else n
    length = n // blocks
    held = 1 + rng.permutation(blocks - 1)[: max(1, int(HELD_OUT * blocks))]
    out = np.isin(np.arange(n) // length, held)  # a remainder is one more block, to learn from
    return np.flatnonzero(~out)[lags:], np.flatnonzero(out)


SCORERS = {"rc-gnn": RCGNN}
