"""Plans that come from a command line: a file, a study folder, a template, or the quickstart."""

from __future__ import annotations

from importlib import resources
from pathlib import Path

from assay import registry
from assay.errors import PlanError, StoreError, UnknownName
from assay.study import Plan


def read_plan(file: str | None, folder: str | None = None) -> Plan:
    """A study.toml, a study folder, or, with no file, the quickstart."""
    if file:
        return Plan.read(file, folder)
    return Plan.parse(_template("quickstart"), "quickstart.toml", Path(), folder)


def template(task: str, path: Path) -> str:
    """The commented plan that `assay new` writes."""
    if task not in registry.names("task"):
        raise UnknownName("task", task, registry.names("task"))
    if path.suffix != ".toml":
        raise PlanError(f"a plan must be a .toml file, got {path.name!r}. Try {path.stem}.toml.")
    if not path.parent.is_dir():
        raise PlanError(f"the folder {path.parent} is not there. Make it first.")
    name = task if path.stem == "study" else path.stem
    return _template(task).replace("{name}", name).replace("{file}", str(path))


def newest_folder() -> Path:
    """The study under results/ that was written last."""
    found = sorted(Path("results").glob("*/study.db"), key=lambda path: path.stat().st_mtime)
    if not found:
        raise StoreError("there is no study under results/. Name a folder, or make one: assay run")
    return found[-1].parent


def _template(name: str) -> str:
    return (resources.files("assay.templates") / f"{name}.toml").read_text(encoding="utf-8")
