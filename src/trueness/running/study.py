"""A study: a TOML plan and a folder. Run what is missing, write what can be regenerated.

    Plan.read("study.toml")  ->  Study(plan).run(...)  ->  study.db, scores.csv, variance/*.json, provenance.json

A plan has one task or several that build on each other, which are run in order: fits by the
executor, questions to models from the driver's own threads. The same command resumes: units that are in study.db are
not done again. A folder belongs to one plan; another plan in the same folder is refused unless it is said to replace
the first (`--replan`).
"""

from __future__ import annotations

import json
import math
import os
import re
import sqlite3
import time
from collections import Counter, defaultdict
from collections.abc import Mapping
from concurrent.futures import Executor
from contextlib import nullcontext
from dataclasses import dataclass, field, replace
from importlib import resources
from pathlib import Path
from typing import NamedTuple

from trueness import models, registry
from trueness.errors import PlanError, StoreError, UnknownName, did_you_mean, listed
from trueness.files import check_plain, read_text
from trueness.outside import MAX_PLAN, Json, is_there, json_of, one_line, text_of, toml_of
from trueness.running.calling import PASSING
from trueness.running.cells import Cell, PlanContext, PlannedStudy, Stage
from trueness.running.drivers import AskDriver, AskingEnd, FitDriver, Progress, Report, check_models
from trueness.running.provenance import plan_folder_of, session, without_paths
from trueness.running.results import Results
from trueness.running.store import Store
from trueness.running.study_db import as_written, check_entry, entry_of, read_entry
from trueness.running.study_folder import StudyFolder, mark_outdated, write_outputs
from trueness.settings import difference_of
from trueness.status import Status
from trueness.texts import arriving_json, printable

PLAN_KEYS = ("name", "seed", "folder", "datasets", "models", "limit_usd")
MAX_NAME = 100
MAX_UNITS = 10_000_000  # that the driver holds a list of: 0.4 GB, and 1.5 GB for those that a resumed study has stored
MOST_REASONS = 5  # that are named; the rest is counted
NOT_IDENTITY = ("name", "folder", "limit_usd")  # what may change without making it another study
TABLES = (".csv", ".tsv", ".parquet", ".jsonl", ".eval", ".xlsx")


@dataclass(frozen=True)
class Plan:
    """A study.toml, checked. `text` is the file as it was, `settings` what it says."""

    name: str
    seed: int
    folder: Path
    base: Path  # where the plan's own relative paths start
    text: str
    settings: dict[str, Json]
    tasks: tuple[PlannedStudy, ...]
    file: str = "study.toml"

    @classmethod
    def read(cls, path: Path | str, folder: Path | str | None = None) -> Plan:
        """A plan file, or a study folder that was made from one."""
        path = Path(path)
        is_study = path.is_dir()
        file = path / "study.toml" if is_study else path
        if not (check_plain(path, file.name) if is_study else is_there(path)):
            raise PlanError(f"{file} is not there. Write one with: trueness new {registry.names('task')[0]} {file}")
        if path.suffix in TABLES:
            instead = (
                f"Its graph: trueness learn {file}. Scores: trueness analyse {file}. A look: trueness check {file}."
            )
            raise PlanError(f"a plan must be a .toml file, got the table {file.name}. {instead}")
        if is_study:
            return cls.parse(read_text(path, file.name, MAX_PLAN), file.name, plan_folder_of(path), folder or path)
        return cls.parse(text_of(path, MAX_PLAN, PlanError), path.name, path.parent, folder)

    @classmethod
    def parse(cls, text: str, file: str, base: Path = Path(), folder: Path | str | None = None) -> Plan:
        """`base` is where the plan's own paths start; `folder` overrules the plan's."""
        settings = toml_of(text, file, PlanError)
        tasks = [name for name in registry.names("task") if name in settings]
        tasks += [key for key in settings if ".py:" in key]  # a user's own: ["my_file.py:MyTask"]
        for key in settings:
            if key not in PLAN_KEYS and key not in tasks:
                known = (*PLAN_KEYS, *registry.names("task"))
                raise PlanError(f"{key!r} is not a key of a plan. {did_you_mean(key, known)}  ({file})")
        if not tasks:
            first = registry.names("task")[0]
            raise PlanError(f"a plan must have a task table, such as [{first}], got none.  ({file})")
        name = _checked_name(settings.get("name", Path(file).stem), file)
        seed = settings.get("seed", 1)
        if not isinstance(seed, int) or isinstance(seed, bool) or not 0 <= seed < 2**64:
            raise PlanError(f"'seed' must be a whole number of at least 0, got {seed!r:.60}.  ({file})")
        for key in ("datasets", "models", *tasks):
            _check_tables(settings, key, tasks, file)
        where = Path(folder) if folder else _checked_folder(settings.get("folder", f"results/{name}"), file)
        made: dict[str, PlannedStudy] = {}
        for task in tasks:
            context = PlanContext(settings, seed, base.resolve(), file, made)
            kind = registry.resolve("task", registry.locate(task, base))
            if not hasattr(kind, "from_plan"):
                raise PlanError(f"[{task!r}] must name a task, a class with from_plan(table, context).  ({file})")
            try:
                made[task] = kind.from_plan(settings[task], context)
            except OSError as error:  # a name too long for a file, a folder in place of one, no permission
                raise PlanError(f"a file that [{task}] names cannot be read: {one_line(error)}.  ({file})") from None
        _check_models(settings, made, file)
        return cls(name, seed, where, base.resolve(), text, settings, tuple(made.values()), file)

    @property
    def task(self) -> PlannedStudy:
        """The first task: what all others rest on."""
        return self.tasks[0]

    def identity(self) -> dict[str, Json]:
        """What makes two plans the same: everything but the name, the folder, the budget and comments."""
        return {key: value for key, value in self.settings.items() if key not in NOT_IDENTITY}


@dataclass(frozen=True)
class ModelOutcome:
    """How one model did in one task, from the store. `reasons`: status and message -> units, the most frequent first.

    A unit that a model answered is answered whatever the answer is worth (refused, unreadable); it failed where no
    usable reply came, or none in time; it was not asked where nobody was reached, the model was set aside, or the run
    ended.
    """

    task: str
    model: str
    planned: int
    failed: int
    not_asked: int
    reasons: dict[str, int]
    set_aside: str = ""  # why it was not asked any more in this run
    answered_as: Mapping[str, int] = field(default_factory=dict)  # other models that answered -> replies

    @property
    def answered(self) -> int:
        return self.planned - self.failed - self.not_asked

    def to_dict(self) -> dict[str, Json]:
        return vars(self) | {"answered": self.answered}

    def lines(self) -> list[str]:
        """What there is to tell: nothing of a model that answered everything as itself."""
        lines = []
        if self.set_aside:
            lines.append(f"  set aside {self.set_aside}")
        lines += [f"  {count:,} x {reason}" for reason, count in self.reasons.items()]
        lines += [f"  {count:,} replies came from {name!r}" for name, count in self.answered_as.items()]
        if not lines:
            return []
        parts = [f"{self.answered:,} of {self.planned:,} answered"]
        parts += [f"{self.failed:,} failed"] if self.failed else []
        parts += [f"{self.not_asked:,} not asked"] if self.not_asked else []
        return [f"{self.model} ({self.task}): {', '.join(parts)}", *lines]


@dataclass(frozen=True)
class RunEnd:
    """How a run ended: complete, or with work left because it was interrupted, `stopped` (why) or models set aside."""

    total: int
    done: int
    failed: int
    interrupted: bool
    stopped: str
    models: tuple[ModelOutcome, ...]
    study: StudyFolder = field(repr=False)  # what was read for scores.csv

    def to_dict(self) -> dict[str, Json]:
        plain = {name: value for name, value in vars(self).items() if name != "study"}
        return plain | {"models": [model.to_dict() for model in self.models]}


class Study:
    """A plan and the store behind it."""

    def __init__(self, plan: Plan):
        self.plan = plan
        self.stages = [Stage(task, task.cells()) for task in plan.tasks]
        self.entry = entry_of(plan.name, plan.seed, self.stages)
        try:
            check_entry(self.entry)  # what could not be read again must not be paid for
        except sqlite3.DatabaseError as error:
            raise PlanError(f"a plan must give a study that can be read again, got {error}.  ({plan.file})") from None

    @property
    def cells(self) -> list[Cell]:
        """The cells of the first task."""
        return self.stages[0].cells

    def run(
        self,
        executor: Executor,
        slots: int,
        report: Report | None = None,
        retry: bool = False,
        replan: bool = False,
        seconds: float | None = None,
    ) -> RunEnd:
        """Do what is missing (with `retry`, also what failed), no fit begun after `seconds`; then write the outputs."""
        until = math.inf if seconds is None else time.monotonic() + seconds
        units = sum(cell.repeats * cell.common.get("calls", 1) for stage in self.stages for cell in stage.cells)
        if units > MAX_UNITS:
            must = f"must have at most {MAX_UNITS:,} fits and questions, got {units:,}"
            raise PlanError(f"a study {must}. Use fewer runs, or several studies.  ({self.plan.file})")
        folder = self.plan.folder
        folder.mkdir(parents=True, exist_ok=True)
        done = total = 0
        interrupted, asking = False, AskingEnd()
        set_aside: dict[str, dict[str, str]] = {}  # task -> model -> why
        with Store.writing(folder) as store:
            self._claim(store, replan)
            known = store.statuses()
            todo = [_missing(stage.cells, known, retry) for stage in self.stages]
            for stage, missing in zip(self.stages, todo, strict=True):
                if not stage.is_fitted:
                    check_models(stage, missing, self.plan.base)
            if any(todo):
                mark_outdated(folder)
            with session(store, self.stages) if any(todo) else nullcontext():
                for stage, missing in zip(self.stages, todo, strict=True):
                    before = stage.planned - sum(map(len, missing.values()))
                    progress = Progress(stage.planned, before, slots=slots, stage=stage.name)
                    tell = report or (lambda _: None)
                    if not (interrupted or asking.stopped):
                        if stage.is_fitted:
                            driver = FitDriver(stage, store, executor, slots, missing, progress, tell, until)
                            interrupted = driver.drive()
                        else:
                            where = (self.plan.base, self.plan.seed)
                            asking = AskDriver(stage, store, missing, progress, tell, retry, *where).drive()
                            interrupted, set_aside[stage.name] = asking.interrupted, asking.set_aside
                    total, done = total + stage.planned, done + before + progress.done
            with as_written(folder):
                study = StudyFolder(store)
                answered_as = store.answered_as()
                write_outputs(study, self.plan.text, self.plan.base)
                models: list[ModelOutcome] = []
                failed = 0
                for results, stage in zip(study.tasks, self.stages, strict=True):
                    failed += results.n_failed(replies=not stage.is_fitted)
                    if not stage.is_fitted:
                        models += model_outcomes(results, set_aside.get(stage.name, {}), answered_as)
        return RunEnd(total, done, failed, interrupted, asking.stopped, tuple(models), study)

    def _claim(self, store: Store, replan: bool) -> None:
        """A folder belongs to one plan."""
        ours = arriving_json(json.dumps(without_paths(self.plan.identity()), sort_keys=True, default=str))
        theirs = without_paths(json_of(store.meta("plan") or "{}", "the entry 'plan' of study.db", StoreError))
        if theirs and theirs != json.loads(ours) and not replan:
            what = difference_of(theirs, json.loads(ours)) if isinstance(theirs, dict) else "one that cannot be read"
            raise StoreError(
                f"the study in {self.plan.folder} was made from another plan ({what}). Use a new folder, or --replan."
            )
        store.set_meta("plan", ours)
        store.set_meta("study", self.entry)


def _missing(cells: list[Cell], known: dict[str, str], retry: bool) -> dict[int, list[int]]:
    """Cell index -> the repeats that are to be done, of cells that have any."""

    def is_missing(key: str) -> bool:
        return key not in known or (retry and known[key] != Status.OK)

    missing = {index: [r for r in range(cell.repeats) if is_missing(cell.key(r))] for index, cell in enumerate(cells)}
    return {index: repeats for index, repeats in missing.items() if repeats}


def _checked_name(name: object, file: str) -> str:
    """A study's name is also that of its folder: a plan of somebody else must not choose another one by it."""
    text = str(name) if isinstance(name, str | int | float) else ""
    if not 0 < len(text) <= MAX_NAME or not text.isprintable() or set(text) & set("/\\") or text.strip(". ") == "":
        raise PlanError(f"'name' must be 1 to {MAX_NAME} characters without a slash, got {name!r:.60}.  ({file})")
    return text


def _checked_folder(folder: object, file: str) -> Path:
    """Below the current folder, also where links lead; another place is for the user to name, not for the file."""
    path = Path(folder) if isinstance(folder, str) and "\0" not in folder else Path("/")
    inside = not path.is_absolute() and ".." not in path.parts
    leads = Path(os.path.realpath(path)) if inside else path
    if not inside or not leads.is_relative_to(os.path.realpath(".")):
        got = f"{folder!r:.60}{f', a link to {leads}' if inside else ''}"
        raise PlanError(f"'folder' must be a path below the current one, got {got}. Use --folder.  ({file})")
    return path


def _check_tables(settings: dict[str, Json], key: str, tasks: list[str], file: str) -> None:
    value = settings.get(key, {})
    if not isinstance(value, dict):
        raise PlanError(f"{key!r} must be a table, [{key}], got {value!r:.60}.  ({file})")
    if key not in tasks and not all(isinstance(entry, dict) for entry in value.values()):
        raise PlanError(f"{key!r} at the top of a plan must be tables such as [{key}.NAME].  ({file})")


def _check_models(settings: dict[str, Json], made: Mapping[str, PlannedStudy], file: str) -> None:
    """Options of a model that no task asks are a misspelt name."""
    asking = {task: stage for task, study in made.items() if not (stage := Stage(study, [])).is_fitted}
    names = [model for stage in asking.values() for model in stage.models]
    for name in settings.get("models", {}):
        if asking and name not in names:
            lists = ("'models'" if stage.judges is None else "'models' or 'judges'" for stage in asking.values())
            places = " or ".join(f"{which} of [{task}]" for which, task in zip(lists, asking, strict=True))
            raise PlanError(f"[models.{name!r}] must be named in {places}, got {listed(names)}.  ({file})")


def model_outcomes(
    results: Results, set_aside: Mapping[str, str], answered_as: Mapping[str, Mapping[str, int]]
) -> list[ModelOutcome]:
    """Of each model that a task asks, in the order of the plan."""
    planned: Counter[str] = Counter()
    ended: dict[str, Counter[str]] = defaultdict(Counter)
    for place, cell in enumerate(results.cells):
        planned[cell.respondent] += cell.repeats
        ended[cell.respondent].update(results.statuses.get(place, {}))
    messages: dict[str, list[str]] = defaultdict(list)
    for run in results.failed_runs():
        if run.status in PASSING:
            messages[run.respondent].append(f"{run.status}: {run.message}")
    return [
        ModelOutcome(
            task=results.task,
            model=name,
            planned=count,
            failed=sum(ended[name][status] for status in PASSING),
            not_asked=count - ended[name].total(),
            reasons=_reasons(messages[name]),
            set_aside=set_aside.get(name, ""),
            answered_as=answered_as.get(name, {}),
        )
        for name, count in planned.items()
    ]


def _reasons(messages: list[str]) -> dict[str, int]:
    """Messages that differ in numbers alone (seconds, ids) are one reason, told as the first of them."""
    first: dict[str, str] = {}
    for message in messages:
        first.setdefault(re.sub(r"\d+", "#", message), message)
    counted = Counter(first[re.sub(r"\d+", "#", message)] for message in messages).most_common()
    rest = sum(count for _, count in counted[MOST_REASONS:])
    return dict(counted[:MOST_REASONS]) | ({"other reasons": rest} if rest else {})


class NewFile(NamedTuple):
    """What `new` writes, where, and what to do with it."""

    path: Path
    text: str
    what_next: str


def read_plan(file: str | None, folder: str | None = None) -> Plan:
    """A study.toml, a study folder, or, with no file, the quickstart."""
    if file and registry.offer("plan", Path(file).suffix):
        return foreign_plan(Path(file), folder)
    if file:
        return Plan.read(file, folder)
    quickstart = resources.files("trueness.running") / "quickstart.toml"
    return Plan.parse(quickstart.read_text(encoding="utf-8"), quickstart.name, Path(), folder)


def without_unready(plan: Plan) -> tuple[Plan, list[str]]:
    """The plan without tasks whose models lack something, and a line on each of them; what was asked before stays.

    Its settings stay the same: once the model is there, the same command goes on with the rest.
    """
    begun, lines = set(), {}
    if is_there(plan.folder / "study.db"):
        with Store.reading(plan.folder) as store:
            begun = {task.task for task in read_entry(store.meta("study")).tasks}
    for task in plan.tasks:
        models_of = Stage(task, []).models
        unready = [line for name in models_of if (line := models.check_ready(name, models_of[name], plan.base))]
        if unready and task.name not in begun:
            lines[task.name] = f"{task.name} is left out: {unready[0]}"
    return replace(plan, tasks=tuple(task for task in plan.tasks if task.name not in lines)), list(lines.values())


def foreign_plan(path: Path, folder: str | None = None) -> Plan:
    """A plan in another program's form, turned into our TOML by the study that knows it."""
    # JSON as people print it in documents: `// ...` to the end of a line is left out, `[...]` is the list ["..."]
    part = re.compile(r'("(?:[^"\\]|\\.)*+")|//[^\n]*|\[\s*\.\.\.\s*\]')
    plain = part.sub(
        lambda match: match[1] or ('["..."]' if match[0].startswith("[") else ""), text_of(path, MAX_PLAN, PlanError)
    )
    config = json_of(plain, path.name, PlanError)
    settings = registry.offer("plan", path.suffix)(config, path)
    return Plan.parse(toml_text({"name": path.stem} | settings), path.name, path.parent, folder)


def toml_text(settings: dict[str, Json]) -> str:
    """Strings, numbers, truth values, lists and tables: JSON's forms of them are TOML's, with = in place of a colon."""
    lines = [json.dumps({key: value}, ensure_ascii=False, separators=(", ", " = ")) for key, value in settings.items()]
    return "".join(f"{line[1:-1]}\n" for line in lines).replace("\x7f", "\\u007f")  # TOML wants this one escaped


def template(task: str, path: Path) -> str:
    """The commented plan that `trueness new` writes."""
    if task not in registry.names("task"):
        raise UnknownName("task", task, registry.names("task"))
    if path.suffix != ".toml":
        raise PlanError(f"a plan must be a .toml file, got {path.name!r}. Try {path.stem}.toml.")
    if not path.parent.is_dir():
        raise PlanError(f"the folder {path.parent} is not there. Make it first.")
    plain = path.stem.isprintable() and not set(path.stem) & set('"\\')  # it stands in quotes, and in comments
    name = path.stem if plain and path.stem != "study" else task
    text = (resources.files(f"trueness.studies.{task}") / "template.toml").read_text(encoding="utf-8")
    return text.replace("{name}", name).replace("{file}", printable(str(path)))


def new_file(what: str, file: str | None, plan: str | None = None) -> NewFile:
    """What `new` writes: a study's own offer (a sheet, questions about a user's data), or its commented plan."""
    make = registry.offer("new", what)
    made: NewFile | None = None if make is None else make(file, plan)
    if made is not None:
        return made
    path = Path(file or "study.toml")
    return NewFile(path, template(what, path), f"Next: trueness plan {path}, then trueness run {path}")
