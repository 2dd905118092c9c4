"""`trueness learn FILE`: its options as a plan; `trueness.learn(data)`: the same from Python."""

from __future__ import annotations

import itertools
import json
import math
import re
import tempfile
from collections.abc import Mapping
from pathlib import Path
from typing import cast

from trueness.datasets import TABLE_FILES, Dataset, Table, settings_of_options
from trueness.datasets.columns import OrderedLevels, kind_of
from trueness.datasets.table import TableLike
from trueness.errors import DataError, PlanError, SettingError, did_you_mean, listed
from trueness.files import write_atomically
from trueness.graphs import Graph
from trueness.outside import MAX_PLAN, Json, text_of, toml_of
from trueness.running.drivers import Report
from trueness.running.study import Plan, Study, toml_text
from trueness.studies.learn.findings import Learned
from trueness.studies.learn.plan import KNOWLEDGE

_TIME = re.compile(r"(\d+(?:\.\d+)?)\s*(s|m|h|)")


def plan_of(options: Mapping[str, str | None]) -> tuple[Plan, float | None]:
    """The plan, and after how many seconds it is to stop."""
    seconds = seconds_of(options.get("time"))
    file = Path(options["file"] or "")
    table: dict[str, object] = {"data": str(file.resolve()) if file.exists() else str(file)}
    if options.get("graph"):
        table["graph"] = str(Path(options["graph"] or "").resolve())
    if options.get("rows"):
        table["rows"] = _whole(options["rows"] or "")
    if options.get("knowledge"):
        table |= _knowledge(Path(options["knowledge"] or ""))
    settings = settings_of_options(options["file"] or "", options)
    ending = next(filter(file.name.lower().endswith, TABLE_FILES), "")
    stem = file.name[: len(file.name) - len(ending)]
    name = re.sub(r"[^\w-]+", "-", stem).strip("-") or "table"
    text = toml_text(
        {"name": f"learn-{name}", "learn": table} | ({"datasets": {table["data"]: settings}} if settings else {})
    )
    return Plan.parse(text, "learn", Path.cwd(), options.get("folder") or f"results/learn-{name}"), seconds


def _knowledge(file: Path) -> dict[str, Json]:
    known = toml_of(text_of(file, MAX_PLAN, PlanError), file.name, PlanError)
    for key in known:
        if key not in KNOWLEDGE:
            hint = did_you_mean(key, KNOWLEDGE)
            raise PlanError(f"{file.name} must hold {listed(KNOWLEDGE)} only, got {key!r:.40}. {hint}".rstrip())
    return known


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
    data: TableLike | Dataset | Path,
    *,
    graph: str | Path | Graph | None = None,
    time: str | None = None,
    folder: str | Path | None = None,
    workers: int | None = None,
    progress: Report | None = None,
    **settings: object,
) -> Learned:
    """What is the graph of this table, how sure is each edge, and which learner is to be believed?

    data: a data set's name, a file, a DataFrame, an array, a Table, or what `load` gives of a table. `folder` keeps the
    study, with a table that is no file (a temporary one without it); settings are those of [learn] (twins, draws,
    resamples, learners, required, forbidden, tiers, ...).
    """
    from trueness.running.engine import executor_for

    with tempfile.TemporaryDirectory() as place, executor_for(workers, None) as (executor, slots):
        study = study_of(data, Path(place), graph, folder, settings)
        end = study.run(executor, slots, progress, seconds=seconds_of(time))
        with end.study.store.ensure_open():
            return Learned.of(end.study.tasks[0])


def study_of(
    data: TableLike | Dataset | Path,
    place: Path,
    graph: str | Path | Graph | None,
    folder: str | Path | None,
    settings: Mapping[str, object],
) -> Study:
    """The study behind `learn`; what is not a file or a name is written first, into its folder where it has one."""
    import pandas as pd

    home = Path(folder).resolve() if folder else place
    table: dict[str, object] = {"data": "", **settings}
    datasets: dict[str, object] = {}
    if isinstance(data, str | Path):
        table["data"] = str(Path(data).resolve()) if Path(data).exists() else str(data)
    else:
        loaded: Table | None = None if isinstance(data, pd.DataFrame) else getattr(data, "table", None)
        made = Table.of(cast("TableLike", data) if loaded is None else loaded, strict=False)
        if not made.n or not (made.d or made.judged):
            raise DataError(f"the data must have rows and columns, got {made.n} rows of {made.d} columns.")
        file = write_atomically(home, "table.jsonl", _lines(made, data))
        kinds = {
            name: list(levels) if levels and isinstance(levels, OrderedLevels) else kind_of(levels)
            for name, levels in zip(made.names, made.levels, strict=True)
        }
        table["data"], datasets = str(file), {"datasets": {str(file): {"kinds": kinds}}}
    if isinstance(graph, Graph):
        graph = write_atomically(home, "guess.json", graph.to_json())
    if graph is not None:
        table["graph"] = str(Path(graph).resolve())
    text = toml_text({"name": "learn", "learn": table} | datasets)
    return Study(Plan.parse(text, "learn", Path.cwd(), folder or place / "study"))


def _lines(table: Table, data: TableLike | Dataset) -> str:
    """One JSON object a row, with levels by their names: unlike CSV, it gives any name and any level back as it was.

    What the table left out of a frame (dates, identifiers) comes along, so that its reader says so.
    """
    import pandas as pd

    frame = data if isinstance(data, pd.DataFrame) else None
    columns = {
        name: [
            None if math.isnan(value) else value if levels is None else levels[int(value)] for value in column.tolist()
        ]
        for name, column, levels in zip(table.names, table.values.T, table.levels, strict=True)
    }
    for j, column in enumerate(table.judged):
        if frame is not None and column.kind == "left out" and column.name not in columns:
            columns[column.name] = [
                value if isinstance(value, int | float) else str(value) for value in frame.iloc[:, j].dropna().tolist()
            ]
    rows = itertools.zip_longest(*columns.values())
    return "".join(json.dumps(dict(zip(columns, row, strict=True))) + "\n" for row in rows)
