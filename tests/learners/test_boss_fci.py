"""BOSS-FCI: the true PAG of many rows, with latent causes and without; never an edge that BOSS does not have."""

import numpy as np
import pytest

from trueness.datasets.synthetic import Synthetic
from trueness.datasets.table import Table
from trueness.graphs import Graph
from trueness.learners.boss import BOSS
from trueness.learners.boss_fci import BOSSFCI

# x and y have a latent cause L, and z, w tell that neither causes the other: z -> x <-> y <- w
TRUTH = Graph.from_edges(["z -> x", "L -> x", "L -> y", "w -> y"])


def rows(truth, n, seed, latent=()):
    rng = np.random.default_rng(seed)
    columns = {}
    for node in truth.topological_order():
        columns[node] = sum((0.9 * columns[p] for p in truth.parents(node)), start=rng.normal(size=n))
    names = tuple(node for node in truth.nodes if node not in latent)
    return Table(names, np.column_stack([columns[name] for name in names]), (None,) * len(names))


def test_a_latent_common_cause_is_found():
    found = BOSSFCI().fit_details(rows(TRUTH, 20_000, 0, ["L"]))
    assert found.graph == TRUTH.to_pag(["L"])
    assert found.n_tests > 0
    assert "x" not in found.separating_set("z", "y")


@pytest.mark.parametrize("seed", [1, 3, 4])
def test_without_latent_causes_it_is_the_pag_of_the_dag(seed):
    system = Synthetic(nodes=7, edges_per_node=1.0, noise="gaussian", graph_seed=seed)
    table = system.draw(20_000, np.random.default_rng(seed))
    found = BOSSFCI(alpha=1e-4).fit(table)
    assert found == system.truth.to_pag()


def test_no_edge_is_added_to_that_of_boss():
    table = Synthetic(nodes=10, noise="gaussian").draw(300, np.random.default_rng(0))
    assert not (BOSSFCI().fit(table).adjacent & ~BOSS().fit(table).adjacent).any()
