"""Tables of patterns: what a pattern cannot do without is found in the pattern itself."""

import pytest

from trueness.reasoning.word_patterns import matches, needed, reworded, table


@pytest.mark.parametrize(
    ("pattern", "needs", "texts"),
    [
        (r"\b(?:is |are )?split (two|three|\d+) ways\b", "split ", ["split 4 ways", "is split two ways"]),
        (
            r"how (?:much|many)(?! more) (.+?) exceeds? (.+)",
            " exceed",
            ["how much a exceeds b", "how many as exceed b"],
        ),
        (r"^(?:an? )?\d+%? off(?: of)?\s+", " off", ["20% off it", "a 20 off of it"]),
        (r"ab{2,}c?d[(\[)]e+fg.h", "fg", ["abbd(eefg-h", "abbcd)efg-h"]),
        (r"squared|cubed", "", ["squared", "cubed"]),
        (r"[^a-z)]\(sum\)", "sum", ["!(sum)"]),
    ],
)
def test_what_a_pattern_needs_stands_in_all_that_it_matches(pattern, needs, texts):
    assert needed(pattern) == needs
    assert all(reworded(text, table((pattern, "-"))) != text for text in texts)


def test_patterns_are_tried_in_turn_on_what_the_ones_before_left():
    forms = table((r"\bits own ", ""), (r"\bcost of (?=tax)", "tax, "), (r"\btax\b", lambda match: match[0].upper()))
    assert reworded("its own cost of tax", forms) == "TAX, TAX"
    assert [what for what, _ in matches("sum of a", table((r"sum of (.+)", 1), (r"sum", 2), (r"(.+) of (.+)", 3)))] == [
        1,
        3,
    ]
