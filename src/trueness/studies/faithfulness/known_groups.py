"""Known groups: does a measure tell right graphs from damaged ones? Believed as far as this number goes.

    AUC = P(right > damaged) + P(right = damaged)/2 = (Cliff's delta + 1)/2        over all pairs, clustered by problem

1 tells them apart, .5 does not, below .5 prefers the damaged. Damages: damage.py. A copy that has no value in a measure
(a graph that cannot be executed any more) is left out of `auc`; `auc_lowest` counts it as the lowest value, since a
measure that refuses a damaged graph has seen the damage. A problem and its damaged copies are one cluster. `judge` is
what judges alone say, `executable` the mean of the executed checks (checks.py), `cf_lower` cf with the missing at 0,
`graph_checks` our structural checks; `graph_original` stands apart where `graph_quality` is not the original's.
"""

from __future__ import annotations

from collections.abc import Callable, Iterable, Mapping, Sequence
from dataclasses import dataclass, replace
from typing import Literal

import numpy as np
from numpy.random import Generator
from numpy.typing import NDArray

from trueness.errors import DataError
from trueness.reasoning.damage import DAMAGES, damaged_copies
from trueness.reasoning.graph import Problem
from trueness.showing.finding import Finding
from trueness.statistics import Estimate, auc
from trueness.studies.faithfulness.scores import COMPONENTS, Evaluation

RIGHT = "right"
STRONG, WEAK = 0.9, 0.7  # AUC from which a measure tells the groups apart, or does so in part
SEPARATOR = "~"  # between a problem's id and its damage

Verdict = Literal["tells", "partly tells", "hardly tells", "does not tell", "prefers", "not known"]
Measure = Callable[[Evaluation], float | None]
Array = NDArray[np.float64]


def _judge(evaluation: Evaluation) -> float | None:
    """What judges alone say: the mean of their ratings of nodes, knowns and logic."""
    ratings = [node.judged for nodes in evaluation.nodes.values() for node in nodes if node.judged is not None]
    logic = evaluation.components["logic_quality"].value
    parts = [sum(ratings) / len(ratings)] if ratings else []
    parts += [logic] if logic is not None else []
    return sum(parts) / len(parts) if parts else None


def _component(name: str) -> Measure:
    return lambda evaluation: evaluation.components[name].value


MEASURES: Mapping[str, Measure] = {
    **{name: _component(name) for name in COMPONENTS},
    "graph_checks": lambda e: e.components["graph_quality"].details.get("ours"),
    "graph_original": lambda e: e.components["graph_quality"].details.get("original"),
    "executable": lambda e: e.executed.get("score"),
    "judge": _judge,
    "cf": lambda e: e.cf,
    "cf_lower": lambda e: e.bounds[0],
}


@dataclass(frozen=True)
class Separation:
    """How well one measure tells the groups apart; `auc` over copies with a value."""

    measure: str
    damage: str  # a kind, or "all"
    auc: Estimate
    auc_lowest: Estimate
    n_right: int
    n_damaged: int
    n_missing: int

    def row(self) -> dict[str, object]:
        return {
            "measure": self.measure,
            "damage": self.damage,
            "n_right": self.n_right,
            "n_damaged": self.n_damaged,
            "n_missing": self.n_missing,
            **self.auc.cells("auc", ""),
            **self.auc_lowest.cells("auc_lowest", "lowest"),
        }

    def verdict(self) -> Verdict:
        """In one word, by value and interval."""
        if self.auc_lowest.value is None or self.auc_lowest.interval is None:
            return "not known"
        value, ends = self.auc_lowest.value, self.auc_lowest.interval
        if ends.low > 0.5:
            return "tells" if value >= STRONG else "partly tells" if value >= WEAK else "hardly tells"
        return "prefers" if ends.high < 0.5 else "does not tell"

    def finding(self) -> Finding:
        return Finding(self.sentence(), open=self.auc_lowest.value is None or self.auc_lowest.interval is None)

    def sentence(self) -> str:
        if self.auc_lowest.value is None or self.auc_lowest.interval is None:
            return f"Whether {self.measure} tells right from damaged graphs is not known: too few have a value."
        value, ends = self.auc_lowest.value, self.auc_lowest.interval
        shown = f"AUC {value:.2f} [{ends.low:.2f}, {ends.high:.2f}]"
        counts = f"{self.n_right} right, {self.n_damaged} damaged"
        how = self.verdict()
        verdict = {
            "prefers": "prefers damaged graphs and must not be used as a score",
            "does not tell": "does not tell right from damaged graphs and says nothing about a single one",
        }.get(how, f"{how} right from damaged graphs and is believed as far as this number goes")
        lost = f"; {self.n_missing} without a value counted lowest" if self.n_missing else ""
        kind = f"{100 * self.auc_lowest.level:g} % CI, {self.auc_lowest.method}"
        return f"{self.measure} {verdict}: {shown} ({kind}; {counts}{lost}; no test)."


def with_damaged(problems: Iterable[Problem], rng: Generator) -> list[Problem]:
    """The problems and one damaged copy of each possible kind, named problem~kind."""
    copies = []
    for problem in problems:
        if SEPARATOR in problem.id:
            raise DataError(f"the id of a problem must have no {SEPARATOR!r}, got {problem.id!r}. Rename it.")
        copies.append(problem)
        for copy in damaged_copies(problem, rng):
            copies.append(replace(copy.problem, id=f"{problem.id}{SEPARATOR}{copy.kind}"))
    return copies


def group_of(problem_id: str) -> tuple[str, str]:
    """(problem, right or the kind of damage)"""
    problem, _, kind = problem_id.partition(SEPARATOR)
    return problem, kind or RIGHT


def known_groups(
    evaluations: Sequence[Evaluation], measures: Mapping[str, Measure] = MEASURES, level: float = 0.95
) -> list[Separation]:
    """Every measure over all damages together and over each; measures that nobody has a value in are left out."""
    kinds = [kind for kind in DAMAGES if any(group_of(e.problem)[1] == kind for e in evaluations)]
    separations = []
    for name, measure in measures.items():
        values = {evaluation.problem: measure(evaluation) for evaluation in evaluations}
        if all(value is None for value in values.values()):
            continue
        if name == "graph_original" and all(
            values[e.problem] == e.components["graph_quality"].value for e in evaluations
        ):
            continue
        for damage in ("all", *kinds):
            separations.append(_separation(name, damage, values, level))
    return separations


def _separation(name: str, damage: str, values: Mapping[str, float | None], level: float) -> Separation:
    groups = {problem: group_of(problem) for problem in values}
    right = [p for p in values if groups[p][1] == RIGHT]
    damaged = [p for p in values if groups[p][1] != RIGHT and damage in ("all", groups[p][1])]
    # a right graph in words has no executed value either: only problems whose right form has one are compared
    there = {groups[p][0] for p in right if values[p] is not None}
    right, damaged = ([p for p in group if groups[p][0] in there] for group in (right, damaged))
    a, b = (value_array([values[p] for p in group]) for group in (right, damaged))
    labels = [groups[p][0] for p in right], [groups[p][0] for p in damaged]
    lowest = np.where(np.isnan(b), -1.0, b)
    n_missing = int(np.isnan(b).sum())
    areas = [auc(a, values, labels, level, name=f"AUC of {name}") for values in (b, lowest)]
    return Separation(name, damage, areas[0], areas[1], len(right), len(damaged), n_missing)


def value_array(values: Sequence[float | None]) -> Array:
    return np.array([np.nan if value is None else value for value in values], dtype=np.float64)
