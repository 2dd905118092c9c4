"""Links: edges as a file or another library tells them, and the one way from them to a Graph.

Every reader ends in `assemble`, so that one set of rules (names known, one edge a pair, weights for all edges
or for none, sizes bounded) and one set of messages holds for networkx, pandas, JSON, DOT, BIF and CSV alike.
"""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Sequence
from itertools import product
from typing import NamedTuple

import numpy as np
from numpy.typing import NDArray

from trueness.errors import GraphError, did_you_mean, listed
from trueness.graphs.equivalence import ARROW, CIRCLE, NONE, TAIL
from trueness.graphs.marked import Edge, Kind, MarkedGraph, infer_kind

# a graph is a dense matrix: 5,000 nodes are 25 MB of marks and 200 MB of weights, munin (the largest in use) has 1,041
MAX_NODES = 5_000
MAX_CHARACTERS = 64 * 1024 * 1024
MAX_PARTS = 2_000_000  # edges, and values of a JSON text: each costs memory however short it is

WORD_OF_MARK = {TAIL: "tail", ARROW: "arrow", CIRCLE: "circle"}
MARK_OF_WORD = {word: mark for mark, word in WORD_OF_MARK.items()}
MARKS_OF_ARROW = {Edge("", "", a, b).arrow: (a, b) for a, b in product(WORD_OF_MARK, repeat=2)}


class Link(NamedTuple):
    """source -> target unless the marks say otherwise; reverse_weight is the strength of target -> source."""

    source: str
    target: str
    source_mark: int = TAIL
    target_mark: int = ARROW
    weight: float | None = None
    reverse_weight: float | None = None

    def __str__(self) -> str:
        return str(Edge(*self[:4]))


def parse_link(text: str) -> Link:
    """Of text such as `a -> b` or `c o-> d`."""
    parts = text.split()
    arrow = parts[1] if len(parts) == 3 else ""
    if len(arrow) < 2 or arrow[0] not in "-<o" or arrow[-1] not in "->o" or arrow[1:-1].strip("-"):
        raise GraphError(f"an edge must read 'a -> b' (or --, <->, o->, o-o), got {text!r}.")
    marks = {"-": TAIL, "<": ARROW, ">": ARROW, "o": CIRCLE}
    return Link(parts[0], parts[2], marks[arrow[0]], marks[arrow[-1]])


def links_of(graph: MarkedGraph) -> Iterator[Link]:
    """The edges of a graph with the weights of both directions (a reverse weight of 0 is left out)."""
    for edge in graph.edges:
        back = None
        if graph.weights is not None:
            back = float(graph.weights[graph.index(edge.target), graph.index(edge.source)]) or None
        yield Link(*edge, back)


def assemble(
    links: Iterable[Link],
    nodes: Sequence[str] | None = None,
    kind: str | None = None,
    weighted: bool = False,
    pair_means: Kind | None = None,
) -> MarkedGraph:
    """A graph from links; nodes in the order of first mention and the narrowest kind where they are not given.

    `a -> b` and `b -> a` together are what `Graph.from_matrix` makes of them: `--` in a cpdag, `<->` in a pag or a
    weighted graph, an error in a dag. Without a kind they are an error too, unless `pair_means` says how to read them.
    `weighted` keeps weights even where no link carries one (a graph without edges).
    """
    links = list(links)
    if len(links) > MAX_PARTS:
        raise GraphError(f"a graph must have at most {MAX_PARTS:,} edges, got {len(links):,}. Read a part of it.")
    if nodes is None:
        nodes = tuple(dict.fromkeys(name for link in links for name in link[:2]))
    if len(nodes) > MAX_NODES:
        raise GraphError(f"a graph must have at most {MAX_NODES:,} nodes, got {len(nodes):,}. Read a part of it.")
    index = {node: i for i, node in enumerate(nodes)}
    marks = np.zeros((len(nodes), len(nodes)), dtype=np.int8)
    for link in links:
        i, j = (_place(name, link, index) for name in link[:2])
        if marks[i, j] == NONE:
            marks[i, j], marks[j, i] = link.target_mark, link.source_mark
        elif marks[i, j] == TAIL and marks[j, i] == ARROW and link[2:4] == (TAIL, ARROW):
            kind = kind or pair_means
            marks[i, j] = marks[j, i] = _pair(link, kind)
        else:
            raise GraphError(f"a pair of nodes must have one edge, got a second one: {link}. Remove one of them.")
    weights = _weights(links, index) if weighted or any(link.weight is not None for link in links) else None
    # MarkedGraph itself refuses a kind that is none of the four
    return MarkedGraph(tuple(nodes), marks, weights, kind or infer_kind(marks))  # type: ignore[arg-type]


def _place(name: str, link: Link, index: dict[str, int]) -> int:
    if name not in index:
        raise GraphError(f"{name!r} in edge '{link}' is not a node. {did_you_mean(name, index)}".rstrip())
    return index[name]


def _pair(link: Link, kind: str | None) -> int:
    """The mark at both ends when an edge is told in both directions."""
    if kind in (None, "dag"):
        back = Link(link.target, link.source)
        raise GraphError(
            f"a pair of nodes must have one edge, got {back} and {link}. Remove one of them, or say the kind: "
            "cpdag if the two mean an undirected edge, weighted if they are scores."
        )
    return TAIL if kind == "cpdag" else ARROW


def _weights(links: Sequence[Link], index: dict[str, int]) -> NDArray[np.float64]:
    weights = np.zeros((len(index), len(index)))
    for link in links:
        if link.weight is None:
            raise GraphError(f"every edge must have a weight or none, got none for {link}. Fill it in.")
        i, j = index[link.source], index[link.target]
        weights[i, j] = link.weight
        if link.reverse_weight is not None:
            weights[j, i] = link.reverse_weight
    return weights


def mark_of(word: object, where: str) -> int:
    mark = MARK_OF_WORD.get(word) if isinstance(word, str) else None
    if mark is None:
        raise GraphError(f"a mark of {where} must be one of {listed(MARK_OF_WORD)}, got {word!r}.")
    return mark


def weight_of(value: object, where: str) -> float | None:
    """A weight as a number; None stays None (no weight)."""
    if value is None:
        return None
    try:
        return float(value)  # type: ignore[arg-type]
    except (TypeError, ValueError, OverflowError):
        raise GraphError(f"the weight of {where} must be a number, got {value!r}.") from None


def check_text(text: object, what: str, parts: str = "") -> str:
    """The text itself when it is text of a bounded size; each sign of `parts` in it begins a part."""
    if not isinstance(text, str):
        raise GraphError(f"{what} must be text, got {type(text).__name__}. Decode it first.")
    if len(text) > MAX_CHARACTERS:
        raise GraphError(f"{what} must have at most {MAX_CHARACTERS:,} characters, got {len(text):,}. Read a part.")
    count = sum(text.count(sign) for sign in parts)
    if count > MAX_PARTS:
        raise GraphError(f"{what} must have at most {MAX_PARTS:,} parts, got {count:,} {parts!r}. Read a part of it.")
    return text
