"""A user's own graph against the data: better than chance, what it lacks, what it does not need."""

import numpy as np

from trueness.datasets import load
from trueness.graphs import Graph
from trueness.studies.learn.guess import violations

ASIA = load("asia")
ROWS = ASIA.draw(3000, np.random.default_rng(1))


def permuted(graph, rng):
    order = rng.permutation(len(graph))
    return graph.rename({name: graph.nodes[k] for name, k in zip(graph.nodes, order, strict=True)})


def test_the_true_graph_violates_less_than_any_permutation_of_its_names():
    rng = np.random.default_rng(2)
    share = violations(ROWS, ASIA.truth).share
    others = [violations(ROWS, permuted(ASIA.truth, rng)).share for _ in range(30)]
    assert share < 0.15 and share < min(others)


def test_an_edge_too_few_and_one_too_many_are_named():
    edges = [f"{e.source} -> {e.target}" for e in ASIA.truth.edges if (e.source, e.target) != ("bronc", "dysp")]
    told = violations(ROWS, Graph.from_edges([*edges, "asia -> bronc"], ASIA.truth.nodes, "dag"))
    assert {"bronc", "dysp"} in [{a, b} for a, b, _ in told.missing]
    assert ("asia", "bronc") in [(a, b) for a, b, _ in told.unsupported]


def test_a_full_graph_implies_nothing():
    names = ASIA.truth.nodes[:3]
    rows = ROWS.columns([ROWS.names.index(name) for name in names])
    full = Graph.from_edges(
        [f"{names[0]} -> {names[1]}", f"{names[0]} -> {names[2]}", f"{names[1]} -> {names[2]}"], names
    )
    assert violations(rows, full).share is None and violations(rows, full).tests == 0
