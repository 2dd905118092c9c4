"""Graph: a marked graph (marked.py) that goes in and out of formats (formats.py says what each holds) and pictures."""

from __future__ import annotations

from collections.abc import Iterable, Mapping, Sequence
from pathlib import Path
from typing import TYPE_CHECKING, Self

from trueness.graphs import bif, dot, drawing, formats, libraries, links
from trueness.graphs.marked import Kind, MarkedGraph

if TYPE_CHECKING:
    import networkx
    import pandas
    from causallearn.graph.GeneralGraph import GeneralGraph
    from causallearn.graph.GraphClass import CausalGraph


class Graph(MarkedGraph):
    """Nodes, marks and, where there are any, weights. Checked when made, never changed afterwards."""

    @classmethod
    def of(cls, made: MarkedGraph) -> Self:
        """The same graph, which was checked when it was made."""
        graph = object.__new__(cls)
        graph.__dict__.update(made.__dict__)
        return graph

    @classmethod
    def from_edges(cls, edges: Iterable[str], nodes: Sequence[str] | None = None, kind: Kind | None = None) -> Self:
        """From text such as `["a -> b", "b -- c", "c o-> d"]`; the kind is inferred where not given."""
        return cls.of(links.assemble(map(links.parse_link, edges), nodes, kind))

    @classmethod
    def read(cls, path: str | Path) -> Self:
        """From a file: .json, .dot, .gv, .bif, .bif.gz, .csv or .tsv."""
        return cls.of(formats.read_graph(path))

    def write(self, path: str | Path) -> None:
        """Into a file whose suffix says the format."""
        formats.write_graph(self, path)

    @classmethod
    def from_networkx(cls, graph: networkx.Graph, kind: Kind | None = None) -> Self:
        return cls.of(libraries.from_networkx(graph, kind))

    to_networkx = libraries.to_networkx

    @classmethod
    def from_causallearn(
        cls, graph: GeneralGraph | CausalGraph, kind: Kind | None = None, nodes: Sequence[str] | None = None
    ) -> Self:
        return cls.of(libraries.from_causallearn(graph, kind, nodes))

    @classmethod
    def from_pandas(cls, frame: pandas.DataFrame, nodes: Sequence[str] | None = None, kind: Kind | None = None) -> Self:
        return cls.of(libraries.from_pandas(frame, nodes, kind))

    to_pandas = libraries.to_pandas

    @classmethod
    def from_json(cls, text: str) -> Self:
        return cls.of(formats.from_json(text))

    to_json = formats.to_json

    @classmethod
    def from_dot(cls, text: str) -> Self:
        return cls.of(dot.from_dot(text))

    to_dot = dot.to_dot

    @classmethod
    def from_bif(cls, text: str) -> Self:
        return cls.of(bif.from_bif(text))

    def to_svg(self, truth: MarkedGraph | None = None, labels: Mapping[tuple[str, str], str] | None = None) -> str:
        """A drawing; with a truth, its edges are marked correct, reversed, extra or missing. labels: of edges."""
        return drawing.to_svg(self, truth, labels)

    def _repr_svg_(self) -> str:
        return drawing.to_svg(self)
