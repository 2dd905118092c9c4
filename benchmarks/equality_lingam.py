"""Is DirectLiNGAM the lingam package's? Fresh draws of six data sets, order and weights compared.

equal   the same causal order, and all weights to 1e-6 of the larger of 1 and their size; where the order differs,
        whether the first choice that differs was a tie (measures within 1e-10)
"""

import harness  # noqa: F401  first: it sets the number of threads
import argparse
import json
import sys
import warnings
from collections import Counter

import numpy as np

import trueness
from trueness.learners.kernels.lingam import TIE
from trueness.learners.lingam import DirectLiNGAM

ROWS = {"asia": 10_000, "cancer": 5_000, "child": 5_000, "synthetic-12": 1_000, "synthetic-30": 1_000}
NAMES = ("asia", "cancer", "sachs", "child", "synthetic-12", "synthetic-30")
TOLERANCE = 1e-6


def draw(name, seed):
    """A fresh sample, or for sachs a bootstrap sample, as numbers."""
    rng = np.random.default_rng(seed)
    if name == "sachs":
        table = trueness.load(name).table
        return table.rows(rng.integers(table.n, size=table.n)).as_numbers()
    return trueness.load(name).draw(ROWS[name], rng).as_numbers()


def same_weights(ours, theirs):
    """theirs[i, j] is the weight of j -> i."""
    weights = np.zeros_like(theirs) if ours.graph.weights is None else ours.graph.weights
    return bool((np.abs(weights - theirs.T) <= TOLERANCE * np.maximum(1, np.abs(theirs.T))).all())


def fitted(model, table):
    with warnings.catch_warnings():
        warnings.simplefilter("ignore")
        return model.fit(np.array(table.values))


def order_of(model, table):
    return tuple(table.names[i] for i in model.causal_order_)


def direct(name, seed):
    from lingam import DirectLiNGAM as Reference

    table = draw(name, seed)
    ours, theirs = DirectLiNGAM().fit_details(table), fitted(Reference(), table)
    apart = [a != b for a, b in zip(ours.order, order_of(theirs, table), strict=True)]
    if any(apart):  # only the first choice that differs counts: those after it were made on other residuals
        return "tie" if ours.margins[apart.index(True)] < TIE else "order differs"
    if not same_weights(ours, theirs.adjacency_matrix_):
        return "weights differ"
    return "equal"


def main():
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0])
    parser.add_argument("--draws", type=int, default=30)
    parser.add_argument("--data", nargs="*", default=NAMES, choices=NAMES)
    parser.add_argument("--json", action="store_true", help="print one JSON object")
    options = parser.parse_args()
    found, differs = {}, []
    for name in options.data:
        results = {seed: direct(name, seed) for seed in range(options.draws)}
        found[name] = Counter(results.values())
        differs += [f"{name} seed {seed}: {what}" for seed, what in results.items() if what != "equal"]
        if not options.json:
            counts = ", ".join(f"{what} {count}" for what, count in found[name].most_common())
            print(f"{name:<13} {options.draws} draws: {counts}", flush=True)
    if options.json:
        print(json.dumps({"benchmark": "equality_lingam", "draws": options.draws, "found": found, "differs": differs}))
    else:
        print("\n".join(differs))
    sys.exit(any("differ" in line for line in differs))


if __name__ == "__main__":
    main()
