"""GIES against the package gies (Kolotuhina & Gamella), draw by draw, and against GES on the same rows.

Random Gaussian systems of 4 to 10 nodes, 100 to 1,000 rows, half of them observational, the others under one to three
interventions on one or two nodes (do, shift and soft in turn). `pip install gies` for the first line.
F1: against the interventional class (gies) or the CPDAG (ges), and against the DAG; 30 systems of 10 nodes, 1,000 rows.
"""

import argparse
import time
from statistics import mean

import harness  # noqa: F401  one thread
import numpy as np

from tests.learners.laboratory import Laboratory
from trueness.datasets.synthetic import Synthetic
from trueness.learners.ges import GES
from trueness.learners.ges import GIES
from trueness.measures.graphs import Reference

HOW = ("do", "shift", "soft")


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0])
    parser.add_argument("--draws", type=int, default=50)
    parser.add_argument("--systems", type=int, default=30)
    options = parser.parse_args()
    try:
        import gies
    except ImportError:
        print("gies: not installed, not compared")
    else:
        equal(gies, options.draws)
    for how in HOW:
        compare(how, options.systems)


def equal(gies, draws: int) -> None:
    same, ours_s, theirs_s = 0, 0.0, 0.0
    GIES(intercept="by experiment").fit(laboratory(0)[1])
    for seed in range(draws):
        _, table = laboratory(seed)
        kinds, rows = table.experiments.kinds, table.experiments.rows
        began = time.process_time()
        ours = GIES(intercept="by experiment").fit(table)
        between = time.process_time()
        data = [table.values[rows == e] for e in range(len(kinds))]
        theirs, _ = gies.fit_bic(data, [[table.names.index(name) for name in kind.targets] for kind in kinds])
        theirs_s += time.process_time() - between
        ours_s += between - began
        same += bool(((ours.directed | ours.undirected) == (theirs != 0)).all())
    print(f"gies: {same} of {draws} graphs equal to the package's (target: all)")
    print(f"gies: {ours_s:.2f} s of CPU, the package {theirs_s:.2f} s: {theirs_s / ours_s:.0f} times")


def compare(how: str, systems: int) -> None:
    ways = {
        "gies": GIES(),
        "gies, interventions = soft": GIES(interventions="soft"),
        "gies, intercept by experiment": GIES(intercept="by experiment"),
        "ges, observational rows": GES(search="plain"),
        "ges, all rows pooled": GES(experiments="pool", search="plain"),
    }
    own: dict[str, list[float]] = {name: [] for name in ways}
    dag: dict[str, list[float]] = {name: [] for name in ways}
    for seed in range(systems):
        rng = np.random.default_rng(1000 + seed)
        system = Synthetic(nodes=10, noise="gaussian", graph_seed=1000 + seed)
        targets = tuple((f"X{j}",) for j in rng.choice(10, size=3, replace=False))
        dataset = Laboratory(system, targets, how)
        table = dataset.draw(1000, rng)
        for name, learner in ways.items():
            reference = Reference(dataset.truth, targets=dataset.targets if isinstance(learner, GIES) else ())
            scores = reference.score(learner.fit(table), ["f1", "dag_f1"])
            own[name].append(scores["f1"].value or 0.0)
            dag[name].append(scores["dag_f1"].value or 0.0)
    for name in ways:
        print(f"gies: {how}, {name}: F1 {mean(own[name]):.2f} of its class, {mean(dag[name]):.2f} against the DAG")


def laboratory(seed: int):
    rng = np.random.default_rng(seed)
    d = int(rng.integers(4, 11))
    system = Synthetic(nodes=d, edges_per_node=min(1.5, (d - 1) / 2), noise="gaussian", graph_seed=seed)
    targets = tuple(
        tuple(f"X{j}" for j in rng.choice(d, size=rng.integers(1, 3), replace=False)) for _ in range(rng.integers(1, 4))
    )
    dataset = Laboratory(system, targets, HOW[seed % 3])
    return dataset, dataset.draw(int(rng.integers(100, 1000)), rng)


if __name__ == "__main__":
    main()
