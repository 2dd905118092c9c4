"""What a survey knows of a question: conditional distributions, their weights, and how many rows they stand for.

A truth goes to JSON and back, so that a study can be scored again from its store when the microdata are gone. Its 2,000
bootstrap draws are kept as 16-bit shares (steps of 1/65535), deflated: about 2 bytes a share.
"""

from __future__ import annotations

import base64
import zlib
from collections.abc import Mapping
from dataclasses import asdict, dataclass, field
from functools import cached_property
from typing import Any, Literal

import numpy as np
from numpy.typing import NDArray

from trueness.errors import StoreError
from trueness.outside import Json, Unpacker
from trueness.studies.population.questions import Level, Question, SourceCard, TargetPopulation, Variable

Array = NDArray[np.float64]
Design = Literal["cells", "clusters", "replicates", "model"]
QUANTILES = (0.1, 0.25, 0.5, 0.75, 0.9)
_STEPS = 65_535
_TIMES = 10  # what draws unpack to: they have noise, and pack to a half
_ARRAYS = ("probs", "weights", "rows", "kish", "n_eff")
_COUNTS = ("n_data", "n_outside", "n_missing", "n_unlisted")
_OF_NUMBERS = ("means", "quantiles")


@dataclass(frozen=True, eq=False)
class PopulationTruth:
    """Row c of every array is conditions[c]; column l is levels[l]."""

    question: Question  # with the levels that the data gave it
    conditions: tuple[str, ...]
    probs: Array  # (C, L), rows sum to 1
    weights: Array  # (C,), sum to 1: the share of each condition in the population
    rows: Array  # (C,) unweighted number of rows
    kish: Array  # (C,)
    n_eff: Array  # (C,) rows of a simple random sample that would know as much
    draws: Array  # (B, C, L)
    design: Design
    thin: Mapping[str, int] = field(default_factory=dict)  # condition left out -> its rows
    n_data: int = 0
    n_outside: int = 0
    n_missing: int = 0
    n_unlisted: int = 0
    means: Array | None = None  # (C,) E[V1 | V2 = c], where the outcome is a number
    quantiles: Array | None = None  # (C, 5) of it, at QUANTILES
    notes: tuple[str, ...] = ()  # how levels were grouped that the task does not list

    @property
    def levels(self) -> tuple[str, ...]:
        return self.question.levels

    @property
    def ordinal(self) -> bool:
        return self.question.outcome.ordinal

    @property
    def numeric(self) -> bool:
        return self.question.outcome.numeric

    def mean_draws(self) -> Array:
        """(B, C): the bootstrap draws of the conditional means, around them."""
        assert self.means is not None
        middles = np.array(self.question.outcome.middles)
        return np.asarray(self.means + (self.draws - self.probs) @ middles)

    @cached_property
    def marginal(self) -> Array:
        """(L,): P(V1) over the conditions that are kept."""
        return np.asarray(self.weights @ self.probs)


def truth_to_dict(truth: PopulationTruth) -> dict[str, Json]:
    question = asdict(truth.question)
    del question["folder"]  # a path of this machine
    shares = np.rint(truth.draws * _STEPS).astype("<u2")
    packed = base64.b64encode(zlib.compress(shares.tobytes(), 6)).decode("ascii")
    return {
        "question": question,
        "conditions": list(truth.conditions),
        **{name: getattr(truth, name).tolist() for name in _ARRAYS},
        "draws": {"shape": list(shares.shape), "data": packed},
        "design": truth.design,
        "thin": dict(truth.thin),
        **{name: None if (kept := getattr(truth, name)) is None else kept.tolist() for name in _OF_NUMBERS},
        "notes": list(truth.notes),
        **{name: getattr(truth, name) for name in _COUNTS},
    }


def truths_from_dicts(records: Mapping[str, Json]) -> dict[str, PopulationTruth]:
    """All truths of a store, which are unpacked within one limit."""
    unpacker = Unpacker(_TIMES)
    return {name: truth_from_dict(one, unpacker) for name, one in records.items()}


def truth_from_dict(record: Mapping[str, Json], unpacker: Unpacker | None = None) -> PopulationTruth:
    kept: dict[str, Any] = {name: record[name] for name in (*_COUNTS, "design", "thin")}
    arrays = [*_ARRAYS, *(name for name in _OF_NUMBERS if record.get(name))]
    kept |= {name: np.array(record[name], dtype=np.float64) for name in arrays}
    packed = base64.b64decode(record["draws"]["data"])
    shares = (unpacker or Unpacker(_TIMES)).inflate(packed, "the draws of a truth", StoreError)
    return PopulationTruth(
        question=question_from_dict(record["question"]),
        conditions=tuple(record["conditions"]),
        draws=np.frombuffer(shares, dtype="<u2").reshape(record["draws"]["shape"]) / _STEPS,
        notes=tuple(record.get("notes", ())),
        **kept,
    )


def question_from_dict(record: Mapping[str, Json]) -> Question:
    def variable(one: Mapping[str, Json]) -> Variable:
        levels = tuple(Level(**_with_tuples(level)) for level in one["levels"])
        return Variable(**{**_with_tuples(one), "levels": levels})

    parts = {
        "outcome": variable(record["outcome"]),
        "given": tuple(map(variable, record["given"])),
        "population": TargetPopulation(**_with_tuples(record["population"])),
        "card": SourceCard(**record["card"]),
    }
    return Question(**{**_with_tuples(record), **parts})


def _with_tuples(record: Mapping[str, Json]) -> dict[str, Json]:
    """JSON's lists as the tuples that frozen records hold."""
    return {name: tuple(value) if isinstance(value, list) else value for name, value in record.items()}
