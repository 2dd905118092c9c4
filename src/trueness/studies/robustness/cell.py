"""The robustness part: rankings of edges under corruption, and what a K makes of them.

A scorer's graph of an item is the mean of its scores over seeds; the page keeps the K edges with the highest score, of
each pair the stronger direction, and counts F1 and SHD against the true graph.
"""

from __future__ import annotations

from collections import Counter
from collections.abc import Callable, Iterator
from functools import cached_property

import numpy as np

from trueness.running.results import NOT_RUN, Results, Row
from trueness.showing import blocks
from trueness.showing.grid import Facet, Grid, shown_measure, unique
from trueness.statistics.reach import Reach
from trueness.status import Status
from trueness.studies.item_graphs import MOST_EDGES, layout, pairs_of
from trueness.studies.protocol import AnalysisPart, CellKey, Check, Section, Summary
from trueness.studies.robustness.answers import RobustnessStudy
from trueness.studies.robustness.plan import ENOUGH_SEEDS, few_seeds
from trueness.studies.robustness.scores import Array
from trueness.studies.robustness.summaries import differences, headline_of
from trueness.studies.robustness.tables import open_sentences
from trueness.texts import counted

_HEADLINE = ("auprc",)
_BY = "An edge's score is the mean of the scorer's scores over {n} seeds, the strongest 1; of a pair the stronger way."


class RobustnessPart:
    task = "robustness"

    def __init__(self, results: Results, read: Callable[[], RobustnessStudy]):
        self._task, self._store = results, results.store
        self._read = read

    @cached_property
    def tables(self) -> RobustnessStudy:
        return self._read()

    @cached_property
    def _rows(self) -> dict[CellKey, dict[str, list[Row]]]:
        by_cell: dict[CellKey, dict[str, list[Row]]] = {}
        for row in self.tables.rows():
            cell = by_cell.setdefault((row.item, row.variant, row.respondent), {})
            cell.setdefault(row.measure, []).append(row)
        return by_cell

    def cell_keys(self) -> Iterator[CellKey]:
        for cell in self._task.cells:
            yield cell.item, cell.variant, cell.respondent

    def grid(self) -> Grid:
        measures = unique(name for cell in self._rows.values() for name in cell)
        variants = unique(cell.variant for cell in self._task.cells)
        grid = Grid(
            "robustness", self._task.items, self._task.respondents, [],
            [shown_measure(name, _HEADLINE) for name in measures], [Facet("variant", "Corruption", variants, variants)],
            spread="least and most over seeds", repeats="seeds",
        )  # fmt: skip
        statuses = self._task.statuses
        for place, key in enumerate(self.cell_keys()):
            values = {name: _spread(rows) for name, rows in self._rows.get(key, {}).items()}
            grid.add(key[0], key[2], (key[1],), self._task.cells[place].repeats, statuses.get(place, {}), values)
        return grid

    def cell(self, key: CellKey) -> dict[str, object] | None:
        place = self._task.place_of.get(key)
        if place is None:
            return None
        cell, runs = self._task.cells[place], self._task.runs_at(place)
        by_measure = self._rows.get(key, {})
        strips = [
            {"name": name, "label": name.upper(), "values": [row.value for row in by_measure[name]], "top": 1}
            for name in ("auprc", "auroc")
            if name in by_measure
        ]
        measured = [
            {"measure": name, **dict(zip(("mean", "least", "most", "n"), _spread(rows), strict=True))}
            for name, rows in by_measure.items()
        ]
        failed = Counter((run.status, run.message) for run in runs if run.status != Status.OK)
        failures = [{"status": s, "fits": n, "message": message} for (s, message), n in failed.most_common(20)]
        missing = {NOT_RUN: cell.repeats - len(runs)} if len(runs) < cell.repeats else {}
        return {
            "statuses": dict(Counter(run.status for run in runs)) | missing,
            "siblings": list(self._siblings(key)),
            "graph": f"{key[2]} · {key[1]}",
            "blocks": [
                {"kind": "strips", "title": "Every seed", "rows": strips},
                blocks.table("Measures", measured, "oracle_k is chosen with the truth of the graph itself: an oracle."),
                *([blocks.table("Fits without a result", failures)] if failures else []),
            ],
        }

    def _siblings(self, key: CellKey) -> Iterator[dict[str, object]]:
        for other in self.cell_keys():
            if other[0] == key[0] and other != key:
                if other[2] == key[2]:
                    yield {"key": list(other), "label": other[1], "group": "Other corruptions"}
                elif other[1] == key[1]:
                    yield {"key": list(other), "label": other[2], "group": "Other scorers"}

    def graph(self, item: str) -> dict[str, object] | None:
        system = self.tables.evaluation.systems.get(item)
        if system is None:
            return None
        nodes = list(system.truth.nodes)
        truth = pairs_of(system.truth, nodes)
        scorers: dict[str, dict[str, object]] = {}
        for key in self.cell_keys():
            answers = [a for a in self.tables.evaluation.answers if (a.dataset, a.corruption, a.scorer) == key]
            matrices = [answer.matrix for answer in answers if answer.matrix is not None]
            if key[0] != item or not matrices:
                continue
            edges = _rank_edges(np.abs(np.mean(matrices, axis=0)))
            scorers[f"{key[2]} · {key[1]}"] = {
                "kind": "dag", "n": 1, "runs": len(matrices), "failed": len(answers) - len(matrices),
                "typical": min(len(truth), len(edges)), "truth": [list(pair) for pair in truth],
                "edges": edges[:MOST_EDGES], "left_out": max(0, len(edges) - MOST_EDGES),
                "scored_by": _BY.format(n=len(matrices)), "key": list(key),
            }  # fmt: skip
        problem = "" if scorers else "no fit of this item has given scores yet."
        return {"item": item, "problem": problem, **layout(nodes, truth), "learners": scorers}

    # ---- what it says

    def summary(self) -> Summary:
        study = self.tables
        failed = sum(
            n for counts in study.statuses.values() for s, n in counts.items() if s not in (Status.OK, NOT_RUN)
        )
        complete = f"{study.fits_done:,} of {study.planned:,} fits are done" + (
            f", {failed:,} of them without scores." if failed else "."
        )
        check = Check("complete", None if study.fits_done < study.planned else failed == 0, complete)
        if not study.fits_done:
            return Summary((check,))
        sections = tuple(Section(name, tuple(sentences)) for name, sentences in study.findings.items() if sentences)
        checks, headline = (check, *self._size_checks()), headline_of(study.evaluation)
        return Summary(checks, sections, tuple(open_sentences(study)), headline)

    def _size_checks(self) -> Iterator[Check]:
        """What `plan` says of the numbers of seeds and graphs, held against the study."""
        seeds = min(cell.repeats for cell in self._task.cells)
        yield Check("seeds", seeds >= ENOUGH_SEEDS, few_seeds(seeds))
        evaluation = self.tables.evaluation
        name = "graphs" if len(evaluation.groups) == 1 else "graphs of {}"
        for group, pairs in differences(evaluation).items():
            if pairs:
                reach = Reach(sum(system.group == group for system in evaluation.systems.values()), len(pairs))
                enough = f"{counted(reach.n_units, 'graph')} can show a difference"
                if not reach.possible:
                    enough = f"{counted(reach.n_units, 'graph')} where {reach.units_needed} are needed"
                yield Check(name.format(group), reach.possible, f"{enough}. {reach}")

    def analyses(self) -> list[AnalysisPart]:
        study = self.tables
        if not study.fits_done:
            return []
        from trueness.showing.saving import plain_rows
        from trueness.studies.robustness.tables import around_table, differences_frame, summary_rows

        differences = plain_rows(differences_frame(study.evaluation))
        parts = [AnalysisPart(name, tuple(sentences)) for name, sentences in study.findings.items() if sentences]
        ranking = AnalysisPart("AUPRC", tables=(blocks.table("Mean AUPRC", summary_rows(study)),))
        around = around_table(study)
        near = AnalysisPart("F1 at K +- 5", tables=(blocks.table("F1 around K", around.rows, around.caption),))
        pairs = (
            AnalysisPart("pairs", tables=(blocks.table("Paired differences", differences),)) if differences else None
        )
        why = study.failures()
        lost = AnalysisPart("without a result", tuple(why)) if why else None
        return [*parts, ranking, near, *(part for part in (pairs, lost) if part is not None)]


def _spread(rows: list[Row]) -> tuple[float | None, float | None, float | None, int]:
    there = [row.value for row in rows if row.value is not None]
    return (sum(there) / len(there), min(there), max(there), len(there)) if there else (None, None, None, 0)


def _rank_edges(scores: Array) -> list[tuple[int, int, str, float]]:
    """Edges by score, one a pair: [i, j, marks from i to j, score as a share of the strongest]."""
    strongest = float(scores.max(initial=0.0)) or 1.0
    edges: list[tuple[int, int, str, float]] = []
    for i in range(len(scores)):
        for j in range(i + 1, len(scores)):
            ahead, back = float(scores[i, j]), float(scores[j, i])
            if max(ahead, back) > 0:
                edges.append((i, j, "->" if ahead >= back else "<-", round(max(ahead, back) / strongest, 4)))
    return sorted(edges, key=lambda edge: (-edge[3], edge[0], edge[1]))
