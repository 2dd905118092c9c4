"""Do rows hang on each other: how often `check` says so of independent rows, of sorted ones, and of series.

iid       6 columns: Gaussian, log-normal, counts, mostly zero, a binary category (30 %), one of 5 levels (one of 1 %)
sorted    a column x; y and z follow it (R2 .5 and .99), a category follows it; w does not. The file is sorted by x,
          or by a category of 4 levels that moves them all
series    4 columns, each an AR(1) of that lag-1 autocorrelation
"""

import argparse

import harness  # noqa: F401  one thread
import numpy as np
from scipy.signal import lfilter

from trueness.datasets.row_order import row_dependence
from trueness.datasets.table import Table


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0])
    parser.add_argument("--draws", type=int, default=1000)
    parser.add_argument("--rows", type=int, nargs="*", default=(100, 1_000, 10_000, 100_000))
    options = parser.parse_args()
    kinds = {"iid": independent, "sorted by a number": sorted_rows, "sorted by a category": grouped_rows}
    kinds |= {f"AR({rho:g})": lambda rng, n, rho=rho: series(rng, n, rho) for rho in (0.1, 0.3, 0.6, 0.9, 0.99)}
    for n in options.rows:
        draws = max(options.draws * 1_000 // max(n, 1_000), 50)
        for name, make in kinds.items():
            found = [row_dependence(make(np.random.default_rng([draw, n]), n)) for draw in range(draws)]
            beyond = np.mean([bool(one.dependent) for one in found])
            failed = np.mean([not one.passed for one in found])
            by = np.mean([bool(one.sorted_by) for one in found])
            effective = [one.effective_rows / n for one in found if one.effective_rows is not None]
            left = f", effective rows {np.median(effective):.3f} n" if effective and failed > 0.5 else ""
            print(f"n = {n:,}, {name}: beyond chance {beyond:.3f}, failed {failed:.3f}, told as sorted {by:.3f}{left} "
                  f"({draws} draws)", flush=True)  # fmt: skip


def independent(rng: np.random.Generator, n: int) -> Table:
    codes = rng.choice(5, p=[0.4, 0.3, 0.19, 0.1, 0.01], size=n)
    values = [rng.normal(size=n), np.exp(2 * rng.normal(size=n)), rng.poisson(30, n)]
    values += [rng.exponential(size=n) * (rng.random(n) < 0.1), rng.random(n) < 0.3, codes]
    return Table(tuple("abcdef"), np.column_stack(values).astype(float), (None,) * 4 + (("no", "yes"), tuple("pqrst")))


def sorted_rows(rng: np.random.Generator, n: int) -> Table:
    return following(rng, np.sort(rng.normal(size=n)), None)


def grouped_rows(rng: np.random.Generator, n: int) -> Table:
    return following(rng, np.sort(rng.integers(4, size=n)).astype(float), tuple("pqrs"))


def following(rng: np.random.Generator, x: np.ndarray, levels: tuple[str, ...] | None) -> Table:
    e, n = rng.normal(size=(3, len(x))), len(x)
    effect = x if levels is None else np.array([0.0, 2.0, -1.0, 1.0])[x.astype(int)]
    category = (rng.random(n) < 1 / (1 + np.exp(-effect))).astype(float)
    values = np.column_stack([x, effect + e[0], effect + 0.1 * e[1], e[2], category])
    return Table(tuple("xyzwc"), values, (levels, None, None, None, ("no", "yes")))


def series(rng: np.random.Generator, n: int, rho: float) -> Table:
    values = lfilter([1], [1, -rho], rng.normal(size=(n + 1000, 4)), axis=0)[1000:]
    return Table(tuple("abcd"), values, (None,) * 4)


if __name__ == "__main__":
    main()
