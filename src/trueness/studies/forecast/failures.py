"""In which ways answers fail, counted.

Of a claim [l, u] about a measure with largest value M, measured mean m, and R the range of the runs (or, where the
target is the mean, its CI):

    refused, truncated, unreadable, ...   no range: by status
    impossible                            no value of the claim can be: u < 0 or l > M (an SHD above d(d-1)/2)
    beyond the scale                      an end of it cannot be: l < 0 or u > M
    over-optimistic, over-pessimistic     the whole claim is better (worse) than m
    overconfident                         narrower than R and covers less of what it is of than its level
    vacuous                               at least .95 M wide
    point                                 l = u
    same everywhere                       one respondent, measure and arm: the same range for all of 3 or more cells

Of a whole reply, with precision [p, P], recall [r, R'], F1 [f, F] and |E| true edges:

    incoherent F1    F1 is the harmonic mean of each run's precision and recall, which rises in both, so some run must
                     have a value in [H(p, r), H(P, R')]; of a mean only F <= H(P, R') must hold (H is concave)
    inverted SHD     F1 = f means fp + fn <= 2|E|(1 - f)/f, and SHD is at most that: a claimed SHD above it, from the
                     lowest claimed F1, is one that grows with quality

Shares come with Wilson's interval, which counts claims as if each was drawn alone; claims about one data set are not,
so the true interval is wider.
"""

from __future__ import annotations

from collections.abc import Iterator

import numpy as np
import pandas as pd
from numpy.typing import NDArray

from trueness.statistics.proportions import wilson
from trueness.status import Status
from trueness.studies.forecast.analysis import Analysis, Array, join_words, lines, percent_with_ends
from trueness.studies.forecast.frames import ARMS, CELL, REPLY, Forecasts, ends_of
from trueness.studies.forecast.scores import is_beyond, is_impossible

VACUOUS = 0.95
LEAST_CELLS = 3  # that must share a range before it counts as one answer for all
_ROUNDING = 0.005  # claims are written with two digits
Flags = NDArray[np.bool_]
Counts = Iterator[tuple[str, str, int, int, str]]  # respondent, mode, how often, of how many, of what


def failures(forecasts: Forecasts) -> Analysis:
    """One row a respondent and mode."""
    people = (*forecasts.models, *(name for name in forecasts.references if name.startswith("human/")))
    rows = forecasts.all_arms
    rows = rows[rows["respondent"].isin(people)].reset_index(drop=True)
    if rows.empty:
        return Analysis.untold("failures", "Failure modes cannot be told: nobody was asked.")
    answered = rows[rows["answered"]].reset_index(drop=True)
    counts = [*_by_status(rows), *_of_claims(answered), *_of_replies(answered, forecasts)]
    table = pd.DataFrame(counts, columns=["respondent", "mode", "count", "of", "unit"])
    table["share"] = table["count"] / table["of"].where(table["of"] > 0)
    pairs = zip(table["count"], table["of"], strict=True)
    table[["low", "high"]] = np.array([ends_of(wilson(int(n), int(of)) if of else None) for n, of in pairs], float)
    return Analysis("failures", table, tuple(_sentences(table, people)))


def _by_status(rows: pd.DataFrame) -> Counts:
    counts = pd.crosstab(rows["respondent"], rows["status"].astype(str))
    for respondent, row in counts.iterrows():
        for status in (status.value for status in Status if status.value != Status.OK):
            yield str(respondent), status, int(row.get(status, 0)), int(row.sum()), "claims"


def _of_claims(rows: pd.DataFrame) -> Counts:
    low, high, mean, upper = (rows[name].to_numpy(float) for name in ("low", "high", "truth_mean", "truth_upper"))
    below, above = high < mean, low > mean
    fewer_is_better = (rows["measure"] == "shd").to_numpy()
    of_mean = (rows["target"] == "mean").to_numpy()
    spread = np.where(of_mean, rows["ci_high"] - rows["ci_low"], rows["truth_high"] - rows["truth_low"])
    # SHD has the same range only by its numbers: [0, 10] on every data set counts, whatever its size
    cell = pd.factorize(pd.MultiIndex.from_frame(rows[list(CELL)]))[0]
    group = rows.assign(cell=cell).groupby(["respondent", "measure", *ARMS], sort=False, observed=True)
    lowest, highest = group[["low", "high"]].transform("min"), group[["low", "high"]].transform("max")
    same = (lowest == highest).all(axis=1) & (group["cell"].transform("nunique") >= LEAST_CELLS)
    modes = {
        "impossible": is_impossible(low, high, upper),
        "beyond the scale": is_beyond(low, high, upper),
        "over-optimistic": np.where(fewer_is_better, below, above),
        "over-pessimistic": np.where(fewer_is_better, above, below),
        "overconfident": (high - low < spread) & (rows["hit"].to_numpy(float) < rows["level"].to_numpy(float)),
        "vacuous": high - low >= VACUOUS * upper,
        "point": low == high,
        "same everywhere": same.to_numpy(bool),
    }
    for mode, flags in modes.items():
        yield from _count(rows, mode, flags, np.ones(len(rows), bool), "claims")


def _of_replies(rows: pd.DataFrame, forecasts: Forecasts) -> Counts:
    once = rows.drop_duplicates([*REPLY, "measure"]).set_index([*REPLY, "measure"])
    wide = once[["low", "high"]].unstack("measure")

    def ends(measure: str) -> tuple[Array, Array]:
        missing = np.full(len(wide), np.nan)
        low, high = (
            wide[end, measure].to_numpy(float) if (end, measure) in wide else missing for end in ("low", "high")
        )
        return low, high

    (low_p, high_p), (low_r, high_r), (low_f1, high_f1), (low_shd, _) = map(ends, ("precision", "recall", "f1", "shd"))
    replies = wide.index.to_frame(index=False)
    of_run = (replies["target"] == "run").to_numpy()
    too_high = low_f1 > harmonic(high_p, high_r) + _ROUNDING
    too_low = of_run & (high_f1 < harmonic(low_p, low_r) - _ROUNDING)
    edges = replies["dataset"].map({name: about["edges"] for name, about in forecasts.datasets.items()}).to_numpy(float)
    f1 = np.maximum(low_f1, 1e-12)
    inverted = low_shd > 2 * edges * (1 - f1) / f1 + 0.5
    yield from _count(replies, "incoherent F1", too_high | too_low, ~np.isnan(low_p + low_r + low_f1), "replies")
    yield from _count(replies, "inverted SHD", inverted, ~np.isnan(low_f1 + low_shd) & of_run, "replies")


def harmonic(precision: Array, recall: Array) -> Array:
    """2pr / (p + r), 0 where both are 0."""
    total = precision + recall
    zero = np.where(np.isnan(total), np.nan, 0.0)
    return np.asarray(np.divide(2 * precision * recall, total, out=zero, where=total > 0))


def _count(rows: pd.DataFrame, mode: str, flags: Flags, could: Flags, unit: str) -> Counts:
    """could: in which rows the mode can be at all."""
    who, names = pd.factorize(rows["respondent"])
    hits, base = (np.bincount(who, weights=which, minlength=len(names)) for which in (flags & could, could))
    yield from ((str(name), mode, int(hits[k]), int(base[k]), unit) for k, name in enumerate(names))


def _sentences(table: pd.DataFrame, people: tuple[str, ...]) -> Iterator[str]:
    for name in people:
        mine = table[(table["respondent"] == name) & (table["count"] > 0)].sort_values("share", ascending=False)
        each = [
            f"{row.mode} {row.count} of {row.of} {row.unit} ({percent_with_ends(row.share, row.low, row.high)})"
            for row in lines(mine)
        ]
        yield f"{name}: {join_words(each, 6) if each else 'no failure mode was seen'}."
