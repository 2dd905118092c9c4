"""What a study planned, from its store alone: tasks, their cells and the keys of their units. No run is loaded."""

from __future__ import annotations

import json
from collections.abc import Iterable, Mapping
from dataclasses import dataclass, field
from functools import cached_property
from typing import Any
from urllib.parse import quote

from trueness.errors import StoreError
from trueness.measure import Measure, measure_of
from trueness.running.cells import Cell
from trueness.running.results import declared_measures
from trueness.running.store import Store

_KEPT = "!'()*~"  # what encodeURIComponent of the page leaves as it is


@dataclass(frozen=True, eq=False)
class TaskOutline:
    """One task of a plan."""

    task: str
    level: float
    measures: tuple[str, ...]
    headline: tuple[str, ...]
    about: dict[str, Any]
    cells: tuple[Cell, ...]
    abouts: tuple[dict[str, Any], ...]
    declared: Mapping[str, Measure] = field(default_factory=dict)

    def measure(self, name: str) -> Measure:
        """What a measure means; of one that nobody declared its name alone."""
        return (
            self.declared.get(name) or measure_of(name) or Measure(name, better="neither", minimum=None, maximum=None)
        )

    @cached_property
    def place_of(self) -> dict[tuple[str, str, str], int]:
        """Item, variant and respondent of a cell -> its place."""
        return {(cell.item, cell.variant, cell.respondent): place for place, cell in enumerate(self.cells)}

    @property
    def planned(self) -> int:
        return sum(cell.repeats for cell in self.cells)

    @property
    def items(self) -> list[str]:
        return list(dict.fromkeys(cell.item for cell in self.cells))

    @property
    def respondents(self) -> list[str]:
        return list(dict.fromkeys(cell.respondent for cell in self.cells))

    def of_item(self, item: str) -> list[int]:
        """The places of the cells of an item."""
        return [place for place, cell in enumerate(self.cells) if cell.item == item]


@dataclass(frozen=True, eq=False)
class Outline:
    study: str
    seed: int
    tasks: tuple[TaskOutline, ...]

    @classmethod
    def of(cls, store: Store) -> Outline:
        text = store.meta("study")
        if text is None:
            raise StoreError("the study was stopped before it began: there is a database and no plan in it.")
        found = json.loads(text)
        if "tasks" not in found:
            raise StoreError("the study was made by an earlier version. Go on with it: trueness run FOLDER")
        return cls(found["study"], found["seed"], tuple(_task(task) for task in found["tasks"]))

    def task(self, name: str) -> TaskOutline | None:
        return next((task for task in self.tasks if task.task == name), None)


def _task(found: dict[str, Any]) -> TaskOutline:
    cells = tuple(
        Cell(c["item"], c["variant"], c["respondent"], c["repeats"], {}, c["identity"]) for c in found["cells"]
    )
    return TaskOutline(
        found["task"], found["level"], tuple(found["measures"]), tuple(found["headline"]), found["about"], cells,
        tuple(c["about"] for c in found["cells"]), declared_measures(found),
    )  # fmt: skip


def path_of(*parts: str) -> str:
    """A path of names that users chose; the page makes the same one with encodeURIComponent."""
    return "/".join(quote(part, safe=_KEPT) for part in parts)


def unique(values: Iterable[str]) -> list[str]:
    return list(dict.fromkeys(values))
