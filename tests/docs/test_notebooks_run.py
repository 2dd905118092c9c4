"""The cells of every notebook run in plain Python and give the texts that it holds (tools/notebooks.py keeps them)."""

import ast
import contextlib
import io
import json
import shutil

import pytest

from tests.docs.commands import in_this_process
from tests.docs.pages import ROOT

NOTEBOOKS = sorted((ROOT / "docs" / "notebooks").glob("*.ipynb"))


def test_there_are_notebooks():
    assert len(NOTEBOOKS) >= 2


@pytest.mark.parametrize("path", NOTEBOOKS, ids=lambda path: path.stem)
def test_a_notebook_shows_what_its_cells_give(path, tmp_path, monkeypatch):
    monkeypatch.setattr("trueness.running.drivers.run_chunk", in_this_process)
    shutil.copytree(ROOT / "examples", tmp_path / "examples")
    monkeypatch.chdir(tmp_path)
    names: dict = {"__name__": "__main__"}
    for cell in json.loads(path.read_text(encoding="utf-8"))["cells"]:
        if cell["cell_type"] == "code":
            assert cell_text("".join(cell["source"]), names) == kept_text(cell["outputs"])


def cell_text(source, names):
    """What a cell prints, and the value of its last line."""
    code, out = ast.parse(source), io.StringIO()
    last = code.body.pop() if isinstance(code.body[-1], ast.Expr) else None
    with contextlib.redirect_stdout(out):
        exec(compile(code, "cell", "exec"), names)
        value = None if last is None else eval(compile(ast.Expression(last.value), "cell", "eval"), names)
    return out.getvalue() + ("" if value is None else repr(value))


def kept_text(outputs):
    return "".join("".join(one.get("text") or one["data"]["text/plain"]) for one in outputs)
