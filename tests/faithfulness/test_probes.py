"""What is asked: nodes, manners, the changed problem."""

import json

from tests.each import each
from trueness.reasoning.problems import load_problems
from trueness.studies.faithfulness.probes import SCHEMAS, Asking, Probe, ask_about, questions_of, template

NEWTON = load_problems("physics")[0]
LAWN = load_problems("everyday")[0]


def test_every_node_but_the_target_is_asked_about():
    probes = [question.probe for question in questions_of(NEWTON, Asking())]
    assert [p.node for p in probes if p.kind == "intervention"] == list(NEWTON.graph.non_target)
    assert [p.node for p in probes if p.kind == "abduction"] == list(NEWTON.graph.knowns)
    assert sum(p.kind == "logic" for p in probes) == 1


def test_the_scale_is_fixed_whatever_the_number_of_nodes():
    for problem in (NEWTON, LAWN):
        shared = ask_about(problem, Probe("intervention", problem.graph.non_target[0])).messages[0].content
        assert "from 0 to 4" in shared


def test_reversed_lists_the_same_lines_the_other_way():
    plain, other = (
        ask_about(NEWTON, Probe("intervention", "mass", m)).messages[1].content for m in ("plain", "reversed")
    )
    assert plain != other
    assert sorted(plain.splitlines()) == sorted(other.splitlines())


def test_padding_adds_to_the_reasoning_only():
    plain, padded = (ask_about(NEWTON, Probe("logic", "", m)).messages[1].content for m in ("plain", "padded"))
    assert NEWTON.reasoning in padded
    assert len(padded) > len(plain) + 100


@each("kind", SCHEMAS)
def test_each_probe_has_a_versioned_prompt_and_a_schema(kind):
    version, shared, question = template(kind)
    assert version == "1"
    assert all(name in shared for name in SCHEMAS[kind]["required"])
    json.dumps(SCHEMAS[kind])
