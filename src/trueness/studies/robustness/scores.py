"""What a study of robustness holds, scored: every ranking against its truth, with and without a K.

    ranking    one row an answer: AUPRC, AUROC, over ordered pairs and over unordered ones (skeleton_*)
    chosen     one row an answer and K: the K, what it looked at, precision, recall, F1, SHD there

Systems of a group are compared with each other: series or rows without order, apart where the truth is not known
(an assumed one illustrates and is in no claim). K that looks at truths is chosen on the validation corruption:

    oracle_k(g)              argmax F1 on the validation curves of graph g itself         an oracle, named so everywhere
    k_from_other_graphs(g)   argmax F1 on those of the other graphs of the group
    matched to ...           the K of one scorer for all of them, as the original had it
K by the rows alone was chosen with the scores and lies in the store.
"""

from __future__ import annotations

from collections.abc import Collection, Iterator, Mapping, Sequence
from dataclasses import dataclass, field
from functools import cached_property
from typing import Literal

import numpy as np
import pandas as pd

from trueness.errors import listed
from trueness.graphs import Graph
from trueness.measures import UNDEFINED
from trueness.measures.ranking import RANKING_MEASURES, chance, score_ranking
from trueness.status import Status
from trueness.studies.robustness.choose_k import (
    ORACLE,
    OTHERS,
    KChoice,
    Metric,
    k_from_other_graphs,
    matched_k,
    oracle_k,
)
from trueness.studies.robustness.sensitivity import (
    AROUND,
    CURVES,
    Array,
    SensitivityCurve,
    original_range,
    sensitivity_curve,
)

KEYS = ("group", "dataset", "corruption", "scorer", "seed")


@dataclass(frozen=True, eq=False)
class System:
    """A graph that answers are scored against."""

    truth: Graph
    believed: str  # known, consensus, assumed
    series: bool
    rows: int

    @property
    def group(self) -> str:
        kind = "series" if self.series else "rows"
        return kind if self.believed == "known" else f"{kind} ({self.believed})"


@dataclass(frozen=True)
class Variant:
    """A corruption."""

    uses_graph: bool
    labels: tuple[str, ...] = ()
    steps: tuple[str, ...] = ()


@dataclass(frozen=True, eq=False)
class ScorerAnswer:
    """What one scorer said of one seed's rows. matrix: (d, d) in the truth's node order, None where it failed."""

    dataset: str
    corruption: str
    scorer: str
    seed: int
    status: Status
    matrix: Array | None = None
    k: Mapping[str, int] = field(default_factory=dict)
    message: str = ""
    trouble: Mapping[str, str] = field(default_factory=dict)  # K method -> why it has none
    disentanglement: tuple[float, float] | None = None  # r(signal, clean values) and r(readings, clean values)
    seconds: float | None = None


@dataclass(frozen=True, eq=False)
class RobustnessScores:
    """All answers of a study. `sweeps`: scorer -> (whose, which setting, its value): for K x lambda alone."""

    systems: Mapping[str, System]
    corruptions: Mapping[str, Variant]
    scorers: tuple[str, ...]
    answers: tuple[ScorerAnswer, ...]
    validation: str
    match: str
    sweeps: Mapping[str, tuple[str, str, float]] = field(default_factory=dict)
    level: float = 0.95
    metric: Metric = "f1"  # by which K is chosen where truths are looked at
    k_range: Literal["all", "original"] = "all"  # of oracle_k; the original's 5 to 3|E| knows the number of true edges

    @property
    def groups(self) -> tuple[str, ...]:
        """Known truths first."""
        names = dict.fromkeys(system.group for system in self.systems.values())
        return tuple(sorted(names, key=lambda group: "(" in group))

    def intervals(self, groups: Sequence[str] | None = None) -> str:
        """What brackets are and what was drawn for them: graphs, the seeds of one, or nothing that has a spread."""
        over: dict[str, list[str]] = {}
        for group in self.groups if groups is None else groups:
            names = {name for name, system in self.systems.items() if system.group == group}
            seeds = len({answer.seed for answer in self.answers if answer.dataset in names})
            drawn = "graphs" if len(names) > 1 else "the seeds of one graph" if seeds > 1 else ""
            over.setdefault(drawn, []).append(group)
        known = {drawn: where for drawn, where in over.items() if drawn}
        if not known:
            return "one fit each: no interval is known"
        parts = [f"over {drawn}{f' ({listed(where)})' if len(over) > 1 else ''}" for drawn, where in known.items()]
        return f"{100 * self.level:g} % t intervals {' and '.join(parts)}"

    def n_graphs(self, group: str) -> int:
        return sum(system.group == group for system in self.systems.values())

    @cached_property
    def scorers_compared(self) -> tuple[str, ...]:
        """Scorers that are compared: all but the members of a sweep."""
        return tuple(name for name in self.scorers if name not in self.sweeps)

    @cached_property
    def claims(self) -> tuple[str, ...]:
        """Corruptions whose mask does not tell the graph: means over corruptions are over these."""
        return tuple(name for name in self.corruptions if not self.corruptions[name].uses_graph)

    @property
    def compared(self) -> tuple[str, ...]:
        """Corruptions that kept edges are compared over: `claims`, or all where fewer than two claim anything."""
        return self.claims if len(self.claims) > 1 else tuple(self.corruptions)

    @cached_property
    def tests(self) -> tuple[str, ...]:
        """Where a K that was chosen on the validation corruption is tried: all others, or that one if it is alone."""
        return tuple(name for name in self.claims if name != self.validation) or (self.validation,)

    @cached_property
    def curves(self) -> dict[tuple[str, str, str, int], SensitivityCurve]:
        """(dataset, corruption, scorer, seed) -> the curve over all K."""
        return {
            (a.dataset, a.corruption, a.scorer, a.seed): sensitivity_curve(a.matrix, self.systems[a.dataset].truth)
            for a in self.answers
            if a.matrix is not None
        }

    def curves_of(self, group: str, scorer: str, corruptions: Sequence[str]) -> dict[str, list[SensitivityCurve]]:
        """Data set of the group -> its curves of a scorer, where it has any."""
        by_dataset: dict[str, list[SensitivityCurve]] = {}
        for (dataset, corruption, name, _), curve in self.curves.items():
            if name == scorer and corruption in corruptions and self.systems[dataset].group == group:
                by_dataset.setdefault(dataset, []).append(curve)
        return by_dataset

    @cached_property
    def by_truths(self) -> dict[tuple[str, str], dict[str, KChoice]]:
        """(dataset, scorer) -> every K that looked at a truth, by method."""
        choices: dict[tuple[str, str], dict[str, KChoice]] = {}
        for group in self.groups:
            for scorer in self.scorers_compared:
                ranked: dict[str, list[SensitivityCurve]] = {}
                for dataset, curves in self.curves_of(group, scorer, (self.validation,)).items():
                    choice = oracle_k(curves, scorer, self.within(dataset), self.metric, self.level)
                    by_method = choices.setdefault((dataset, scorer), {})
                    if any(curve.ranks_around(choice.k, AROUND) for curve in curves):
                        ranked[dataset], by_method[ORACLE] = curves, choice
                for dataset in ranked if len(ranked) > 1 else ():
                    choices[dataset, scorer][OTHERS] = k_from_other_graphs(ranked, dataset, scorer, self.metric)
        for (dataset, scorer), by_method in list(choices.items()):
            for choice in list(choices.get((dataset, self.match), {}).values()):
                if scorer not in (self.match, *self.unranked) and not choice.method.startswith("matched"):
                    same = matched_k(choice, scorer)
                    by_method[same.method] = same
        return choices

    @property
    def k_by_truths(self) -> list[dict[str, str | float | bool | None]]:
        """`by_truths` as rows."""
        each = ((dataset, choice) for (dataset, _), choices in self.by_truths.items() for choice in choices.values())
        return [{"dataset": dataset, **choice.row()} for dataset, choice in each]

    @cached_property
    def unranked(self) -> tuple[str, ...]:
        """Scorers all of whose matrices have one |score| for every pair."""
        ranked = {scorer for (_, _, scorer, _), curve in self.curves.items() if curve.ranks}
        scored = {scorer for _, _, scorer, _ in self.curves}
        return tuple(name for name in self.scorers_compared if name in scored - ranked)

    def within(self, dataset: str) -> tuple[int, int] | None:
        """The range of oracle_k; None: all K."""
        truth = self.systems[dataset].truth
        return None if self.k_range == "all" else original_range(truth.n_edges(), len(truth))

    def choices(self, answer: ScorerAnswer) -> dict[str, KChoice]:
        """Every K of one answer by method: those by truths, then those by its rows."""
        by_method = dict(self.by_truths.get((answer.dataset, answer.scorer), {}))
        pairs = len(self.systems[answer.dataset].truth) * (len(self.systems[answer.dataset].truth) - 1)
        for method, k in answer.k.items():
            if 1 <= k <= pairs:
                by_method[method] = KChoice(k, method, "the rows alone", answer.scorer)
        return by_method

    @cached_property
    def ranking(self) -> pd.DataFrame:
        """One row an answer; NaN and a status where there is none. `chance`: AUPRC of random scores."""
        rows = []
        for answer in self.answers:
            truth, scores = self.systems[answer.dataset].truth, dict.fromkeys(RANKING_MEASURES, UNDEFINED)
            if answer.matrix is not None:
                scores = score_ranking(answer.matrix, truth)
            values = {name: np.nan if score.value is None else score.value for name, score in scores.items()}
            rows.append(self._where(answer) | {"chance": chance("auprc", truth)} | values)
        return pd.DataFrame(rows, columns=[*KEYS, "status", "chance", *RANKING_MEASURES])

    def ranking_of(self, group: str, corruptions: Sequence[str], scorer: str | None = None) -> pd.DataFrame:
        """Those rows of `ranking`, of a scorer or of all that are compared."""
        rows, scorers = self.ranking, self.scorers_compared if scorer is None else (scorer,)
        return rows[(rows["group"] == group) & rows["corruption"].isin(corruptions) & rows["scorer"].isin(scorers)]

    @cached_property
    def at_chosen_k(self) -> pd.DataFrame:
        """One row an answer and K method; sweeps are not in it."""
        rows = []
        for answer, _ in self.scored(self.corruptions):
            curve = self.curves[answer.dataset, answer.corruption, answer.scorer, answer.seed]
            for method, choice in self.choices(answer).items():
                row = self._where(answer) | {"method": method, "oracle": choice.is_oracle, "uses": choice.uses}
                rows.append(row | {"k": choice.k} | curve.at(choice.k))
        return pd.DataFrame(rows, columns=[*KEYS, "status", "method", "oracle", "uses", "k", *CURVES])

    def scored(self, corruptions: Collection[str]) -> Iterator[tuple[ScorerAnswer, Array]]:
        """Answers that have scores, with them, of the scorers that are compared."""
        for answer in self.answers:
            if answer.matrix is not None and answer.scorer not in self.sweeps and answer.corruption in corruptions:
                yield answer, answer.matrix

    def _where(self, answer: ScorerAnswer) -> dict[str, object]:
        return {
            "group": self.systems[answer.dataset].group,
            "dataset": answer.dataset,
            "corruption": answer.corruption,
            "scorer": answer.scorer,
            "seed": answer.seed,
            "status": str(answer.status),
        }
