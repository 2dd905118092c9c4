"""How good is `learn`? On systems that neither its settings nor the atlas have seen.

    python benchmarks/learn.py [--dev] [--count N] [--out FILE]

claim   the networks of the repository with at most 70 nodes, and three synthetic families of kinds that the
        development systems do not have: sine waves with uniform noise, products of causes, categories of 5 levels
--dev   random_systems.py: what settings such as WIDER were chosen on

Of each system one table is learned; the truth then says: do the intervals of the F1 to be expected (of twins and
atlas together, and of the atlas alone) hold what the learners got; how far is the chosen learner from
the best (mean F1 over 5 fresh tables; beside it the choice of somebody who knew every F1 on the one table), and from
PC; are odds true (ECE over ten equal bins, Brier score beside that of plain shares);
does the permutation test accept the true graph and reject a random one of as many edges.
"""

from __future__ import annotations

import argparse
import contextlib
import json
import tempfile
import time
import warnings
from pathlib import Path

import numpy as np
from random_systems import random_system

from trueness.atlas import place_of, standing
from trueness.datasets import load
from trueness.datasets.synthetic import NOISES, Synthetic
from trueness.datasets.table import Table
from trueness.errors import TruenessError
from trueness.graphs import Graph
from trueness.learners import build
from trueness.measures.graphs import Reference
from trueness.running.engine import executor_for
from trueness.statistics import mean
from trueness.studies.learn.command import study_of
from trueness.studies.learn.findings import Learned
from trueness.studies.learn.guess import others_of, permute_names, violations
from trueness.studies.learn.plan import ANY_COLUMNS, NUMBERS

NETWORKS = ("asia", "cancer", "earthquake", "survey", "sachs-17", "child", "insurance", "water", "mildew", "alarm",
            "magic-niab", "ecoli70", "barley", "hailfinder", "magic-irri", "hepar2")  # fmt: skip
FAMILIES = ("sine", "products", "levels")
FRESH, PERMUTATIONS = 5, 200
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
        for kind in FAMILIES:
            yield f"{kind}-{k}", Family(kind, (8, 12, 16)[k % 3], k), (400, 1500)[k % 2]
    for name in NETWORKS:
        dataset = load(name)
        yield from ((f"{name}-{n}", dataset, n) for n in (500, 2000))


def try_one(name: str, system, n: int, executor, slots: int) -> dict | None:
    """executor None: the atlas alone, no twin is made."""
    rng = np.random.default_rng([7, sum(name.encode())])
    tables = [varying(system, n, rng) for _ in range(1 + FRESH)]
    table, began = tables[0], time.process_time()
    if any(one is None for one in tables):
        return None
    place, row = place_of(table), {"name": name, "n": n, "d": table.d}
    learned = None if executor is None else learn(table, executor, slots)
    if learned is not None and learned.chosen is None:
        return None
    known = ANY_COLUMNS | (NUMBERS if table.kind == "continuous" else {})
    made = {who: [fitted(build(*known[who]), one, rng) for one in tables] for who in known}
    made = {who: one for who, one in made.items() if None not in one}  # a learner that fails on a draw is not compared
    truth = Reference(system.truth)
    row["f1"] = f1 = {who: [truth.score(graph, ("f1",))["f1"].value for graph in one] for who, one in made.items()}
    row["atlas"] = {who: [place.expects(who), *place.at(who, "f1", (0.05, 0.95)).tolist()] for who in f1}
    if learned is not None:
        directed = system.truth.reorder(table.names).directed
        index = {node: k for k, node in enumerate(table.names)}
        row["edges"] = [
            (edge.present, edge.share, edge.onward, bool(directed[index[edge.source], index[edge.target]]),
             bool(directed[index[edge.target], index[edge.source]]))
            for edge in learned.edges
        ]  # fmt: skip
        expected = {who: learned.expected("f1", who) for who in f1}
        row["expected"] = {who: one for who, one in expected.items() if one is not None}
        row["chosen"] = learned.chosen
        row["guess"] = permutation_test(table, system.truth, rng)
    return row | {"cpu": time.process_time() - began}


def varying(system, n: int, rng) -> Table | None:
    """A draw in which every column varies, of at most 50."""
    for _ in range(50):
        table = system.draw(n, rng)
        if (np.nanmax(table.values, axis=0) > np.nanmin(table.values, axis=0)).all():
            return table
    return None


def learn(table: Table, executor, slots: int) -> Learned:
    with tempfile.TemporaryDirectory() as place:
        end = study_of(table, Path(place), None, None, SMALL).run(executor, slots)
        with end.study.store.ensure_open():
            return Learned.of(end.study.tasks[0])


def fitted(learner, table: Table, rng) -> Graph | None:
    try:
        return learner.fit(table, rng)
    except TruenessError:
        return None


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
        tried = others_of(graph, PERMUTATIONS)
        every = tried < PERMUTATIONS
        shuffled = [violations(table, permute_names(graph, k, every, rng)).share for k in range(1, tried + 1)]
        found[name] = (1 + sum(share <= own for share in shuffled if share is not None)) / (1 + tried)
    return found


def report_all(rows: list[dict]) -> None:
    """Each family, the networks, and all together."""
    kind_of = {r["name"]: k if (k := r["name"].rsplit("-", 1)[0]) in FAMILIES else "networks" for r in rows}
    for kind in dict.fromkeys(kind_of.values()):
        print(f"\n{kind}")
        report([r for r in rows if kind_of[r["name"]] == kind])
    print("\nall")
    report(rows)


def report(rows: list[dict]) -> None:
    means = [{who: float(np.mean(one[1:])) for who, one in r["f1"].items()} for r in rows]
    print(f"systems {len(rows)}, CPU of the driver {sum(r['cpu'] for r in rows):.0f} s")
    firsts = [max(r["atlas"], key=lambda who: standing(who, r["atlas"][who][0])) for r in rows]
    report_choice("the atlas", rows, means, firsts, [r["atlas"] for r in rows])
    known = [max(m.values()) - m[max(m, key=lambda who: r["f1"][who][0])] for r, m in zip(rows, means, strict=True)]
    print(f"   the best on the one table (needs the truth) is short of the best by {mean(known)}")
    if all("chosen" in r for r in rows):
        report_choice("learn", rows, means, [r["chosen"] for r in rows], [r["expected"] for r in rows])
    for who in sorted({w for m in means for w in m}):
        own = [max(m.values()) - m[who] for m in means if who in m]
        print(f"   always {who:15} short of the best by {np.mean(own):.3f} (n = {len(own)})")
    if all("edges" in r for r in rows):
        report_odds(rows)


def report_choice(title: str, rows: list[dict], means: list[dict], chosen: list[str], expected: list[dict]) -> None:
    held = [(e[1] <= r["f1"][w][0] <= e[2], e[2] - e[1], w == c)
            for r, c, own in zip(rows, chosen, expected, strict=True) for w, e in own.items()]  # fmt: skip
    inside, width, first = np.array(held, dtype=float).T
    print(f"{title}: 90 % interval of F1 holds it: {inside.mean():.3f} of all learners, "
          f"{inside[first == 1].mean():.3f} of the first; width {width.mean():.2f}")  # fmt: skip
    both = [(max(m.values()) - m[who], m[who] - m["pc"]) for m, who in zip(means, chosen, strict=True) if who in m]
    print(f"   best learner's mean F1 - the first's: {mean(np.array(both)[:, 0])}")
    print(f"   the first's mean F1 - PC's: {mean(np.array(both)[:, 1])}")


def report_odds(rows: list[dict]) -> None:
    odds, share, onward, a, b = (np.array([e[k] for r in rows for e in r["edges"]]) for k in range(5))
    there = a | b
    for title, p in (("odds", odds), ("plain shares", share)):
        print(f"{title:13} ECE {ece(p, there):.3f}  Brier {np.mean((p - there) ** 2):.4f}")
    seen = there.astype(bool)
    print(f"direction     ECE {ece(onward[seen], a[seen]):.3f} over {seen.sum()} true edges")
    for kind in ("true", "random"):
        p = np.array([r["guess"][kind] for r in rows if kind in r["guess"]])
        print(f"permutation test, {kind} graph: p at most .05 in {np.mean(p <= 0.05):.2f} of {len(p)}")


def ece(p: np.ndarray, y: np.ndarray) -> float:
    bins = np.minimum((p * 10).astype(int), 9)
    return float(sum(abs(p[bins == k].sum() - y[bins == k].sum()) for k in range(10)) / len(p))


def main() -> None:
    parser = argparse.ArgumentParser()
    parser.add_argument("--dev", action="store_true")
    parser.add_argument("--count", type=int, default=12)
    parser.add_argument("--workers", type=int, default=2)
    parser.add_argument("--out", type=Path)
    parser.add_argument("--atlas", action="store_true", help="of the atlas alone: no twins")
    parser.add_argument("--report", type=Path, help="an --out of before: no system is tried")
    options = parser.parse_args()
    warnings.simplefilter("ignore")
    if options.report:
        report_all(json.loads(options.report.read_text()))
        return
    rows: list[dict] = []
    with (
        contextlib.nullcontext((None, 0)) if options.atlas else executor_for(options.workers, None) as (executor, slots)
    ):
        for name, system, n in systems(options.dev, options.count):
            row = try_one(name, system, n, executor, slots)
            if row is None:
                print(f"{name}: a column does not vary in most draws, or no learner ran", flush=True)
                continue
            rows.append(row)
            print(f"{name} n={n} d={row['d']}: {row.get('chosen', '')} {row['cpu']:.0f} s", flush=True)
            if options.out:
                options.out.write_text(json.dumps(rows))
    report_all(rows)


if __name__ == "__main__":
    main()
