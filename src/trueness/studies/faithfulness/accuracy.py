"""Is a higher score a right answer? Each measure against whether the answer is right, and both by method and file.

    AUC = P(score of a right answer > that of a wrong one) + P(equal)/2;    rho: Spearman's, score against right (1, 0)

Over the problems that say whether their answer is right (`correct`, `expected`) and have a value in the measure; the
same text asked of several methods is one cluster. A measure whose interval holds .5 is uninformative: it says nothing
about whether an answer is right.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass

import numpy as np

from trueness.intervals import fixed, value_text
from trueness.showing.finding import Finding
from trueness.statistics import Estimate, auc, rank_correlation, share
from trueness.studies.faithfulness.batch import mean_in_scale
from trueness.studies.faithfulness.known_groups import MEASURES, value_array
from trueness.studies.faithfulness.scores import COMPONENTS, Evaluation

GIVEN = "as given"  # the graphs of the problem files
HELD_OUT = Finding(
    "The executable score is not shown to tell right from wrong answers on real graphs. Of 1,254 held-out graphs that "
    "models wrote 11.6 % could be executed; its AUC for a right answer was 0.45 [0.40, 0.52] (0.5 is chance).",
    open=True,
)


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
    labelled = [(evaluation, evaluation.correct) for evaluation in evaluations if evaluation.correct is not None]
    criteria = []
    for name, measure in MEASURES.items():
        if name == "graph_original" and all(measure(e) == e.components["graph_quality"].value for e, _ in labelled):
            continue
        known = [(value, right, _text(e)) for e, right in labelled if (value := measure(e)) is not None]
        if known:
            criteria.append(_criterion(name, known, len(labelled) - len(known), level))
    return criteria


def _criterion(name: str, known: Sequence[tuple[float, bool, str]], n_missing: int, level: float) -> Criterion:
    scores, right = np.array([value for value, _, _ in known]), np.array([correct for _, correct, _ in known])
    texts = np.array([text for _, _, text in known], dtype=object)
    groups = list(texts[right]), list(texts[~right])
    area = auc(scores[right], scores[~right], groups, level, name=f"AUC of {name}")
    rho = rank_correlation(scores, right.astype(np.float64), list(texts), level=level)
    return Criterion(name, area, rho, int(right.sum()), int((~right).sum()), n_missing)


@dataclass(frozen=True)
class InformedScore:
    """cf of the parts that are informative of right answers, beside the original's over all of them."""

    counted: tuple[str, ...]
    left_out: tuple[tuple[str, str], ...]  # part, and why
    ours: Estimate
    original: Estimate

    def finding(self) -> Finding:
        why = ", ".join(f"{name} ({verdict})" for name, verdict in self.left_out)
        formula = "cf by the original's formula averages all its parts"
        if not self.left_out:
            return Finding(f"{formula}, and all of them are informative of right answers.")
        if not self.counted:
            return Finding(
                f"{formula}, and none of them is known to be informative of right answers: {why}.", open=True
            )
        value = self.ours.value
        shown = "no value" if value is None else value_text(value, self.ours.interval, fixed(2))
        over = f"Over {', '.join(self.counted)} alone it is {shown}"
        counts = f"{self.ours.n} problems; parts chosen by the same answers; no test"
        return Finding(f"{formula}; not informative of right answers: {why}. {over} ({counts}).")


def informed_score(
    criteria: Sequence[Criterion], evaluations: Sequence[Evaluation], level: float = 0.95
) -> InformedScore | None:
    """cf of these evaluations, by the criteria that are printed beside it; nothing where there are none: no answer is
    known to be right or wrong, and no part to be informative."""
    verdicts = {one.measure: one.verdict for one in criteria}
    weighted = [name for name in COMPONENTS if any(e.weights.get(name, 0.0) > 0 for e in evaluations)]
    if not verdicts:
        return None
    counted = tuple(name for name in weighted if verdicts.get(name) == "informative")
    left = tuple((name, verdicts.get(name, "no value")) for name in weighted if name not in counted)
    ours = mean_in_scale(value_array([_over(evaluation, counted) for evaluation in evaluations]), level, "cf, ours")
    return InformedScore(counted, left, ours, mean_in_scale(value_array([e.cf for e in evaluations]), level, "cf"))


def _over(evaluation: Evaluation, names: Sequence[str]) -> float | None:
    """The weighted mean of these parts; missing where one of them is."""
    parts = [(evaluation.weights[name], evaluation.components[name].value) for name in names]
    if not parts or any(value is None for _, value in parts):
        return None
    return sum(weight * value for weight, value in parts if value is not None) / sum(weight for weight, _ in parts)


def method_rows(evaluations: Mapping[str, Sequence[Evaluation]], level: float = 0.95) -> list[dict[str, object]]:
    """cf, components and right answers of each method and file. evaluations: method -> what it made; "as given" are
    the graphs of the files, whose problems may name their own method."""
    groups: dict[tuple[str, str], list[Evaluation]] = {}
    for method, made in evaluations.items():
        for evaluation in made:
            stated = evaluation.of.method if evaluation.of and method == GIVEN else ""
            file = evaluation.of.source if evaluation.of else ""
            groups.setdefault((stated or method, file), []).append(evaluation)
    return [{"method": m, "file": f, **_method_row(group, level)} for (m, f), group in groups.items()]


def _method_row(group: Sequence[Evaluation], level: float) -> dict[str, object]:
    texts = [_text(evaluation) for evaluation in group if evaluation.correct is not None]
    right = [float(evaluation.correct) for evaluation in group if evaluation.correct is not None]
    cf = mean_in_scale(value_array([evaluation.cf for evaluation in group]), level, "cf")
    low, high = np.array([evaluation.bounds for evaluation in group]).mean(axis=0).tolist()
    row: dict[str, object] = {"of": len(group), "n": cf.n, **cf.cells("cf"), "bounds_low": low, "bounds_high": high}
    for name in COMPONENTS:
        part = mean_in_scale(value_array([e.components[name].value for e in group]), level, name)
        row |= part.cells(name) | {f"{name}_n": part.n}
    return row | share(right, texts, level, name="right answers").cells("right") | {"labelled": len(right)}


def clustered_by(evaluations: Sequence[Evaluation]) -> str:
    """What the clusters of the labelled answers really are, for a caption."""
    labelled = [evaluation for evaluation in evaluations if evaluation.correct is not None]
    bare = sum(not (evaluation.of and evaluation.of.text) for evaluation in labelled)
    if bare == len(labelled):
        return "over entries (none has a text of its problem, by which they could be clustered)"
    without = f"; {bare} entries without a text are each a cluster of their own" if bare else ""
    return f"clustered by the text of the problem ({len(set(map(_text, labelled)))} clusters{without})"


def _text(evaluation: Evaluation) -> str:
    """The same text asked of several methods is one problem."""
    return evaluation.of.text if evaluation.of and evaluation.of.text else evaluation.problem
