"""Plans that come from a command line: a file, a study folder, a template, or the quickstart."""

from __future__ import annotations

import json
import re
from dataclasses import replace
from importlib import resources
from pathlib import Path
from typing import NamedTuple

from trueness import models, registry
from trueness.errors import PlanError, UnknownName
from trueness.outside import MAX_PLAN, Json, is_there, json_of, text_of
from trueness.running.stage import Stage
from trueness.running.store import Store
from trueness.running.study import Plan
from trueness.running.study_entry import read_entry
from trueness.texts import printable


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
    text = (resources.files("trueness.running") / "quickstart.toml").read_text(encoding="utf-8")
    return Plan.parse(text, "quickstart.toml", Path(), folder)


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
