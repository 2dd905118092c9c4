"""A grade is a function of the graph: not of the order in which edges and knowns were written, nor of the names."""

import json
import random

from hypothesis import given, settings
from hypothesis import strategies as st

from tests.reasoning.generator import random_graph
from trueness import faithfulness
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
