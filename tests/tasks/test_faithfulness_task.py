"""The [faithfulness] table of a plan, and its cells."""

import pytest

from tests.each import each
from trueness.errors import PlanError
from trueness.running.cells import PlanContext
from trueness.studies.faithfulness.plan import Faithfulness


def task(tmp_path, settings=None, **table):
    return Faithfulness.from_plan(table, PlanContext(settings or {}, 1, tmp_path, "study.toml"))


def test_without_judges_nothing_is_asked(tmp_path):
    found = task(tmp_path)
    assert found.cells() == []
    assert len(found.problems) == 64


def test_the_problems_that_a_judge_sees_can_be_named(tmp_path):
    cells = task(tmp_path, judges=["mock/empty"], judged=["everyday-lawn", "physics-braking"]).cells()
    assert [cell.item for cell in cells] == ["physics-braking", "everyday-lawn"]


def test_damaged_copies_are_judged_too(tmp_path):
    cells = task(tmp_path, problems=["physics"], judges=["mock/empty"], judged=1, corrupt=True).cells()
    assert len(cells) == 6
    assert cells[1].item.startswith("physics-newton-second~")


def test_the_evaluated_model_is_asked_right_problems_only(tmp_path):
    cells = task(tmp_path, problems=["physics"], models=["mock/empty"], judged=1, corrupt=True).cells()
    assert [cell.variant for cell in cells] == ["behaviour"]


def test_without_changes_a_model_is_asked_for_its_graph_alone(tmp_path):
    (cell,) = task(tmp_path, problems=["physics"], models=["mock/empty"], judged=1, changes=0).cells()
    assert cell.common["calls"] == 1


@each(
    "table, told",
    [
        ({"jugdes": []}, "Did you mean 'judges'?"),
        ({"problems": ["phisics"]}, "Did you mean 'physics'?"),
        ({"weights": {"logic": 1}}, "'weights' must be of"),
        ({"weights": 3}, "must be a table"),
        ({"judged": ["physics-breaking"]}, "Did you mean 'physics-braking'?"),
        ({"judged": 0}, "at least 1"),
        ({"repeats": 0}, "at least 1"),
        ({"corrupt": "yes"}, "true or false"),
        ({"judges": ["a", "a"]}, "name each once"),
        ({"temperature": 9}, "temperature"),
    ],
)
def test_mistakes_in_a_plan_are_told_in_one_line(tmp_path, table, told):
    with pytest.raises(PlanError, match=told) as caught:
        task(tmp_path, **table)
    assert "\n" not in str(caught.value)


def test_a_plan_says_what_costs_nothing_and_what_will_not_be_known(tmp_path):
    assert task(tmp_path, corrupt=True).notes[0].startswith("64 problems and 320 damaged copies are executed")
    assert any("No judge is asked" in note for note in task(tmp_path).notes)
    assert any("Set repeats = 2" in note for note in task(tmp_path, judges=["mock/empty"]).notes)


def test_a_plan_compares_groups_of_graphs_over_the_problems_that_judges_see(tmp_path):
    seen = ["physics-newton-second", "everyday-lawn"]
    (line,) = task(tmp_path, corrupt=True, judges=["mock/empty", "mock/vacuous"], judged=seen).reach()
    assert "right graphs and 5 kinds of damaged ones in pairs over 2 problems (the units)" in line
    assert "over 15 comparisons" in line
    assert task(tmp_path, judges=["mock/empty", "mock/vacuous"]).reach() == []  # nothing is tested between judges


def test_a_limit_needs_a_price(tmp_path):
    with pytest.raises(PlanError, match="must know the price"):
        task(tmp_path, {"limit_usd": 1.0}, judges=["openai/not-in-the-list"])
