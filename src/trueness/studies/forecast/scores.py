"""Every claim scored against the runs it is about: claims frame in, scores frame out, one row a claim at its own level.

    covers_mean                      low <= mean of the runs <= high (the original's primary measure)
    coverage_runs                    share of the runs in [low, high]
    overlaps_ covers_ inside_ iou_ fraction_ calibration_ class_ log_width_ratio_      each against
        *_mean_ci                    the bootstrap CI of the mean
        *_runs                       the 2.5 to 97.5 % range of the runs
    width, interval_score, bias      of this row's interval; bias > 0 is optimistic
    *_scaled                         the same divided by the measure's largest value (SHD: d(d-1)/2), so that scores of
                                     SHD, which are in edges, can be averaged with those of precision, recall and F1
    skill_<reference>                1 - S / S_ref with the interval score of the reference on the same cell, measure,
                                     target and level; over several cells take 1 - mean S / mean S_ref (`pooled_skills`)

The interval score is proper only against what the claim is of: each run (averaged) where the target is `run`, the mean
over the runs where it is `mean`. The overlaps are given against both truths whatever the target; the name says which.

A measure lies in [0, M], M = 1, or d(d-1)/2 for SHD. A claim that leaves [0, M] is scored as it was made, never clipped
and never left out. Where no value of it can be (it lies wholly outside) it scores no better than the worst claim that
can be, all of it at the end of [0, M] that is farther from the outcomes, m the mean of the outcomes:

    interval score >= (2/a) max(m, M - m)       the true quantiles lie in [0, M]: no honest claim meets this floor

A claim that was not read keeps its status and has no scores. A claim whose cell has no run with a value, and a ratio to
a truth of zero width, are `degenerate`.

What two sorted uniforms score is known in closed form, so baseline/random is scored without a draw. [L, U] =
sorted(V1, V2), V ~ U(0, 1), all lengths in units of the measure's range. For t in [0, 1], a truth [a, b] of width w and
a resolution r:

    P(covers t) = 2t(1 - t)                                     1/3 on average over t, never above 1/2
    P(meets [a, b]) = 1 - a^2 - (1 - b)^2                       P(contains [a, b]) = 2a(1 - b)
    P(inside [a, b]) = w^2                                      E fraction = (1/w) integral_a^b 2x(1 - x) dx
    E width = 1/3                                               E calibration = (1/3 - w) / w
    E log max(U - L, r) = r(2 - r) log r + integral_r^1 2(1 - x) log x dx
    E IS(y) = 1/3 + (2/alpha) (y^3 + (1 - y)^3) / 3             since E(L - y)+ = (1 - y)^3 / 3, E(y - U)+ = y^3 / 3

IoU has no such form; it is averaged over a fixed grid of intervals (error below 10^-3).
"""

from __future__ import annotations

import math
from collections.abc import Iterator, Mapping, Sequence
from functools import cache, lru_cache
from typing import Any

import numpy as np
import pandas as pd
from numpy.typing import ArrayLike, NDArray

from trueness.intervals import Interval
from trueness.measures import interval_scores as of
from trueness.outside import Json
from trueness.statistics.runs import QuantileBounds
from trueness.status import Status
from trueness.studies.forecast.frames import ARMS, CLAIM_COLUMNS, KEYS, RANDOM, Truth, Truths

Array = NDArray[np.float64]
Scores = dict[str, NDArray[Any]]

VERSUS = ("overlaps", "covers", "inside", "iou", "fraction", "calibration", "class", "log_width_ratio")
OF_INTERVAL = (
    "covers_mean", "coverage_runs", *(f"{score}_{truth}" for truth in ("mean_ci", "runs") for score in VERSUS),
    "width", "interval_score", "bias",
)  # fmt: skip
SCALED = ("width", "bias", "interval_score")
SCORES = (*OF_INTERVAL, *(f"{score}_scaled" for score in SCALED))
QUESTION = ("dataset", "learner", "measure", "target", "level")  # on which a claim meets a reference

_TOGETHER = 2**18  # outcomes of rows that are scored at once
_CLASSES = frozenset(name for name in SCORES if name.startswith("class_"))


def score_claims(claims: pd.DataFrame, truths: Truths, references: Sequence[str] = ()) -> pd.DataFrame:
    """The scores frame; `references` are respondents of the same claims frame, each gives a column of skill."""
    frame = _as_numbers(claims)
    known = {key for key, truth in truths.items() if len(truth.runs)}
    frame["status"] = [
        str(Status.DEGENERATE) if status == Status.OK and tuple(key) not in known else status
        for status, *key in _tuples(frame, ("status", "dataset", "learner", "measure"))
    ]
    columns: Scores = {
        name: np.full(len(frame), None, dtype=object) if name in _CLASSES else np.full(len(frame), np.nan)
        for name in SCORES
    }
    for rows, theirs, target in _alike(frame, truths):
        part = frame.iloc[rows]
        by_chance = (part["respondent"] == RANDOM).to_numpy(dtype=bool)
        for score, which in ((_score, ~by_chance), (_expect, by_chance)):
            if which.any():
                for name, values in score(part[which], [theirs[k] for k in np.flatnonzero(which)], target).items():
                    columns[name][rows[which]] = values
        upper = np.array([truth.upper for truth in theirs])
        for name in SCALED:
            columns[f"{name}_scaled"][rows] = columns[name][rows] / upper
    kept = frame[[*KEYS, "level", "low", "high", "median", "status"]]
    scores = pd.concat([kept, pd.DataFrame(columns, index=frame.index)], axis=1)
    beside = _of_references(scores, references, "interval_score")
    return scores.assign(**{skill_column(name): of.skill(scores["interval_score"], theirs) for name, theirs in beside})


def skill_column(reference: str) -> str:
    """skill_random, skill_heuristic, ...; skill_human/experts."""
    return f"skill_{reference.removeprefix('baseline/')}"


def pooled_skills(scores: pd.DataFrame, references: Sequence[str]) -> dict[str, dict[str, float]]:
    """Reference -> respondent -> 1 - mean S / mean S_ref over the rows that both answered; NaN without any.

    S is scaled. The mean of single skills would be ruled by the few cells on which the reference is nearly perfect.
    `scores` must hold the references' rows. The reference itself has none.
    """
    score, whose = "interval_score_scaled", scores["respondent"]
    ours = scores[score].to_numpy(dtype=np.float64)
    chosen = {str(name): (whose == name).to_numpy(dtype=bool) & ~np.isnan(ours) for name in whose.unique()}
    skills: dict[str, dict[str, float]] = {}
    for reference, theirs in _of_references(scores, references, score):
        both = {name: rows & ~np.isnan(theirs) for name, rows in chosen.items() if name != reference}
        skills[reference] = {
            name: float(of.skill(ours[rows].mean(), theirs[rows].mean())) if rows.any() else float("nan")
            for name, rows in both.items()
        }
    return skills


def long(scores: pd.DataFrame, names: Sequence[str] | None = None) -> pd.DataFrame:
    """Rows of the long table: item, variant, respondent, repeat, measure, value, status.

    item is dataset/learner/measure, variant the arms joined by "/", measure the score's name. Of a claim at several
    levels the widest has the plain names, the others those with their level: coverage_runs_50.
    """
    numeric = [name for name in scores.columns if name in SCORES and name not in _CLASSES]
    numeric += [name for name in scores.columns if name.startswith("skill_")]
    chosen = numeric if names is None else [name for name in names if name in numeric]
    level = scores.groupby(list(KEYS), sort=False, dropna=False)["level"].transform("max")
    widest = scores["level"] == level
    below = scores[~widest]
    parts = [_long_rows(scores[widest], chosen, "")]
    parts += [_long_rows(part, chosen, f"_{100 * float(str(at)):g}") for at, part in below.groupby("level")]
    return pd.concat(parts, ignore_index=True)


def is_beyond(low: Array, high: Array, upper: ArrayLike) -> NDArray[np.bool_]:
    """Whether an end of the claim lies outside what the measure can be."""
    return np.asarray((low < 0) | (high > np.asarray(upper, float)))


def is_impossible(low: Array, high: Array, upper: ArrayLike) -> NDArray[np.bool_]:
    """Whether no value of the claim can be."""
    return np.asarray((high < 0) | (low > np.asarray(upper, float)))


def _as_numbers(claims: pd.DataFrame) -> pd.DataFrame:
    frame = claims[list(CLAIM_COLUMNS)].reset_index(drop=True)
    for name in ("level", "low", "high", "median"):
        frame[name] = frame[name].astype(np.float64)
    frame["status"] = frame["status"].astype(str)
    ok = frame["status"] == Status.OK
    frame.loc[~ok, ["low", "high", "median"]] = np.nan  # a value without a reading would be scored by somebody
    return frame


def _alike(frame: pd.DataFrame, truths: Truths) -> Iterator[tuple[NDArray[np.intp], list[Truth], str]]:
    """Answered rows with one target and as many runs, which are scored together, with the truth of each."""
    together: dict[tuple[int, str], list[tuple[int, Truth]]] = {}
    for row, (status, target, *key) in enumerate(_tuples(frame, ("status", "target", "dataset", "learner", "measure"))):
        if status == Status.OK:
            truth = truths[tuple(key)]
            together.setdefault((len(truth.runs), target), []).append((row, truth))
    for (n, target), pairs in together.items():
        step = max(1, _TOGETHER // n)
        for start in range(0, len(pairs), step):
            rows, theirs = zip(*pairs[start : start + step], strict=True)
            yield np.array(rows, dtype=np.intp), list(theirs), target


def _score(claims: pd.DataFrame, truths: Sequence[Truth], target: str) -> Scores:
    """{score: (k,) values}; truths: (k,) that of each row, with as many runs each."""
    low, high, level, median = (claims[name].to_numpy(float) for name in ("low", "high", "level", "median"))
    centre = np.where(np.isnan(median), (low + high) / 2, median)
    mean, upper, resolution = np.array([(truth.mean, truth.upper, truth.resolution) for truth in truths]).T
    counts = (claims["measure"] == "shd").to_numpy()
    runs = np.array([truth.runs for truth in truths])
    outcomes = runs if target == "run" else mean[:, None]
    floor = np.where(is_impossible(low, high, upper), np.maximum(mean, upper - mean), 0.0)
    scores: Scores = {
        "covers_mean": of.covers(low, high, mean),
        "coverage_runs": of.coverage_of_runs(low, high, runs),
        "width": high - low,
        "interval_score": np.maximum(
            of.interval_score(low, high, outcomes, level).mean(axis=1), 2 / (1 - level) * floor
        ),
        "bias": np.where(counts, of.bias(centre, mean, "lower"), of.bias(centre, mean, "higher")),
    }
    for suffix, intervals in (
        ("mean_ci", [truth.mean_ci for truth in truths]),
        ("runs", [truth.run_range for truth in truths]),
    ):
        versus = _versus(low, high, intervals, resolution)
        scores |= {f"{name}_{suffix}": values for name, values in versus.items()}
    return scores


def _versus(low: Array, high: Array, intervals: Sequence[Interval | None], resolution: Array) -> Scores:
    """NaN where there is no interval: one run has none of its mean."""
    start, end = np.array([QuantileBounds.of(one) for one in intervals], dtype=np.float64).reshape(-1, 2).T
    calibration = of.calibration_score(low, high, start, end)
    scores = {
        "overlaps": of.intersects(low, high, start, end),
        "covers": of.contains(low, high, start, end),
        "inside": of.contains(start, end, low, high),
        "iou": of.iou(low, high, start, end),
        "fraction": of.coverage_fraction(low, high, start, end),
        "calibration": calibration,
        "log_width_ratio": of.log_width_ratio(low, high, start, end, resolution),
    }
    absent = np.isnan(start)
    return {name: np.where(absent, np.nan, values) for name, values in scores.items()} | {
        "class": of.calibration_class(calibration)
    }


def _of_references(scores: pd.DataFrame, names: Sequence[str], score: str) -> Iterator[tuple[str, Array]]:
    """Each reference, and for each row its mean score on the same question; NaN where it gave none."""
    question = scores.groupby(list(QUESTION), sort=False).ngroup()
    for name in names:
        theirs = scores["respondent"] == name
        means = scores.loc[theirs, score].groupby(question[theirs]).mean()
        yield name, means.reindex(question).to_numpy(dtype=np.float64)


def _long_rows(rows: pd.DataFrame, names: Sequence[str], suffix: str) -> pd.DataFrame:
    n = len(names)
    values = rows[list(names)].to_numpy(dtype=np.float64)
    status = np.repeat(rows[["status"]].to_numpy(dtype=object), n, axis=1)
    status = np.where((status == Status.OK) & np.isnan(values), str(Status.DEGENERATE), status)
    return pd.DataFrame(
        {
            "item": np.repeat(_join_columns(rows, ("dataset", "learner", "measure")), n),
            "variant": np.repeat(_join_columns(rows, ARMS), n),
            "respondent": np.repeat(rows["respondent"].to_numpy(dtype=object), n),
            "repeat": np.repeat(rows["repeat"].to_numpy(), n),
            "measure": np.tile(np.array([f"{name}{suffix}" for name in names], dtype=object), len(rows)),
            "value": values.ravel(),
            "status": status.ravel(),
        }
    )


def _join_columns(rows: pd.DataFrame, names: Sequence[str]) -> NDArray[np.object_]:
    return np.array(["/".join(map(str, values)) for values in _tuples(rows, names)], dtype=object)


def _tuples(frame: pd.DataFrame, names: Sequence[str]) -> Iterator[tuple[Json, ...]]:
    """The rows as plain tuples; iterating over a column of text is ten times slower than over its list."""
    return zip(*(frame[name].tolist() for name in names), strict=True)


# ---- what chance scores

_GRID = 128  # lows and highs of the fixed intervals each


def expected_coverage(t: ArrayLike) -> Array:
    """P(L <= t <= U)."""
    inside = np.clip(np.asarray(t, dtype=np.float64), 0, 1)
    return np.asarray(2 * inside * (1 - inside))


def expected_interval_score(y: ArrayLike, level: ArrayLike) -> Array:
    """E IS for each outcome; one beyond [0, 1] adds its distance."""
    y = np.asarray(y, dtype=np.float64)
    inside = np.clip(y, 0, 1)
    missed = (inside**3 + (1 - inside) ** 3) / 3 + np.abs(y - inside)
    return np.asarray(1 / 3 + 2 / (1 - np.asarray(level, dtype=np.float64)) * missed)


def expected_log_width(floor: float) -> float:
    """E log max(U - L, floor), 0 < floor <= 1."""
    below = floor * (2 - floor) * math.log(floor)
    return below + (-1.5 - (2 * floor * (math.log(floor) - 1) - floor**2 * (math.log(floor) - 0.5)))


@lru_cache(4096)  # the same truth is asked for with every target and level
def expected_versus(interval: Interval | None, upper: float, resolution: float) -> Mapping[str, float | str]:
    """What chance scores against one truth: the six overlaps and widths, and the log width ratio; NaN without one."""
    if interval is None:
        return dict.fromkeys(VERSUS, math.nan) | {"class": of.DEGENERATE}
    a, b = np.clip([interval.low / upper, interval.high / upper], 0, 1)
    w = b - a
    calibration = (1 / 3 - w) / w if w > 0 else math.nan
    floor = min(resolution / upper, 1.0)
    return {
        "overlaps": 1 - a**2 - (1 - b) ** 2,
        "covers": 2 * a * (1 - b),
        "inside": w**2,
        "iou": float(of.iou(*_grid(), float(a), float(b)).mean()),
        "fraction": ((b**2 - 2 * b**3 / 3) - (a**2 - 2 * a**3 / 3)) / w if w > 0 else math.nan,
        "calibration": calibration,
        "class": str(of.calibration_class(calibration)[()]),
        "log_width_ratio": expected_log_width(floor) - math.log(max(w, floor)),
    }


def _expect(claims: pd.DataFrame, truths: Sequence[Truth], target: str) -> Scores:
    """As `_score`, of baseline/random."""
    level = claims["level"].to_numpy(float)
    upper, mean = np.array([(truth.upper, truth.mean) for truth in truths]).T
    runs = np.array([truth.runs for truth in truths]) / upper[:, None]
    outcomes = runs if target == "run" else (mean / upper)[:, None]
    optimistic = 0.5 - mean / upper
    counts = (claims["measure"] == "shd").to_numpy()
    row: Scores = {
        "covers_mean": expected_coverage(mean / upper),
        "coverage_runs": expected_coverage(runs).mean(axis=1),
        "width": upper / 3,
        "interval_score": upper * expected_interval_score(outcomes, level[:, None]).mean(axis=1),
        "bias": upper * np.where(counts, -optimistic, optimistic),
    }
    for suffix, interval in (("mean_ci", "mean_ci"), ("runs", "run_range")):
        scores = [expected_versus(getattr(truth, interval), truth.upper, truth.resolution) for truth in truths]
        row |= {f"{name}_{suffix}": np.array([score[name] for score in scores]) for name in VERSUS}
    return row


@cache
def _grid() -> tuple[Array, Array]:
    """Sorted pairs of the midpoints of a square grid: each stands for the same probability."""
    points = (np.arange(_GRID) + 0.5) / _GRID
    first, second = np.meshgrid(points, (points + 0.25 / _GRID) % 1)  # apart, so that no pair is one point
    return np.minimum(first, second).ravel(), np.maximum(first, second).ravel()
