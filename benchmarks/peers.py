"""Score-based learners and their peers on the same draws: F1 of the class, score, CPU seconds, paired intervals.

    python benchmarks/peers.py --nodes 50 100 --density 2 4 --draws 30 [--xges PYTHON] [--xges-cpp BINARY]
    python benchmarks/peers.py --networks asia alarm --draws 30

Random graphs with density x nodes edges, weights in +-[.5, 2], Gaussian noise of variance 1, 5,000 rows, BIC with
penalty 2 (which is what `xges` takes by itself); networks: their rows are sampled, BDeu. Scores are ours, less that
of the true class. Differences are the first of --ours less the other, over the draws that both have.

--xges PYTHON      of an environment that has `xges` (0.1.6; it needs older packages than ours); random graphs only
--xges-cpp BINARY  XGES's program in C++: `BINARY --input rows.npy --alpha 2 -v0` writes xges-graph.txt (`--xges0`: of
                   its first phase). CPU seconds are the process's (getrusage), reading included; random graphs only
--older SOURCES    the `src` of an older checkout: its BOSS, as "boss of before", in a process of its own
--seconds S        a peer that takes longer for a draw is ended, and has no further ones in that setting
"""

import harness  # noqa: F401  first: it sets the number of threads
import argparse
import os
import resource
import select
import signal
import subprocess
import sys
import tempfile
import time
from collections.abc import Iterator
from pathlib import Path

import numpy as np

from trueness.datasets import load
from trueness.datasets.table import Table
from trueness.graphs import Graph
from trueness.learners import learner
from trueness.learners.scores import Scores, ScoreSettings
from trueness.statistics.paired import paired_difference

ROWS, PENALTY, FIRST_SEED = 5000, 2.0, 1000
OURS = {"extended": ("ges", {"search": "extended"}), "plain": ("ges", {"search": "plain"}), "boss": ("boss", {})}
LOOP = """
import sys, time, numpy as np
{imports}
for line in sys.stdin:
    rows = np.load(line.strip())
    began = time.process_time()
    {fit}
    np.savez(line.strip() + ".npz", matrix=matrix, seconds=time.process_time() - began)
    print("done", flush=True)
"""
XGES = LOOP.format(
    imports="from xges import XGES",
    fit="""graph, matrix = XGES().fit(rows, verbose=0), np.zeros((rows.shape[1],) * 2, np.uint8)
    for v in range(len(matrix)):
        matrix[[*graph.get_parents(v), *graph.get_neighbors(v)], v] = 1""",
)
BOSS = LOOP.format(
    imports="from trueness.learners import learner",
    fit=f"graph = learner('boss', penalty={PENALTY}).fit(rows); matrix = graph.directed | graph.undirected",
)
Draws = Iterator[tuple[int, Table, Graph]]
Figures = dict[int, tuple[float, float, float]]  # of a seed: score less that of the truth, F1, CPU seconds


class Peer:
    """Another process that fits what it is handed; None from `fit` once it has taken too long."""

    def __init__(self, python: str, program: str, seconds: float, sources: str | None = None):
        environment = os.environ | ({"PYTHONPATH": sources} if sources else {})
        self._process = subprocess.Popen(
            [python, "-c", program], stdin=subprocess.PIPE, stdout=subprocess.PIPE, text=True, env=environment
        )
        self._seconds = seconds
        rng = np.random.default_rng(0)
        self.fit(Table.of(rng.standard_normal((100, 3)) @ rng.standard_normal((3, 3))))  # compiles

    def fit(self, table: Table) -> tuple[Graph, float] | None:
        if self._process.poll() is not None:
            return None
        with tempfile.TemporaryDirectory() as folder:
            rows = Path(folder, "rows.npy")
            np.save(rows, table.values)
            print(rows, file=self._process.stdin, flush=True)
            if not select.select([self._process.stdout], [], [], self._seconds)[0]:
                self.close()
                return None
            if not self._process.stdout.readline():
                raise SystemExit("a peer ended: its message stands above")
            stored = np.load(f"{rows}.npz")
            graph = Graph.from_matrix(stored["matrix"], table.names, direction="row to column", kind="cpdag")
            return graph, float(stored["seconds"])

    def close(self) -> None:
        self._process.kill()
        self._process.wait()


class Program:
    """XGES in C++, a process for each draw; None from `fit` once it has taken too long."""

    def __init__(self, command: list[str], seconds: float):
        self._command = [*command, "--input", "rows.npy", "--alpha", str(PENALTY), "-v0"]
        self._seconds = seconds
        self._too_slow = False

    def fit(self, table: Table) -> tuple[Graph, float] | None:
        if self._too_slow:
            return None
        with tempfile.TemporaryDirectory() as folder:
            np.save(Path(folder, "rows.npy"), table.values)
            before = resource.getrusage(resource.RUSAGE_CHILDREN)
            try:
                subprocess.run(self._command, cwd=folder, timeout=self._seconds, check=True)
            except subprocess.TimeoutExpired:
                self._too_slow = True
                return None
            after = resource.getrusage(resource.RUSAGE_CHILDREN)
            matrix = np.loadtxt(Path(folder, "xges-graph.txt"), np.uint8, delimiter=",", skiprows=1)
        graph = Graph.from_matrix(matrix, table.names, direction="row to column", kind="cpdag")
        return graph, after.ru_utime + after.ru_stime - before.ru_utime - before.ru_stime

    def close(self) -> None:
        """Nothing runs between draws."""


Peers = dict[str, Peer | Program]


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


def fit_ours(name: str, table: Table, score: dict[str, float]) -> tuple[Graph, float]:
    kind, settings = OURS[name]
    known = learner(kind, **settings, **score)
    began = time.process_time()
    graph = known.fit(table)
    return graph, time.process_time() - began


def compare(what: str, draws: Draws, ours: list[str], score: dict[str, float], peers: Peers) -> None:
    """Print the table of a setting; after Ctrl-C or SIGTERM, of the draws that are done."""
    figures: dict[str, Figures] = {name: {} for name in (*ours, *peers)}
    try:
        fit_all(figures, draws, ours, score, peers)
    finally:
        show(what, figures)


def fit_all(figures: dict[str, Figures], draws: Draws, ours: list[str], score: dict[str, float], peers: Peers) -> None:
    for k, (seed, table, truth) in enumerate(draws):
        scores = Scores.of(table, ScoreSettings(**score))
        if not k:
            for name in ours:
                fit_ours(name, table.columns([0, 1, 2]), score)  # compiles
        answers = {name: fit_ours(name, table, score) for name in ours}
        answers |= {name: peer.fit(table) for name, peer in peers.items()}
        for name, answer in answers.items():
            if answer is not None:
                graph, seconds = answer
                figures[name][seed] = scores.total(graph) - scores.total(truth), f1(graph, truth), seconds


def show(what: str, figures: dict[str, Figures]) -> None:
    print(f"\n{what}; load {os.getloadavg()[0]:.1f}")
    first = next(iter(figures))
    print(f"| | draws | F1 | score - truth | CPU s | the true class | {first}: F1 more by | score more by |")
    print("|---|---|---|---|---|---|---|---|")
    for name, rows in figures.items():
        if not rows:
            print(f"| {name} | 0 | | | | | | |")
            continue
        gap, quality, seconds = np.mean(list(rows.values()), axis=0)
        hits = sum(row[1] == 1 for row in rows.values())
        cells = [name, str(len(rows)), f"{quality:.3f}", f"{gap:.1f}", f"{seconds:.2f}", str(hits)]
        for column, digits in ((1, 3), (0, 1)):
            pairs = np.array([(figures[first][seed][column], row[column]) for seed, row in rows.items()])
            cells.append("" if name == first else difference(pairs, digits))
        print(f"| {' | '.join(cells)} |", flush=True)


def difference(pairs: np.ndarray, digits: int) -> str:
    answer = paired_difference(pairs[:, 0], pairs[:, 1])
    ends = answer.interval
    return f"{answer.difference:+.{digits}f}" + (f" [{ends.low:.{digits}f}, {ends.high:.{digits}f}]" if ends else "")


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0])
    parser.add_argument("--nodes", type=int, nargs="*", default=[])
    parser.add_argument("--density", type=float, nargs="+", default=[2, 4])
    parser.add_argument("--networks", nargs="*", default=[])
    parser.add_argument("--draws", type=int, default=10)
    parser.add_argument("--ours", nargs="+", choices=tuple(OURS), default=list(OURS))
    parser.add_argument("--seconds", type=float, default=600, help="of the clock, for one draw of a peer")
    parser.add_argument("--xges", help="a Python that can import xges")
    parser.add_argument("--xges-cpp", metavar="BINARY", help="XGES's program in C++")
    parser.add_argument("--older", help="the src folder of an older checkout")
    options = parser.parse_args()
    signal.signal(signal.SIGTERM, signal.default_int_handler)  # as Ctrl-C, which a shell keeps from what it runs behind
    seeds = range(FIRST_SEED, FIRST_SEED + options.draws)
    for nodes, density in ((nodes, density) for nodes in options.nodes for density in options.density):
        peers: Peers = {}
        if options.xges:
            peers["xges"] = Peer(options.xges, XGES, options.seconds)
        if options.xges_cpp:
            binary = str(Path(options.xges_cpp).resolve())
            peers["xges (C++)"] = Program([binary], options.seconds)
            peers["xges-0 (C++)"] = Program([binary, "--xges0"], options.seconds)
        if options.older:
            peers["boss of before"] = Peer(sys.executable, BOSS, options.seconds, options.older)
        draws = ((seed, *draw(nodes, density, seed)) for seed in seeds)
        compare(f"d = {nodes}, density {density:g}", draws, options.ours, {"penalty": PENALTY}, peers)
        for peer in peers.values():
            peer.close()
    for name in options.networks:
        known = load(name)
        truth = known.truth.to_cpdag()
        draws = ((seed, known.draw(ROWS, np.random.default_rng(seed)), truth) for seed in seeds)
        compare(f"{name}, {ROWS:,} rows", draws, options.ours, {}, {})


if __name__ == "__main__":
    main()
