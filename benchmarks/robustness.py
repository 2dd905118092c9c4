"""Sensitivity curves over all K, corrupting many values, and learners under corruption."""

import harness  # first: it sets the number of threads
import numpy as np

from trueness.datasets.corruptions import corruption
from trueness.datasets.table import Table
from trueness.graphs import Graph
from trueness.measures import MARK_MEASURES, Reference
from trueness.studies.robustness.sensitivity import sensitivity_curve

NODES, EDGES = 100, 200
ROWS, COLUMNS = 1_000_000, 20


def system(d, edges, seed=0):
    """A random truth, and scores with one direction a pair in a causal order: what is kept is a DAG at every K."""
    rng = np.random.default_rng(seed)
    first, second = np.triu_indices(d, 1)
    picked = rng.choice(len(first), edges, replace=False)
    matrix = np.zeros((d, d))
    matrix[first[picked], second[picked]] = 1
    truth = Graph.from_matrix(matrix, [f"X{j}" for j in range(d)], direction="row to column")
    return truth, np.triu(rng.random((d, d)), 1)


def one_by_one(truth, scores, ks):
    """F1 and SHD of each K by building its graph and scoring it, as the original does."""
    reference = Reference(truth)
    order = np.argsort(-scores, axis=None)
    found = []
    for k in ks:
        kept = np.zeros(scores.size, dtype=bool)
        kept[order[:k]] = True
        graph = Graph.from_matrix(kept.reshape(scores.shape), truth.nodes, direction="row to column")
        found.append(reference.score(graph, MARK_MEASURES))
    return found


def curves(options):
    truth, scores = system(NODES, EDGES)
    mine = harness.median_seconds(lambda: sensitivity_curve(scores, truth), 4 * options.repeats)
    ks = np.linspace(1, NODES * (NODES - 1) // 2, 20).astype(int)  # the others take as long: scaled up to all K
    curve = sensitivity_curve(scores, truth)
    for k, expected in zip(ks, one_by_one(truth, scores, ks), strict=True):
        found = curve.at(k)
        assert all(np.isclose(found[name], expected[name].value) for name in ("f1", "shd", "shd_reversals_twice"))
    peer = harness.median_seconds(lambda: one_by_one(truth, scores, ks), 1) * NODES * (NODES - 1) / len(ks)
    what = f"sensitivity curve, d = {NODES}, all {NODES * (NODES - 1):,} K"
    return [
        harness.Line(what, mine, 0.05, limit=True),
        harness.Line("the same against each K on its own", mine, 100, "measures.graphs", peer),
    ]


def corrupting(options):
    rng = np.random.default_rng(0)
    truth, _ = system(COLUMNS, 30)
    table = Table(truth.nodes, rng.standard_normal((ROWS, COLUMNS)), (None,) * COLUMNS)
    lines = []
    for name in ("compound_full", "extreme", "mcar_40"):
        made = corruption(name)
        taken = harness.median_seconds(
            lambda made=made: made.apply(table, seed=1, truth=truth, overwrite_regimes=True),
            max(1, options.repeats // 2),
        )
        lines.append(harness.Line(f"{name}, {ROWS:,} x {COLUMNS} values", taken, 2.0, limit=True))
    return lines


def learners(options):
    """RC-GNN, d = 13, T = 9,000, belongs here."""
    return []


def main():
    options = harness.options(__doc__)
    lines = [*curves(options), *corrupting(options), *learners(options)]
    note = "each K on its own: 20 of them timed, scaled to all; values checked to be equal"
    harness.finish("robustness", lines, (note,), options.json)


if __name__ == "__main__":
    main()
