"""Replies of models and reasoning graphs of strangers: a status whatever they hold, and nothing of them is computed."""

import json

import pytest
from hypothesis import HealthCheck, given, settings
from hypothesis import strategies as st

from tests.each import each
from tests.hostile.attack import damaged, misshapen, survives, within
from tests.hostile.test_damaged_files import GRAPHS
from trueness.graphs.formats import from_json, to_json
from trueness.reading.distribution import read_distribution, read_level
from trueness.reading.expected import read_forecast
from trueness.reading.reasoning_graph import read_reasoning
from trueness.reading.verdicts import read_verdict
from trueness.reasoning import Program, Quantity, executable_components, graph_quality, invert
from trueness.reasoning.problems import load_problems
from trueness.reasoning.syntax import RuleError, parse
from trueness.reasoning.units import check_units, coherent
from trueness.status import Status
from trueness.studies.faithfulness.redaction import hide
from trueness.studies.population.questions import parse_questions

MANY = settings(max_examples=120, derandomize=True, database=None, suppress_health_check=list(HealthCheck))
LEVELS = {"male": ("man", "men"), "female": ("woman",), "18-29": ("18-29",)}
REPLIES = [
    b"Precision: [0.6, 0.8]\nRecall: 0.5-0.7\nF1: 55% to 65%\nSHD: 3 to 6",
    b'{"precision": [0.1, 0.2], "recall": {"low": 0.2, "high": 0.5}, "f1": "0.3-0.4", "shd": [1, 9]}',
    b"| metric | low | high |\n|---|---|---|\n| precision | .5 | .7 |\n| recall | 40% | 60% |\n| SHD | 2 | 5 |",
    b"<think>0.5</think> I expect precision around 0.7 (95% CI 0.6-0.8), recall between 0.5 and 0.6.",
    b'Male: 49 %\nFemale: 51%\n18-29: 0 {"male": 0.49, "female": "51 %"} Answer: male',
    b'{"impact": 3, "holds": true, "value": "10 N", "coherence": 4, "answer": "7.5 x 10^3 m/s"}',
]
PROBLEMS = [problem.to_dict() for problem in load_problems()[::7]]


def read_in_every_way(content):
    text = content.decode("utf-8", "replace")
    for found in (
        read_forecast(text, nodes=8),
        read_distribution(text, LEVELS),
        read_level(text, LEVELS),
        read_level(text, {"young": (), "old": ()}, bins=[0, 30], top=99),
        *(read_verdict(text, kind, points=20) for kind in ("intervention", "abduction", "logic", "counterfactual")),
    ):
        assert isinstance(found.status, Status)
        json.dumps(found.to_dict() if hasattr(found, "to_dict") else found, default=vars)
    work_through(read_reasoning(text).graph)


def work_through(graph):
    """Everything that is done with a graph that came from outside."""
    if graph is None:
        return
    program = Program(graph)
    assert isinstance(program.base.status, Status)
    for name in list(graph.knowns)[:2]:
        invert(program, name)
        hide(graph, name).redact(f"{name} is 10 x 10^5, or 3 x 10^999, or 1\u207b\u207b")
    program.effects, check_units(graph), coherent(graph), graph_quality(graph), graph.to_dict()
    executable_components(graph, Quantity(5.0, "m/s"))


@MANY
@given(damaged(REPLIES))
def test_a_damaged_reply_has_a_status(content):
    with within():
        read_in_every_way(content)


@MANY
@given(st.text(max_size=80))
def test_any_text_has_a_status(text):
    read_in_every_way(text.encode("utf-8", "replace"))


@MANY
@given(misshapen([problem["dag"] for problem in PROBLEMS]))
def test_a_misshapen_reasoning_graph_has_a_status(given_graph):
    with within():
        work_through(read_reasoning(given_graph).graph)


@MANY
@given(misshapen([json.loads(to_json(graph)) for graph in GRAPHS]))
def test_a_misshapen_json_graph_is_read_or_refused(told):
    survives(from_json, json.dumps(told))


@MANY
@given(
    misshapen(
        [{"tasks": {"t": {"data": "p.csv", "variables": ["s", "a"], "prompt": "who is {}?", "bins": {"a": [1, 2]},
                          "levels": [["m"], {"name": 1}], "population": {"who": "x", "ages": [18, 64]}, "least": 3}},
          "variables": {"a": {"ordinal": True, "top": 5}}, "defaults": {"weight": "w", "card": {"year": 2020}}}]
    )
)  # fmt: skip
def test_a_misshapen_task_file_is_read_or_refused(tmp_path_factory, document):
    survives(lambda given: parse_questions(given, "t.toml", tmp_path_factory.getbasetemp()), document)


@MANY
@given(damaged([b"a = F/m", b"if F > 3 then m^2 else sqrt(m) * 3%", b"max(F, 1,200) + |m|", b"\\frac{a}{b} + x^{2}"]))
def test_a_damaged_rule_is_a_formula_or_refused(content):
    survives(lambda given: parse(given.decode("utf-8", "replace"), ("net force", "m", "F")), content)


@each(
    "text", ["x.__class__", "__import__('os')", "().real", "lambda: 1", "x[0]", "a;b", "open(x)", "eval(x)", "x := 1"]
)
def test_code_is_no_rule(text):
    with pytest.raises(RuleError):
        parse(text)


def test_a_hundred_thousand_nodes_and_a_cycle_are_told():
    """Three hundred edges with 300 causes each are 90,000 nodes within the limits of a reasoning graph."""
    edges = [{"cause": [f"n{i}_{j}" for i in range(300)], "effect": f"n0_{j}"} for j in range(300)]
    with within():
        reading = read_reasoning({"target_variable": "n0_0", "knowns": {}, "causal_graph": edges})
    assert reading.status is Status.DEGENERATE and "cycle" in reading.message


@pytest.mark.parametrize("read", [lambda t: read_distribution(t, LEVELS), lambda t: read_level(t, LEVELS)])
def test_a_reply_that_is_too_long_says_so(read):
    assert "only the first" not in read("male").message
    assert "only the first 200,000 characters were read" in read("male" + " " * 300_000).message
