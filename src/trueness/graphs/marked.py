"""A graph: named nodes and a mark at each end of each edge.

marks[i, j] is the mark at j's end of the edge between i and j:

    i -> j     marks[i, j] = ARROW,  marks[j, i] = TAIL
    i -- j     TAIL at both ends          i <-> j    ARROW at both ends
    i o-> j    marks[i, j] = ARROW,  marks[j, i] = CIRCLE

Kinds: `dag` (all edges ->, no cycle), `cpdag` (-> and --, a Markov equivalence class of DAGs),
`pag` (circles too, latent confounders allowed), `weighted` (scores: weights[i, j] is the strength of i -> j,
both directions may carry one; it has no edges to score until `threshold` or `top` is called).
A matrix becomes a graph only with its direction and its names: transposed graphs have overturned published studies.
"""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass, field
from typing import Literal, NamedTuple, Self, get_args

import numpy as np
from numpy.typing import ArrayLike, NDArray

from trueness.errors import GraphError, did_you_mean, listed
from trueness.graphs import equivalence
from trueness.graphs.equivalence import ARROW, CIRCLE, NONE, TAIL

Kind = Literal["dag", "cpdag", "pag", "weighted"]
Direction = Literal["row to column", "column to row"]
Marks = NDArray[np.int8]
Targets = Iterable[Iterable[str]]  # the nodes of each intervention

_LEFT = {TAIL: "-", ARROW: "<", CIRCLE: "o"}
_RIGHT = {TAIL: "-", ARROW: ">", CIRCLE: "o"}


class Edge(NamedTuple):
    """One edge; `str(edge)` is what a paper would write, e.g. `smoke -> cancer`."""

    source: str
    target: str
    source_mark: int
    target_mark: int
    weight: float | None = None

    @property
    def arrow(self) -> str:
        """`->`, `--`, `<->`, `o->`, `o-o` or `-o`."""
        middle = "" if self.source_mark == TAIL else "-"
        return _LEFT[self.source_mark] + middle + _RIGHT[self.target_mark]

    def __str__(self) -> str:
        return f"{self.source} {self.arrow} {self.target}"


@dataclass(frozen=True, eq=False, repr=False)
class MarkedGraph:
    """Nodes, marks and, where there are any, weights. Checked when made, never changed afterwards."""

    nodes: tuple[str, ...]
    marks: Marks
    weights: NDArray[np.float64] | None = None
    kind: Kind = "dag"
    _index: dict[str, int] = field(init=False, default_factory=dict)

    def __post_init__(self) -> None:
        nodes = tuple(str(node) for node in self.nodes)
        marks = np.array(self.marks, dtype=np.int8)
        object.__setattr__(self, "nodes", nodes)
        object.__setattr__(self, "marks", marks)
        object.__setattr__(self, "_index", {node: i for i, node in enumerate(nodes)})
        if self.weights is not None:
            object.__setattr__(self, "weights", np.array(self.weights, dtype=np.float64))
        self._check()
        marks.setflags(write=False)
        if self.weights is not None:
            self.weights.setflags(write=False)

    def _check(self) -> None:
        d = len(self.nodes)
        if self.kind not in get_args(Kind):
            raise GraphError(f"'kind' of a graph must be one of {listed(get_args(Kind))}, got {self.kind!r}.")
        if len(self._index) != d:
            twice = sorted(node for node, count in Counter(self.nodes).items() if count > 1)
            raise GraphError(f"node names must be unique, got {listed(twice)} more than once. Rename them.")
        for what, matrix in (("marks", self.marks), ("weights", self.weights)):
            if matrix is not None and matrix.shape != (d, d):
                raise GraphError(f"'{what}' of a graph with {d} nodes must be {d} x {d}, got {matrix.shape}.")
        self._check_marks()
        if self.weights is not None:
            self._check_weights(self.weights)

    def _check_weights(self, weights: NDArray[np.float64]) -> None:
        if not np.isfinite(weights).all():
            raise GraphError("'weights' of a graph must be finite numbers, got nan or inf. Use 0 for no edge.")
        stray = np.argwhere((weights != 0) & ~equivalence.arcs(self.marks))
        if len(stray):  # threshold would bring back an edge that the marks deny
            i, j = stray[0]
            got = f"{weights[i, j]:g} for {self.nodes[i]} -> {self.nodes[j]}"
            raise GraphError(f"a weight must belong to an edge, got {got}, which the marks do not have. Use 0 there.")

    def _check_marks(self) -> None:
        if self.marks.size and not NONE <= self.marks.min() <= self.marks.max() <= CIRCLE:
            raise GraphError("a mark must be 0 (none), 1 (tail), 2 (arrow) or 3 (circle). Use Graph.from_matrix.")
        if self.marks.diagonal().any():
            node = self.nodes[int(np.flatnonzero(self.marks.diagonal())[0])]
            raise GraphError(f"an edge must join two nodes, got an edge from {node!r} to itself.")
        if ((self.marks != NONE) != (self.marks.T != NONE)).any():
            raise GraphError("an edge must have a mark at both ends. Use Graph.from_matrix or Graph.from_edges.")
        if self.kind == "dag":
            undirected = (self.marks != NONE) & (self.marks == self.marks.T) | (self.marks == CIRCLE)
            if undirected.any():
                i, j = np.argwhere(undirected)[0]
                raise GraphError(
                    f"a dag must have directed edges only, got {self._edge(i, j)}. Use kind='cpdag' or kind='pag'."
                )
            cycle = self.find_cycle()
            if cycle:
                raise GraphError(f"a dag must have no cycle, got {' -> '.join(cycle)}.")
        if self.kind == "cpdag" and (self.marks == CIRCLE).any():
            raise GraphError("a cpdag must have no circle marks. Use kind='pag'.")

    # ---- making graphs

    @classmethod
    def from_matrix(
        cls, matrix: ArrayLike, nodes: Sequence[str], direction: Direction | None = None, kind: Kind = "dag"
    ) -> Self:
        """Nonzero entries are edges; an entry with its mirror is `--` in a cpdag, `<->` in a pag.

        direction "row to column": matrix[i, j] != 0 means i -> j (notears, networkx, gadjid);
        "column to row": matrix[i, j] != 0 means j -> i (lingam). There is no default on purpose.
        """
        if direction not in get_args(Direction):
            raise GraphError(
                f"'direction' of a matrix must be 'row to column' (M[i, j] means i -> j, as in notears) or "
                f"'column to row' (M[i, j] means j -> i, as in lingam), got {direction!r}. Say which."
            )
        try:
            values = np.asarray(matrix, dtype=np.float64)
        except (TypeError, ValueError):
            raise GraphError("a matrix of a graph must be a table of numbers, got other content.") from None
        if values.shape != (len(nodes), len(nodes)):
            raise GraphError(f"a matrix over {len(nodes)} nodes must be square of that size, got shape {values.shape}.")
        values = values if direction == "row to column" else values.T
        edge = values != 0
        both = edge & edge.T
        marks = np.zeros(values.shape, dtype=np.int8)
        marks[edge] = ARROW
        marks[edge.T & ~edge] = TAIL
        if kind == "cpdag":
            marks[both] = TAIL
        elif kind == "dag" and np.triu(both, 1).any():
            i, j = np.argwhere(np.triu(both, 1))[0]
            raise GraphError(
                f"a dag must have one direction an edge, got {nodes[i]} -> {nodes[j]} and {nodes[j]} -> {nodes[i]}. "
                "Use kind='cpdag' if the pair means an undirected edge."
            )
        plain = ((values == 0) | (values == 1)).all()
        return cls(tuple(nodes), marks, None if plain and kind != "weighted" else values, kind)

    @classmethod
    def empty(cls, nodes: Sequence[str], kind: Kind = "dag") -> Self:
        return cls(tuple(nodes), np.zeros((len(nodes), len(nodes)), dtype=np.int8), None, kind)

    # ---- reading a graph

    def __len__(self) -> int:
        return len(self.nodes)

    def index(self, node: str) -> int:
        if node not in self._index:
            raise GraphError(f"{node!r} is not a node of this graph. {did_you_mean(node, self.nodes)}".rstrip())
        return self._index[node]

    @property
    def edges(self) -> tuple[Edge, ...]:
        """Every edge once, written so that its stronger mark is at the target."""
        return tuple(self._edges())

    def _edges(self) -> Iterator[Edge]:
        for i, j in np.argwhere(np.triu(self.marks)):
            yield self._edge(i, j)

    def _edge(self, i: int, j: int) -> Edge:
        # arrow after circle after tail, so that i -> j and o-> never come out as <- or <-o
        rank = {TAIL: 0, CIRCLE: 1, ARROW: 2, NONE: 0}
        if rank[int(self.marks[i, j])] < rank[int(self.marks[j, i])]:
            i, j = j, i
        weight = None if self.weights is None else float(self.weights[i, j])
        return Edge(self.nodes[i], self.nodes[j], int(self.marks[j, i]), int(self.marks[i, j]), weight)

    @property
    def adjacent(self) -> NDArray[np.bool_]:
        """adjacent[i, j]: there is an edge of any kind between i and j."""
        return np.asarray(self.marks != NONE)

    @property
    def directed(self) -> NDArray[np.bool_]:
        """directed[i, j]: the edge i -> j is there."""
        return np.asarray((self.marks == ARROW) & (self.marks.T == TAIL))

    @property
    def undirected(self) -> NDArray[np.bool_]:
        """undirected[i, j]: the edge i -- j is there (symmetric)."""
        return np.asarray((self.marks == TAIL) & (self.marks.T == TAIL))

    def n_edges(self) -> int:
        return int(np.count_nonzero(self.marks)) // 2

    def parents(self, node: str) -> tuple[str, ...]:
        return tuple(self.nodes[i] for i in np.flatnonzero(self.directed[:, self.index(node)]))

    def find_cycle(self) -> tuple[str, ...]:
        """Nodes of a directed cycle (first = last), or nothing."""
        return tuple(self.nodes[i] for i in equivalence.find_cycle(self.directed))

    def topological_order(self) -> tuple[str, ...]:
        """Causes before effects; among equals the order of the nodes."""
        order = equivalence.topological_order(self.directed)
        if order is None:
            raise GraphError(f"a graph with a cycle has no order of causes: {' -> '.join(self.find_cycle())}.")
        return tuple(self.nodes[i] for i in order)

    def problems(self, targets: Targets = ()) -> tuple[str, ...]:
        """Why this is not a valid graph of its kind; empty when it is. Learners' answers often are not.

        targets: of interventions, whose class a cpdag is to be of (`to_cpdag`).
        """
        problems = []
        cycle = self.find_cycle()
        if cycle and self.kind != "weighted":
            problems.append(f"has a directed cycle {' -> '.join(cycle)}")
        if self.kind == "cpdag":
            bidirected = np.argwhere(np.triu((self.marks == ARROW) & (self.marks.T == ARROW)))
            problems += [f"has a bidirected edge {self._edge(i, j)}" for i, j in bidirected[:1]]
            if not problems and not equivalence.is_cpdag(self.directed, self.undirected, self._cut_edges(targets)):
                problems.append("is not the CPDAG of any DAG")
        return tuple(problems)

    def is_valid(self) -> bool:
        return not self.problems()

    def d_separated(self, x: str, y: str, given: Iterable[str] = ()) -> bool:
        """Whether `given` blocks every path between x and y in this DAG."""
        self._need("dag", "d-separation")
        z = [self.index(node) for node in given]
        return equivalence.d_separated(self.directed, self.index(x), self.index(y), z)

    def _need(self, kind: Kind, what: str) -> None:
        if self.kind != kind:
            raise GraphError(f"{what} is defined on a {kind}, got a {self.kind}.")

    # ---- other graphs from this one

    def to_cpdag(self, targets: Targets = ()) -> Self:
        """The CPDAG of this DAG: colliders, then Meek's rules.

        targets: the nodes of each intervention, () for observational rows. The graph is then that of the
        interventional class (I-CPDAG): edges between a target and a node that is none are directed too.
        """
        if self.kind == "cpdag" and not targets:
            return self
        self._need("dag", "to_cpdag")
        return type(self)(self.nodes, equivalence.cpdag_of_dag(self.directed, self._cut_edges(targets)), None, "cpdag")

    def _cut_edges(self, targets: Targets) -> NDArray[np.bool_] | None:
        sets = [{self.index(node) for node in nodes} for nodes in targets]
        always = sorted(set.intersection(*sets)) if sets else []
        if always:
            raise GraphError(
                f"{self.nodes[always[0]]!r} must be free in some rows, got it among the targets of every intervention. "
                "Add observational rows: ()."
            )
        held = np.array([[i in nodes for i in range(len(self))] for nodes in sets], dtype=bool)
        return equivalence.cut_edges(held) if any(sets) else None

    def to_pag(self, latent: Iterable[str] = ()) -> Self:
        """The PAG over the observed nodes when `latent` ones are hidden (none by default)."""
        if self.kind == "pag":
            return self
        self._need("dag", "to_pag")
        hidden = {self.index(node) for node in latent}
        observed = [i for i in range(len(self)) if i not in hidden]
        marks = equivalence.pag_of_dag(self.directed, observed)
        return type(self)(tuple(self.nodes[i] for i in observed), marks, None, "pag")

    def reorder(self, nodes: Sequence[str]) -> Self:
        """The same graph with its nodes in another order."""
        if set(nodes) != set(self.nodes) or len(nodes) != len(self):
            odd = set(nodes) ^ set(self.nodes)
            raise GraphError(f"the nodes must be the same {len(self)} names, got a difference: {listed(sorted(odd))}.")
        if tuple(nodes) == self.nodes:
            return self
        order = np.array([self._index[node] for node in nodes], dtype=np.intp)
        weights = None if self.weights is None else self.weights[np.ix_(order, order)]
        return type(self)(tuple(nodes), self.marks[np.ix_(order, order)], weights, self.kind)

    def rename(self, names: Mapping[str, str]) -> Self:
        return type(self)(tuple(names.get(node, node) for node in self.nodes), self.marks, self.weights, self.kind)

    def threshold(self, at: float, kind: Kind = "dag") -> Self:
        """Keep the weights with |w| >= at, as a graph of the given kind."""
        if self.weights is None:
            raise GraphError("threshold needs weights, and this graph has none.")
        kept = np.where(np.abs(self.weights) >= at, self.weights, 0.0)
        return self.from_matrix(kept, self.nodes, direction="row to column", kind=kind)

    def __repr__(self) -> str:
        return f"Graph({self.kind}, {len(self)} nodes, {self.n_edges()} edges: {listed(self.edges)})"

    def __eq__(self, other: object) -> bool:
        """Same kind, names and marks (and weights), whatever the order of the nodes."""
        if not isinstance(other, MarkedGraph):
            return NotImplemented
        if self.kind != other.kind or set(self.nodes) != set(other.nodes):
            return False
        other = other.reorder(self.nodes)
        if (self.weights is None) != (other.weights is None):
            return False
        same_weights = self.weights is None or np.array_equal(self.weights, other.weights)  # type: ignore[arg-type]
        return bool(np.array_equal(self.marks, other.marks)) and same_weights

    def __hash__(self) -> int:
        ends = (frozenset({(edge.source, edge.source_mark), (edge.target, edge.target_mark)}) for edge in self.edges)
        return hash((self.kind, frozenset(self.nodes), frozenset(ends)))


def infer_kind(marks: Marks) -> Kind:
    """The narrowest kind that these marks fit: dag, then cpdag, then pag."""
    if (marks == CIRCLE).any() or ((marks == ARROW) & (marks.T == ARROW)).any():
        return "pag"
    if ((marks == TAIL) & (marks.T == TAIL)).any():
        return "cpdag"
    return "dag"
