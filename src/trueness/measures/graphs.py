"""How near a learned graph comes to the true one.

An edge is correct when both its marks equal those of the reference. With E edges in the estimate, T in the
reference, tp correct ones and d nodes:

    precision = tp / E        recall = tp / T        f1 = 2 tp / (E + T)
    shd = number of unordered pairs whose marks differ: missing, extra, reversed, wrong mark count 1 each, at most
          d(d-1)/2;    shd_reversals_twice = E + T - 2 tp = fp + fn
    skeleton_*: the same with adjacency in place of marks;    arrowhead_*: over ordered pairs (i, j), arrow at j

The reference of an estimate's own class is the DAG, its CPDAG (with targets of interventions its I-CPDAG), or its PAG:
the best that such a learner can answer.
`dag_*` is against the DAG whatever the class; what a flawless answer of the class gets there is `Reference.perfect`
(asia: the true CPDAG has dag_f1 .625 and dag_shd 3), which is no ceiling: a lucky guess may beat it.
Chance is the truth of the class with its nodes permuted: with N_m of the d(d-1) ordered pairs marked m, an edge,

    E f1 = E precision = E recall = E tp / T = sum_m N_m^2 / (2 T d(d-1))          (a DAG: T / (d(d-1)))

0/0 is undefined, never 0: an estimate without edges has no precision.

Adjustment identification distances: does the estimate tell which effects can be had, and how?

    distance = (ordered pairs (x, y) whose effect the estimate identifies wrongly) / (d (d - 1))

For each pair the estimate names an adjustment set (its parents, its ancestors or the optimal set of x) or says that
there is no effect or no identification; the pair is wrong when the reference disagrees. SID is the older distance
between DAGs. Computed by gadjid (Henckel, Wuertzen & Weichwald 2024; Peters & Buehlmann 2015 for the SID).

The reference is the truth of the estimate's own class. gadjid trusts its input: a matrix that is no CPDAG gets a
number without meaning, and PC often answers one. So an estimate that is not a valid graph of its class, and a PAG,
for which no such distance is defined, are undefined here.
gadjid keeps a pool of threads: a process forked after its first use hangs at the second. Workers must be spawned.
"""

from __future__ import annotations

from collections.abc import Iterable, Mapping
from dataclasses import dataclass
from types import MappingProxyType

import numpy as np
from numpy.typing import NDArray

from trueness.errors import GraphError, SettingError, did_you_mean
from trueness.graphs import ARROW, NONE, Graph, Kind
from trueness.graphs.marked import Targets
from trueness.measure import Measure
from trueness.measures.score import UNDEFINED, Score, ratio

DISTANCES = ("parent_aid", "ancestor_aid", "oset_aid", "sid")


def identification_distances(
    estimate: Graph, reference: Graph | None, names: Iterable[str] = DISTANCES
) -> dict[str, Score]:
    """The named distances; `reference` is of the estimate's class with its nodes in the same order, or None."""
    distances = dict.fromkeys(names, UNDEFINED)
    if reference is None or estimate.kind not in ("dag", "cpdag") or len(estimate) < 2 or estimate.problems():
        return distances
    import gadjid  # late: comparing marks does without it

    truth, guess = _as_gadjid(reference), _as_gadjid(estimate)
    for name in distances:
        if name == "sid" and estimate.kind != "dag":
            continue
        distance, _ = getattr(gadjid, name)(truth, guess, edge_direction="from row to column")
        distances[name] = Score(float(distance))
    return distances


def _as_gadjid(graph: Graph) -> NDArray[np.int8]:
    """1 at (i, j) for i -> j, 2 once for i -- j, as gadjid reads it."""
    return (graph.directed + 2 * np.triu(graph.undirected)).astype(np.int8)


# ---- marks


Scores = dict[str, Score]

_OWN, _DAG = "own class", "dag"
_EDGES = {
    "precision": ("precision", "correct edges / edges of the estimate"),
    "recall": ("recall", "correct edges / edges of the reference"),
    "f1": ("F1", "2 x correct edges / (edges of the estimate + edges of the reference)"),
}
_SHD = "unordered pairs whose marks differ (missing, extra, reversed, wrong mark: 1 each)"
_AID = "share of ordered pairs whose effect is wrongly identified by the {} of the estimate"


def _catalogue() -> Iterable[Measure]:
    for prefix, reference, what in (("", _OWN, ""), ("dag_", _DAG, ", against the DAG")):
        for name, (title, text) in _EDGES.items():
            yield Measure(prefix + name, title + what, "higher", reference, text)
        yield Measure(prefix + "shd", "SHD" + what, "lower", reference, _SHD, maximum=None)
    for part, text in (("skeleton", "adjacencies"), ("arrowhead", "arrowheads")):
        for name, (title, formula) in _EDGES.items():
            formula = formula.replace("edges", text)
            yield Measure(f"{part}_{name}", f"{part} {title}", "higher", _OWN, formula)
    yield Measure("shd_normalised", "SHD / pairs", "lower", _OWN, "SHD / (d(d-1)/2)")
    twice = "fp + fn: as SHD, and a reversed edge or a wrong mark counts 2"
    yield Measure("shd_reversals_twice", "SHD, reversals twice", "lower", _OWN, twice, maximum=None)
    yield Measure("parent_aid", "parent AID", "lower", _OWN, _AID.format("parents"))
    yield Measure("ancestor_aid", "ancestor AID", "lower", _OWN, _AID.format("ancestors"))
    yield Measure("oset_aid", "optimal-set AID", "lower", _OWN, _AID.format("optimal adjustment sets"))
    sid = "share of ordered pairs whose interventional distribution is wrongly inferred; a DAG against a DAG only"
    yield Measure("sid", "SID", "lower", _DAG, sid)


MEASURES: Mapping[str, Measure] = MappingProxyType({measure.name: measure for measure in _catalogue()})
"""Every measure of a graph, in the order of the tables; the one source for lists and docs."""

MARK_MEASURES = tuple(name for name in MEASURES if name not in DISTANCES)
"""Those that only compare marks: fast, and defined for every class."""


@dataclass(frozen=True)
class _Target:
    """A reference graph in the form that scores fast: `pairs` has one number an unordered pair of nodes."""

    graph: Graph
    pairs: NDArray[np.int8]
    n_edges: int
    arrows: NDArray[np.bool_]
    n_arrows: int


class Reference:
    """A true DAG that scores many estimates: `Reference(truth).score(estimate)`.

    With `latent` nodes only the others are observed. The own-class reference is then the PAG; the truth is no DAG
    or CPDAG over the observed nodes, so own-class measures of such estimates are undefined, and `dag_*` compares
    with the direct edges between observed nodes. With `targets` of interventions (for a learner that uses them) the
    reference of a CPDAG is that of the interventional class.
    """

    def __init__(self, truth: Graph, latent: Iterable[str] = (), targets: Targets = ()):
        if truth.kind != "dag":
            raise GraphError(f"the truth must be a dag, got a {truth.kind}.")
        self.truth = truth
        self.latent = tuple(latent)
        self.targets = tuple(tuple(node for node in nodes if node in truth.nodes) for nodes in targets)
        hidden = {truth.index(node) for node in self.latent}
        kept = [i for i in range(len(truth)) if i not in hidden]
        self.nodes = tuple(truth.nodes[i] for i in kept)
        d = len(kept)
        self._n_pairs = d * (d - 1) // 2
        above, below = np.triu_indices(d, k=1)
        self._upper, self._lower = above * d + below, below * d + above  # flat places of the two marks of a pair
        self._targets: dict[Kind, _Target] = {}
        self._perfect: dict[Kind, Scores] = {}
        self._dag = self._target_of(Graph(self.nodes, truth.marks[np.ix_(kept, kept)], None, "dag"))

    def score(self, estimate: Graph, measures: Iterable[str] | None = None) -> Scores:
        """The scores of an estimate, by name; all of MEASURES unless some are asked for (MARK_MEASURES is fast)."""
        wanted = tuple(MEASURES) if measures is None else _check_names(measures)
        if estimate.kind == "weighted":
            raise GraphError("a weighted graph has no edges to score yet. Call threshold(...) first.")
        estimate = estimate.reorder(self.nodes)
        target = self._own_class(estimate.kind)
        scores = self._mark_scores(estimate, target)
        distances = tuple(name for name in wanted if name in DISTANCES)
        if distances:
            scores |= identification_distances(estimate, None if target is None else target.graph, distances)
        return {name: scores[name] for name in wanted}

    def perfect(self, kind: Kind) -> Scores:
        """What the true graph of this class gets against the DAG: perfect_precision, _recall, _f1 and _shd."""
        if kind not in self._perfect:
            target = self._own_class(kind)
            if target is None:
                raise GraphError(f"a truth with latent nodes has no {kind} over the observed ones. Ask for 'pag'.")
            self._perfect[kind] = _edge_scores("perfect_", target.pairs, target.n_edges, self._dag)
        return dict(self._perfect[kind])

    def chance(self, kind: Kind) -> float | None:
        """E f1 of the truth of this class with its nodes permuted; None where there is none, or it has no edge."""
        target = self._own_class(kind)
        if target is None or not target.n_edges:
            return None
        ordered = np.concatenate([target.pairs, target.pairs // 4 + target.pairs % 4 * 4])  # each pair both ways
        marked = np.bincount(ordered, minlength=1)[1:].astype(np.float64)
        return float(np.sum(marked**2) / (2 * target.n_edges * len(ordered)))

    def _own_class(self, kind: Kind) -> _Target | None:
        """The truth of a class, made once; None when there is none."""
        if kind == "weighted":
            raise GraphError("a weighted graph has no class. Call threshold(...) first.")
        if self.latent and kind != "pag":
            return None
        if kind == "dag":
            return self._dag
        if kind not in self._targets:
            graph = self.truth.to_cpdag(self.targets) if kind == "cpdag" else self.truth.to_pag(self.latent)
            self._targets[kind] = self._target_of(graph)
        return self._targets[kind]

    def _target_of(self, graph: Graph) -> _Target:
        arrows = graph.marks == ARROW
        return _Target(graph, self._encode(graph), graph.n_edges(), arrows, int(np.count_nonzero(arrows)))

    def _encode(self, graph: Graph) -> NDArray[np.int8]:
        """One number an unordered pair, from its two marks; 0 is no edge."""
        flat = graph.marks.ravel()
        pairs: NDArray[np.int8] = flat[self._upper] * np.int8(4) + flat[self._lower]
        return pairs

    def _mark_scores(self, estimate: Graph, target: _Target | None) -> Scores:
        pairs = self._encode(estimate)
        edges = int(np.count_nonzero(pairs))
        scores = _edge_scores("dag_", pairs, edges, self._dag)
        if target is None:
            return dict.fromkeys(MARK_MEASURES, UNDEFINED) | scores
        scores |= _edge_scores("", pairs, edges, target)
        adjacent = int(np.count_nonzero((pairs != NONE) & (target.pairs != NONE)))
        scores |= _triple("skeleton_", adjacent, edges, target.n_edges)
        arrows = estimate.marks == ARROW
        shared = int(np.count_nonzero(arrows & target.arrows))
        scores |= _triple("arrowhead_", shared, int(np.count_nonzero(arrows)), target.n_arrows)
        scores["shd_normalised"] = ratio(float(scores["shd"]), self._n_pairs)
        correct = int(np.count_nonzero((pairs == target.pairs) & (pairs != NONE)))
        scores["shd_reversals_twice"] = Score(float(edges + target.n_edges - 2 * correct))
        return scores


def score_graph(estimate: Graph, truth: Graph, latent: Iterable[str] = (), targets: Targets = ()) -> Scores:
    """All measures of one estimate against a true DAG, nodes matched by name. Many estimates: use Reference."""
    return Reference(truth, latent, targets).score(estimate)


def _edge_scores(prefix: str, pairs: NDArray[np.int8], edges: int, target: _Target) -> Scores:
    correct = int(np.count_nonzero((pairs == target.pairs) & (pairs != NONE)))
    shd = int(np.count_nonzero(pairs != target.pairs))
    return _triple(prefix, correct, edges, target.n_edges) | {f"{prefix}shd": Score(float(shd))}


def _triple(prefix: str, correct: int, estimated: int, true: int) -> Scores:
    return {
        f"{prefix}precision": ratio(correct, estimated),
        f"{prefix}recall": ratio(correct, true),
        f"{prefix}f1": ratio(2 * correct, estimated + true),
    }


def _check_names(measures: Iterable[str]) -> tuple[str, ...]:
    names = tuple(measures)
    for name in names:
        if name not in MEASURES:
            raise SettingError(f"{name!r} is not a measure of a graph. {did_you_mean(name, MEASURES)}".rstrip())
    return names
