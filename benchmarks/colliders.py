"""PC's rules for colliders on many systems: F1 of edges with their marks, CPU milliseconds, paired intervals.

    python benchmarks/colliders.py [--graphs 3] [--seed 500]

Linear systems with 10 to 50 nodes, 1 to 2 edges a node, 300 to 5,000 rows, Gaussian or Laplace noise, and discrete
networks; alpha .05. The skeleton is the same under every rule, so that differences are those of orientation.
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
from trueness.errors import DataError
from trueness.learners.pc import PC

RULES = [
    ("separating set", "first"),
    ("majority", "first"),
    ("max-p", "first"),
    ("majority", "strongest"),
    ("max-p", "strongest"),
    ("separating set", "strongest"),
]
NODES, DENSITIES, ROWS = (10, 20, 30, 50), (1.0, 1.5, 2.0), (300, 1000, 5000)
NETWORKS = ("asia", "sachs-17", "child", "insurance", "alarm")


def systems(graphs: int, first: int):
    """What it counts under, the table, and the true class."""
    settings = product(NODES, DENSITIES, ROWS, range(graphs))
    for seed, (nodes, density, rows, k) in enumerate(settings, first):
        noise = ("gaussian", "laplace")[k % 2]
        made = Synthetic(nodes=nodes, edges_per_node=density, noise=noise, graph_seed=seed)
        where = (f"d = {nodes}", f"{density:g} edges a node", f"n = {rows:,}")
        yield ("linear", *where), made.draw(rows, np.random.default_rng(seed)), made.truth.to_cpdag()
    for name, seed in product(NETWORKS, range(first, first + graphs)):
        known = load(name)
        yield ("networks", name), known.draw(2000, np.random.default_rng(seed)), known.truth.to_cpdag()


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0])
    parser.add_argument("--graphs", type=int, default=3, help="of each setting, draws of each network")
    parser.add_argument("--seed", type=int, default=500)
    options = parser.parse_args()
    rows: dict[str, list[tuple[float, ...]]] = {}
    broken, turned = np.zeros(len(RULES), int), np.zeros(len(RULES), int)
    tables = constant = 0
    for groups, table, truth in systems(options.graphs, options.seed):
        order = np.random.default_rng(tables).permutation(table.d).tolist()
        figures: list[float] = []
        try:
            for k, (colliders, conflicts) in enumerate(RULES):
                known = PC(colliders=colliders, conflicts=conflicts)
                if groups[0] not in rows:
                    known.fit(table)  # compiles
                began = time.process_time()
                graph = known.fit(table)
                figures += [f1(graph, truth), 1e3 * (time.process_time() - began)]
                broken[k] += bool(graph.problems())
                turned[k] += known.fit(table.columns(order)).reorder(table.names) != graph
        except DataError:  # a level that was never drawn
            constant += 1
            continue
        tables += 1
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
    for k, name in enumerate(names):
        print(f"{name}: {broken[k]} graphs are the CPDAG of no DAG, {turned[k]} are others with the columns turned")


if __name__ == "__main__":
    main()
