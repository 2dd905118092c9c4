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


def test_reversed_lists_the_same_lines_the_other_way():
    plain, other = (
        ask_about(NEWTON, Probe("intervention", "mass", m)).messages[1].content for m in ("plain", "reversed")
    )
    assert plain != other
    assert sorted(plain.splitlines()) == sorted(other.splitlines())


@each("kind", SCHEMAS)
def test_each_probe_has_a_versioned_prompt_and_a_schema(kind):
    version, shared, question = template(kind)
    assert version == "1"
    assert all(name in shared for name in SCHEMAS[kind]["required"])
    json.dumps(SCHEMAS[kind])
