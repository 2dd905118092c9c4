"""LearnScores: what the stored runs say of a table, of its learners, of its edges and of a user's graph.

F1 of a learner on a twin     mean over fresh draws
chosen                        GES, or a learner whose F1 to expect is .06 greater (atlas.standing); those
                              that cannot be told from it hold up beside it
F1 to expect                  a + b (mean on twins) + c (what the atlas expects), as such promises were kept
an edge's odds                odds.py, from the learners that hold up
"""

from __future__ import annotations

import json
from collections.abc import Mapping
from dataclasses import dataclass, field
from functools import cache, cached_property
from importlib import resources
from typing import NamedTuple, Self, TypeVar

import numpy as np
from numpy.typing import NDArray

from trueness.atlas import standing
from trueness.graphs import ARROW, TAIL, Graph
from trueness.outside import Json
from trueness.running.results import Results
from trueness.statistics import Estimate, mean
from trueness.statistics.result import interval_cells
from trueness.status import Status
from trueness.studies.learn.measures import GUESS, TABLE
from trueness.studies.learn.odds import Calibration, Votes, calibrate, votes_of

LEVEL = 0.90
LIKELY, DIRECTED = 0.5, 0.75  # from which odds on an edge is drawn, and its direction
MOST_HOLD_UP = 4
TOLD_APART = 0.95


class Expected(NamedTuple):
    """A measure of a learner on data like these: its mean, and where 90 % of single tables lie."""

    mean: float
    low: float
    high: float


class Promise(NamedTuple):
    """What came true: intercept + twins (mean on twins) + atlas (what it expects); quantiles of what remained."""

    intercept: float
    twins: float
    atlas: float
    low: float
    high: float
    systems: float

    def of(self, value: float, expected: float) -> float:
        return float(np.clip(self.intercept + self.twins * value + self.atlas * expected, 0.0, 1.0))


@cache
def _promises() -> dict[str, dict[str, dict[str, list[float]]]]:
    """Kind of columns -> measure -> learner; made by benchmarks/learn_calibration.py."""
    text = (resources.files("trueness.studies.learn") / "promises.json").read_text(encoding="utf-8")
    made: dict[str, dict[str, dict[str, list[float]]]] = json.loads(text)
    return made


class Rival(NamedTuple):
    """A learner that goes behind the chosen one. difference: of the F1 to expect, the chosen one's less its own;
    better: P(the chosen has the higher F1)."""

    learner: str
    difference: float
    better: float
    systems: int

    @property
    def told_apart(self) -> bool:
        return self.better >= TOLD_APART


class LearnedEdge(NamedTuple):
    """`source` -> `target` is the likelier way. present: P(edge); onward: P(source -> target | edge)."""

    source: str
    target: str
    present: float
    onward: float
    share: float  # of the graphs over resamples, as counted
    confounded: float | None  # None: no learner that could tell of a hidden common cause had a say

    @property
    def forward(self) -> float:
        return self.present * self.onward

    @property
    def openness(self) -> float:
        """1 where both ways are as likely, 0 where one is certain."""
        return 1 - abs(2 * self.onward - 1)

    @property
    def mark(self) -> str:
        return "->" if self.onward >= DIRECTED else "--"


@dataclass(frozen=True)
class GuessVerdict:
    share: float
    tests: int
    p: float
    permutations: int
    same_class: int  # permutations that change nothing: the least p is their share
    permuted_mean: float
    missing: tuple[tuple[str, str, float], ...]
    unsupported: tuple[tuple[str, str, float], ...]


@dataclass(frozen=True, eq=False)
class LearnScores:
    """What `trueness learn` found so far; fields are None where too little is known yet."""

    about: Mapping[str, Json]
    planned: int
    done: int
    failures: Mapping[str, int]
    f1: Mapping[str, Mapping[str, float]]  # learner -> twin -> mean F1 of fresh draws
    level: float
    _expected: Mapping[str, Mapping[str, NDArray[np.float64]]] = field(repr=False)  # learner -> measure -> single draws
    _graphs: Mapping[str, Mapping[str, list[NDArray[np.int8]]]] = field(repr=False)  # item -> learner -> resamples
    _truths: Mapping[str, NDArray[np.bool_]] = field(repr=False)
    guess: GuessVerdict | None = None

    @classmethod
    def of(cls, results: Results) -> Self:
        return _read(cls, results)

    @property
    def names(self) -> tuple[str, ...]:
        return tuple(column["column"] for column in self.about["columns"])

    # ---- which learner

    @property
    def depends(self) -> str:
        """Why no score is promised, or '': twins have independent rows, and the table's depend on each other."""
        order = self.about.get("row_dependence")
        return "" if order is None or order["passed"] else str(order["sentence"])

    @cached_property
    def _whole(self) -> list[str]:
        """Twins on which every learner has a score; none while a learner waits for its first."""
        if any(name not in self.f1 and name not in self.failures for name in self.about["classes"]):
            return []
        twins = dict.fromkeys(twin for by_twin in self.f1.values() for twin in by_twin)
        return [twin for twin in twins if all(twin in by_twin for by_twin in self.f1.values())]

    @property
    def twins(self) -> int:
        return len(self._whole)

    @cached_property
    def ranking(self) -> tuple[tuple[str, Estimate], ...]:
        """The chosen learner, then the others by their mean F1 over twins, each with its interval."""
        names = self.f1 if self._whole else ()
        rows = [(name, mean(self._f1_to_expect(name), level=self.level, bounds=(0.0, 1.0))) for name in names]
        rows.sort(key=lambda row: -float(row[1].value or 0.0))
        first = max(rows, key=lambda row: standing(row[0], float(row[1].value or 0.0)), default=None)
        return tuple(sorted(rows, key=lambda row: row is not first))

    @cached_property
    def rivals(self) -> tuple[Rival, ...]:
        """Every other learner beside the chosen one, as ranked.

        P(the chosen is better) = P(D < difference), D: how two learners' promises erred apart on one table, either way.
        """
        if not self.ranking or self._whole == []:
            return ()
        kind = _promises()[self.about["kind"]]
        best, steps = self._f1_to_expect(self.ranking[0][0]).mean(), np.arange(21) / 20
        made = []
        for name, _ in self.ranking[1:]:
            gap = float(best - self._f1_to_expect(name).mean())
            within = float(np.interp(abs(gap), [0.0, *kind["apart"]["f1"]], steps))
            made.append(Rival(name, gap, 0.5 + float(np.copysign(within, gap)) / 2, int(kind["f1"]["any"][-1])))
        return tuple(made)

    def _f1_to_expect(self, name: str) -> NDArray[np.float64]:
        """F1 of a learner on each twin, as such promises have been kept."""
        return np.array([self._value_to_expect(name, self.f1[name][twin]) for twin in self._whole])

    @property
    def chosen(self) -> str | None:
        return self.ranking[0][0] if self.ranking else None

    @cached_property
    def holding_up(self) -> tuple[str, ...]:
        """The chosen one and those that cannot be told from it, the best first."""
        open_ones = [rival.learner for rival in self.rivals if not rival.told_apart]
        if self.chosen is None:
            return tuple(self._graphs.get(TABLE, {}))
        return (self.chosen, *open_ones)[:MOST_HOLD_UP]

    def expected(self, measure: str = "f1", learner: str | None = None) -> Expected | None:
        who = learner or self.chosen or ""
        if self.depends:
            return None
        values = self._expected.get(who, {}).get(measure, np.zeros(0))
        if not len(values):
            return None
        line, mean_of_draws = self._line(who, measure), float(values.mean())
        whole = measure == "f1" and self._whole
        centre = float(self._f1_to_expect(who).mean()) if whole else self._value_to_expect(who, mean_of_draws, measure)
        return Expected(*(float(np.clip(centre + add, 0.0, 1.0)) for add in (0.0, line.low, line.high)))

    def in_the_atlas(self, learner: str, measure: str = "f1") -> float | None:
        """What the atlas expects; None of a learner, or in a study, that it does not know."""
        value = self.about.get("atlas", {}).get("expected", {}).get(learner, {}).get(measure)
        return None if value is None else float(value)

    def _line(self, learner: str, measure: str = "f1") -> Promise:
        lines = _promises()[self.about["kind"]][measure]
        unknown = self.in_the_atlas(learner, measure) is None
        return Promise(*lines["without the atlas"] if unknown else lines.get(learner) or lines["any"])

    def _value_to_expect(self, learner: str, value: float, measure: str = "f1") -> float:
        return self._line(learner, measure).of(value, self.in_the_atlas(learner, measure) or 0.0)

    # ---- the graph

    @cached_property
    def calibration(self) -> Calibration:
        known = [(self._votes(item), self._truths[item]) for item in self._truths]
        return calibrate([(votes, truth) for votes, truth in known if votes.graphs])

    def _votes(self, item: str) -> Votes:
        by_learner = self._graphs.get(item, {})
        return votes_of([by_learner.get(name, []) for name in self.holding_up], len(self.names))

    @property
    def graphs(self) -> int:
        """Resamples of the table, over the learners that have a say."""
        return sum(len(self._graphs.get(TABLE, {}).get(name, ())) for name in self.holding_up)

    @cached_property
    def edges(self) -> tuple[LearnedEdge, ...]:
        """Every pair, the surest first."""
        votes = self._votes(TABLE)
        if not votes.graphs:
            return ()
        present, onward = self.calibration.odds(votes)
        hidden = any(self.about["classes"].get(name) == "pag" for name in self.holding_up)
        made = []
        for i in range(len(self.names)):
            for j in range(i):
                a, b = (i, j) if onward[i, j] >= onward[j, i] else (j, i)
                way = float(onward[a, b] / (onward[a, b] + onward[b, a]))
                seen, cause = float(votes.adjacent[a, b]), float(votes.confounded[a, b]) if hidden else None
                made.append(LearnedEdge(self.names[a], self.names[b], float(present[a, b]), way, seen, cause))
        return tuple(sorted(made, key=lambda edge: (-edge.present, edge.source, edge.target)))

    @property
    def graph(self) -> Graph:
        """Edges of at least even odds; those whose direction is not sure have none. Weights are the odds."""
        index = {name: k for k, name in enumerate(self.names)}
        marks = np.zeros((len(index), len(index)), dtype=np.int8)
        weights = np.zeros(marks.shape)
        for edge in self.edges:
            if edge.present >= LIKELY:
                i, j = index[edge.source], index[edge.target]
                marks[j, i] = TAIL
                marks[i, j] = ARROW if edge.mark == "->" else TAIL
                weights[i, j] = edge.present
                weights[j, i] = 0.0 if edge.mark == "->" else edge.present
        return Graph(self.names, marks, weights, "pag")

    def intervention(self) -> tuple[str, float] | None:
        """The column whose intervention would settle most: expected number of edges whose direction is open."""
        gain = dict.fromkeys(self.names, 0.0)
        for edge in self.edges:
            for end in (edge.source, edge.target):
                gain[end] += edge.present * edge.openness
        best = max(gain, key=lambda name: gain[name]) if gain else None
        return (best, gain[best]) if best is not None and gain[best] >= 0.25 else None

    # ---- forms

    def to_dict(self) -> dict[str, object]:
        measures = ("f1", "precision", "recall")
        expected = {name: self.expected(name) for name in measures}
        return {
            "data": dict(self.about),
            "runs": {"planned": self.planned, "done": self.done, "failures": dict(self.failures)},
            "chosen": self.chosen,
            "not_told_apart_from_it": list(self.holding_up[1:]),
            "rivals": [rival._asdict() for rival in self.rivals],
            "ranking": [
                {"learner": name, "class": self.about["classes"].get(name), "twins": self.twins}
                | ({"f1": None} if self.depends else {"f1": value.value, **ends(value)})
                for name, value in self.ranking
            ],
            "expected": {name: one._asdict() for name, one in expected.items() if one is not None} | {"level": LEVEL},
            "edges": [edge._asdict() | {"mark": edge.mark, "kept": edge.present >= LIKELY} for edge in self.edges],
            "intervention": self.intervention(),
            "guess": None if self.guess is None else vars(self.guess),
        }

    def _repr_svg_(self) -> str:
        """The graph with the odds of its edges."""
        return self.graph.to_svg(
            labels={(edge.source, edge.target): percent(edge.present).replace("over ", ">") for edge in self.edges}
        )


def percent(share: float) -> str:
    """Never 100 %: what was calibrated on a few twins is not that sure."""
    return "over 99 %" if share > 0.99 else f"{100 * share:.0f} %"


def ends(estimate: Estimate) -> dict[str, float | None]:
    """Of its interval, where it has one."""
    return {} if estimate.interval is None else interval_cells(estimate.interval)


Scores = TypeVar("Scores", bound=LearnScores)


def _read(made: type[Scores], results: Results) -> Scores:
    classes = results.about["classes"]
    f1: dict[str, dict[str, float]] = {}
    single: dict[str, dict[str, list[float]]] = {}
    graphs: dict[str, dict[str, list[NDArray[np.int8]]]] = {}
    truths: dict[str, NDArray[np.bool_]] = {}
    failures: dict[str, int] = {}
    guess = None
    values = {name: results.values_of(name) for name in ("f1", "precision", "recall", "violations")}
    done = 0
    for place, cell in enumerate(results.cells):
        statuses = results.statuses.get(place, {})
        done += sum(statuses.values())
        lost = sum(n for status, n in statuses.items() if status != Status.OK)
        if lost:
            failures[cell.respondent] = failures.get(cell.respondent, 0) + lost
        if cell.item == GUESS:
            guess = _verdict(values["violations"].get(place, {}), results.answers_at(place))
        elif cell.variant == "resampled":
            answers = [json.loads(text) for status, text in results.answers_at(place) if status == Status.OK and text]
            graphs.setdefault(cell.item, {})[cell.respondent] = [np.array(marks, dtype=np.int8) for marks in answers]
        elif cell.variant == "fresh" and (f1_of_draws := values["f1"].get(place)):
            if cell.item not in truths:
                truths[cell.item] = _truth(results.answers_at(place))
            f1.setdefault(cell.respondent, {})[cell.item] = float(np.mean(list(f1_of_draws.values())))
            for name in ("f1", "precision", "recall"):
                single.setdefault(cell.respondent, {}).setdefault(name, []).extend(values[name].get(place, {}).values())
    expected = {name: {measure: np.array(one) for measure, one in draws.items()} for name, draws in single.items()}
    f1 = {name: f1[name] for name in classes if name in f1}
    return made(results.about, results.planned, done, failures, f1, results.level, expected, graphs, truths, guess)


def _truth(answers: list[tuple[str, str | None]]) -> NDArray[np.bool_]:
    """The twin's DAG, which stands with every fresh draw of it."""
    marks = next(np.array(json.loads(text)) for status, text in answers if status == Status.OK and text)
    return np.asarray((marks == ARROW) & (marks.T == TAIL))


def _verdict(shares: Mapping[int, float], answers: list[tuple[str, str | None]]) -> GuessVerdict | None:
    """Repeat 0 is the guess."""
    parsed = [json.loads(text) for status, text in answers if status == Status.OK and text]
    guess = next((one for one in parsed if "tests" in one), None)
    permuted = np.array([share for repeat, share in shares.items() if repeat])
    if guess is None or 0 not in shares or not len(permuted):
        return None
    p = (1 + int((permuted <= shares[0]).sum())) / (1 + len(permuted))
    missing, unsupported = (tuple(tuple(one) for one in guess[key]) for key in ("missing", "unsupported"))
    same, average = sum(one.get("same_class", False) for one in parsed), float(permuted.mean())
    return GuessVerdict(shares[0], guess["tests"], p, len(permuted), same, average, missing, unsupported)
