"""NOTEARS beside the reference algorithm on scipy: objective, W and graph, draw by draw.

The reference is the one of tests/learners/test_notears.py (Zheng et al. 2018, algorithm 1, scipy's L-BFGS-B and expm).
Where it stops in its last, ill-conditioned problems hangs on rounding, so it is also run on permuted columns: how often
it agrees with itself is the mark by which to read how often we agree with it.
"""

import argparse
import sys
import time
from pathlib import Path

import harness  # noqa: F401  one thread, before numpy

import numpy as np

sys.path.insert(0, str(Path(__file__).parent.parent))
from trueness.learners.notears import NOTEARS
from tests.learners.test_notears import TOLERANCE, draw, reference, same_graph

NAMES = ("sachs", "synthetic-12", "synthetic-30", "asia", "cancer", "child")


def compare(name: str, seed: int, learner: NOTEARS, known: tuple) -> dict[str, float]:
    w, objective, h = known
    began = time.process_time()
    result = learner.fit_details(draw(name, seed))
    relative = (result.objective - objective) / objective
    return {
        "graph": np.array_equal(np.abs(result.weights) >= 0.3, np.abs(w) >= 0.3),
        "graph or flagged": same_graph(result.weights, w),
        "W": np.abs(result.weights - w).max() <= 0.02,
        "lower": relative < -TOLERANCE,
        "equal": abs(relative) <= TOLERANCE,
        "higher, h smaller": relative > TOLERANCE and result.h < h,
        "higher": relative > TOLERANCE and result.h >= h,
        "converged": result.converged,
        "relative": relative,
        "seconds": time.process_time() - began,
    }


def itself(name: str, seed: int, known: tuple) -> bool:
    """Whether the reference finds the same graph when its columns come in another order."""
    values = np.array(draw(name, seed).values)
    order = np.random.default_rng(seed).permutation(values.shape[1])
    found = np.empty_like(known[0])
    found[np.ix_(order, order)] = reference(values[:, order])[0]
    return np.array_equal(np.abs(found) >= 0.3, np.abs(known[0]) >= 0.3)


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0])
    parser.add_argument("--draws", type=int, default=30)
    parser.add_argument("--first", type=int, default=100, help="first seed")
    parser.add_argument("--names", nargs="+", default=NAMES[:3], choices=NAMES)
    parser.add_argument("--itself", action="store_true", help="also run the reference on permuted columns (slow)")
    options = parser.parse_args()
    learners = {"reference": NOTEARS(solver="reference"), "scaled": NOTEARS()}
    NOTEARS().fit(draw("sachs", 0))
    for name in options.names:
        rows: dict[str, list[dict[str, float]]] = {label: [] for label in learners}
        agreed, spent = [], 0.0
        for seed in range(options.first, options.first + options.draws):
            began = time.process_time()
            known = reference(np.array(draw(name, seed).values))
            spent += time.process_time() - began
            for label, learner in learners.items():
                rows[label].append(compare(name, seed, learner, known))
            if options.itself:
                agreed.append(itself(name, seed, known))
        print(f"{name}: {options.draws} draws from seed {options.first}, reference {spent / options.draws:.3f} s")
        if agreed:
            print(f"  reference with permuted columns      graph {sum(agreed)}")
        for label, found in rows.items():
            counts = {
                key: sum(bool(row[key]) for row in found) for key in found[0] if key not in ("relative", "seconds")
            }
            relative = [row["relative"] for row in found]
            seconds = np.mean([row["seconds"] for row in found])
            print(f"  {label:<10}" + "  ".join(f"{key} {count}" for key, count in counts.items()))
            print(
                f"            objective {min(relative):+.1e} to {max(relative):+.1e}, {seconds * 1e3:.1f} ms",
                flush=True,
            )


if __name__ == "__main__":
    main()
