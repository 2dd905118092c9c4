"""The words of a text: the quick way for plain ASCII finds what the search finds."""

import re

import pytest

from trueness.reading.sentences import words_of

EVERY_SIGN = "".join(map(chr, range(128)))


@pytest.mark.parametrize(
    "text",
    [
        "",
        " \n",
        "precision: 0.6-0.8, not_more than f1=0.9",
        EVERY_SIGN,
        "a" + "b".join(EVERY_SIGN) + "c",
        "präzision f1 约 0.7",
    ],
)
def test_words_are_the_runs_of_letters(text):
    assert words_of(text) == re.findall(r"[^\W\d_]+", text)
