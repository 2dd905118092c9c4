"""Plain against extended GES, and XGES where a Python that has it is named: score, F1 of the class, CPU seconds.

    python benchmarks/extended_ges.py --nodes 50 --density 2 --draws 10 [--peer /path/to/python]

Random graphs with density x nodes edges, weights in +-[.5, 2], Gaussian noise of variance 1, 5,000 rows. The penalty is
2, which is what `xges` takes by itself; scores are ours, as differences to the true class. `xges` (0.1.6, in Python)
needs older packages than ours: an environment of its own, which reads the rows from a file.
"""

import harness  # noqa: F401  first: it sets the number of threads
import argparse
import os
import subprocess
import tempfile
import time
from pathlib import Path

import numpy as np

from trueness.datasets.table import Table
from trueness.graphs import Graph
from trueness.learners import learner
from trueness.learners.scores import Scores, ScoreSettings

ROWS, PENALTY = 5000, 2.0
PEER = """
import sys, time, numpy as np
from xges import XGES
rows = np.load(sys.argv[1])
began = time.process_time()
graph = XGES().fit(rows, verbose=0)
seconds = time.process_time() - began
matrix = np.zeros((rows.shape[1],) * 2, np.uint8)
for v in range(len(matrix)):
    matrix[[*graph.get_parents(v), *graph.get_neighbors(v)], v] = 1
np.savez(sys.argv[2], matrix=matrix, seconds=seconds)
"""


def draw(nodes: int, density: float, seed: int) -> tuple[Table, Graph]:
    rng = np.random.default_rng(seed)
    edges = np.triu(rng.random((nodes, nodes)) < 2 * density / (nodes - 1), 1)
    weights = edges * rng.uniform(0.5, 2, edges.shape) * rng.choice([-1, 1], edges.shape)
    rows = np.zeros((ROWS, nodes))
    for j in range(nodes):
        rows[:, j] = rows @ weights[:, j] + rng.standard_normal(ROWS)
    order = rng.permutation(nodes)
    table = Table.of(rows[:, order])
    return table, Graph.from_matrix(edges[np.ix_(order, order)], table.names, direction="row to column").to_cpdag()


def f1(graph: Graph, truth: Graph) -> float:
    """Of edges with their marks."""
    ours, theirs = {str(edge) for edge in graph.edges}, {str(edge) for edge in truth.edges}
    return 2 * len(ours & theirs) / max(len(ours) + len(theirs), 1)


def ask_peer(python: str, table: Table) -> tuple[Graph, float]:
    with tempfile.TemporaryDirectory() as folder:
        rows, answer = Path(folder, "rows.npy"), Path(folder, "answer.npz")
        np.save(rows, table.values)
        subprocess.run([python, "-c", PEER, rows, answer], check=True)
        stored = np.load(answer)
        graph = Graph.from_matrix(stored["matrix"], table.names, direction="row to column", kind="cpdag")
        return graph, float(stored["seconds"])


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0])
    parser.add_argument("--nodes", type=int, default=50)
    parser.add_argument("--density", type=float, default=2)
    parser.add_argument("--draws", type=int, default=10)
    parser.add_argument("--peer", help="a Python that can import xges")
    options = parser.parse_args()
    figures: dict[str, list[tuple[float, ...]]] = {}
    for seed in range(options.draws):
        table, truth = draw(options.nodes, options.density, seed)
        scores = Scores.of(table, ScoreSettings(penalty=PENALTY))

        def judge(graph: Graph, seconds: float, scores: Scores = scores, truth: Graph = truth) -> tuple[float, ...]:
            return scores.total(graph) - scores.total(truth), f1(graph, truth), seconds

        for search in ("plain", "extended"):
            known = learner("ges", search=search, penalty=PENALTY)
            if seed == 0:
                known.fit(table)  # compiled
            began = time.process_time()
            graph = known.fit(table)
            figures.setdefault(search, []).append(judge(graph, time.process_time() - began))
        if options.peer:
            figures.setdefault("xges", []).append(judge(*ask_peer(options.peer, table)))
    print(f"d = {options.nodes}, density {options.density:g}, {options.draws} draws; load {os.getloadavg()[0]:.1f}")
    print(f"{'search':<10}{'score - truth':>15}{'F1':>8}{'CPU s':>9}{'at the truth':>14}")
    for search, rows in figures.items():
        gap, quality, seconds = np.mean(rows, axis=0)
        print(f"{search:<10}{gap:>15.1f}{quality:>8.3f}{seconds:>9.2f}{sum(row[1] == 1 for row in rows):>14}")


if __name__ == "__main__":
    main()
