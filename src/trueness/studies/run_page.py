"""A study whose units carry their scores in the store: what the page shows of it without a word of the study's own.

The matrix is summed by SQL; a cell's runs are read, and its means bootstrapped, when it is opened. The resamples of a
column depend on the study's seed and the number of its runs alone, so the intervals are those of the tables.
"""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import replace
from functools import cached_property

import numpy as np
from numpy.typing import NDArray

from trueness.outside import Json
from trueness.running.cells import stream
from trueness.running.results import NOT_RUN
from trueness.running.run_columns import RunColumns
from trueness.running.store import Aggregate
from trueness.showing import blocks
from trueness.showing.grid import Facet, Grid, unique
from trueness.statistics.runs import ENOUGH, RunSummary, range_note, summarise_columns
from trueness.status import Status
from trueness.studies.protocol import AnalysisPart, CellKey, Check, PagePlace, Section, Summary
from trueness.studies.run_findings import ANYBODY, ITEMS_TOLD, CellRuns, RunFindings, findings, findings_of

Array = NDArray[np.float64]


class RunsPart:
    words = ANYBODY

    def __init__(self, place: PagePlace):
        self.task = place.task.task
        self._task = place.task
        self._is_read = place.is_read

    @cached_property
    def _aggregates(self) -> list[Aggregate]:
        return self._task.aggregates()

    @property
    def _level(self) -> float:
        return self._task.level

    def _summarise(self, columns: Sequence[Array] | Array) -> list[RunSummary]:
        """One summary a column of runs, with the intervals of the tables."""
        if not len(columns):
            return []
        table = np.full((max(map(len, columns)), len(columns)), np.nan)
        for k, column in enumerate(columns):
            table[: len(column), k] = column
        rng = stream(self._task.seed, "bootstrap of the means")
        return summarise_columns(table, None, self._level, rng=rng)

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
            [replace(task.measure(name), headline=name in task.headline) for name in task.measures],
            facets,
            spread="least and most of the runs",
            repeats="runs",
        )
        values: dict[int, dict[str, Sequence[float | None]]] = {}
        for one in self._aggregates:
            values.setdefault(one.cell, {})[one.measure] = (one.mean, one.low, one.high, one.n)
        for place, cell in enumerate(task.cells):
            where = (cell.variant,) if facets else ()
            statuses = self._task.statuses.get(place, {})
            grid.add(cell.item, cell.respondent, where, cell.repeats, statuses, values.get(place, {}))
        return grid

    def cell(self, key: CellKey) -> dict[str, object] | None:
        place = self._task.place_of.get(key)
        if place is None:
            return None
        cell, about = self._task.cells[place], self._task.abouts[place]
        runs = self._task.columns_at(place)
        counts = dict(Counter(runs.statuses))
        if len(runs) < cell.repeats:
            counts[NOT_RUN] = cell.repeats - len(runs)
        others = [other for other in self.cell_keys() if other[0] == key[0] and other != key]
        note = self._interval_note(counts.get(Status.OK, 0))
        return {
            "statuses": counts,
            "siblings": [
                _sibling(other, other[2] if other[1] == key[1] else f"{other[2]} · {other[1]}") for other in others
            ],
            "graph": self._graph_name(key),
            "blocks": [
                self._strips(runs),
                blocks.table("Measures", self._measure_rows(place, runs), note),
                *_failures(runs),
                blocks.table("What this cell is", _facts(about, cell.identity)),
            ],
        }

    def _graph_name(self, key: CellKey) -> str:
        """Under which name the graphs of its item show this cell; nothing where there are none."""
        return ""

    def graph(self, item: str) -> dict[str, object] | None:
        return None

    def _strips(self, runs: RunColumns) -> blocks.Block:
        rows = []
        for one in map(self._task.measure, self._task.headline):
            values, top = runs.numbers(self._task.measures.index(one.name)), 1 if one.maximum == 1.0 else None
            rows.append({"name": one.name, "label": one.label, "values": values, "top": top})
        return {"kind": "strips", "title": "Every run", "rows": rows}

    def _measure_rows(self, place: int, runs: RunColumns) -> list[dict[str, object]]:
        if not len(runs):
            return []
        names = self._task.measures
        if self._is_read:
            known = self._task.summaries[place].measures
            return [_measure_row(self._task.measure(name).label, known[name], known[name].missing) for name in names]
        left = self._task.cells[place].repeats - len(runs)
        rows = []
        for k, (name, summary) in enumerate(zip(names, self._summarise(runs.values), strict=True)):
            why = Counter(reason for reason in runs.reasons_of(k) if reason != Status.OK)
            if left:
                why[NOT_RUN] += left
            rows.append(_measure_row(self._task.measure(name).label, summary, why))
        return rows

    def _interval_note(self, n: int) -> str:
        level = 100 * self._level
        note = f"CI: {level:g} % bootstrap interval of the mean. Runs: the {level:g} % range of single runs."
        return f"{note} {range_note([n], self._level)}".rstrip()

    # ---- what it says

    def summary(self) -> Summary:
        planned = self._task.planned
        counts: Counter[str] = Counter()
        for statuses in self._task.statuses.values():
            counts.update(statuses)
        done, ok = sum(counts.values()), counts[Status.OK]
        others = ", ".join(f"{status} {n:,}" for status, n in sorted(counts.items()) if status != Status.OK)
        complete = f"{ok:,} of {planned:,} runs gave a result" + (f" ({others})" if others else "")
        complete += "." if done == planned else f"; {planned - done:,} are still to be done."
        fewest = min((cell.repeats for cell in self._task.cells), default=0)
        passed = None if done < planned and not others else ok == planned
        runs = f"Each cell has {fewest} runs; {ENOUGH} and more bound a range of runs well."
        checks = [
            Check("complete", passed, complete),
            Check("runs", fewest >= ENOUGH, f"{runs} {range_note([fewest], self._level)}".rstrip()),
        ]
        checks += row_checks({c.item: about for c, about in zip(self._task.cells, self._task.abouts, strict=True)})
        sections = tuple(Section(title, sentences) for title, sentences in self._findings.sections)
        return Summary(tuple(checks), sections, self._findings.untold, self._findings.headline)

    @cached_property
    def _findings(self) -> RunFindings:
        if self._is_read:
            return findings_of(self._task, self.words)
        measure = next((name for name in ("f1", *self._task.headline) if name in self._task.measures), None)
        if measure is None:
            return RunFindings((), (), ())
        return findings(self._cells(measure), self._task.measure(measure), self._level, self.words)

    def _cells(self, measure: str) -> list[CellRuns]:
        """Every cell with its runs; a CI for those of the data sets that get a sentence, which are few."""
        stored = self._task.values_of(measure)
        by_repeat = [dict(sorted(stored.get(place, {}).items())) for place in range(len(self._task.cells))]
        done = [np.array(list(runs), dtype=np.int64) for runs in by_repeat]
        values = [np.array(list(runs.values()), np.float64) for runs in by_repeat]
        items = set(self._task.items[:ITEMS_TOLD])
        shown = [k for k, cell in enumerate(self._task.cells) if cell.item in items]
        summaries = dict(zip(shown, self._summarise([values[k] for k in shown]), strict=True))
        return [
            CellRuns(
                cell.item, self._task.names[k], values[k], summaries[k].ci if k in summaries else None,
                self._task.statuses.get(k, {}), done=done[k],
            ).with_about(about, measure)
            for k, (cell, about) in enumerate(zip(self._task.cells, self._task.abouts, strict=True))
        ]  # fmt: skip

    def analyses(self) -> list[AnalysisPart]:
        from trueness.studies.run_comparisons import comparison_parts

        return comparison_parts(self._task, self._aggregates, self.words)


def row_checks(abouts: Mapping[str, Mapping[str, Json]]) -> list[Check]:
    """A failed check for each data set whose rows depend on each other."""
    orders = {item: about["row_dependence"] for item, about in abouts.items() if about.get("row_dependence")}
    name = "rows" if len(abouts) == 1 else "rows of {}"
    return [Check(name.format(item), False, one["sentence"]) for item, one in orders.items() if not one["passed"]]


def _sibling(key: CellKey, label: str) -> dict[str, object]:
    return {"key": list(key), "label": label}


def _measure_row(label: str, summary: RunSummary, why: Mapping[str, int]) -> dict[str, object]:
    return {
        "measure": label,
        "n": summary.n,
        "mean": summary.mean,
        "CI": None if summary.ci is None else [summary.ci.low, summary.ci.high],
        "runs": None if summary.runs is None else [summary.runs.low, summary.runs.high],
        "least": summary.min,
        "most": summary.max,
        "missing": ", ".join(f"{status} {n}" for status, n in why.items()),
    }


def _failures(runs: RunColumns) -> list[blocks.Block]:
    counted = Counter(one for one in zip(runs.statuses, runs.messages, strict=True) if one[0] != Status.OK)
    rows = [{"status": s, "runs": n, "message": message} for (s, message), n in counted.most_common(20)]
    return [blocks.table("Runs without a result", rows)] if rows else []


def _facts(about: Mapping[str, Json], identity: Mapping[str, Json]) -> list[dict[str, object]]:
    shown = {
        "returns": about.get("returns"),
        "what varies between runs": about.get("vary"),
        "rows a fit sees": about.get("rows"),
        "truth": about.get("truth"),
    }
    rows: list[dict[str, object]] = [
        {"": name, "value": str(value)} for name, value in shown.items() if value is not None
    ]
    for name, verdict in about.get("assumptions", {}).items():
        rows.append({"": f"assumes {name}", "value": verdict})
    for name, value in identity.get("settings", {}).items():
        if value not in (None, [], ""):
            rows.append({"": f"setting {name}", "value": str(value)})
    return rows
