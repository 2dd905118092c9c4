"""How often an AUC of pure noise is told from chance: the share of 95 % intervals that exclude .5, at most 5 % wanted.

rows       a against b values: normal, three-valued, nine in ten the same
clusters   C clusters of n rows, each of which holds both groups
"""

import sys

import numpy as np

from trueness.statistics import auc

DRAWS = 4000
SIZES = ((4, 4), (4, 8), (5, 6), (8, 8), (4, 30), (4, 100), (8, 100))
CLUSTERS = ((10, 2), (30, 2), (30, 5))


def excludes(estimate):
    ends = estimate.interval
    return ends is not None and (ends.low > 0.5 or ends.high < 0.5)


def of_clusters(rng, clusters, n):
    labels = np.repeat(np.arange(clusters), n)
    values = rng.normal(size=clusters).repeat(n) + rng.normal(size=clusters * n)
    first = np.tile(np.arange(n) < n // 2, clusters)
    return auc(values[first], values[~first], (labels[first], labels[~first]))


def main():
    rng = np.random.default_rng(77)
    kinds = {
        "normal": lambda n: rng.normal(size=n),
        "three-valued": lambda n: rng.integers(3, size=n).astype(float),
        "nine in ten the same": lambda n: (rng.random(n) < 0.1) * rng.random(n),
    }
    worst = 0.0
    for a, b in SIZES:
        shares = {
            name: np.mean([excludes(auc(draw(a), draw(b))) for _ in range(DRAWS)]) for name, draw in kinds.items()
        }
        worst = max(worst, *shares.values())
        print(f"{a} against {b}: " + ", ".join(f"{name} {100 * share:.1f} %" for name, share in shares.items()))
    for clusters, n in CLUSTERS:
        share = np.mean([excludes(of_clusters(rng, clusters, n)) for _ in range(DRAWS)])
        worst = max(worst, share)
        print(f"{clusters} clusters of {n}: {100 * share:.1f} %")
    print(f"worst {100 * worst:.1f} %  {'pass' if worst <= 0.05 else 'SHORT'}")
    sys.exit(worst > 0.05)


if __name__ == "__main__":
    main()
