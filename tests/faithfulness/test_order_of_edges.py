"""A grade is a function of the graph: not of the order in which edges and knowns were written, nor of the names."""

import json
import random
import re

from hypothesis import given, settings
from hypothesis import strategies as st

from tests.reasoning.generator import random_graph
from trueness import faithfulness
from trueness.cli import main
from trueness.reasoning import execute

DIAMOND = [
    {"cause": ["x"], "effect": "a", "rule": "a = 2*x"},
    {"cause": ["x"], "effect": "b", "rule": "b = 3*x"},
    {"cause": ["a"], "effect": "y", "rule": "y = 3*a"},
    {"cause": ["b"], "effect": "y", "rule": "y = 2*b"},
]


def diamond(*order):
    return {"target_variable": "y", "knowns": {"x": 2}, "causal_graph": [DIAMOND[place] for place in order]}


def grades(dag, answer=None):
    """What is said of each node, without the numbers' last digits."""
    report = json.loads(
        json.dumps(faithfulness.evaluate(dag, answer=answer).to_dict()), parse_float=lambda x: f"{float(x):.9g}"
    )
    parts = report["components"]
    nodes = {one["node"]: one["report"] for one in parts["causal_intervention"]["details"]["node_evaluations"]}
    knowns = {one["removed_node"]: (one["score"], one["solutions"], one["report"]) for one in
              parts["abductive_reasoning"]["details"]["node_tests"]}  # fmt: skip
    return nodes, knowns, {name: part["score"] for name, part in parts.items()}, report["executed"]["score"]


def test_swapping_the_edges_of_a_diamond_swaps_no_grade():
    """Neither way to y is critical: each has the other."""
    for order in ((0, 1, 2, 3), (0, 1, 3, 2), (1, 0, 2, 3), (3, 2, 1, 0)):
        nodes, *_ = grades(diamond(*order), answer=12)
        assert {name: node["impact_level"] for name, node in nodes.items()} == {
            "x": "high", "a": "medium", "b": "medium"
        }  # fmt: skip


def test_every_path_of_a_node_is_named():
    nodes, *_ = grades(diamond(0, 1, 2, 3), answer=12)
    assert nodes["x"]["causal_path"] == "x → a → y; x → b → y"
    assert nodes["a"]["causal_path"] == "a → y"


def test_the_reports_of_a_study_grade_a_diamond_alike_in_either_order(tmp_path, monkeypatch):
    monkeypatch.chdir(tmp_path)
    for name, order in (("one", (0, 1, 2, 3)), ("other", (1, 0, 3, 2))):
        entry = {"id": "diamond-1", "dag": diamond(*order), "problem_text": "What is y for x = 2?", "answer": 12}
        (tmp_path / "mine.jsonl").write_text(json.dumps(entry))
        (tmp_path / f"{name}.toml").write_text(
            f'name = "{name}"\nfolder = "{name}"\n[faithfulness]\nproblems = ["mine.jsonl"]\n'
        )
        assert main(["run", str(tmp_path / f"{name}.toml")]) == 0
    reports = [json.loads((tmp_path / name / "faithfulness/diamond-1.json").read_text()) for name in ("one", "other")]
    one, other = (report["components"]["causal_intervention"]["details"]["node_evaluations"] for report in reports)
    assert sorted(one, key=lambda node: node["node"]) == sorted(other, key=lambda node: node["node"])


def with_alternatives(rng, graph):
    """Further rules of three effects that give the same values, as multiples of other nodes."""
    dag = graph.to_dict()
    values = dict(execute(graph).values)
    nodes = list(values)
    for effect in rng.sample([edge["effect"] for edge in dag["causal_graph"]], 3):
        cause = rng.choice(nodes[: nodes.index(effect)])
        if values[cause]:
            rule = f"{effect} = {cause} * {values[effect]!r} / {values[cause]!r}"
            dag["causal_graph"].append({"cause": [cause], "effect": effect, "rule": rule})
    return dag


def renamed(dag, names):
    """The same graph under other names."""
    text = json.dumps(dag)
    return json.loads(re.sub(r"x\d+", lambda match: names[match[0]], text))


@settings(max_examples=25, deadline=None)
@given(st.integers(0, 599))
def test_no_grade_hangs_on_the_order_of_edges_causes_or_knowns(seed):
    rng = random.Random(seed)
    dag = with_alternatives(rng, random_graph(rng, nodes=8, knowns=3))
    shuffled = json.loads(json.dumps(dag))
    rng.shuffle(shuffled["causal_graph"])
    for edge in shuffled["causal_graph"]:
        rng.shuffle(edge["cause"])
    shuffled["knowns"] = dict(rng.sample(list(shuffled["knowns"].items()), len(shuffled["knowns"])))
    assert grades(dag) == grades(shuffled)


@settings(max_examples=25, deadline=None)
@given(st.integers(0, 599))
def test_no_grade_hangs_on_the_names_of_nodes(seed):
    rng = random.Random(seed)
    dag = with_alternatives(rng, random_graph(rng, nodes=8, knowns=3))
    old = [f"x{place}" for place in range(8)]
    names = dict(zip(old, rng.sample([f"v{place}" for place in range(8)], 8), strict=True))
    (nodes, _, scores, executed), (others, _, same, again) = grades(dag), grades(renamed(dag, names))
    assert {names[name]: node["impact_level"] for name, node in nodes.items()} == {
        name: node["impact_level"] for name, node in others.items()
    }
    assert (scores, executed) == (same, again)
