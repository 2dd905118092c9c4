"""NOTEARS and DAGMA on columns as they come and standardised: F1 against the true DAG.

Level codes of networks, measured tables, and synthetic systems whose columns are in units of their own (each column
times 10^u, u uniform in [-1, 1]) or on the raw scale of the simulation, where variances give the order away.
"""

import argparse
from statistics import mean

import harness  # noqa: F401  one thread
import numpy as np

from trueness import learner, load
from trueness.datasets.synthetic import Synthetic
from trueness.datasets.table import Table
from trueness.measures.graphs import Reference

NETWORKS = ("asia", "cancer", "earthquake", "survey", "sachs-17", "child", "insurance")
TABLES = ("sachs", "wine")
LEARNERS = ("notears", "dagma")


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0])
    parser.add_argument("--seeds", type=int, default=5)
    options = parser.parse_args()
    groups = {
        "level codes": [lambda seed, name=name: of_dataset(name, seed) for name in NETWORKS],
        "measured": [lambda seed, name=name: of_dataset(name, seed) for name in TABLES],
        "synthetic, own units": [lambda seed, units=True: of_system(seed, units)],
        "synthetic, raw scale": [lambda seed, units=False: of_system(seed, units)],
    }
    for group, makers in groups.items():
        for name in LEARNERS:
            f1: dict[str, list[float]] = {"raw": [], "standardised": []}
            empty = dict.fromkeys(f1, 0)
            for make in makers:
                for seed in range(options.seeds):
                    table, truth = make(seed)
                    for scale, values in f1.items():
                        graph = learner(name, scale=scale).fit(table, np.random.default_rng(seed))
                        score = Reference(truth).score(graph, ["f1"])["f1"].value
                        empty[scale] += graph.n_edges() == 0
                        values.append(score or 0.0)
            raw, scaled = mean(f1["raw"]), mean(f1["standardised"])
            print(
                f"scale: {group}, {name}: F1 {raw:.2f} raw ({empty['raw']} of {len(f1['raw'])} graphs empty), "
                f"{scaled:.2f} standardised ({empty['standardised']} empty)",
                flush=True,
            )


def of_dataset(name: str, seed: int):
    dataset = load(name)
    return dataset.draw(2000, np.random.default_rng(seed)).as_numbers(), dataset.truth


def of_system(seed: int, own_units: bool):
    system = Synthetic(nodes=12, standardised=False, graph_seed=seed)
    rng = np.random.default_rng(seed)
    table = system.draw(1000, rng)
    units = 10 ** rng.uniform(-1, 1, table.d) if own_units else np.ones(table.d)
    return Table(table.names, table.values * units, table.levels), system.truth


if __name__ == "__main__":
    main()
