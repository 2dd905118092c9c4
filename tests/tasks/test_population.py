"""The plan of a population study: what is asked, in which modes, and what is refused in one line."""

import pytest

from trueness.errors import TruenessError
from trueness.running.study import Plan, template

BASE = """
[population]
models = ["mock/vacuous"]
tasks = ["acs_married_by_age"]
"""
OWN = """
[tasks.own]
data = "own.csv"
variables = ["v", "g"]
{more}
prompt = "{prompt}"
"""


def task(more="", base=BASE, folder=None):
    return Plan.parse(base + more, "t.toml", *([] if folder is None else [folder])).tasks[0]


def own(folder, more="", prompt="What of {}?", values=("x", "y")):
    """A task file beside a small CSV of its own."""
    rows = ["v,g,weight"] + [f"{values[k % len(values)]},{'ab'[k % 2]},{k - 5}" for k in range(40 * len(values))]
    (folder / "own.csv").write_text("\n".join(rows))
    (folder / "own.toml").write_text(OWN.format(more=more, prompt=prompt))
    return task(base='[population]\nmodels = ["mock/vacuous"]\ntasks = ["own.toml"]\n', folder=folder)


def test_a_cell_is_a_model_a_condition_and_a_mode():
    cells = task('modes = ["qa", "distribution"]').cells()
    assert len(cells) == 2 * 4
    assert {cell.variant for cell in cells} == {"qa", "distribution"}
    assert cells[0].item.split("/")[0] == "acs_married_by_age"


def test_tasks_are_named_by_pattern_too():
    found = task(base='[population]\nmodels = []\ntasks = ["cps_*_by_ethnicity"]\nmodes = ["qa"]')
    assert {question.name for question in found.questions} >= {"cps_wage_by_ethnicity", "cps_region_by_ethnicity"}
    assert all(question.modes == ("qa",) for question in found.questions)


def test_what_decides_a_reply_decides_the_key():
    keys = {
        tuple(key for cell in task(more).cells() for key in cell.keys)
        for more in ("", "draws = 5", "permutations = 4", "temperature = 0.5", "max_tokens = 9")
    }
    assert len(keys) == 5
    assert task().cells()[0].keys == task("timeout = 9").cells()[0].keys


def test_the_template_is_a_plan(tmp_path):
    made = task(base=template("population", tmp_path / "study.toml"))
    assert made.manner.draws == 128 and len(made.questions) == 3


MISTAKES = {
    "setting": ("drawz = 3", "'drawz' is not a setting of population. Did you mean 'draws'"),
    "mode": ('modes = ["qu"]', "'modes' of population must be of qa, sample, .*got 'qu'"),
    "mode not made for": ('modes = ["story"]', "'acs_married_by_age' must be made for one of story, got"),
    "draws": ("draws = 0", "'draws' of population must be a whole number of at least 1, got 0"),
    "permutations": ("permutations = 2.5", "'permutations' of population must be a whole number"),
    "temperature": ("temperature = 3", r"'temperature' of population must be a number in \[0, 2\]"),
    "reference": ('references = ["perfct"]', "'references' must be of .*Did you mean 'baseline/perfect'"),
    "top_logprobs": ("top_logprobs = 2000", "'top_logprobs' of population must be a whole number in .1, 1000."),
    "timeout": ("timeout = -1", "'timeout' of population must be a number above 0"),
    "model": ('[models."mock/empty"]\nretries = 1', "must be named in 'models' of .population."),
}


@pytest.mark.parametrize(("more", "message"), MISTAKES.values(), ids=MISTAKES.keys())
def test_a_mistake_is_one_line(more, message):
    with pytest.raises(TruenessError, match=message) as caught:
        task(more)
    assert "\n" not in str(caught.value)


@pytest.mark.parametrize(
    ("tasks", "message"),
    [
        ('["gss_party_by_rase"]', "'gss_party_by_rase' is not a population task. Did you mean 'gss_party_by_race'"),
        ("[]", "'tasks' of population must name at least one, got none"),
        ('["gss_party_by_sex", "gss_party_*"]', "must name each task once, got 'gss_party_by_sex' twice"),
        ('["nowhere.toml"]', "task file .*nowhere.toml must be a text file that is there"),
    ],
)
def test_tasks_that_cannot_be_found_are_refused(tasks, message):
    with pytest.raises(TruenessError, match=message):
        task(base=f"[population]\nmodels = []\ntasks = {tasks}")


def test_a_plan_says_what_its_sources_and_draws_can_show():
    """Four parties cannot be told from a uniform guess by 10 draws (by simulation); marriage by age can by 2,000."""
    few = task(
        'modes = ["sample"]\ndraws = 10', BASE.replace('"acs_married_by_age"', '"acs_married_by_age", "gss_*_by_race"')
    )
    told = " ".join(few.reach())
    assert "Comparing 4 respondents" in told and "over 2 sources" in told
    assert "From 10 draws a perfect sampler cannot be told from a uniform one" in told and "gss_party_by_race" in told
    many = task('modes = ["sample"]\ndraws = 2000').reach()
    assert len(many) == 1  # nothing is uninformative


FORECAST = """
[discovery]
datasets = ["asia"]
learners = ["pc"]
runs = 2
[forecast]
models = ["mock/vacuous"]
[models."mock/vacuous"]
retries = 2
[models."mock/empty"]
retries = 1
[population]
models = ["mock/empty"]
tasks = ["acs_married_by_age"]
"""


def test_forecast_and_population_of_one_plan_ask_models_of_their_own():
    plan = Plan.parse(FORECAST, "t.toml")
    asked = {task.name: task.models for task in plan.tasks if hasattr(task, "models")}
    assert asked == {"forecast": {"mock/vacuous": {"retries": 2}}, "population": {"mock/empty": {"retries": 1}}}


def test_options_of_a_model_that_no_task_asks_are_refused():
    with pytest.raises(
        TruenessError, match=r"'mock/other'\] must be named in 'models' of \[forecast\] or 'models' of \[population\]"
    ):
        Plan.parse(FORECAST.replace('[models."mock/empty"]', '[models."mock/other"]'), "t.toml")
