"""Numbers, ranges and tables one by one."""

import pytest

from trueness.reading.layouts import tables_in
from trueness.reading.numbers import numbers_in
from trueness.reading.ranges import expression_at
from trueness.reading.views import view_of


def values(text):
    return [round(number.value, 6) for number in numbers_in(view_of(text))]


@pytest.mark.parametrize(
    ("text", "expected"),
    [
        ("0.7", [0.7]),
        (".7", [0.7]),
        ("0,7", [0.7]),
        ("７０％", [70]),
        ("7e-1", [0.7]),
        ("from -3 to 5", [-3, 5]),
        ("-0.5", [-0.5]),
        ("-0.5, 7", [-0.5, 7]),
        ("7/10", [0.7]),
        (r"\frac{3}{4}", [0.75]),
        ("0.6/0.8", [0.6, 0.8]),
        ("约为0.6", [0.6]),
        ("0.80..0.95", [0.8, 0.95]),
        ("0.6,0.8", [0.6, 0.8]),
    ],
)
def test_numbers_are_read_as_written(text, expected):
    assert values(text) == expected


@pytest.mark.parametrize(
    "text", ["x1", "gpt-4", "synthetic-12", "1.2.3", "8 nodes", "10,000 samples", "10k", "1. Precision", "8-node", "#3"]
)
def test_numbers_that_are_no_quantities_are_left_out(text):
    assert values(text) == []


def test_a_confidence_level_is_marked():
    (level, low, high) = numbers_in(view_of("95% CI: 0.6-0.8"))
    assert level.level and not low.level and not high.level


@pytest.mark.parametrize(
    "text",
    [
        "[0.6, 0.8]",
        "0.6-0.8",
        "0.6–0.8",
        "0.6 to 0.8",
        "0.6 bis 0.8",
        "0.6 à 0.8",
        "0.6~0.8",
        "0.6 (low) to 0.8 (high)",
    ],
)
def test_the_connections_of_a_range(text):
    view = view_of(text)
    expression = expression_at(view, numbers_in(view), 0, len(view))
    assert (expression.first.value, expression.second.value) == (0.6, 0.8)


def test_and_joins_a_range_only_behind_between():
    for text, taken in (("between 0.6 and 0.8", 2), ("0.6 and 0.8", 1)):
        view = view_of(text)
        assert expression_at(view, numbers_in(view), 0, len(view)).taken == taken


@pytest.mark.parametrize(
    ("text", "sign"),
    [
        ("| a | b |\n|---|---|\n| c | 1 |", "|"),
        ("a & b \\\\\n\\hline\nc & 1 \\\\", "&"),
        ("metric,low,high\nc,1,2", ","),
        ("metric   low\nc        1", " "),
    ],
)
def test_tables_are_found_with_their_cells(text, sign):
    (table,) = tables_in(view_of(text))
    assert table.sign == sign
    assert [view_of(text)[start:end].strip() for start, end in table.rows[1]][0] == "c"


def test_ordinary_text_is_no_table():
    assert tables_in(view_of("Well, yes, 0,55 bis 0,92\nor, maybe, not, 0,6")) == []
