"""A task whose units carry their scores in the store: discovery, and any task that the page has no words for yet.

The matrix is summed by SQL; a cell's runs are read, and its means bootstrapped, when it is opened. The resamples of a
column depend on the study's seed and the number of its runs alone, so the intervals are those of the tables.
"""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterator, Sequence
from functools import cached_property
from itertools import zip_longest
from typing import Any

import numpy as np

from assay.measures.graphs import MEASURES
from assay.results import NOT_RUN
from assay.statistics.runs import RunSummary, summarise_columns
from assay.status import Status
from assay.store import Run
from assay.tasks.cells import Cell, stream
from assay.viewer import blocks
from assay.viewer.database import Aggregate, PageStore
from assay.viewer.grid import Facet, Grid, MeasureInfo, measure_info
from assay.viewer.outline import Outline, TaskOutline, unique
from assay.viewer.parts import AnalysisPart, CellKey, Check, Section, Summary

_BEST = 12  # items that get a sentence of their own


class RunsPart:
    """Discovery, as far as its runs go."""

    def __init__(self, outline: Outline, task: TaskOutline, store: PageStore):
        self.task = task.task
        self._outline = outline
        self._task = task
        self._store = store

    @cached_property
    def _statuses(self) -> dict[int, dict[str, int]]:
        return self._store.statuses_of(self._task.cell_of)

    @cached_property
    def _aggregates(self) -> list[Aggregate]:
        return self._store.aggregates(self._task.cell_of)

    def _summarised(self, values: Sequence[Sequence[float | None]]) -> list[RunSummary]:
        """One summary a column of values (runs, columns), with the intervals of the tables."""
        if not values:
            return []
        table = np.array([[np.nan if v is None else v for v in row] for row in values], dtype=np.float64)
        rng = stream(self._outline.seed, "bootstrap of the means")
        return summarise_columns(table, None, self._task.level, rng=rng)

    def cell_keys(self) -> Iterator[CellKey]:
        for cell in self._task.cells:
            yield cell.item, cell.variant, cell.respondent

    def grid(self) -> Grid:
        task = self._task
        variants = unique(cell.variant for cell in task.cells)
        facets = [Facet("variant", "Variant", variants, variants)] if len(variants) > 1 else []
        grid = Grid(
            self.task,
            task.items,
            task.respondents,
            [],
            [_info(name, task.headline) for name in task.measures],
            facets,
            spread="least and most of the runs",
            repeats="runs",
        )
        values: dict[int, dict[str, Sequence[float | None]]] = {}
        for found in self._aggregates:
            values.setdefault(found.cell, {})[found.measure] = (found.mean, found.low, found.high, found.n)
        for place, cell in enumerate(task.cells):
            where = (cell.variant,) if facets else ()
            statuses = self._statuses.get(place, {})
            grid.add(cell.item, cell.respondent, where, cell.repeats, statuses, values.get(place, {}))
        return grid

    def cell(self, key: CellKey) -> dict[str, Any] | None:
        places = {key: place for place, key in enumerate(self.cell_keys())}
        place = places.get(key)
        if place is None:
            return None
        cell, about = self._task.cells[place], self._task.abouts[place]
        runs = self._store.runs_of(cell.keys)
        counts = dict(Counter(run.status for run in runs))
        if len(runs) < cell.repeats:
            counts[NOT_RUN] = cell.repeats - len(runs)
        others = [other for other in self.cell_keys() if other[0] == key[0] and other != key]
        return {
            "statuses": counts,
            "siblings": [
                _sibling(other, other[2] if other[1] == key[1] else f"{other[2]} · {other[1]}") for other in others
            ],
            "graph": self.task == "discovery",
            "blocks": [
                _strips(runs, self._task.headline),
                blocks.table("Measures", self._measured(runs), self._interval_note()),
                *_failures(runs),
                blocks.table("What this cell is", _facts(about, cell.identity)),
            ],
        }

    def _measured(self, runs: Sequence[Run]) -> list[dict[str, Any]]:
        names, nothing = self._task.measures, (None, NOT_RUN)
        if not runs:
            return []
        scores = [[run.scores.get(name, nothing) for name in names] for run in runs]
        found = self._summarised([[value for value, _ in row] for row in scores])
        why = [Counter(row[k][1] for row in scores if row[k][0] is None) for k in range(len(names))]
        return [_measure_row(name, *pair) for name, pair in zip(names, zip(found, why, strict=True), strict=True)]

    def _interval_note(self) -> str:
        level = 100 * self._task.level
        return f"CI: {level:g} % bootstrap interval of the mean. Runs: the {level:g} % range of single runs."

    # ---- what it says

    def summary(self) -> Summary:
        planned = self._task.planned
        counts: Counter[str] = Counter()
        for statuses in self._statuses.values():
            counts.update(statuses)
        done, ok = sum(counts.values()), counts[Status.OK]
        others = ", ".join(f"{status} {n:,}" for status, n in sorted(counts.items()) if status != Status.OK)
        complete = f"{ok:,} of {planned:,} runs gave a result" + (f" ({others})" if others else "")
        complete += "." if done == planned else f"; {planned - done:,} are still to be done."
        fewest = min((cell.repeats for cell in self._task.cells), default=0)
        passed = None if done < planned and not others else ok == planned
        checks = [
            Check("complete", passed, complete),
            Check("runs", fewest >= 100, f"Each cell has {fewest} runs; 100 and more bound a range of runs well."),
        ]
        return Summary(tuple(checks), tuple(self._sections()), tuple(self._untold()))

    def _sections(self) -> Iterator[Section]:
        measure = next((name for name in ("f1", *self._task.headline) if name in self._task.measures), None)
        best = [] if measure is None else list(self._best_of_items(measure))
        if len(best) > _BEST:
            best = [*best[:_BEST], f"{len(best) - _BEST} more items are in the matrix."]
        if best:
            yield Section(f"Which {'learner' if self.task == 'discovery' else 'respondent'} does best", tuple(best))

    def _best_of_items(self, measure: str) -> Iterator[str]:
        """A sentence an item: the best, the second, the last."""
        lower = measure in MEASURES and MEASURES[measure].better == "lower"
        values = self._store.values_of(self._task.cell_of, measure)
        shown = [
            place for item in self._task.items[: _BEST + 1] for place in self._task.of_item(item) if place in values
        ]
        found = dict(zip(shown, self._summarised(list(zip_longest(*(values[p] for p in shown)))), strict=True))
        for item in self._task.items[: _BEST + 1]:
            places = [place for place in self._task.of_item(item) if place in found and found[place].n]
            if len(places) < 2:
                continue
            ranked = sorted(places, key=lambda place: found[place].mean or 0.0, reverse=not lower)
            names = [_name(self._task.cells[place]) for place in ranked]
            first, second, last = (found[place] for place in (*ranked[:2], ranked[-1]))
            yield (
                f"{item}: {names[0]} has the best {_label(measure)}, {_said(first)}, before {names[1]} with "
                f"{_said(second)}; the last of {len(ranked)} has {last.mean:.2f}. "
                f"({100 * self._task.level:g} % CI of the mean; {first.n} runs; no test.)"
            )

    def _untold(self) -> Iterator[str]:
        items = unique(
            c.item for c, a in zip(self._task.cells, self._task.abouts, strict=True) if a.get("truth") == "assumed"
        )
        if items:
            yield f"The truth of {', '.join(items)} is assumed: scores there are agreement with an expert's guess."
        if len(self._task.items) < 6:
            yield (
                f"With {len(self._task.items)} data sets no test over data sets can reach p < .05 by sign flips: "
                "differences between learners hold for these data sets only."
            )
        yield "Each learner is scored against the truth of its own class (dag, cpdag, pag); dag_* is against the DAG."

    def analyses(self) -> list[AnalysisPart]:
        from assay.viewer.learners import compared

        return compared(self._task, self._aggregates, self._statuses)


def _name(cell: Cell) -> str:
    return cell.respondent if cell.variant == "clean" else f"{cell.respondent} ({cell.variant})"


def _said(found: RunSummary) -> str:
    return f"{found.mean:.2f}" if found.ci is None else f"{found.mean:.2f} [{found.ci.low:.2f}, {found.ci.high:.2f}]"


def _label(name: str) -> str:
    return MEASURES[name].title if name in MEASURES else name.replace("_", " ")


def _info(name: str, headline: Sequence[str]) -> MeasureInfo:
    if name not in MEASURES:
        return measure_info(name, headline)
    found = MEASURES[name]
    return MeasureInfo(name, found.title, found.better, name in headline, found.description)


def _sibling(key: CellKey, label: str) -> dict[str, Any]:
    return {"key": list(key), "label": label}


def _strips(runs: Sequence[Run], measures: Sequence[str]) -> blocks.Block:
    rows = []
    for name in measures:
        values = [run.scores[name][0] if name in run.scores else None for run in runs]
        rows.append({"name": name, "label": _label(name), "values": values, "top": 1 if _is_share(name) else None})
    return {"kind": "strips", "title": "Every run", "rows": rows}


def _is_share(name: str) -> bool:
    return name in MEASURES and MEASURES[name].maximum == 1.0


def _measure_row(name: str, found: RunSummary, why: Counter[str]) -> dict[str, Any]:
    return {
        "measure": _label(name),
        "n": found.n,
        "mean": found.mean,
        "CI": None if found.ci is None else [found.ci.low, found.ci.high],
        "runs": None if found.runs is None else [found.runs.low, found.runs.high],
        "least": found.min,
        "most": found.max,
        "missing": ", ".join(f"{status} {n}" for status, n in why.items()),
    }


def _failures(runs: Sequence[Run]) -> list[blocks.Block]:
    counted = Counter((run.status, run.message) for run in runs if run.status != Status.OK)
    rows = [{"status": s, "runs": n, "message": message} for (s, message), n in counted.most_common(20)]
    return [blocks.table("Runs without a result", rows)] if rows else []


def _facts(about: dict[str, Any], identity: dict[str, Any]) -> list[dict[str, Any]]:
    shown = {
        "returns": about.get("returns"),
        "what varies between runs": about.get("vary"),
        "rows a fit sees": about.get("rows"),
        "truth": about.get("truth"),
    }
    rows = [{"": name, "value": str(value)} for name, value in shown.items() if value is not None]
    for name, verdict in about.get("assumptions", {}).items():
        rows.append({"": f"assumes {name}", "value": verdict})
    for name, value in identity.get("settings", {}).items():
        if value not in (None, [], ""):
            rows.append({"": f"setting {name}", "value": str(value)})
    return rows
