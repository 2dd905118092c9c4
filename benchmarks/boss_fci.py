"""BOSS-FCI against FCI: the PAG of random linear systems with latent causes, F1 against the true PAG, paired.

15 nodes, 1.5 edges a node, 3 of the nodes with two effects and more hidden; Gaussian noise, 1,000 rows.
"""

import argparse
import time

import harness  # noqa: F401  one thread
import numpy as np

from trueness.datasets.synthetic import Synthetic
from trueness.learners.boss_fci import BOSSFCI
from trueness.learners.fci import FCI
from trueness.measures.graphs import Reference


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0])
    parser.add_argument("--systems", type=int, default=30)
    options = parser.parse_args()
    ways = {"fci": FCI(), "boss-fci": BOSSFCI()}
    f1: dict[str, list[float]] = {name: [] for name in ways}
    skeleton: dict[str, list[float]] = {name: [] for name in ways}
    seconds = dict.fromkeys(ways, 0.0)
    for seed in range(options.systems):
        system = Synthetic(nodes=15, noise="gaussian", graph_seed=500 + seed)
        rng = np.random.default_rng(seed)
        causes = np.flatnonzero(system.truth.directed.sum(axis=1) >= 2)
        hidden = rng.choice(causes, size=min(3, len(causes)), replace=False)
        table = system.draw(1000, rng)
        seen = table.columns([j for j in range(table.d) if j not in hidden])
        reference = Reference(system.truth, [table.names[j] for j in hidden])
        for name, learner in ways.items():
            if not seed:
                learner.fit(seen)
            began = time.process_time()
            graph = learner.fit(seen)
            seconds[name] += time.process_time() - began
            scores = reference.score(graph, ["f1", "skeleton_f1"])
            f1[name].append(scores["f1"].value or 0.0)
            skeleton[name].append(scores["skeleton_f1"].value or 0.0)
    for name in ways:
        print(
            f"boss-fci: {name}: F1 {np.mean(f1[name]):.2f}, of the skeleton {np.mean(skeleton[name]):.2f}, "
            f"{1000 * seconds[name] / options.systems:.0f} ms of CPU a fit"
        )
    for what, values in (("F1", f1), ("skeleton", skeleton)):
        gaps = np.array(values["boss-fci"]) - np.array(values["fci"])
        half = 2.05 * gaps.std(ddof=1) / np.sqrt(len(gaps))
        print(f"boss-fci: {what}, difference {gaps.mean():+.2f} [{gaps.mean() - half:.2f}, {gaps.mean() + half:.2f}]")


if __name__ == "__main__":
    main()
