"""In which ways answers fail, counted, with examples.

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
    from the prompt                       the prompt holds this very pair of numbers as a range

Of a whole reply, with precision [p, P], recall [r, R'], F1 [f, F] and |E| true edges:

    incoherent F1    F1 is the harmonic mean of each run's precision and recall, which rises in both, so some run must
                     have a value in [H(p, r), H(P, R')]; of a mean only F <= H(P, R') must hold (H is concave)
    inverted SHD     F1 = f means fp + fn <= 2|E|(1 - f)/f, and SHD is at most that: a claimed SHD above it, from the
                     lowest claimed F1, is one that grows with quality

Shares come with Wilson's interval, which counts claims as if each was drawn alone; claims about one data set are not,
so the true interval is wider.
"""

from __future__ import annotations

import re
from collections.abc import Iterator
from typing import Any

import numpy as np
import pandas as pd
from numpy.typing import NDArray

from trueness.statistics.proportions import wilson
from trueness.status import Status
from trueness.studies.forecast.against import is_beyond, is_impossible
from trueness.studies.forecast.analysis import Analysis, Array, join_words, lines, percent_with_ends
from trueness.studies.forecast.frames import ARMS, CELL, MEASURES, REPLY, Forecasts

VACUOUS = 0.95
LEAST_CELLS = 3  # that must share a range before it counts as one answer for all
_EXAMPLES = 3
_ROUNDING = 0.005  # claims are written with two digits
_PAIR = re.compile(r"[\[(]\s*(\d++(?:\.\d++)?|\.\d++)\s*,\s*(\d++(?:\.\d++)?|\.\d++)\s*[\])]")
Flags = NDArray[np.bool_]
Modes = dict[str, tuple[Flags, Flags]]  # mode -> in which rows it is, and in which it could be


def failures(forecasts: Forecasts) -> Analysis:
    """One row a respondent and mode; `more` has examples."""
    people = (*forecasts.models, *(name for name in forecasts.references if name.startswith("human/")))
    rows = forecasts.all_arms
    rows = rows[rows["respondent"].isin(people)].reset_index(drop=True)
    if rows.empty:
        return Analysis.untold("failures", "Failure modes cannot be told: nobody was asked.")
    answered = rows[rows["answered"]].reset_index(drop=True)
    replies = _replies(answered)
    kinds = (
        (answered, _claim_modes(answered, forecasts), "claims"),
        (replies, _reply_modes(replies, forecasts), "replies"),
    )
    counted = [*_by_status(rows), *(row for kind in kinds for row in _by_mode(*kind))]
    table = _with_shares(pd.DataFrame(counted, columns=["respondent", "mode", "count", "of", "unit"]))
    examples = pd.concat([_examples(of, modes) for of, modes, _ in kinds], ignore_index=True)
    return Analysis("failures", table, tuple(_sentences(table, people)), {"examples": examples})


def _by_status(rows: pd.DataFrame) -> Iterator[tuple[str, str, int, int, str]]:
    counts = pd.crosstab(rows["respondent"], rows["status"].astype(str))
    for respondent, row in counts.iterrows():
        for status in (status.value for status in Status if status.value != Status.OK):
            yield str(respondent), status, int(row.get(status, 0)), int(row.sum()), "claims"


def _claim_modes(rows: pd.DataFrame, forecasts: Forecasts) -> Modes:
    low, high, mean, upper = (rows[name].to_numpy(float) for name in ("low", "high", "truth_mean", "truth_upper"))
    below, above = high < mean, low > mean
    fewer_is_better = (rows["measure"] == "shd").to_numpy()
    of_mean = (rows["target"] == "mean").to_numpy()
    spread = np.where(of_mean, rows["ci_high"] - rows["ci_low"], rows["truth_high"] - rows["truth_low"])
    modes = {
        "impossible": is_impossible(low, high, upper),
        "beyond the scale": is_beyond(low, high, upper),
        "over-optimistic": np.where(fewer_is_better, below, above),
        "over-pessimistic": np.where(fewer_is_better, above, below),
        "overconfident": (high - low < spread) & (rows["hit"].to_numpy(float) < rows["level"].to_numpy(float)),
        "vacuous": high - low >= VACUOUS * upper,
        "point": low == high,
        "same everywhere": _same_everywhere(rows),
        "from the prompt": _from_prompt(rows, forecasts.replies),
    }
    return {mode: (flags, np.ones(len(rows), dtype=bool)) for mode, flags in modes.items()}


def _same_everywhere(rows: pd.DataFrame) -> Flags:
    """SHD has the same range only by its numbers: [0, 10] on every data set counts, whatever its size."""
    cell = pd.factorize(pd.MultiIndex.from_frame(rows[list(CELL)]))[0]
    group = rows.assign(cell=cell).groupby(["respondent", "measure", *ARMS], sort=False, observed=True)
    lowest, highest = group[["low", "high"]].transform("min"), group[["low", "high"]].transform("max")
    return np.asarray((lowest == highest).all(axis=1) & (group["cell"].transform("nunique") >= LEAST_CELLS))


def _from_prompt(rows: pd.DataFrame, replies: pd.DataFrame) -> Flags:
    prompts = replies["prompt"].fillna("").astype(str)
    pairs = {text: {(float(a), float(b)) for a, b in _PAIR.findall(text)} for text in pd.unique(prompts)}
    if not any(pairs.values()):
        return np.zeros(len(rows), dtype=bool)
    prompt_of = dict(zip(replies[list(REPLY)].itertuples(index=False, name=None), prompts, strict=True))
    claims = zip(rows[list(REPLY)].itertuples(index=False, name=None), rows["low"], rows["high"], strict=True)
    return np.array([(low, high) in pairs.get(prompt_of.get(key, ""), ()) for key, low, high in claims], dtype=bool)


def _replies(rows: pd.DataFrame) -> pd.DataFrame:
    """One row a reply: low_f1, high_f1, ..."""
    once = rows.drop_duplicates([*REPLY, "measure"]).set_index([*REPLY, "measure"])
    wide: Any = once[["low", "high"]].unstack("measure")
    wide.columns = pd.Index([f"{end}_{measure}" for end, measure in wide.columns])
    table: pd.DataFrame = wide.reindex(columns=[f"{end}_{m}" for end in ("low", "high") for m in MEASURES])
    return table.reset_index()


def _reply_modes(replies: pd.DataFrame, forecasts: Forecasts) -> Modes:
    column = {name: replies[name].to_numpy(float) for name in replies.columns if name.startswith(("low_", "high_"))}
    highest = harmonic(column["high_precision"], column["high_recall"])
    lowest = harmonic(column["low_precision"], column["low_recall"])
    of_run = (replies["target"] == "run").to_numpy()
    too_high = column["low_f1"] > highest + _ROUNDING
    too_low = of_run & (column["high_f1"] < lowest - _ROUNDING)
    edges = replies["dataset"].map({name: about["edges"] for name, about in forecasts.datasets.items()}).to_numpy(float)
    f1 = np.maximum(column["low_f1"], 1e-12)
    inverted = of_run & (column["low_shd"] > 2 * edges * (1 - f1) / f1 + 0.5)
    three = replies[["low_precision", "low_recall", "low_f1"]].notna().all(axis=1).to_numpy()
    both = replies[["low_f1", "low_shd"]].notna().all(axis=1).to_numpy()
    return {"incoherent F1": (too_high | too_low, three), "inverted SHD": (inverted, both & of_run)}


def harmonic(precision: Array, recall: Array) -> Array:
    """2pr / (p + r), 0 where both are 0."""
    total = precision + recall
    zero = np.where(np.isnan(total), np.nan, 0.0)
    return np.asarray(np.divide(2 * precision * recall, total, out=zero, where=total > 0))


def _by_mode(rows: pd.DataFrame, modes: Modes, unit: str) -> Iterator[tuple[str, str, int, int, str]]:
    who, names = pd.factorize(rows["respondent"])
    for mode, (flags, eligible) in modes.items():
        hits = np.bincount(who, weights=flags & eligible, minlength=len(names))
        base = np.bincount(who, weights=eligible, minlength=len(names))
        yield from ((str(name), mode, int(hits[k]), int(base[k]), unit) for k, name in enumerate(names))


def _with_shares(table: pd.DataFrame) -> pd.DataFrame:
    counts = zip(table["count"], table["of"], strict=True)
    intervals = [wilson(int(times), int(of)) if of else None for times, of in counts]
    table["share"] = table["count"] / table["of"].where(table["of"] > 0)
    table["low"] = [interval.low if interval else np.nan for interval in intervals]
    table["high"] = [interval.high if interval else np.nan for interval in intervals]
    return table


def _examples(rows: pd.DataFrame, modes: Modes) -> pd.DataFrame:
    parts = [
        rows[flags].groupby("respondent", sort=False).head(_EXAMPLES).assign(mode=mode)
        for mode, (flags, _) in modes.items()
        if flags.any()
    ]
    columns = ["mode", *REPLY, "measure", "low", "high", "truth_mean", "truth_low", "truth_high"]
    ends = [name for name in rows.columns if name.startswith(("low_", "high_"))]
    kept = [name for name in (*columns, *ends) if name == "mode" or name in rows.columns]
    return pd.concat(parts, ignore_index=True)[kept] if parts else pd.DataFrame(columns=kept)


def _sentences(table: pd.DataFrame, people: tuple[str, ...]) -> Iterator[str]:
    for name in people:
        mine = table[(table["respondent"] == name) & (table["count"] > 0)].sort_values("share", ascending=False)
        each = [
            f"{row.mode} {row.count} of {row.of} {row.unit} ({percent_with_ends(row.share, row.low, row.high)})"
            for row in lines(mine)
        ]
        yield f"{name}: {join_words(each, 6) if each else 'no failure mode was seen'}."
