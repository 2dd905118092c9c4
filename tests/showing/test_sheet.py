"""Tables in the terminal: columns go whole and with a word, in a stated order; no name and no number is cut."""

import io

import pytest

from tests.each import each
from trueness.showing.console import Console, print_points
from trueness.showing.sheet import Sheet, changes, columns_that_fit, left_out, one_by_one, print_table
from trueness.showing.tables import Column, Table

NAMES = ["openai/a-model-with-a-long-name-2026-01", "openai/a-model-with-a-long-name-2026-02"]
SHEET = Sheet(
    {"respondent": NAMES, "score": ["0.12 [0.05, 0.19]", "0.30 [0.21, 0.39]"], "bias": ["+0.1", "-"], "n": ["7", "8"]},
    one_by_one(["bias", "n"]),
    right=("n",),
)


def printed(sheet, width):
    out = Console(width=width, file=io.StringIO(), record=True)
    sheet.print(out)
    return out.export_text()


def test_groups_go_in_order_and_what_still_fits_comes_back():
    widths = {"a": 10, "b": 10, "c": 3, "d": 3}
    assert columns_that_fit(widths, 29, one_by_one("bcd")) == ["a", "b", "c", "d"]
    assert columns_that_fit(widths, 28, one_by_one("dcb")) == ["a", "b", "c"]
    assert columns_that_fit(widths, 18, one_by_one("cbd")) == ["a", "c", "d"]
    assert columns_that_fit(widths, 5, [("b", "c")]) == ["a", "d"], "what no group names stays"


@each("width", [30, 60, 64, 69, 80, 160])
def test_nothing_is_cut(width):
    text, missing = printed(SHEET, width), SHEET.missing(width)
    assert "…" not in text and max(map(len, text.splitlines())) <= width
    whole = "".join(text.split())
    for title, cells in SHEET.columns.items():
        if title not in missing and title != "respondent":
            assert all("".join(cell.split()) in whole for cell in cells)
    folded = ["".join(line[:width].split(" ")[0] for line in text.splitlines()[1:])]
    assert folded[0].replace("\n", "") == "".join(NAMES)


def test_what_has_no_room_is_named_with_its_place():
    assert list(left_out(SHEET.missing(57), "main.csv")) == ["Not shown in so narrow a window: bias, n (main.csv)."]
    assert list(left_out(SHEET.missing(160), "main.csv")) == []


def test_a_rule_stands_where_a_value_changes():
    assert changes(["a", "a", "b", "b", "c"]) == {2, 4}


TABLE = Table(
    "scores",
    (
        Column("model", "Model", "text"),
        Column("score", "Score", low="low", high="high"),
        Column("bias", "Bias", decimals=2),
        Column("none", "Nobody has it"),
        Column("n", "n", "count"),
    ),
    [{"model": name, "score": 0.3, "low": 0.2, "high": 0.4, "bias": 0.1, "none": None, "n": 7} for name in NAMES],
    "",
)


@pytest.mark.parametrize(("width", "missing"), [(160, ""), (50, ""), (39, "Bias"), (34, "Bias, n")])
def test_a_table_of_the_report_goes_by_the_same_rule(width, missing):
    out = Console(width=width, file=io.StringIO(), record=True, force_terminal=True)
    print_table(out, "title", TABLE, "scores.csv", drop=one_by_one(["bias", "n"]))
    text = out.export_text()
    assert max(map(len, text.splitlines())) <= width and "…" not in text and "Nobody" not in text
    assert (
        ("Not shown" in text) == bool(missing) and f": {missing} (scores.csv)" in " ".join(text.split()) or not missing
    )
    folded = "".join(line[: text.splitlines()[1].index("Score")].strip() for line in text.splitlines()[2:])
    assert folded.startswith("".join(NAMES)), "two models never look the same"


def test_a_sentence_goes_on_below_its_first_word_and_unbroken_into_a_file():
    sentence = "one two three four five six seven eight nine ten"
    shown, written = io.StringIO(), io.StringIO()
    print_points([sentence], Console(width=24, file=shown, force_terminal=True))
    assert [line.rstrip() for line in shown.getvalue().splitlines()] == [
        "- one two three four",
        "  five six seven eight",
        "  nine ten",
    ]
    print_points([sentence], Console(width=24, file=written))
    assert written.getvalue() == f"- {sentence}\n"
