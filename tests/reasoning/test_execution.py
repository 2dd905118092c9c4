"""Executing a graph: values from the knowns, do(), what moves the target, and what is told when it cannot."""

import random

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from tests.reasoning.generator import random_graph
from trueness.errors import SettingError
from trueness.reading.reasoning_graph import read_reasoning
from trueness.reasoning import Program, Quantity, ReasoningGraph, RuleEdge, execute, intervene, sensitivity
from trueness.reasoning.checks import executable_components, graph_quality
from trueness.reasoning.execute import PROBES
from trueness.reasoning.rules import read_rule, rules_of
from trueness.status import Status


def graph(target, knowns, *edges):
    given = {name: value if isinstance(value, Quantity) else Quantity(value) for name, value in knowns.items()}
    return ReasoningGraph(target, given, tuple(RuleEdge(tuple(c.split()), effect, rule) for c, effect, rule in edges))


NEWTON = graph("acceleration", {"F": 10.0, "m": 2.0}, ("F m", "acceleration", "a = F/m"))


def test_the_guides_example_gives_the_guides_values():
    assert execute(NEWTON).target == 5.0  # the guide: a = 10/2 = 5 m/s^2
    effects = sensitivity(NEWTON)
    assert {node: effect.moves for node, effect in effects.items()} == {"F": True, "m": True}  # both critical


def test_do_replaces_the_value_and_everything_below_follows():
    chain = graph("z", {"x": 2.0}, ("x", "y", "y = 3*x"), ("y", "z", "z = y + 1"))
    assert execute(chain).values == {"x": 2.0, "y": 6.0, "z": 7.0}
    assert intervene(chain, {"y": 10}).values == {"x": 2.0, "y": 10.0, "z": 11.0}
    assert intervene(chain, {"x": 1, "y": 10}).target == 11.0


def test_do_on_a_name_that_is_no_node_is_a_mistake_of_the_caller():
    with pytest.raises(SettingError, match="'G'"):
        intervene(NEWTON, {"G": 1})


def test_do_must_set_a_number():
    with pytest.raises(SettingError, match="finite"):
        intervene(NEWTON, {"F": float("nan")})


def test_words_beside_a_formula_are_no_finding():
    both = graph("a", {"F": 10.0, "m": 2.0}, ("F m", "a", "a = F/m"), ("F", "a", "the force drives the motion"))
    assert execute(both).target == 5.0
    assert execute(both).findings == ()


def test_elasticity_is_the_power_of_the_node():
    power = graph("E", {"m": 2.0, "k": 3.0}, ("m k", "E", "E = m * k"))
    assert sensitivity(power)["m"].elasticity == pytest.approx(1.0)


def test_a_quantity_that_cancels_does_not_move_the_target():
    cancels = graph("a", {"m": 5.0, "g": 9.81}, ("m g", "F", "F = m*g"), ("F m", "a", "a = F/m"))
    assert sensitivity(cancels)["m"].moves is False
    assert sensitivity(cancels)["g"].moves is True


def test_a_maximum_moves_for_some_probe_even_where_it_does_not_move_nearby():
    largest = graph("y", {"a": 1.0, "b": 50.0}, ("a b", "y", "y = max(a, b)"))
    assert sensitivity(largest)["a"].moves is True


def test_no_probe_is_the_value_itself_for_common_values():
    assert all(any(factor * x + shift != x for factor, shift in PROBES) for x in (0.0, 1.0, -1.0, 100.0))


def test_one_edge_for_each_cause_with_the_same_rule_is_one_rule():
    apart = graph("a", {"F": 10.0, "m": 2.0}, ("F", "a", "a = F/m"), ("m", "a", "a = F/m"))
    done = execute(apart)
    assert done.target == 5.0
    assert done.findings == ()


def test_two_rules_that_disagree_give_no_value_and_say_so():
    two = graph("z", {"x": 2.0}, ("x", "y", "y = x + 1"), ("x", "y", "y = 2*x"), ("y", "z", "z = y"))
    program = Program(two)
    assert (program.base.target, program.base.status) == (None, Status.DEGENERATE)
    assert "disagree: 3, 4" in program.base.message
    executes = executable_components(two, Quantity(3.0))["executes"]
    assert executes.value == 0 and "disagree" in executes.message
    assert program.run({"x": 1.0}).target == 2.0  # here both say the same
    assert program.run({"x": 3.0}).target is None
    assert all(effect.moves is None for effect in program.effects.values())


def test_two_rules_that_agree_but_under_do_are_alternatives_and_it_is_told():
    program = Program(graph("y", {"x": 1.0}, ("x", "y", "y = x + 1"), ("x", "y", "y = 2*x")))
    changed = program.run({"x": 3.0})
    assert program.base.target == 2.0
    assert [response(3.0) for _, response in program.responses("x")] == [6.0, 4.0]  # in the order of their texts
    assert changed.target == 6.0 and "disagree: 4, 6" in changed.message


def test_a_known_that_its_rule_contradicts_is_told_and_kept():
    done = execute(graph("z", {"x": 2.0, "y": 7.0}, ("x", "y", "y = 2*x"), ("y", "z", "z = y")))
    assert done.target == 7.0
    assert "'y' is given as 7, but its rule gives 4" in done.message


@pytest.mark.parametrize(
    ("bad", "told"),
    [
        (graph("y", {"x": 1.0}, ("x y", "z", "z = x*y"), ("z", "y", "y = z")), "cycle"),
        (graph("", {"x": 1.0}, ("x", "y", "y = x")), "target"),
        (graph("y", {"x": 1.0}, ("x", "y", "y = x +")), "number or a name"),
        (graph("y", {"x": 1.0}, ("x", "y", "the y grows with the x")), "words"),
        (graph("y", {"x": Quantity(None, None, "heavy")}, ("x", "y", "y = 2*x")), "'heavy', which is no number"),
        (graph("y", {"x": 0.0}, ("x", "y", "y = 1/x")), "division by zero"),
        (graph("y", {"x": 1e200}, ("x", "y", "y = x^9")), "range"),
        (graph("y", {"x": -1.0}, ("x", "y", "y = sqrt(x)")), "domain"),
        (graph("y", {"x": 1.0}, ("x", "y", "y = k*x")), "'k', which is not among its causes"),
        (graph("y", {"x": 1.0}, ("w", "y", "y = w")), "'w' has no value"),
        (graph("y", {"x": 1.0}, ("x", "y", "")), "no rule"),
        (graph("q", {"x": 1.0}, ("x", "y", "y = x")), "'q' has no value"),
    ],
)
def test_what_cannot_be_executed_has_a_status_and_a_sentence(bad, told):
    done = execute(bad)
    assert done.target is None
    assert done.status is Status.DEGENERATE
    assert told in done.message
    assert all(effect.moves is None for effect in sensitivity(bad).values())


@settings(max_examples=60)
@given(st.integers(0, 10**6), st.floats(-1e3, 1e3))
def test_do_on_a_node_that_is_no_ancestor_never_moves_the_target(seed, changed):
    rng = random.Random(seed)
    base = random_graph(rng, nodes=8, knowns=3)
    side = ReasoningGraph(
        base.nodes[rng.randrange(3, 8)], base.knowns, base.edges, findings=base.findings
    )  # a target in the middle: some nodes are no ancestors of it
    before = execute(side).target
    for node in side.nodes:
        if node != side.target and node not in side.ancestors(side.target):
            assert intervene(side, {node: changed}).target == before
            assert sensitivity(side)[node].moves is False


@settings(max_examples=40)
@given(st.integers(0, 10**6))
def test_the_fast_response_is_the_full_execution(seed):
    made = random_graph(random.Random(seed))
    program = Program(made)
    for node in made.non_target:
        ((_, response),) = program.responses(node)
        full = program.run({node: 1.75}).target
        assert full is None or response(1.75) == pytest.approx(full)


def test_names_that_could_be_two_nodes_are_not_guessed():
    read = read_rule("y = m + m2", ("mass", "money"), "y", ("mass", "money", "y"))
    assert read.kind == "broken"
    assert "'m', 'm2'" in read.message


@pytest.mark.parametrize(
    "text",
    [
        "friction slows the car",
        "If it rains then the ground is wet",
        "higher demand, higher price",
        "more supply lowers the price",
    ],
)
def test_words_are_no_error(text):
    read = read_rule(text, ("x",), "y", ("x", "y"))
    assert read.kind == "words"
    assert read.message == ""


def test_the_guides_unknown_function_cannot_be_executed_and_says_so():
    rule = "outcome = complex_nonlinear_function(A, B, C)"
    found = rules_of(graph("outcome", {"A": 5.0, "B": 3.0, "C": 2.0}, ("A B C", "outcome", rule)))["outcome"][0]
    assert found.kind == "broken"
    assert "complex_nonlinear_function" in found.message


@settings(max_examples=150)
@given(st.text(max_size=60))
def test_any_text_is_a_rule_of_some_kind(text):
    read = read_rule(text, ("x", "net force"), "y", ("x", "net force", "y"))
    assert read.kind in ("formula", "words", "broken", "empty")
    assert (read.tree is not None) == (read.kind == "formula")
    assert bool(read.message) == (read.kind in ("broken", "empty"))


def test_impact_is_graded_by_size():
    """A node that moves 500 by 1e-6 is peripheral; a small term contributes; a large one is critical."""
    effects = sensitivity(graph("t", {"x": 500.0, "y": 1e-6, "z": 30.0}, ("x y z", "t", "t = x + y + z")))
    assert effects["y"].moves is True
    assert {node: effect.impact for node, effect in effects.items()} == {"x": 1.0, "y": 0.0, "z": 0.5}
    assert effects["z"].size == pytest.approx(30 / 530, rel=1e-6)
    from_nothing = sensitivity(graph("t", {"x": 0.0, "y": 3.0}, ("x y", "t", "t = x*y")))
    assert {node: effect.impact for node, effect in from_nothing.items()} == {"x": 1.0, "y": 0.0}


def test_a_node_with_an_alternative_is_not_critical():
    both = graph("t", {"x": 3.0, "y": 4.0, "z": 12.0}, ("x y", "t", "t = x*y"), ("z", "t", "t = z"))
    assert sensitivity(both)["x"].alternative == "t by t = z"
    assert sensitivity(both)["x"].impact == 0.5
    assert sensitivity(NEWTON)["F"].alternative == ""


def target_of(dag):
    return Program(read_reasoning(dag).graph).base.target


def dag(target, knowns, *edges):
    return {
        "target_variable": target,
        "knowns": knowns,
        "causal_graph": [{"cause": causes, "effect": effect, "rule": rule} for causes, effect, rule in edges],
    }


def test_a_missing_edge_is_used_and_told_and_the_graph_does_not_get_it_for_nothing():
    written = dag("y", {"x": 2, "k": 3}, (["x"], "y", "y = k*x"), (["k"], "j", "j = k"))
    program = Program(read_reasoning(written).graph)
    assert program.base.target == 6
    assert "the rule of 'y' uses 'k', which has no edge to it." in program.base.message
    assert (program.effects["k"].moves, program.effects["k"].undeclared, program.effects["k"].impact) == (True, True, 0)
    components = executable_components(program.graph, Quantity(6.0))
    assert components["executes"].value == 0.5
    assert graph_quality(program.graph).checks["edges_complete"] == 0.5


@pytest.mark.parametrize(
    "written",
    [
        dag("v", {"t": 2, "m": 3, "w": 1}, (["t"], "v", "v = 5 m * t"), (["m"], "w", "w = m")),  # five metres?
        dag("y", {"x": 2}, (["x"], "y", "Half of x = 2*y if x is even")),
        dag("a", {}, (["b"], "a", "a = b"), (["a"], "b", "b = a")),  # nothing opens the circle
        dag("n", {"g": 9}, (["n"], "Q", "Q = n^2"), (["Q", "g"], "n", "Solve for n in Q = g")),  # two solutions
    ],
)
def test_what_is_uncertain_is_not_executed(written):
    assert target_of(written) is None


def test_names_that_differ_in_case_are_one_only_where_they_are_words():
    one = read_reasoning(dag("Final_Price", {"price": 2}, (["price"], "final price", "final price = 2*price"))).graph
    assert one.target == "final price"
    two = read_reasoning(dag("C_core", {"c_core": 2}, (["c_core"], "C_core", "C_core = 2*c_core"))).graph
    assert not two.cycle


def test_a_known_that_is_its_own_cause_raises_nothing():
    edge = {"cause": ["x"], "effect": "x", "rule": "c = 5"}
    assert read_reasoning({"target_variable": "x", "knowns": {"x": 3}, "causal_graph": [edge]}).graph is not None
