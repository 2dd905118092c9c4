"""How CPU time grows with the number of nodes: one fit of each learner on each size, and the exponent between two.

    python benchmarks/growth.py [--learners ges boss notears dagma] [--nodes 50 100 200 500] [--most 120]

Linear systems with 1.5 edges a node, Laplace noise, standardised, 1,000 rows. A learner that took longer than --most
CPU seconds is not tried on a larger one.
"""

import harness  # first: it sets the number of threads
import argparse
import functools
import math
import os

import numpy as np

from trueness.datasets.synthetic import Synthetic
from trueness.learners import build

LEARNERS = {"ges plain": ("ges", {"search": "plain"}), "notears reference": ("notears", {"solver": "reference"})}


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0])
    parser.add_argument("--learners", nargs="+", default=["ges plain", "ges", "boss", "notears", "dagma"])
    parser.add_argument("--nodes", type=int, nargs="+", default=[50, 100, 200, 500])
    parser.add_argument("--most", type=float, default=120)
    options = parser.parse_args()
    print(f"| | {' | '.join(f'd = {nodes}' for nodes in options.nodes)} | exponent |")
    print(f"|---|{'---|' * len(options.nodes)}---|", flush=True)
    for name in options.learners:
        kind, settings = LEARNERS.get(name, (name, {}))
        known, times = build(kind, settings), {}
        known.fit(Synthetic(nodes=5).draw(200, np.random.default_rng(0)), None)  # compiles
        for nodes in options.nodes:
            if not times or max(times.values()) <= options.most:
                table = Synthetic(nodes=nodes).draw(1000, np.random.default_rng(1))
                times[nodes] = harness.cpu_seconds(functools.partial(known.fit, table, None))
        cells = [f"{times[nodes]:.2g} s" if nodes in times else "not tried" for nodes in options.nodes]
        first, last = list(times)[-2:]
        exponent = math.log(times[last] / times[first]) / math.log(last / first)
        print(f"| {name} | {' | '.join(cells)} | {exponent:.1f} ({first} to {last}) |", flush=True)
    print(f"\nload {os.getloadavg()[0]:.1f}")


if __name__ == "__main__":
    main()
