"""Which setting of `missing` when: PC on systems with gaps that come by chance, by other columns, or by themselves.

30 linear Gaussian systems of 8 columns (12 edges), 2,000 rows; half of the columns lose 30 % of their values:
    MCAR         by chance
    MAR          by two columns without gaps:       P(missing) = sigmoid(a + 2 z), z their standardised sum
    MNAR, others by two of the columns with gaps
    MNAR, self   by the value that goes missing:    its own z
r     mean over pairs of |r| estimated less |r| of the whole table: the bias; and the mean of its absolute value
F1    of PC's graph and of its skeleton; the difference to the whole table's, paired, with a 95 % interval
"""

import argparse

import harness  # noqa: F401  one thread
import numpy as np
from scipy import stats
from scipy.special import expit

from trueness.datasets.synthetic import Synthetic
from trueness.datasets.table import Table
from trueness.learners.gaps import without_gaps
from trueness.learners.independence import Independence
from trueness.learners.pc import PC
from trueness.measures.graphs import Reference

MECHANISMS = ("MCAR", "MAR", "MNAR, others", "MNAR, self")
SETTINGS = ("testwise", "corrected", "complete", "impute")
SHARE, STEEP = 0.3, 2.0
WEIGHTS = (0.3, 0.9)  # weaker than the default, with which columns nearly determine each other and imputing is easy


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0])
    parser.add_argument("--systems", type=int, default=30)
    parser.add_argument("--rows", type=int, default=2000)
    parser.add_argument("--first", type=int, default=0, help="seed of the first system")
    parser.add_argument("--weights", type=float, nargs=2, default=WEIGHTS)
    options = parser.parse_args()
    for mechanism in MECHANISMS:
        measures = {setting: [] for setting in SETTINGS}
        whole = []
        for seed in range(options.first, options.first + options.systems):
            system = Synthetic(nodes=8, noise="gaussian", weights=tuple(options.weights), graph_seed=seed)
            table, reference = system.draw(options.rows, np.random.default_rng(seed)), Reference(system.truth)
            gappy = with_gaps(table, mechanism, np.random.default_rng(seed))
            whole.append(score(reference, PC().fit(table)))
            true = strengths(Independence(table))
            for setting in SETTINGS:
                tests = Independence(without_gaps(gappy, setting), corrected=setting == "corrected")
                error = strengths(tests) - true
                graph = PC(missing=setting).fit(gappy)
                measures[setting].append([error.mean(), np.abs(error).mean(), *score(reference, graph)])
        base = np.array(whole)
        print(f"{mechanism}: whole table F1 {base[:, 0].mean():.3f}, skeleton {base[:, 1].mean():.3f}")
        for setting, rows in measures.items():
            found = np.array(rows)
            bias, error = found[:, :2].mean(axis=0)
            texts = [f"{found[:, 2 + m].mean():.3f} {interval(found[:, 2 + m] - base[:, m])}" for m in (0, 1)]
            print(
                f"  {setting:<10} bias of r {bias:+.3f}, error {error:.3f};  F1 {texts[0]};  skeleton {texts[1]}",
                flush=True,
            )


def with_gaps(table: Table, mechanism: str, rng: np.random.Generator) -> Table:
    order = rng.permutation(table.d)
    gappy, full = order[: table.d // 2], order[table.d // 2 :]
    values, z = table.values.copy(), stats.zscore(table.values)
    for j in gappy:
        if mechanism == "MCAR":
            lost = rng.random(table.n) < SHARE
        else:
            pool = full if mechanism == "MAR" else [v for v in gappy if v != j]
            drivers = [j] if mechanism == "MNAR, self" else rng.choice(pool, 2, replace=False)
            push = STEEP * stats.zscore(z[:, drivers].sum(axis=1))
            lost = rng.random(table.n) < expit(push + intercept(push))
        values[lost, j] = np.nan
    return Table(table.names, values, table.levels)


def intercept(push: np.ndarray) -> float:
    low, high = -20.0, 20.0
    for _ in range(60):
        middle = (low + high) / 2
        low, high = (middle, high) if expit(push + middle).mean() < SHARE else (low, middle)
    return low


def strengths(tests: Independence) -> np.ndarray:
    """|r| of every pair, from the tests that PC makes."""
    names, r = tests.names, []
    for i in range(len(names)):
        for j in range(i):
            found = tests.result(names[i], names[j])
            gaps = tests.present is not None  # without gaps the statistic is r^2
            r.append(np.tanh(np.sqrt(found.statistic / (found.n - 3))) if gaps else np.sqrt(found.statistic))
    return np.array(r)


def score(reference: Reference, graph) -> list[float]:
    scores = reference.score(graph)
    return [scores["f1"].value, scores["skeleton_f1"].value]


def interval(difference: np.ndarray) -> str:
    half = stats.t.ppf(0.975, len(difference) - 1) * stats.sem(difference)
    return f"{difference.mean():+.3f} [{difference.mean() - half:+.3f}, {difference.mean() + half:+.3f}]"


if __name__ == "__main__":
    main()
