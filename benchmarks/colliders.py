"""Rules for colliders on many systems: F1 of edges with their marks, CPU milliseconds, paired intervals.

    python benchmarks/colliders.py [--graphs 3] [--seed 500]

Linear systems with 10 to 50 nodes, 1 to 2 edges a node, 300 to 5,000 rows, Gaussian or Laplace noise, and discrete
networks; alpha .05. The skeleton is the same under every rule, so that differences are those of orientation.
PC's against the CPDAG; FCI's against the PAG, of the whole tables and with up to three common causes hidden.
"""

import harness  # noqa: F401  first: it sets the number of threads
import argparse
import os
import time
from itertools import product

import numpy as np
from peers import difference, f1

from trueness.datasets import load
from trueness.datasets.synthetic import Synthetic
from trueness.datasets.table import Table
from trueness.errors import DataError
from trueness.graphs import Graph
from trueness.learners.fci import FCI, PAGColliders
from trueness.learners.pc import PC

RULES = [
    ("separating set", "first"),
    ("majority", "first"),
    ("max-p", "first"),
    ("majority", "strongest"),
    ("max-p", "strongest"),
    ("separating set", "strongest"),
]
FCI_RULES: tuple[PAGColliders, PAGColliders] = ("separating set", "majority")
NODES, DENSITIES, ROWS = (10, 20, 30, 50), (1.0, 1.5, 2.0), (300, 1000, 5000)
NETWORKS = ("asia", "sachs-17", "child", "insurance", "alarm")


def systems(graphs: int, first: int):
    """What it counts under, the table, and the true class."""
    settings = product(NODES, DENSITIES, ROWS, range(graphs))
    for seed, (nodes, density, rows, k) in enumerate(settings, first):
        noise = ("gaussian", "laplace")[k % 2]
        made = Synthetic(nodes=nodes, edges_per_node=density, noise=noise, graph_seed=seed)
        where = (f"d = {nodes}", f"{density:g} edges a node", f"n = {rows:,}")
        yield ("linear", *where), made.draw(rows, np.random.default_rng(seed)), made.truth
    for name, seed in product(NETWORKS, range(first, first + graphs)):
        known = load(name)
        yield ("networks", name), known.draw(2000, np.random.default_rng(seed)), known.truth


def fci_rows(table: Table, truth: Graph, rng: np.random.Generator) -> dict[str, tuple[float, ...]]:
    """What it counts under -> F1 and ms by each of FCI_RULES."""
    causes = np.flatnonzero(truth.directed.sum(axis=1) >= 2)
    hidden = rng.choice(causes, size=min(3, len(causes)), replace=False).tolist()
    made: dict[str, tuple[float, ...]] = {}
    for title, latent in (("whole tables", []), ("common causes hidden", hidden)):
        seen = table.columns([k for k in range(table.d) if k not in latent])
        pag, figures = truth.to_pag([truth.nodes[k] for k in latent]), []
        for rule in FCI_RULES:
            began = time.process_time()
            graph = FCI(colliders=rule).fit(seen)
            figures += [f1(graph, pag), 1e3 * (time.process_time() - began)]
        made[title] = tuple(figures)
    return made


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0])
    parser.add_argument("--graphs", type=int, default=3, help="of each setting, draws of each network")
    parser.add_argument("--seed", type=int, default=500)
    options = parser.parse_args()
    rows: dict[str, list[tuple[float, ...]]] = {}
    broken, turned = np.zeros(len(RULES), int), np.zeros(len(RULES), int)
    of_fci: dict[str, list[tuple[float, ...]]] = {}
    tables = constant = 0
    for groups, table, truth in systems(options.graphs, options.seed):
        cpdag = truth.to_cpdag()
        order = np.random.default_rng(tables).permutation(table.d).tolist()
        figures: list[float] = []
        try:
            for k, (colliders, conflicts) in enumerate(RULES):
                known = PC(colliders=colliders, conflicts=conflicts)
                if groups[0] not in rows:
                    known.fit(table)  # compiles
                began = time.process_time()
                graph = known.fit(table)
                figures += [f1(graph, cpdag), 1e3 * (time.process_time() - began)]
                broken[k] += bool(graph.problems())
                turned[k] += known.fit(table.columns(order)).reorder(table.names) != graph
        except DataError:  # a level that was never drawn
            constant += 1
            continue
        tables += 1
        for title, pair in fci_rows(table, truth, np.random.default_rng(tables)).items():
            of_fci.setdefault(f"{groups[0]}, {title}", []).append(pair)
        for group in groups:
            rows.setdefault(group, []).append(tuple(figures))
    print(f"load {os.getloadavg()[0]:.1f}; {tables} tables; {constant} left out, a column had one value")
    names = [f"{colliders}, {conflicts}" for colliders, conflicts in RULES]
    print(f"| | tables | F1: {names[0]} | {' | '.join(f'{name} less that' for name in names[1:])} | ms of each |")
    print("|" + "---|" * (len(RULES) + 3))
    for group, measured in rows.items():
        table = np.array(measured)
        gains = " | ".join(difference(table[:, [2 * k, 0]], 3) for k in range(1, len(RULES)))
        spent = " / ".join(f"{value:.2g}" for value in table[:, 1::2].mean(axis=0))
        print(f"| {group} | {len(table)} | {table[:, 0].mean():.3f} | {gains} | {spent} |")
        if group in ("linear", "networks"):
            print(f"  {names[3]} less {names[1]}: {difference(table[:, [6, 2]], 3)}")
    print(f"FCI | tables | F1: {FCI_RULES[0]} | {FCI_RULES[1]} less that | ms of each |")
    for title, pairs in of_fci.items():
        table = np.array(pairs)
        spent = " / ".join(f"{value:.2g}" for value in np.median(table[:, 1::2], axis=0))
        print(f"| {title} | {len(table)} | {table[:, 0].mean():.3f} | {difference(table[:, [2, 0]], 3)} | {spent} |")
    for k, name in enumerate(names):
        print(f"{name}: {broken[k]} graphs are the CPDAG of no DAG, {turned[k]} are others with the columns turned")


if __name__ == "__main__":
    main()
