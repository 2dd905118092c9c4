"""Experts' sheets: what is read, what stays missing, and one line for each mistake."""

import numpy as np
import pytest

from tests.forecast.example import DATASETS
from trueness.errors import DataError
from trueness.running.study import Plan
from trueness.studies.forecast.frames import CLAIM_COLUMNS
from trueness.studies.forecast.offers import new_sheet
from trueness.studies.forecast.references import parse_experts, questions, read_experts, sheet

ABOUT = {name: DATASETS[name] for name in ("asia", "cancer")}
ASKED = questions(ABOUT, ["pc", "fci"])
HEAD = "dataset,learner,measure,low,high\n"


def test_a_range_becomes_a_claim():
    found = parse_experts(HEAD + "asia,pc,f1,0.4,0.7\n").iloc[0]
    assert list(found.index) == list(CLAIM_COLUMNS)
    assert (found["low"], found["high"], found["level"], found["target"]) == (0.4, 0.7, 0.95, "run")
    assert (found["respondent"], found["formulation"], found["status"]) == ("human/sheet", "reference", "ok")
    assert np.isnan(found["median"])


def test_the_original_column_names_other_columns_and_spreadsheets_are_read(tmp_path):
    file = tmp_path / "experts.csv"
    file.write_text("﻿Dataset;Algorithm;Measure;Low;High;Note\r\nasia;PC;F1;0.4;0.7;a guess\r\n", encoding="utf-8")
    found = read_experts(file, ASKED)
    assert found[["dataset", "learner", "measure", "respondent"]].iloc[0].tolist() == [
        "asia",
        "pc",
        "f1",
        "human/experts",
    ]


def test_the_form_of_a_study_whose_learners_have_capitals_is_read_back():
    limits = questions(ABOUT, ["PC-strict", "mine.py:Mine", "mine.py:mine"])
    text = sheet(ABOUT, ["PC-strict", "mine.py:Mine", "mine.py:mine"]).replace(
        "asia,PC-strict,f1,,", "asia,PC-strict,f1,.4,.7"
    )
    claims = parse_experts(text, limits=limits)
    assert set(claims["learner"]) == {"PC-strict", "mine.py:Mine", "mine.py:mine"} and len(claims) == len(limits)
    assert parse_experts(HEAD + "asia,pc-STRICT,f1,0.4,0.7\n", limits=limits).loc[0, "learner"] == "PC-strict"


def test_questions_that_the_sheet_leaves_out_are_rows_too():
    found = parse_experts(HEAD + "asia,pc,f1,0.4,0.7\n", limits=ASKED)
    assert len(found) == len(ASKED)
    assert found["status"].value_counts().to_dict() == {"refused": len(ASKED) - 1, "ok": 1}


@pytest.mark.parametrize(
    ("row", "message"),
    [
        ("asai,pc,f1,0.4,0.7", "row 3 of experts.csv: 'dataset' must be .*, got 'asai'. Did you mean 'asia'?"),
        ("asia,pcc,f1,0.4,0.7", "row 3 of experts.csv: 'learner' must be .* Did you mean 'pc'?"),
        ("asia,pc,accuracy,0.4,0.7", "row 3 of experts.csv: 'measure' must be .*precision, recall, f1, shd"),
        ("asia,pc,recall,high,0.7", "row 3 of experts.csv: 'low' must be a number from 0 to 1, got 'high'"),
        ("asia,pc,recall,0.7,0.4", "row 3 of experts.csv must have 'low' <= 'median' <= 'high', got 0.7"),
        ("asia,pc,recall,40,70", "row 3 of experts.csv: 'low' must be a number from 0 to 1, got '40'. Write 0.6"),
        ("asia,pc,shd,3,29", "row 3 of experts.csv: 'high' must be a number from 0 to 28, got '29'."),
        ("asia,pc,f1,0.1,0.2", "row 3 of experts.csv must be a new question, got that of row 2 again."),
        (",pc,f1,0.1,0.2", "row 3 of experts.csv: 'dataset' must be"),
        ("asia,pc,recall,nan,0.2", "row 3 of experts.csv: 'low' must be a number"),
    ],
)  # fmt: skip
def test_a_wrong_cell_is_one_line_with_its_row(row, message):
    with pytest.raises(DataError, match=message) as caught:
        parse_experts(HEAD + "asia,pc,f1,0.4,0.7\n" + row + "\n", "experts.csv", ASKED)
    assert "\n" not in str(caught.value)


@pytest.mark.parametrize(
    ("cells", "message"),
    [("95,", "'level' must be a number from 0 to 1"), ("1,", r"'level' must be in \(0, 1\)"), (".9,9", "'median' <=")],
)
def test_a_wrong_level_or_median_is_named(cells, message):
    with pytest.raises(DataError, match=message):
        parse_experts("dataset,learner,measure,low,high,level,median\nasia,pc,shd,2,5," + cells)


def test_a_sheet_is_printed_from_a_plan_that_names_it(tmp_path):
    plan = tmp_path / "plan.toml"
    plan.write_text(
        '[discovery]\ndatasets = ["asia"]\nlearners = ["pc"]\nruns = 3\n'
        '[forecast]\nmodels = ["mock/vacuous"]\nhumans = ["experts.csv"]\ncapability = {"mock/vacuous" = 1}\n'
        '[models."mock/vacuous"]\nprice = {input = 1.5, output = 2}\n'
    )
    assert new_sheet(str(tmp_path / "experts.csv"), str(plan)).text.count("\n") == 5


def test_a_row_with_one_end_is_unreadable_and_empty_rows_are_refused_like_those_left_out():
    found = parse_experts(HEAD + "asia,pc,f1,,\nasia,pc,recall,0.4,\nasia,pc,precision,0.4,0.6\n", limits=ASKED)
    assert len(found) == len(ASKED)
    assert found["status"].value_counts().to_dict() == {"refused": len(ASKED) - 2, "unreadable": 1, "ok": 1}
    assert (found["low"].notna() == (found["status"] == "ok")).all()


def test_who_gave_no_range_is_no_respondent(tmp_path):
    assert parse_experts(sheet(ABOUT, ["pc", "fci"]), limits=ASKED).empty
    text = "dataset,learner,measure,low,high,expert\nasia,pc,f1,.2,.4,ann\nasia,pc,shd,,,bob\n"
    assert set(parse_experts(text, limits=ASKED)["respondent"]) == {"human/sheet/ann"}
    (tmp_path / "none.csv").write_text(HEAD + "asia,pc,f1,,\n")
    with pytest.raises(DataError, match="none.csv must give at least one range, got none"):
        read_experts(tmp_path / "none.csv")


def test_a_plan_refuses_a_sheet_about_another_data_set_before_anything_is_asked(tmp_path):
    (tmp_path / "experts.csv").write_text(HEAD + "asai,pc,f1,0.4,0.7\n")
    plan = '[discovery]\ndatasets = ["asia"]\nlearners = ["pc"]\n[forecast]\nhumans = ["experts.csv"]\n'
    with pytest.raises(DataError, match="'dataset' must be one of the study's, got 'asai'"):
        Plan.parse(plan, "plan.toml", tmp_path)
