"""What the page is made of: places in the matrix, marks in a reply, rows of a table."""

import json
from dataclasses import dataclass

import pytest
from hypothesis import given
from hypothesis import strategies as st

from trueness.measure import Measure
from trueness.showing import blocks
from trueness.showing.grid import ANY, Facet, Grid

F1 = Measure("f1", title="F1", better="higher", headline=True)


def grid(**settings):
    facet = Facet("mode", "Mode", ["qa", "story"], ["Question", "Story"])
    return Grid("mine", ["i", "j"], ["m", "ref"], ["ref"], [F1, Measure("tv", better="lower")], [facet], **settings)


def test_a_cell_is_its_places_what_was_planned_and_what_came():
    one = grid()
    one.add("j", "m", ("story",), 5, {"ok": 3, "refused": 2}, {"f1": (0.5, 0.25, 0.75, 3)})
    found = one.to_dict()
    assert found["cells"] == [[1, 0, 1, 5, 3]] and found["statuses"] == [{"refused": 2}]
    assert found["values"] == {"f1": [[0.5, 0.25, 0.75, 3]], "tv": [None]}


def test_who_was_not_asked_stands_under_every_variant():
    one = grid()
    one.add("i", "ref", ("reference",), 1, {"ok": 1}, {})
    assert one.to_dict()["cells"] == [[0, 1, ANY, 1, 1]]
    assert [r["reference"] for r in one.to_dict()["respondents"]] == [False, True]


def test_a_value_that_is_missing_or_has_no_end_is_null_and_never_a_number():
    one = grid()
    one.add("i", "m", ("qa",), 1, {"failed": 1}, {"f1": (None, None, None, 0), "tv": (0.5, float("-inf"), None, 1)})
    assert one.to_dict()["values"] == {"f1": [None], "tv": [[0.5, None, None, 1]]}
    json.dumps(one.to_dict(), allow_nan=False)


@given(st.floats(-1e9, 1e9, allow_subnormal=False))
def test_numbers_of_the_matrix_keep_five_digits(value):
    one = grid()
    one.add("i", "m", ("qa",), 1, {}, {"f1": (value, value, value, 10**12)})
    mean, *_, n = one.to_dict()["values"]["f1"][0]
    assert mean == pytest.approx(value, rel=1e-4) and n == 10**12 and len(f"{mean:.12g}".strip("-0.")) < 13


# ---- blocks


@given(st.lists(st.tuples(st.integers(0, 30), st.integers(0, 30), st.sampled_from(["f1", "shd"])), max_size=12))
def test_marks_never_overlap_and_are_in_order(marks):
    spans = blocks.in_order(marks)
    assert all(start < end for start, end, _ in spans)
    assert all(one[1] <= other[0] for one, other in zip(spans, spans[1:], strict=False))
    assert all((start, end) in {mark[:2] for mark in marks} for start, end, _ in spans)


@dataclass
class Stored:
    """As much of a stored reply as a block takes."""

    reply: dict
    key: str = "k"
    respondent: str = "m"
    prompt: str = "h"
    at: str = "2026-01-01"
    cost: float | None = None


class Prompts:
    def prompt(self, hash):
        return [{"role": "user", "content": f"asked {hash}"}]


def test_an_exchange_says_what_is_known_and_nothing_of_what_is_not():
    reply = {"text": "yes", "seconds": 0.5, "settings": {"temperature": 0, "seed": None, "schema": {"type": "object"}}}
    block = blocks.exchange(Prompts(), Stored(reply), [(0, 3, "f1")], "ok", title="Reply")
    assert block["prompt"] == [{"role": "user", "content": "asked h"}] and block["marks"] == [[0, 3, "f1"]]
    assert block["about"] == {
        "model": "m", "asked": "2026-01-01", "seconds": 0.5, "settings": "temperature 0, schema yes",
    }  # fmt: skip


def test_a_page_opens_under_the_value_that_most_respondents_have():
    """One model alone was asked for its log-probabilities, and that mode stood first."""
    modes = ["qa", "sample", "distribution"]
    grid = Grid(
        "population", ["sex"], ["a", "b", "c", "uniform"], ["uniform"], [], [Facet("variant", "", modes, modes)]
    )
    for respondent, mode in (("a", "qa"), ("a", "sample"), ("b", "sample"), ("c", "sample"), ("uniform", "reference")):
        grid.add("sex", respondent, (mode,), 1, {"ok": 1}, {})
    assert grid.to_dict()["facets"][0]["opens"] == "sample"
