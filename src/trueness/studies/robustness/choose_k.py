"""How many edges to keep: K from what is known, and what was known for it.

    oracle_k               argmax_K mean F1 on the validation corruption, against the true graph       the original's
    k_from_other_graphs    argmax_K mean F1 over the other graphs: leave one graph out
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
from numpy.typing import NDArray

from trueness.errors import DataError, SettingError, did_you_mean
from trueness.graphs import Graph
from trueness.statistics import Comparison, paired_difference
from trueness.studies.robustness.sensitivity import SensitivityCurve, check_k

Uses = Literal[
    "the rows alone", "the truths of other graphs", "the truth of this graph (oracle)", "nothing: it was given"
]
Curves = Mapping[str, Sequence[SensitivityCurve]]  # graph -> its curves, one a seed or corruption


@dataclass(frozen=True)
class KChoice:
    """A K, how it was found, and on what. `fits`: how often the learner was run for it."""

    k: int
    method: str
    uses: Uses
    learner: str = ""
    fits: int = 0
    note: str = ""

    @property
    def is_oracle(self) -> bool:
        return "oracle" in self.uses

    def row(self) -> dict[str, str | int | bool]:
        return {
            "learner": self.learner,
            "method": self.method,
            "k": self.k,
            "oracle": self.is_oracle,
            "uses": self.uses,
            "fits": self.fits,
            "note": self.note,
        }

    def __str__(self) -> str:
        whose = f" of {self.learner}" if self.learner else ""
        more = f" {self.note}" if self.note else ""
        return f"K = {self.k}{whose} by {self.method} (uses {self.uses}; {self.fits} fits).{more}"


def oracle_k(
    validation: Sequence[SensitivityCurve], learner: str = "", within: tuple[int, int] | None = None
) -> KChoice:
    """The K with the best mean F1 over the curves of the validation corruption, the smallest of several.

    within: a K range, e.g. original_range(...); all K otherwise.
    """
    if not validation:
        raise DataError("oracle_k must have at least one curve of the validation corruption, got none.")
    if len({len(curve.k) for curve in validation}) > 1:
        raise DataError("curves for one K must be of the same number of nodes, got several.")
    curves = [curve.between(*within) for curve in validation] if within else list(validation)
    best = int(np.argmax(np.mean([_f1(curve) for curve in curves], axis=0)))
    note = "It saw the truth that it is scored against."
    return KChoice(int(curves[0].k[best]), "oracle_k", "the truth of this graph (oracle)", learner, 1, note)


def k_from_other_graphs(curves: Curves, target: str, learner: str = "") -> KChoice:
    """The K for `target` with the best mean F1 over all other graphs; each graph weighs the same."""
    if target not in curves:
        raise SettingError(f"{target!r} is not one of the graphs. {did_you_mean(target, curves)}".rstrip())
    others = [several for name, several in curves.items() if name != target and several]
    if not others:
        raise DataError(f"k_from_other_graphs for {target!r} must have other graphs to choose on, got none. Add one.")
    d = curves[target][0].nodes
    wanted = np.arange(1, d * (d - 1) + 1)
    value = np.mean(
        [np.mean([_f1_at(curve, wanted * curve.nodes / d) for curve in some], axis=0) for some in others], 0
    )
    note = f"From {len(others)} other graph{'s' if len(others) > 1 else ''}."
    return KChoice(
        int(wanted[np.argmax(value)]), "k_from_other_graphs", "the truths of other graphs", learner, len(others), note
    )


def leave_one_graph_out(curves: Curves, learner: str = "") -> dict[str, KChoice]:
    """k_from_other_graphs for every graph."""
    return {target: k_from_other_graphs(curves, target, learner) for target in curves}


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
    return float(np.mean([_f1(curve)[curve.place(check_k(k, curve.nodes))] for curve in curves]))


def optimism(validation: Curves, test: Curves, learner: str = "") -> Comparison:
    """F1 on the test corruptions at oracle_k minus that at k_from_other_graphs, paired by graph, with its interval.

    validation, test: graph -> curves. Both K are chosen on validation curves; only the oracle looks at the graph's own.
    """
    graphs = [name for name in test if name in validation]
    if set(graphs) != set(test):
        absent = sorted(set(test) - set(validation))
        raise DataError(f"every graph of 'test' must have validation curves, got none for {absent[0]!r}.")
    others = leave_one_graph_out(validation, learner)
    best = [f1_at(test[name], oracle_k(validation[name]).k) for name in graphs]
    honest = [f1_at(test[name], others[name].k) for name in graphs]
    measure = f"F1 of {learner}" if learner else "F1"
    found = paired_difference(best, honest, names=("oracle_k", "k_from_other_graphs"))
    return found.described(measure=measure, units="graphs", better="higher")


def _f1(curve: SensitivityCurve) -> NDArray[np.float64]:
    """F1 with 0 where nothing is kept of nothing: no edge is the worst that a K can do."""
    return np.asarray(np.nan_to_num(curve.f1))


def _f1_at(curve: SensitivityCurve, k: NDArray[np.float64]) -> NDArray[np.float64]:
    """F1 at the nearest K that the curve has."""
    place = np.clip(np.rint(k).astype(np.intp), curve.k[0], curve.k[-1]) - curve.k[0]
    found: NDArray[np.float64] = _f1(curve)[place]
    return found
