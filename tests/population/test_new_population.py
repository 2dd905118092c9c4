"""The task file that `assay new population DATA` writes."""

import numpy as np
import pandas as pd
import pytest

from assay.errors import DataError
from assay.population.new_file import new_population
from assay.population.question_files import read_questions
from assay.population.truth import truth_of
from tests.population.made import people


@pytest.mark.parametrize("suffix", ["csv", "parquet"])
def test_the_file_can_be_run_as_it_stands(tmp_path, suffix):
    path = tmp_path / f"people.{suffix}"
    frame = people(500)
    frame.to_csv(path, index=False) if suffix == "csv" else frame.to_parquet(path)
    (tmp_path / "tasks.toml").write_text(new_population(path))
    for asked in read_questions(tmp_path / "tasks.toml"):
        assert asked.weight is None
        assert truth_of(asked, np.random.default_rng(0), draws=10).probs.sum(axis=1) == pytest.approx(1)


def test_a_column_that_sounds_like_a_weight_is_pointed_out_and_not_used(tmp_path):
    people(100).to_csv(tmp_path / "people.csv", index=False)
    text = new_population(tmp_path / "people.csv")
    assert "names that sound like one: weight" in text
    assert "\nweight =" not in text


def test_identifiers_free_text_and_missing_values_are_told(tmp_path):
    frame = people(200).assign(id=range(200), remark=[f"text {k}" for k in range(200)])
    frame.loc[:9, "sex"] = None
    frame.to_csv(tmp_path / "people.csv", index=False)
    text = new_population(tmp_path / "people.csv")
    assert "#   id: a different whole number in every row" in text
    assert "#   remark: 200 different texts" in text
    assert "# 10 of 200 rows are missing and will be left out" in text


def test_strange_names_and_quotes_survive(tmp_path):
    frame = pd.DataFrame({"my col.": ['say "x"', "b\\c"] * 40, "päärynä": ["1 000", "é"] * 40})
    frame.to_csv(tmp_path / "odd.csv", index=False)
    (tmp_path / "tasks.toml").write_text(new_population(tmp_path / "odd.csv"), encoding="utf-8")
    (asked,) = read_questions(tmp_path / "tasks.toml")
    assert set(asked.levels) == {'say "x"', "b\\c"}


def test_a_file_with_nothing_to_ask_is_one_line(tmp_path):
    pd.DataFrame({"id": range(50), "same": 1}).to_csv(tmp_path / "x.csv", index=False)
    with pytest.raises(DataError, match="x.csv must have two columns with levels or numbers, got 0 of 2"):
        new_population(tmp_path / "x.csv")


def test_a_survey_file_proposes_its_design_and_applies_none_of_it(tmp_path):
    people(200).rename(columns={"w": "WGT", "cluster": "YY1"}).to_csv(tmp_path / "SCFP2022.csv", index=False)
    text = new_population(f"scf:{tmp_path}/SCFP2022.csv")
    assert '#   its documentation: weight = "WGT"' in text
    assert "five implicates a household" in text
    (tmp_path / "tasks.toml").write_text(text)
    (asked,) = read_questions(tmp_path / "tasks.toml")
    assert (asked.data, asked.weight, asked.clusters) == ("scf:SCFP2022.csv", None, None)
    truth_of(asked, np.random.default_rng(0), draws=10)
