"""Outcomes that are numbers: cells, W1 on the values, means and quantiles, and how a model is asked for them."""

import json

import numpy as np
import pandas as pd
import pytest

from tests.population.made import answers, microdata, question, reference_answers
from trueness.cli import main
from trueness.measures.distributions import multinomial
from trueness.page.pages import StudyPage
from trueness.reading.distribution import read_quantiles
from trueness.running.study_folder import StudyFolder
from trueness.status import Status
from trueness.studies.population.answers import read_populations
from trueness.studies.population.modes import PERCENTILES
from trueness.studies.population.questions import Variable
from trueness.studies.population.scores import Scales, score_answers
from trueness.studies.population.tables import numbers_frame
from trueness.studies.population.truth import truth_from_dict, truth_of, truth_to_dict

pytestmark = pytest.mark.usefixtures("kept_lanes")


def incomes(n=4_000, seed=0):
    """Log-normal, higher for the older; with a survey weight."""
    rng = np.random.default_rng(seed)
    age = rng.integers(18, 80, n)
    income = np.round(np.exp(9.5 + 0.6 * (age >= 40) + 0.5 * rng.standard_normal(n)), -2)
    return pd.DataFrame({"income": income, "age": age, "w": rng.gamma(2.0, 1.0, n) + 0.1})


@pytest.fixture(scope="module")
def truth():
    asked = question(outcome=Variable("income", numeric=True), weight="w")
    return truth_of(asked, np.random.default_rng(0), microdata(incomes()))


def scored(truth, given):
    return score_answers(truth, given, rng=np.random.default_rng(0), scales=Scales(0))


def test_a_number_is_counted_in_even_cells(truth):
    assert truth.numeric and truth.ordinal and 40 <= len(truth.levels) <= 100
    widths = np.diff(truth.question.outcome.bins)
    assert widths == pytest.approx(widths[0])


def test_means_and_quantiles_are_those_of_the_weighted_rows(truth):
    rows = incomes()
    for c, young in enumerate((rows["age"] < 40, rows["age"] >= 40)):
        part = rows[young]
        assert truth.means[c] == pytest.approx(np.average(part["income"], weights=part["w"]))
        order = part.sort_values("income")
        middle = order["income"].iloc[np.searchsorted(order["w"].cumsum(), order["w"].sum() / 2)]
        assert truth.quantiles[c, 2] == pytest.approx(middle)
    spread = truth.mean_draws().std(axis=0)
    expected = [part["income"].std() / np.sqrt(len(part) / 1.5) for _, part in rows.groupby(rows["age"] >= 40)]
    assert spread == pytest.approx(expected, rel=0.2)  # Kish: 1 + cv^2 of the weights is about 1.45


def test_w1_is_on_the_values(truth):
    """All answers 10 cells too high are 10 cells off: shares of levels would call that as bad as any other answer."""
    shifts = {}
    for shift in (2, 10):
        moved = np.roll(truth.probs, shift, axis=1)
        moved[:, :shift] = 0
        score = scored(truth, answers(truth, moved + 1e-12))
        shifts[shift] = score.value("w1")
        assert score.measures["tv"].value is None and score.measures["tv"].reason == "a number"
    assert shifts[10] == pytest.approx(5 * shifts[2], rel=0.35)  # what is cut off at the top is less than all


def test_perfect_and_uniform_samplers_of_numbers_get_100_and_0(truth):
    rng = np.random.default_rng(1)
    k = np.full(2, 60.0)
    for probs, low, high in ((truth.probs, 96, 100), (np.full_like(truth.probs, 1 / truth.probs.shape[1]), 0, 4)):
        values = [scored(truth, answers(truth, q, 60)).value("score") for q in multinomial(probs, k, 12, rng)]
        assert low <= np.mean(values) <= high
    oracle = scored(truth, reference_answers(truth, "oracle"))
    assert [oracle.value(m) for m in ("score", "skill_uniform", "w1")] == pytest.approx([100, 1, 0])
    assert scored(truth, reference_answers(truth, "marginal")).value("skill_marginal") == pytest.approx(0, abs=1e-9)


def test_a_numeric_truth_survives_its_record(truth):
    again = truth_from_dict(json.loads(json.dumps(truth_to_dict(truth))))
    np.testing.assert_array_equal(again.means, truth.means)
    np.testing.assert_array_equal(again.quantiles, truth.quantiles)
    assert again.question == truth.question


def test_percentiles_are_read_from_json_and_lines():
    values = dict(zip(PERCENTILES, (1, 10, 20, 30, 40, 60, 99), strict=True))
    for text in (
        json.dumps({f"p{p}": v for p, v in values.items()}),
        "Here: " + json.dumps({"percentiles": {f"{p}th percentile": f"${v}" for p, v in values.items()}}),
        "\n".join(f"p{p}: {v}" for p, v in values.items()),
    ):
        found = read_quantiles(text, PERCENTILES)
        assert (found.status, found.values) == (Status.OK, values), text
        assert all(str(values[p]) in text[slice(*span)] for p, span in found.spans.items())


TASK = {  # as the original writes an outcome of numbers
    "name": "income_by_age", "dataset": "people.csv", "variables": ["income", "age"],
    "mode": ["sample", "distribution"], "wgh_col": "w",
    "prompt": "What is the yearly income in dollars of a person aged {}?", "levels": None,
    "bins": {"age": [18, 40]},
}  # fmt: skip
PLAN = """
name = "incomes"
[population]
models = ["mock/says"]
tasks = ["tasks.json"]
draws = 30
[models."mock/says"]
script = "says.jsonl"
"""


def test_a_study_of_numbers_from_plan_to_page(tmp_path, monkeypatch):
    monkeypatch.chdir(tmp_path)
    incomes().to_csv("people.csv", index=False)
    stated = {f"p{p}": v for p, v in zip(PERCENTILES, (4e3, 7e3, 1e4, 1.5e4, 2e4, 3e4, 5e4), strict=True)}
    lines = [{"match": ["JSON"], "reply": json.dumps(stated)}, {"match": [], "reply": "$20,000"}]
    (tmp_path / "says.jsonl").write_text("".join(json.dumps(line) + "\n" for line in lines))
    (tmp_path / "tasks.json").write_text(json.dumps([TASK]))
    (tmp_path / "plan.toml").write_text(PLAN)
    assert main(["run", "plan.toml"]) == 0
    folder = tmp_path / "results" / "incomes"
    frame = numbers_frame(read_populations(folder))
    assert frame[frame["mode"] == "sample"]["mean"].tolist() == [20_000, 20_000]
    assert frame[frame["mode"] == "distribution"]["p50"].tolist() == pytest.approx([15_000] * 2, rel=0.01)
    assert frame["true_mean"].nunique() == 2 and (frame["true_mean_low"] < frame["true_mean_high"]).all()
    assert (folder / "population" / "numbers.csv").is_file()
    (cells,) = (folder / "population").glob("*_income_by_age.json")
    entry = next(one for one in json.loads(cells.read_text()) if one["mode"] == "sample")
    assert entry["model_vals"] == [20_000] * 30 and all(isinstance(value, float) for value in entry["true_vals"])
    with StudyFolder.reading(folder) as opened:
        cell = StudyPage(opened).get("cell/population/income_by_age/sample/mock%2Fsays")
    table = next(block for block in cell["blocks"] if block["title"] == "18-39")
    assert table["columns"] == ["of", "population", "answer"]
    assert (table["rows"][0][0], table["rows"][0][2]) == ("mean", 20_000)
