"""How good is `learn`? On systems that neither its settings nor the atlas have seen.

    python benchmarks/learn.py [--dev] [--count N] [--out FILE]

claim   the networks of the repository with at most 70 nodes, and three synthetic families of kinds that the
        development systems do not have: sine waves with uniform noise, products of causes, categories of 5 levels
--dev   random_systems.py: what settings such as WIDER were chosen on

Of each system one table is learned; the truth then says: do the intervals of the F1 to be expected (of twins and
atlas together, and of the atlas alone) hold what the learners got; how far is the chosen learner from the best (mean
F1 over 5 fresh tables), and from PC; are odds true (ECE over ten equal bins, Brier score beside that of plain shares);
does the permutation test accept the true graph and reject a random one of as many edges.
"""

from __future__ import annotations

import argparse
import json
import tempfile
import time
import warnings
from pathlib import Path

import numpy as np
from random_systems import random_system

from trueness.atlas import place_of
from trueness.datasets import load
from trueness.datasets.synthetic import NOISES, Synthetic
from trueness.datasets.table import Table
from trueness.graphs import Graph
from trueness.learners import build
from trueness.measures.graphs import Reference
from trueness.running.engine import executor_for
from trueness.statistics import mean
from trueness.studies.learn.command import study_of
from trueness.studies.learn.findings import Learned
from trueness.studies.learn.guess import violations
from trueness.studies.learn.plan import ANY_COLUMNS, NUMBERS

NETWORKS = ("asia", "cancer", "earthquake", "survey", "sachs-17", "child", "insurance", "water", "mildew", "alarm",
            "magic-niab", "ecoli70", "barley", "hailfinder", "magic-irri", "hepar2")  # fmt: skip
FRESH, PERMUTATIONS = 5, 40
SMALL = {"twins": 1, "draws": 2, "resamples": 16}


class Family:
    """A held-out kind of synthetic system over the graphs of Synthetic."""

    def __init__(self, kind: str, nodes: int, seed: int):
        self.kind, self.made = kind, Synthetic(nodes, 1.3, graph_seed=1000 + seed)
        self.truth = self.made.truth

    def draw(self, n: int, rng: np.random.Generator) -> Table:
        weights, order, _ = self.made._model
        values = NOISES["uniform" if self.kind == "sine" else "laplace"](rng, (n, self.made.nodes))
        levels: list[tuple[str, ...] | None] = [None] * self.made.nodes
        for j in order:
            parents = np.flatnonzero(weights[:, j])
            x = values[:, parents]
            if self.kind == "sine" and len(parents):
                values[:, j] = 2 * np.sin(x * weights[parents, j]).sum(axis=1) + 0.5 * values[:, j]
            elif self.kind == "products" and len(parents):
                values[:, j] = x @ weights[parents, j] + np.prod(x, axis=1) + values[:, j]
            elif self.kind == "levels":
                score = (x - 2) @ weights[parents, j] + 1.5 * values[:, j]
                cuts = np.quantile(score, (0.2, 0.4, 0.6, 0.8))
                values[:, j] = np.searchsorted(cuts, score)
                levels[j] = tuple("abcde")
            if self.kind != "levels":
                values[:, j] = (values[:, j] - values[:, j].mean()) / values[:, j].std()
        return Table(self.made.columns, values, tuple(levels), self.kind)


def systems(dev: bool, count: int):
    """Name, system, rows."""
    if dev:
        made = (random_system(seed) for seed in range(500, 500 + 4 * count))
        few = [system for system in made if system.nodes <= 20 and system.rows <= 2500]
        yield from ((f"{system.kind}-{system.seed}", system, system.rows) for system in few[:count])
        return
    for k in range(count):
        for kind in ("sine", "products", "levels"):
            yield f"{kind}-{k}", Family(kind, (8, 12, 16)[k % 3], k), (400, 1500)[k % 2]
    for name in NETWORKS:
        dataset = load(name)
        yield from ((f"{name}-{n}", dataset, n) for n in (500, 2000))


def try_one(name: str, system, n: int, executor, slots: int) -> dict | None:
    rng = np.random.default_rng([7, sum(name.encode())])
    table, reference = system.draw(n, rng), Reference(system.truth)
    spread = np.nanmax(table.values, axis=0) > np.nanmin(table.values, axis=0)
    if not spread.all():
        return None
    began = time.process_time()
    with tempfile.TemporaryDirectory() as place:
        study = study_of(table, Path(place), None, None, SMALL)
        end = study.run(executor, slots)
        with end.study.store.opened():
            learned = Learned.of(end.study.tasks[0])
    if learned.chosen is None:
        return None
    f1 = {}
    for who, _ in learned.ranking:
        base, settings = (ANY_COLUMNS | NUMBERS)[who]
        learner = build(base, settings)
        tables = [table, *(system.draw(n, rng) for _ in range(FRESH))]
        f1[who] = [score(reference, learner, one, rng) for one in tables]
    directed = system.truth.reorder(table.names).directed
    index = {node: k for k, node in enumerate(table.names)}
    edges = [
        (edge.present, edge.share, edge.onward, bool(directed[index[edge.source], index[edge.target]]),
         bool(directed[index[edge.target], index[edge.source]]))
        for edge in learned.edges
    ]  # fmt: skip
    expected = {who: learned.expected("f1", who) for who in f1}
    place = place_of(table)
    return {
        "name": name, "n": n, "d": table.d, "chosen": learned.chosen, "f1": f1, "edges": edges,
        "expected": {who: one for who, one in expected.items() if one is not None},
        "atlas": {who: [place.expects(who), *place.at(who, "f1", (0.05, 0.95)).tolist()] for who in f1},
        "guess": permutation_test(table, system.truth, rng), "cpu": time.process_time() - began,
    }  # fmt: skip


def score(reference: Reference, learner, table: Table, rng) -> float:
    try:
        return reference.score(learner.fit(table, rng), ("f1",))["f1"].value or 0.0
    except Exception:  # a column that does not vary in this draw: no graph
        return 0.0


def permutation_test(table: Table, truth: Graph, rng) -> dict[str, float]:
    """p of the true graph, and of a random graph with as many edges."""
    order = rng.permutation(len(truth))
    upper = np.triu_indices(len(truth), 1)
    picked = rng.choice(len(upper[0]), size=truth.n_edges(), replace=False)
    random = np.zeros((len(truth), len(truth)), dtype=bool)
    random[order[upper[0][picked]], order[upper[1][picked]]] = True
    graphs = {"true": truth, "random": Graph.from_matrix(random, truth.nodes, direction="row to column")}
    found = {}
    for name, graph in graphs.items():
        own = violations(table, graph).share
        if own is None:
            continue
        shuffled = []
        for _ in range(PERMUTATIONS):
            names = rng.permutation(len(graph))
            shuffled.append(
                violations(
                    table, graph.rename({a: graph.nodes[k] for a, k in zip(graph.nodes, names, strict=True)})
                ).share
            )
        found[name] = (1 + sum(share <= own for share in shuffled if share is not None)) / (1 + PERMUTATIONS)
    return found


def report(rows: list[dict]) -> None:
    inside = [e[1] <= r["f1"][w][0] <= e[2] for r in rows for w, e in r["expected"].items() if w == r["chosen"]]
    every = [e[1] <= r["f1"][w][0] <= e[2] for r in rows for w, e in r["expected"].items()]
    width = [e[2] - e[1] for r in rows for w, e in r["expected"].items() if w == r["chosen"]]
    means = [{who: float(np.mean(one[1:])) for who, one in r["f1"].items()} for r in rows]
    short = mean(np.array([max(m.values()) - m[r["chosen"]] for m, r in zip(means, rows, strict=True)]))
    gain = mean(np.array([m[r["chosen"]] - m["pc"] for m, r in zip(means, rows, strict=True)]))
    print(f"systems {len(rows)}, CPU of the driver {sum(r['cpu'] for r in rows):.0f} s")
    held = f"chosen {np.mean(inside):.3f}, all learners {np.mean(every):.3f}, width {np.mean(width):.2f}"
    print(f"90 % interval of F1 holds it: {held}")
    alone = [(a[1] <= r["f1"][w][0] <= a[2], a[2] - a[1]) for r in rows for w, a in r["atlas"].items()]
    print("that of the atlas alone: {:.3f}, width {:.2f}".format(*np.mean(alone, axis=0)))
    firsts = [max(r["atlas"], key=lambda who: r["atlas"][who][0]) for r in rows]
    by_atlas = mean(np.array([max(m.values()) - m[who] for m, who in zip(means, firsts, strict=True)]))
    print(f"best learner's mean F1 - that of the atlas's first: {by_atlas}")
    print(f"best learner's mean F1 - chosen's: {short}")
    print(f"chosen's mean F1 - PC's: {gain}")
    for who in sorted({w for m in means for w in m}):
        own = [max(m.values()) - m[who] for m in means if who in m]
        print(f"   always {who:15} short of the best by {np.mean(own):.3f} (n = {len(own)})")
    odds, share, onward, a, b = (np.array([e[k] for r in rows for e in r["edges"]]) for k in range(5))
    there = a | b
    for title, p in (("odds", odds), ("plain shares", share)):
        print(f"{title:13} ECE {ece(p, there):.3f}  Brier {np.mean((p - there) ** 2):.4f}")
    seen = there.astype(bool)
    print(f"direction     ECE {ece(onward[seen], a[seen]):.3f} over {seen.sum()} true edges")
    for kind, wanted in (("true", "at most .05 in"), ("random", "at most .05 in")):
        p = np.array([r["guess"][kind] for r in rows if kind in r["guess"]])
        print(f"permutation test, {kind} graph: p {wanted} {np.mean(p <= 0.05):.2f} of {len(p)}")


def ece(p: np.ndarray, y: np.ndarray) -> float:
    bins = np.minimum((p * 10).astype(int), 9)
    return float(sum(abs(p[bins == k].sum() - y[bins == k].sum()) for k in range(10)) / len(p))


def main() -> None:
    parser = argparse.ArgumentParser()
    parser.add_argument("--dev", action="store_true")
    parser.add_argument("--count", type=int, default=12)
    parser.add_argument("--workers", type=int, default=2)
    parser.add_argument("--out", type=Path)
    parser.add_argument("--report", type=Path, help="an --out of before: no system is tried")
    options = parser.parse_args()
    warnings.simplefilter("ignore")
    if options.report:
        report(json.loads(options.report.read_text()))
        return
    rows: list[dict] = []
    with executor_for(options.workers, None) as (executor, slots):
        for name, system, n in systems(options.dev, options.count):
            row = try_one(name, system, n, executor, slots)
            if row is None:
                print(f"{name}: a column does not vary, or no learner ran", flush=True)
                continue
            rows.append(row)
            who = row["chosen"]
            print(f"{name} n={n} d={row['d']}: {who} F1 {row['f1'][who][0]:.2f}, {row['expected'][who]}", flush=True)
            if options.out:
                options.out.write_text(json.dumps(rows))
    report(rows)


if __name__ == "__main__":
    main()
