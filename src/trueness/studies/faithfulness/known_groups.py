"""Known groups: does a measure tell right graphs from damaged ones? Believed as far as this number goes.

    AUC = P(right > damaged) + P(right = damaged)/2 = (Cliff's delta + 1)/2        over all pairs, clustered by problem

1 tells them apart, .5 does not, below .5 prefers the damaged. Damages: damage.py. A copy that has no value in a measure
(a graph that cannot be executed any more) counts as the lowest value (`auc_lowest`), since a measure that refuses a
damaged graph has seen the damage. A problem and its damaged copies are one cluster. `judge` is
what judges alone say, `executable` the mean of the executed checks (checks.py), `cf_lower` cf with the missing at 0,
`graph_checks` our structural checks; `graph_original` stands apart where `graph_quality` is not the original's.
"""

from __future__ import annotations

import math
from collections.abc import Callable, Iterable, Mapping, Sequence
from dataclasses import dataclass, replace
from operator import methodcaller
from typing import Literal

import numpy as np
from numpy.random import Generator
from numpy.typing import NDArray

from trueness.errors import DataError
from trueness.reasoning.damage import DAMAGES, damaged_copies
from trueness.reasoning.graph import Problem
from trueness.showing.summary import Finding
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


MEASURES: Mapping[str, Measure] = {
    **{name: methodcaller("value", name) for name in COMPONENTS},
    "graph_checks": lambda e: e.components["graph_quality"].details.get("ours"),
    "graph_original": lambda e: e.components["graph_quality"].details.get("original"),
    "executable": lambda e: e.executed.get("score"),
    "judge": _judge,
    "cf": lambda e: e.cf,
    "cf_lower": lambda e: e.bounds[0],
}


@dataclass(frozen=True)
class Separation:
    """How well one measure tells the groups apart."""

    measure: str
    damage: str  # a kind, or "all"
    auc_lowest: Estimate
    n_right: int
    n_damaged: int
    n_missing: int

    def row(self) -> dict[str, object]:
        counts = {"n_right": self.n_right, "n_damaged": self.n_damaged, "n_missing": self.n_missing}
        return {
            "measure": self.measure,
            "damage": self.damage,
            **counts,
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
        value, ends = self.auc_lowest.value, self.auc_lowest.interval
        if value is None or ends is None:
            text = f"Whether {self.measure} tells right from damaged graphs is not known: too few have a value."
            return Finding(text, open=True)
        how = self.verdict()
        verdict = {
            "prefers": "prefers damaged graphs and must not be used as a score",
            "does not tell": "does not tell right from damaged graphs and says nothing about a single one",
        }.get(how, f"{how} right from damaged graphs and is believed as far as this number goes")
        lost = f"; {self.n_missing} without a value counted lowest" if self.n_missing else ""
        counts = f"{self.n_right} right, {self.n_damaged} damaged{lost}"
        kind = f"{100 * self.auc_lowest.level:g} % CI, {self.auc_lowest.method}"
        shown = f"AUC {value:.2f} [{ends.low:.2f}, {ends.high:.2f}]"
        return Finding(f"{self.measure} {verdict}: {shown} ({kind}; {counts}; no test).")


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


def measures_with_values(evaluations: Sequence[Evaluation]) -> dict[str, Array]:
    """Measure -> values, NaN where there is none; without those that nobody has a value in, or that are another's."""
    values = {name: value_array([of(evaluation) for evaluation in evaluations]) for name, of in MEASURES.items()}
    if np.array_equal(values["graph_original"], values["graph_quality"], equal_nan=True):
        del values["graph_original"]
    return {name: array for name, array in values.items() if not np.isnan(array).all()}


def known_groups(evaluations: Sequence[Evaluation], level: float = 0.95) -> list[Separation]:
    """Every measure over all damages together and over each; measures that nobody has a value in are left out."""
    groups = [group_of(evaluation.problem) for evaluation in evaluations]
    kinds = [kind for kind in DAMAGES if any(damage == kind for _, damage in groups)]
    return [
        _separation(name, damage, list(zip(groups, values.tolist(), strict=True)), level)
        for name, values in measures_with_values(evaluations).items()
        for damage in ("all", *kinds)
    ]


def _separation(name: str, damage: str, values: Sequence[tuple[tuple[str, str], float]], level: float) -> Separation:
    # a right graph in words has no executed value either: only problems whose right form has one are compared
    right = {problem: value for (problem, kind), value in values if kind == RIGHT and not math.isnan(value)}
    damaged = [
        (problem, value)
        for (problem, kind), value in values
        if kind != RIGHT and damage in ("all", kind) and problem in right
    ]
    a, b = np.array(list(right.values())), np.array([value for _, value in damaged])
    labels = list(right), [problem for problem, _ in damaged]
    missing = np.isnan(b)
    area = auc(a, np.where(missing, -1.0, b), labels, level, name=f"AUC of {name}")
    return Separation(name, damage, area, len(a), len(b), int(missing.sum()))


def value_array(values: Sequence[float | None]) -> Array:
    return np.array([np.nan if value is None else value for value in values], dtype=np.float64)
