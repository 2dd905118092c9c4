"""The graph of an interventional class, against an oracle that lists all DAGs with the same edges.

Hauser & Buehlmann (2012), theorem 10: D and D' are equivalent when they have the same skeleton and colliders, and for
each target set I the same skeleton once the edges into I are taken out.
"""

from itertools import combinations, product

import numpy as np
import pytest

from trueness.errors import GraphError
from trueness.graphs import Graph
from trueness.graphs.equivalence import cut_edges, find_cycle
from trueness.learners.kernels.equivalence import complete

DRAWS = 120  # 1,000 take 7 s and were run once: all equal


def oracle(dag, family):
    """The union of the DAGs of the class: [i, j] where one of them has i -> j."""
    d, union = len(dag), np.zeros_like(dag)
    edges = [(i, j) for i, j in combinations(range(d), 2) if dag[i, j] or dag[j, i]]
    wanted = signature(dag, family)
    for flips in product((False, True), repeat=len(edges)):
        other = np.zeros_like(dag)
        for (i, j), flip in zip(edges, flips, strict=True):
            other[(j, i) if flip else (i, j)] = True
        if signature(other, family) == wanted and not find_cycle(other):
            union |= other
    return union


def signature(dag, family):
    """Colliders, and the edges that are left under each intervention; the skeleton is the same throughout."""
    d = len(dag)
    colliders = {
        (a, k, b)
        for k in range(d)
        for a, b in combinations(np.flatnonzero(dag[:, k]).tolist(), 2)
        if not dag[a, b] and not dag[b, a]
    }
    left = [{frozenset((i, j)) for i, j in np.argwhere(dag).tolist() if j not in targets} for targets in family]
    return colliders, left


def draw(seed):
    rng = np.random.default_rng(seed)
    d = int(rng.integers(3, 6))
    order = rng.permutation(d)
    upper = np.triu(rng.random((d, d)) < rng.uniform(0.3, 0.9), 1)
    while upper.sum() > 7:  # orientations to list: 2^edges
        upper[tuple(rng.choice(np.argwhere(upper)))] = False
    dag = upper[np.ix_(order, order)]
    family = [set(rng.choice(d, size=rng.integers(1, d), replace=False).tolist()) for _ in range(rng.integers(1, 4))]
    if rng.random() < 0.5 or set.intersection(*family):
        family.append(set())
    return dag, family


def test_the_graph_of_an_interventional_class_is_the_union_of_its_dags():
    for seed in range(DRAWS):
        dag, family = draw(seed)
        names = [f"X{j}" for j in range(len(dag))]
        truth = Graph.from_matrix(dag, names, direction="row to column")
        targets = [[names[j] for j in nodes] for nodes in family]
        found = truth.to_cpdag(targets)
        union = oracle(dag, family)
        assert ((found.directed | found.undirected) == union).all(), (seed, dag, family)
        assert found.problems(targets) == ()
        held = np.array([[j in nodes for j in range(len(dag))] for nodes in family])
        compiled = dag.astype(np.uint8)  # by Dor & Tarsi's extension of the DAG, which is the DAG, and the rules
        assert complete(compiled, cut_edges(held).astype(np.uint8))
        assert (compiled == union).all(), (seed, dag, family)


def test_a_node_that_is_a_target_throughout_is_refused():
    with pytest.raises(GraphError, match="'a' must be free in some rows"):
        Graph.from_edges(["a -> b"]).to_cpdag([("a",), ("a", "b")])
