"""The task file that `trueness new population DATA` writes."""

import tomllib

import numpy as np
import pandas as pd
import pytest

from tests.population.made import people
from trueness.errors import DataError
from trueness.studies.population.new_file import new_population
from trueness.studies.population.questions import read_questions
from trueness.studies.population.truth import truth_of


def test_a_column_that_sounds_like_a_weight_is_pointed_out_and_not_used(tmp_path):
    people(100).to_csv(tmp_path / "people.csv", index=False)
    text = new_population(tmp_path / "people.csv")
    assert "names that sound like one: weight" in text
    assert "\nweight =" not in text


def awkward(n=300):
    rng = np.random.default_rng(0)
    frame = pd.DataFrame(
        {
            "sex": rng.choice(["männlich", "weiblich"], n),
            "when": pd.date_range("2020-01-01", periods=n),
            "state": rng.choice([f"state {k}" for k in range(40)], n),
            "all missing": [None] * n,
            "answer ": rng.choice(["Yes", "yes", "no"], n),
            "flag": rng.random(n) < 0.4,
            "日本": rng.choice(["はい", "いいえ"], n),
            "income": np.where(rng.random(n) < 0.3, 0.0, rng.lognormal(10, 1, n)),
            "below zero": rng.normal(0, 1e-8, n),
            "half": np.where(rng.random(n) < 0.5, np.nan, rng.integers(0, 3, n)),
        }
    )
    frame["size"] = pd.Categorical(rng.choice(["small", "middling", "large"], n), ["small", "middling", "large"], True)
    frame["count"] = pd.array([pd.NA, *rng.integers(0, 3, n - 1)], dtype="Int64")
    return frame


@pytest.mark.parametrize("suffix", ["csv", "parquet"])
def test_every_column_that_is_proposed_can_be_asked_for(tmp_path, suffix):
    path = tmp_path / f"odd.{suffix}"
    frame = awkward()
    frame.to_csv(path, index=False) if suffix == "csv" else frame.to_parquet(path)
    text = new_population(path)
    head, columns = text.split("[tasks.")[0], list(tomllib.loads(text)["variables"])
    assert {"when", "all missing"}.isdisjoint(columns)
    assert len(columns) == 10
    for outcome, given in zip(columns, [*columns[1:], columns[0]], strict=True):
        task = f'[tasks.x]\nvariables = ["{outcome}", "{given}"]\nprompt = "What of {{}}?"\nleast = 1\n'
        (tmp_path / "tasks.toml").write_text(head + task, encoding="utf-8")
        (asked,) = read_questions(tmp_path / "tasks.toml")
        assert truth_of(asked, np.random.default_rng(0), draws=10).n_unlisted == 0


def test_texts_that_differ_in_case_alone_are_one_level(tmp_path):
    awkward().to_csv(tmp_path / "odd.csv", index=False)
    levels = tomllib.loads(new_population(tmp_path / "odd.csv"))["variables"]["answer"]["levels"]
    assert sorted(map(sorted, levels)) == [["Yes", "yes"], ["no"]]


def test_a_file_with_nothing_to_ask_is_one_line(tmp_path):
    pd.DataFrame({"id": range(50), "same": 1}).to_csv(tmp_path / "x.csv", index=False)
    with pytest.raises(DataError, match="x.csv must have two columns with levels or numbers, got 0 of 2"):
        new_population(tmp_path / "x.csv")
