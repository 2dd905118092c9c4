"""A study as the page sees it: path -> JSON. The same answers go into report.html and over the wire.

overview                         checks, completeness, findings, what cannot be told, progress
grid/TASK                        the matrix
cell/TASK/ITEM/VARIANT/RESPONDENT
graph/TASK/ITEM                  the true graph and how often each edge was found
analysis                         every test, table and sentence
figures                          charts that `assay report` drew, with their data
progress                         what is done, failed, spent, and a version that changes with every commit
"""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import asdict
from datetime import UTC, datetime
from functools import cached_property
from pathlib import Path
from typing import Any
from urllib.parse import unquote

from assay import __version__
from assay.errors import AssayError
from assay.files import read_text
from assay.outside import json_of
from assay.page import figures
from assay.running.outline import Outline, TaskOutline, path_of
from assay.running.page_store import PageStore
from assay.studies import networks
from assay.studies.protocol import NOTHING, CellKey, Known, Part
from assay.studies.run_page import RunsPart

HEADINGS = {
    "discovery": ("Discovery", "What graph does a learner find in data whose graph we know?"),
    "forecast": ("Forecast", "Does a model know what a learner will do on a data set?"),
    "population": ("Population", "Does a model know real distributions?"),
    "faithfulness": ("Faithfulness", "Does reasoning depend on what it says it depends on?"),
    "robustness": ("Robustness", "What do corrupted data do to a learner?"),
}
WITH_GRAPHS = ("discovery", "robustness")


class StudyPage:
    """One state of one study; make another when `progress` shows a new version."""

    def __init__(self, folder: Path, store: PageStore, known: Known = NOTHING):
        self.folder = folder
        self._store = store
        self._known = known
        self.outline = Outline.of(store)

    @cached_property
    def parts(self) -> dict[str, Part]:
        return {task.task: _part(self.outline, task, self._store, self._known) for task in self.outline.tasks}

    def get(self, path: str) -> Any | None:
        """What a path names; None where the study has no such thing."""
        kind, *names = (unquote(part) for part in path.split("/"))
        if kind in ("overview", "analysis", "figures", "progress") and not names:
            return getattr(self, kind)()
        part = self.parts.get(names[0]) if names else None
        if part is None:
            return None
        if kind == "grid" and len(names) == 1:
            return part.grid().to_dict()
        if kind == "cell" and len(names) == 4:
            return self._cell(part, (names[1], names[2], names[3]))
        task = self.outline.task(names[0])
        if kind == "graph" and len(names) == 2 and task is not None and task.task in WITH_GRAPHS:
            return self._graph(part, task, names[1])
        return None

    def _graph(self, part: Part, task: TaskOutline, item: str) -> dict[str, Any] | None:
        """Scores of edges are a robustness study's own; a learner's edges are counted over its runs."""
        if hasattr(part, "graph"):
            found: dict[str, Any] | None = part.graph(item)
            return found
        return networks.graph_of(self.folder, self._store, task, item)

    def _cell(self, part: Part, key: CellKey) -> dict[str, Any] | None:
        found = part.cell(key)
        return None if found is None else {"task": part.task, "key": list(key), **found}

    def head(self) -> dict[str, Any]:
        """What every page shows whatever is open."""
        return {
            "study": self.outline.study,
            "folder": str(self.folder),
            "version": __version__,
            "made": datetime.now(UTC).isoformat(timespec="seconds"),
            "tasks": [self._task_head(task) for task in self.outline.tasks],
        }

    def _task_head(self, task: TaskOutline) -> dict[str, Any]:
        title, question = HEADINGS.get(task.task, (task.task.capitalize(), ""))
        graphs = task.items if task.task in WITH_GRAPHS else []
        return {"task": task.task, "title": title, "question": question, "graphs": graphs, "level": task.level}

    def overview(self) -> dict[str, Any]:
        return {
            "seed": self.outline.seed,
            "tasks": [{"task": name, **_plain(part.summary())} for name, part in self.parts.items()],
            "completeness": [self._completeness(task) for task in self.outline.tasks],
            "provenance": _provenance(self.folder),
        }

    def _completeness(self, task: TaskOutline) -> dict[str, Any]:
        """Respondents by status: what was planned, what came, how the rest ended."""
        counts: dict[str, dict[str, int]] = {name: {} for name in task.respondents}
        planned = dict.fromkeys(task.respondents, 0)
        statuses = self._store.statuses_of(task)
        for place, cell in enumerate(task.cells):
            planned[cell.respondent] += cell.repeats
            for status, n in statuses.get(place, {}).items():
                own = counts[cell.respondent]
                own[status] = own.get(status, 0) + n
        rows = [{"respondent": name, "planned": planned[name], "statuses": counts[name]} for name in task.respondents]
        return {"task": task.task, "rows": rows}

    def analysis(self) -> list[dict[str, Any]]:
        return [
            {"task": name, "parts": [_plain(found) for found in part.analyses()]} for name, part in self.parts.items()
        ]

    def figures(self) -> list[dict[str, Any]]:
        return figures.described(self.folder)

    def progress(self) -> dict[str, Any]:
        tasks = []
        for task in self.outline.tasks:
            counts: dict[str, int] = {}
            for statuses in self._store.statuses_of(task).values():
                for status, n in statuses.items():
                    counts[status] = counts.get(status, 0) + n
            tasks.append({"task": task.task, "planned": task.planned, "done": sum(counts.values()), "statuses": counts})
        return {
            "version": self._store.version(),
            "tasks": tasks,
            "cost": self._store.cost(),
            "latest": self._store.latest(),
        }

    def cell_paths(self) -> Iterator[str]:
        """Every cell that can be opened, tasks in turn so that a sample holds some of each."""
        for name in self.parts:
            for key in self.parts[name].cell_keys():
                yield path_of("cell", name, *key)


def _part(outline: Outline, task: TaskOutline, store: PageStore, known: Known) -> Part:
    """Tasks whose scores are not in the store are read anew from their replies; all others are runs with scores."""
    if task.task == "forecast":
        from assay.studies.forecast.cell import ForecastPart

        return ForecastPart(task, store, known)
    if task.task == "population":
        from assay.studies.population.cell import PopulationPart

        return PopulationPart(task, store, known)
    if task.task == "faithfulness":
        from assay.studies.faithfulness.cell import FaithfulnessPart

        return FaithfulnessPart(task, store, known)
    if task.task == "robustness":
        from assay.studies.robustness.cell import RobustnessPart

        return RobustnessPart(task, store, known)
    return RunsPart(outline, task, store, known)


def _plain(found: Any) -> dict[str, Any]:
    return asdict(found)


def _provenance(folder: Path) -> dict[str, Any]:
    try:
        found = json_of(read_text(folder, "provenance.json"), "provenance.json")
    except AssayError:
        return {}
    kept = ("written", "python", "platform", "packages", "seed")
    return {name: found[name] for name in kept if name in found} if isinstance(found, dict) else {}
