"""The worked problems of the package: right by a second method, and told from their damaged copies."""

import json

import pytest

from tests.reasoning.second_method import ANSWERS
from trueness.errors import DataError, UnknownName
from trueness.reasoning import execute
from trueness.reasoning.checks import check_answer, executable_components, graph_quality, score_of
from trueness.reasoning.execute import invert_all
from trueness.reasoning.problems import DOMAINS, load_problems, problem_from, read_problems
from trueness.reasoning.rules import rules_of
from trueness.reasoning.schema import graph_from

PROBLEMS = load_problems()
EXECUTABLE = [problem for problem in PROBLEMS if problem.answer.value is not None]
STORIES = [problem for problem in PROBLEMS if problem.answer.value is None]


def test_there_are_sixty_problems_in_four_domains():
    assert len(PROBLEMS) >= 60
    assert {problem.domain for problem in PROBLEMS} == set(DOMAINS)
    assert len({problem.id for problem in PROBLEMS}) == len(PROBLEMS)
    assert len(STORIES) >= 10


@pytest.mark.parametrize("problem", EXECUTABLE, ids=lambda problem: problem.id)
def test_every_answer_agrees_with_a_second_method(problem):
    by_hand = ANSWERS[problem.id]()
    assert problem.answer.value == pytest.approx(by_hand, rel=1e-6)
    checked = check_answer(problem.graph, problem.answer, tolerance=1e-6)
    assert checked.agrees, checked.message


@pytest.mark.parametrize("problem", PROBLEMS, ids=lambda problem: problem.id)
def test_every_graph_is_sound(problem):
    quality = graph_quality(problem.graph)
    assert quality.original == pytest.approx(1.0)
    assert quality.ours == pytest.approx(1.0), quality.messages
    assert not problem.graph.findings
    assert problem.reasoning


@pytest.mark.parametrize("problem", EXECUTABLE, ids=lambda problem: problem.id)
def test_every_known_is_recovered(problem):
    for inversion in invert_all(problem.graph).values():
        assert inversion.recovered, inversion


@pytest.mark.parametrize("problem", STORIES, ids=lambda problem: problem.id)
def test_stories_have_rules_in_words_and_no_executable_score(problem):
    assert {rule.kind for rules in rules_of(problem.graph).values() for rule in rules} == {"words"}
    assert execute(problem.graph).target is None
    assert score_of(executable_components(problem.graph, problem.answer)) is None
    assert problem.answer.text in ("increase", "decrease")


def test_a_problem_comes_back_from_its_dictionary():
    for problem in PROBLEMS:
        assert problem_from(json.loads(json.dumps(problem.to_dict()))) == problem


def test_the_graph_of_a_problem_is_in_the_original_schema():
    written = EXECUTABLE[0].graph.to_dict()
    assert {"target_variable", "knowns", "causal_graph", "computation_plan"} <= set(written)
    assert graph_from(written)[0] == EXECUTABLE[0].graph


def test_one_domain_can_be_chosen_and_a_wrong_one_is_told():
    assert {problem.domain for problem in load_problems("chemistry")} == {"chemistry"}
    with pytest.raises(UnknownName, match="chemistry"):
        load_problems("chemisty")


@pytest.mark.parametrize(
    ("line", "told"),
    [
        ("{", "line 1"),
        ("[1]", "object"),
        ('{"problem_text": "x"}', "'dag'"),
        ('{"dag": {"target_variable": "y", "knowns": {}, "causal_graph": [["x", "y"]]}}', "'problem_text'"),
        (
            '{"problem_text": "x", "tolerance": 3, "dag": {"target_variable": "y", "causal_graph": [["x", "y"]]}}',
            "tolerance",
        ),
    ],
)
def test_a_bad_line_of_a_problems_file_is_one_error_with_its_place(tmp_path, line, told):
    path = tmp_path / "mine.jsonl"
    path.write_text(line)
    with pytest.raises(DataError, match=told):
        read_problems(path)


@pytest.mark.parametrize(("stated", "name"), [(0, "0"), (7, "7"), ("a", "a"), ("", "here"), (None, "here")])
def test_the_id_of_a_problem_may_be_any_number(stated, name):
    record = load_problems("physics")[0].to_dict() | {"id": stated}
    assert problem_from(record, "here").id == name
