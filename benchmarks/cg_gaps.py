"""Would cg-bic on the complete rows of each family do? How often a column of chance with gaps becomes a parent.

y = 1.5 s + e, x ~ N(0, 1) with 30 % gaps, independent of both. x is added to the parents of y where

    own rows     n L(y | s, x) / n_sx - k log(n) / 2 rises over the same with s alone: each family on its complete rows
    same rows    BIC(y | s, x) > BIC(y | s), both on the rows in which x is there

--draws (200) tables of each n. Scores of different rows differ by sampling alone, by about n^-1/2 a row, which the
penalty log(n) / n cannot outweigh: the share of own rows grows with n.
"""

import harness  # noqa: F401  first: it sets the number of threads
import argparse

import numpy as np

from trueness.datasets.table import Table
from trueness.learners.scores import Scores, ScoreSettings

BIC, LIKELIHOOD = ScoreSettings(score="cg-bic"), ScoreSettings(score="cg-bic", penalty=1e-12)
NAMES, LEVELS = ("y", "s", "x"), (None, ("0", "1"), None)


def table(rng, n):
    s = rng.integers(2, size=n).astype(float)
    x = np.where(rng.random(n) < 0.3, np.nan, rng.normal(size=n))
    return np.column_stack([1.5 * s + rng.normal(size=n), s, x])


def own_rows(values, parents, n):
    """n L / m - k log(n) / 2 on the m complete rows of the family."""
    columns = [0, *(NAMES.index(name) for name in parents)]
    rows = values[~np.isnan(values[:, columns]).any(axis=1)][:, columns]
    there = Table(tuple(NAMES[k] for k in columns), rows, tuple(LEVELS[k] for k in columns))
    likelihood, bic = (Scores.of(there, settings).local("y", parents) for settings in (LIKELIHOOD, BIC))
    free = (likelihood - bic) / (np.log(len(rows)) / 2)
    return n * likelihood / len(rows) - free * np.log(n) / 2


def main():
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0])
    parser.add_argument("--draws", type=int, default=200)
    draws = parser.parse_args().draws
    for n in (500, 2000, 8000):
        own, same = [], []
        for seed in range(draws):
            values = table(np.random.default_rng(seed), n)
            own.append(own_rows(values, ["s", "x"], n) > own_rows(values, ["s"], n))
            whole = Table(NAMES, values[~np.isnan(values).any(axis=1)], LEVELS)
            scores = Scores.of(whole, BIC)
            same.append(scores.local("y", ["s", "x"]) > scores.local("y", ["s"]))
        print(f"n = {n:5d}: own rows {np.mean(own):.3f}, same rows {np.mean(same):.3f}  ({draws} draws)", flush=True)


if __name__ == "__main__":
    main()
