"""A study: a TOML plan and a folder. Run what is missing, write what can be regenerated.

    Plan.read("study.toml")  ->  Study(plan).run(...)  ->  study.db, scores.csv, variance/*.json, provenance.json

A plan has one task or several that build on each other (forecast on discovery), which are run in order: fits by the
executor, questions to models from the driver's own threads. The same command resumes: units that are in study.db are
not done again. A folder belongs to one plan; another plan in the same folder is refused unless it is said to replace
the first (`--replan`).
"""

from __future__ import annotations

import json
import tomllib
from concurrent.futures import Executor
from dataclasses import dataclass
from html import escape
from pathlib import Path
from typing import Any

from assay import registry
from assay.asking import AskDriver
from assay.errors import PlanError, StoreError, did_you_mean, listed
from assay.fits import FitDriver
from assay.outputs import write_outputs
from assay.progress import Progress, Report
from assay.results import Results, describe
from assay.status import Status
from assay.store import Store
from assay.tasks.cells import Cell, Context

PLAN_KEYS = ("name", "seed", "folder", "datasets", "models", "limit_usd")
NOT_IDENTITY = ("name", "folder", "limit_usd")  # what may change without making it another study


@dataclass(frozen=True)
class Plan:
    """A study.toml, checked. `text` is the file as it was, `settings` what it says."""

    name: str
    seed: int
    folder: Path
    base: Path  # where the plan's own relative paths start
    text: str
    settings: dict[str, Any]
    tasks: tuple[Any, ...]
    file: str = "study.toml"

    @classmethod
    def read(cls, path: Path | str, folder: Path | str | None = None) -> Plan:
        """A plan file, or a study folder that was made from one."""
        path = Path(path)
        base = path.parent
        if path.is_dir():
            folder, path, base = folder or path, path / "study.toml", base_of(path)
        if not path.is_file():
            raise PlanError(f"{path} is not there. Write one with: assay new discovery {path}")
        try:
            text = path.read_text(encoding="utf-8")
        except (OSError, UnicodeDecodeError) as error:
            raise PlanError(f"{path} must be a TOML file in UTF-8, got: {error}.") from None
        return cls.parse(text, path.name, base, folder)

    @classmethod
    def parse(cls, text: str, file: str, base: Path = Path(), folder: Path | str | None = None) -> Plan:
        """`base` is where the plan's own paths start; `folder` overrules the plan's."""
        try:
            settings = tomllib.loads(text)
        except tomllib.TOMLDecodeError as error:
            raise PlanError(f"{file} must be TOML, got: {error}.") from None
        tasks = [name for name in registry.names("task") if name in settings]
        for key in settings:
            if key not in PLAN_KEYS and key not in tasks:
                known = (*PLAN_KEYS, *registry.names("task"))
                raise PlanError(f"{key!r} is not a key of a plan. {did_you_mean(key, known)}  ({file})")
        if not tasks:
            raise PlanError(f"a plan must have a task table, such as [discovery], got none.  ({file})")
        name = str(settings.get("name", Path(file).stem))
        seed = settings.get("seed", 1)
        if not isinstance(seed, int) or isinstance(seed, bool) or seed < 0:
            raise PlanError(f"'seed' must be a whole number of at least 0, got {seed!r}.  ({file})")
        for key in ("datasets", "models", *tasks):
            _check_tables(settings, key, tasks, file)
        where = Path(folder) if folder else Path(settings.get("folder", Path("results") / name))
        made: dict[str, Any] = {}
        for task in tasks:
            context = Context(settings, seed, base.resolve(), file, made, where)
            made[task] = registry.resolve("task", task).from_plan(settings[task], context)
        _check_models(settings, made, file)
        return cls(name, seed, where, base.resolve(), text, settings, tuple(made.values()), file)

    @property
    def task(self) -> Any:
        """The first task: what all others rest on."""
        return self.tasks[0]

    def identity(self) -> dict[str, Any]:
        """What makes two plans the same: everything but the name, the folder, the budget and comments."""
        return {key: value for key, value in self.settings.items() if key not in NOT_IDENTITY}


@dataclass(frozen=True)
class Outcome:
    """How a run ended: complete, or with work left because it was interrupted or `stopped` (why)."""

    total: int
    done: int
    failed: int
    interrupted: bool
    stopped: str = ""


class Study:
    """A plan and the store behind it."""

    def __init__(self, plan: Plan):
        self.plan = plan
        self.stages: list[tuple[Any, list[Cell]]] = [(task, task.cells()) for task in plan.tasks]

    @property
    def cells(self) -> list[Cell]:
        """The cells of the first task."""
        return self.stages[0][1]

    def run(
        self,
        executor: Executor,
        slots: int,
        report: Report | None = None,
        retry: bool = False,
        replan: bool = False,
    ) -> Outcome:
        """Do what is missing (with `retry`, also what failed), then write the outputs."""
        folder = self.plan.folder
        folder.mkdir(parents=True, exist_ok=True)
        done = total = 0
        interrupted, stopped = False, ""
        with Store.writing(folder) as store:
            self._claim(store, replan)
            for task, cells in self.stages:
                missing = _missing(cells, store.statuses(), retry)
                planned = sum(cell.repeats for cell in cells)
                before = planned - sum(map(len, missing.values()))
                progress = Progress(planned, before, slots=slots, stage=task.name)
                if not (interrupted or stopped):
                    if hasattr(task, "function"):
                        fits = FitDriver(
                            task, cells, store, executor, slots, missing, progress, report or (lambda _: None)
                        )
                        interrupted = fits.drive()
                    else:
                        asks = AskDriver(task, cells, store, missing, progress, report or (lambda _: None), retry)
                        interrupted, stopped = asks.drive()
                total, done = total + planned, done + before + progress.done
            results = Results.all_of(store)
            write_outputs(results, store, self.plan.text, self.plan.base, folder)
        return Outcome(total, done, sum(found.n_failed() for found in results), interrupted, stopped)

    def _repr_html_(self) -> str:
        """In a notebook: what the plan asks for. It reads no store."""
        rows = []
        for task, cells in self.stages:
            counts = (len({c.item for c in cells}), len({c.respondent for c in cells}), sum(c.repeats for c in cells))
            texts = [task.name, *(f"{count:,}" for count in counts)]
            rows.append("<tr>" + "".join(f"<td>{escape(text)}</td>" for text in texts) + "</tr>")
        head = "".join(f"<th>{name}</th>" for name in ("task", "items", "respondents", "units"))
        title = f"{self.plan.name}: seed {self.plan.seed}, {self.plan.folder}"
        return f"<table><caption>{escape(title)}</caption><tr>{head}</tr>{''.join(rows)}</table>"

    def _claim(self, store: Store, replan: bool) -> None:
        """A folder belongs to one plan."""
        ours, theirs = json.dumps(self.plan.identity(), sort_keys=True, default=str), store.meta("plan")
        if theirs is not None and theirs != ours and not replan:
            raise StoreError(
                f"the study in {self.plan.folder} was made from another plan "
                f"({_difference(json.loads(theirs), json.loads(ours))}). Use a new folder, or --replan."
            )
        store.set_meta("plan", ours)
        store.set_meta("study", describe(self.plan.name, self.plan.seed, self.stages))


def _missing(cells: list[Cell], known: dict[str, str], retry: bool) -> dict[int, list[int]]:
    """Cell index -> the repeats that are to be done."""
    return {
        index: [r for r, key in enumerate(cell.keys) if key not in known or (retry and known[key] != Status.OK)]
        for index, cell in enumerate(cells)
    }


def _check_tables(settings: dict[str, Any], key: str, tasks: list[str], file: str) -> None:
    value = settings.get(key, {})
    if not isinstance(value, dict):
        raise PlanError(f"{key!r} must be a table, [{key}], got {value!r}.  ({file})")
    if key not in tasks and not all(isinstance(entry, dict) for entry in value.values()):
        raise PlanError(f"{key!r} at the top of a plan must be tables such as [{key}.NAME].  ({file})")


def _check_models(settings: dict[str, Any], made: dict[str, Any], file: str) -> None:
    """Options of a model that no task asks are a misspelt name."""
    asking = {name: list(task.models) for name, task in made.items() if hasattr(task, "models")}
    asked = [model for models in asking.values() for model in models]
    for name in settings.get("models", {}):
        if asking and name not in asked:
            places = " or ".join(f"[{task}]" for task in asking)
            raise PlanError(f"[models.{name!r}] must be named in 'models' of {places}, got {listed(asked)}.  ({file})")


def base_of(folder: Path) -> Path:
    """Where the paths of a study folder's own study.toml start: the folder of the plan it was copied from."""
    try:
        return Path(json.loads((folder / "provenance.json").read_text(encoding="utf-8"))["plan_folder"])
    except (OSError, ValueError, KeyError):
        return folder


def _difference(old: dict[str, Any], new: dict[str, Any]) -> str:
    """The first settings that differ, e.g. 'alpha 0.01, now 0.05'."""
    flat_old, flat_new = _flat(old), _flat(new)
    keys = [key for key in {**flat_old, **flat_new} if flat_old.get(key) != flat_new.get(key)]
    return listed((f"{key} {flat_old.get(key, 'not set')}, now {flat_new.get(key, 'not set')}" for key in keys), most=2)


def _flat(settings: dict[str, Any], prefix: str = "") -> dict[str, Any]:
    flat = {}
    for key, value in settings.items():
        flat.update(_flat(value, f"{prefix}{key}.") if isinstance(value, dict) else {f"{prefix}{key}": value})
    return flat
