"""Several respondents over several data sets: average ranks, Friedman's test, and who cannot be told from whom.

    r_ij   rank of respondent j on data set i, 1 the best, ties averaged;   R_j = mean_i r_ij;   scores: (N, k)
    Friedman    chi2 = 12 N/(k (k+1)) sum_j (R_j - (k+1)/2)^2, corrected for ties;   F = (N-1) chi2/(N (k-1) - chi2)
                against F(k-1, (k-1)(N-1)), Iman and Davenport's form, which is less timid for small N
    Nemenyi     |R_i - R_j| > CD = q_{alpha, k, inf} sqrt(k (k+1)/(12 N)),   q the studentised range
    Wilcoxon-Holm   signed-rank test of each pair's scores, Holm over the k (k-1)/2 pairs

Nemenyi's verdict on a pair depends on which others are in the field, Wilcoxon-Holm's does not.
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
from scipy.special import fdtrc, ndtr

from trueness.errors import DataError
from trueness.intervals import Interval, short
from trueness.statistics.clusters import Array
from trueness.statistics.comparison import Comparison
from trueness.statistics.multiplicity import adjusted
from trueness.statistics.paired import wilcoxon
from trueness.statistics.result import (
    Cell,
    Result,
    checked_choice,
    checked_level,
    latex_p,
    latex_text,
    p_text,
    with_notes,
)

Better = Literal["higher", "lower"]
Procedure = Literal["wilcoxon-holm", "nemenyi"]


@dataclass(frozen=True)
class Ranking(Result):
    """names and average_ranks from the best on. groups: runs of neighbours of which no pair can be told apart."""

    names: tuple[str, ...]
    average_ranks: tuple[float, ...]
    n: int
    chi2: float | None
    f: float | None
    p: float | None  # of Friedman's test, Iman and Davenport's form
    procedure: Procedure
    critical_difference: float | None  # Nemenyi's
    pairs: tuple[Comparison, ...]
    groups: tuple[tuple[str, ...], ...]
    level: float = 0.95
    n_missing: int = 0
    notes: tuple[str, ...] = ()

    def row(self) -> dict[str, Cell]:
        return {
            "best": self.names[0] if self.names else None,
            "ranks": ", ".join(f"{n} {r:.2f}" for n, r in zip(self.names, self.average_ranks, strict=True)),
            "n": self.n,
            "n_missing": self.n_missing,
            "test": "Friedman (Iman-Davenport)",
            "chi2": self.chi2,
            "statistic": self.f,
            "p": self.p,
            "procedure": self.procedure,
            "critical_difference": self.critical_difference,
            "groups": "; ".join(" = ".join(group) for group in self.groups),
            "level": self.level,
            "notes": " ".join(self.notes),
        }

    def rows(self) -> list[dict[str, Cell]]:
        """One row a respondent, for the critical-difference chart; group numbers count from 0."""
        return [
            {
                "name": name,
                "average_rank": rank,
                "groups": " ".join(str(k) for k, group in enumerate(self.groups) if name in group),
            }
            for name, rank in zip(self.names, self.average_ranks, strict=True)
        ]

    def sentence(self) -> str:
        ranks = ", ".join(f"{n} {short(r)}" for n, r in zip(self.names, self.average_ranks, strict=True))
        if self.p is None:
            return with_notes(f"Average ranks {ranks} ({self.n} data sets; no test)", self.notes)
        same = "; ".join(" and ".join(group) for group in self.groups)
        verdict = f"Not told apart by {self.procedure}: {same}." if same else f"All pairs differ by {self.procedure}."
        return with_notes(
            f"Average ranks {ranks} ({self.n} data sets; Friedman F = {short(self.f or 0.0)}, {p_text(self.p)})",
            (verdict, *self.notes),
        )

    def to_latex(self) -> str:
        ranks = ", ".join(f"{latex_text(n)} ${r:.2f}$" for n, r in zip(self.names, self.average_ranks, strict=True))
        return f"{ranks} ($N = {self.n}$; Friedman {latex_p(self.p)})"


def rank(
    scores: ArrayLike,
    names: Sequence[str],
    better: Better,
    procedure: Procedure = "wilcoxon-holm",
    level: float = 0.95,
) -> Ranking:
    """scores: (N, k), one row a data set, one column a respondent; a row with a missing score is left out, counted."""
    checked_level(level)
    checked_choice("better", better, Better)
    checked_choice("procedure", procedure, Procedure)
    table = np.asarray(scores, dtype=np.float64)
    if table.ndim != 2 or table.shape[1] != len(names) or len(names) < 2:
        raise DataError(f"'scores' must be (data sets, {len(names)} respondents, at least 2), got shape {table.shape}.")
    there = ~np.isnan(table).any(axis=1)
    table, n_missing = table[there], int((~there).sum())
    if len(table) < 2:
        note = "Fewer than two data sets have all scores."
        return Ranking((), (), len(table), None, None, None, procedure, None, (), (), level, n_missing, (note,))
    ranks = average_ranks(table, better)
    chi2, f, p = friedman(table)
    cd = critical_difference(len(names), len(table), level)
    pairs = _nemenyi(table, ranks, names, cd, level) if procedure == "nemenyi" else _wilcoxon_holm(table, names, level)
    order = np.argsort(ranks, kind="stable")
    ordered = tuple(names[k] for k in order)
    notes = ("Friedman's test needs three respondents.",) if p is None and len(names) < 3 else ()
    return Ranking(
        ordered, tuple(float(ranks[k]) for k in order), len(table), chi2, f, p, procedure, cd, pairs,
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


def critical_difference(k: int, n: int, level: float = 0.95) -> float:
    """Nemenyi's, of average ranks of k respondents over n data sets."""
    from scipy.stats import studentized_range

    return float(studentized_range.ppf(level, k, np.inf)) * math.sqrt(k * (k + 1) / (12 * n))


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
    pairs = combinations(range(len(names)), 2)
    made = [wilcoxon(scores[:, i], scores[:, j], level=level, names=(names[i], names[j])) for i, j in pairs]
    return tuple(adjusted([pair.described(units="data sets") for pair in made], "holm"))


def _nemenyi(scores: Array, ranks: Array, names: Sequence[str], cd: float, level: float) -> tuple[Comparison, ...]:
    from scipy.stats import studentized_range

    (n, k), made = scores.shape, []
    error = math.sqrt(k * (k + 1) / (6 * n))
    for i, j in combinations(range(k), 2):
        gap = float(ranks[i] - ranks[j])
        made.append(
            Comparison(
                (names[i], names[j]), gap, Interval(gap - cd, gap + cd, level, "mean"), "Nemenyi",
                2 * float(ndtr(-abs(gap) / error)), n, n, level=level, estimand="difference of average ranks",
                interval_method="critical difference, simultaneous", means=(float(ranks[i]), float(ranks[j])),
                n_each=(n, n), statistic=gap / error, units="data sets", adjustment="nemenyi",
                p_adjusted=float(studentized_range.sf(abs(gap) / error * math.sqrt(2), k, np.inf)),
                n_comparisons=k * (k - 1) // 2,
            )
        )  # fmt: skip
    return tuple(made)
