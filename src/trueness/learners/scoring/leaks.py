"""Does a scorer know the true graph? Its answer must not change when the truth does.

    same rows, same seed:   scores with the truth as it is  ==  scores with the truth's nodes shuffled, bit by bit

While the scorer runs, every way to the truth is watched or answers with the shuffled graph: a `truth` on the data that
it is given, the data set itself (through a global, a closure or the registry), and the Graph that others hold. Nor may
a scorer's module import what holds truths. A copy of the matrix that was hidden away beforehand is beyond any check of
this kind; reading the scorer's file is not.

It patches the data set's class for the time of a call: run it in checks and tests, not while other threads score.
"""

from __future__ import annotations

import ast
import inspect
from collections.abc import Iterator
from contextlib import contextmanager
from dataclasses import dataclass
from pathlib import Path
from typing import Protocol

import numpy as np
from numpy.random import Generator, default_rng

from trueness.datasets.table import Table
from trueness.errors import DataError
from trueness.graphs import Graph
from trueness.learners.scoring.edge_scores import Array, EdgeScorer

WAYS = ("truth", "dataset", "graph", "clean")  # names under which data could carry what a scorer must not see
_HOLD_TRUTHS = ("datasets", "measures", "tasks", "study", "store", "robustness", "results", "load")
_HARMLESS = ("trueness.datasets.table", "trueness.datasets.observed", "trueness.datasets.frames")


class HasTruth(Protocol):
    """What the check needs of a data set."""

    @property
    def truth(self) -> Graph: ...

    def draw(self, n: int | None = None, rng: Generator | None = None) -> Table: ...


@dataclass(frozen=True)
class LeakReport:
    """What was found; nothing is good."""

    scorer: str
    findings: tuple[str, ...]

    @property
    def passed(self) -> bool:
        return not self.findings

    def __str__(self) -> str:
        return f"{self.scorer}: {'; '.join(self.findings) if self.findings else 'does not know the truth'}."


def check_no_leak(scorer: EdgeScorer, dataset: HasTruth, n: int = 300, seed: int = 0) -> LeakReport:
    """Score n rows of the data set twice, the truth shuffled in between, and tell all that points to a leak."""
    data, truth = dataset.draw(n, default_rng(seed)), dataset.truth
    reads: list[str] = []
    answers = []
    for shown in (truth, shuffle(truth, default_rng(seed))):
        with _truth_replaced(dataset, truth, shown, reads):
            answers.append(_score(scorer, _carrying(data, shown, reads), seed))
    findings = [f"reads {way}" for way in dict.fromkeys(reads)]
    if not np.array_equal(answers[0], answers[1]):
        findings.append("answers otherwise when the truth is shuffled")
    findings += [f"its module imports {name}" for name in _forbidden_imports(scorer)]
    return LeakReport(type(scorer).__name__, tuple(findings))


def shuffle(truth: Graph, rng: Generator) -> Graph:
    """The graph with its nodes' places exchanged, so that its edges differ."""
    for _ in range(100):
        order = rng.permutation(len(truth))
        moved = truth.marks[np.ix_(order, order)]
        if not np.array_equal(moved, truth.marks):
            return Graph(truth.nodes, moved, None, truth.kind)
    raise DataError("the truth of a leak check must change when its nodes are shuffled, got an empty or a full graph.")


def _score(scorer: EdgeScorer, data: Table, seed: int) -> Array:
    return scorer.scores(data, default_rng(seed)).matrix


def _carrying(data: Table, shown: Graph, reads: list[str]) -> Table:
    """The same table with a truth on it that tells when it is looked at."""

    def way(name: str) -> property:
        def look(_: object) -> Graph:
            reads.append(f"data.{name}")
            return shown

        return property(look)

    kind = type(type(data).__name__, (type(data),), {name: way(name) for name in WAYS if not hasattr(data, name)})
    carrier: Table = object.__new__(kind)
    carrier.__dict__.update(data.__dict__)
    return carrier


@contextmanager
def _truth_replaced(dataset: HasTruth, truth: Graph, shown: Graph, reads: list[str]) -> Iterator[None]:
    """Everyone who asks the data set, or looks into its graph, gets the shown one for the time being."""
    kind, content, other = type(dataset), dict(truth.__dict__), dict(shown.__dict__)
    there = "truth" in kind.__dict__
    before = kind.__dict__.get("truth")

    def look(_: object) -> Graph:
        reads.append("dataset.truth")
        return shown

    type.__setattr__(kind, "truth", property(look))
    truth.__dict__.clear()
    truth.__dict__.update(other)
    try:
        yield
    finally:
        truth.__dict__.clear()
        truth.__dict__.update(content)
        if there:
            type.__setattr__(kind, "truth", before)
        else:
            type.__delattr__(kind, "truth")


def _forbidden_imports(scorer: EdgeScorer) -> list[str]:
    """Modules of ours that hold truths, imported by the file that the scorer is written in."""
    try:
        file = inspect.getsourcefile(type(scorer))
    except TypeError:  # made at a prompt
        return []
    if file is None or not Path(file).is_file():
        return []
    imported = []
    for node in ast.walk(ast.parse(Path(file).read_text(encoding="utf-8"))):
        if isinstance(node, ast.ImportFrom) and node.module:
            imported += [
                f"{node.module}.{alias.name}" if node.module == "trueness" else node.module for alias in node.names
            ]
        elif isinstance(node, ast.Import):
            imported += [alias.name for alias in node.names]
    parts = {name: name.split(".") for name in imported}
    return sorted(
        name
        for name, (root, *rest) in parts.items()
        if root == "trueness" and rest and rest[0] in _HOLD_TRUTHS and name not in _HARMLESS
    )
