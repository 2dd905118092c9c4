"""Plans that come from a command line: a file, a study folder, a template, or the quickstart."""

from __future__ import annotations

import json
from importlib import resources
from pathlib import Path
from typing import Any

from assay import registry
from assay.errors import PlanError, StoreError, UnknownName
from assay.outside import MAX_PLAN, json_of, text_of
from assay.running.study import Plan
from assay.texts import printable

_FORMULATIONS = {1: "direct", 2: "steps", 3: "interval"}  # the original's numbers
_DATASETS = {"synthetic_12": "synthetic-12", "synthetic_30": "synthetic-30", "synthetic12": "synthetic-12",
             "synthetic30": "synthetic-30"}  # fmt: skip


def read_plan(file: str | None, folder: str | None = None) -> Plan:
    """A study.toml, a study folder, or, with no file, the quickstart."""
    if file and file.endswith(".json"):
        return original_plan(Path(file), folder)
    if file:
        return Plan.read(file, folder)
    return Plan.parse(_quickstart(), "quickstart.toml", Path(), folder)


def original_plan(path: Path, folder: str | None = None) -> Plan:
    """A plan from the original protocol's config.json (experiments, llm_settings), turned into our TOML."""
    config = json_of(text_of(path, MAX_PLAN, PlanError), path.name, PlanError)
    try:
        settings = _settings_of(config)
    except (ValueError, TypeError, KeyError, IndexError, AttributeError, OverflowError) as error:
        raise PlanError(
            f"{path} must be a config.json with experiments (datasets, algorithms, n_runs, llm_models, "
            f"prompt_formulations), got: {type(error).__name__} {error}. Or write a plan: assay new forecast"
        ) from None
    return Plan.parse(_toml({"name": path.stem} | settings), path.name, path.parent, folder)


def _settings_of(config: Any) -> dict[str, Any]:
    """Our settings; what is of another shape than the original's raises."""
    experiments, asked = config["experiments"], config.get("llm_settings", {})
    named = list(experiments.get("llm_models", []))
    options = {
        name: {"retries": asked.get("max_retries", 3), "delay": asked.get("retry_delay", 5)}
        for name in named
        if not name.startswith(("embedded/", "mock/"))
    }
    return {
        "discovery": {
            "datasets": [_DATASETS.get(name.lower(), name.lower()) for name in experiments["datasets"]],
            "learners": [name.lower() for name in experiments["algorithms"]],
            "runs": experiments.get("n_runs", 100),
            "codes": True,
        },
        "forecast": {
            "models": named,
            "formulations": [_FORMULATIONS[int(k)] for k in experiments.get("prompt_formulations", (1, 2, 3))],
            "temperature": asked.get("temperature", 0.1),
            "max_tokens": asked.get("max_tokens", 1024),
        },
        "models": options,
    }


def _toml(settings: dict[str, Any], prefix: str = "") -> str:
    """Strings, numbers, truth values, lists and tables: JSON's forms of them are TOML's."""
    lines = [f"{key} = {json.dumps(value)}" for key, value in settings.items() if not isinstance(value, dict)]
    for key, value in settings.items():
        if isinstance(value, dict):
            lines += ["", f"[{prefix}{json.dumps(key)}]", _toml(value, f"{prefix}{json.dumps(key)}.")]
    return "\n".join(lines)


def template(task: str, path: Path) -> str:
    """The commented plan that `assay new` writes."""
    if task not in registry.names("task"):
        raise UnknownName("task", task, registry.names("task"))
    if path.suffix != ".toml":
        raise PlanError(f"a plan must be a .toml file, got {path.name!r}. Try {path.stem}.toml.")
    if not path.parent.is_dir():
        raise PlanError(f"the folder {path.parent} is not there. Make it first.")
    plain = path.stem.isprintable() and not set(path.stem) & set('"\\')  # it stands in quotes, and in comments
    name = path.stem if plain and path.stem != "study" else task
    return _template(task).replace("{name}", name).replace("{file}", printable(str(path)))


def human_sheet(file: str | None) -> str:
    """The CSV sheet for experts: the questions of a plan's forecast, with low and high to fill in."""
    from assay.studies.forecast import human
    from assay.studies.forecast.plan import Forecast

    plan = read_plan(file)
    task = next((task for task in plan.tasks if isinstance(task, Forecast)), None)
    if task is None:
        raise PlanError(f"{plan.file} must have a [forecast] table for a sheet, got none. See: assay new forecast")
    return human.sheet(task.about()["datasets"], list(task.discovery.learners), level=task.level)


def newest_folder() -> Path:
    """The study under results/ that was written last."""
    found = sorted(Path("results").glob("*/study.db"), key=lambda path: path.lstat().st_mtime)
    if not found:
        raise StoreError("there is no study under results/. Name a folder, or make one: assay run")
    return found[-1].parent


def _quickstart() -> str:
    return (resources.files("assay.running") / "quickstart.toml").read_text(encoding="utf-8")


def _template(study: str) -> str:
    return (resources.files(f"assay.studies.{study}") / "template.toml").read_text(encoding="utf-8")
