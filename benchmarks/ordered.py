"""How should whole numbers with few values be read? F1 on ordinal systems of 6, 10 and 16 columns, by reading.

    python benchmarks/ordered.py [--first SEED] [--count N]

latent     a linear Gaussian DAG, its columns cut afterwards at equal or skewed shares into 3, 5 or 10 levels
observed   the level itself is the cause: an answer moves the next answer
monotone   as latent, with saturating, growing and exponential relations
mixed      as latent, 40 % of the columns not cut, the others of 3 to 10 levels
nominal    ordered columns of 5 levels (observed), a share of the columns nominal, all written as codes

300, 1,000 or 4,000 rows. Readings: categories; numbers; normal scores (the mean of a normal variable in each level);
latent (polychoric correlations: those of the scores, brought to the latent variables by the Hermite series of the
steps, with n times the mean square of the factors by which scores attenuate them); the default (columns.py).
Seeds below 1,000 were looked at while the reading was chosen; the claim is of those from 1,000 on.
"""

import argparse

import harness  # noqa: F401  one thread
import numpy as np
import pandas as pd
from scipy import stats

from trueness.datasets.table import Table
from trueness.graphs import Graph
from trueness.learners import build
from trueness.learners.ges import BOSS
from trueness.learners.ges import GES
from trueness.learners.independence import gaussian_tests
from trueness.learners.kernels.scores import covariance_scorer
from trueness.learners.pc import PC
from trueness.learners.resampling import ResampledTests
from trueness.measures.graphs import Reference

READINGS = ("categories", "numbers", "normal scores", "latent", "default")
TERMS = 60  # of the Hermite series
BENDS = (lambda z: np.tanh(2 * z), lambda z: np.sign(z) * np.abs(z) ** 1.5, lambda z: np.expm1(z / 1.5))


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0])
    parser.add_argument("--first", type=int, default=1000)
    parser.add_argument("--count", type=int, default=18)
    options = parser.parse_args()
    seeds = range(options.first, options.first + options.count)
    systems = {kind: [(kind, k, skewed) for k in (3, 5, 10) for skewed in (False, True)]
               for kind in ("latent", "observed", "monotone")}  # fmt: skip
    systems["mixed"] = [("mixed", 0, False), ("mixed", 0, True)]
    for name, settings in systems.items():
        made = [ordinal_system(seed, *one) for one in settings for seed in seeds]
        for who in ("pc", "ges", "boss"):
            tell(name, who, [[fit(who, table, how) for how in READINGS] for table, _ in made], made, READINGS)
    for share in (0.0, 0.1, 0.2, 0.4, 1.0):
        nominal = [nominal_system(seed, share) for seed in seeds]
        for who in ("pc", "boss"):
            graphs = []
            for table, _, names in nominal:
                told = Table.of(
                    frame_of(table), kinds={c: "discrete" if c in names else "ordered" for c in table.names}
                )
                graphs.append([*(fit(who, table, how) for how in ("categories", "numbers", "default")),
                               build(who).fit(told, np.random.default_rng(0))])  # fmt: skip
            tell(f"nominal {share:.1f}", who, graphs, nominal, ("categories", "numbers", "default", "told"))


def tell(name: str, who: str, graphs: list, systems: list, readings: tuple[str, ...]) -> None:
    scores = np.array([[Reference(system[1]).score(graph, ("f1",))["f1"].value for graph in of]
                       for of, system in zip(graphs, systems, strict=True)])  # fmt: skip
    apart = scores - scores[:, [readings.index("numbers")]]
    half = stats.t.ppf(0.975, len(scores) - 1) * apart.std(axis=0, ddof=1) / np.sqrt(len(scores))
    cells = [f"{how} {mean:.3f} ({a - h:+.3f}, {a + h:+.3f})" for how, mean, a, h
             in zip(readings, scores.mean(axis=0), apart.mean(axis=0), half, strict=True)]  # fmt: skip
    print(f"{name:<12}{who:<5}{len(scores):>4} systems  {'  '.join(cells)}", flush=True)


# ---- systems


def ordinal_system(seed: int, kind: str, k: int, skewed: bool) -> tuple[Table, Graph]:
    """k levels in each column; 0: 3 to 10, and 40 % of the columns are not cut."""
    rng, (d, n) = np.random.default_rng([seed, 991]), size(seed)
    dag, order = random_dag(rng, d)
    weights = dag * rng.choice([-1, 1], (d, d)) * rng.uniform(0.4, 1.2, (d, d))
    kept = rng.random(d) < (0.4 if kind == "mixed" else 0.0)
    latent, values, levels = np.zeros((n, d)), np.zeros((n, d)), [None] * d
    for j in order:
        causes = values if kind == "observed" else latent
        x = rng.normal(size=n)
        for i in np.flatnonzero(dag[:, j]):
            z = standard(causes[:, i])
            x += weights[i, j] * (standard(BENDS[rng.integers(3)](z)) if kind == "monotone" else z)
        latent[:, j] = values[:, j] = x
        if not kept[j]:
            count = k or int(rng.choice([3, 4, 5, 7, 10]))
            shares = np.sort(rng.dirichlet(np.full(count, 1.5)) + 0.03)[::-1] if skewed else np.ones(count)
            values[:, j] = np.searchsorted(np.quantile(x, np.cumsum(shares / shares.sum())[:-1]), x)
            levels[j] = tuple(str(c + 1) for c in range(count))
    return table_of(values, levels), Graph.from_matrix(dag.astype(float), names_of(d), direction="row to column")


def nominal_system(seed: int, share: float) -> tuple[Table, Graph, set[str]]:
    """Columns of five ordered levels, and so many of three to five without an order; the names of these."""
    rng, (d, n) = np.random.default_rng([seed, 5]), size(seed)
    dag, order = random_dag(rng, d)
    nominal, levels, values = rng.permutation(d) < round(share * d), [None] * d, np.zeros((n, d))
    for j in order:
        k = int(rng.integers(3, 6)) if nominal[j] else 5
        push = rng.gumbel(size=(n, k)) if nominal[j] else rng.normal(size=(n, 1))
        for i in np.flatnonzero(dag[:, j]):
            if nominal[i]:
                push += rng.normal(0, 1.2, (5, push.shape[1]))[values[:, i].astype(int)]
            else:
                weight = rng.normal(0, 1.2, k) if nominal[j] else rng.choice([-1, 1], 1) * rng.uniform(0.4, 1.2)
                push += np.outer(standard(values[:, i]), weight)
        cuts = np.quantile(push[:, 0], np.arange(1, k) / k)
        values[:, j] = push.argmax(axis=1) if nominal[j] else np.searchsorted(cuts, push[:, 0])
        levels[j] = tuple(str(c + 1) for c in range(k))
    truth = Graph.from_matrix(dag.astype(float), names_of(d), direction="row to column")
    return table_of(values, levels), truth, {f"X{j}" for j in np.flatnonzero(nominal)}


def size(seed: int) -> tuple[int, int]:
    return (6, 10, 16)[seed % 3], (300, 1000, 4000)[seed // 3 % 3]


def random_dag(rng: np.random.Generator, d: int) -> tuple[np.ndarray, np.ndarray]:
    """1.5 edges a column, and an order that goes with them."""
    order, above = rng.permutation(d), np.array(np.triu_indices(d, 1))
    i, j = above[:, rng.permutation(above.shape[1])[: int(1.5 * d)]]
    dag = np.zeros((d, d), bool)
    dag[order[i], order[j]] = True
    return dag, order


def names_of(d: int) -> tuple[str, ...]:
    return tuple(f"X{j}" for j in range(d))


def table_of(values: np.ndarray, levels: list) -> Table:
    """With the levels that occur."""
    for j, names in enumerate(levels):
        if names is not None:
            occurring, values[:, j] = np.unique(values[:, j], return_inverse=True)
            levels[j] = tuple(names[int(code)] for code in occurring)
    return Table(names_of(len(levels)), values, tuple(levels))


def standard(x: np.ndarray) -> np.ndarray:
    return (x - x.mean()) / x.std()


def frame_of(table: Table) -> pd.DataFrame:
    """As a user's file has it: whole numbers."""
    numbers = table.as_numbers().values
    whole = {name: int if levels else float for name, levels in zip(table.names, table.levels, strict=True)}
    return pd.DataFrame(numbers, columns=list(table.names)).astype(whole)


# ---- readings


def fit(who: str, table: Table, how: str) -> Graph:
    rng = np.random.default_rng(0)
    if how == "latent":
        return fit_latent(who, table)
    read = {
        "categories": lambda: table,
        "numbers": table.as_numbers,
        "normal scores": lambda: Table(table.names, scores_of(table), (None,) * table.d),
        "default": lambda: Table.of(frame_of(table)),
    }[how]()
    return build(who).fit(read, rng)


def scores_of(table: Table) -> np.ndarray:
    values = table.values.copy()
    for j, levels in enumerate(table.levels):
        if levels:
            ends = np.concatenate([[-np.inf], thresholds(table, j), [np.inf]])
            shares = np.bincount(table.values[:, j].astype(int)) / table.n
            values[:, j] = (-np.diff(stats.norm.pdf(ends)) / shares)[table.values[:, j].astype(int)]
    return values


def thresholds(table: Table, j: int) -> np.ndarray:
    return stats.norm.ppf(np.cumsum(np.bincount(table.values[:, j].astype(int)) / table.n)[:-1])


def latent_correlations(table: Table) -> tuple[np.ndarray, float]:
    """R with sum_k a_ik a_jk R_ij^k = r_ij (a: Hermite coefficients of the scores); the mean square of a_i1 a_j1."""
    values = scores_of(table)
    a = np.zeros((table.d, TERMS))
    for j, levels in enumerate(table.levels):
        if levels is None:
            a[j, 0] = 1.0
            continue
        at = thresholds(table, j)
        steps = np.diff(np.unique(standard(values[:, j]))) * stats.norm.pdf(at)
        before, now = np.zeros_like(at), np.ones_like(at)  # He_k / sqrt(k!)
        for k in range(1, TERMS + 1):
            a[j, k - 1] = (steps * now).sum() / np.sqrt(k)
            before, now = now, (at * now - np.sqrt(k - 1) * before) / np.sqrt(k)
    r, products, powers = np.corrcoef(values.T), a[:, None] * a[None], np.arange(1, TERMS + 1)
    low, high = np.full(r.shape, -0.985), np.full(r.shape, 0.985)
    for _ in range(30):
        middle = (low + high) / 2
        under = (products * middle[:, :, None] ** powers).sum(axis=2) < r
        low, high = np.where(under, middle, low), np.where(under, high, middle)
    made = (low + high) / 2
    np.fill_diagonal(made, 1.0)
    least = np.linalg.eigvalsh(made)[0]
    if least < 1e-3:
        made *= 1 - (1e-3 - least) / (1 - least)
        np.fill_diagonal(made, 1.0)
    return made, float((products[:, :, 0] ** 2)[np.triu_indices(table.d, 1)].mean())


class LatentScores:
    """The scores of latent correlations."""

    def scorer(self, table: Table):
        matrix, kept = latent_correlations(table)
        return covariance_scorer(matrix, int(table.n * kept), self.penalty, table.d)


class LatentGES(LatentScores, GES):
    pass


class LatentBOSS(LatentScores, BOSS):
    pass


def fit_latent(who: str, table: Table) -> Graph:
    if who != "pc":
        return {"ges": LatentGES, "boss": LatentBOSS}[who]().fit(table)
    matrix, kept = latent_correlations(table)
    n = int(table.n * kept)
    return PC().run(ResampledTests(table.names, n, "fisher-z", *gaussian_tests(matrix, n, 0.05))).graph


if __name__ == "__main__":
    main()
