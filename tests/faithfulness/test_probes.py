"""What is asked: every node, with a prompt and a schema."""

import json

from tests.each import each
from trueness.reasoning.problems import load_problems
from trueness.studies.faithfulness.probes import SCHEMAS, Asking, questions_of, template

NEWTON = load_problems("physics")[0]
LAWN = load_problems("everyday")[0]


def test_every_node_but_the_target_is_asked_about():
    probes = [question.probe for question in questions_of(NEWTON, Asking())]
    assert [p.node for p in probes if p.kind == "intervention"] == list(NEWTON.graph.non_target)
    assert [p.node for p in probes if p.kind == "abduction"] == list(NEWTON.graph.knowns)
    assert sum(p.kind == "logic" for p in probes) == 1


@each("kind", SCHEMAS)
def test_each_probe_has_a_versioned_prompt_and_a_schema(kind):
    version, shared, question = template(kind)
    assert version.isdigit()
    assert all(name in shared for name in SCHEMAS[kind]["required"])
    json.dumps(SCHEMAS[kind])
