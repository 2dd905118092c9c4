"""`trueness learn FILE`: its options as a plan; `trueness.learn(data)`: the same from Python."""

from __future__ import annotations

import re
import tempfile
from collections.abc import Callable, Mapping
from pathlib import Path
from typing import Any

import pandas as pd

from trueness.datasets import Table
from trueness.errors import PlanError, SettingError
from trueness.files import write_atomically
from trueness.outside import MAX_PLAN, text_of, toml_of
from trueness.running.plans import toml_text
from trueness.running.study import Plan, Study
from trueness.showing.saving import csv_text
from trueness.studies.learn.findings import Learned

_TIME = re.compile(r"(\d+(?:\.\d+)?)\s*(s|m|h|)")


def plan_of(options: Mapping[str, str | None]) -> tuple[Plan, float | None]:
    """The plan, and after how many seconds it is to stop."""
    file = Path(options["file"] or "")
    table: dict[str, Any] = {"data": str(file.resolve()) if file.exists() else str(file)}
    if options.get("graph"):
        table["graph"] = str(Path(options["graph"] or "").resolve())
    if options.get("rows"):
        table["rows"] = _whole(options["rows"] or "")
    if options.get("knowledge"):
        table |= toml_of(
            text_of(Path(options["knowledge"] or ""), MAX_PLAN, PlanError), str(options["knowledge"]), PlanError
        )
    name = re.sub(r"[^\w-]+", "-", file.stem) or "table"
    text = toml_text({"name": f"learn-{name}", "learn": table})
    return Plan.parse(text, "learn", Path.cwd(), options.get("folder") or f"results/learn-{name}"), seconds_of(
        options.get("time")
    )


def seconds_of(text: str | None) -> float | None:
    if not text:
        return None
    match = _TIME.fullmatch(text.strip())
    if match is None or not float(match[1]):
        raise SettingError(f"'--time' must be such as 90s, 5m or 1h, got {text!r:.40}.")
    return float(match[1]) * {"s": 1, "m": 60, "h": 3600, "": 1}[match[2]]


def _whole(text: str) -> int:
    if not text.isdecimal():
        raise SettingError(f"'--rows' must be a whole number, got {text!r:.40}.")
    return int(text)


def learn(
    data: Any,
    *,
    graph: str | Path | None = None,
    time: str | None = None,
    folder: str | Path | None = None,
    workers: int | None = None,
    progress: Callable[[Any], None] | None = None,
    **settings: Any,
) -> Learned:
    """What is the graph of this table, how sure is each edge, and which learner is to be believed?

    data: a data set's name, a file, a DataFrame, an array or a Table. `folder` keeps the study (a temporary one without
    it); settings are those of [learn] (twins, draws, resamples, learners, required, forbidden, tiers, ...).
    """
    from trueness.running.engine import executor_for

    with tempfile.TemporaryDirectory() as place, executor_for(workers, None) as (executor, slots):
        study = study_of(data, Path(place), graph, folder, settings)
        end = study.run(executor, slots, progress, seconds=seconds_of(time))
        with end.study.store.opened():
            return Learned.of(end.study.tasks[0])


def study_of(
    data: Any, place: Path, graph: str | Path | None, folder: str | Path | None, settings: Mapping[str, Any]
) -> Study:
    """The study behind `learn`; what is not a file or a name is written to `place` first."""
    table: dict[str, Any] = {"data": str(data), **settings}
    datasets: dict[str, Any] = {}
    if isinstance(data, str | Path):
        table["data"] = str(Path(data).resolve()) if Path(data).exists() else str(data)
    else:
        made = Table.of(data)
        file = write_atomically(place, "table.csv", csv_text(_frame(made)))
        kinds = {
            name: "discrete" if levels else "continuous" for name, levels in zip(made.names, made.levels, strict=True)
        }
        table["data"], datasets = str(file), {"datasets": {str(file): {"kinds": kinds}}}
    if graph is not None:
        table["graph"] = str(Path(graph).resolve())
    text = toml_text({"name": "learn", "learn": table} | datasets)
    return Study(Plan.parse(text, "learn", Path.cwd(), folder or place / "study"))


def _frame(table: Table) -> pd.DataFrame:
    """With the names of levels in place of their codes."""
    columns = {}
    for name, column, levels in zip(table.names, table.values.T, table.levels, strict=True):
        texts = None if levels is None else dict(enumerate(levels))
        columns[name] = column if texts is None else [texts.get(code) for code in column.tolist()]
    return pd.DataFrame(columns)
