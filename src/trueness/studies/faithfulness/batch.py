"""Many problems: average, bounds, agreement with execution; and two methods compared problem by problem.

average_cf = mean over the problems whose cf has a value;   bounds: mean of all lower and of all upper bounds

The interval is over problems: t, cut to [0, 1]; Wilson's where all values are the same, since t has no width then.
"""

from __future__ import annotations

from collections import Counter
from collections.abc import Mapping
from dataclasses import dataclass, field

import numpy as np
from numpy.typing import NDArray

from trueness.errors import DataError
from trueness.statistics import Comparison, Estimate, mean, paired_difference, share
from trueness.studies.faithfulness.judge_reliability import Reliability
from trueness.studies.faithfulness.judging import Judgement
from trueness.studies.faithfulness.known_groups import value_array
from trueness.studies.faithfulness.scores import COMPONENTS, Evaluation, band

Floats = NDArray[np.float64]


@dataclass(frozen=True)
class Batch:
    """The evaluations of a set of problems, with what the judges said and how far they can be believed."""

    evaluations: tuple[Evaluation, ...]
    judgements: tuple[Judgement, ...] = ()
    reliability: Reliability | None = None
    level: float = 0.95
    notes: tuple[str, ...] = field(default_factory=tuple)

    @property
    def scores(self) -> list[float | None]:
        return [evaluation.cf for evaluation in self.evaluations]

    def average(self) -> Estimate:
        """Of the complete cases, with an interval over problems."""
        return mean_in_scale(value_array(self.scores), self.level, "cf")

    def bounds(self) -> tuple[float, float] | None:
        """What the average could be, whatever the missing parts are."""
        if not self.evaluations:
            return None
        ends = np.array([evaluation.bounds for evaluation in self.evaluations]).mean(axis=0)
        return float(ends[0]), float(ends[1])

    def component(self, name: str) -> Estimate:
        return mean_in_scale(value_array([e.components[name].value for e in self.evaluations]), self.level, name)

    def to_dict(self) -> dict[str, object]:
        """The original's batch report with our fields added; a score that is missing is null."""
        there = [score for score in self.scores if score is not None]
        average = self.average()
        return {
            "average_cf": average.value,
            "individual_scores": self.scores,
            "total_problems": len(self.evaluations),
            "summary": {
                "min": min(there) if there else None,
                "max": max(there) if there else None,
                "avg": average.value,
            },
            "complete": len(there),
            "average": average.row(),
            "average_bounds": self.bounds(),
            "band": None if average.value is None else band(average.value),
            "components": {name: self.component(name).row() for name in COMPONENTS},
            "statuses": dict(Counter(str(evaluation.status) for evaluation in self.evaluations)),
            "reliability": None if self.reliability is None else self.reliability.to_dict(),
            "notes": list(self.notes),
            "detailed_reports": [evaluation.to_dict() for evaluation in self.evaluations],
        }


def compare(one: Batch, other: Batch, names: tuple[str, str] = ("one", "other"), measure: str = "cf") -> Comparison:
    """Two methods on the same problems, paired; `measure` is cf or a component."""
    left, right = (_by_problem(batch, measure) for batch in (one, other))
    both = [problem for problem in left if problem in right]
    if not both:
        raise DataError("two batches must share problems (by id) to be compared, got none.")
    a, b = ([values[problem] for problem in both] for values in (left, right))
    return paired_difference(value_array(a), value_array(b), names=names, level=one.level)


def mean_in_scale(values: Floats, level: float, name: str) -> Estimate:
    """t within [0, 1]; where all values are the same, Wilson's interval of a share, which has a width there too."""
    estimate = mean(values, level=level, name=name, bounds=(0.0, 1.0))
    return share(values, level=level, name=name) if estimate.interval is None else estimate


def _by_problem(batch: Batch, measure: str) -> Mapping[str, float | None]:
    if measure == "cf":
        return {evaluation.problem: evaluation.cf for evaluation in batch.evaluations}
    if measure not in COMPONENTS:
        raise DataError(f"'measure' must be cf or one of {', '.join(COMPONENTS)}, got {measure!r}.")
    return {evaluation.problem: evaluation.components[measure].value for evaluation in batch.evaluations}
