"""Which rows a chart or table shows, decided in one place and said in its caption.

The headline rows are those of the main arm at the study's level. The main arm is the one that the plan names first
(names, metadata, definition, target), however many claims others have; formulation is kept as a factor and never
averaged away. References answer once, whatever the prompt says, so they belong to every arm.
"""

from __future__ import annotations

from collections.abc import Callable, Iterable, Sequence
from functools import wraps
from typing import TypeVar
from weakref import WeakKeyDictionary

import numpy as np
import pandas as pd

from trueness.intervals import Interval
from trueness.status import Status
from trueness.studies.forecast.forecast_frames import ARMS, CELL, FORMULATIONS, MEASURES, Forecasts

FIXED_ARMS = tuple(arm for arm in ARMS if arm != "formulation")
_TRUTH = (
    "truth_mean", "truth_low", "truth_high", "ci_low", "ci_high", "truth_resolution", "truth_upper", "truth_runs",
)  # fmt: skip
UNSEEN = ("-", "")  # the arm of a reference, which sees no prompt

Value = TypeVar("Value")


def once(find: Callable[[Forecasts], Value]) -> Callable[[Forecasts], Value]:
    """Found once a study, for as long as its tables live: every chart and every table asks. Not to be changed."""
    known: WeakKeyDictionary[Forecasts, Value] = WeakKeyDictionary()

    @wraps(find)
    def lookup(forecasts: Forecasts) -> Value:
        if forecasts not in known:
            known[forecasts] = find(forecasts)
        return known[forecasts]

    return lookup


@once
def main_arm(forecasts: Forecasts) -> dict[str, str]:
    """The plan's first arm; in tables that know no plan that of the first claim of a model."""
    scores = forecasts.scores
    claims = scores[~scores["respondent"].isin(forecasts.references)]
    claims = claims if len(claims) else scores
    first = {arm: str(claims[arm].iloc[0]) for arm in FIXED_ARMS} if len(claims) else {}
    return first | {arm: value for arm, value in forecasts.arm.items() if arm in FIXED_ARMS}


def in_main_arm(forecasts: Forecasts, frame: pd.DataFrame) -> pd.DataFrame:
    """The rows of the main arm; a reference that has none there keeps the rows it has."""
    inside = pd.Series(True, index=frame.index)
    for arm, value in main_arm(forecasts).items():
        inside &= frame[arm].astype(str).isin((value, *UNSEEN))
    present = set(frame.loc[inside, "respondent"].unique())
    elsewhere = [name for name in forecasts.references if name not in present]
    return frame[inside | frame["respondent"].isin(elsewhere)]


def arm_text(forecasts: Forecasts) -> str:
    """For a caption: under which arm the models were asked."""
    arms = ", ".join(f"{arm} {value}" for arm, value in main_arm(forecasts).items() if value)
    return f"Asked with {arms}." if arms else ""


@once
def headline(forecasts: Forecasts) -> pd.DataFrame:
    """Of `all_arms` those of the plan's first arm, which every table and test is about unless it compares arms."""
    return in_main_arm(forecasts, all_arms(forecasts))


@once
def all_arms(forecasts: Forecasts) -> pd.DataFrame:
    """The claims at the study's own level, one row an answer, with what the runs showed beside them.

    `hit`: the share of what the claim speaks of that it covers: of the runs, or (target `mean`) the mean, 0 or 1.
    """
    scores = forecasts.scores
    rows = scores[np.isclose(scores["level"].astype(float), forecasts.level)].copy() if len(scores) else scores.copy()
    rows["midpoint"] = (rows["low"] + rows["high"]) / 2
    rows["answered"] = rows["low"].notna() & rows["high"].notna()
    of_mean = rows["target"].eq("mean").to_numpy()
    hit = np.where(of_mean, rows["covers_mean"].astype(float), rows["coverage_runs"].astype(float))
    rows["hit"] = np.where(rows["answered"], hit, np.nan)
    truth = truth_frame(forecasts)
    return rows.merge(truth, how="left", on=[*CELL, "measure"], validate="many_to_one")


def truth_frame(forecasts: Forecasts) -> pd.DataFrame:
    """One row a truth: mean, range of the runs, CI of the mean, resolution, largest value, runs with a value."""
    rows = [
        (*key, t.mean, *ends_of(t.run_range), *ends_of(t.mean_ci), t.resolution, t.upper, len(t.runs))
        for key, t in forecasts.truths.items()
    ]
    return pd.DataFrame(rows, columns=[*CELL, "measure", *_TRUTH])


def ends_of(interval: Interval | None) -> tuple[float, float]:
    return (interval.low, interval.high) if interval else (np.nan, np.nan)


def respondents(forecasts: Forecasts) -> list[str]:
    """Models by name, then references by name."""
    names = set(forecasts.scores["respondent"].unique()) | set(forecasts.references)
    return sorted(names, key=lambda name: (name in forecasts.references, name))


def best(forecasts: Forecasts, most: int) -> list[str]:
    """At most so many respondents, those with the lowest scaled interval score; models before references.

    A respondent without a score comes last, and is not left out while there is room.
    """
    names = respondents(forecasts)
    score = headline(forecasts).groupby("respondent")["interval_score_scaled"].mean()
    ranked = sorted(names, key=lambda name: (name in forecasts.references, _last(score.get(name)), name))
    kept = set(ranked[:most])
    return [name for name in names if name in kept]


def datasets(forecasts: Forecasts) -> list[str]:
    """In the order of the plan."""
    names = {dataset for dataset, _, _ in forecasts.truths} | set(forecasts.scores["dataset"].unique())
    return in_order(names, list(forecasts.datasets))


def learners(forecasts: Forecasts) -> list[str]:
    """In the order of the plan."""
    names = {learner for _, learner, _ in forecasts.truths} | set(forecasts.scores["learner"].unique())
    return in_order(names, list(forecasts.learners))


def measures(forecasts: Forecasts) -> list[str]:
    return in_order(forecasts.scores["measure"].unique(), MEASURES)


def formulations(frame: pd.DataFrame) -> list[str]:
    return in_order(frame["formulation"].unique(), FORMULATIONS)


def items(forecasts: Forecasts) -> list[tuple[str, str]]:
    """(data set, learner) pairs that were measured or asked about, in the order of the charts."""
    known = {(d, a) for d, a, _ in forecasts.truths}
    pairs = forecasts.scores[["dataset", "learner"]].drop_duplicates()
    known |= set(zip(pairs["dataset"], pairs["learner"], strict=True))
    in_turn = learners(forecasts)
    return [(d, a) for d in datasets(forecasts) for a in in_turn if (d, a) in known]


def is_answered(frame: pd.DataFrame) -> pd.Series:
    return frame["status"].astype(str).isin((Status.OK, Status.DEGENERATE)) & frame["low"].notna()


def in_order(names: Iterable[str], order: Sequence[str]) -> list[str]:
    """The names that the order knows first, then the others by the alphabet."""
    present = {str(name) for name in names if name is not None and name == name}
    return [name for name in order if name in present] + sorted(present - set(order))


def _last(value: float | None) -> float:
    return float("inf") if value is None or np.isnan(value) else float(value)
