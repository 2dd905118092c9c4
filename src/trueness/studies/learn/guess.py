"""Is a user's graph better than chance? Its implied independences against the data, and the same with names permuted.

    implied     v independent of w given pa(v), for every v and every w that is no descendant and no parent of v
    violations  share of them that the data reject at .05
    p           (1 + permutations of the names with no more violations) / (1 + permutations); all of them where a
                graph has so few nodes that there are no more than were asked for, else random ones

A graph with a small p fits better than the same graph with its names shuffled (Eulig, Mastakouri, Bloebaum, Hardt &
Janzing 2025, "Toward falsifying causal graphs using a permutation-based test"). An edge without support: its ends
are not dependent given the other parents. A missing edge: an implied independence that is rejected after Holm.
"""

from __future__ import annotations

from dataclasses import dataclass
from itertools import islice, permutations
from math import factorial

import numpy as np
from numpy.random import Generator

from trueness.datasets.table import Table
from trueness.graphs import Graph
from trueness.graphs.equivalence import ancestors
from trueness.learners.independence import Independence
from trueness.statistics.multiplicity import adjust

LEVEL = 0.05
MOST_PARENTS = 8  # given; a test given more says little


def others_of(graph: Graph, most: int) -> int:
    """How many permutations of its names are tried, the one that changes nothing left out."""
    return min(most, factorial(len(graph)) - 1)


def permute_names(graph: Graph, k: int, every: bool, rng: Generator) -> Graph:
    """With its names permuted: by the k-th of every permutation (0 changes nothing), or by a random one."""
    nodes = range(len(graph))
    order = next(islice(permutations(nodes), k, None)) if every else rng.permutation(nodes)
    return graph.rename({name: graph.nodes[j] for name, j in zip(graph.nodes, order, strict=True)})


@dataclass(frozen=True)
class Violations:
    share: float | None
    tests: int
    missing: tuple[tuple[str, str, float], ...]  # v, w, Holm-adjusted p: the data reject that they need no edge
    unsupported: tuple[tuple[str, str, float], ...]  # cause, effect, p: the data do not show that they need one

    def to_dict(self) -> dict[str, object]:
        return {"share": self.share, "tests": self.tests, "missing": self.missing, "unsupported": self.unsupported}


def violations(table: Table, graph: Graph) -> Violations:
    tests = Independence(table, alpha=LEVEL)
    directed = graph.reorder(table.names).directed
    implied, edges = [], []
    for v in range(table.d):
        parents = np.flatnonzero(directed[:, v])[:MOST_PARENTS].tolist()
        parent_names = [table.names[k] for k in parents]
        for w in range(table.d):
            below = ancestors(directed, [w])[v]  # v is an ancestor of w, or w itself
            if w not in parents and not below and not directed[w, v]:
                implied.append((table.names[v], table.names[w], _p(tests, v, w, parent_names, table)))
        for w in parents:
            others = [name for name in parent_names if name != table.names[w]]
            edges.append((table.names[w], table.names[v], _p(tests, v, w, others, table)))
    p = np.array([one[2] for one in implied])
    strong = adjust(p) if len(p) else p
    missing = {frozenset(one[:2]): (*one[:2], float(q)) for one, q in zip(implied, strong, strict=True) if q < LEVEL}
    unsupported = tuple(one for one in edges if one[2] >= LEVEL)
    share = float((p < LEVEL).mean()) if len(p) else None
    return Violations(share, len(p), tuple(missing.values()), unsupported)


def _p(tests: Independence, v: int, w: int, conditions: list[str], table: Table) -> float:
    return tests.p_value(table.names[v], table.names[w], conditions[: tests.most])
