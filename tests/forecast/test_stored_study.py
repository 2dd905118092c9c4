"""What a stored study says: the prompt behind a reply, the arm that the plan names first, tests under their name."""

import pandas as pd
import pytest

from tests.forecast.handmade import over, spread, study, truth
from tests.lanes import same_lanes
from trueness.analyse.comparing import compare
from trueness.running.study import Plan, Study
from trueness.studies.forecast.answers import read_forecasts
from trueness.studies.forecast.findings import Findings
from trueness.studies.forecast.reasoning import reasoning
from trueness.studies.forecast.tables import main_results, rows

PLAN = """
name = "stored"
[discovery]
datasets = ["cancer", "survey"]
learners = ["pc"]
runs = 4
rows = 300
[forecast]
models = ["mock/copycat-of-the-prompt", "mock/vacuous"]
formulations = ["interval"]
names = ["named", "anonymised"]
targets = ["run", "mean"]
"""

NAMES = [f"d{k}" for k in range(6)]
TRUTHS = [truth(spread(0.5), dataset=name) for name in NAMES]


def stored(folder, plan=PLAN):
    study = Study(Plan.parse(plan, "stored.toml", folder, folder / "results"))
    with same_lanes(1) as (executor, slots):
        study.run(executor, slots)
    return read_forecasts(folder / "results")


@pytest.fixture(scope="module")
def forecasts(tmp_path_factory):
    return stored(tmp_path_factory.mktemp("stored"))


def test_the_prompt_of_a_stored_reply_is_its_text(forecasts):
    assert forecasts.replies["prompt"].str.contains("Assumes: causal sufficiency").all()


def test_a_parrot_of_the_prompt_knows_nothing_unprompted(forecasts):
    found = reasoning(forecasts).table.set_index("respondent").loc["mock/copycat-of-the-prompt"]
    assert found["named_share"] == 0.75  # three of four: that there is no selection bias the prompt does not tell
    assert found["unprompted_share"] == 0


def test_the_plans_first_arm_is_the_headline_and_every_table_names_it(forecasts):
    first = {"names": "named", "metadata": "full", "definition": "told", "target": "run"}
    assert forecasts.main_arm == first  # by the alphabet it was anonymised, and the mean
    shown = forecasts.headline
    assert set(shown["names"]) <= {"named", "-"} and set(shown["target"]) == {"run"}
    told = "names named, metadata full, definition told, target run"
    made = Findings(forecasts).tables()
    assert all(told in table.caption for table in made)


def test_a_mean_of_equal_values_has_no_interval_and_others_lie_within_their_bounds(forecasts):
    row = next(row for row in rows(forecasts) if row["respondent"] == "mock/vacuous")
    assert row["interval_score"] == 1 and row["interval_score_low"] is None  # was 1.00 [1.00, 1.00]
    cells = main_results(forecasts, rows(forecasts)).cells()
    assert next(row for row in cells if row[0] == "vacuous")[5] == "1.0 (constant)"
    assert all(-1 <= row["bias_low"] <= row["bias_high"] <= 1 for row in rows(forecasts) if row["bias_low"])


def test_h4_is_a_permutation_over_models_and_says_so():
    claims = [c for k in range(5) for c in over(NAMES, 0.4 - 0.05 * k, 0.5 - 0.05 * k, respondent=f"m{k}")]
    made = Findings(study(claims, TRUTHS, notes={"capability": {f"m{k}": 10 - k for k in range(5)}}))
    tests = made.tests.set_index("what")
    row = next(row for what, row in tests.iterrows() if what.startswith("H4"))
    assert row["test"] == "exact permutation over models, one-sided"
    assert row["n_models"] == 5 and pd.isna(row["n_datasets"])
    assert "sign-flip" not in made["hypotheses"].table.set_index("hypothesis").loc["H4", "sentence"]
    assert {"model", "data set"} == set(made["hypotheses"].table["unit"])


def test_two_formulations_are_compared_by_their_short_names(tmp_path):
    plan = PLAN.replace('["interval"]', '["direct", "interval"]').replace('targets = ["run", "mean"]\n', "")
    stored(tmp_path, plan)
    found = compare(tmp_path / "results", "direct", "interval")
    assert found.names == ("direct", "interval") and found.n_clusters == 2 and found.n_units == 2 * 4 * 2
    assert found.difference == 0  # vacuous answers do not depend on the wording
