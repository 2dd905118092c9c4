"""RC-GNN on a GPU: many fits at once, one thread block per fit. The method: rcgnn.py; the loops: kernels/rcgnn.cu.

    scores_of_many(RCGNN(), tables, rngs)    one EdgeScores a table, in their order

Tables of the same n, d and lags go to the card together, as many as its free memory takes. What each fit does is what
RCGNN.scores does, in double precision; the random numbers are the card's own, so the scores of one table differ from
those of RCGNN.scores as those of another seed do. The same tables and generators in the same batches give the same
scores. With `OfTheTables` in place of `OfTheCard` each fit takes its table's own numbers: the graphs of RCGNN.scores.
"""

from __future__ import annotations

from collections.abc import Sequence
from functools import cache
from importlib.resources import files
from types import ModuleType
from typing import TYPE_CHECKING, Protocol

import numpy as np
from numpy.random import Generator
from numpy.typing import ArrayLike

from trueness.datasets.table import Table
from trueness.errors import DataError, SettingError, TruenessError
from trueness.learners.scoring.edge_scores import EdgeScores
from trueness.learners.scoring.rcgnn import BLOCK, BOUND, RCGNN, Chain, worths
from trueness.registry import need

if TYPE_CHECKING:
    from cupy import RawModule
    from cupy import ndarray as CardArray

MOST_COLUMNS = 64  # a set of variables is one mask of 64 bits
WARPS = 4  # of a block that searches
ARRAYS = 14  # of the size of the signals that live at once
SHARE = 0.6  # of the card's free memory that one batch may take


def scores_of_many(
    plan: RCGNN, tables: Sequence[Table], rngs: Sequence[Generator], draws: type[Draws] | None = None
) -> list[EdgeScores]:
    """The scores of each table with its generator. `draws`: where random numbers come from, mostly `OfTheCard`."""
    if len(tables) != len(rngs):
        raise SettingError(f"'rngs' must be one a table, got {len(rngs)} for {len(tables)} tables.")
    cupy = _cupy()
    groups: dict[tuple[int, int, int], list[tuple[int, Chain]]] = {}
    for place, (table, rng) in enumerate(zip(tables, rngs, strict=True)):
        chain = Chain(plan, table, rng)
        n, d = chain.x.shape
        if d > MOST_COLUMNS:
            raise DataError(f"{chain.seen.source} must have at most {MOST_COLUMNS} columns on a GPU, got {d}.")
        groups.setdefault((n, d, chain.lags), []).append((place, chain))
    scores: dict[int, EdgeScores] = {}
    for group in groups.values():
        free = cupy.cuda.Device().mem_info[0] + cupy.get_default_memory_pool().free_bytes()
        batch = max(1, int(SHARE * free // _bytes(max((chain for _, chain in group), key=lambda chain: chain.regimes))))
        for start in range(0, len(group), batch):
            places, chains = zip(*group[start : start + batch], strict=True)
            scores.update(zip(places, _Batch(plan, chains, draws or OfTheCard).scores(), strict=True))
    return [scores[place] for place in range(len(tables))]


class Draws(Protocol):
    """Random numbers of all fits of a batch: rngs are those of its tables."""

    def __init__(self, rngs: Sequence[Generator]) -> None: ...

    def exponential(self, count: int) -> CardArray:
        """(fits, count)."""

    def normal(self, n: int, d: int) -> CardArray:
        """(fits, d, n)."""

    def gamma(self, shape: float, n: int, d: int) -> CardArray:
        """(fits, d, n)."""

    def gamma_each(self, shapes: CardArray) -> CardArray:
        """As shapes (fits, d)."""


class OfTheCard:
    """One generator on the card for the whole batch, seeded by those of its tables."""

    def __init__(self, rngs: Sequence[Generator]) -> None:
        cupy, self.fits = _cupy(), len(rngs)
        seed = np.random.SeedSequence([int(rng.integers(2**63)) for rng in rngs]).generate_state(1, np.uint64)[0]
        self.rng = cupy.random.Generator(cupy.random.Philox4x3210(int(seed >> 1)))

    def exponential(self, count: int) -> CardArray:
        return self.rng.standard_exponential((self.fits, count))

    def normal(self, n: int, d: int) -> CardArray:
        return self.rng.standard_normal((self.fits, d, n))

    def gamma(self, shape: float, n: int, d: int) -> CardArray:
        return self.rng.standard_gamma(shape, (self.fits, d, n))

    def gamma_each(self, shapes: CardArray) -> CardArray:
        return self.rng.standard_gamma(shapes)


class OfTheTables:
    """Each table's own generator, called as RCGNN.scores calls it. Slow: to check that both find the same."""

    def __init__(self, rngs: Sequence[Generator]) -> None:
        self.rngs = rngs

    def exponential(self, count: int) -> CardArray:
        return _on_card([rng.exponential(size=count) for rng in self.rngs])

    def normal(self, n: int, d: int) -> CardArray:
        return _on_card([rng.standard_normal((n, d)).T for rng in self.rngs])

    def gamma(self, shape: float, n: int, d: int) -> CardArray:
        return _on_card([rng.gamma(shape, size=(n, d)).T for rng in self.rngs])

    def gamma_each(self, shapes: CardArray) -> CardArray:
        return _on_card([rng.gamma(some) for rng, some in zip(self.rngs, shapes.get(), strict=True)])


class _Batch:
    """The arrays of `Chain` for many fits of one shape, on the card: the fit first, the row last."""

    def __init__(self, plan: RCGNN, chains: Sequence[Chain], draws: type[Draws]) -> None:
        cupy = self.cupy = _cupy()
        self.plan, self.chains, self.lags = plan, chains, chains[0].lags
        self.draws = draws([chain.rng for chain in chains])
        self.n, self.d = n, d = chains[0].x.shape
        fits, lags, columns = len(chains), self.lags, (self.lags + 1) * d + 1
        self.x, self.y, self.trust = (
            _on_card([getattr(chain, name).T for chain in chains]) for name in ("x", "y", "trust")
        )
        self.there = _on_card([chain.there.T for chain in chains])
        self.read_error = _on_card([chain.read_error for chain in chains])
        self.left = cupy.empty_like(self.x)
        self.bounded = cupy.ones((fits, d + 1, n))  # the last row stays 1
        regimes = [chain.regimes for chain in chains]
        self.regimes, self.most = _on_card(regimes).astype(np.int32), max(regimes)
        self.regime = _on_card([chain.regime for chain in chains]).astype(np.int32)
        self.is_in = (self.regime[:, :, None] == cupy.arange(self.most)).astype(np.float64)  # (fits, n, regimes)
        later = np.stack([chain.regime[lags:] for chain in chains])
        self.order = _on_card(list(np.argsort(later, axis=1, kind="stable"))).astype(np.int32)
        first = [np.searchsorted(np.sort(one), np.arange(self.most + 1)) for one in later]
        self.first = _on_card(first).astype(np.int32)
        self.parents = cupy.zeros((fits, d, columns), np.uint8)
        self.held = cupy.zeros((fits, d, self.most), np.uint8)
        self.weights, self.strength = cupy.zeros((2, fits, d, columns))
        self.grams = cupy.empty((fits, self.most, columns, columns))
        rooms = fits * WARPS
        self.room = (
            cupy.empty((rooms, columns + 1, columns)), cupy.empty((rooms, 2, columns), np.int32),
            cupy.empty((rooms, self.most), np.uint8),
        )  # fmt: skip

    def scores(self) -> list[EdgeScores]:
        cupy, fits = self.cupy, len(self.chains)
        shape = (fits, self.d, self.lags + 1, self.d)
        signal, effects, held = cupy.zeros_like(self.x), cupy.zeros(shape), cupy.zeros(self.held.shape)
        members = []
        for is_member in self.plan.rounds:
            self.find_graph(settled=is_member)
            if is_member:
                by_lag = self.parents[:, :, :-1].reshape(shape) == 1
                members.append(cupy.asnumpy(worths(by_lag, self.strength[:, :, :-1].reshape(shape))))
                effects += by_lag * self.weights[:, :, :-1].reshape(shape)
                held += self.held
            self.clean_signals()
            if is_member:
                signal += self.x
        every = np.array(members).transpose(2, 0, 1, 3, 4)
        sums, results = (signal.get(), effects.get(), held.get(), self.read_error.get()), []
        for chain, mine, x, effect, holds, chain.read_error in zip(self.chains, every, *sums, strict=True):
            results.append(chain.answer(mine, x.T, effect, holds[:, : chain.regimes]))
        return results

    def find_graph(self, settled: bool) -> None:
        plan, rows = self.plan, self.n - self.lags
        weights = self.cupy.ones((len(self.chains), rows))
        if settled:
            self.parents[:] = 0
            if plan.resample:
                block = BLOCK if self.lags else 1
                weights = self.cupy.repeat(self.draws.exponential(-(-rows // block)), block, axis=1)[:, :rows]
                weights /= weights.mean(axis=1, keepdims=True)
                weights = self.cupy.ascontiguousarray(weights)
        self.bounded[:, : self.d] = self.cupy.clip(self.x, -BOUND, BOUND)
        self._launch("sum_products", 128, self.bounded, weights, self.order, self.first, self.grams)
        costs = [np.float64(cost) for cost in (*plan.costs(rows), plan.shape)]
        self._launch(
            "search", 32 * WARPS, self.bounded, self.grams, weights, self.regime, self.regimes, *costs, self.parents,
            self.strength, self.held, self.weights, *self.room,
        )  # fmt: skip

    def clean_signals(self) -> None:
        plan, draws, n, d = self.plan, self.draws, self.n, self.d
        rows = self.cupy.maximum(self.is_in.sum(axis=1), 1)[:, None, :]
        means = self.x @ self.is_in / rows
        self._launch("subtract_predictions", 128, self.x, self.regime, self.held, self.weights, means, self.left)
        counts = self.there.sum(axis=2)
        for _ in range(plan.sweeps):
            inverse = 1 / self._variances(rows)
            masks = 8 * (self.lags + 1) * d  # bytes that a block shares
            self._launch(
                "pass_messages", 32 if self.lags else 128, self.x, self.left, self.y, self.trust, inverse, self.regime,
                self.held, self.parents, self.weights, draws.normal(n, d), shared=masks,
            )  # fmt: skip
            error = (self.y - self.x) ** 2
            weight = draws.gamma((plan.tails + 1) / 2, n, d)
            weight /= (plan.tails + error / self.read_error[:, :, None]) / 2
            weight *= self.there
            if self.lags:
                total = (weight * error).sum(axis=2)
                self.read_error = (0.04 + total) / (2 * draws.gamma_each(2.0 + counts / 2))
            self.trust = weight / self.read_error[:, :, None]

    def _variances(self, rows: CardArray) -> CardArray:
        square, lags, maximum = self.left**2, self.lags, self.cupy.maximum
        active = self.held == 0
        count = (active * self.is_in[:, lags:].sum(axis=1)[:, None, :]).sum(axis=2, keepdims=True)
        shared = (active * (square[:, :, lags:] @ self.is_in[:, lags:])).sum(axis=2, keepdims=True) / maximum(count, 1)
        return maximum(self.cupy.where(active & (count > 0), shared, square @ self.is_in / rows), 1e-4)

    def _launch(self, name: str, threads: int, *arguments: CardArray | np.generic, shared: int = 0) -> None:
        sizes = tuple(np.int32(size) for size in (self.n, self.d, self.lags, self.most))
        _module().get_function(name)((len(self.chains),), (threads,), (*sizes, *arguments), shared_mem=shared)


def _bytes(chain: Chain) -> int:
    """Of one fit on the card."""
    (n, d), columns = chain.x.shape, chain.parents.shape[1]
    return 8 * (ARRAYS * n * d + n * chain.regimes + (chain.regimes + WARPS) * columns**2 + 8 * d * columns)


def _on_card(parts: Sequence[ArrayLike]) -> CardArray:
    return _cupy().asarray(np.ascontiguousarray(np.stack(parts)))


@cache
def _module() -> RawModule:
    source = files("trueness.learners.kernels").joinpath("rcgnn.cu").read_text(encoding="utf-8")
    return _cupy().RawModule(code=source, options=("--std=c++17",))


@cache
def _cupy() -> ModuleType:
    cupy = need("cupy", "RC-GNN on a GPU")
    if not cupy.is_available():
        raise TruenessError("RC-GNN on a GPU needs an NVIDIA card and its driver, got none. Use RCGNN().scores.")
    return cupy
