"""The door for texts that are shown: nothing acts, nothing is computed, what a program reads comes back as it was."""

import json

from hypothesis import given
from hypothesis import strategies as st

from trueness.texts import csv_row, csv_value, printable_json


@given(st.text(st.sampled_from("'=+-@a1(. ")))
def test_a_cell_reads_back_as_it_was_and_is_never_a_formula(text):
    (cell,) = csv_row([text])
    assert csv_value(cell) == text
    if cell[:1] in tuple("=+-@") and any(sign.isalnum() or sign == "(" for sign in cell):
        float(cell)  # a number, and nothing else


@given(st.text())
def test_json_that_is_printed_reads_back_and_holds_nothing_that_acts(text):
    shown = printable_json({text: [text]}, indent=2)
    assert json.loads(shown) == {text: [text]} and shown.replace("\n", "").isprintable()


NAMES = ["=1+1", "@pc", "-2+3", "+x", "'=quoted", "plain", "-0.5", 'a,b"c']
