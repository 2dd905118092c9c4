"""What `import trueness` promises: few names, typed, and a warning before one of them goes."""

import ast
import re
import tomllib
from pathlib import Path

import pytest

import trueness
from tests.each import each

SOURCE = Path(trueness.__file__)


def test_the_public_names_are_few_and_sorted():
    assert trueness.__all__ == sorted(trueness.__all__)
    assert len(trueness.__all__) <= 25


@each("name", trueness.__all__)
def test_each_public_name_is_there(name):
    assert getattr(trueness, name) is not None


def test_no_other_name_is_offered():
    assert [name for name in dir(trueness) if not name.startswith("_")] == trueness.__all__
    with pytest.raises(AttributeError, match="no attribute 'lode'"):
        trueness.lode  # noqa: B018


def test_type_checkers_see_the_same_names():
    """The names of the TYPE_CHECKING block are those that __getattr__ gives at run time."""
    blocks = [node for node in ast.parse(SOURCE.read_text()).body if isinstance(node, ast.If)]
    block = next(node for node in blocks if ast.unparse(node.test) == "TYPE_CHECKING")
    typed = [alias.asname for node in block.body if isinstance(node, ast.ImportFrom) for alias in node.names]
    assert sorted(typed) == trueness.__all__


def test_a_user_gets_types(root):
    """The types themselves are asserted in the program, which `make types` reads."""
    read = tomllib.loads((root / "pyproject.toml").read_text())["tool"]["mypy"]["files"]
    assert "tests/program_of_a_user.py" in read
    assert (SOURCE.parent / "py.typed").is_file()


def test_a_renamed_name_works_and_warns(monkeypatch):
    monkeypatch.setitem(trueness._RENAMED, "read", "load")
    with pytest.warns(DeprecationWarning, match="trueness.read is now trueness.load"):
        assert trueness.read is trueness.load


def test_the_version_is_semantic():
    assert re.fullmatch(r"\d+\.\d+\.\d+((a|b|rc)\d+)?", trueness.__version__)
