"""Tables: decimals by the interval, bold only where told apart, one description for five forms."""

import csv
import io
from dataclasses import replace

from hypothesis import given
from hypothesis import strategies as st
from rich.console import Console

from trueness.showing.tables import Column, Table, decimals_of
from trueness.studies.discovery.reading import BASELINES, DiscoveryReading

from .learner_results import learner_results

COLUMNS = (
    Column("name", "Name", "text"),
    Column("n", "n", "count"),
    Column("score", "Score", "number", "low", "high", "lower"),
)


def table(*rows, **settings):
    keys = ("name", "n", "score", "low", "high", "model")
    return Table("t", COLUMNS, [dict(zip(keys, row, strict=False)) for row in rows], "A caption.", **settings)


APART = table(("a", 10, 0.20, 0.15, 0.25), ("b", 1200, 0.50, 0.40, 0.60))
TOUCHING = table(("a", 10, 0.20, 0.15, 0.45), ("b", 10, 0.50, 0.40, 0.60))


def test_a_caption_says_what_bold_means_where_something_is_bold():
    assert "Bold: the best of its rivals" in APART.caption and "Bold" not in TOUCHING.caption


def test_a_row_that_does_not_contend_is_never_bold_and_hides_nobody():
    rows = table(
        ("ref", 1, 0.01, 0.0, 0.02, False), ("a", 1, 0.2, 0.15, 0.25, True), ("b", 1, 0.5, 0.4, 0.6, True),
        contends="model",
    )  # fmt: skip
    assert rows.to_latex().count("boldmath") == 1
    assert r"{\boldmath $0.20$" in rows.to_latex()


def test_a_value_that_never_varied_is_said_to_be_a_constant_in_every_form():
    """No brackets from ends that are the same, or that the row says not to know; and nothing is bold by them."""
    flagged = {"name": "b", "n": 9, "score": 0.5, "low": None, "high": None, "constant": True}
    same = Table("t", COLUMNS, [{"name": "a", "n": 9, "score": 0.2, "low": 0.2, "high": 0.2}, flagged], "A caption.")
    assert [row[2] for row in same.cells()] == ["0.20 (constant)", "0.50 (constant)"]
    for text in (same.to_latex(), same.to_markdown(), same._repr_html_()):
        assert "(constant)" in text and "[$0.20$" not in text and "boldmath" not in text and "**" not in text


@given(st.lists(st.floats(1e-12, 1e12), min_size=1, max_size=9))
def test_decimals_stay_between_0_and_4(widths):
    assert 0 <= decimals_of(widths) <= 4


def test_a_missing_number_is_a_dash_and_an_empty_cell():
    missing = table(("a", None, None, None, None), ("b", 3, 0.5, 0.4, 0.6))
    assert r"a & -- & -- \\" in missing.to_latex()
    rows = list(csv.DictReader(io.StringIO(missing.to_csv())))
    assert rows[0]["score"] == "" and rows[0]["n"] == ""


def test_csv_keeps_all_digits():
    assert ",0.123456789012345," in table(("a", 1, 0.123456789012345, 0.1, 0.2)).to_csv()


def test_there_is_no_minus_zero():
    assert "-0.00" not in table(("a", 1, -0.001, -0.3, 0.3)).to_markdown()


def test_a_name_cannot_be_a_link_in_markdown():
    assert "[x](y)" not in table(("[x](y)", 1, 0.1, 0.0, 0.2)).to_markdown()


def test_a_wide_table_stands_in_parts_and_a_long_one_goes_on():
    """Never scaled: a reader must be able to read it."""
    columns = (Column("name", "Name", "text"), *(Column(f"v{k}", f"Value {k}", decimals=2) for k in range(20)))
    row = {f"v{k}": 0.5 for k in range(20)}
    many = Table("t", columns, [row | {"name": f"row {k}"} for k in range(30)], "A caption.")
    text = many.to_latex()
    assert "resizebox" not in text and text.count(r"\begin{tabular}") == 3
    assert all(text.count(f"Value {k} ") == 1 for k in range(20)) and text.count(r"row 7 &") == 3
    assert text.count(r"\begin{table}") == 3 and text.count(r"\label{tab:t}") == 1 and text.count("(continued)") == 2
    long = table(("a name that is very long and goes on and on, " * 2, 1, 0.1, 0.05, 0.15)).to_latex()
    assert r"\textwidth}" in long and long.count(r"\begin{tabular}") == 1


def test_the_best_is_sought_within_its_own_group():
    rows = [("a", 1, 0.2, 0.15, 0.25, "x"), ("b", 1, 0.5, 0.4, 0.6, "x"), ("c", 1, 0.05, 0.01, 0.09, "y")]
    grouped = table(*rows, within=("model",))
    assert grouped.to_latex().count("boldmath") == 1 and r"{\boldmath $0.20$" in grouped.to_latex()
    assert r"{\boldmath $0.05$" in table(*rows).to_latex()


def printed(found):
    out = Console(width=100, file=io.StringIO(), force_terminal=True, color_system="standard")
    out.print(found.to_rich())
    return out.file.getvalue()


def test_a_name_is_no_markup_in_the_terminal_nor_in_a_notebook():
    hostile = table(("[bold]<b>x</b>[/]", 1, 0.1, 0.0, 0.2))
    assert "[bold]<b>x</b>[/]" in printed(hostile)
    assert "<b>x" not in hostile._repr_html_() and "&lt;b&gt;x" in hostile._repr_html_()


def test_learners_of_two_classes_do_not_contend():
    results = learner_results({"asia": {"pc": 0.9, "ges": 0.2}})
    best = r"{\boldmath $0.900$"
    assert best in DiscoveryReading(results).tables(("f1",))[0].to_latex()
    apart = replace(results, abouts=({"returns": "cpdag"}, {"returns": "dag"}))
    assert "boldmath" not in DiscoveryReading(apart).tables(("f1",))[0].to_latex()


def test_a_learner_that_beats_a_baseline_alone_is_not_bold():
    """lingam and random both give a DAG; a rival of lingam would have to be a learner."""
    results = learner_results()
    rows = DiscoveryReading(results).tables(("f1",))[0].rows
    kinds = {row["respondent"]: row["contends"] for row in rows}
    assert all(contends == (name not in BASELINES) for name, contends in kinds.items()) and not kinds["random"]
