"""Contract checks: what every learner must do, tested on it. `trueness check NAME` runs them; so does the test-suite.

Data: X0 -> X2 <- X1, X2 -> X3 and the chain X0 -> X1 -> X2, linear with Laplace noise on their raw scale, or binary.
"""

from __future__ import annotations

import warnings
from collections.abc import Callable
from dataclasses import dataclass

import numpy as np
from numpy.random import Generator, default_rng

from trueness.datasets.table import Table
from trueness.errors import DataError
from trueness.graphs import ARROW, TAIL, Graph
from trueness.learners.base import Batched, Learner, check_answer, handles_gaps

COLLIDER = Graph.from_edges(["X0 -> X2", "X1 -> X2", "X2 -> X3"], ["X0", "X1", "X2", "X3"])
CHAIN = Graph.from_edges(["X0 -> X1", "X1 -> X2"], ["X0", "X1", "X2"])
ROWS = 2000
MANY = 1_000_000
ADVICE = "Begin fit with `table = checked(data, self)`."
SEEDS = (0, 1, 2)  # a test at level .05 may err on one draw; not on most of three


@dataclass(frozen=True)
class Check:
    """One rule: passed, failed, or not claimed by the learner's card."""

    rule: str
    passed: bool | None
    detail: str = ""

    @property
    def verdict(self) -> str:
        return "not claimed" if self.passed is None else "pass" if self.passed else "FAIL"


def check_learner(learner: Learner) -> list[Check]:
    """All rules, in order; a rule that raises has failed."""
    easy = continuous_sample if "continuous" in learner.card.data else binary_sample
    table = easy(COLLIDER, default_rng(0))
    hole, flat = table.values.copy(), table.values.copy()
    hole[3, 2], flat[:, 1] = np.nan, flat[0, 1]
    gappy, constant = (Table(table.names, values, table.levels, table.source) for values in (hole, flat))
    gaps = _answers if handles_gaps(learner) else _refuses
    rules: list[tuple[str, Callable[[], bool | None]]] = [
        ("has a complete card", lambda: _card(learner)),
        ("answers with a graph of its class over the columns", lambda: _answers(learner, table)),
        ("gives the same graph for the same data and seed", lambda: _repeatable(learner, table)),
        ("leaves the data unchanged", lambda: _leaves_data(learner, table)),
        ("permuted columns give the permuted graph", lambda: _equivariant(learner, table)),
        ("finds a collider and its effect in the right direction", lambda: _recovers(learner, COLLIDER, easy)),
        ("finds a chain and directs nothing wrongly", lambda: _recovers(learner, CHAIN, easy)),
        ("refuses a constant column", lambda: _refuses(learner, constant)),
        ("refuses missing values, or takes them as its card says", lambda: gaps(learner, gappy)),
        ("refuses fewer rows than columns", lambda: _refuses(learner, table.rows(np.arange(3)))),
        ("refuses a table without columns", lambda: _refuses(learner, table.columns([]))),
        ("refuses numbers whose squares vanish (1e-308), or is right", lambda: _takes_scale(learner, 1e-308)),
        ("refuses numbers whose squares are infinite (1e308), or is right", lambda: _takes_scale(learner, 1e308)),
        ("refuses a category of a million levels, or is right", lambda: _many_levels(learner)),
        ("refuses kinds of columns that its card does not name", lambda: _refuses_kinds(learner)),
        ("gives the same graphs in a batch as one by one", lambda: _same_in_batch(learner, table)),
    ]
    return [_try_rule(rule, test) for rule, test in rules]


def _try_rule(rule: str, test: Callable[[], bool | None]) -> Check:
    try:
        return Check(rule, test())
    except _Broken as broken:
        return Check(rule, False, str(broken))
    except Exception as error:  # an outside learner may raise anything; the check reports it
        return Check(rule, False, f"{type(error).__name__}: {' '.join(str(error).split())[:200]}")


class _Broken(Exception):
    """A rule is broken; the text says how, and what to do."""


def continuous_sample(truth: Graph, rng: Generator, n: int = ROWS) -> Table:
    values = rng.laplace(size=(n, len(truth)))
    for node in truth.topological_order():
        j = truth.index(node)
        values[:, j] += values[:, truth.directed[:, j]].sum(axis=1)
    return Table(truth.nodes, values, (None,) * len(truth), "the check")


def binary_sample(truth: Graph, rng: Generator, n: int = ROWS) -> Table:
    """Each cause that is 1 raises the odds; parents act with different strengths, so that none cancels another."""
    codes = np.zeros((n, len(truth)))
    for node in truth.topological_order():
        j = truth.index(node)
        parents = np.flatnonzero(truth.directed[:, j])
        logit = -1.0 + codes[:, parents] @ (2.0 + 0.5 * np.arange(len(parents)))
        codes[:, j] = rng.random(n) < 1 / (1 + np.exp(-logit)) if len(parents) else rng.random(n) < 0.5
    return Table(truth.nodes, codes, (("no", "yes"),) * len(truth), "the check")


def _card(learner: Learner) -> bool:
    card = learner.card
    return bool(card.title and card.summary and card.paper and card.data <= {"discrete", "continuous"} and card.data)


def _answers(learner: Learner, table: Table) -> bool:
    if problem := check_answer(learner.fit(table, default_rng(0)), learner.card, table.names):
        raise _Broken(problem)
    return True


def _repeatable(learner: Learner, table: Table) -> bool:
    return learner.fit(table, default_rng(5)) == learner.fit(table, default_rng(5))


def _leaves_data(learner: Learner, table: Table) -> bool:
    before = table.values.copy()
    learner.fit(table, default_rng(0))
    return bool((before == table.values).all())


def _equivariant(learner: Learner, table: Table) -> bool | None:
    if not learner.card.deterministic:
        return None  # its random choices go by position
    plain, turned = learner.fit(table, default_rng(0)), learner.fit(table.columns([2, 0, 3, 1]), default_rng(0))
    return bool((plain.marks == turned.reorder(plain.nodes).marks).all())


def _recovers(learner: Learner, truth: Graph, easy: Callable[[Graph, Generator], Table]) -> bool | None:
    claim = learner.card.recovers
    if claim == "nothing":
        return None
    graphs = [learner.fit(easy(truth, default_rng(seed)), default_rng(seed)) for seed in SEEDS]
    if claim == "adjacencies":
        return all(bool(graph.adjacent[truth.adjacent].all()) for graph in graphs)
    return sum(_right(graph, truth) for graph in graphs) * 2 > len(SEEDS)


def _right(graph: Graph, truth: Graph) -> bool:
    """The true skeleton, no arrow or tail that contradicts the truth, and the collider's arrows where there is one."""
    graph = graph.reorder(truth.nodes)
    if (graph.adjacent != truth.adjacent).any():
        return False
    wrong = (graph.marks == ARROW) & (truth.marks == TAIL) | (graph.marks == TAIL) & (truth.marks == ARROW)
    if graph.kind == "dag":
        return bool((graph.marks == truth.marks).all())
    undirected = graph.undirected  # both ends tails: says nothing of direction
    compelled = truth.to_cpdag().directed
    return not (wrong & ~undirected).any() and bool((graph.marks == ARROW)[compelled].all())


def _refuses(learner: Learner, table: Table) -> bool:
    if _fit_or_refuse(learner, table) is not None:
        raise _Broken(f"it gave a graph and must raise DataError. {ADVICE}")
    return True


def _fit_or_refuse(learner: Learner, table: Table) -> Graph | None:
    """None where it refuses. A warning is a fault here: numpy warns where it goes on with infinite values."""
    try:
        with warnings.catch_warnings(), np.errstate(over="raise", invalid="raise", divide="raise"):
            warnings.simplefilter("error", RuntimeWarning)
            return learner.fit(table, default_rng(0))
    except DataError:
        return None
    except Exception as error:  # the same
        got = f"{type(error).__name__}: {' '.join(str(error).split())[:100]}"
        raise _Broken(f"it must give a graph or raise DataError, got {got}. {ADVICE}") from None


def _takes_scale(learner: Learner, size: float) -> bool | None:
    """Values up to `size`: an error, or the graph that the same values of common size have."""
    if "continuous" not in learner.card.data:
        return None
    plain = continuous_sample(COLLIDER, default_rng(0))
    values = plain.values / np.abs(plain.values).max() * size
    scaled = _fit_or_refuse(learner, Table(plain.names, values, plain.levels, plain.source))
    if scaled is not None and (scaled.marks != learner.fit(plain, default_rng(0)).marks).any():
        raise _Broken(f"it gave another graph than for the same values of common size. {ADVICE}")
    return True


def _many_levels(learner: Learner) -> bool:
    """Beside two columns of two levels: an error, or a graph over the columns. Levels are numbers, for all to see."""
    rng = default_rng(0)
    codes = np.column_stack([rng.integers(MANY, size=ROWS), rng.integers(2, size=(ROWS, 2))])
    levels = (tuple(map(str, range(MANY))), ("0", "1"), ("0", "1"))
    table = Table(("many", "two", "other"), codes.astype(float), levels, "the check")
    graph = _fit_or_refuse(learner, table)
    problem = "" if graph is None else check_answer(graph, learner.card, table.names)
    if problem:
        raise _Broken(f"{problem}. {ADVICE}")
    return True


def _refuses_kinds(learner: Learner) -> bool | None:
    """Categories with words for levels cannot pass for numbers; numbers cannot pass for categories."""
    numbers, categories = continuous_sample(COLLIDER, default_rng(0)), binary_sample(COLLIDER, default_rng(0))
    both = np.hstack([numbers.values[:, :2], categories.values[:, 2:]])
    mixed = Table(numbers.names, both, (*numbers.levels[:2], *categories.levels[2:]), "the check")
    unnamed = [table for table in (numbers, categories, mixed) if not learner.card.takes(table)]
    return all([_refuses(learner, table) for table in unnamed]) if unnamed else None


def _same_in_batch(learner: Learner, table: Table) -> bool | None:
    if not isinstance(learner, Batched):
        return None
    draws = default_rng(1).integers(table.n, size=(4, table.n))
    plain = [learner.fit(table.rows(draw), default_rng(0)) for draw in draws]
    batch = list(learner.fit_many(table, draws))
    return len(batch) == len(plain) and all(
        one is None or one == other for one, other in zip(batch, plain, strict=True)
    )
