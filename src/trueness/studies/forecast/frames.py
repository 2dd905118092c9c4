"""The tables of a forecast study, what each column means, and which rows a chart or table shows.

    claims   one row a claimed interval: KEYS, level, low, high, median, status, flags
    scores   one row a claim at its own level against the runs: KEYS, level, low, high, status, one column a score
    replies  one row a reply: KEYS without `measure`, status, message, prompt (the text asked), text, seconds, ...

KEYS = dataset, learner, measure, then the arms (formulation, names, metadata, definition, target), respondent, repeat.
A claim that could not be read has a row with its status and no numbers. The `quantiles` formulation has one claims row
a level (.5, .8, .95) and its median beside each; the other formulations one row at .95 (`direct` and `steps` do not
name the level to the model; .95 is what the original protocol takes them for).

The headline rows are those of the main arm at the study's level. The main arm is the one that the plan names first
(names, metadata, definition, target), however many claims others have; formulation is kept as a factor and never
averaged away. References answer once, whatever the prompt says, so they belong to every arm.
"""

from __future__ import annotations

from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass, field, replace
from functools import cached_property
from typing import TypedDict

import numpy as np
import pandas as pd
from numpy.random import Generator
from numpy.typing import NDArray

from trueness.intervals import Interval
from trueness.outside import Json
from trueness.reading.expected import MEASURES as MEASURES
from trueness.statistics.runs import range_note, summarise_columns
from trueness.status import Status

ARMS = ("formulation", "names", "metadata", "definition", "target")
CELL = ("dataset", "learner")
KEYS = (*CELL, "measure", *ARMS, "respondent", "repeat")
CLAIM_COLUMNS = (*KEYS, "level", "low", "high", "median", "status", "flags")
REPLY_COLUMNS = (
    *CELL, *ARMS, "respondent", "repeat", "status", "message", "prompt", "text", "model", "seconds", "cost",
    "input_tokens", "output_tokens", "cached_tokens",
)  # fmt: skip
ITEM = (*CELL, "measure", *ARMS)  # what is asked
REPLY = (*CELL, *ARMS, "respondent", "repeat")

ORIGINAL = ("original-direct", "original-steps", "original-interval")  # word for word as the original protocol's
FORMULATIONS = ("direct", "steps", "interval", "quantiles", *ORIGINAL)
REFERENCE = "reference"  # the formulation of who was not asked
NAMES = ("named", "anonymised", "renamed")
METADATA = ("sparse", "diagnostic", "full")
DEFINITION = ("told", "untold")  # whether the prompt says how the measures are defined
TARGETS = ("run", "mean")
LEVELS = (0.5, 0.8, 0.95)  # of `quantiles` and of the references
RANDOM = "baseline/random"  # scored in closed form: its ranges are expectations, no claims

_FIXED_ARMS = tuple(arm for arm in ARMS if arm != "formulation")
_TRUTH = (
    "truth_mean", "truth_low", "truth_high", "ci_low", "ci_high", "truth_resolution", "truth_upper", "truth_runs",
)  # fmt: skip
_UNSEEN = ("-", "")  # the arm of a reference, which sees no prompt


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


Question = tuple[str, str, str]  # data set, learner, measure
Ends = tuple[float | None, float | None, float | None]  # low, high, median
Truths = Mapping[Question, Truth]


def reference_claim(
    question: Sequence[str],
    respondent: str,
    target: str,
    level: float,
    ends: Ends,
    status: Status,
    flags: str = "",
) -> dict[str, Json]:
    """CLAIM_COLUMNS of one claim of who sees no prompt."""
    prompt = (REFERENCE, "-", "-", "-", target)
    numbers = (np.nan if end is None else end for end in ends)
    values = (*question, *prompt, respondent, 0, level, *numbers, str(status), flags)
    return dict(zip(CLAIM_COLUMNS, values, strict=True))


def with_intervals(
    truths: Truths, level: float = 0.95, *, rng: Generator, resamples: int = 10_000
) -> dict[Question, Truth]:
    """The same truths with `mean_ci` and `run_range` taken from their runs, one bootstrap for all."""
    longest = max((len(truth.runs) for truth in truths.values()), default=0)
    if not longest:
        return dict(truths)
    table = np.full((longest, len(truths)), np.nan)
    for column, truth in enumerate(truths.values()):
        table[: len(truth.runs), column] = truth.runs
    summaries = summarise_columns(table, level=level, resamples=resamples, rng=rng)
    return {
        key: replace(truth, mean_ci=summary.ci, run_range=summary.runs)
        for (key, truth), summary in zip(truths.items(), summaries, strict=True)
    }


@dataclass(frozen=True, eq=False)
class Forecasts:
    """A forecast study as tables; what is found of them is found once, and not to be changed."""

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

    # ---- which rows

    @cached_property
    def main_arm(self) -> dict[str, str]:
        """The plan's first arm; in tables that know no plan that of the first claim of a model."""
        claims = self.of_models(self.scores)
        claims = claims if len(claims) else self.scores
        first = {arm: str(claims[arm].iloc[0]) for arm in _FIXED_ARMS} if len(claims) else {}
        return first | {arm: value for arm, value in self.arm.items() if arm in _FIXED_ARMS}

    def in_main_arm(self, frame: pd.DataFrame) -> pd.DataFrame:
        """The rows of the main arm; a reference that has none there keeps the rows it has."""
        inside = pd.Series(True, index=frame.index)
        for arm, value in self.main_arm.items():
            inside &= frame[arm].astype(str).isin((value, *_UNSEEN))
        present = set(frame.loc[inside, "respondent"].unique())
        elsewhere = [name for name in self.references if name not in present]
        return frame[inside | frame["respondent"].isin(elsewhere)]

    @cached_property
    def all_arms(self) -> pd.DataFrame:
        """The claims at the study's own level, one row an answer, with what the runs showed beside them."""
        scores = self.scores
        rows = scores[np.isclose(scores["level"].astype(float), self.level)].copy() if len(scores) else scores.copy()
        rows["midpoint"] = (rows["low"] + rows["high"]) / 2
        rows["answered"] = rows["low"].notna()
        rows["hit"] = hits_of(rows).where(rows["answered"])
        return rows.merge(self.truth_frame, how="left", on=[*CELL, "measure"], validate="many_to_one")

    @cached_property
    def headline(self) -> pd.DataFrame:
        """Of `all_arms` those of the plan's first arm, which every table and test is about unless it compares arms."""
        return self.in_main_arm(self.all_arms)

    def answers(self, who: Iterable[str], measure: str | None = None) -> pd.DataFrame:
        """The headline rows of some respondents in which they gave a range."""
        rows = self.headline
        rows = rows[rows["answered"] & rows["respondent"].isin(list(who))]
        return rows if measure is None else rows[rows["measure"] == measure]

    def of_models(self, frame: pd.DataFrame) -> pd.DataFrame:
        return frame[~frame["respondent"].isin(self.references)]

    @cached_property
    def truth_frame(self) -> pd.DataFrame:
        """One row a truth: mean, range of the runs, CI of the mean, resolution, largest value, runs with a value."""
        rows = [
            (*key, t.mean, *ends_of(t.run_range), *ends_of(t.mean_ci), t.resolution, t.upper, len(t.runs))
            for key, t in self.truths.items()
        ]
        return pd.DataFrame(rows, columns=[*CELL, "measure", *_TRUTH])

    # ---- whose, of what, in which order

    @cached_property
    def respondents(self) -> list[str]:
        """Models by name, then references by name."""
        names = set(self.scores["respondent"].unique()) | set(self.references)
        return sorted(names, key=lambda name: (name in self.references, name))

    @cached_property
    def as_scored(self) -> tuple[str, ...]:
        """Everybody who answered or was asked, in the order of the scores."""
        return tuple(str(name) for name in pd.unique(self.scores["respondent"]))

    @property
    def models(self) -> tuple[str, ...]:
        """The respondents that are neither a baseline nor a human."""
        return tuple(name for name in self.as_scored if name not in self.references)

    @property
    def claimants(self) -> tuple[str, ...]:
        """All whose ranges are claims; those of baseline/random are expectations."""
        return tuple(name for name in self.as_scored if name != RANDOM)

    @cached_property
    def dataset_names(self) -> list[str]:
        """In the order of the plan."""
        names = {dataset for dataset, _, _ in self.truths} | set(self.scores["dataset"].unique())
        return in_order(names, list(self.datasets))

    @cached_property
    def learner_names(self) -> list[str]:
        """In the order of the plan."""
        names = {learner for _, learner, _ in self.truths} | set(self.scores["learner"].unique())
        return in_order(names, list(self.learners))

    @cached_property
    def measures(self) -> list[str]:
        return in_order(self.scores["measure"].unique(), MEASURES)

    @cached_property
    def items(self) -> list[tuple[str, str]]:
        """(data set, learner) pairs that were measured or asked about, in the order of the charts."""
        known = {key[:2] for key in self.truths} | set(zip(self.scores["dataset"], self.scores["learner"], strict=True))
        return [(d, a) for d in self.dataset_names for a in self.learner_names if (d, a) in known]

    # ---- in words

    @property
    def arm_text(self) -> str:
        """For a caption: under which arm the models were asked."""
        arms = ", ".join(f"{arm} {value}" for arm, value in self.main_arm.items() if value)
        return f"Asked with {arms}." if arms else ""

    @property
    def percent(self) -> str:
        """The study's level: `95 %`."""
        return f"{100 * self.level:g} %"

    @property
    def range_note(self) -> str:
        """What the measured ranges hold, where they are of few runs."""
        return range_note((len(truth.runs) for truth in self.truths.values()), self.level)


def hits_of(scores: pd.DataFrame) -> pd.Series:
    """The share of what a claim speaks of that it covers: of the runs, or (target `mean`) the mean, 0 or 1."""
    of_mean = scores["target"].astype(str) == "mean"
    return scores["covers_mean"].astype(float).where(of_mean, scores["coverage_runs"].astype(float))


def formulations(frame: pd.DataFrame) -> list[str]:
    return in_order(frame["formulation"].unique(), FORMULATIONS)


def ends_of(interval: Interval | None) -> tuple[float, float]:
    return (interval.low, interval.high) if interval else (np.nan, np.nan)


def in_order(names: Iterable[str], order: Sequence[str]) -> list[str]:
    """The names that the order knows first, then the others by the alphabet."""
    present = {str(name) for name in names if name is not None and name == name}
    return [name for name in order if name in present] + sorted(present - set(order))
