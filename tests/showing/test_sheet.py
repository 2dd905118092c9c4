"""Tables in the terminal: columns go whole and with a word, in a stated order; no name and no number is cut."""

import io

import pytest

from trueness.showing.console import Console, columns_that_fit, print_points, print_table
from trueness.showing.tables import Column, Table

NAMES = ["openai/a-model-with-a-long-name-2026-01", "openai/a-model-with-a-long-name-2026-02"]


def test_groups_go_in_order_and_what_still_fits_comes_back():
    widths = {"a": 10, "b": 10, "c": 3, "d": 3}
    assert columns_that_fit(widths, 29, "bcd") == ["a", "b", "c", "d"]
    assert columns_that_fit(widths, 28, "dcb") == ["a", "b", "c"]
    assert columns_that_fit(widths, 18, "cbd") == ["a", "c", "d"]
    assert columns_that_fit(widths, 5, [("b", "c")]) == ["a", "d"], "what no group names stays"


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
    print_table(out, "title", TABLE, "scores.csv", drop=[("bias",), ("n",)])
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
