"""Every block of every page is run, or says why not: Python in one namespace a page, commands in a folder of its own.

`pytest tests/docs -rs` lists what is not run, with the reasons.
"""

import contextlib
import doctest
import io
import re
import shutil
import tomllib

import pytest

from tests.docs.commands import LOOSE, agrees, in_this_process, run
from tests.docs.pages import PAGES, ROOT, blocks_of, lines_of, prose_of
from tests.each import each
from trueness import registry
from trueness.running.study import Plan

BLOCKS = [block for page in PAGES for block in blocks_of(page)]
NOT_RUN = [block for block in BLOCKS if block.kind == "not run"]
ELSEWHERE = [block for block in BLOCKS if block.kind == "run by"]
RUN = [
    pytest.param(page, marks=[pytest.mark.slow] if page.startswith("docs/tutorials/") else [])
    for page in PAGES
    if any(block.kind in ("", "file") and block.language for block in blocks_of(page))
]


@pytest.fixture()
def folder(tmp_path, monkeypatch):
    """Where a reader stands: in a folder that has the examples, beside a clone of the repository."""
    here = tmp_path / "here"
    shutil.copytree(ROOT / "examples", here / "examples")
    (tmp_path / "trueness").symlink_to(here)
    monkeypatch.chdir(here)
    return here


@pytest.mark.parametrize("page", RUN)
def test_the_blocks_of_a_page_run_and_print_what_it_shows(page, folder, monkeypatch):
    for module in ("drivers", "cost", "verify"):
        monkeypatch.setattr(f"trueness.running.{module}.run_chunk", in_this_process)
    names: dict = {"__name__": "__main__"}
    printed = None
    for block in blocks_of(page):
        if block.kind in ("not run", "run by"):
            printed = None
        elif block.kind == "file":
            (folder / block.said).write_text(block.text, encoding="utf-8")
        elif block.language == "sh":
            printed = "".join(run(line) for line in lines_of(block))
        elif block.language == "python":
            printed = run_python(block, names)
        elif block.language == "toml":
            check_toml(block, folder)
        elif block.language == "text" and printed is not None:
            assert agrees(block.text, printed), f"{block.place} shows\n{block.text}\nand the commands print\n{printed}"


def run_python(block, names):
    """The printed text of a script; a session with >>> is checked against what it shows."""
    if ">>>" not in block.text:
        out = io.StringIO()
        with contextlib.redirect_stdout(out):
            exec(compile(block.text, block.place, "exec"), names)
        return out.getvalue()
    test = doctest.DocTestParser().get_doctest(block.text, names, block.place, block.page, block.line)
    failed: list[str] = []
    doctest.DocTestRunner(verbose=False, optionflags=LOOSE).run(test, out=failed.append, clear_globs=False)
    names.update(test.globs)
    assert not failed, "".join(failed)
    return None


def check_toml(block, folder):
    """Whatever is shown is TOML, and what has a task is a plan that can be run."""
    settings = tomllib.loads(block.text)
    if set(settings) & set(registry.built_in("task")) or any(".py:" in key for key in settings):
        Plan.parse(block.text, block.place, folder)


@each("block", NOT_RUN)
def test_what_is_not_run_says_why(block):
    assert len(block.said.split()) >= 3, f"{block.place}: {block.said!r} is no reason"
    pytest.skip(f"{block.place}: {block.said}")


@each("block", ELSEWHERE)
def test_what_another_test_runs_is_named_there(block):
    source = (ROOT / block.said).read_text(encoding="utf-8")
    assert block.page.rpartition("/")[2] in source


@each("page", PAGES)
def test_no_command_or_code_hides_in_a_block_without_a_language(page):
    for block in blocks_of(page):
        commands = [line for line in block.text.splitlines() if line.startswith(("trueness ", "pip ", "make ", ">>> "))]
        assert block.language not in ("", "text") or not commands, f"{block.place}: {commands}"
    indented = re.findall(r"^    (?:trueness|from trueness) .*", prose_of(page), re.MULTILINE)
    assert not indented, f"{page}: {indented}"
