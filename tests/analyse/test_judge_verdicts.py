"""`trueness judge`: anybody's verdicts, their agreement and corrected mean."""

import re

import numpy as np
import pytest

from tests.each import each
from trueness.analyse.judge_verdicts import judge_file
from trueness.cli import main
from trueness.errors import DataError
from trueness.statistics.ppi import labels_needed, rogan_gladen


def write(tmp_path, rows, head="item,judge,verdict,label,position,length"):
    path = tmp_path / "verdicts.csv"
    path.write_text("\n".join([head, *rows]))
    return path


@pytest.fixture
def verdicts(tmp_path):
    """A judge that calls a text good too often, more so in the first place; people say what is true of 60 items."""
    rng = np.random.default_rng(4)
    rows = []
    for item in range(300):
        true = rng.random() < 0.4
        for position in (1, 2):
            good = rng.random() < (0.95 if true else 0.3) + (0.2 if position == 1 and not true else 0)
            label = int(true) if item < 60 else ""
            rows.append(f"i{item},judge,{'yes' if good else 'no'},{label},{position},{100 + item}")
    return write(tmp_path, rows)


def test_the_corrected_mean_is_nearer_the_truth_than_the_judged_one(verdicts):
    found = {row["figure"]: row for row in judge_file(verdicts).rows}
    judged = found["base rate (mean verdict)"]["value"]
    assert judged > 0.55  # the truth is 0.4
    for figure in ("mean corrected by labels (PPI++)", "share corrected for its errors (Rogan-Gladen)"):
        assert found[figure]["low"] < 0.4 < found[figure]["high"]
        assert abs(found[figure]["value"] - 0.4) < abs(judged - 0.4)


def test_kappa_stands_beside_the_base_rates_and_has_no_value_where_nothing_varies(tmp_path):
    rows = [f"i{k},always,1,{int(k > 1)},," for k in range(12)]
    report = judge_file(write(tmp_path, rows))
    figures = {row["figure"]: row["value"] for row in report.rows}
    assert figures["with people, share"] == pytest.approx(10 / 12)
    assert figures["base rate (mean verdict)"] == 1 and "with people, kappa" not in figures
    assert any("carries no information" in sentence for sentence in report.sentences())


def test_without_labels_agreement_with_people_is_not_checked(tmp_path):
    report = judge_file(write(tmp_path, ["a,j,1,,,", "b,j,0,,,", "c,j,perhaps,,,"]))
    assert not any("people" in row["figure"] for row in report.rows)
    told = " ".join(report.sentences())
    assert "not checked" in told and "1 of 3 verdicts cannot be read" in told


@pytest.mark.parametrize(
    "text", ["", "item,judge\na,b\n", "item,judge,verdict\n", "item,judge,verdict\na,j,good-ish\n"]
)
def test_a_table_that_is_none_is_refused_in_one_line(tmp_path, text, capsys):
    path = tmp_path / "verdicts.csv"
    path.write_text(text)
    with pytest.raises(DataError):
        judge_file(path)
    assert main(["judge", str(path)]) == 2
    assert len(capsys.readouterr().err.strip().splitlines()) == 1


def test_rogan_gladen_by_hand():
    """se 8/10, sp 9/10, 45 of 100: (0.45 + 0.9 - 1) / 0.7 = 0.5."""
    labels = [1] * 10 + [0] * 10
    said = [1] * 8 + [0] * 2 + [1] + [0] * 9
    found = rogan_gladen(labels, said, [1] * 45 + [0] * 55)
    assert found.value == pytest.approx(0.5) and found.interval.low < 0.5 < found.interval.high
    assert rogan_gladen(labels, [1, 0] * 10, [1, 0]).value is None  # no better than chance


def test_a_better_judge_needs_fewer_labels():
    rng = np.random.default_rng(1)
    true = rng.random(400) < 0.5
    good = np.where(rng.random(400) < 0.95, true, ~true)
    needs = [
        labels_needed(true.astype(float), said.astype(float), 20_000, 0.03) for said in (good, rng.random(400) < 0.5)
    ]
    assert needs[0] < needs[1] / 2
    assert needs[1] == pytest.approx(0.25 * (1.96 / 0.03) ** 2, rel=0.05)  # by the labels alone


def test_labels_needed_are_whole_and_what_the_figures_hold_for_is_printed(verdicts, capsys):
    assert main(["judge", str(verdicts), "--half-width", "0.01"]) == 0
    printed = " ".join(capsys.readouterr().out.split())
    assert re.search(r"judge: \d+ labels needed for a half width of 0.01, .*there are 300 items only", printed)
    assert "The first verdict on an item that can be read stands against its label" in printed
    assert "60 of 300 items have a label" in printed and "share among the 240 without a label" in printed


@pytest.mark.parametrize("label", [0, 1])
def test_a_handful_of_labels_that_agree_is_no_certainty(tmp_path, label, capsys):
    rows = [f"i{k},j,{k % 2},{label if k < 5 else ''},," for k in range(200)]
    report = judge_file(write(tmp_path, rows))
    corrected = next(row for row in report.rows if "PPI++" in row["figure"])
    assert corrected["value"] == label and corrected["high"] - corrected["low"] > 0.4
    assert not any("labels needed" in row["figure"] for row in report.rows)
    assert any("not known until another one occurs" in sentence for sentence in report.sentences())


@each("head, rows, words", [
    ("item,judge,verdict", ["a,j,1", ",j,1", ",j,0"], "row 2: 'item' must be named, got an empty cell (and 1 more)"),
    ("item,judge,verdict", ["a,j,1", "b,,1"], "row 2: 'judge' must be named"),
    ("item,judge,verdict,cluster", ["a,j,1,x", "b,j,1,", "c,j,0,y"], "row 2: 'cluster' must be named"),
    ("item,judge,verdict", ["a,j,1", "b,j,inf"], "row 2: 'verdict' must be a finite number, got 'inf'"),
])  # fmt: skip
def test_what_is_wrong_in_a_cell_is_said_with_row_and_column(tmp_path, head, rows, words):
    with pytest.raises(DataError, match=re.escape(words)):
        judge_file(write(tmp_path, rows, head))


def test_labels_of_an_item_that_contradict_each_other_are_said_and_not_taken(tmp_path):
    rows = ["a,j,1,1", "a,j,1,0", "b,j,0,", "b,j,0,0", "c,j,1,1"]
    report = judge_file(write(tmp_path, rows, "item,judge,verdict,label"))
    assert report.sentences()[0] == "Labels that contradict each other are not taken: those of 1 item (a)."
    found = {row["figure"]: row for row in report.rows}
    assert found["people's base rate (mean label)"]["n"] == 2  # b has its label in another row
