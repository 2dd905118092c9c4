"""One table, five forms: the same cells, the same best row and the same rules in each of them."""

import csv
import io
import math
import re
from dataclasses import replace

import numpy as np
from rich.console import Console

from tests.each import each
from trueness.showing.tables import Column, Table, tex_text

SHARE = Column("share", "Share", "percent", "low", "high", "higher")
NAME = Column("name", "Name", "text")


def shares(*rows, **settings):
    keys = ("name", "share", "low", "high")
    return Table("t", (NAME, SHARE), [dict(zip(keys, row, strict=True)) for row in rows], "Shares.", **settings)


APART = shares(("a", 0.9, 0.88, 0.92), ("b", 0.5, 0.4, 0.6), ("c", 0.6, 0.5, 0.7))


def printed(table, **settings):
    out = Console(width=100, file=io.StringIO(), force_terminal=True, color_system="standard")
    shown = settings.pop("shown", None)
    out.print(replace(table, **settings).to_rich(shown))
    return out.file.getvalue()


def bold_in_each_form(table):
    """The rows whose cell is bold, by form."""
    latex = [line for line in table.to_latex().splitlines() if line.endswith(r"\\")][1:]
    markdown = table.to_markdown().splitlines()[2:-2]
    html = re.findall(r"<tr>(.*?)</tr>", table._repr_html_())[1:]
    terminal = printed(table).splitlines()[1:]
    marks = {"latex": (latex, r"\boldmath"), "markdown": (markdown, "**"), "html": (html, "<b>")}
    marks["terminal"] = (terminal, "\x1b[1m")
    return {form: [k for k, line in enumerate(lines) if mark in line] for form, (lines, mark) in marks.items()}


def test_the_best_row_is_the_same_one_in_all_forms():
    assert bold_in_each_form(APART) == dict.fromkeys(("latex", "markdown", "html", "terminal"), [0])


@each(
    "rows",
    [
        [("a", 0.9, 0.6, 0.95), ("b", 0.5, 0.4, 0.6)],  # they meet in one point
        [("a", 0.9, 0.88, 0.92)],  # nobody to be better than
        [("a", 0.9, 0.88, 0.92), ("b", None, None, None)],  # the other has no value at all
        [("a", 0.9, math.nan, math.nan), ("b", 0.5, 0.4, 0.6)],
        [("a", 0.9, 0.88, 0.92), ("b", 0.9, 0.88, 0.92)],
    ],
)
def test_what_cannot_be_told_apart_is_bold_in_no_form(rows):
    assert not any(bold_in_each_form(shares(*rows)).values())


def test_a_row_without_a_value_is_no_contender_and_stops_nobody():
    """It has nothing to lose by; a value without an interval might be better."""
    assert bold_in_each_form(shares(("a", 0.9, 0.88, 0.92), ("b", 0.5, 0.4, 0.6), ("c", None, None, None)))["html"] == [
        0
    ]
    assert bold_in_each_form(shares(("a", 0.9, 0.88, 0.92), ("b", 0.5, 0.4, 0.6), ("c", 0.1, None, None)))["html"] == []


def test_shares_are_shown_in_percent_and_kept_as_they_are():
    assert "90 [88, 92]" in APART.to_markdown()  # two digits of the median width, 20 points
    rows = list(csv.DictReader(io.StringIO(APART.to_csv())))
    assert [(row["share"], row["low"]) for row in rows][0] == ("0.9", "0.88")


def test_numbers_of_numpy_are_numbers():
    table = Table("t", (NAME, SHARE, Column("n", "n", "count")), [
        {"name": "a", "share": np.float32(0.5), "low": np.float64(0.25), "high": np.float64(0.75), "n": np.int64(1234)},
        {"name": "b", "share": np.float64("nan"), "low": None, "high": None, "n": None},
    ], "c")  # fmt: skip
    assert table.cells() == [["a", "50 [25, 75]", "1,234"], ["b", "-", "-"]]


def test_a_name_that_comes_again_is_printed_once_where_that_is_asked_for():
    rows = shares(("a", 0.9, 0.88, 0.92), ("a", 0.5, 0.4, 0.6), ("b", 0.6, 0.5, 0.7), ("a", 0.1, 0.0, 0.2))
    starts = [line[:2].strip() for line in printed(rows, once=("name",)).splitlines()[1:]]
    assert starts == ["a", "", "b", "a"]
    assert [row[0] for row in rows.cells()] == ["a", "a", "b", "a"]


def test_signs_that_a_plain_article_lacks_are_spelt_or_named():
    assert tex_text("a − b ≤ c · 50 % & d_1") == r"a - b <= c - 50 \% \& d\_1".replace("<", r"\textless{}")
    assert tex_text("中") == "[U+4E2D]"
