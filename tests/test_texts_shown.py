"""The door for texts that are shown: nothing acts, nothing is computed, what a program reads comes back as it was."""

import csv
import io
import json

import numpy as np
import pandas as pd
import pytest
from hypothesis import given
from hypothesis import strategies as st

from tests.each import each
from trueness.analyse.loading import csv_values, read_tables
from trueness.graphs import Graph
from trueness.showing.saving import csv_text
from trueness.status import Status
from trueness.studies.forecast import human
from trueness.texts import MOST_DRAWN, csv_cell, csv_line, csv_row, csv_value, drawable, html_text, printable_json


@each("value", ["->", "--", "<->", "'", "it's", "-5%", "-.5", "- ", "+1e9"])
def test_signs_and_numbers_are_no_formulas(value):
    assert csv_cell(value) == value


@given(st.text(st.sampled_from("'=+-@a1(. ")))
def test_a_cell_reads_back_as_it_was_and_is_never_a_formula(text):
    cell = csv_cell(text)
    assert csv_value(cell) == text
    if cell[:1] in tuple("=+-@") and any(sign.isalnum() or sign == "(" for sign in cell):
        float(cell)  # a number, and nothing else


def test_a_row_is_its_cells():
    assert csv_row(["=a", 1, None, "b", -0.5]) == ["'=a", 1, None, "b", -0.5]
    assert csv_row([np.str_("=a"), Status.OK]) == ["'=a", "ok"]  # kinds of str, too


@given(
    st.lists(
        st.text() | st.floats() | st.integers() | st.none() | st.sampled_from(['a,"b"', "", "a\r", Status.OK]),
        min_size=2,
    )
)
def test_a_line_is_what_the_csv_module_writes_of_the_row(values):
    file = io.StringIO()
    csv.writer(file, lineterminator="\n").writerow(csv_row(values))
    assert csv_line(values) == file.getvalue()


@given(st.text())
def test_json_that_is_printed_reads_back_and_holds_nothing_that_acts(text):
    shown = printable_json({text: [text]}, indent=2)
    assert json.loads(shown) == {text: [text]} and shown.replace("\n", "").isprintable()


@given(st.text(max_size=3000))
def test_what_is_drawn_is_short_and_can_be_drawn(text):
    shown = drawable(text)
    assert len(shown) <= MOST_DRAWN and shown.replace("\n", "").isprintable()
    assert html_text(text).isprintable() and "<" not in html_text(text)


def test_long_names_that_differ_look_different():
    assert drawable("x" * 9000) != drawable("x" * 9001)


NAMES = ["=1+1", "@pc", "-2+3", "+x", "'=quoted", "plain", "-0.5", 'a,b"c']


def test_a_frame_is_written_harmless_and_read_back(tmp_path):
    frame = pd.DataFrame({"name": NAMES, "=value": [-1.5, 2.0, None, 1e-7, 0.1, 3.0, -2.0, 5.0], "whole": range(8)})
    text = csv_text(frame)
    assert "'=1+1,-1.5,0\n" in text and text.startswith("name,'=value,whole\n") and "\n-0.5,-2.0,6\n" in text
    (tmp_path / "t.csv").write_text(text)
    found = csv_values(pd.read_csv(tmp_path / "t.csv", dtype={"name": str}))
    pd.testing.assert_frame_equal(found, frame, check_dtype=False)


def test_analyse_reads_the_names_that_were_written(tmp_path):
    rows = [{"condition": name, "task": k, "score": k * 0.1} for name in NAMES[:5] for k in range(3)]
    (tmp_path / "scores.csv").write_text(csv_text(pd.DataFrame(rows)))
    (found,) = read_tables([str(tmp_path / "scores.csv")]).values()
    assert list(dict.fromkeys(found["condition"])) == NAMES[:5]


def test_a_sheet_for_experts_reads_back_the_names_of_its_questions():
    text = human.sheet({"=asia": {"nodes": 8}}, ["@pc"])
    assert text.splitlines()[1].startswith("'=asia,'@pc,")
    filled = text.replace("precision,,", "precision,0.1,0.2")
    asked = human.questions({"=asia": {"nodes": 8}}, ["@pc"])
    claims = human.parse_experts(filled, limits=asked)
    assert set(claims["dataset"]) == {"=asia"} and set(claims["learner"]) == {"@pc"}


@pytest.mark.parametrize("suffix", [".csv", ".tsv"])
def test_a_graph_reads_back_its_names(tmp_path, suffix):
    graph = Graph.from_edges(["a -> b", "b o-o c"], kind="pag").rename({"a": "=cmd(1)", "b": "'-b", "c": "-c\nd"})
    graph.write(tmp_path / f"graph{suffix}")
    assert "'=cmd(1)" in (tmp_path / f"graph{suffix}").read_text()
    assert Graph.read(tmp_path / f"graph{suffix}").edges == graph.edges
