"""The tests of the pages can fail: a changed number, a command that fails and a misspelt target are seen."""

import pytest

from tests.docs.commands import agrees, check_only, run
from tests.docs.pages import PAGES, blocks_of

PRINTED = "pc   f1  0.42 [0.33, 0.51]\nges  f1  0.44 [0.42, 0.47]\npage: report.html\n"


@pytest.mark.parametrize(
    ("shown", "same"),
    [
        (PRINTED, True),
        ("pc f1 0.42 [0.33, 0.51]\n...\npage: report.html", True),
        ("pc f1 0.43 [0.33, 0.51]\n...\npage: report.html", False),
        ("pc f1 0.42 [0.33, 0.51]\npage: report.html", False),  # a line left out, and nothing said
        ("...\npage: report.html\nges ...", False),  # another order
    ],
)
def test_what_a_page_shows_is_what_was_printed_but_for_dots(shown, same):
    assert agrees(shown, PRINTED) is same


def test_a_command_that_fails_fails_its_page():
    with pytest.raises(AssertionError, match="exit code 2"):
        run("trueness show no-such-folder   # a comment")


@pytest.mark.parametrize("line", [["make", "runn"], ["pip", "install", "trueness[embeded]"]])
def test_what_is_not_run_is_looked_up(line):
    with pytest.raises(AssertionError, match="not a"):
        check_only(line)


def test_there_are_pages_and_they_have_blocks():
    assert len(PAGES) > 15 and sum(len(blocks_of(page)) for page in PAGES) > 50
