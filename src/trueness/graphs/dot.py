"""Graphviz DOT, out and in: `digraph { kind=pag; a -> b [dir=both, arrowtail=odot, arrowhead=normal]; }`.

arrowhead is the mark at the target, arrowtail the one at the source: normal = arrow, none = tail, odot = circle.
A plain `a -> b` is directed, `a -- b` undirected. Strengths are `strength` and `reverse_strength`, because Graphviz
takes `weight` for a layout hint; the reader accepts `weight` where every edge has one.
The reader is a tokenizer and a loop for the part of DOT that people write for causal graphs: no subgraphs, no HTML,
nothing evaluated. It reads 10,000 edges in .1 s, pydot takes 38.
"""

from __future__ import annotations

import re
from collections.abc import Iterator
from typing import NoReturn

from trueness.errors import GraphError, listed
from trueness.graphs.equivalence import ARROW, CIRCLE, TAIL
from trueness.graphs.links import Link, assemble, check_text, links_of, weight_of
from trueness.graphs.marked import MarkedGraph

_SHAPE_OF_MARK = {TAIL: "none", ARROW: "normal", CIRCLE: "odot"}
_MARK_OF_SHAPE = {
    "none": TAIL,
    **dict.fromkeys(("normal", "vee", "open", "empty", "onormal", "halfopen"), ARROW),
    **dict.fromkeys(("odot", "dot"), CIRCLE),
}
_KEYWORDS = {"node", "edge", "graph", "digraph", "subgraph", "strict"}

# possessive, and each alternative starts differently: a match or a failure costs one look at each character
_TOKEN = re.compile(
    r"""
    (?P<skip>\s+ | //[^\n]* | ^\#[^\n]* | /\*[^*]*+\*++(?:[^/*][^*]*+\*++)*+/)
  | (?P<text>"[^"\\]*+(?:\\.[^"\\]*+)*+")
  | (?P<edge>->|--)
  | (?P<word>(?:[^\W\d]|[^\x00-\x7f])(?:\w|[^\x00-\x7f])* | -?(?:\.\d+|\d+(?:\.\d*)?))
  | (?P<sign>[{}\[\];,=:])
    """,
    re.VERBOSE | re.MULTILINE | re.DOTALL,
)


Told = tuple[str, str, str, dict[str, str], int]  # source, target, -> or --, what it says of itself, line


def to_dot(graph: MarkedGraph) -> str:
    """DOT text that Graphviz draws with the right end marks."""
    lines = ["digraph {", f"  kind={graph.kind};"]
    if graph.weights is not None:
        lines.append("  weights=true;")
    lines += [f"  {_quote(node)};" for node in graph.nodes]
    for link in links_of(graph):
        says = []
        if (link.source_mark, link.target_mark) != (TAIL, ARROW):
            tail, head = _SHAPE_OF_MARK[link.source_mark], _SHAPE_OF_MARK[link.target_mark]
            says += ["dir=both", f"arrowtail={tail}", f"arrowhead={head}"]
        if link.weight is not None:
            says.append(f'strength="{link.weight!r}"')
        if link.reverse_weight is not None:
            says.append(f'reverse_strength="{link.reverse_weight!r}"')
        attributes = f" [{', '.join(says)}]" if says else ""
        lines.append(f"  {_quote(link.source)} -> {_quote(link.target)}{attributes};")
    return "\n".join([*lines, "}", ""])


def _quote(name: str) -> str:
    if re.fullmatch(r"[A-Za-z_][A-Za-z0-9_]*", name) and name.lower() not in _KEYWORDS:
        return name
    return '"' + name.replace("\\", "\\\\").replace('"', '\\"') + '"'


def from_dot(text: str) -> MarkedGraph:
    """The graph in DOT text; see the head of this file for what is read."""
    return _DotReader(check_text(text, "a DOT graph")).graph()


def _tokens(text: str) -> Iterator[tuple[str, str, int]]:
    """Each as its kind (text, edge, word, sign or end), its value and its line."""
    position, line = 0, 1
    while position < len(text):
        match = _TOKEN.match(text, position)
        if match is None:
            raise GraphError(
                f"line {line} of a DOT graph must go on with a name, '->', '--', '[' or ';', got "
                f"{text[position : position + 20]!r}. Put names with other characters in double quotes."
            )
        end, kind, value = match.end(), match.lastgroup or "", match.group()
        if kind == "text":
            value = re.sub(r"\\(\r?\n|[\\\"])", lambda m: "" if m[1].endswith("\n") else m[1], value[1:-1])
        if kind != "skip":
            yield kind, value, line
        line += text.count("\n", position, end)
        position = end
    yield "end", "the end of the text", line


class _DotReader:
    """Statement after statement, with the edge defaults that hold at that point."""

    def __init__(self, text: str):
        self._stream = _tokens(text)
        self._kind, self._value, self._line = next(self._stream)
        self._nodes: dict[str, None] = {}
        self._edges: list[Told] = []
        self._about: dict[str, str] = {}
        self._defaults: dict[str, str] = {}

    def graph(self) -> MarkedGraph:
        self._skip("strict")
        if not self._skip("digraph", "graph"):
            self._refuse("'digraph {' or 'graph {'")
        if self._kind in ("word", "text"):
            self._take()
        if not self._skip("{"):
            self._refuse("'{'")
        while not self._skip("}"):
            self._statement()
        if self._kind != "end":
            self._refuse("one graph and then its end")
        by_weight = all("weight" in says and "strength" not in says for _, _, _, says, _ in self._edges)
        links = [_link(*edge, strength="weight" if by_weight else "strength") for edge in self._edges]
        weighted = self._about.get("weights") == "true"
        return assemble(links, list(self._nodes), self._about.get("kind"), weighted)

    def _statement(self) -> None:
        if self._skip(";", ","):
            return
        into = {"node": {}, "edge": self._defaults, "graph": self._about}.get(self._word())
        if into is not None:
            self._take()
            into.update(self._attributes())
            return
        line, chain, signs = self._line, [self._node()], []
        if self._skip("="):  # kind=pag
            self._about[chain[0]] = self._name()
            return
        while self._kind == "edge":
            signs.append(self._take())
            chain.append(self._node())
        self._nodes.update(dict.fromkeys(chain))
        says = {**self._defaults, **self._attributes()}
        self._edges += [(*ends, says, line) for ends in zip(chain, chain[1:], signs, strict=False)]

    def _node(self) -> str:
        """A name of a node; where on its box an edge ends (`a:n`) is not read."""
        if (self._kind, self._value) == ("sign", "{") or self._word() == "subgraph":
            raise GraphError(
                f"a DOT graph must be flat, got a subgraph in line {self._line}. Write its edges one by one."
            )
        return self._name()

    def _attributes(self) -> dict[str, str]:
        attributes: dict[str, str] = {}
        while self._skip("["):
            while not self._skip("]"):
                if not self._skip(",", ";"):
                    name = self._name().lower()
                    attributes[name] = self._name() if self._skip("=") else "true"
        return attributes

    def _name(self) -> str:
        """An id: a word, a number, or a quoted text."""
        if self._kind not in ("word", "text"):
            self._refuse("a name")
        return self._take()

    def _word(self) -> str:
        return self._value.lower() if self._kind == "word" else ""

    def _skip(self, *wanted: str) -> bool:
        """Go on behind one of these signs or keywords, if it comes next."""
        comes = self._word() in wanted or (self._kind == "sign" and self._value in wanted)
        if comes:
            self._take()
        return comes

    def _take(self) -> str:
        if self._kind == "end":
            self._refuse("a closing '}'")
        taken = self._value
        self._kind, self._value, self._line = next(self._stream)
        return taken

    def _refuse(self, wanted: str) -> NoReturn:
        got = self._value if self._kind == "end" else repr(self._value[:40])
        raise GraphError(f"line {self._line} of a DOT graph must have {wanted}, got {got}.")


def _link(source: str, target: str, sign: str, says: dict[str, str], line: int, strength: str) -> Link:
    """Graphviz's own rule: `dir` says at which ends arrowhead and arrowtail are drawn at all."""
    where = f"line {line} of a DOT graph"
    way = says.get("dir", "forward" if sign == "->" else "none")
    if way not in ("forward", "back", "both", "none"):
        raise GraphError(f"'dir' in {where} must be one of forward, back, both, none, got {way!r}.")
    head = _shape(says.get("arrowhead", "normal"), where) if way in ("forward", "both") else TAIL
    tail = _shape(says.get("arrowtail", "normal"), where) if way in ("back", "both") else TAIL
    weight, back = (weight_of(says.get(name), where) for name in (strength, "reverse_strength"))
    return Link(source, target, tail, head, weight, back)


def _shape(shape: str, where: str) -> int:
    if shape not in _MARK_OF_SHAPE:
        raise GraphError(f"an arrow in {where} must be one of {listed(_MARK_OF_SHAPE, 12)}, got {shape!r}.")
    return _MARK_OF_SHAPE[shape]
