"""A study as the page sees it: path -> JSON. The same answers go into report.html and over the wire.

StudyPage is of a study.db, FilesPage of a folder of result files of others.

overview                         checks, completeness, findings, what cannot be told, progress
grid/TASK                        the matrix
cell/TASK/ITEM/VARIANT/RESPONDENT
graph/TASK/ITEM                  the true graph and how often each edge was found
analysis                         every test, table and sentence
figures                          charts that `trueness report` drew, with their data
progress                         what is done, failed, spent, and a version that changes with every commit
"""

from __future__ import annotations

from abc import ABC, abstractmethod
from collections import Counter
from collections.abc import Iterator, Mapping
from dataclasses import asdict
from datetime import UTC, datetime
from functools import cached_property
from pathlib import Path
from urllib.parse import quote, unquote

from trueness import __version__
from trueness.errors import TruenessError
from trueness.files import read_text
from trueness.outside import Json, json_of
from trueness.page import figures
from trueness.running.results import Results
from trueness.running.study_folder import StudyFolder
from trueness.showing.saving import safe_name
from trueness.studies.protocol import CellKey, FilesReading, PagePart
from trueness.studies.reading import Reading
from trueness.studies.reporting import readings_of

_KEPT = "!'()*~"  # what encodeURIComponent of the page leaves as it is


def path_of(*parts: str) -> str:
    """A path of names that users chose; the page makes the same one with encodeURIComponent."""
    return "/".join(quote(part, safe=_KEPT) for part in parts)


class Page(ABC):
    """One state of what is shown; make another when `progress` shows a new version."""

    folder: Path
    name: str
    seed: int | None = None
    chart_places: tuple[str, ...] = ()  # folders below it that hold charts
    chart_order: tuple[str, ...] = ()  # starts of names of the charts that are to be seen first

    @property
    @abstractmethod
    def parts(self) -> Mapping[str, PagePart]: ...

    @abstractmethod
    def progress(self) -> dict[str, Json]:
        """As it is now, whatever came since this state."""

    @abstractmethod
    def _task_heads(self) -> list[dict[str, Json]]:
        """What every page shows of each task."""

    @abstractmethod
    def _completeness(self) -> list[dict[str, Json]]:
        """Respondents by status, task by task: what was planned, what came, how the rest ended."""

    def get(self, path: str) -> Json | None:
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
        return part.graph(names[1]) if kind == "graph" and len(names) == 2 else None

    def _cell(self, part: PagePart, key: CellKey) -> dict[str, Json] | None:
        content = part.cell(key)
        return None if content is None else {"task": part.task, "key": list(key), **content}

    def head(self) -> dict[str, Json]:
        """What every page shows whatever is open."""
        return {
            "study": self.name,
            "folder": str(self.folder),
            "version": __version__,
            "made": datetime.now(UTC).isoformat(timespec="seconds"),
            "tasks": self._task_heads(),
        }

    def overview(self) -> dict[str, Json]:
        return {
            "seed": self.seed,
            "tasks": [{"task": name, **asdict(part.summary())} for name, part in self.parts.items()],
            "completeness": self._completeness(),
            "provenance": {} if self.seed is None else _provenance(self.folder),
        }

    def analysis(self) -> list[dict[str, Json]]:
        return [{"task": name, "parts": [asdict(one) for one in part.analyses()]} for name, part in self.parts.items()]

    def figures(self) -> list[dict[str, Json]]:
        return figures.chart_rows(self.folder, self.chart_places, self.chart_order)

    def cell_paths(self) -> Iterator[str]:
        """Every cell that can be opened, tasks in turn so that a sample holds some of each."""
        for name in self.parts:
            for key in self.parts[name].cell_keys():
                yield path_of("cell", name, *key)


class StudyPage(Page):
    """Of a study with its store."""

    def __init__(self, study: StudyFolder):
        self.study, self.folder = study, study.path
        self.name, self.seed = study.study, study.seed
        self._store = study.store
        self._readings = readings_of(study)
        self.chart_places = ("plots", *map(safe_name, self._readings))
        first = [reading.charts_first for reading in self._readings.values()]  # one of each study, then the others
        self.chart_order = (*(starts[0] for starts in first if starts), *(name for one in first for name in one[1:]))

    @cached_property
    def parts(self) -> dict[str, PagePart]:
        return {name: reading.page() for name, reading in self._readings.items()}

    def _task_heads(self) -> list[dict[str, Json]]:
        return [
            _head(name, reading) | {"graphs": reading.results.items if reading.has_graphs else []}
            for name, reading in self._readings.items()
        ]

    def _completeness(self) -> list[dict[str, Json]]:
        return [self._completeness_of(task) for task in self.study.tasks]

    def _completeness_of(self, task: Results) -> dict[str, Json]:
        counts: dict[str, dict[str, int]] = {name: {} for name in task.respondents}
        planned = dict.fromkeys(task.respondents, 0)
        for place, cell in enumerate(task.cells):
            planned[cell.respondent] += cell.repeats
            for status, n in task.statuses.get(place, {}).items():
                counts[cell.respondent][status] = counts[cell.respondent].get(status, 0) + n
        rows = [{"respondent": name, "planned": planned[name], "statuses": counts[name]} for name in task.respondents]
        return {"task": task.task, "rows": rows}

    def progress(self) -> dict[str, Json]:
        tasks = []
        for task in self.study.tasks:
            counts = self._store.counts(task.task, task.cells)
            tasks.append({"task": task.task, "planned": task.planned, "done": sum(counts.values()), "statuses": counts})
        return {
            "version": self._store.version(),
            "tasks": tasks,
            "cost": self._store.cost(),
            "latest": self._store.latest(),
        }


class FilesPage(Page):
    """Of result files of others, which are complete as they are."""

    def __init__(self, folder: Path, reading: FilesReading):
        self.folder, self.name, self._reading = folder, folder.resolve().name, reading

    @cached_property
    def parts(self) -> dict[str, PagePart]:
        part = self._reading.page()
        return {part.task: part}

    def _task_heads(self) -> list[dict[str, Json]]:
        return [_head(task, self._reading) | {"graphs": []} for task in self.parts]

    def _completeness(self) -> list[dict[str, Json]]:
        return [{"task": task, "rows": self._reading.completeness()} for task in self.parts]

    def progress(self) -> dict[str, Json]:
        counts: Counter[str] = Counter()
        for row in self._reading.completeness():
            counts.update(row["statuses"])
        done = {"planned": counts.total(), "done": counts.total(), "statuses": dict(counts)}
        return {"version": "", "tasks": [{"task": task} | done for task in self.parts], "cost": None, "latest": []}


def _head(task: str, reading: Reading | FilesReading) -> dict[str, Json]:
    title = reading.title or task.capitalize()
    return {"task": task, "title": title, "question": reading.question, "level": reading.level}


def _provenance(folder: Path) -> dict[str, Json]:
    try:
        record = json_of(read_text(folder, "provenance.json"), "provenance.json")
    except TruenessError:
        return {}
    kept = ("written", "python", "platform", "packages", "seed")
    return {name: record[name] for name in kept if name in record} if isinstance(record, dict) else {}
