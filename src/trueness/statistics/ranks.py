"""Several respondents over several data sets: average ranks, Friedman's test, and who cannot be told from whom.

    r_ij   rank of respondent j on data set i, 1 the best, ties averaged;   R_j = mean_i r_ij;   scores: (N, k)
    Friedman    chi2 = 12 N/(k (k+1)) sum_j (R_j - (k+1)/2)^2, corrected for ties;   F = (N-1) chi2/(N (k-1) - chi2)
                against F(k-1, (k-1)(N-1)), Iman and Davenport's form, which is less timid for small N
    Wilcoxon-Holm   signed-rank test of each pair's scores, Holm over the k (k-1)/2 pairs

A verdict of Wilcoxon-Holm's on a pair does not depend on which others are in the field.
Demsar (2006); Garcia & Herrera (2008); Benavoli, Corani & Mangili (2016) for the preference of Wilcoxon-Holm.
"""

from __future__ import annotations

import math
from collections.abc import Sequence
from dataclasses import dataclass
from itertools import combinations
from typing import Literal

import numpy as np
from numpy.typing import ArrayLike
from scipy.special import fdtrc

from trueness.errors import DataError
from trueness.statistics.clusters import Array
from trueness.statistics.comparison import Comparison
from trueness.statistics.multiplicity import adjusted
from trueness.statistics.paired import signed_rank_p
from trueness.statistics.result import checked_choice, checked_level

Better = Literal["higher", "lower"]


@dataclass(frozen=True)
class Ranking:
    """names and average_ranks from the best on. groups: runs of neighbours of which no pair can be told apart."""

    names: tuple[str, ...]
    average_ranks: tuple[float, ...]
    n: int
    chi2: float | None
    f: float | None
    p: float | None  # of Friedman's test, Iman and Davenport's form
    pairs: tuple[Comparison, ...]
    groups: tuple[tuple[str, ...], ...]
    level: float = 0.95
    n_missing: int = 0
    notes: tuple[str, ...] = ()


def rank(scores: ArrayLike, names: Sequence[str], better: Better, level: float = 0.95) -> Ranking:
    """scores: (N, k), one row a data set, one column a respondent; a row with a missing score is left out, counted."""
    checked_level(level)
    checked_choice("better", better, Better)
    table = np.asarray(scores, dtype=np.float64)
    if table.ndim != 2 or table.shape[1] != len(names) or len(names) < 2:
        raise DataError(f"'scores' must be (data sets, {len(names)} respondents, at least 2), got shape {table.shape}.")
    there = ~np.isnan(table).any(axis=1)
    table, n_missing = table[there], int((~there).sum())
    if len(table) < 2:
        note = "Fewer than two data sets have all scores."
        return Ranking((), (), len(table), None, None, None, (), (), level, n_missing, (note,))
    ranks = average_ranks(table, better)
    chi2, f, p = friedman(table)
    pairs = _wilcoxon_holm(table, names, level)
    order = np.argsort(ranks, kind="stable")
    ordered = tuple(names[k] for k in order)
    notes = ("Friedman's test needs three respondents.",) if p is None and len(names) < 3 else ()
    return Ranking(
        ordered, tuple(float(ranks[k]) for k in order), len(table), chi2, f, p, pairs,
        groups_not_told_apart(ordered, pairs), level, n_missing, notes,
    )  # fmt: skip


def average_ranks(scores: Array, better: Better) -> Array:
    from scipy.stats import rankdata

    return np.asarray(rankdata(-scores if better == "higher" else scores, axis=1).mean(axis=0))


def friedman(scores: Array) -> tuple[float | None, float | None, float | None]:
    """(chi2, F, p of F, exact where all rows rank alike); None below three columns or when all scores of every row
    agree."""
    from scipy.stats import friedmanchisquare

    n, k = scores.shape
    if k < 3 or (np.ptp(scores, axis=1) == 0).all():
        return None, None, None
    chi2 = float(friedmanchisquare(*scores.T).statistic)
    if n * (k - 1) - chi2 < 1e-9:  # all rows rank alike: one of as many arrangements as a row has, in each but one
        ties = np.unique(scores[0], return_counts=True)[1]
        arrangements = math.lgamma(k + 1) - sum(math.lgamma(tie + 1) for tie in ties.tolist())  # their logarithm
        return chi2, math.inf, math.exp((1 - n) * arrangements)
    f = (n - 1) * chi2 / (n * (k - 1) - chi2)
    return chi2, f, float(fdtrc(k - 1, (k - 1) * (n - 1), f))


def groups_not_told_apart(ordered: Sequence[str], pairs: Sequence[Comparison]) -> tuple[tuple[str, ...], ...]:
    """The longest runs of neighbours in rank in which no pair is distinguishable; a run of one is no group."""
    apart = {frozenset(pair.names) for pair in pairs if pair.distinguishable}
    spans: list[tuple[int, int]] = []
    for start in range(len(ordered)):
        stop = start + 1
        while stop < len(ordered) and not any(
            frozenset((ordered[i], ordered[stop])) in apart for i in range(start, stop)
        ):
            stop += 1
        if stop - start > 1 and not (spans and spans[-1][1] >= stop):
            spans.append((start, stop))
    return tuple(tuple(ordered[start:stop]) for start, stop in spans)


def _wilcoxon_holm(scores: Array, names: Sequence[str], level: float) -> tuple[Comparison, ...]:
    made = []
    for i, j in combinations(range(len(names)), 2):
        d = scores[:, i] - scores[:, j]
        _, p, exact = signed_rank_p(d)
        p = 1.0 if p is None else p
        made.append(Comparison((names[i], names[j]), float(d.mean()), None, "wilcoxon", p, len(d), len(d), level=level,
                               exact=exact, units="data sets"))  # fmt: skip
    return tuple(adjusted(made, "holm"))
