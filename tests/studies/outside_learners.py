"""Learners a user might bring: good ones, and those that crash, hang, lie or dawdle."""

import os
import signal
import time
from dataclasses import dataclass
from typing import ClassVar

import numpy as np

from trueness.graphs import Graph
from trueness.learners import Card, checked

CARD = {
    "title": "Outside",
    "summary": "A learner for the tests.",
    "returns": "dag",
    "data": {"discrete", "continuous"},
    "assumes": (),
    "paper": "none",
    "recovers": "nothing",
}


class Outside:
    card: ClassVar[Card] = Card(**CARD)

    def fit(self, data, rng):
        return Graph.empty(data.names)


class Crashes(Outside):
    """Dies like a segmentation fault."""

    def fit(self, data, rng):
        os.kill(os.getpid(), signal.SIGSEGV)


class Hangs(Outside):
    def fit(self, data, rng):
        time.sleep(3600)


class Raises(Outside):
    def fit(self, data, rng):
        raise RuntimeError("the matrix is singular")


class Nonsense(Outside):
    """Returns a bare matrix."""

    def fit(self, data, rng):
        return np.eye(len(data.names))


class Exits(Outside):
    def fit(self, data, rng):
        raise SystemExit(0)


class Stranger(Outside):
    """A graph over other nodes."""

    def fit(self, data, rng):
        return Graph.empty(["a", "b"])


class Prints(Outside):
    def fit(self, data, rng):
        print("noise on standard output" * 1000)
        return Graph.empty(data.names)


class HangsSometimes(Outside):
    """One fit in five hangs; which one follows from its generator."""

    def fit(self, data, rng):
        if rng.random() < 0.2:
            time.sleep(3600)
        return Graph.empty(data.names)


class TakesAll(Outside):
    """Its card says numbers; it takes anything."""

    card: ClassVar[Card] = Card(**CARD | {"data": {"continuous"}})


class OtherInABatch(Outside):
    """A batch that finds what single fits do not."""

    def fit_many(self, data, draws):
        complete = np.triu(np.ones((data.d, data.d)), 1)
        return (Graph.from_matrix(complete, data.names, direction="row to column") for _ in draws)


class HangsInABatch(Outside):
    """Which runs hang follows from the first row that they drew, in a batch as alone."""

    def fit(self, data, rng):
        return self._answer(data.values[0, 0], data)

    def fit_many(self, data, draws):
        return (self._answer(data.values[draw[0], 0], data) for draw in draws)

    def _answer(self, first, data):
        if first > np.quantile(data.values[:, 0], 0.7):
            time.sleep(3600)
        return Graph.empty(data.names)


@dataclass(frozen=True)
class Slow:
    """A random graph after a nap: work that can be interrupted."""

    nap: float = 0.02

    card: ClassVar[Card] = Card(**CARD | {"deterministic": False})

    def fit(self, data, rng):
        table = checked(data, self)
        time.sleep(self.nap)
        upper = np.triu(rng.random((table.d, table.d)) < 0.4, 1)
        return Graph.from_matrix(upper, table.names, direction="row to column")


class Transposed(Outside):
    """A good order read the wrong way round; the contract check must find it."""

    card: ClassVar[Card] = Card(**CARD | {"data": {"continuous"}, "recovers": "direction"})

    def fit(self, data, rng):
        from trueness.learners.baselines import SortnRegress

        found = SortnRegress().fit(data, rng)
        return Graph.from_matrix(found.weights, found.nodes, direction="column to row")


class Correlates(Outside):
    """Computes with whatever it is given."""

    def fit(self, data, rng):
        linked = np.triu(np.abs(np.corrcoef(data.values.T)) > 0.1, 1)
        return Graph.from_matrix(linked, data.names, direction="row to column")


class DropsColumns(Outside):
    """Leaves out, in silence, what it cannot count."""

    def fit(self, data, rng):
        return Graph.empty([name for name, n in zip(data.names, data.n_levels, strict=True) if n < 1000])
