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
from trueness.intervals import Distribution
from trueness.outside import Unpacker
from trueness.studies.population.questions import Card, Level, Population, Question, Variable

Array = NDArray[np.float64]
Design = Literal["cells", "clusters", "replicates", "model"]
_STEPS = 65_535
_TIMES = 10  # what draws unpack to: they have noise, and pack to a half
_ARRAYS = ("probs", "weights", "rows", "kish", "n_eff")
_COUNTS = ("n_data", "n_outside", "n_missing", "n_unlisted")


@dataclass(frozen=True, eq=False)
class Truth:
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

    @property
    def levels(self) -> tuple[str, ...]:
        return self.question.levels

    @property
    def ordinal(self) -> bool:
        return self.question.outcome.ordinal

    @cached_property
    def marginal(self) -> Array:
        """(L,): P(V1) over the conditions that are kept."""
        return np.asarray(self.weights @ self.probs)

    @property
    def design_effect(self) -> Array:
        """(C,): how many times more rows than a simple random sample this survey needs."""
        return np.asarray(self.rows / self.n_eff)

    def distribution(self, condition: str) -> Distribution:
        c = self.conditions.index(condition)
        return Distribution(self.levels, tuple(self.probs[c].tolist()), float(self.n_eff[c]))

    def distributions(self) -> dict[str, Distribution]:
        return {condition: self.distribution(condition) for condition in self.conditions}


def truth_to_dict(truth: Truth) -> dict[str, Any]:
    question = asdict(truth.question)
    del question["folder"]  # a path of this machine
    shares = np.rint(truth.draws * _STEPS).astype("<u2")
    return {
        "question": question,
        "conditions": list(truth.conditions),
        **{name: getattr(truth, name).tolist() for name in _ARRAYS},
        "draws": {
            "shape": list(shares.shape),
            "data": base64.b64encode(zlib.compress(shares.tobytes(), 6)).decode("ascii"),
        },
        "design": truth.design,
        "thin": dict(truth.thin),
        **{name: getattr(truth, name) for name in _COUNTS},
    }


def truths_from_dicts(found: Mapping[str, Any]) -> dict[str, Truth]:
    """All truths of a store, which are unpacked within one limit."""
    unpacker = Unpacker(_TIMES)
    return {name: truth_from_dict(one, unpacker) for name, one in found.items()}


def truth_from_dict(found: Mapping[str, Any], unpacker: Unpacker | None = None) -> Truth:
    kept: dict[str, Any] = {name: np.array(found[name], dtype=np.float64) for name in _ARRAYS}
    kept |= {name: found[name] for name in _COUNTS}
    packed = base64.b64decode(found["draws"]["data"])
    shares = np.frombuffer(
        (unpacker or Unpacker(_TIMES)).inflated(packed, "the draws of a truth", StoreError), dtype="<u2"
    )
    return Truth(
        question=question_from_dict(found["question"]),
        conditions=tuple(found["conditions"]),
        draws=shares.reshape(found["draws"]["shape"]) / _STEPS,
        design=found["design"],
        thin=found["thin"],
        **kept,
    )


def question_from_dict(found: Mapping[str, Any]) -> Question:
    rest = {name: value for name, value in found.items() if name not in ("outcome", "given", "population", "card")}
    for name in ("modes", "replicate_weights"):
        rest[name] = tuple(rest[name])
    population = dict(found["population"])
    population["ages"] = None if population["ages"] is None else tuple(population["ages"])
    return Question(
        outcome=_variable(found["outcome"]),
        given=tuple(_variable(variable) for variable in found["given"]),
        population=Population(**population),
        card=Card(**found["card"]),
        **rest,
    )


def _variable(found: Mapping[str, Any]) -> Variable:
    levels = tuple(Level(level["name"], tuple(level["spellings"]), tuple(level["values"])) for level in found["levels"])
    return Variable(**dict(found) | {"levels": levels, "bins": tuple(found["bins"])})
