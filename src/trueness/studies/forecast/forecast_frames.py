"""The tables of a forecast study, and what each column means.

    claims   one row a claimed interval: KEYS, level, low, high, median, status, flags
    scores   one row a claim at its own level against the runs: KEYS, level, low, high, status, one column a score
    replies  one row a reply: KEYS without `measure`, status, message, prompt (the text asked), text, seconds, ...

KEYS = dataset, learner, measure, then the arms (formulation, names, metadata, definition, target), respondent, repeat.
A claim that could not be read has a row with its status and no numbers. The `quantiles` formulation has one claims row
a level (.5, .8, .95) and its median beside each; the other formulations one row at .95 (`direct` and `steps` do not
name the level to the model; .95 is what the original protocol takes them for).
"""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass, field
from functools import cached_property
from typing import TypedDict

import numpy as np
import pandas as pd
from numpy.typing import NDArray

from trueness.intervals import Interval
from trueness.outside import Json
from trueness.reading.expected import MEASURES as MEASURES

ARMS = ("formulation", "names", "metadata", "definition", "target")
CELL = ("dataset", "learner")
KEYS = (*CELL, "measure", *ARMS, "respondent", "repeat")
CLAIM_COLUMNS = (*KEYS, "level", "low", "high", "median", "status", "flags")
REPLY_COLUMNS = (
    *CELL, *ARMS, "respondent", "repeat", "status", "message", "prompt", "text", "model", "seconds", "cost",
    "input_tokens", "output_tokens", "cached_tokens",
)  # fmt: skip

ORIGINAL = ("original-direct", "original-steps", "original-interval")  # word for word as the original protocol's
FORMULATIONS = ("direct", "steps", "interval", "quantiles", *ORIGINAL)
REFERENCE = "reference"  # the formulation of who was not asked
NAMES = ("named", "anonymised", "renamed")
METADATA = ("sparse", "diagnostic", "full")
DEFINITION = ("told", "untold")  # whether the prompt says how the measures are defined
TARGETS = ("run", "mean")
LEVELS = (0.5, 0.8, 0.95)  # of `quantiles` and of the references


class DatasetAbout(TypedDict, total=False):
    nodes: int
    edges: int
    density: float
    rows: int
    data: str
    truth: str
    domain: str
    atlas: Json  # learner -> measure -> target -> quantiles


class LearnerAbout(TypedDict, total=False):
    title: str
    base: str
    returns: str
    family: str
    assumes: list[str]
    breaks: dict[str, list[str]]  # data set -> assumptions


class ClaimRow(TypedDict):
    """CLAIM_COLUMNS of one claim."""

    dataset: str
    learner: str
    measure: str
    formulation: str
    names: str
    metadata: str
    definition: str
    target: str
    respondent: str
    repeat: int
    level: float
    low: float
    high: float
    median: float
    status: str
    flags: str


@dataclass(frozen=True, eq=False)
class Truth:
    """What the runs of one learner on one data set showed for one measure."""

    dataset: str
    learner: str
    measure: str
    runs: NDArray[np.float64]  # (n,) values of the runs that have one
    planned: int  # runs that were asked for; len(runs) of them have a value
    mean_ci: Interval | None  # of="mean": bootstrap interval of the mean
    run_range: Interval | None  # of="run": 2.5 to 97.5 % range of the runs
    resolution: float  # the smallest step the measure can take: 1/|E| for precision, recall and F1, 1 for SHD
    upper: float  # the largest value there can be: 1, or d(d-1)/2 for SHD

    @cached_property
    def mean(self) -> float:
        if self.degenerate:
            return float(self.runs[0])  # the rounded mean of equal numbers may lie beside them
        return float(self.runs.mean()) if len(self.runs) else float("nan")

    @cached_property
    def spread(self) -> NDArray[np.float64]:
        """101 quantiles as shares of `upper`, which stand for the cell where one with more runs must not weigh more."""
        return np.asarray(np.quantile(self.runs, (np.arange(101) + 0.5) / 101) / self.upper, dtype=np.float64)

    @property
    def degenerate(self) -> bool:
        """All runs gave one value: a ratio of widths has no meaning."""
        return len(self.runs) > 0 and bool((self.runs == self.runs[0]).all())


Truths = Mapping[tuple[str, str, str], Truth]  # (dataset, learner, measure) -> Truth


@dataclass(frozen=True, eq=False)
class Forecasts:
    """A forecast study as tables."""

    study: str
    seed: int
    level: float
    truths: Truths
    claims: pd.DataFrame
    scores: pd.DataFrame
    replies: pd.DataFrame
    datasets: Mapping[str, DatasetAbout]
    learners: Mapping[str, LearnerAbout]
    references: tuple[str, ...] = ()  # which respondents are baselines or humans
    arm: Mapping[str, str] = field(default_factory=dict)  # the plan's first: the headline of every table
    notes: Mapping[str, Json] = field(default_factory=dict)
