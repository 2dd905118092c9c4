"""Every format gives the same graph back, and refuses in one line what it cannot read."""

import gzip

import networkx as nx
import numpy as np
import pandas as pd
import pytest
from hypothesis import HealthCheck, given, settings
from hypothesis import strategies as st
from tests.each import each

from trueness.errors import GraphError
from trueness.graphs import ARROW, CIRCLE, NONE, TAIL, Graph

ASIA = ["asia -> tub", "smoke -> lung", "smoke -> bronc", "tub -> either", "lung -> either", "either -> xray"]
TEXT = {
    "json": (Graph.to_json, Graph.from_json),
    "dot": (Graph.to_dot, Graph.from_dot),
}
OBJECTS = {
    "networkx": (Graph.to_networkx, Graph.from_networkx),
    "pandas": (Graph.to_pandas, Graph.from_pandas),
}
ROUND_TRIPS = {**TEXT, **OBJECTS}
SUFFIXES = [".json", ".dot", ".gv", ".csv", ".tsv", ".json.gz"]


ODD_NAMES = [
    "two words", "a -> b", 'say "hi"', "back\\slash", "", "line\nbreak", "tab\tcomma, ;", "Größe", "source", "1st",
    "nan", "<b>&amp;</b>", "// no comment", "carriage\rreturn", "=+-@", "\x1b[0m",
]  # fmt: skip


def same(a, b):
    """Equal, and in the order of the nodes too, which equality leaves out."""
    return a == b and a.nodes == b.nodes


def random_graph(rng, kind, names):
    """Any marks the kind allows, some nodes without edges, weights in half of the cases."""
    d = len(names)
    marks = np.zeros((d, d), dtype=np.int8)
    ends = {"dag": [(TAIL, ARROW)], "cpdag": [(TAIL, ARROW), (ARROW, TAIL), (TAIL, TAIL), (ARROW, ARROW)]}
    ends["pag"] = [(a, b) for a in (TAIL, ARROW, CIRCLE) for b in (TAIL, ARROW, CIRCLE)]
    ends["weighted"] = [(TAIL, ARROW), (ARROW, TAIL), (ARROW, ARROW)]
    order = rng.permutation(d)
    for a in range(d):
        for b in range(a + 1, d):
            if rng.random() < 0.4:
                i, j = order[a], order[b]
                marks[j, i], marks[i, j] = ends[kind][rng.integers(len(ends[kind]))]
    weights = None
    if kind == "weighted" or rng.random() < 0.5:
        one_way = (marks == TAIL) & (marks.T == ARROW)
        weights = np.where((marks != NONE) & ~one_way, rng.normal(size=(d, d)), 0.0)
        weights[rng.random((d, d)) < 0.1] = 0.0  # an edge may have strength 0
    return Graph(tuple(names), marks, weights, kind)


def random_graphs(seed, kinds=("dag", "cpdag", "pag", "weighted"), count=25, names=None):
    rng = np.random.default_rng(seed)
    for kind in kinds:
        for _ in range(count):
            chosen = names or [f"v{i}" for i in range(rng.integers(0, 9))]
            yield random_graph(rng, kind, [chosen[i] for i in rng.permutation(len(chosen))])


# ---- round trips


@pytest.mark.slow
@each("name", list(ROUND_TRIPS))
def test_every_kind_of_graph_comes_back(name):
    out, back = ROUND_TRIPS[name]
    for graph in random_graphs(0, count=50):
        assert same(back(out(graph)), graph), graph


@pytest.mark.slow
@each("suffix", SUFFIXES)
def test_files_give_the_same_graph_back(suffix, tmp_path):
    path = tmp_path / f"graph{suffix}"
    kinds = ("dag", "cpdag", "pag", "weighted")
    graphs = [*random_graphs(3, kinds, count=8), *random_graphs(4, kinds, count=2, names=ODD_NAMES)]
    for graph in graphs:
        if len(graph):
            graph.write(path)
            assert same(Graph.read(path), graph), path.read_bytes()


@pytest.mark.parametrize("name", ["json", "dot"])
@given(names=st.lists(st.text(min_size=0, max_size=8), unique=True, max_size=4), seed=st.integers(0, 99))
@settings(max_examples=60)
def test_any_names_come_back_from_text(name, names, seed):
    out, back = TEXT[name]
    graph = random_graph(np.random.default_rng(seed), "pag", names)
    assert same(back(out(graph)), graph)


@given(names=st.lists(st.text(min_size=0, max_size=8), unique=True, min_size=1, max_size=4), seed=st.integers(0, 99))
@settings(max_examples=60, suppress_health_check=[HealthCheck.function_scoped_fixture])
def test_any_names_come_back_from_csv(names, seed, tmp_path):
    graph = random_graph(np.random.default_rng(seed), "dag", names)
    graph.write(tmp_path / "graph.csv")
    assert same(Graph.read(tmp_path / "graph.csv"), graph)


# ---- networkx


def test_a_plain_digraph_is_directed_edges():
    plain = nx.DiGraph([("b", "a"), ("a", "c")])
    plain.add_node("alone")
    graph = Graph.from_networkx(plain)
    assert graph.nodes == ("b", "a", "c", "alone") and graph.kind == "dag"
    assert {str(edge) for edge in graph.edges} == {"b -> a", "a -> c"}


def test_networkx_graphs_that_are_no_graph_of_ours_are_refused():
    with pytest.raises(GraphError, match="parallel edges"):
        Graph.from_networkx(nx.MultiDiGraph([("a", "b"), ("a", "b")]))
    with pytest.raises(GraphError, match="must be one of tail, arrow, circle, got 'square'"):
        Graph.from_networkx(nx.DiGraph([("a", "b", {"source_mark": "square", "target_mark": "arrow"})]))
    with pytest.raises(GraphError, match="on a networkx.DiGraph"):
        Graph.from_networkx(nx.Graph([("a", "b", {"source_mark": "tail", "target_mark": "arrow"})]))
    with pytest.raises(GraphError, match="a second one"):
        odd = nx.DiGraph([("a", "b", {"source_mark": "circle", "target_mark": "arrow"})])
        odd.add_edge("b", "a")
        Graph.from_networkx(odd)
    with pytest.raises(GraphError, match="unique, got 1"):
        Graph.from_networkx(nx.DiGraph([(1, "1")]))
    with pytest.raises(GraphError, match="weight of edge 'a' to 'b' must be a number, got 'heavy'"):
        Graph.from_networkx(nx.DiGraph([("a", "b", {"weight": "heavy"})]))
    with pytest.raises(GraphError, match="itself"):
        Graph.from_networkx(nx.DiGraph([("a", "a")]))
    with pytest.raises(GraphError, match="must have no cycle, got a -> b -> c -> a"):
        Graph.from_networkx(nx.DiGraph([("a", "b"), ("b", "c"), ("c", "a")]))


# ---- causal-learn


def test_what_causal_learn_builds_is_read_in_its_direction():
    general = pytest.importorskip("causallearn.graph.GeneralGraph")
    from causallearn.graph.Edge import Edge
    from causallearn.graph.Endpoint import Endpoint
    from causallearn.graph.GraphNode import GraphNode

    a, b, c = (GraphNode(name) for name in "abc")
    built = general.GeneralGraph([a, b, c])
    built.add_directed_edge(a, b)
    built.add_edge(Edge(b, c, Endpoint.CIRCLE, Endpoint.ARROW))
    graph = Graph.from_causallearn(built)
    assert graph.kind == "pag" and {str(edge) for edge in graph.edges} == {"a -> b", "b o-> c"}
    renamed = Graph.from_causallearn(built, kind="pag", nodes=["x", "y", "z"])
    assert {str(edge) for edge in renamed.edges} == {"x -> y", "y o-> z"}


def test_the_answer_of_pc_is_read_from_its_G():
    pc = pytest.importorskip("causallearn.search.ConstraintBased.PC").pc
    rng = np.random.default_rng(0)
    a, b = rng.normal(size=(2, 2000))
    data = np.column_stack([a, b, a + b + 0.5 * rng.normal(size=2000)])
    graph = Graph.from_causallearn(pc(data, show_progress=False), kind="cpdag", nodes="abc")
    assert {str(edge) for edge in graph.edges} == {"a -> c", "b -> c"}


# ---- pandas


def test_edge_lists_that_are_no_graph_are_refused():
    with pytest.raises(GraphError, match="source,target .or from,to., got cause, effect"):
        Graph.from_pandas(pd.DataFrame({"cause": ["a"], "effect": ["b"]}))
    with pytest.raises(GraphError, match="got a -> b and b -> a.*say the kind: cpdag .*weighted"):
        Graph.from_pandas(pd.DataFrame({"from": ["a", "b"], "to": ["b", "a"]}))
    with pytest.raises(GraphError, match="every edge must have a weight or none, got none for b -> c"):
        Graph.from_pandas(pd.DataFrame({"from": ["a", "b"], "to": ["b", "c"], "weight": [1.0, None]}))
    with pytest.raises(GraphError, match="a second one: a -> b"):
        Graph.from_pandas(pd.DataFrame({"from": ["a", "a"], "to": ["b", "b"]}))


# ---- files


def test_an_edge_list_file_as_people_write_it(tmp_path):
    path = tmp_path / "truth.csv"
    path.write_text("\ufefffrom, to\r\nsmoke, lung\r\n\r\nlung, xray\r\n", encoding="utf-8")
    graph = Graph.read(path)
    assert graph.nodes == ("smoke", "lung", "xray") and graph.kind == "dag"
    assert {str(edge) for edge in graph.edges} == {"smoke -> lung", "lung -> xray"}


@pytest.mark.parametrize(
    ("content", "message"),
    [
        ("", "an edge list must have the columns source,target"),
        ("0,1\n0,0\n0,0", "an edge list must have the columns"),
        (",a,b\na,0,1\nb,0,0\n", "a matrix becomes a graph by Graph.from_matrix, with its direction"),
        ("smoke,cancer\nlung,xray\n", "columns source,target .or from,to., got smoke, cancer"),
        ("source,target\na\n", "must have 2 cells as"),
        ('source,target\n"a,b\n', "readable as CSV"),
        ("source,target,source_mark,target_mark\na,b,square,arrow\n", "must be one of tail"),
        ("source,target,weight\na,b,heavy\n", "must be a number, got 'heavy'"),
        (b"\xff\xfe\x00source", "must be UTF-8 text"),
    ],
)
def test_tables_that_are_no_graph_are_refused(content, message, tmp_path):
    path = tmp_path / "graph.csv"
    path.write_bytes(content if isinstance(content, bytes) else content.encode())
    with pytest.raises(GraphError, match=message):
        Graph.read(path)


def test_files_that_cannot_be_read_are_one_line(tmp_path):
    with pytest.raises(GraphError, match="no.json cannot be read: No such file"):
        Graph.read(tmp_path / "no.json")
    with pytest.raises(GraphError, match="must be one of .json, .dot.*got '.txt'. Rename it"):
        Graph.read(tmp_path / "graph.txt")
    with pytest.raises(GraphError, match="got ''"):
        Graph.read(tmp_path / "graph")
    (tmp_path / "folder.json").mkdir()
    with pytest.raises(GraphError, match="must be a file, got a folder"):
        Graph.read(tmp_path / "folder.json")
    (tmp_path / "bad.bif.gz").write_bytes(b"not gzip")
    with pytest.raises(GraphError, match="must be gzip"):
        Graph.read(tmp_path / "bad.bif.gz")
    (tmp_path / "cut.bif.gz").write_bytes(gzip.compress(b"network x { }" * 100)[:-9])
    with pytest.raises(GraphError, match="must be gzip"):
        Graph.read(tmp_path / "cut.bif.gz")
    with pytest.raises(GraphError, match="cannot be written"):
        Graph.empty("ab").write(tmp_path / "none" / "graph.json")
    with pytest.raises(GraphError, match="UTF-8 can carry"):
        Graph.empty(["\ud800"]).write(tmp_path / "graph.json")
