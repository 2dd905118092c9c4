"""Can the judge be believed? Agreement with itself, with another judge, with execution.

An item is one question: (problem, probe, node), and for logic one of its five dimensions. Items are clustered by
problem. Ratings are 0..4 (`holds` is 0 or 4).

    test-retest     Krippendorff's alpha (ordinal) and AC1 over the repeats of one judge
    between judges  alpha over all judges (mean of repeats, rounded), quadratically weighted kappa and AC1 a pair
    execution       share of nodes on which the judge and the executed graph agree; AC1 and, where both vary, kappa

A judge that always says the same has no alpha (there is nothing to disagree about): a warning says so. What people's
labels, positions and lengths say of a judge, `trueness judge faithfulness/verdicts.csv` tells.
"""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass, field, replace
from itertools import combinations
from typing import Literal, NamedTuple

import numpy as np
from numpy.typing import NDArray

from trueness.reading.verdicts import TOP
from trueness.showing.finding import Finding, finding
from trueness.statistics import (
    Estimate,
    gwet_ac1,
    krippendorff_alpha,
    share,
    weighted_kappa,
)
from trueness.statistics.result import Result
from trueness.studies.faithfulness.known_groups import group_of
from trueness.studies.faithfulness.probes import Judgement
from trueness.studies.faithfulness.scores import Evaluation

ONE_SIDED = 0.95  # share of one rating from which a judge says nothing but that
FEW = 5  # ratings below which one cannot speak of always
UNRELIABLE = 0.667  # Krippendorff's limit for tentative conclusions


class Item(NamedTuple):
    problem: str
    kind: str
    node: str
    dimension: str = ""


Ratings = dict[Item, dict[tuple[str, int], float]]  # item -> (judge, repeat) -> rating


@dataclass(frozen=True)
class Reliability:
    """All that was found, each an Estimate or Comparison with its interval, and warnings in sentences."""

    retest: Mapping[str, Mapping[str, Estimate]] = field(default_factory=dict)  # judge -> alpha, ac1, alpha logic, ...
    between: Mapping[str, Estimate] = field(default_factory=dict)  # alpha, kappa A and B, alpha logic, ...
    execution: Mapping[str, Mapping[str, Estimate]] = field(default_factory=dict)  # judge -> share, kappa
    readable: Mapping[str, Estimate] = field(default_factory=dict)  # judge -> share of replies with a verdict
    warnings: tuple[str, ...] = ()

    def to_dict(self) -> dict[str, object]:
        parts = ("retest", "between", "execution", "readable")
        return {name: _rows(getattr(self, name)) for name in parts} | {"warnings": list(self.warnings)}

    def sentences(self) -> list[str]:
        sentences = [finding(estimate) for estimate in self.readable.values()]
        for judge, estimates in self.retest.items():
            sentences += [finding(estimate, f"{judge} with itself, {name}: ") for name, estimate in estimates.items()]
        sentences += [finding(estimate, f"Between judges, {name}: ") for name, estimate in self.between.items()]
        for judge, estimates in self.execution.items():
            sentences += [finding(one, f"{judge} against the executed graphs: ") for one in estimates.values()]
        return [*sentences, *self.warnings]


def _rows(results: Mapping[str, object]) -> dict[str, object]:
    return {
        name: result.row() if isinstance(result, Result) else _rows(result)  # type: ignore[arg-type]
        for name, result in results.items()
    }


def reliability(
    judgements: Sequence[Judgement],
    evaluations: Iterable[Evaluation] = (),
    *,
    level: float = 0.95,
) -> Reliability:
    judges = list(dict.fromkeys(judgement.judge for judgement in judgements))
    table = ratings(judgements)
    agreement = _Agreement(table, level)
    executed = {
        Item(evaluation.problem, kind, node.node): node.executed >= 0.5
        for evaluation in evaluations
        for kind, nodes in evaluation.nodes.items()
        for node in nodes
        if node.executed is not None
    }
    retest = {judge: alike for judge in judges if (alike := agreement.retest(judge))}
    between = agreement.between(judges)
    against = {judge: both for judge in judges if (both := agreement.execution(judge, executed))}
    readable = {judge: _readable(judgements, judge, level) for judge in judges}
    warnings = [*_constant_judges(table, judges), *_weak_alphas(retest, between)]
    if against and len(set(executed.values())) == 1:
        warnings.append(
            "The executed graphs say the same of every node: a judge that always says so agrees. Add corrupt = true."
        )
    if judgements and not any(judgement.repeat for judgement in judgements):
        once = "Each judge was asked once: how far it agrees with itself is not known. Set repeats = 2."
        warnings.append(Finding(once, open=True))
    warnings += [f"{judge} gave no verdict that can be read." for judge in judges if readable[judge].value == 0]
    return Reliability(retest, between, against, readable, tuple(warnings))


# ---- ratings


def ratings(judgements: Iterable[Judgement]) -> Ratings:
    """Every readable rating: item -> (judge, repeat) -> 0..4."""
    table: Ratings = {}
    for judgement in judgements:
        verdict, probe = judgement.verdict, judgement.probe
        values = dict(verdict.ratings) if verdict.status == "ok" else {}
        if verdict.rating is not None:
            values[""] = verdict.rating
        if verdict.holds is not None:
            values[""] = TOP * float(verdict.holds)
        for dimension, value in values.items():
            item = Item(judgement.problem, probe.kind, probe.node, dimension)
            table.setdefault(item, {})[judgement.judge, judgement.repeat] = value
    return table


def _averages(table: Ratings) -> dict[Item, float]:
    return {item: sum(values.values()) / len(values) for item, values in table.items() if values}


def _of_judge(table: Ratings, judge: str) -> Ratings:
    return {item: {rater: v for rater, v in values.items() if rater[0] == judge} for item, values in table.items()}


def _clusters(items: Iterable[Item]) -> list[str]:
    """A problem and its damaged copies are one."""
    return [group_of(item.problem)[0] for item in items]


def _by_kind(table: Ratings) -> dict[str, Ratings]:
    """All items as "", then each kind: kinds that are rated differently make the agreement over all look good."""
    kinds = dict.fromkeys(item.kind for item in table)
    parts = {f" {kind}": {item: v for item, v in table.items() if item.kind == kind} for kind in kinds}
    return {"": table, **parts}


# ---- agreement


@dataclass(frozen=True)
class _Agreement:
    """Agreement over a table of ratings, each figure with its interval."""

    table: Ratings
    level: float

    def retest(self, judge: str) -> dict[str, Estimate]:
        of_judge = {item: values for item, values in _of_judge(self.table, judge).items() if values}
        raters = sorted({rater for values in of_judge.values() for rater in values})
        if len(raters) < 2:
            return {}
        estimates = {}
        for kind, part in _by_kind(of_judge).items():
            matrix = np.array([[part[item].get(rater, np.nan) for item in part] for rater in raters])
            estimates[f"alpha{kind}"] = self._alpha(matrix, part)
            estimates[f"ac1{kind}"] = self._ac1(matrix, part)
        return _without_kinds_alone(estimates)

    def between(self, judges: Sequence[str]) -> dict[str, Estimate]:
        if len(judges) < 2:
            return {}
        means = [self._rounded_means(judge) for judge in judges]
        estimates = {}
        for kind, part in _by_kind(self.table).items():
            matrix = np.array([[mean.get(item, np.nan) for item in part] for mean in means])
            estimates[f"alpha{kind}"] = self._alpha(matrix, part)
            for a, b in combinations(range(len(judges)), 2):
                pair = f"{kind} {judges[a]} and {judges[b]}"
                estimates[f"kappa{pair}"] = self._kappa(matrix[a], matrix[b], "quadratic", part)
                estimates[f"ac1{pair}"] = self._ac1(matrix[[a, b]], part)
        return _without_kinds_alone(estimates)

    def execution(self, judge: str, executed: Mapping[Item, bool]) -> dict[str, Estimate]:
        """A rating of 2 or more says that the node matters; `holds` says that the known is recovered."""
        means = {item: mean for item, mean in self._rounded_means(judge).items() if item in executed}
        if not means:
            return {}
        judged = np.array([float(mean >= TOP / 2) for mean in means.values()])
        true = np.array([float(executed[item]) for item in means])
        alike, name = (judged == true).astype(np.float64), "share of nodes on which they agree"
        estimates = {
            "share": share(alike, _clusters(means), self.level, name=name),
            "ac1": self._ac1(np.vstack([judged, true]), means, categories=2),
        }
        if len(np.unique(true)) > 1 and len(np.unique(judged)) > 1:  # where one never varies kappa is 0 in any case
            estimates["kappa"] = self._kappa(judged, true, "none", means)
        return estimates

    def _rounded_means(self, judge: str) -> dict[Item, float]:
        """The mean over repeats, as a rating."""
        return {item: float(np.rint(mean)) for item, mean in _averages(_of_judge(self.table, judge)).items()}

    def _alpha(self, matrix: NDArray[np.float64], items: Iterable[Item]) -> Estimate:
        return krippendorff_alpha(matrix, "ordinal", _clusters(items), self.level)

    def _ac1(self, matrix: NDArray[np.float64], items: Iterable[Item], categories: int = 0) -> Estimate:
        """The categories are those of the scale, or more where points of the original were read."""
        categories = categories or max(TOP + 1, len(np.unique(matrix[~np.isnan(matrix)])))
        return gwet_ac1(matrix, _clusters(items), self.level, categories=categories)

    def _kappa(
        self,
        one: NDArray[np.float64],
        other: NDArray[np.float64],
        weights: Literal["quadratic", "none"],
        items: Iterable[Item],
    ) -> Estimate:
        return weighted_kappa(one, other, weights, _clusters(items), self.level)


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


def _readable(judgements: Sequence[Judgement], judge: str, level: float) -> Estimate:
    mine = [one for one in judgements if one.judge == judge]
    read = [float(one.verdict.status == "ok") for one in mine]
    problems = [group_of(one.problem)[0] for one in mine]
    return share(read, problems, level, name=f"share of readable verdicts of {judge}")


# ---- what must be said of a judge before its ratings are used


def _constant_judges(table: Ratings, judges: Sequence[str]) -> list[str]:
    """A judge that gives one rating to everything of a kind, whatever it is asked."""
    warnings: list[str] = []
    for judge in judges:
        for kind in dict.fromkeys(item.kind for item in table):
            of_kind = _of_judge({item: values for item, values in table.items() if item.kind == kind}, judge)
            counts = Counter(value for values in of_kind.values() for value in values.values())
            if counts.total() < FEW:
                continue
            value, count = counts.most_common(1)[0]
            if count / counts.total() >= ONE_SIDED:
                word = {4.0: " (critical)" if kind == "intervention" else "", 0.0: " (none)"}.get(value, "")
                warning = (
                    f"{judge} gives {value:g}{word} to {count} of {counts.total()} questions on {kind}: "
                    "its agreement says nothing, and its ratings carry no information."
                )
                warnings.append(Finding(warning, open=True))
    return warnings


def _weak_alphas(retest: Mapping[str, Mapping[str, Estimate]], between: Mapping[str, Estimate]) -> list[str]:
    groups = [*((f"{judge} with itself", estimates) for judge, estimates in retest.items())]
    return [
        f"Agreement {who}{name.removeprefix('alpha').replace(' ', ' on ', 1)} is alpha {one.value:.2f}, below "
        f"{UNRELIABLE}: do not rest conclusions on it."
        for who, estimates in [*groups, ("between the judges", between)]
        for name, one in estimates.items()
        if name.startswith("alpha") and one.value is not None and one.value < UNRELIABLE
    ]
