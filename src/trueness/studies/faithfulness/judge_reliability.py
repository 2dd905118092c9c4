"""Can the judge be believed? Agreement with itself, with another judge, with execution.

An item is one question: (problem, probe, node), and for logic one of its five dimensions. Items are clustered by
problem. Ratings are 0..4 (`holds` is 0 or 4).

    test-retest     Krippendorff's alpha (ordinal) and AC1 over the repeats of one judge
    between judges  alpha over all judges (mean of repeats, rounded), quadratically weighted kappa and AC1 a pair
    execution       share of nodes on which the judge and the executed graph agree; AC1 and, where both vary, kappa

A judge that always says the same has no alpha (there is nothing to disagree about): a warning says so. What people's
labels say of a judge, `trueness judge faithfulness/verdicts.csv` tells.
"""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass, replace
from itertools import combinations
from typing import Literal, NamedTuple

import numpy as np
from numpy.typing import NDArray

from trueness.reading.verdicts import TOP
from trueness.showing.summary import Finding, finding
from trueness.statistics import (
    Estimate,
    gwet_ac1,
    krippendorff_alpha,
    share,
    weighted_kappa,
)
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
class Figure:
    """A figure of a judge, of a pair of judges, or ("") of all."""

    group: Literal["readable", "retest", "between", "execution"]
    judge: str
    name: Literal["", "alpha", "ac1", "kappa", "share"]
    estimate: Estimate

    @property
    def key(self) -> str:
        """Its name among those of its judge, or of all judges."""
        return " ".join(filter(None, (self.name, self.judge if self.group == "between" else "")))

    def finding(self) -> Finding:
        before = {
            "readable": "", "retest": f"{self.judge} with itself, {self.key}: ",
            "between": f"Between judges, {self.key}: ", "execution": f"{self.judge} against the executed graphs: ",
        }  # fmt: skip
        return finding(self.estimate, before[self.group])


@dataclass(frozen=True)
class Reliability:
    """All that was found, each an Estimate with its interval, and warnings in sentences."""

    figures: tuple[Figure, ...] = ()
    warnings: tuple[str, ...] = ()

    @property
    def retest(self) -> dict[str, dict[str, Estimate]]:
        """Judge -> alpha, ac1"""
        return self._by_judge("retest")

    @property
    def between(self) -> dict[str, Estimate]:
        """alpha, kappa A and B, ac1 A and B"""
        return {one.key: one.estimate for one in self.figures if one.group == "between"}

    @property
    def execution(self) -> dict[str, dict[str, Estimate]]:
        """Judge -> share, ac1, kappa"""
        return self._by_judge("execution")

    @property
    def readable(self) -> dict[str, Estimate]:
        """Judge -> share of replies with a verdict"""
        return {one.judge: one.estimate for one in self.figures if one.group == "readable"}

    def _by_judge(self, group: str) -> dict[str, dict[str, Estimate]]:
        judges: dict[str, dict[str, Estimate]] = {one.judge: {} for one in self.figures if one.group == group}
        for one in self.figures:
            if one.group == group:
                judges[one.judge][one.key] = one.estimate
        return judges

    def to_dict(self) -> dict[str, object]:
        parts = {name: getattr(self, name) for name in ("retest", "between", "execution", "readable")}
        return {name: _rows(part) for name, part in parts.items()} | {"warnings": list(self.warnings)}

    def sentences(self) -> list[str]:
        return [*(one.finding() for one in self.figures), *self.warnings]


def _rows(part: Mapping[str, Estimate | Mapping[str, Estimate]]) -> dict[str, object]:
    return {name: one.row() if isinstance(one, Estimate) else _rows(one) for name, one in part.items()}


def reliability(
    judgements: Sequence[Judgement], evaluations: Iterable[Evaluation] = (), *, level: float = 0.95
) -> Reliability:
    """All figures of the judges that said these; evaluations: for what execution says of the same nodes."""
    judges = list(dict.fromkeys(judgement.judge for judgement in judgements))
    table = ratings(judgements)
    executed = {
        Item(evaluation.problem, kind, node.node): node.executed >= 0.5
        for evaluation in evaluations
        for kind, nodes in evaluation.nodes.items()
        for node in nodes
        if node.executed is not None
    }
    readable = [_readable(judgements, judge, level) for judge in judges]
    retest = [one for judge in judges for one in _retest(_of_judge(table, judge), judge, level)]
    between = _between(table, judges, level)
    against = [one for judge in judges for one in _execution(table, judge, executed, level)]
    warnings = [*_constant_judges(table, judges), *_weak_alphas([*retest, *between])]
    if against and len(set(executed.values())) == 1:
        warnings.append(
            "The executed graphs say the same of every node: a judge that always says so agrees. Add corrupt = true."
        )
    if judgements and not any(judgement.repeat for judgement in judgements):
        once = "Each judge was asked once: how far it agrees with itself is not known. Set repeats = 2."
        warnings.append(Finding(once, open=True))
    warnings += [f"{one.judge} gave no verdict that can be read." for one in readable if one.estimate.value == 0]
    return Reliability((*readable, *retest, *between, *against), tuple(warnings))


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


def _of_judge(table: Ratings, judge: str) -> Ratings:
    """The items that it rated, with its own ratings."""
    said = {item: {rater: v for rater, v in values.items() if rater[0] == judge} for item, values in table.items()}
    return {item: values for item, values in said.items() if values}


def _rounded_means(table: Ratings, judge: str) -> dict[Item, float]:
    """The mean over repeats, as a rating."""
    mine = _of_judge(table, judge).items()
    return {item: float(np.rint(sum(values.values()) / len(values))) for item, values in mine}


def _clusters(items: Iterable[Item]) -> list[str]:
    """A problem and its damaged copies are one."""
    return [group_of(item.problem)[0] for item in items]


# ---- agreement


def _readable(judgements: Sequence[Judgement], judge: str, level: float) -> Figure:
    mine = [one for one in judgements if one.judge == judge]
    read, problems = [float(one.verdict.status == "ok") for one in mine], [group_of(one.problem)[0] for one in mine]
    estimate = share(read, problems, level, name=f"share of readable verdicts of {judge}")
    return Figure("readable", judge, "", estimate)


def _retest(table: Ratings, judge: str, level: float) -> list[Figure]:
    raters = sorted({rater for values in table.values() for rater in values})
    if len(raters) < 2:
        return []
    matrix = np.array([[values.get(rater, np.nan) for values in table.values()] for rater in raters])
    alpha, ac1 = _alpha(matrix, table, level), _ac1(matrix, _clusters(table), level)
    return [Figure("retest", judge, "alpha", alpha), Figure("retest", judge, "ac1", ac1)]


def _between(table: Ratings, judges: Sequence[str], level: float) -> list[Figure]:
    if len(judges) < 2:
        return []
    means, clusters = [_rounded_means(table, judge) for judge in judges], _clusters(table)
    matrix = np.array([[mean.get(item, np.nan) for item in table] for mean in means])
    figures = [Figure("between", "", "alpha", _alpha(matrix, table, level))]
    for a, b in combinations(range(len(judges)), 2):
        pair, kappa = f"{judges[a]} and {judges[b]}", weighted_kappa(matrix[a], matrix[b], "quadratic", clusters, level)
        figures.append(Figure("between", pair, "kappa", kappa))
        figures.append(Figure("between", pair, "ac1", _ac1(matrix[[a, b]], clusters, level)))
    return figures


def _execution(table: Ratings, judge: str, executed: Mapping[Item, bool], level: float) -> Iterator[Figure]:
    """A rating of 2 or more says that the node matters; `holds` says that the known is recovered."""
    means = {item: mean for item, mean in _rounded_means(table, judge).items() if item in executed}
    if not means:
        return
    judged = np.array([float(mean >= TOP / 2) for mean in means.values()])
    true, clusters = np.array([float(executed[item]) for item in means]), _clusters(means)
    alike = share((judged == true).astype(float), clusters, level, name="share of nodes on which they agree")
    yield Figure("execution", judge, "share", alike)
    ac1 = gwet_ac1(np.vstack([judged, true]), clusters, level, categories=2)
    yield Figure("execution", judge, "ac1", ac1)
    if len(np.unique(true)) > 1 and len(np.unique(judged)) > 1:  # where one never varies kappa is 0 in any case
        yield Figure("execution", judge, "kappa", weighted_kappa(judged, true, "none", clusters, level))


def _ac1(matrix: NDArray[np.float64], clusters: Sequence[str], level: float) -> Estimate:
    """The categories are those of the scale, or more where points of the original were read."""
    categories = max(TOP + 1, len(np.unique(matrix[~np.isnan(matrix)])))
    return gwet_ac1(matrix, clusters, level, categories=categories)


def _alpha(matrix: NDArray[np.float64], items: Iterable[Item], level: float) -> Estimate:
    """No value where it is reliable over all items and within no kind: then ratings differ between kinds only."""
    kinds = np.array([item.kind for item in items])
    whole = krippendorff_alpha(matrix, "ordinal", _clusters(items), level)
    apart = [krippendorff_alpha(matrix[:, kinds == kind], "ordinal").value or 0.0 for kind in np.unique(kinds)]
    if len(apart) < 2 or whole.value is None or not whole.value >= UNRELIABLE > max(apart):
        return whole
    note = "Ratings differ between kinds of question and hardly within one."
    return replace(whole, value=None, interval=None, notes=(note,))


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


def _weak_alphas(figures: Iterable[Figure]) -> list[str]:
    return [
        f"Agreement {f'{one.judge} with itself' if one.judge else 'between the judges'}"
        f" is alpha {one.estimate.value:.2f}, below {UNRELIABLE}: do not rest conclusions on it."
        for one in figures
        if one.name == "alpha" and one.estimate.value is not None and one.estimate.value < UNRELIABLE
    ]
