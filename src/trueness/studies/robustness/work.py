"""Robustness: whose ranking of edges survives corrupted data, and how many edges should be kept?

For each data set, corruption, scorer and seed:

    driver    rows = draw(data set, seed);   seen = corrupt(rows, corruption, seed)
    worker    scores (d, d) = scorer(seen);  K by the rows alone (robustness/label_free.py)
    driver    of a scorer that says what is signal: how near it is to the rows before their corruption
    store     the scores to the last bit, and each K
    reader    AUPRC, F1 at K, ... against the truth: robustness_study.py, anew whenever it is read

One seed is the same rows for every scorer, and the same noise under every corruption and strength: all is paired.
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
from dataclasses import asdict, dataclass, field, replace
from functools import lru_cache

import numpy as np
from numpy.random import Generator
from numpy.typing import NDArray

from trueness.datasets import Dataset
from trueness.datasets.corruptions import Corruption
from trueness.datasets.observed import Observed
from trueness.errors import DataError, StoreError
from trueness.graphs import Graph
from trueness.learners import settings_of
from trueness.learners.scoring.edge_scores import EdgeScorer, EdgeScores, build_scorer
from trueness.measures.ranking import RANKING_MEASURES
from trueness.outside import FACTOR, Json, Unpacker
from trueness.running.cells import Cell, PlanContext, hash_of, placeless, portable, stream
from trueness.running.outcomes import Outcome, failure_line, without_answer
from trueness.statistics.reach import Reach
from trueness.status import Status
from trueness.studies.robustness import plan as plan
from trueness.studies.robustness.choose_k import KChoice
from trueness.studies.robustness.label_free import Budget, label_free

VERSION = 1  # raise when the same plan would give other results
Array = NDArray[np.float64]
WITHOUT_REFITS = ("bic", "adaptive")  # K from the scores and rows at hand
TOGETHER = (("stability", "stars"), ("bic",), ("held-out",), ("cross-validated",), ("adaptive",))  # share their fits


@dataclass(frozen=True)
class Source:
    """Where the rows of a cell come from. It stays with the driver."""

    dataset: Dataset
    corruption: Corruption
    rows: int | None
    seed: int
    identity: str  # of the data set: rows do not depend on the corruption
    overwrite_regimes: bool

    def unit(self, repeat: int) -> dict[str, Json]:
        """What a worker is handed of one seed, or the problem why there is nothing."""
        try:
            seen = self.rows_of(repeat, self.corruption)
        except Exception as error:  # a user's own data set may raise anything
            return {"problem": failure_line(error)}
        return {"names": seen.names, "values": seen.values, "regimes": seen.regimes, "lags": seen.lags}

    def rows_of(self, repeat: int, corruption: Corruption) -> Observed:
        rng = stream(self.seed, f"{self.identity} seed {repeat}")
        seed = int(stream(self.seed, f"{self.identity} corruption {repeat}").integers(2**31))
        overwrite = self.overwrite_regimes
        return corruption.of(self.dataset, self.rows, seed=seed, rng=rng, overwrite_regimes=overwrite).observed

    def tell_apart(self, repeat: int, signal: str) -> tuple[float, float] | None:
        """Of a scorer's signal: see `told_apart`. Interventions are part of the system, so the clean rows have them."""
        steps = tuple(step for step in self.corruption.steps if step.card.stage == "regimes")
        readings = self.rows_of(repeat, self.corruption).values
        clean = self.rows_of(repeat, replace(self.corruption, steps=steps)).values
        return told_apart(unpack(signal, np.float32).reshape(readings.shape), readings, clean)


@dataclass(frozen=True)
class RowsCell(Cell):
    """A cell whose units carry their rows, drawn when they are handed out."""

    source: Source | None = field(default=None, repr=False)

    def unit(self, repeat: int) -> dict[str, Json]:
        assert self.source is not None
        return super().unit(repeat) | self.source.unit(repeat)

    def settled(self, repeat: int, outcome: Outcome) -> Outcome:
        """With how far the scorer told signal and corruption apart, which only the driver can measure."""
        answer = json.loads(outcome["answer"]) if outcome["answer"] else {}
        if (signal := answer.pop("signal", None)) is None:
            return outcome
        assert self.source is not None
        if (apart := self.source.tell_apart(repeat, signal)) is not None:
            answer["disentanglement"] = apart
        return outcome | {"answer": _json(answer)}


def told_apart(signal: Array, readings: Array, clean: Array) -> tuple[float, float] | None:
    """Mean over columns of r(signal, clean) and of r(readings, clean), where there is a reading; None without any."""
    pairs = []
    for part, reading, true in zip(signal.T, readings.T, clean.T, strict=True):
        there = ~np.isnan(reading) & ~np.isnan(true)
        if there.sum() > 2 and all(np.ptp(values[there]) for values in (part, reading, true)):
            among = np.corrcoef(np.stack([part[there], reading[there], true[there]]))
            pairs.append((among[0, 2], among[1, 2]))
    return None if not pairs else (float(np.mean([p[0] for p in pairs])), float(np.mean([p[1] for p in pairs])))


class Robustness(plan.RobustnessPlan):
    """The checked plan of a robustness study; `cells()` is the work."""

    name = "robustness"
    function = "trueness.studies.robustness.work:perform"
    measures = tuple(RANKING_MEASURES)
    headline = ("auprc", "auroc")

    @classmethod
    def from_plan(cls, table: Mapping[str, Json], context: PlanContext) -> Robustness:
        return plan.read(cls, table, context)

    def cells(self) -> list[Cell]:
        return [
            self._cell(item, variant, name)
            for item, system in self.datasets.items()
            for variant in self.corruptions
            for name, entry in self.scorers.items()
            if entry.takes(system) and (entry.sweep is None or variant == self.validation)
        ]

    def _cell(self, item: str, variant: str, respondent: str) -> Cell:
        system, made, entry = self.datasets[item], self.corruptions[variant], self.scorers[respondent]
        named, settings = placeless({"dataset": item}), placeless(system.settings)
        data = {**named, "settings": settings, "content": system.content, "rows": self.rows}
        steps = {"corruption": [str(step) for step in made.corruption.steps], "overwrite": self.overwrite_regimes}
        methods = self.methods if entry.sweep is None else ()  # K x lambda needs no chosen K
        choosing = {"methods": methods, "budget": asdict(self.budget), "k_seeds": self.k_seeds}
        common = {"scorer": entry.spec, "seed": self.seed, **choosing}
        identity = {
            "task": self.name,
            "version": VERSION,
            "data": data,
            **steps,
            "scorer": portable(entry.spec["name"]),
            "settings": settings_of(entry.scorer),
            "seed": self.seed,
            **choosing,
        }
        where = hash_of(json.dumps(data, sort_keys=True, default=str))
        source = Source(system.dataset, made.corruption, self.rows, self.seed, where, self.overwrite_regimes)
        return RowsCell(item, variant, respondent, self.seeds, common, identity, source)

    def alike(self, cell: Cell) -> tuple[str, int, int, bool]:
        """Cells that take about the same time: one of them tells how long (`trueness plan`)."""
        system = self.datasets[cell.item]
        return cell.respondent, len(system.dataset.truth), system.rows(self.rows), system.lags > 0

    def calibration(self, cell: Cell) -> dict[int, float]:
        """Seeds whose K is chosen by refits take longer: one of each, with its share."""
        share = self.k_seeds / self.seeds
        return {0: share, self.seeds - 1: 1 - share} if 0 < share < 1 else {0: 1.0}

    def reach(self) -> list[str]:
        """What paired differences could show at all: series and rows apart, graphs being what is drawn."""
        notes = []
        for series in (True, False):
            graphs = [system for system in self.datasets.values() if (system.lags > 0) == series]
            compared = [e for e in self.scorers.values() if not e.sweep and graphs and e.takes(graphs[0])]
            pairs = len(compared) * (len(compared) - 1) // 2
            if graphs and pairs:
                kind = "series" if series else "rows"
                family = f"{len(compared)} scorers in pairs over {len(graphs)} graphs ({kind})"
                notes.append(f"Comparing {family}: {Reach(len(graphs), pairs)}")
        return notes

    def describe(self, item: str, respondent: str) -> dict[str, Json]:
        system, card = self.datasets[item], self.scorers[respondent].scorer.card
        return {"truth": system.dataset.about.truth, "rows": system.rows(self.rows), "missing": card.missing}

    def about(self) -> dict[str, Json]:
        """What the tables of a study need beside the scores: the truths above all, which no worker gets."""
        return {
            "datasets": {name: system.to_dict(self.rows) for name, system in self.datasets.items()},
            "corruptions": {name: variant.to_dict() for name, variant in self.corruptions.items()},
            "scorers": {name: entry.to_dict() for name, entry in self.scorers.items()},
            "validation": self.validation,
            "match": self.match,
            "methods": list(self.methods),
            "budget": asdict(self.budget),
            "k_seeds": self.k_seeds,
            "given": self.k,
            "metric": self.metric,
            "k_range": self.k_range,
            "expected": self.expected,
            "notes": list(self.notes),
        }


@lru_cache(maxsize=256)
def _truth(text: str) -> Graph:
    return Graph.from_json(text)


# ---- in the worker


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
        details = _checked_details(scores, data)
    except Exception as error:
        return without_answer(Status.UNREADABLE, failure_line(error), time.perf_counter() - began)
    methods = [name for name in common["methods"] if unit["repeat"] < common["k_seeds"] or name in WITHOUT_REFITS]
    chosen, trouble = _choices(scorer, data, scores, methods, Budget(**common["budget"]), seed, key)
    chosen |= {"own rule": int(details.pop("own_k"))} if "own_k" in details else {}
    answer: dict[str, object] = {"scores": pack_matrix(scores.matrix), "k": chosen}
    answer |= {"trouble": trouble} if trouble else {}
    answer |= details
    seconds = time.perf_counter() - began
    return {
        "status": str(Status.OK), "message": "", "seconds": seconds, "scores": {}, "answer": _json(answer),
    }  # fmt: skip


def _json(answer: Mapping[str, object]) -> str:
    return json.dumps(answer, separators=(",", ":"))


def _checked_details(scores: object, data: Observed) -> dict[str, Json]:
    """What is used of what a scorer says of its scores; an error where it cannot be."""
    if not isinstance(scores, EdgeScores) or tuple(scores.names) != data.names:
        got = "others" if isinstance(scores, EdgeScores) else type(scores).__name__
        raise DataError(f"scores must be EdgeScores of the columns in their order, got {got}")
    details: dict[str, Json] = {}
    if (own_k := scores.details.get("own_k")) is not None:
        try:
            details["own_k"] = int(own_k)
        except Exception as error:
            raise DataError(f"'own_k' of the details of scores must be a whole number, got {own_k!r:.60}.") from error
    if (signal := scores.details.get("signal")) is not None:
        try:
            values = np.asarray(signal, dtype=np.float32)
        except Exception as error:
            raise DataError(f"'signal' of the details of scores must be numbers, got {signal!r:.60}.") from error
        if values.shape != data.values.shape or not np.isfinite(values).all():
            raise DataError(
                f"'signal' of the details of scores must be finite, {data.n} x {data.d} as the rows, got shape "
                f"{values.shape}."
            )
        details["signal"] = pack_matrix(values)
    return details


def _choices(
    scorer: EdgeScorer,
    data: Observed,
    scores: EdgeScores,
    methods: list[str],
    budget: Budget,
    seed: int,
    key: str,
) -> tuple[dict[str, int], dict[str, str]]:
    """K of each method, and why another has none: a refit on fewer rows may fail where the fit on all did not."""
    chosen: dict[str, int] = {}
    trouble: dict[str, str] = {}
    for group in TOGETHER:
        names = [name for name in group if name in methods]
        if not names:
            continue
        rng: Generator = stream(seed, f"{key} K by {names[0]}")
        try:
            got: Mapping[str, KChoice] = label_free(scorer, data, scores.matrix, rng, budget=budget, methods=names)
        except Exception as error:
            trouble |= {name: failure_line(error) for name in names}
        else:
            chosen |= {name: choice.k for name, choice in got.items()}
    return chosen, trouble


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
