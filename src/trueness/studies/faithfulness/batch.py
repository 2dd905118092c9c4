"""Many problems: average and bounds, two methods compared, by method and file, and each measure against right answers.

    average_cf = mean over the problems whose cf has a value;   bounds: mean of all lower and of all upper bounds
    AUC = P(score of a right answer > that of a wrong one) + P(equal)/2;    rho: Spearman's, score against right (1, 0)

Intervals are over problems: t, cut to [0, 1]; Wilson's where all values are the same, since t has no width then. Right
answers: over the problems that say whether theirs is right (`correct`, `expected`) and have a value in the measure; the
same text asked of several methods is one cluster. A measure whose interval holds .5 is uninformative: it says nothing
about whether an answer is right.
"""

from __future__ import annotations

from collections import Counter
from collections.abc import Mapping, Sequence
from dataclasses import dataclass

import numpy as np

from trueness.errors import DataError
from trueness.showing.summary import Finding
from trueness.statistics import Comparison, Estimate, auc, mean, paired_difference, rank_correlation, share
from trueness.studies.faithfulness.judge_reliability import Reliability
from trueness.studies.faithfulness.known_groups import measures_with_values, value_array
from trueness.studies.faithfulness.probes import Judgement
from trueness.studies.faithfulness.scores import COMPONENTS, Evaluation, band_of

GIVEN = "as given"  # the graphs of the problem files
HELD_OUT = Finding(
    "The executable score is not shown to tell right from wrong answers on real graphs. Of 1,254 held-out graphs that "
    "models wrote 11.6 % could be executed; its AUC for a right answer was 0.45 [0.40, 0.52] (0.5 is chance).",
    open=True,
)


@dataclass(frozen=True)
class Batch:
    """The evaluations of a set of problems, with what the judges said and how far they can be believed."""

    evaluations: tuple[Evaluation, ...]
    judgements: tuple[Judgement, ...] = ()
    reliability: Reliability | None = None
    level: float = 0.95

    @property
    def scores(self) -> list[float | None]:
        return [evaluation.cf for evaluation in self.evaluations]

    def average(self) -> Estimate:
        """Of the complete cases, with an interval over problems."""
        return self.mean_of("cf")

    def mean_of(self, measure: str) -> Estimate:
        """Of cf or a component."""
        return mean_in_scale([evaluation.value(measure) for evaluation in self.evaluations], self.level, measure)

    def bounds(self, measure: str = "cf") -> tuple[float, float] | None:
        """What the average could be, whatever the missing parts are."""
        if not self.evaluations:
            return None
        ends = [e.bounds if measure == "cf" else e.components[measure].bounds for e in self.evaluations]
        low, high = np.array(ends).mean(axis=0).tolist()
        return low, high

    def to_dict(self) -> dict[str, object]:
        """The original's batch report with our fields added; a score that is missing is null."""
        there = [score for score in self.scores if score is not None]
        average, least, most = self.average(), min(there, default=None), max(there, default=None)
        return {
            "average_cf": average.value,
            "individual_scores": self.scores,
            "total_problems": len(self.evaluations),
            "summary": {"min": least, "max": most, "avg": average.value},
            "complete": len(there),
            "average": average.row(),
            "average_bounds": self.bounds(),
            "band": band_of(average.value)[0],
            "components": {name: self.mean_of(name).row() for name in COMPONENTS},
            "statuses": dict(Counter(str(evaluation.status) for evaluation in self.evaluations)),
            "reliability": None if self.reliability is None else self.reliability.to_dict(),
            "notes": [],
            "detailed_reports": [evaluation.to_dict() for evaluation in self.evaluations],
        }


def mean_in_scale(values: Sequence[float | None], level: float, name: str) -> Estimate:
    """t within [0, 1]; where all values are the same, Wilson's interval of a share, which has a width there too."""
    array = value_array(values)
    estimate = mean(array, level=level, name=name, bounds=(0.0, 1.0))
    return share(array, level=level, name=name) if estimate.interval is None else estimate


def compare(one: Batch, other: Batch, names: tuple[str, str] = ("one", "other"), measure: str = "cf") -> Comparison:
    """Two methods on the same problems, paired; `measure` is cf or a component."""
    if measure not in ("cf", *COMPONENTS):
        raise DataError(f"'measure' must be cf or one of {', '.join(COMPONENTS)}, got {measure!r}.")
    left, right = ({e.problem: e.value(measure) for e in batch.evaluations} for batch in (one, other))
    both = [problem for problem in left if problem in right]
    if not both:
        raise DataError("two batches must share problems (by id) to be compared, got none.")
    a, b = (value_array([values[problem] for problem in both]) for values in (left, right))
    return paired_difference(a, b, names=names, level=one.level)


def method_rows(evaluations: Mapping[str, Sequence[Evaluation]], level: float = 0.95) -> list[dict[str, object]]:
    """cf, components and right answers of each method and file. evaluations: method -> what it made; "as given" are
    the graphs of the files, whose problems may name their own method."""
    groups: dict[tuple[str, str], list[Evaluation]] = {}
    for method, made in evaluations.items():
        for evaluation in made:
            stated = evaluation.method if method == GIVEN else ""
            groups.setdefault((stated or method, evaluation.file), []).append(evaluation)
    rows = []
    for (method, file), group in groups.items():
        batch = Batch(tuple(group), level=level)
        cf, (low, high) = batch.average(), batch.bounds() or (0.0, 1.0)
        row: dict[str, object] = {"method": method, "file": file, "of": len(group), "n": cf.n, **cf.cells("cf")}
        row |= {"bounds_low": low, "bounds_high": high}
        for name in COMPONENTS:
            part = batch.mean_of(name)
            row |= part.cells(name) | {f"{name}_n": part.n}
        labelled = [evaluation for evaluation in group if evaluation.correct is not None]
        texts = [evaluation.text for evaluation in labelled]
        right = share([float(bool(e.correct)) for e in labelled], texts, level, name="right answers")
        rows.append(row | right.cells("right") | {"labelled": len(labelled)})
    return rows


# ---- against right answers


@dataclass(frozen=True)
class Criterion:
    """One measure against right answers; its verdict is not known where too few are right or wrong (statistics.auc)."""

    measure: str
    auc: Estimate
    rho: Estimate
    n_right: int
    n_wrong: int
    n_missing: int  # answers known to be right or wrong, without a value in the measure

    @property
    def verdict(self) -> str:
        ends = self.auc.interval
        if ends is None:
            return "not known"
        if ends.low > 0.5:
            return "informative"
        return "misleading" if ends.high < 0.5 else "uninformative"

    def row(self) -> dict[str, object]:
        counts = {"n_right": self.n_right, "n_wrong": self.n_wrong, "n_missing": self.n_missing}
        estimates = self.auc.cells("auc") | self.rho.cells("rho")
        return {"measure": self.measure, **counts, **estimates, "verdict": self.verdict}

    def finding(self) -> Finding:
        counts = f"{self.n_right} right, {self.n_wrong} wrong answers, {self.n_missing} without a value"
        if self.auc.value is None or self.auc.interval is None:
            why = "".join(f"; {note.rstrip('.')}" for note in self.auc.notes if "clusters" in note)
            text = f"Whether {self.measure} tells right from wrong answers is not known ({counts}{why})."
            return Finding(text, open=True)
        ends = self.auc.interval
        shown = f"AUC {self.auc.value:.2f} [{ends.low:.2f}, {ends.high:.2f}]"
        return Finding(f"{self.measure} is {self.verdict} of right answers: {shown} ({counts}; no test).")


def against_accuracy(evaluations: Sequence[Evaluation], level: float = 0.95) -> list[Criterion]:
    """Every measure that has a value; nothing where no answer is known to be right or wrong."""
    labelled = [evaluation for evaluation in evaluations if evaluation.correct is not None]
    right = np.array([bool(evaluation.correct) for evaluation in labelled])
    texts = np.array([evaluation.text for evaluation in labelled], dtype=object)
    criteria = []
    for name, values in measures_with_values(labelled).items():
        known = ~np.isnan(values)
        is_right, is_wrong = known & right, known & ~right
        groups = list(texts[is_right]), list(texts[is_wrong])
        area = auc(values[is_right], values[is_wrong], groups, level, name=f"AUC of {name}")
        rho = rank_correlation(values[known], right[known].astype(np.float64), list(texts[known]), level=level)
        criteria.append(Criterion(name, area, rho, int(is_right.sum()), int(is_wrong.sum()), int((~known).sum())))
    return criteria


def clustered_by(evaluations: Sequence[Evaluation]) -> str:
    """What the clusters of the labelled answers really are, for a caption."""
    labelled = [evaluation for evaluation in evaluations if evaluation.correct is not None]
    bare = sum(not (evaluation.of and evaluation.of.text) for evaluation in labelled)
    if bare == len(labelled):
        return "over entries (none has a text of its problem, by which they could be clustered)"
    without = f"; {bare} entries without a text are each a cluster of their own" if bare else ""
    return f"clustered by the text of the problem ({len({one.text for one in labelled})} clusters{without})"
