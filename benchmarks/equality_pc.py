"""PC against its references: causal-learn's graph and number of tests, draw by draw; the true CPDAG with an oracle.

causal-learn keeps ancestors in a matrix that `adjust_dpath` updates without joining ancestors of the tail to
descendants of the head, so that its guard against cycles misses paths. Where graphs differ, causal-learn is run again
with that function mended, and with colliders that close a cycle left out: what then agrees is counted as explained.
"""

import argparse
import warnings
from dataclasses import dataclass

import harness  # noqa: F401  one thread
import numpy as np

import trueness
from trueness.datasets.synthetic import Synthetic
from trueness.datasets.table import Table
from trueness.graphs import Graph
from trueness.graphs.equivalence import find_cycle
from trueness.learners.independence import Oracle
from trueness.learners.pc import PC

SETS = ("asia", "cancer", "sachs", "sachs-3", "child", "synthetic-12", "synthetic-30", "alarm")
ROWS = {"asia": 10_000, "cancer": 5_000, "child": 5_000, "alarm": 5_000}


@dataclass
class Count:
    equal: int = 0
    mended: int = 0  # equal once adjust_dpath is mended
    cyclic: int = 0  # causal-learn's colliders close a cycle; equal once such a collider is left out
    other: int = 0
    tests_differ: int = 0

    def __str__(self) -> str:
        made = self.equal + self.mended + self.cyclic + self.other
        text = f"{self.equal} of {made} graphs equal"
        text += f", {self.mended} more with adjust_dpath mended" if self.mended else ""
        text += f", {self.cyclic} where causal-learn's graph is cyclic" if self.cyclic else ""
        text += f", {self.other} UNEXPLAINED" if self.other else ""
        return (
            text + f"; number of tests {'equal in all' if not self.tests_differ else f'differs in {self.tests_differ}'}"
        )


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0])
    parser.add_argument("--draws", type=int, default=50)
    parser.add_argument("--gaussian", type=int, default=200, help="random Gaussian graphs with up to 50 nodes")
    parser.add_argument("--oracle", type=int, default=1000, help="random DAGs with an oracle test")
    parser.add_argument("--sets", nargs="*", default=SETS)
    options = parser.parse_args()
    warnings.simplefilter("ignore")
    bad = 0
    for name in options.sets:
        count = Count()
        for seed in range(options.draws):
            compare(draw(name, seed), count)
        bad += count.other + count.tests_differ
        print(f"{name:<14} {count}", flush=True)
    count = Count()
    for seed in range(options.gaussian):
        compare(random_gaussian(seed), count)
    print(f"{'gaussian':<14} {count}", flush=True)
    bad += count.other + count.tests_differ
    wrong = sum(
        not oracle_agrees(seed, search) for seed in range(options.oracle) for search in ("stable", "exhaustive")
    )
    print(f"{'oracle':<14} {options.oracle} DAGs, two searches: {wrong} CPDAGs differ from the truth's")
    raise SystemExit(bad + wrong > 0)


def draw(name: str, seed: int) -> Table:
    """Fresh rows from a known model; bootstrap rows of sachs; sachs-3 is sachs cut at its terciles."""
    rng = np.random.default_rng(seed)
    if name.startswith("sachs"):
        table = trueness.load("sachs").table
        table = table.rows(rng.integers(table.n, size=table.n))
        return in_three(table) if name == "sachs-3" else table
    return trueness.load(name).draw(ROWS.get(name, 1000), rng)


def in_three(table: Table) -> Table:
    cuts = np.quantile(table.values, (1 / 3, 2 / 3), axis=0)
    codes = (table.values > cuts[0]).astype(float) + (table.values > cuts[1])
    return Table(table.names, codes, (("low", "middle", "high"),) * table.d, table.source)


def random_gaussian(seed: int) -> Table:
    rng = np.random.default_rng(seed)
    family = Synthetic(
        nodes=int(rng.integers(5, 51)), edges_per_node=rng.uniform(1, 2), noise="gaussian", graph_seed=seed
    )
    return family.draw(int(rng.integers(200, 2000)), rng)


def causallearn_pc(table: Table) -> tuple[Graph, int]:
    from causallearn.search.ConstraintBased.PC import pc

    test = "chisq" if table.kind == "discrete" else "fisherz"
    values = table.values.astype(np.int64) if test == "chisq" else np.array(table.values)
    found = pc(values, 0.05, test, show_progress=False)
    tests = len(found.test.pvalue_cache) - 3  # beside the tests it holds three entries on itself
    return Graph.from_causallearn(found.G, kind="cpdag", nodes=table.names), tests


def compare(table: Table, count: Count) -> None:
    ours = PC(search="exhaustive", colliders="separating set", conflicts="first").fit_details(table)
    theirs, tests = causallearn_pc(table)
    count.tests_differ += tests != ours.n_tests
    if ours.graph == theirs:
        count.equal += 1
        return
    with Mended(acyclic_colliders=False):
        mended = causallearn_pc(table)[0]
    if ours.graph == mended:
        count.mended += 1
        return
    with Mended(acyclic_colliders=True):
        acyclic = causallearn_pc(table)[0]
    if ours.graph == acyclic and find_cycle(mended.directed):
        count.cyclic += 1
    else:
        count.other += 1
        print(f"  unexplained: {set(map(str, ours.graph.edges)) ^ set(map(str, theirs.edges))}")


class Mended:
    """causal-learn with a full closure of ancestors, and, if asked for, without colliders that close a cycle."""

    def __init__(self, acyclic_colliders: bool):
        self.acyclic_colliders = acyclic_colliders

    def __enter__(self) -> None:
        from causallearn.graph.GeneralGraph import GeneralGraph

        self.adjust_dpath = GeneralGraph.adjust_dpath
        GeneralGraph.adjust_dpath = adjust_dpath
        if self.acyclic_colliders:
            import causallearn.utils.PCUtils.UCSepset as module

            self.module, self.uc_sepset = module, module.uc_sepset
            module.uc_sepset = uc_sepset

    def __exit__(self, *error: object) -> None:
        from causallearn.graph.GeneralGraph import GeneralGraph

        GeneralGraph.adjust_dpath = self.adjust_dpath
        if self.acyclic_colliders:
            self.module.uc_sepset = self.uc_sepset


def adjust_dpath(graph: object, i: int, j: int) -> None:
    """i -> j was added: every ancestor of i is now an ancestor of every descendant of j."""
    path = graph.dpath  # path[b, a]: a is an ancestor of b
    path[i, i] = path[j, j] = 1
    path[np.ix_(path[:, j] == 1, path[i] == 1)] = 1


def uc_sepset(cg: object, priority: int = 2, background_knowledge: object = None) -> object:
    """causal-learn's uc_sepset with priority 2, leaving out colliders that close a directed cycle."""
    from copy import deepcopy

    from causallearn.graph.Edge import Edge
    from causallearn.graph.Endpoint import Endpoint

    new = deepcopy(cg)
    graph, nodes = new.G, new.G.nodes
    for x, y, z in [(i, j, k) for i, j, k in new.find_unshielded_triples() if i < k]:
        if any(y in members for members in cg.sepset[x, z]):
            continue
        if new.is_fully_directed(y, x) or new.is_fully_directed(y, z):
            continue
        if graph.is_ancestor_of(nodes[y], nodes[x]) or graph.is_ancestor_of(nodes[y], nodes[z]):
            continue
        for end in (x, z):
            graph.remove_edge(graph.get_edge(nodes[end], nodes[y]))
            graph.add_edge(Edge(nodes[end], nodes[y], Endpoint.TAIL, Endpoint.ARROW))
    return new


def random_dag(seed: int, most: int = 12) -> Graph:
    rng = np.random.default_rng(seed)
    d = int(rng.integers(3, most + 1))
    upper = np.triu(rng.random((d, d)) < rng.uniform(0.1, 0.6), 1)
    order = rng.permutation(d)
    return Graph.from_matrix(upper[np.ix_(order, order)], [f"X{i}" for i in range(d)], direction="row to column")


def oracle_agrees(seed: int, search: str) -> bool:
    truth = random_dag(seed)
    return PC(search=search).run(Oracle(truth)).graph == truth.to_cpdag()


if __name__ == "__main__":
    main()
