"""GES against causal-learn's on the same data: how often the CPDAG is the same, and who scores higher where not.

Gaussian BIC on random graphs (d up to 20) and syn12; BDeu on asia, cancer, earthquake and survey. Scores are ours;
both return a class, so the one with the higher score did better by the criterion that both climb. Where the classes
differ although both scores are equal, two operators gained the same and the order of the columns decided.
"""

import harness  # noqa: F401  first: it sets the number of threads
import argparse
import json
import time

import numpy as np

import trueness
from trueness.datasets.synthetic import Synthetic
from trueness.learners import learner
from trueness.learners.ges import GES
from trueness.learners.scores import Scores, ScoreSettings

COLUMNS = ("draws", "equal", "better", "tied", "worse")
DISCRETE = {"asia": 2000, "cancer": 2000, "earthquake": 2000, "survey": 2000}


def tables(draws):
    for k in range(draws):
        rng = np.random.default_rng(k)
        d = int(rng.integers(4, 21))
        edges = float(rng.uniform(0.5, min(2.0, (d - 1) / 2)))
        made = Synthetic(nodes=d, edges_per_node=edges, noise="gaussian", graph_seed=k)
        yield "gaussian d <= 20", made.draw(500, rng)
        yield "synthetic-12", trueness.load("synthetic-12").draw(1000, rng)
        for name, rows in DISCRETE.items():
            yield name, trueness.load(name).draw(rows, rng)


def main():
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0])
    parser.add_argument("--draws", type=int, default=20)
    parser.add_argument("--json", action="store_true")
    options = parser.parse_args()
    counts: dict[str, dict[str, float]] = {}
    for name, table in tables(options.draws):
        row = counts.setdefault(
            name, dict.fromkeys(("draws", "equal", "better", "tied", "worse", "ours_s", "peer_s"), 0)
        )
        began = time.process_time()
        ours = GES(search="plain").fit(table)
        between = time.process_time()
        peers = learner("causal-learn/ges").fit(table)
        row["ours_s"] += between - began
        row["peer_s"] += time.process_time() - between
        scores = Scores.of(table, ScoreSettings())
        gap = scores.total(ours) - scores.total(peers)
        row["draws"] += 1
        row["equal" if ours == peers else "tied" if abs(gap) < 1e-6 else "better" if gap > 0 else "worse"] += 1
    if options.json:
        print(json.dumps(counts))
    else:
        print(f"{'data':<20}" + "".join(f"{column:>8}" for column in COLUMNS) + f"{'ratio':>9}")
        for name, row in counts.items():
            cells = (
                f"{row['draws']:>7.0f}{row['equal']:>7.0f}{row['better']:>8.0f}{row['tied']:>6.0f}{row['worse']:>7.0f}"
            )
            print(f"{name:<20}{cells}{row['peer_s'] / row['ours_s']:>8.0f}x")


if __name__ == "__main__":
    main()
