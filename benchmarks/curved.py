"""Curved relations: rates of RCoT, its speed, F1 of what sees curves.

speed    RCoT at n = 2,000 given two columns against causal-learn's KCI, CPU (target: 30 times)
rates    rejected at .05 with no effect, x and y curves (Gaussian processes) of 0 to 3 columns; binomial band, 99 %.
         The number of waves was chosen on --seed 0 to 2; --seed 3 was first drawn afterwards
f1       30 systems of 10 columns for each kind of relation, 1,000 rows: PC with rcot against PC with Fisher's z,
         paired, 95 % interval. graph_seed from 0 on; settings were chosen on seeds from 1,000 on
"""

import argparse
import time

import harness  # one thread
import numpy as np
from scipy import stats

from trueness.datasets.synthetic import Synthetic
from trueness.datasets.table import Table
from trueness.learners import learner
from trueness.learners.independence import Independence
from trueness.measures.graphs import Reference

RELATIONS = ("gp", "additive-gp", "sigmoid", "post-nonlinear")
LEARNERS = {
    "PC, Fisher's z": ("pc", {}),
    "PC, rcot": ("pc", {"test": "rcot"}),
}


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0])
    parser.add_argument("--parts", nargs="*", default=("speed", "f1", "rates"))
    parser.add_argument("--draws", type=int, default=1000)
    parser.add_argument("--rows", type=int, nargs="*", default=(100, 500, 2000))
    parser.add_argument("--systems", type=int, default=30)
    parser.add_argument("--relations", nargs="*", default=RELATIONS)
    parser.add_argument("--seed", type=int, default=0, help="of the draws of rates")
    options = parser.parse_args()
    if "speed" in options.parts:
        measure_speed()
    if "f1" in options.parts:
        for relation in options.relations:
            measure_f1(relation, options.systems)
    if "rates" in options.parts:
        for n in options.rows:
            measure_rates(n, options.draws, options.seed)


def curve(rng: np.random.Generator, z: np.ndarray) -> np.ndarray:
    """A draw of a Gaussian process at the rows of z."""
    w, b, v = rng.normal(size=(z.shape[1], 300)), rng.uniform(0, 2 * np.pi, 300), rng.normal(size=300)
    return np.cos(z @ w + b) @ v * np.sqrt(2 / 300)


def pair(rng: np.random.Generator, n: int, given: int, effect: float) -> Table:
    z = rng.normal(size=(n, given))
    x, y = rng.normal(size=(2, n))
    if given:
        x, y = 0.7 * x + curve(rng, z), 0.7 * y + curve(rng, z)
    y = y + effect * curve(rng, x[:, None])
    return Table(("x", "y", "s", "t", "u")[: 2 + given], np.column_stack([x, y, z]), (None,) * (2 + given))


def measure_speed() -> None:
    from causallearn.utils.KCI.KCI import KCI_CInd

    table = pair(np.random.default_rng(0), 2000, 2, 0.0)
    x, y, z = np.split(table.values, [1, 2], axis=1)
    theirs = harness.cpu_seconds(lambda: KCI_CInd().compute_pvalue(x, y, z))
    ours = harness.median_seconds(lambda: Independence(table, "rcot").p_value("x", "y", ("s", "t")), 5)
    print(f"rcot, 2,000 rows given two columns: {1000 * ours:.1f} ms, causal-learn's KCI {theirs:.1f} s: "
          f"{theirs / ours:.0f} times", flush=True)  # fmt: skip


def measure_rates(n: int, draws: int, seed: int) -> None:
    low, high = stats.binom.interval(0.99, draws, 0.05)
    cells = []
    for given in range(4):
        rng = np.random.default_rng(1000 * given + n + 1_000_000 * seed)
        null, seen = (
            np.mean([rejects(pair(rng, n, given, effect), draw + draws * seed) for draw in range(count)])
            for effect, count in ((0.0, draws), (0.4, draws // 10))
        )
        cells.append(f"{null:.3f}{' ' if low / draws <= null <= high / draws else '*'} {seen:.2f}")
    print(f"rcot, n = {n:,}: rejected with no effect (99 % band {low / draws:.3f} to {high / draws:.3f}) and power, "
          f"given 0 to 3:  {'   '.join(cells)}", flush=True)  # fmt: skip


def rejects(table: Table, seed: int) -> bool:
    return Independence(table, "rcot", seed=seed).p_value("x", "y", table.names[2:]) < 0.05


def measure_f1(relation: str, systems: int) -> None:
    scores, seconds = np.zeros((len(LEARNERS), systems, 2)), np.zeros(len(LEARNERS))
    for seed in range(systems):
        system = Synthetic(nodes=10, relation=relation, noise="gaussian", graph_seed=seed)
        table, reference = system.draw(1000, np.random.default_rng(seed)), Reference(system.truth)
        for k, (name, settings) in enumerate(LEARNERS.values()):
            began = time.process_time()
            graph = learner(name, **settings).fit(table, np.random.default_rng(seed))
            seconds[k] += time.process_time() - began
            scores[k, seed] = [reference.score(graph)[m].value for m in ("f1", "skeleton_f1")]
    print(
        f"{relation}, {systems} systems of 10 columns, 1,000 rows: F1, of the skeleton; paired differences to the first"
    )
    for k, name in enumerate(LEARNERS):
        texts = [f"{scores[k, :, m].mean():.3f}{_difference(scores[k, :, m] - scores[0, :, m])}" for m in (0, 1)]
        print(f"  {name:<15} {texts[0]:<30} {texts[1]:<30} {seconds[k] / systems:.2f} s a fit", flush=True)


def _difference(d: np.ndarray) -> str:
    if not d.any():
        return ""
    half = stats.t.ppf(0.975, len(d) - 1) * stats.sem(d)
    return f" {d.mean():+.3f} [{d.mean() - half:+.3f}, {d.mean() + half:+.3f}]"


if __name__ == "__main__":
    main()
