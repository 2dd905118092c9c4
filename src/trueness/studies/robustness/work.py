"""Robustness: whose ranking of edges survives corrupted data, and how many edges should be kept?

For each data set, corruption, scorer and seed:

    driver    rows = draw(data set, seed);   seen = corrupt(rows, corruption, seed)           plan.py
    worker    scores (d, d) = scorer(seen);  K by the rows alone                              here
    driver    of a scorer that says what is signal: how near it is to the rows before their corruption
    store     the scores to the last bit, and each K
    reader    AUPRC, F1 at K, ... against the truth, anew whenever it is read                 answers.py, scores.py

A worker is handed values, regimes, lags and names of columns, and nothing else: no truth, no data set, not even the
name of one. So a scorer cannot look anything up; one of a user's own is also asked with the truth shuffled before the
study begins (scoring/leaks.py), and refused where its answer moves.
"""

from __future__ import annotations

import base64
import contextlib
import json
import time
import zlib
from collections.abc import Mapping
from dataclasses import dataclass, field
from functools import lru_cache

import numpy as np
from numpy.typing import NDArray

from trueness.datasets.observed import Observed
from trueness.errors import DataError, StoreError
from trueness.learners.scoring.edge_scores import EdgeScorer, EdgeScores, build_scorer
from trueness.outside import FACTOR, Json, Unpacker
from trueness.running.cells import stream
from trueness.running.outcomes import Outcome, failure_line, without_answer
from trueness.status import Status
from trueness.studies.robustness.choose_k import STABILITY, stability_k

Array = NDArray[np.float64]


@dataclass(frozen=True)
class StoredScores:
    """The answer of a unit. `signal` goes from the worker to the driver and is never kept."""

    scores: str  # packed
    k: dict[str, int] = field(default_factory=dict)  # by how it was chosen from the rows
    trouble: dict[str, str] = field(default_factory=dict)  # why there is no K
    signal: str | None = None
    disentanglement: tuple[float, float] | None = None  # r(signal, clean values), r(readings, clean values)

    @classmethod
    def read(cls, text: str) -> StoredScores:
        return cls(**json.loads(text))

    def text(self) -> str:
        return json.dumps(
            {key: value for key, value in vars(self).items() if value or key == "k"}, separators=(",", ":")
        )


def prepare(common: Mapping[str, Json]) -> None:
    """Import and compile what the units of a cell share. What goes wrong here, `perform` will report."""
    with contextlib.suppress(Exception):
        _warm_up(json.dumps(common["scorer"]))


@lru_cache(maxsize=64)
def _warm_up(spec: str) -> bool:
    rng = np.random.default_rng(0)
    few = Observed(("a", "b", "c"), rng.standard_normal((60, 3)), (None,) * 3, "rows to warm up with", None, 1)
    _scorer(spec).scores(few, rng)
    return True


def perform(common: Mapping[str, Json], unit: Mapping[str, Json]) -> Outcome:
    """Score one unit's rows and choose K by them. Whatever the scorer does, the outcome is a status."""
    if "problem" in unit:
        return without_answer(Status.FAILED, unit["problem"], 0.0)
    began = time.perf_counter()
    seed, key = common["seed"], unit["key"]
    try:
        scorer = _scorer(json.dumps(common["scorer"]))
        kinds = (None,) * len(unit["names"])
        data = Observed(tuple(unit["names"]), unit["values"], kinds, "the data", unit["regimes"], unit["lags"])
        scores = scorer.scores(data, stream(seed, key))
    except Exception as error:  # a scorer may raise anything; that is its result
        return without_answer(Status.FAILED, failure_line(error), time.perf_counter() - began)
    try:
        own_k, signal = _checked_details(scores, data)
    except Exception as error:
        return without_answer(Status.UNREADABLE, failure_line(error), time.perf_counter() - began)
    chosen: dict[str, int] = {}
    trouble: dict[str, str] = {}
    if STABILITY in common["methods"] and unit["repeat"] < common["k_seeds"]:
        rng = stream(seed, f"{key} K by {STABILITY}")
        try:
            chosen[STABILITY] = stability_k(scorer, data, rng, common["budget"]["subsamples"])
        except Exception as error:  # a refit on fewer rows may fail where the fit on all did not
            trouble[STABILITY] = failure_line(error)
    chosen |= {} if own_k is None else {"own rule": own_k}
    answer = StoredScores(pack_matrix(scores.matrix), chosen, trouble, signal).text()
    seconds = time.perf_counter() - began
    return {"status": str(Status.OK), "message": "", "seconds": seconds, "scores": {}, "answer": answer}


def _checked_details(scores: object, data: Observed) -> tuple[int | None, str | None]:
    """The scorer's own K and its signal, packed; an error where they cannot be."""
    if not isinstance(scores, EdgeScores) or tuple(scores.names) != data.names:
        got = "others" if isinstance(scores, EdgeScores) else type(scores).__name__
        raise DataError(f"scores must be EdgeScores of the columns in their order, got {got}")
    own_k, signal = scores.details.get("own_k"), scores.details.get("signal")
    try:
        own_k = None if own_k is None else int(own_k)
    except Exception as error:
        raise DataError(f"'own_k' of the details of scores must be a whole number, got {own_k!r:.60}.") from error
    if signal is None:
        return own_k, None
    try:
        values = np.asarray(signal, dtype=np.float32)
    except Exception as error:
        raise DataError(f"'signal' of the details of scores must be numbers, got {signal!r:.60}.") from error
    if values.shape != data.values.shape or not np.isfinite(values).all():
        raise DataError(
            f"'signal' of the details of scores must be finite, {data.n} x {data.d} as the rows, got shape "
            f"{values.shape}."
        )
    return own_k, pack_matrix(values)


def told_apart(signal: Array, readings: Array, clean: Array) -> tuple[float, float] | None:
    """Mean over columns of r(signal, clean) and of r(readings, clean), where there is a reading; None without any."""
    pairs = []
    for part, reading, true in zip(signal.T, readings.T, clean.T, strict=True):
        there = ~np.isnan(reading) & ~np.isnan(true)
        if there.sum() > 2 and all(np.ptp(values[there]) for values in (part, reading, true)):
            among = np.corrcoef(np.stack([part[there], reading[there], true[there]]))
            pairs.append((among[0, 2], among[1, 2]))
    return None if not pairs else (float(np.mean([p[0] for p in pairs])), float(np.mean([p[1] for p in pairs])))


def pack_matrix(values: NDArray[np.floating]) -> str:
    """An array as text, to the last bit."""
    little = values.dtype.newbyteorder("<")
    return base64.b64encode(zlib.compress(np.ascontiguousarray(values, dtype=little).tobytes())).decode("ascii")


def unpack(text: str, kind: type[np.floating], unpacker: Unpacker | None = None) -> NDArray[np.float64]:
    """`unpacker`: of all arrays that are read together."""
    content = (unpacker or Unpacker(FACTOR)).inflate(base64.b64decode(text), "a stored array", StoreError)
    return np.frombuffer(content, dtype=np.dtype(kind).newbyteorder("<")).astype(np.float64)


def unpack_matrix(text: str, unpacker: Unpacker | None = None) -> NDArray[np.float64]:
    """(d, d)."""
    values = unpack(text, np.float64, unpacker)
    d = round(len(values) ** 0.5)
    return values.reshape(d, d)


@lru_cache(maxsize=64)
def _scorer(spec: str) -> EdgeScorer:
    scorer = json.loads(spec)
    return build_scorer(scorer["name"], scorer["settings"])
