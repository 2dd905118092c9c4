"""PC on tables with gaps against causal-learn's PC with mv_fisherz (test-wise deletion), draw by draw.

Random Gaussian systems of 6 to 12 nodes, 300 to 1,000 rows, 2 to 20 % of the values missing by chance; causal-learn's
way to keep sets (search = "exhaustive").
"""

import argparse
import time
import warnings

import harness  # noqa: F401  one thread
import numpy as np
from causallearn.search.ConstraintBased.PC import pc

from trueness.datasets.table import Table
from trueness.graphs.libraries import from_causallearn
from trueness.learners.pc import PC


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0])
    parser.add_argument("--draws", type=int, default=50)
    options = parser.parse_args()
    warnings.simplefilter("ignore")
    skeletons, graphs, ours_s, theirs_s = 0, 0, 0.0, 0.0
    PC(search="exhaustive", colliders="separating set", conflicts="first").fit(draw(0))
    for seed in range(options.draws):
        table = draw(seed)
        began = time.process_time()
        ours = PC(search="exhaustive", colliders="separating set", conflicts="first").fit(table)
        between = time.process_time()
        theirs = from_causallearn(
            pc(table.values, 0.05, "mv_fisherz", stable=True, show_progress=False).G, "cpdag", table.names
        )
        theirs_s += time.process_time() - between
        ours_s += between - began
        skeletons += (ours.adjacent == theirs.adjacent).all()
        graphs += (ours.marks == theirs.marks).all()
    print(
        f"gaps: {skeletons} of {options.draws} skeletons equal, {graphs} of {options.draws} graphs equal (target: all)"
    )
    print(f"gaps: {ours_s:.2f} s of CPU, causal-learn {theirs_s:.2f} s: {theirs_s / ours_s:.0f} times")


def draw(seed: int) -> Table:
    rng = np.random.default_rng(seed)
    d, n = int(rng.integers(6, 13)), int(rng.integers(300, 1001))
    weights = np.triu(rng.uniform(0.3, 1.0, (d, d)) * rng.choice([-1, 1], (d, d)) * (rng.random((d, d)) < 2.5 / d), 1)
    values = rng.normal(size=(n, d)) @ np.linalg.inv(np.eye(d) - weights)
    values = values[:, rng.permutation(d)]
    values[rng.random(values.shape) < rng.uniform(0.02, 0.2)] = np.nan
    return Table(tuple(f"X{j}" for j in range(d)), values, (None,) * d)


if __name__ == "__main__":
    main()
