"""The matrix of a task: items x respondents, under facets (formulation, mode, damage), one number a measure.

    cells[k] = [item, respondent, facet values ..., planned, ok]      as places in the lists, -1: whatever the facet
    values[measure][k] = [mean, low, high, n] or null                 low and high are what `spread` says
    reasons[measure][k] = why a cell that was answered has no value   the word the page shows; "undefined" where none is

A reference that was not asked answers every variant alike; its facet is -1, and the page shows it under all of them.
"""

from __future__ import annotations

import math
from collections import Counter
from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass, field, replace
from typing import NamedTuple

from trueness.measure import Measure, measure_of
from trueness.outside import Json

ANY = -1
_LABELS = {"tv": "TV"}
_DIGITS = 5


class Facet(NamedTuple):
    """`labels` are what the page shows for `values`."""

    name: str
    label: str
    values: list[str]
    labels: list[str]


@dataclass(eq=False)
class Grid:
    """Filled cell by cell with `add`; `to_dict` is what the page gets."""

    task: str
    items: list[str]
    respondents: list[str]
    references: list[str]
    measures: list[Measure]
    facets: list[Facet] = field(default_factory=list)
    spread: str = "range"
    repeats: str = "repeats"
    note: str = ""
    cells: list[list[int]] = field(default_factory=list)
    statuses: list[dict[str, int]] = field(default_factory=list)
    values: dict[str, list[list[float | None] | None]] = field(default_factory=dict)
    reasons: dict[str, dict[int, str]] = field(default_factory=dict)

    def __post_init__(self) -> None:
        self._item = {name: k for k, name in enumerate(self.items)}
        self._respondent = {name: k for k, name in enumerate(self.respondents)}
        self._facet = [{value: k for k, value in enumerate(facet.values)} for facet in self.facets]
        self.values = {measure.name: [] for measure in self.measures}

    def add(
        self,
        item: str,
        respondent: str,
        facets: Sequence[str],
        planned: int,
        statuses: Mapping[str, int],
        values: Mapping[str, Sequence[float | None]],
        reasons: Mapping[str, str] | None = None,
    ) -> None:
        """`values`: measure -> (mean, low, high, n); `reasons`: measure -> why it has none."""
        for name, reason in (reasons or {}).items():
            self.reasons.setdefault(name, {})[len(self.cells)] = reason
        places = [known.get(value, ANY) for known, value in zip(self._facet, facets, strict=True)]
        self.cells.append([self._item[item], self._respondent[respondent], *places, planned, statuses.get("ok", 0)])
        self.statuses.append({status: n for status, n in statuses.items() if status != "ok"})
        for measure in self.measures:
            numbers = values.get(measure.name)
            self.values[measure.name].append(None if numbers is None or numbers[0] is None else [*map(_short, numbers)])

    def to_dict(self) -> dict[str, Json]:
        return {
            "task": self.task,
            "items": self.items,
            "respondents": [{"name": n, "reference": n in self.references} for n in self.respondents],
            "measures": [_info(measure) for measure in self.measures],
            "facets": [facet._asdict() | {"opens": self._most_asked(k)} for k, facet in enumerate(self.facets)],
            "spread": self.spread,
            "repeats": self.repeats,
            "note": self.note,
            "cells": self.cells,
            "statuses": self.statuses,
            "values": self.values,
            "reasons": self.reasons,
        }

    def _most_asked(self, facet: int) -> str | None:
        """The value under which most respondents stand, f1 and then the first of several: a page begins there."""
        values = self.facets[facet].values
        known = {self._respondent[name] for name in self.respondents if name not in self.references}
        places = {(cell[2 + facet], cell[1]) for cell in self.cells if cell[1] in known}
        standing = Counter(values[place] for place, _ in places if place != ANY)
        return max(values, key=lambda value: (standing[value], value == "f1"), default=None)


def unique(values: Iterable[str]) -> list[str]:
    return list(dict.fromkeys(values))


def shown_measure(name: str, headline: Sequence[str]) -> Measure:
    """A measure of the long table as the matrix names it."""
    measure = measure_of(name) or Measure(name, better="neither", maximum=None)
    return replace(measure, title=measure.title or _LABELS.get(name, ""), headline=name in headline)


def _info(one: Measure) -> dict[str, Json]:
    info = {"name": one.name, "label": one.label, "better": one.direction or "none"}
    return info | {"headline": one.headline, "about": one.description}


def _short(value: float | int | None) -> float | int | None:
    """Five significant digits: what a page shows has three, and the file is read over a wire."""
    if value is None or isinstance(value, int):
        return value
    return float(f"{value:.{_DIGITS}g}") if math.isfinite(value) else None
