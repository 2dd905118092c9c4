"""Graphs as text: JSON (ours), GraphML (through networkx) and BIF (the structure of a Bayesian network).

JSON     {"format": "trueness-graph", "version": 1, "kind": "cpdag", "nodes": ["a", "b"],
          "edges": [{"source": "a", "target": "b", "marks": "--"}]}; also plain {"nodes": [...], "edges": [["a", "b"]]}.
GraphML  arcs, marks and weights as `to_networkx` lays them out.
BIF      `variable X { ... }` and `probability ( X | A, B ) { ... }` blocks; only names and parents are read here.
"""

from __future__ import annotations

import json
import re
from collections.abc import Collection, Iterator
from itertools import product
from typing import TYPE_CHECKING
from xml.etree.ElementTree import ParseError

from trueness.errors import GraphError, did_you_mean, listed
from trueness.graphs.libraries import from_networkx, to_networkx
from trueness.graphs.links import MARKS_OF_ARROW, MAX_NODES, Link, assemble, check_text, links_of, weight_of
from trueness.graphs.marked import Edge, MarkedGraph
from trueness.outside import json_of

if TYPE_CHECKING:
    import networkx

# ---- JSON


FORMATS = ("trueness-graph", "assay-graph")  # the second: what the program wrote before it had this name


def to_json(graph: MarkedGraph) -> str:
    """One edge a line, so that a change of a graph is a readable change of its file."""
    head = {"format": FORMATS[0], "version": 1, "kind": graph.kind}
    if graph.weights is not None:
        head["weights"] = True
    lines = [_dumps(_json_edge(link)) for link in links_of(graph)]
    edges = "[" + ",".join(f"\n  {line}" for line in lines) + "]"
    return f'{_dumps(head)[:-1]},\n "nodes": {_dumps(list(graph.nodes))},\n "edges": {edges}}}\n'


def _dumps(value: object) -> str:
    return json.dumps(value, ensure_ascii=False, allow_nan=False)


def _json_edge(link: Link) -> dict[str, str | float]:
    edge: dict[str, str | float] = {"source": link.source, "target": link.target, "marks": Edge(*link[:4]).arrow}
    if link.weight is not None:
        edge["weight"] = link.weight
    if link.reverse_weight is not None:
        edge["reverse_weight"] = link.reverse_weight
    return edge


def from_json(text: str) -> MarkedGraph:
    """From our own form, or from plain {"nodes": [...], "edges": [["a", "b"], ...]}, which means a -> b."""
    content = json_of(check_text(text, "a JSON graph", ",{["), "a JSON graph", GraphError)
    if not isinstance(content, dict) or not all(isinstance(content.get(part), list) for part in ("nodes", "edges")):
        raise GraphError('a JSON graph must be {"nodes": [...], "edges": [...]}, got other content. See Graph.to_json.')
    if content.get("format", FORMATS[0]) not in FORMATS or content.get("version", 1) != 1:
        got = f"{content.get('format')!r:.60} version {content.get('version')!r:.60}"
        raise GraphError(f"a JSON graph must be of format 'trueness-graph' version 1, got {got}. Update trueness.")
    kind = content.get("kind")
    if not isinstance(kind, str | None):
        raise GraphError(f"'kind' of a JSON graph must be text, got {kind!r:.60}.")
    nodes = [_json_name(node) for node in content["nodes"]]
    return assemble([_json_link(edge) for edge in content["edges"]], nodes, kind, content.get("weights") is True)


def _json_name(value: object) -> str:
    if not isinstance(value, str | int) or isinstance(value, bool):
        raise GraphError(f"a node of a JSON graph must be text, got {value!r:.60}.")
    return str(value)


def _json_link(edge: object) -> Link:
    if isinstance(edge, list) and len(edge) == 2:
        return Link(_json_name(edge[0]), _json_name(edge[1]))
    if not isinstance(edge, dict) or not {"source", "target"} <= set(edge):
        raise GraphError(
            f'an edge of a JSON graph must be ["a", "b"] or {{"source": "a", "target": "b", "marks": "->"}}, '
            f"got {edge!r:.60}."
        )
    marks = edge.get("marks", "->")
    if not isinstance(marks, str) or marks not in MARKS_OF_ARROW:
        raise GraphError(f"'marks' of an edge must be one of {listed(MARKS_OF_ARROW, 9)}, got {marks!r:.60}.")
    where = f"edge {edge['source']!r:.60} to {edge['target']!r:.60}"
    weights = [weight_of(edge.get(name), where) for name in ("weight", "reverse_weight")]
    return Link(_json_name(edge["source"]), _json_name(edge["target"]), *MARKS_OF_ARROW[marks], *weights)


# ---- GraphML

# what XML cannot carry, or gives back changed: control characters, line ends, lone surrogates
_NOT_XML = re.compile("[\x00-\x1f\x7f-\x9f\ud800-\udfff\ufffe\uffff]")
_ESCAPE = re.compile(r"\\(?:\\|u([0-9a-f]{4}))")


def to_graphml(graph: MarkedGraph) -> str:
    """GraphML; names with characters that XML cannot carry are written with \\uXXXX, and the file says so."""
    import networkx

    out = to_networkx(graph)
    if any(_NOT_XML.search(node) for node in graph.nodes):
        names = {node: _NOT_XML.sub(_escape, node.replace("\\", "\\\\")) for node in graph.nodes}
        out = networkx.relabel_nodes(out, names)
        out.graph["names"] = "escaped"
    return "\n".join(networkx.generate_graphml(out)) + "\n"


def _escape(match: re.Match[str]) -> str:
    return f"\\u{ord(match.group()):04x}"


def from_graphml(text: str) -> MarkedGraph:
    """From GraphML, ours or plain (directed edges as ->, undirected ones as --).

    Files of igraph and yEd number the nodes n0, n1, ... and keep the names in a `name` or `label`: those are taken.
    """
    import networkx

    text = check_text(text, "a GraphML graph", "<")
    if re.search(r"<!\s*(?:DOCTYPE|ENTITY)", text, re.IGNORECASE):
        raise GraphError("a GraphML graph must not declare a DOCTYPE or an ENTITY, got one. Remove the declaration.")
    # a str that declares another encoding confuses the parser; we decoded it already
    text = re.sub(r"^\s*<\?xml[^>]*\?>", "", text.removeprefix("\ufeff"))
    if text.count("<node") > MAX_NODES:
        raise GraphError(
            f"a graph must have at most {MAX_NODES:,} nodes, got {text.count('<node'):,}. Read a part of it."
        )
    try:
        read = networkx.parse_graphml(text, node_type=str)
    except ParseError as error:
        raise GraphError(f"a GraphML graph must be valid XML, got: {error}.") from None
    except (
        networkx.NetworkXException, LookupError, ValueError, TypeError, AttributeError, ArithmeticError, RecursionError,
    ) as error:  # fmt: skip
        why = " ".join(str(error).split())[:200]
        raise GraphError(f"a GraphML graph must be readable by networkx, got {type(error).__name__}: {why}.") from None
    if read.graph.get("names") == "escaped":
        names = {node: _ESCAPE.sub(_unescape, node) for node in read.nodes}
    else:
        names = _labels(read)
    if len(set(names.values())) < len(names):
        raise GraphError("the names of a GraphML graph must be unique, got one twice.")
    return from_networkx(networkx.relabel_nodes(read, names))


def _unescape(match: re.Match[str]) -> str:
    return chr(int(match[1], 16)) if match[1] else "\\"


def _labels(graph: networkx.Graph) -> dict[str, str]:
    """Names for nodes that are only numbered, where each has a name of its own."""
    if not all(re.fullmatch(r"n?\d+", node) for node in graph.nodes):
        return {}
    for key in ("name", "label"):
        names = {node: str(data[key]) for node, data in graph.nodes(data=True) if key in data}
        if names and len(set(names.values())) == len(graph):
            return names
    return {}


# ---- BIF

_STATES = ("no", "yes")
_MOST_ROWS = 4096
# possessive, so that a hostile text costs one look at each character and no memory
_QUOTED = r'"[^"\\]*+(?:\\.[^"\\]*+)*+"'
_PROPERTY = re.compile(rf"property\s+trueness_name\s*=\s*({_QUOTED})\s*;", re.DOTALL)


def to_bif(graph: MarkedGraph) -> str:
    """BIF with the structure of a dag.

    A BIF file must have states and tables and a graph has none, so every variable gets the states no and yes and a
    uniform table (one `default` entry where the rows would be more than 4,096). A name that is no word of BIF is
    written as a word, and in full in a property of its variable.
    """
    if graph.kind != "dag":
        raise GraphError(f"a BIF file holds a dag, got a {graph.kind}. Use JSON, DOT or GraphML.")
    words = _bif_words(graph.nodes)
    lines = ["network unknown {", "}"]
    for node, word in words.items():
        lines += [f"variable {word} {{", f"  type discrete [ 2 ] {{ {', '.join(_STATES)} }};"]
        if word != node:
            lines.append(f"  property trueness_name = {json.dumps(node)};")
        lines.append("}")
    for node, word in words.items():
        parents = [words[parent] for parent in graph.parents(node)]
        lines.append(f"probability ( {word}{' | ' if parents else ''}{', '.join(parents)} ) {{")
        if not parents:
            lines.append("  table 0.5, 0.5;")
        elif 2 ** len(parents) > _MOST_ROWS:
            lines.append("  default 0.5, 0.5;")
        else:
            lines += [f"  ({', '.join(row)}) 0.5, 0.5;" for row in product(_STATES, repeat=len(parents))]
        lines.append("}")
    return "\n".join([*lines, ""])


def _bif_words(nodes: Collection[str]) -> dict[str, str]:
    """Each node's name as a word of BIF, no two alike; a word stays as it is."""
    words: dict[str, str] = {}
    taken = {node for node in nodes if re.fullmatch(r"[A-Za-z_][A-Za-z0-9_-]*", node)}
    for node in nodes:
        word = node
        if node not in taken:
            stem = re.sub(r"[^A-Za-z0-9_-]", "_", node[:60])
            stem = stem if re.match(r"[A-Za-z_]", stem) else f"_{stem}"
            word, number = stem, 1
            while word in taken:
                number += 1
                word = f"{stem}_{number}"
            taken.add(word)
        words[node] = word
    return words


def from_bif(text: str) -> MarkedGraph:
    """The structure of a Bayesian network: names and parents; states and tables are not looked at."""
    text = check_text(text, "a BIF network")
    names: dict[str, str] = {}
    headers: list[str] = []
    for kind, header, body in bif_blocks(text):
        if kind == "variable":
            word = bif_unquote(header)
            if word in names:
                raise GraphError(f"a variable of a BIF network must be declared once, got {word!r} twice.")
            names[word] = _full_name(word, body)
        elif kind == "probability":
            headers.append(header)
    if not text.strip():
        raise GraphError("a BIF network must have a network block and variables, got an empty text.")
    links = []
    left = dict.fromkeys(names)
    for header in headers:
        child, parents = bif_family(header, names)
        if child not in left:
            raise GraphError(f"a variable of a BIF network must have one probability block, got two for {child!r}.")
        del left[child]
        links += [Link(names[parent], names[child]) for parent in parents]
    if left:
        raise GraphError(
            f"each variable of a BIF network must have a probability block, got none for {listed(left)}. "
            "The file may be cut off."
        )
    return assemble(links, list(names.values()), "dag")


def _full_name(word: str, body: str) -> str:
    match = _PROPERTY.search(body)
    if match is None:
        return word
    try:
        return str(json.loads(match[1]))
    except (ValueError, RecursionError):
        raise GraphError(f"'trueness_name' of variable {word!r:.60} must be a JSON text, got {match[1]:.60}.") from None


def bif_blocks(text: str) -> Iterator[tuple[str, str, str]]:
    """The blocks of a BIF text as (kind, header, body), comments (// and /* */) taken out.

    kind is network, variable or probability; header is what stands between it and its '{', without the parentheses of
    a probability; body is what stands between its '{' and '}'. `probability ( a | b, c ) { (x, y) 0.1, 0.9; }` gives
    ("probability", "a | b, c", "(x, y) 0.1, 0.9;"). Braces and comment signs within double quotes are text.
    """
    depth, start, opened = 0, 0, 0
    clean = _without_comments(text)
    for match in re.finditer(rf"[{{}}]|{_QUOTED}", clean, re.DOTALL):
        if match.group() == "{":
            depth += 1
            if depth == 1:
                opened = match.end()
        elif match.group() == "}":
            depth -= 1
            if depth == 0:
                yield *_bif_head(clean[start : opened - 1]), clean[opened : match.start()].strip()
                start = match.end()
            elif depth < 0:
                raise GraphError("a BIF network must have a '{' for each '}', got one '}' too many.")
    if depth or clean[start:].strip():
        rest = " ".join(clean[start : start + 60].split())
        raise GraphError(f"a BIF network must end with a closed block, got {rest!r}. The file may be cut off.")


def _bif_head(head: str) -> tuple[str, str]:
    head = head.strip()
    kind = next((word for word in ("network", "variable", "probability") if head.startswith(word)), "")
    header = head[len(kind) :].strip()
    if kind == "probability":
        if not (header.startswith("(") and header.endswith(")")):
            kind = ""
        header = header[1:-1].strip()
    if not kind:
        start = " ".join(head[:60].split())
        raise GraphError(f"a block of a BIF network must be network, variable X or probability ( X ), got {start!r}.")
    return kind, header


def _without_comments(text: str) -> str:
    """Comments replaced by a blank; an unclosed one is an error. Each character is looked at once."""
    kept: list[str] = []
    position = 0
    start_of = re.compile(rf'{_QUOTED}|//|/\*|"', re.DOTALL)
    while match := start_of.search(text, position):
        if match.group() == '"':
            raise GraphError("a double quote of a BIF network must be closed, got the end of the text.")
        if match.group() not in ("//", "/*"):
            kept.append(text[position : match.end()])
            position = match.end()
            continue
        kept.append(text[position : match.start()] + " ")
        closing = "\n" if match.group() == "//" else "*/"
        end = text.find(closing, match.end())
        if end < 0 and closing == "*/":
            raise GraphError("a comment of a BIF network must be closed by '*/', got the end of the text.")
        position = len(text) if end < 0 else end + len(closing)
    return "".join(kept) + text[position:]


def bif_unquote(name: str) -> str:
    """A name without the blanks and the double quotes around it."""
    name = name.strip()
    return name[1:-1] if len(name) > 1 and name[0] == name[-1] == '"' else name


def bif_family(header: str, variables: Collection[str]) -> tuple[str, list[str]]:
    """The child and its parents of a probability header: `a | b, c`, and the older `"a" "b" "c"`."""
    family: list[str] = []
    for piece in re.split(r"[|,]", header):
        name = bif_unquote(piece)
        # names may hold blanks (bnlearn writes them bare), or be told apart by blanks only (JavaBayes)
        family += [name] if name in variables else [bif_unquote(word) for word in piece.split()]
    for name in family:
        if name not in variables:
            near = did_you_mean(name, variables)
            raise GraphError(f"{name!r:.60} in 'probability ( {header:.60} )' is not a variable. {near}".rstrip())
    if not family:
        raise GraphError("a probability block of a BIF network must name a variable, got none.")
    return family[0], family[1:]
