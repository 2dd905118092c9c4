"""Is a higher score a right answer? Each measure against whether the answer is right, and both by method and file.

    AUC = P(score of a right answer > that of a wrong one) + P(equal)/2;    rho: Spearman's, score against right (1, 0)

Over the problems that say whether their answer is right (`correct`, `expected`) and have a value in the measure; the
same text asked of several methods is one cluster. A measure whose interval holds .5 is uninformative: it says nothing
about whether an answer is right.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from typing import Any

import numpy as np

from trueness.showing.finding import Finding
from trueness.statistics import Estimate, rank_correlation, share
from trueness.studies.faithfulness.batch import interval_ends, mean_in_scale
from trueness.studies.faithfulness.known_groups import MEASURES, auc_of, value_array
from trueness.studies.faithfulness.scores import COMPONENTS, Evaluation

GIVEN = "as given"  # the graphs of the problem files


@dataclass(frozen=True)
class Criterion:
    """One measure against right answers."""

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

    def row(self) -> dict[str, Any]:
        counts = {"n_right": self.n_right, "n_wrong": self.n_wrong, "n_missing": self.n_missing}
        return {"measure": self.measure, **counts, **_cells("auc", self.auc), **_cells("rho", self.rho)} | {
            "verdict": self.verdict
        }

    def finding(self) -> Finding:
        counts = f"{self.n_right} right, {self.n_wrong} wrong answers, {self.n_missing} without a value"
        if self.auc.value is None or self.auc.interval is None:
            told = f"Whether {self.measure} tells right from wrong answers is not known ({counts})."
            return Finding(told, open=True)
        ends = self.auc.interval
        shown = f"AUC {self.auc.value:.2f} [{ends.low:.2f}, {ends.high:.2f}]"
        return Finding(f"{self.measure} is {self.verdict} of right answers: {shown} ({counts}; no test).")


def against_accuracy(evaluations: Sequence[Evaluation], level: float = 0.95) -> list[Criterion]:
    """Every measure that has a value; nothing where no answer is known to be right or wrong."""
    labelled = [(evaluation, evaluation.correct) for evaluation in evaluations if evaluation.correct is not None]
    criteria = []
    for name, measure in MEASURES.items():
        known = [(value, right, _text(e)) for e, right in labelled if (value := measure(e)) is not None]
        if known:
            criteria.append(_criterion(name, known, len(labelled) - len(known), level))
    return criteria


def _criterion(name: str, known: Sequence[tuple[float, bool, str]], n_missing: int, level: float) -> Criterion:
    scores, right = np.array([value for value, _, _ in known]), np.array([correct for _, correct, _ in known])
    texts = np.array([text for _, _, text in known], dtype=object)
    auc = auc_of(scores[right], scores[~right], (list(texts[right]), list(texts[~right])), level, name)
    rho = rank_correlation(scores, right.astype(np.float64), list(texts), level=level)
    return Criterion(name, auc, rho, int(right.sum()), int((~right).sum()), n_missing)


def method_rows(evaluations: Mapping[str, Sequence[Evaluation]], level: float = 0.95) -> list[dict[str, Any]]:
    """cf, components and right answers of each method and file. evaluations: method -> what it made; "as given" are
    the graphs of the files, whose problems may name their own method."""
    groups: dict[tuple[str, str], list[Evaluation]] = {}
    for method, made in evaluations.items():
        for evaluation in made:
            own = evaluation.of.method if evaluation.of and method == GIVEN else ""
            groups.setdefault((own or method, evaluation.of.source if evaluation.of else ""), []).append(evaluation)
    return [{"method": m, "file": f, **_method_row(group, level)} for (m, f), group in groups.items()]


def _method_row(group: Sequence[Evaluation], level: float) -> dict[str, Any]:
    texts = [_text(evaluation) for evaluation in group if evaluation.correct is not None]
    right = [float(evaluation.correct) for evaluation in group if evaluation.correct is not None]
    cf = mean_in_scale(value_array([evaluation.cf for evaluation in group]), level, "cf")
    low, high = np.array([evaluation.bounds for evaluation in group]).mean(axis=0).tolist()
    row: dict[str, Any] = {"of": len(group), "n": cf.n, **_cells("cf", cf), "bounds_low": low, "bounds_high": high}
    for name in COMPONENTS:
        part = mean_in_scale(value_array([e.components[name].value for e in group]), level, name)
        row |= _cells(name, part) | {f"{name}_n": part.n}
    return row | _cells("right", share(right, texts, level, name="right answers")) | {"labelled": len(right)}


def _text(evaluation: Evaluation) -> str:
    """The same text asked of several methods is one problem."""
    return evaluation.of.text if evaluation.of and evaluation.of.text else evaluation.problem


def _cells(key: str, estimate: Estimate) -> dict[str, float | None]:
    low, high = interval_ends(estimate)
    return {key: estimate.value, f"{key}_low": low, f"{key}_high": high}
