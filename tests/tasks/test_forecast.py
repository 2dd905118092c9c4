"""The plan of a forecast study: what is asked, in which words, and what is refused."""

import json

import pytest

from tests.each import each
from trueness.errors import PlanError
from trueness.models import Reply
from trueness.running.study import Plan, read_plan
from trueness.status import Status
from trueness.studies.forecast.answers import read_reply

BASE = """
[discovery]
datasets = ["asia", "sachs"]
learners = ["pc", "notears"]
runs = 10
codes = true
[forecast]
models = ["mock/vacuous"]
"""


def task(more="", base=BASE):
    return Plan.parse(base + more, "t.toml").tasks[1]


def prompts(more=""):
    return {(c.item, c.variant): "\n".join(m.content for m in c.common["messages"]) for c in task(more).cells()}


def test_three_formulations_are_asked_unless_said():
    cells = task().cells()
    assert len(cells) == 3 * 2 * 2
    assert [cell.variant.split("/")[0] for cell in cells[::4]] == ["direct", "steps", "interval"]


def test_arms_are_varied_one_at_a_time():
    arms = 'formulations = ["direct"]\nnames = ["named", "anonymised"]\ntargets = ["run", "mean"]\n'
    assert {cell.variant for cell in task(arms).cells()} == {
        "direct/named/full/told/run",
        "direct/anonymised/full/told/run",
        "direct/named/full/told/mean",
    }


@pytest.mark.parametrize("names", ["anonymised", "renamed"])
def test_without_names_nothing_of_the_data_set_is_told(names):
    asked = prompts(f'names = ["{names}"]\nmetadata = ["full"]')
    for (item, _), text in asked.items():
        lower = text.lower()
        for word in ("asia", "sachs", "tub", "dyspnoea", "protein", "phospho", "clinic", "medicine", "biology"):
            assert word not in lower, (item, word)


def test_the_target_and_the_definition_are_said():
    asked = prompts('formulations = ["direct"]\ntargets = ["run", "mean"]\ndefinition = ["told", "untold"]')
    assert "result of a single run" in asked["asia/pc", "direct/named/full/told/run"]
    assert "mean over all runs" in asked["asia/pc", "direct/named/full/told/mean"]
    assert "harmonic mean" not in asked["asia/pc", "direct/named/full/untold/run"]
    assert "harmonic mean" in asked["asia/pc", "direct/named/full/told/run"]


def test_only_the_third_and_fourth_formulations_tell_the_assumptions():
    asked = prompts('formulations = ["direct", "steps", "interval", "quantiles"]')
    told = {variant.split("/")[0] for (_, variant), text in asked.items() if "causal sufficiency" in text}
    assert told == {"interval", "quantiles"}


def test_a_prompt_holds_no_number_that_could_be_read_as_an_answer():
    for text in prompts('formulations = ["direct", "steps", "interval", "quantiles"]').values():
        assert read_reply(Reply(text, Status.OK), 8).status == Status.UNREADABLE


ORIGINAL_DIRECT = """\
You are an expert in causal discovery algorithms.

Dataset: Asia (chest clinic)
- Domain: medicine
- Variables: 8
- Samples: 10000

Algorithm: PC

Task: Estimate the algorithm's performance on this dataset.

Provide your estimates as ranges [lower, upper] for:
- Precision
- Recall
- F1-score
- SHD"""


def test_the_originals_prompts_are_its_own_words_and_nothing_more():
    cells = task('formulations = ["original-direct", "original-steps", "original-interval"]').cells()
    sent = {c.variant.split("/")[0]: c.common["messages"] for c in cells if c.item == "asia/pc"}
    assert [(m.role, m.content) for m in sent["original-direct"]] == [("user", ORIGINAL_DIRECT)]
    assert all(cell.common["settings"].schema is None for cell in cells)
    steps, interval = (sent[f"original-{name}"][0].content for name in ("steps", "interval"))
    assert "3. What performance range is realistic given these factors?" in steps
    assert interval.startswith("Task: Predict the 95% confidence interval for each metric\nbased on your knowledge of")
    assert "no selection bias" in interval


def test_a_users_own_wording_is_filled_in(tmp_path):
    (tmp_path / "mine.md").write_text('{algorithm_name} on {n_nodes} columns, as {"precision": [0.1, 0.2]}?')
    plan = Plan.parse(BASE + 'formulations = ["mine.md", "direct"]', "t.toml", tmp_path).tasks[1]
    sent = {c.variant: c.common["messages"] for c in plan.cells() if c.item == "asia/pc"}
    assert [m.content for m in sent["mine/named/full/told/run"]] == ['PC on 8 columns, as {"precision": [0.1, 0.2]}?']
    for word, hint in {"n_node": "Did you mean 'n_nodes'", "n nodes": "Did you mean 'n_nodes'", "": ""}.items():
        (tmp_path / "mine.md").write_text(f"{{{word}}}")
        with pytest.raises(PlanError, match=f"placeholder of mine.md must be of.*got {{{word}}}. {hint}"):
            Plan.parse(BASE + 'formulations = ["mine.md"]', "t.toml", tmp_path)


MISTAKES = {
    "formulation": ('formulations = ["direkt"]', "'formulations' of forecast must be of direct.*Did you mean 'direct'"),
    "setting": ("repeat = 3", "'repeat' is not a setting of forecast.*Did you mean 'repeats'"),
    "repeats": ("repeats = 0", "'repeats' of forecast must be a whole number of at least 1, got 0"),
    "reference": ('references = ["heuristik"]', "'references' of forecast must be of.*heuristic"),
    "temperature": ("temperature = 3", r"'temperature' of forecast must be a number in \[0, 2\]"),
    "human": ('humans = ["nobody.csv"]', "'humans' must be CSV files.*trueness new human-sheet"),
    "options": ('[models."mock/other"]\nconcurrency = 1', "must be named in 'models'"),
    "twice": ('names = ["named", "named"]', "'names' of forecast must name each once"),
}


@each("name", MISTAKES)
def test_mistakes_are_told_in_one_line(name):
    more, told = MISTAKES[name]
    with pytest.raises(PlanError, match=told):
        task(more)


def test_the_original_config_is_a_plan(tmp_path):
    config = {
        "experiments": {
            "n_runs": 12,
            "algorithms": ["PC", "LiNGAM"],
            "datasets": ["asia", "synthetic_12"],
            "llm_models": ["mock/vacuous"],
            "prompt_formulations": [1, 3],
        },
        "llm_settings": {"temperature": 0.2, "max_tokens": 700, "max_retries": 3, "retry_delay": 5},
    }
    (tmp_path / "config.json").write_text(json.dumps(config))
    plan = read_plan(str(tmp_path / "config.json"))
    discovery, forecast = plan.tasks
    assert (discovery.runs, list(discovery.datasets)) == (12, ["asia", "synthetic-12"])
    assert [arms["formulation"] for arms in forecast.variants] == ["original-direct", "original-interval"]
    assert (forecast.settings.temperature, forecast.settings.max_tokens) == (0.2, 700)


PRINTED = """{
  "experiments": {
    "n_runs": 100,                    // Runs per algorithm per dataset
    "algorithms": ["PC", "LiNGAM", "FCI", "NOTEARS"],
    "datasets": [...],                // 11 datasets
    "llm_models": [...],              // 5 LLMs
    "prompt_formulations": [1, 2, 3]  // 3 formulations
  },
  "llm_settings": {
    "temperature": 0.1,               // Low randomness
    "max_tokens": 1024,
    "max_retries": 3,
    "retry_delay": 5
  }
}
"""


def test_the_config_as_the_document_prints_it_is_a_plan(tmp_path, capsys):
    (tmp_path / "config.json").write_text(PRINTED)
    plan = read_plan(str(tmp_path / "config.json"))
    discovery, forecast = plan.tasks
    assert list(discovery.datasets) == ["asia", "sachs", "cancer", "child", "synthetic-12", "synthetic-30"]
    assert (len(forecast.models), len(forecast.variants), discovery.runs) == (5, 3, 100)
    said = capsys.readouterr().err.splitlines()
    assert said[0].startswith("trueness: datasets is [...]: taken as the document lists them, asia, sachs")
    assert said[1].startswith("trueness: llm_models is [...]") and len(said) == 2
    named = PRINTED.replace("[...],              // 5 LLMs", '["mock/a//b"],')
    (tmp_path / "config.json").write_text(named)
    assert list(read_plan(str(tmp_path / "config.json")).tasks[1].models) == ["mock/a//b"]  # in quotes it is no comment
