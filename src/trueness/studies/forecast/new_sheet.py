"""`trueness new human-sheet`: the questions of a plan's forecast, for experts to fill in."""

from __future__ import annotations

from pathlib import Path

from trueness.errors import PlanError
from trueness.outside import MAX_PLAN, is_there, text_of, toml_of
from trueness.running.study import NewFile, Plan, read_plan, toml_text
from trueness.studies.forecast import human
from trueness.studies.forecast.plan import Forecast


def new_sheet(file: str | None, plan: str | None) -> NewFile:
    """The CSV sheet, with low and high to fill in."""
    path, made = Path(file or "experts.csv"), _plan(plan)
    task = next((task for task in map(_forecast, made.tasks) if task is not None), None)
    if task is None:
        raise PlanError(f"{made.file} must have a [forecast] table for a sheet, got none. See: trueness new forecast")
    text = human.sheet(task.about()["datasets"], list(task.discovery.learners), level=task.level)
    return NewFile(path, text, f'Fill in low and high, then name it in a plan: humans = ["{path}"]')


def _plan(plan: str | None) -> Plan:
    """A plan may name the sheet before it is there: its questions do not depend on what is filled in."""
    path = Path(plan or "")
    if path.suffix != ".toml" or not is_there(path):
        return read_plan(plan)
    settings = toml_of(text_of(path, MAX_PLAN, PlanError), path.name, PlanError)
    if isinstance(settings.get("forecast"), dict):
        settings["forecast"].pop("humans", None)
    return Plan.parse(toml_text(settings), path.name, path.parent)


def _forecast(study: object) -> Forecast | None:
    return study if isinstance(study, Forecast) else None
