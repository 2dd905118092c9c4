"""What `import trueness` promises: few names, typed, and a warning before one of them goes."""

import ast
import inspect
import re
import tomllib
from pathlib import Path

import pytest

import trueness
from tests.each import each
from trueness import registry

SOURCE = Path(trueness.__file__)


def test_the_public_names_are_few_and_sorted():
    assert trueness.__all__ == sorted(trueness.__all__) == sorted(trueness._PUBLIC)
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
    typed = [
        alias.asname or alias.name for node in block.body if isinstance(node, ast.ImportFrom) for alias in node.names
    ]
    assert sorted(typed) == trueness.__all__


def test_a_user_gets_types(root):
    """The types themselves are asserted in the program, which `make types` reads."""
    read = tomllib.loads((root / "pyproject.toml").read_text())["tool"]["mypy"]["files"]
    assert "tests/program_of_a_user.py" in read
    assert (SOURCE.parent / "py.typed").is_file()


def test_a_random_generator_is_a_keyword_and_optional():
    """Of every public callable, and of what the contracts ask of a learner and of a data set."""
    modules = (trueness, trueness.statistics, trueness.faithfulness, trueness.extend)
    offered = [getattr(module, name) for module in modules for name in module.__all__]
    functions = [one for one in offered if callable(one) and not isinstance(one, type)]
    functions += [registry.resolve("learner", name).fit for name in registry.built_in("learner")]
    functions += [trueness.Dataset.draw, type(trueness.load("asia")).draw, trueness.extend.Synthetic.draw]
    found = [inspect.signature(one).parameters.get("rng") for one in functions]
    taken = [one for one in found if one]
    assert len(taken) > 20 and all(one.default is None and one.kind is not one.POSITIONAL_ONLY for one in taken)


def test_the_version_is_semantic():
    assert re.fullmatch(r"\d+\.\d+\.\d+((a|b|rc)\d+)?", trueness.__version__)
