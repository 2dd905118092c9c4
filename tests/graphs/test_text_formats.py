"""JSON, DOT and BIF as people and programs write them, and what is refused in one line."""

import json

import pytest

from trueness.errors import GraphError
from trueness.graphs import Graph

# ---- JSON


def test_json_is_the_documented_form():
    told = json.loads(Graph.from_edges(["a -> b", "b -- c"]).to_json())
    assert told == {
        "format": "trueness-graph",
        "version": 1,
        "kind": "cpdag",
        "nodes": ["a", "b", "c"],
        "edges": [
            {"source": "a", "target": "b", "marks": "->"},
            {"source": "b", "target": "c", "marks": "--"},
        ],
    }


@pytest.mark.parametrize(
    ("text", "message"),
    [
        ("", "must be valid JSON"),
        ("{", "must be valid JSON"),
        ("[" * 100_000, "must be valid JSON"),
        ("[]", "got other content"),
        ('{"nodes": ["a"]}', "got other content"),
        ('{"nodes": {"a": 1}, "edges": []}', "got other content"),
        ('{"nodes": [null], "edges": []}', "a node of a JSON graph must be text, got None"),
        ('{"nodes": [["a"]], "edges": []}', "must be text"),
        ('{"nodes": ["a", "a"], "edges": []}', "unique"),
        ('{"nodes": ["a"], "edges": [["a"]]}', "an edge of a JSON graph must be"),
        ('{"nodes": ["a"], "edges": [["a", "b"]]}', "'b' in edge 'a -> b' is not a node"),
        ('{"nodes": ["a", "b"], "edges": [{"source": "a", "target": "b", "marks": "~>"}]}', "'marks' of an edge"),
        ('{"nodes": ["a", "b"], "edges": [{"source": "a", "target": "b", "weight": "x"}]}', "must be a number"),
        ('{"nodes": ["a", "b"], "edges": [{"source": "a", "target": "b", "weight": NaN}]}', "finite"),
        ('{"nodes": ["a", "b"], "edges": [{"source": "a", "target": "b", "weight": 1e999}]}', "finite"),
        ('{"nodes": ["a", "b"], "edges": [], "kind": "tree"}', "must be one of dag"),
        ('{"nodes": ["a", "b"], "edges": [], "kind": ["dag"]}', "must be text"),
        ('{"nodes": [], "edges": [], "format": "node-link"}', "must be of format 'trueness-graph'"),
        ('{"nodes": [], "edges": [], "version": 2}', "version 1, got None version 2. Update"),
        (json.dumps({"nodes": list(range(5001)), "edges": []}), "at most 5,000 nodes, got 5,001"),
        (b"{}", "must be text, got bytes"),
    ],
)
def test_json_that_is_no_graph_is_refused(text, message):
    with pytest.raises(GraphError, match=message):
        Graph.from_json(text)


# ---- DOT


def test_dot_says_marks_the_way_graphviz_draws_them():
    text = Graph.from_edges(["a -> b", "b -- c", "c o-> d"]).to_dot()
    assert "  a -> b;" in text
    assert "  b -> c [dir=both, arrowtail=none, arrowhead=none];" in text
    assert "  c -> d [dir=both, arrowtail=odot, arrowhead=normal];" in text


@pytest.mark.parametrize(
    ("text", "expected"),
    [
        ("digraph { a -> b -> c; d }", ["a -> b", "b -> c"]),
        ("digraph{a->b b->c d}", ["a -> b", "b -> c"]),
        ("strict digraph G { a -> b\n b -> c\n d }", ["a -> b", "b -> c"]),
        ("graph { a -- b -- c d }", ["a -- b", "b -- c"]),
        ("DIGRAPH { a -> b; b -> c [dir=none]; d; }", ["a -> b", "b -- c"]),
        ("digraph { a -> b [dir=back] b -> c [dir=both] d }", ["b -> a", "b <-> c"]),
        ("digraph { edge [dir=none] a -> b; b -> c [dir=forward]; d }", ["a -- b", "b -> c"]),
        ('digraph "my graph" { rankdir=LR; node [shape=box, label=""]; a -> b [label="x -> y"]; b -> c; d }', None),
        ("// c\n/* a -> z * / */ digraph { # a\n# b -> z\n a -> b; b -> c; d }".replace("# a\n", "\n"), None),
        ('digraph { "a" -> "b"; "b" -> c; d [label="bold", color="#fff"] }', None),
        ("digraph { a -- b; b -> c; d }", ["a -- b", "b -> c"]),
        ("digraph { a -> b [arrowhead=odot, arrowtail=odot, dir=both]; b -> c; d}", ["a o-o b", "b -> c"]),
    ],
)
def test_dot_as_people_write_it(text, expected):
    graph = Graph.from_dot(text)
    assert sorted(graph.nodes) == ["a", "b", "c", "d"]
    assert {str(edge) for edge in graph.edges} == set(expected or ["a -> b", "b -> c"])


def test_dot_weights_are_strengths_and_layout_weights_only_where_all_edges_have_one():
    text = Graph.from_matrix([[0, -2.5], [0, 0]], "ab", "row to column").to_dot()
    assert 'strength="-2.5"' in text
    assert Graph.from_dot("digraph { a -> b [weight=2]; b -> c [weight=.5] }").weights.sum() == 2.5
    assert Graph.from_dot("digraph { a -> b [weight=2]; b -> c }").weights is None


@pytest.mark.parametrize(
    ("text", "message"),
    [
        ("", "must have 'digraph {' or 'graph {', got the end of the text"),
        ("tree { a -> b }", "'digraph {' or 'graph {', got 'tree'"),
        ("digraph { a -> b", "a name, got the end"),
        ("digraph { a -> ", "must have a name"),
        ("digraph { a -> ; }", "must have a name, got ';'"),
        ("digraph { a -> {b c} }", "must be flat, got a subgraph in line 1. Write its edges one by one"),
        ("digraph {\n subgraph cluster { a } }", "got a subgraph in line 2"),
        ("digraph { { a } }", "must be flat"),
        ("digraph { a -> b } digraph { c }", "one graph and then its end"),
        ("digraph { a -> b [arrowhead=tee] }", "must be one of .*, got 'tee'"),
        ("digraph { a -> b [dir=up] }", "'dir' in line 1 .* got 'up'"),
        ("digraph { a -> b [strength=strong] }", "must be a number, got 'strong'"),
        ("digraph {\n\n lung-cancer -> b }", "line 3 .*double quotes"),
        ("digraph { a -> a }", "itself"),
        ("digraph { a -> b; b -> a }", "a -> b and b -> a"),
        ("digraph { kind=tree; a -> b }", "must be one of dag"),
        ('digraph { "a -> b }', "must go on with a name"),
        ("digraph { /* a -> b }", "must go on with a name"),
        ("digraph { a [label=<b>] }", "must go on with a name"),
        ("digraph { a = }", "must have a name"),
        ("digraph { a [b= }", "must have a name"),
        ("digraph { " + " ".join(f"n{i}" for i in range(5001)) + "}", "at most 5,000 nodes"),
    ],
)
def test_dot_that_cannot_be_read_is_refused(text, message):
    with pytest.raises(GraphError, match=message):
        Graph.from_dot(text)


# ---- BIF

DOG = """
// JavaBayes, old style: quoted names, lists told apart by blanks
network "Dog-Problem" { property "a {brace} in a text"; }
variable  "light-on" { type discrete[2] { "true" "false" }; /* two
  values */ }
variable "family-out" { type discrete[2] { "true" "false" }; }
variable hear { type discrete[2] { t, f }; }
probability ( "light-on" "family-out" ) { table 0.6 0.05 0.4 0.95; }
probability ( "family-out" ) { table 0.15 0.85; }
probability(hear|"light-on","family-out"){ default 0.5, 0.5; }
"""


def test_bif_in_its_dialects_is_read():
    graph = Graph.from_bif(DOG)
    assert graph.nodes == ("light-on", "family-out", "hear")
    assert {str(edge) for edge in graph.edges} == {
        "family-out -> light-on",
        "light-on -> hear",
        "family-out -> hear",
    }


def test_bif_names_with_blanks_are_read_as_bnlearn_writes_them():
    text = """network unknown { }
    variable citric acid { type discrete [ 2 ] { a, b }; }
    variable pH { type discrete [ 2 ] { a, b }; }
    probability ( citric acid ) { table 0.5, 0.5; }
    probability ( pH | citric acid ) { (a) 0.5, 0.5; (b) 0.5, 0.5; }"""
    assert [str(edge) for edge in Graph.from_bif(text).edges] == ["citric acid -> pH"]


VARIABLES = "variable a { type discrete [ 2 ] { x, y }; } variable b { type discrete [ 2 ] { x, y }; } "


@pytest.mark.parametrize(
    ("text", "message"),
    [
        (VARIABLES + "probability ( a ) { table 1, 0; }", "must have a probability block, got none for b"),
        (VARIABLES + "probability ( a ) { table 1, 0; } probability ( b | a ) { (x)", "may be cut off"),
        (VARIABLES + "probability ( a | c ) { }", "'c' in 'probability . a | c .' is not a variable"),
        (VARIABLES + "probability ( a ) { } probability ( a ) { }", "one probability block, got two"),
        (VARIABLES + "probability ( ) { }", "must name a variable"),
        (VARIABLES + "probability ( a | b ) { } probability ( b | a ) { }", "one edge"),
        (VARIABLES + VARIABLES, "must have one variable block, got two"),
        ("variable a { } }", "one '}' too many"),
        ("table a { }", "must be network, variable X or probability"),
        ("variable a { } /* open", r"closed by '\*/'"),
        ('variable a { property "open; }', "double quote"),
        ("hello", "must end with a closed block, got 'hello'"),
    ],
)
def test_bif_that_cannot_be_read_is_refused(text, message):
    with pytest.raises(GraphError, match=message):
        Graph.from_bif(text)


# ---- hostile text: an answer or an error of ours, and soon
