"""Can the judge be believed? Agreement with itself, with another judge, with execution, and what should not matter.

items: (problem, probe, dimension), clustered by problem. Ratings 0..4 (`holds` is 0 or 4).

    test-retest     Krippendorff's alpha (ordinal) and AC1 over the repeats of one judge
    between judges  alpha over all judges (mean of repeats, rounded), quadratically weighted kappa and AC1 a pair
    execution       share of nodes on which the judge and the executed graph agree; AC1 and, where both vary, kappa
    position        rating with the graph listed forwards minus backwards, paired
    verbosity       logic rating with padding minus without, paired
    correction      prediction-powered mean, where people labelled some items

A judge that always says the same has no alpha (there is nothing to disagree about): a warning says so.
"""

from __future__ import annotations

from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass, field, replace
from itertools import combinations

import numpy as np
from numpy.typing import NDArray

from trueness.reading.verdicts import TOP
from trueness.showing.finding import Finding, finding
from trueness.statistics import (
    Comparison,
    Estimate,
    gwet_ac1,
    krippendorff_alpha,
    paired_difference,
    share,
    weighted_kappa,
)
from trueness.statistics.result import Cell, Result
from trueness.studies.faithfulness.human_labels import correct_by_labels
from trueness.studies.faithfulness.judge_warnings import UNRELIABLE, constant_judges, family_overlap, weak_agreement
from trueness.studies.faithfulness.judging import Judgement
from trueness.studies.faithfulness.known_groups import group_of
from trueness.studies.faithfulness.ratings import (
    Item,
    Table,
    averages,
    clusters_of,
    executed_answers,
    ratings,
    rounded_means,
)
from trueness.studies.faithfulness.scores import Evaluation


@dataclass(frozen=True)
class Reliability:
    """All that was found, each an Estimate or Comparison with its interval, and warnings in sentences."""

    retest: Mapping[str, Mapping[str, Estimate]] = field(default_factory=dict)  # judge -> alpha, ac1, alpha logic, ...
    between: Mapping[str, Estimate] = field(default_factory=dict)  # alpha, kappa A and B, alpha logic, ...
    execution: Mapping[str, Mapping[str, Estimate]] = field(default_factory=dict)  # judge -> share, kappa
    effects: Mapping[str, Mapping[str, Comparison]] = field(default_factory=dict)  # judge -> position, verbosity
    corrected: Mapping[str, Estimate] = field(default_factory=dict)  # kind -> prediction-powered mean
    readable: Mapping[str, Estimate] = field(default_factory=dict)  # judge -> share of replies with a verdict
    warnings: tuple[str, ...] = ()

    def to_dict(self) -> dict[str, object]:
        return {
            "retest": {judge: _rows(estimates) for judge, estimates in self.retest.items()},
            "between": _rows(self.between),
            "execution": {judge: _rows(estimates) for judge, estimates in self.execution.items()},
            "effects": {judge: _rows(results) for judge, results in self.effects.items()},
            "corrected": _rows(self.corrected),
            "readable": _rows(self.readable),
            "warnings": list(self.warnings),
        }

    def sentences(self) -> list[str]:
        sentences = [finding(estimate) for estimate in self.readable.values()]
        for judge, estimates in self.retest.items():
            sentences += [finding(estimate, f"{judge} with itself, {name}: ") for name, estimate in estimates.items()]
        sentences += [finding(estimate, f"Between judges, {name}: ") for name, estimate in self.between.items()]
        for judge, estimates in self.execution.items():
            sentences += [finding(one, f"{judge} against the executed graphs: ") for one in estimates.values()]
        for judge, results in self.effects.items():
            sentences += [finding(result, f"{judge}, {name}: ") for name, result in results.items()]
        return [*sentences, *(finding(estimate) for estimate in self.corrected.values()), *self.warnings]


def _rows(results: Mapping[str, Result]) -> dict[str, dict[str, Cell]]:
    return {name: result.row() for name, result in results.items()}


def reliability(
    judgements: Sequence[Judgement],
    evaluations: Iterable[Evaluation] = (),
    *,
    evaluated: Sequence[str] = (),
    labels: Mapping[Item, float] | None = None,
    level: float = 0.95,
) -> Reliability:
    """evaluated: names of the models whose reasoning was judged. labels: what people said, 0..4."""
    judges = list(dict.fromkeys(judgement.judge for judgement in judgements))
    plain = ratings(judgements, "plain")
    executed = executed_answers(evaluations)
    retest = {judge: alike for judge in judges if (alike := _retest(plain, judge, level))}
    between = _between(plain, judges, level)
    against = {judge: both for judge in judges if (both := _execution(plain, judge, executed, level))}
    effects = {judge: moved for judge in judges if (moved := _effects(judgements, judge, level))}
    warnings = [*constant_judges(plain, judges), *family_overlap(judges, evaluated), *weak_agreement(retest, between)]
    if against and len(set(executed.values())) == 1:
        warnings.append(
            "The executed graphs say the same of every node: a judge that always says so agrees. Add corrupt = true."
        )
    if judgements and not any(judgement.repeat for judgement in judgements):
        once = "Each judge was asked once: how far it agrees with itself is not known. Set repeats = 2."
        warnings.append(Finding(once, open=True))
    readable = _readable(judgements, level)
    warnings += [f"{judge} gave no verdict that can be read." for judge in judges if readable[judge].value == 0]
    return Reliability(
        retest, between, against, effects, correct_by_labels(plain, labels or {}, level), readable,
        tuple(warnings),
    )  # fmt: skip


def _matrix(table: Table, raters: Sequence[tuple[str, int]]) -> NDArray[np.float64]:
    return np.array([[table[item].get(rater, np.nan) for item in table] for rater in raters], dtype=np.float64)


def _retest(table: Table, judge: str, level: float) -> dict[str, Estimate]:
    by_item = {item: {rater: v for rater, v in values.items() if rater[0] == judge} for item, values in table.items()}
    of_judge = {item: values for item, values in by_item.items() if values}
    raters = sorted({rater for values in of_judge.values() for rater in values})
    if len(raters) < 2:
        return {}
    estimates = {}
    for kind, part in _by_kind(of_judge).items():
        matrix, problems = _matrix(part, raters), clusters_of(part)
        estimates[f"alpha{kind}"] = krippendorff_alpha(matrix, "ordinal", problems, level)
        estimates[f"ac1{kind}"] = gwet_ac1(matrix, problems, level, categories=_categories(matrix))
    return _without_kinds_alone(estimates)


def _without_kinds_alone(estimates: dict[str, Estimate]) -> dict[str, Estimate]:
    """Where no kind has an alpha worth the name and all together do, ratings differ between kinds only: no alpha."""
    apart = [estimate.value for name, estimate in estimates.items() if name.startswith("alpha ")]
    over_all = estimates["alpha"].value
    if len(apart) < 2 or over_all is None or over_all < UNRELIABLE:
        return estimates
    if any(value is not None and value >= UNRELIABLE for value in apart):
        return estimates
    note = "Ratings differ between kinds of question and hardly within one: see each kind."
    return estimates | {"alpha": replace(estimates["alpha"], value=None, interval=None, notes=(note,))}


def _by_kind(table: Table) -> dict[str, Table]:
    """All items as "", then each kind: kinds that are rated differently make the agreement over all look good."""
    kinds = dict.fromkeys(item.kind for item in table)
    parts = {f" {kind}": {item: v for item, v in table.items() if item.kind == kind} for kind in kinds}
    return {"": table, **parts}


def _between(table: Table, judges: Sequence[str], level: float) -> dict[str, Estimate]:
    if len(judges) < 2:
        return {}
    means = {judge: rounded_means(table, judge) for judge in judges}
    estimates = {}
    for kind, part in _by_kind(table).items():
        matrix = np.array([[means[judge].get(item, np.nan) for item in part] for judge in judges])
        problems = clusters_of(part)
        estimates[f"alpha{kind}"] = krippendorff_alpha(matrix, "ordinal", problems, level)
        for a, b in combinations(range(len(judges)), 2):
            pair, both = f"{judges[a]} and {judges[b]}", matrix[[a, b]]
            estimates[f"kappa{kind} {pair}"] = weighted_kappa(both[0], both[1], "quadratic", problems, level)
            estimates[f"ac1{kind} {pair}"] = gwet_ac1(both, problems, level, categories=_categories(both))
    return _without_kinds_alone(estimates)


def _categories(matrix: NDArray[np.float64]) -> int:
    """Those of the scale, or more where points of the original were read."""
    return max(TOP + 1, len(np.unique(matrix[~np.isnan(matrix)])))


def _execution(table: Table, judge: str, executed: Mapping[Item, bool], level: float) -> dict[str, Estimate]:
    """A rating of 2 or more says that the node matters; `holds` says that the known is recovered."""
    means = rounded_means(table, judge)
    both = [item for item in means if item in executed]
    if not both:
        return {}
    judged = np.array([float(means[item] >= TOP / 2) for item in both])
    true = np.array([float(executed[item]) for item in both])
    problems = clusters_of(both)
    estimates = {
        "share": share((judged == true).astype(np.float64), problems, level, name="share of nodes on which they agree"),
        "ac1": gwet_ac1(np.vstack([judged, true]), problems, level, categories=2),
    }
    if len(np.unique(true)) > 1 and len(np.unique(judged)) > 1:  # where one never varies kappa is 0 whatever they say
        estimates["kappa"] = weighted_kappa(judged, true, "none", problems, level)
    return estimates


def _effects(judgements: Sequence[Judgement], judge: str, level: float) -> dict[str, Comparison]:
    of_judge = [judgement for judgement in judgements if judgement.judge == judge]
    plain = averages(ratings(of_judge, "plain"))
    effects: dict[str, Comparison] = {}
    for name, manner, words in (("position", "reversed", "listed backwards"), ("verbosity", "padded", "padded")):
        other = averages(ratings(of_judge, manner))  # type: ignore[arg-type]
        both = [item for item in other if item in plain]
        if both:
            a, b = ([values[item] for item in both] for values in (other, plain))
            effects[name] = paired_difference(a, b, clusters_of(both), level, names=(words, "plain"))
    return effects


def _readable(judgements: Sequence[Judgement], level: float) -> dict[str, Estimate]:
    readable: dict[str, list[float]] = {}
    problems: dict[str, list[str]] = {}
    for judgement in judgements:
        readable.setdefault(judgement.judge, []).append(float(judgement.verdict.status == "ok"))
        problems.setdefault(judgement.judge, []).append(group_of(judgement.problem)[0])
    return {
        judge: share(values, problems[judge], level, name=f"share of readable verdicts of {judge}")
        for judge, values in readable.items()
    }
