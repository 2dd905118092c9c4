"""Graphviz DOT, out and in: `digraph { kind=pag; a -> b [dir=both, arrowtail=odot, arrowhead=normal]; }`.

arrowhead is the mark at the target, arrowtail the one at the source: normal = arrow, none = tail, odot = circle.
A plain `a -> b` is directed, `a -- b` undirected. Strengths are `strength` and `reverse_strength`, because Graphviz
takes `weight` for a layout hint; the reader accepts `weight` where every edge has one.
The reader is a tokenizer and a loop for the part of DOT that people write for causal graphs: no subgraphs, no
recursion, nothing evaluated.
"""

from __future__ import annotations

import re
from collections.abc import Iterator
from typing import NamedTuple, NoReturn

from trueness.errors import GraphError, listed
from trueness.graphs.equivalence import ARROW, CIRCLE, TAIL
from trueness.graphs.links import Link, assemble, check_text, links_of, weight_of
from trueness.graphs.marked import MarkedGraph

_SHAPE_OF_MARK = {TAIL: "none", ARROW: "normal", CIRCLE: "odot"}
_MARK_OF_SHAPE = {
    **dict.fromkeys(("none",), TAIL),
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
  | (?P<sign>[{}\[\];,=:+])
    """,
    re.VERBOSE | re.MULTILINE | re.DOTALL,
)


class _DotToken(NamedTuple):
    kind: str  # text, edge, word, sign or end
    value: str
    line: int


class _Told(NamedTuple):
    source: str
    target: str
    sign: str
    says: dict[str, str]
    line: int


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


def _tokens(text: str) -> Iterator[_DotToken]:
    position, line = 0, 1
    while position < len(text):
        if text[position] == "<":  # an HTML label
            end = _html_end(text, position)
            kind, value = "text", text[position:end]
        else:
            match = _TOKEN.match(text, position)
            if match is None:
                raise GraphError(
                    f"line {line} of a DOT graph must go on with a name, '->', '--', '[' or ';', got "
                    f"{text[position : position + 20]!r}. Put names with other characters in double quotes."
                )
            end, kind, value = match.end(), match.lastgroup or "", match.group()
        if kind == "text" and value.startswith('"'):
            value = re.sub(r"\\(\r?\n|[\\\"])", lambda m: "" if m[1].endswith("\n") else m[1], value[1:-1])
        if kind != "skip":
            yield _DotToken(kind, value, line)
        line += text.count("\n", position, end)
        position = end
    yield _DotToken("end", "the end of the text", line)


def _html_end(text: str, start: int) -> int:
    depth = 0
    for match in re.compile("[<>]").finditer(text, start):
        depth += 1 if match.group() == "<" else -1
        if depth == 0:
            return match.end()
    raise GraphError("a '<' of a DOT graph must be closed by a '>', got the end of the text.")


class _DotReader:
    """Statement after statement, with the edge defaults that hold at that point."""

    def __init__(self, text: str):
        self._stream = _tokens(text)
        self._now = next(self._stream)
        self._nodes: dict[str, None] = {}
        self._edges: list[_Told] = []
        self._about: dict[str, str] = {}
        self._defaults: dict[str, str] = {}

    def graph(self) -> MarkedGraph:
        if self._is("strict"):
            self._take()
        if not (self._is("digraph") or self._is("graph")):
            self._refuse("'digraph {' or 'graph {'")
        self._take()
        if self._now.kind in ("word", "text"):
            self._take()
        self._expect("{")
        while not self._sign("}"):
            self._statement()
        self._take()
        if self._now.kind != "end":
            self._refuse("one graph and then its end")
        weighted = self._about.get("weights") == "true"
        by_weight = all("weight" in edge.says and "strength" not in edge.says for edge in self._edges)
        links = [_link(edge, "weight" if by_weight else "strength") for edge in self._edges]
        return assemble(links, list(self._nodes), self._about.get("kind"), weighted)

    def _statement(self) -> None:
        if self._sign(";") or self._sign(","):
            self._take()
        elif self._sign("{") or self._is("subgraph"):
            raise GraphError(
                f"a DOT graph must be flat, got a subgraph in line {self._now.line}. Write its edges one by one."
            )
        elif self._is("node") or self._is("edge") or self._is("graph"):
            where = self._take().value.lower()
            into = {"edge": self._defaults, "graph": self._about}.get(where, {})
            into.update(self._attributes())
        else:
            self._nodes_or_edges()

    def _nodes_or_edges(self) -> None:
        line = self._now.line
        chain, signs = [self._name()], []
        if self._sign("="):  # kind=pag
            self._take()
            self._about[chain[0]] = self._name()
            return
        while self._now.kind == "edge":
            signs.append(self._take().value)
            if self._sign("{") or self._is("subgraph"):
                self._statement()  # refuses it
            chain.append(self._name())
            self._port()
        if not signs:
            self._port()
        self._nodes.update(dict.fromkeys(chain))
        says = {**self._defaults, **self._attributes()}
        for source, sign, target in zip(chain, signs, chain[1:], strict=False):
            self._edges.append(_Told(source, target, sign, says, line))

    def _port(self) -> None:
        """`a:n` or `a:port:n` says where on its box an edge ends; the graph is the same."""
        while self._sign(":"):
            self._take()
            self._name()

    def _attributes(self) -> dict[str, str]:
        attributes: dict[str, str] = {}
        while self._sign("["):
            self._take()
            while not self._sign("]"):
                if self._sign(",") or self._sign(";"):
                    self._take()
                    continue
                name, value = self._name(), "true"
                if self._sign("="):
                    self._take()
                    value = self._name()
                attributes[name.lower()] = value
            self._take()
        return attributes

    def _name(self) -> str:
        """An id: a word, a number, or quoted pieces joined by '+'."""
        if self._now.kind not in ("word", "text"):
            self._refuse("a name")
        first = self._take()
        value = first.value
        while first.kind == "text" and self._sign("+"):
            self._take()
            if self._now.kind != "text":
                self._refuse("a quoted text")
            value += self._take().value
        return value

    def _is(self, keyword: str) -> bool:
        return self._now.kind == "word" and self._now.value.lower() == keyword

    def _sign(self, sign: str) -> bool:
        return self._now.kind == "sign" and self._now.value == sign

    def _take(self) -> _DotToken:
        taken = self._now
        if taken.kind == "end":
            self._refuse("a closing '}'")
        self._now = next(self._stream)
        return taken

    def _expect(self, sign: str) -> None:
        if not self._sign(sign):
            self._refuse(f"'{sign}'")
        self._take()

    def _refuse(self, wanted: str) -> NoReturn:
        got = self._now.value if self._now.kind == "end" else repr(self._now.value[:40])
        raise GraphError(f"line {self._now.line} of a DOT graph must have {wanted}, got {got}.")


def _link(edge: _Told, strength: str) -> Link:
    """Graphviz's own rule: `dir` says at which ends arrowhead and arrowtail are drawn at all."""
    says, where = edge.says, f"line {edge.line} of a DOT graph"
    way = says.get("dir", "forward" if edge.sign == "->" else "none")
    if way not in ("forward", "back", "both", "none"):
        raise GraphError(f"'dir' in {where} must be one of forward, back, both, none, got {way!r}.")
    head = _shape(says.get("arrowhead", "normal"), where) if way in ("forward", "both") else TAIL
    tail = _shape(says.get("arrowtail", "normal"), where) if way in ("back", "both") else TAIL
    weight, back = (weight_of(says.get(name), where) for name in (strength, "reverse_strength"))
    return Link(edge.source, edge.target, tail, head, weight, back)


def _shape(shape: str, where: str) -> int:
    if shape not in _MARK_OF_SHAPE:
        raise GraphError(f"an arrow in {where} must be one of {listed(_MARK_OF_SHAPE, 12)}, got {shape!r}.")
    return _MARK_OF_SHAPE[shape]
