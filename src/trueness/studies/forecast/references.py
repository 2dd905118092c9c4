"""Respondents that know no language: what a forecast must beat, and the most that can be had.

    baseline/random        two sorted uniforms on [0, 1] (SHD: on [0, d(d-1)/2]); scored in closed form, see against.py
    baseline/heuristic     b = base + clip(.1 log10(n/1000), -.15, .15) + clip(-.015 d, -.20, 0), clipped to [.2, .9];
                           base: PC .55, LiNGAM .60, FCI .50, NOTEARS .58; precision, recall, F1: b -+ .10;
                           SHD: (1 - b) D/2 -+ .1 D, D = d(d-1)/2. As in the original; other learners have no base
    baseline/climatology   quantiles of the same measure over all other data sets and learners, each cell weighing alike
    baseline/nearest       the runs of the same learner on the nearest other data set:
                           distance^2 = sum over log nodes, density, log rows of (difference / sd over the data sets)^2
    baseline/atlas         what the atlas expects of a table that looks like this one (trueness.atlas), when planned;
                           it has seen none with at most 70 nodes, only random systems and parts of larger networks
    baseline/oracle        quantiles of one half of the runs, scored on the other half, both ways: the ceiling

SHD travels between data sets as a share of d(d-1)/2. Each gives intervals at .5, .8, .95 and a median, for each target:

    of a run    quantiles of runs ('linear'); the heuristic's -+ is taken for its .95, narrower by z for .5 and .8
    of a mean   climatology: quantiles of the cells' means; nearest: mean -+ t_(n-1) s/sqrt(n) of its cell;
                oracle: mean -+ t_(m-1) s sqrt(1/m + 1/m'), where the mean of the other half's m' runs falls;
                random, heuristic: as of a run, since they say nothing of a target; the atlas has both

A reference that cannot answer (no base, no other data set) has rows with the status `refused` and a flag that says why.
"""

from __future__ import annotations

import math
from collections.abc import Callable, Iterator, Mapping, Sequence
from typing import NamedTuple

import numpy as np
import pandas as pd
from numpy.typing import NDArray
from scipy.special import ndtri, stdtrit

from trueness.errors import DataError, UnknownName
from trueness.measures.interval_scores import quantile_levels
from trueness.outside import Json
from trueness.status import Status
from trueness.studies.forecast.frames import (
    CLAIM_COLUMNS,
    LEVELS,
    RANDOM,
    DatasetAbout,
    Truth,
    Truths,
    reference_claim,
)
from trueness.studies.forecast.scores import FROM_HALF

Array = NDArray[np.float64]
About = Mapping[str, DatasetAbout]

ATLAS = "baseline/atlas"
HEURISTIC_BASE = {"pc": 0.55, "lingam": 0.60, "fci": 0.50, "notears": 0.58}
MAX_TRUTHS = 10_000  # 2,500 cells: climatology looks at all others for each
MAX_CLAIMS = 200_000  # truths x references x targets
TAUS = quantile_levels(LEVELS, median=True)


class ReferenceQuantiles(NamedTuple):
    """Quantiles at TAUS in the units of the measure, or none and why."""

    quantiles: Array | None
    flags: str = ""
    repeat: int = 0


def reference_claims(
    truths: Truths, datasets: About, names: Sequence[str] | None = None, targets: Sequence[str] = ("run",)
) -> pd.DataFrame:
    """Claims of the references named, for every truth, in the columns of a claims frame; formulation "reference"."""
    names = REFERENCES if names is None else names
    _check_size(len(truths), names, targets)
    rows: list[dict[str, Json]] = []
    for name in names:
        if name.startswith("human/"):
            continue  # read from a file, see human.py
        if name not in _ANSWERS:
            raise UnknownName("reference", name, _ANSWERS)
        for truth in truths.values():
            for target in targets:
                for answer in _ANSWERS[name](truth, truths, datasets, target):
                    rows.extend(_rows(name, truth, target, answer))
    return pd.DataFrame(rows, columns=list(CLAIM_COLUMNS))


def _check_size(truths: int, names: Sequence[str], targets: Sequence[str]) -> None:
    """Lists of a few kilobytes in a stored study must not become claims without end."""
    if len(set(names)) < len(names) or len(set(targets)) < len(targets):
        raise DataError("references and targets must name each once, got one twice. Was the study changed?")
    for what, most, got in (
        ("truths for references", MAX_TRUTHS, truths),
        ("claims of references", MAX_CLAIMS, truths * len(names) * len(targets)),
    ):
        if got > most:
            raise DataError(f"a forecast study must have at most {most:,} {what}, got {got:,}. Divide it into several.")


def heuristic_base(learner: str, rows: int, nodes: int) -> float | None:
    """The centre for precision, recall and F1; None for a learner without a base."""
    if learner not in HEURISTIC_BASE:
        return None
    for_rows = min(max(0.1 * math.log10(rows / 1000), -0.15), 0.15)
    for_nodes = max(-0.015 * nodes, -0.20)
    return min(max(HEURISTIC_BASE[learner] + for_rows + for_nodes, 0.2), 0.9)


def distances(datasets: About, name: str) -> pd.Series[float]:
    """From one data set to all: log nodes, density and log rows, each in its standard deviations over the data sets."""
    table = np.array([[math.log(a["nodes"]), a["density"], math.log(a["rows"])] for a in datasets.values()])
    spread = table.std(axis=0)
    table = table / np.where(spread > 0, spread, 1.0)
    apart = np.sqrt(((table - table[list(datasets).index(name)]) ** 2).sum(axis=-1))
    return pd.Series(apart, index=list(datasets))


def _random(truth: Truth, truths: Truths, datasets: About, target: str) -> Iterator[ReferenceQuantiles]:
    ends = np.where(TAUS < 0.5, 1 / 3, np.where(TAUS > 0.5, 2 / 3, 0.5))  # the expected ends; shown, not scored
    yield ReferenceQuantiles(ends * truth.upper, "closed form")


def _heuristic(truth: Truth, truths: Truths, datasets: About, target: str) -> Iterator[ReferenceQuantiles]:
    about = datasets[truth.dataset]
    base = heuristic_base(truth.learner, about["rows"], about["nodes"])
    if base is None:
        yield ReferenceQuantiles(None, f"no base for {truth.learner}")
        return
    pairs = about["nodes"] * (about["nodes"] - 1) / 2
    centre, half = ((1 - base) * pairs * 0.5, 0.1 * pairs) if truth.measure == "shd" else (base, 0.1)
    yield ReferenceQuantiles(np.clip(centre + half * ndtri(TAUS) / ndtri(TAUS[-1]), 0, truth.upper))


def _climatology(truth: Truth, truths: Truths, datasets: About, target: str) -> Iterator[ReferenceQuantiles]:
    cells = _others(truth, truths)
    if not cells:
        yield ReferenceQuantiles(None, "no other data set")
        return
    means = np.array([cell.mean / cell.upper for cell in cells])
    yield _answer(_of_runs(means if target == "mean" else np.concatenate([cell.spread for cell in cells])), truth)


def _nearest(truth: Truth, truths: Truths, datasets: About, target: str) -> Iterator[ReferenceQuantiles]:
    same = {other.dataset: other for other in _others(truth, truths) if other.learner == truth.learner}
    if not same:
        yield ReferenceQuantiles(None, f"no other data set with {truth.learner}")
        return
    near = distances(datasets, truth.dataset)
    name = min(same, key=lambda other: (float(near[other]), other))
    runs = same[name].runs / same[name].upper
    quantiles = _of_runs(runs) if target == "run" else _of_mean(runs, 1 / len(runs))
    yield _answer(quantiles, truth, f"from {name}")


def _atlas(truth: Truth, truths: Truths, datasets: About, target: str) -> Iterator[ReferenceQuantiles]:
    expected = datasets[truth.dataset].get("atlas")
    if expected is None:
        yield ReferenceQuantiles(None, "planned before there was an atlas")
        return
    try:
        shares = np.asarray(expected[truth.learner][truth.measure][target], dtype=np.float64)
    except KeyError:
        yield ReferenceQuantiles(None, f"no {truth.learner} with these settings in the atlas")
        return
    except (TypeError, ValueError):
        shares = np.zeros(0)
    if shares.shape != TAUS.shape or not ((shares >= 0) & (shares <= 1)).all():
        raise DataError(f"what the atlas expects must be {len(TAUS)} shares, got others. Was the study changed?")
    yield _answer(np.sort(shares), truth)


def _oracle(truth: Truth, truths: Truths, datasets: About, target: str) -> Iterator[ReferenceQuantiles]:
    for repeat, flag in enumerate(FROM_HALF.values()):
        half, other = truth.runs[repeat::2] / truth.upper, truth.runs[1 - repeat :: 2]
        if len(half) < 2 or not len(other):
            yield ReferenceQuantiles(None, "too few runs to split", repeat)
        else:
            quantiles = _of_runs(half) if target == "run" else _of_mean(half, 1 / len(half) + 1 / len(other))
            yield _answer(quantiles, truth, flag, repeat)


def _others(truth: Truth, truths: Truths) -> list[Truth]:
    return [
        other
        for other in truths.values()
        if other.measure == truth.measure and other.dataset != truth.dataset and len(other.runs)
    ]


def _of_runs(runs: Array) -> Array:
    return np.asarray(np.quantile(runs, TAUS), dtype=np.float64)


def _of_mean(runs: Array, variance: float) -> Array:
    """Student quantiles around the mean; `variance` in units of that of one run. One run has none: a point."""
    if len(runs) < 2:
        return np.full(len(TAUS), runs.mean())
    return np.asarray(runs.mean() + stdtrit(len(runs) - 1, TAUS) * runs.std(ddof=1) * math.sqrt(variance))


def _answer(shares: Array, truth: Truth, flags: str = "", repeat: int = 0) -> ReferenceQuantiles:
    return ReferenceQuantiles(np.clip(shares, 0, 1) * truth.upper, flags, repeat)


def _rows(name: str, truth: Truth, target: str, answer: ReferenceQuantiles) -> Iterator[dict[str, Json]]:
    question, middle, q = (truth.dataset, truth.learner, truth.measure), len(TAUS) // 2, answer.quantiles
    status = Status.REFUSED if q is None else Status.OK
    for k, level in enumerate(LEVELS, start=1):
        ends = (None, None, None) if q is None else (q[middle - k], q[middle + k], q[middle])
        yield reference_claim(question, name, target, level, ends, status, answer.flags, answer.repeat)


_ANSWERS: dict[str, Callable[[Truth, Truths, About, str], Iterator[ReferenceQuantiles]]] = {
    RANDOM: _random,
    "baseline/heuristic": _heuristic,
    "baseline/climatology": _climatology,
    "baseline/nearest": _nearest,
    ATLAS: _atlas,
    "baseline/oracle": _oracle,
}
REFERENCES = tuple(_ANSWERS)
