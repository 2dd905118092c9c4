"""What the documentation shows is what the program does."""

import doctest
import re

from tests.each import each
from trueness.studies import faithfulness


def blocks(text):
    return [block for block in re.findall(r"```python\n(.*?)```", text, re.DOTALL) if ">>>" in block]


def failures(text, name):
    """Failed examples of a text, those of all blocks in one namespace."""
    found, names = [], {}
    runner = doctest.DocTestRunner(verbose=False, optionflags=doctest.NORMALIZE_WHITESPACE)
    for block in blocks(text):
        test = doctest.DocTestParser().get_doctest(block, names, name, name, 0)
        runner.run(test, out=found.append, clear_globs=False)
        names = test.globs
    return found


def test_the_page_runs_as_it_stands(root, monkeypatch):
    monkeypatch.chdir(root)
    text = (root / "docs" / "faithfulness.md").read_text()
    assert len(blocks(text)) == 6
    assert failures(text, "faithfulness.md") == []


def test_the_packages_first_lines_run():
    found = []
    test = doctest.DocTestParser().get_doctest(faithfulness.__doc__, {}, "faithfulness", None, 0)
    doctest.DocTestRunner(verbose=False).run(test, out=found.append)
    assert found == []


@each("name", faithfulness.__all__)
def test_all_that_is_public_is_there_and_described(name):
    assert getattr(faithfulness, name).__doc__
