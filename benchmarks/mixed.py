"""Tests of independence on mixed columns: rates under independence, power, F1 against codes as numbers, time.

rates    2,000 draws for each pairing (two categories, a category and a number, two numbers) given 0 to 3 columns of
         both kinds, on which both sides hang (numbers linearly, categories by a logit); the band is binomial, 99 %
power    the same with an effect of one side on the other
F1       PC on 30 random systems of 10 mixed columns, 2,000 rows: paired difference to codes as numbers, 95 % interval
time     PC on 12 mixed columns, 5,000 rows, against Gaussian PC of the same size (target: within 10 times)
"""

import argparse
import time

import harness  # noqa: F401  one thread
import numpy as np
from scipy import stats

from trueness.datasets.table import Table
from trueness.graphs import Graph
from trueness.learners.independence import Independence
from trueness.learners.pc import PC
from trueness.measures.graphs import Reference

TESTS = ("degenerate-gaussian", "regressions")
PAIRINGS = {"categories": (True, True), "category, number": (True, False), "numbers": (False, False)}


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0])
    parser.add_argument("--draws", type=int, default=2000)
    parser.add_argument("--rows", type=int, nargs="*", default=(100, 1000, 10_000))
    parser.add_argument("--systems", type=int, default=30)
    parser.add_argument("--parts", nargs="*", default=("time", "f1", "rates"))
    parser.add_argument("--tests", nargs="*", default=TESTS)
    options = parser.parse_args()
    if "time" in options.parts:
        measure_time()
    if "f1" in options.parts:
        for test in options.tests:
            measure_f1(test, options.systems)
    if "rates" in options.parts:
        for n in options.rows:
            for test in options.tests:
                measure_rates(test, n, options.draws)


def measure_rates(test: str, n: int, draws: int) -> None:
    low, high = stats.binom.interval(0.99, draws, 0.05)
    print(
        f"{test}, n = {n:,}: rejected at .05 with no effect (99 % band {low / draws:.3f} to {high / draws:.3f}); power"
    )
    for pairing, kinds in PAIRINGS.items():
        cells = []
        for given in range(4):
            rng = np.random.default_rng(1000 * given + n)
            null = rejected(test, [pair(rng, n, kinds, given, 0.0) for _ in range(draws)])
            power = rejected(test, [pair(rng, n, kinds, given, 4 / np.sqrt(n)) for _ in range(draws // 10)])
            cells.append(f"{null:.3f}{' ' if low / draws <= null <= high / draws else '*'} {power:.2f}")
        print(f"  {pairing:<17} given 0 to 3:  {'   '.join(cells)}", flush=True)


def rejected(test: str, tables: list[Table]) -> float:
    """Share of p-values below .05; nan where more than half of the tests could not be made for lack of rows."""
    p = np.array([Independence(table, test).p_value("x", "y", table.names[2:]) for table in tables])
    made = ~np.isnan(p)
    return float((p[made] < 0.05).mean()) if made.mean() > 0.5 else np.nan


def pair(rng: np.random.Generator, n: int, kinds: tuple[bool, bool], given: int, effect: float) -> Table:
    """x and y hang on the columns given: a number, a category of three, a category of two."""
    conditions = [rng.normal(size=n), rng.integers(3, size=n).astype(float), rng.integers(2, size=n).astype(float)]
    levels = [None, ("a", "b", "c"), ("0", "1")]
    effects = [conditions[0], (conditions[1] == 1) - 0.5 * (conditions[1] == 2), conditions[2]]
    push = 0.5 * np.sum(effects[:given], axis=0) if given else np.zeros(n)
    x, x_levels = side(rng, push, kinds[0])
    y, y_levels = side(rng, push + effect * (x - x.mean()), kinds[1])
    values = np.column_stack([x, y, *conditions[:given]])
    return Table(("x", "y", "s", "t", "u")[: 2 + given], values, (x_levels, y_levels, *levels[:given]))


def side(rng: np.random.Generator, push: np.ndarray, category: bool) -> tuple[np.ndarray, tuple[str, ...] | None]:
    if not category:
        return push + rng.normal(size=len(push)), None
    return (rng.gumbel(size=(len(push), 3)) + np.outer(push, [-1, 0, 1])).argmax(axis=1).astype(float), ("l", "m", "h")


def system(seed: int, d: int = 10, n: int = 2000) -> tuple[Table, Graph]:
    """A random DAG with 1.5 d edges; half of the columns are categories of 2 to 4 levels without an order."""
    rng = np.random.default_rng(seed)
    chosen = rng.permutation(d * (d - 1) // 2)[: int(1.5 * d)]
    dag = np.zeros((d, d), bool)
    dag[tuple(np.array(np.triu_indices(d, 1))[:, chosen])] = True
    category = rng.permutation(d) < d // 2
    values, levels = np.zeros((n, d)), []
    for j in range(d):
        k = int(rng.integers(2, 5)) if category[j] else 1
        push = np.zeros((n, k))
        for i in np.flatnonzero(dag[:, j]):
            if category[i]:
                push += rng.normal(scale=1.0, size=(len(levels[i]), k))[values[:, i].astype(int)]
            else:
                push += np.outer(values[:, i] / values[:, i].std(), rng.choice([-1, 1], k) * rng.uniform(0.5, 1.2, k))
        values[:, j] = (
            (push + rng.gumbel(size=(n, k))).argmax(axis=1) if category[j] else push[:, 0] + rng.normal(size=n)
        )
        levels.append(tuple(f"l{c}" for c in range(k)) if category[j] else None)
    names = tuple(f"X{j}" for j in range(d))
    return Table(names, values, tuple(levels)), Graph.from_matrix(dag.astype(float), names, direction="row to column")


def measure_f1(test: str, systems: int) -> None:
    scores = []
    for seed in range(systems):
        table, truth = system(seed)
        reference = Reference(truth)
        graphs = (
            PC(test=test).fit(table),
            PC().fit(table.as_numbers()),
        )
        scores.append([[reference.score(g)[m].value for m in ("f1", "skeleton_f1")] for g in graphs])
    difference = np.array(scores)[:, 0] - np.array(scores)[:, 1]
    for k, name in enumerate(("F1", "skeleton F1")):
        mean, error = difference[:, k].mean(), stats.sem(difference[:, k])
        half = stats.t.ppf(0.975, systems - 1) * error
        ours, codes = np.array(scores)[:, 0, k].mean(), np.array(scores)[:, 1, k].mean()
        print(
            f"PC {test} on {systems} mixed systems: {name} {ours:.3f}, codes as numbers {codes:.3f}; paired difference "
            f"{mean:+.3f} [{mean - half:+.3f}, {mean + half:+.3f}]",
            flush=True,
        )


def measure_time() -> None:
    table, _ = system(0, 12, 5000)
    numbers = table.as_numbers()
    times = {}
    for name, data, settings in (
        ("fisher-z", numbers, {}), ("degenerate-gaussian", table, {}), ("regressions", table, {"test": "regressions"}),
    ):  # fmt: skip
        learner = PC(**settings)
        learner.fit(data)
        repeats = 3 if name == "regressions" else 30
        began = time.process_time()
        for _ in range(repeats):
            learner.fit(data)
        times[name] = (time.process_time() - began) / repeats
        ratio = times[name] / times["fisher-z"]
        print(
            f"PC, 12 columns, 5,000 rows, {name}: {1000 * times[name]:.2f} ms, {ratio:.1f} times Gaussian PC",
            flush=True,
        )


if __name__ == "__main__":
    main()
