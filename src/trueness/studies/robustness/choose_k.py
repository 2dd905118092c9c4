"""How many edges to keep: K from what is known, and what was known for it.

    oracle_k               argmax_K mean F1 on the validation corruption, against the true graph       the original's
    k_from_other_graphs    argmax_K mean F1 over the other graphs: leave one graph out
    metric = "shd"         argmin_K of the mean SHD (fp + fn) instead, in both                         the original's
    interval of K          percentiles of the argmax over resampled curves (seeds of the graph)
    matched_k              one learner's K for all of them                                             the original's
    own_k                  the edges that a learner keeps by its own rule

K without any truth is in label_free.py. `oracle_k` sees the very truth that it is scored against; on the corruption it
was chosen on, its F1 is the best that any K could give. It is named oracle wherever it is shown. What it gains is

    optimism = F1 at oracle_k - F1 at k_from_other_graphs,   one difference a graph, paired; an exact sign-flip interval

Graphs may have different numbers of nodes: K is carried over as edges a node, K' = round(K d' / d).
"""

from __future__ import annotations

from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass, replace
from typing import Literal

import numpy as np

from trueness.errors import DataError, SettingError, did_you_mean
from trueness.graphs import Graph
from trueness.intervals import Interval
from trueness.statistics import Comparison, paired_difference
from trueness.statistics.result import interval_cells
from trueness.studies.robustness.sensitivity import Array, Counts, SensitivityCurve, check_k

Uses = Literal[
    "the rows alone", "the truths of other graphs", "the truth of this graph (oracle)", "nothing: it was given"
]
Curves = Mapping[str, Sequence[SensitivityCurve]]  # graph -> its curves, one a seed or corruption
Metric = Literal["f1", "shd"]
RESAMPLES = 2000
FEWEST_CURVES = 6  # below it resampling cannot bound a K at 95 %


@dataclass(frozen=True)
class KChoice:
    """A K, how it was found, and on what. `fits`: how often the learner was run for it."""

    k: int
    method: str
    uses: Uses
    learner: str = ""
    fits: int = 0
    note: str = ""
    interval: Interval | None = None  # of K, where it was chosen on several curves that differ

    @property
    def is_oracle(self) -> bool:
        return "oracle" in self.uses

    def row(self) -> dict[str, str | float | bool | None]:
        return {
            "learner": self.learner,
            "method": self.method,
            "k": self.k,
            **interval_cells(self.interval, "k"),
            "oracle": self.is_oracle,
            "uses": self.uses,
            "fits": self.fits,
            "note": self.note,
        }

    def __str__(self) -> str:
        whose = f" of {self.learner}" if self.learner else ""
        more = f" {self.note}" if self.note else ""
        ends = f" [{self.interval.low:.0f}, {self.interval.high:.0f}]" if self.interval else ""
        return f"K = {self.k}{ends}{whose} by {self.method} (uses {self.uses}; {self.fits} fits).{more}"


def oracle_k(
    validation: Sequence[SensitivityCurve],
    learner: str = "",
    within: tuple[int, int] | None = None,
    metric: Metric = "f1",
    level: float = 0.95,
) -> KChoice:
    """The K with the best mean F1 (or SHD) over the curves of the validation corruption, the smallest of several.

    within: a K range, e.g. original_range(...); all K otherwise.
    """
    if not validation:
        raise DataError("oracle_k must have at least one curve of the validation corruption, got none.")
    if len({len(curve.k) for curve in validation}) > 1:
        raise DataError("curves for one K must be of the same number of nodes, got several.")
    curves = [curve.between(*within) for curve in validation] if within else list(validation)
    merits = np.array([_merit(curve, metric) for curve in curves])
    k = curves[0].k[np.argmax(merits.mean(axis=0))]
    interval = _interval_of_k(curves[0].k, merits, level)
    constant = interval is None and len(merits) >= FEWEST_CURVES
    note = f"It saw the truth that it is scored against.{' Resampled seeds give the same K.' if constant else ''}"
    uses: Uses = "the truth of this graph (oracle)"
    return KChoice(int(k), "oracle_k", uses, learner, 1, note, interval)


def _interval_of_k(ks: Counts, merits: Array, level: float) -> Interval | None:
    """Curves (rows) drawn anew; None of too few curves, or where every draw has the same K: a constant."""
    n, tail = len(merits), (1 - level) / 2
    if n < FEWEST_CURVES:
        return None
    draws = np.random.default_rng(0).multinomial(n, np.full(n, 1 / n), RESAMPLES)
    low, high = np.quantile(ks[np.argmax(draws @ merits, axis=1)], [tail, 1 - tail], method="nearest")
    return Interval(low, high, level, "mean") if low < high else None


def k_from_other_graphs(curves: Curves, target: str, learner: str = "", metric: Metric = "f1") -> KChoice:
    """The K for `target` with the best mean F1 (or SHD) over all other graphs; each graph weighs the same."""
    if target not in curves:
        raise SettingError(f"{target!r} is not one of the graphs. {did_you_mean(target, curves)}".rstrip())
    others = [several for name, several in curves.items() if name != target and several]
    if not others:
        raise DataError(f"k_from_other_graphs for {target!r} must have other graphs to choose on, got none. Add one.")
    d = curves[target][0].nodes
    wanted = np.arange(1, d * (d - 1) + 1)
    value = np.mean(
        [np.mean([_merit_at(curve, wanted * curve.nodes / d, metric) for curve in some], axis=0) for some in others], 0
    )
    note = f"From {len(others)} other graph{'s' if len(others) > 1 else ''}."
    return KChoice(
        int(wanted[np.argmax(value)]), "k_from_other_graphs", "the truths of other graphs", learner, len(others), note
    )


def leave_one_graph_out(curves: Curves, learner: str = "", metric: Metric = "f1") -> dict[str, KChoice]:
    """k_from_other_graphs for every graph."""
    return {target: k_from_other_graphs(curves, target, learner, metric) for target in curves}


def matched_k(choice: KChoice, learners: Iterable[str]) -> dict[str, KChoice]:
    """The same K for all learners, as the original had it; it favours the learner that it was chosen for."""
    note = f"Matched to {choice.learner or 'another learner'}'s {choice.method}."
    named = f"matched to {choice.method}"
    return {
        name: replace(
            choice, learner=name, fits=0, note=note, method=named if name != choice.learner else choice.method
        )
        for name in learners
    }


def own_k(graph: Graph, learner: str = "") -> KChoice:
    """The number of ordered pairs that a learner keeps by its own rule; an undirected edge is two."""
    count = int(np.count_nonzero(graph.directed) + np.count_nonzero(graph.undirected))
    note = "" if count else "The learner kept no edge."
    return KChoice(count, "own rule", "the rows alone", learner, 1, note)


def f1_at(curves: Sequence[SensitivityCurve], k: int) -> float:
    """Mean F1 over curves at one K."""
    return float(np.mean([_merit(curve, "f1")[curve.place(check_k(k, curve.nodes))] for curve in curves]))


def optimism(
    validation: Curves, test: Curves, learner: str = "", chosen: Mapping[str, tuple[int, int]] | None = None
) -> Comparison:
    """F1 on the test corruptions at oracle_k minus that at k_from_other_graphs, paired by graph, with its interval.

    validation, test: graph -> curves. Both K are chosen on validation curves; only the oracle looks at the graph's own.
    chosen: graph -> (oracle_k, k_from_other_graphs), where they are known already.
    """
    graphs = [name for name in test if name in validation]
    if set(graphs) != set(test):
        absent = sorted(set(test) - set(validation))
        raise DataError(f"every graph of 'test' must have validation curves, got none for {absent[0]!r}.")
    if chosen is None:
        others = leave_one_graph_out(validation, learner)
        chosen = {name: (oracle_k(validation[name]).k, others[name].k) for name in graphs}
    best, honest = ([f1_at(test[name], chosen[name][which]) for name in graphs] for which in (0, 1))
    measure = f"F1 of {learner}" if learner else "F1"
    gain = paired_difference(best, honest, names=("oracle_k", "k_from_other_graphs"))
    return gain.described(measure=measure, units="graphs", better="higher")


def _merit(curve: SensitivityCurve, metric: Metric) -> Array:
    """The larger the better. F1 is 0 where nothing is kept of nothing: no edge is the worst that a K can do."""
    return np.nan_to_num(curve.f1) if metric == "f1" else -curve.shd_reversals_twice


def _merit_at(curve: SensitivityCurve, k: Array, metric: Metric) -> Array:
    """At the nearest K that the curve has."""
    place = np.clip(np.rint(k).astype(np.intp), curve.k[0], curve.k[-1]) - curve.k[0]
    return np.asarray(_merit(curve, metric)[place])
