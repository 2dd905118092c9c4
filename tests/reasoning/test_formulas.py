"""A formula beside a rule in words: executed where it has all that the words say, and never against them."""

import pytest

from trueness.reading.reasoning_graph import read_formulas, read_reasoning
from trueness.reasoning import execute
from trueness.reasoning.rules import rules_of, rules_without_formula, with_formulas

WORDS = "a quarter goes off, then the postage comes on top of it, for 3 boxes"


def graph_of(rule, formula, knowns=None):
    knowns = knowns or {"price": 80, "postage": 5}
    edge = {"cause": list(knowns), "effect": "due", "rule": rule, "formula": formula}
    return read_reasoning({"target_variable": "due", "knowns": knowns, "causal_graph": [edge]}).graph


def rule_of(rule, formula, knowns=None):
    ((read,),) = rules_of(graph_of(rule, formula, knowns)).values()
    return read


def test_words_that_nobody_can_read_are_executed_by_their_formula():
    graph = graph_of(WORDS, "due = 3 * (price * (1 - 1/4) + postage)")
    assert execute(graph_of(WORDS, "")).target is None
    assert execute(graph).target == 195
    ((rule,),) = rules_of(graph).values()
    assert (rule.text, rule.by_formula) == (WORDS, True)
    assert execute(read_reasoning(graph.to_dict()).graph).target == 195  # it is kept when the graph is written


@pytest.mark.parametrize(
    "formula, why",
    [
        ("due = price * (1 - 1/4) + postage", "leaves out '3'"),
        ("due = 3 * (price + postage)", "leaves out 'a quarter'"),
        ("due = 3 * price * 3/4", "does not use 'postage'"),
        ("due = 3 * price / 4 + rent", "must be one that can be read"),
        ("add them all up", "must be one that can be read"),
        ("due = __import__('os')", "must be one that can be read"),
    ],
)
def test_a_formula_that_leaves_something_out_is_not_executed_and_says_so(formula, why):
    rule = rule_of(WORDS, formula)
    assert (rule.tree, rule.by_formula) == (None, False) and why in rule.message


def test_a_rule_that_is_read_and_its_formula_must_say_the_same():
    assert rule_of("price + postage", "due = postage + price").tree is not None
    assert rule_of("due = price - postage", "due = price + postage").tree is None
    differing = rule_of("price + postage", "due = price * postage")
    assert differing.tree is None and "differ" in differing.message


def test_what_is_doubted_stays_so():
    assert rule_of("it would be wrong to say due = price + postage", "due = price + postage").tree is None


def test_only_rules_that_need_a_formula_are_asked_about_and_get_one():
    knowns = {"price": 80, "postage": 5}
    edges = [
        {"cause": ["price"], "effect": "cut", "rule": "what the shop takes off in spring, a quarter of it"},
        {"cause": ["price", "cut"], "effect": "rest", "rule": "rest = price - cut"},
        {"cause": ["rest", "postage"], "effect": "due", "rule": ""},
    ]
    graph = read_reasoning({"target_variable": "due", "knowns": knowns, "causal_graph": edges}).graph
    assert list(rules_without_formula(graph)) == ["cut"]
    new = with_formulas(graph, {"cut": "cut = price / 4", "rest": "rest = 0", "due": "due = 1"})
    assert [edge.formula for edge in new.edges] == ["cut = price / 4", "", ""]
    assert rules_without_formula(new) == {}


def test_formulas_are_read_from_a_list_or_a_mapping_and_what_is_no_text_is_left_out():
    reply = '{"formulas": [{"effect": "a", "formula": "a = b / c"}, {"effect": "d", "formula": ""}, 3, {"effect": 4}]}'
    assert read_formulas(f"Here: {reply}") == {"a": "a = b / c"}
    assert read_formulas('{"formulas": {"a": "a = b", "c": null, "d": "none"}}') == {"a": "a = b"}
    assert read_formulas("No idea.") == read_formulas("") == {}
