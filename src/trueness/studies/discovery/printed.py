"""What the terminal shows of a discovery study: whether it is whole, a line a cell, what the numbers rest on."""

from __future__ import annotations

from collections.abc import Sequence
from itertools import groupby
from pathlib import Path

import numpy as np
from rich.table import Table

from trueness.running.results import CellSummary, Results
from trueness.showing.console import Console, plain
from trueness.showing.sheet import Sheet, changes, left_out, one_by_one
from trueness.statistics.runs import range_note
from trueness.studies.discovery.edges import OFTEN, found_edges
from trueness.studies.run_tables import cell_text, interval_text

MOST_CELLS, MOST_LEARNERS = 1_000, 40  # lines and columns of a table that anybody reads
MOST_EDGES = 30  # of a learner on a data set without a truth
_PERFECT = ("precision", "recall", "f1", "shd")


def _sheet(results: Results, measures: Sequence[str]) -> Sheet:
    cells = results.summaries[:MOST_CELLS]
    main = "f1" if "f1" in measures else measures[0]
    against_dag = [name for name in measures if name.removeprefix("dag_") in _PERFECT and name.startswith("dag_")]
    letters, starts = _broken_assumptions(results), changes([cell.item for cell in cells])
    titles = {name: f"{name} [CI]" for name in measures}
    columns = {
        "data set": [_item(cell) if not k or k in starts else "" for k, cell in enumerate(cells)],
        "learner": [cell.respondent for cell in cells],
        "class": [str(cell.about["returns"]) for cell in cells],
        "n": [str(cell.ok) for cell in cells],
        **{title: [cell_text(cell.measures[name]) for cell in cells] for name, title in titles.items()},
        # what a flawless answer of the learner's class gets against the DAG
        **{f"perfect {name}": [_perfect(cell, name) for cell in cells] for name in against_dag},
        f"{main} of runs": [interval_text(cell.measures[main].runs) for cell in cells],
        # the median: a first fit may pay for an import
        "s/fit": [f"{np.median(cell.seconds):.3f}" if len(cell.seconds) else "-" for cell in cells],
        "breaks": [_labels(cell, letters) for cell in cells],
    }
    both = [titles[name] for name in ("precision", "recall") if name in titles and name != main]
    others = [titles[name] for name in reversed(measures) if name != main and titles[name] not in both]
    drop = [both, *one_by_one(["s/fit", f"{main} of runs", "breaks", *others])]
    right = ("n", "s/fit", *(f"perfect {name}" for name in against_dag))
    return Sheet(columns, drop, right, starts, folds=["learner"])


def _labels(cell: CellSummary, letters: dict[str, str]) -> str:
    more = ["raw"] if "scale" in cell.about else []
    return " ".join([*(letters[name] for name in _broken(cell)), *more])


def _perfect(cell: CellSummary, name: str) -> str:
    value = cell.about["perfect_class_against_dag"].get("perfect_" + name.removeprefix("dag_"))
    return "-" if value is None else f"{value:.2f}"


def _item(cell: CellSummary) -> str:
    return cell.item + ("" if cell.about["truth"] == "known" else f" ({cell.about['truth']})")


def _broken(cell: CellSummary) -> list[str]:
    return [name for name, verdict in cell.about.get("assumptions", {}).items() if verdict == "broken"]


def _broken_assumptions(results: Results) -> dict[str, str]:
    """A letter for each assumption that some cell breaks, explained below the table."""
    names = dict.fromkeys(name for cell in results.summaries for name in _broken(cell))
    return {name: chr(ord("a") + k % 26) for k, name in enumerate(names)}


def _print_completeness(out: Console, results: Results) -> None:
    """Items by respondents: runs ok of those planned, and how the others ended; of a study that fits on a screen."""
    respondents = list(dict.fromkeys(cell.respondent for cell in results.summaries))
    if len(results.cells) > MOST_CELLS or len(respondents) > MOST_LEARNERS:
        whole = sum(cell.ok == cell.repeats for cell in results.summaries)
        out.print(f"completeness: in {whole:,} of {len(results.cells):,} cells all runs are ok")
        return
    table = Table(
        box=None, pad_edge=False, header_style="bold", title="completeness: runs ok / planned", title_justify="left"
    )
    table.add_column("data set", no_wrap=True)
    for name in respondents:
        table.add_column(plain(name))
    cells = {(cell.item, cell.respondent): cell for cell in results.summaries}
    for item in dict.fromkeys(cell.item for cell in results.summaries):
        table.add_row(plain(item), *(plain(_complete(cells[item, name])) for name in respondents))
    out.print(table)


def _complete(cell: CellSummary) -> str:
    rest = ", ".join(f"{status} {count}" for status, count in sorted(cell.statuses.items()) if status != "ok")
    return f"{cell.ok} / {cell.repeats}" + (f"  ({rest})" if rest else "")


def _print_messages(out: Console, results: Results) -> None:
    """Why runs failed: each message once, with how often."""
    counted: dict[tuple[str, str, str], int] = {}
    for run in results.failed_runs():
        key = (run.respondent, run.status, run.message)
        counted[key] = counted.get(key, 0) + 1
    for (respondent, status, message), count in sorted(counted.items(), key=lambda pair: -pair[1])[:8]:
        out.print(f"  {plain(respondent)}  {plain(status)} x {count}: {plain(message)}", style="yellow")


def _notes(results: Results) -> list[str]:
    level = 100 * results.level
    alone = sorted({cell.item for cell in results.summaries if cell.about["truth"] == "none"})
    notes = [
        f"mean [CI]: {level:g} % bootstrap interval of the mean.  of runs: {100 * (1 - results.level) / 2:g} to "
        f"{100 * (1 + results.level) / 2:g} % range of single runs.",
        "Each learner is scored against the truth of its own class (dag, cpdag, pag); dag_* against the DAG.",
    ]
    if few := range_note((cell.ok for cell in results.summaries), results.level):
        notes[0] += f"  {few}"
    letters = _broken_assumptions(results)
    if letters:
        notes.append(
            "breaks: the data set breaks what the learner assumes: " + ", ".join(f"{k} {n}" for n, k in letters.items())
        )
    if any("scale" in cell.about for cell in results.summaries):
        notes.append("raw: columns were not standardised (scale = 'raw'), and the learner follows their scale.")
    for item in dict.fromkeys(cell.item for cell in results.summaries if "experiments" in cell.about):
        notes.append(f"{item} has rows under interventions: {_rows_used(results, item)}.")
    assumed = sorted({cell.item for cell in results.summaries if cell.about["truth"] == "assumed"})
    if assumed:
        notes.append(f"Truth assumed, an expert's guess and not a measurement: {', '.join(assumed)}.")
    if alone:
        notes.append(
            f"No graph is known of {', '.join(alone)}: how often edges were found (statistics/edges.csv), no score."
        )
    notes += dict.fromkeys(
        f"{cell.item}: {note}." for cell in results.summaries for note in cell.about.get("notes", ())
    )
    for item, about in {cell.item: cell.about for cell in results.summaries if "row_dependence" in cell.about}.items():
        notes.append(f"{item}: {about['row_dependence']['sentence']}")
    if any(cell.about.get("level_codes") for cell in results.summaries):
        notes.append("Learners that need numbers were given level codes of categories (codes = true).")
    return notes


def _rows_used(results: Results, item: str) -> str:
    words = {
        "observational": "observational rows only",
        "pool": "all rows pooled",
        "targets": "all rows and their targets, scored against the interventional class",
    }
    used = {cell.respondent: cell.about["experiments"] for cell in results.summaries if cell.item == item}
    groups = {way: [name for name, chosen in used.items() if chosen == way] for way in words}
    return "; ".join(f"{words[way]}: {', '.join(names)}" for way, names in groups.items() if names)


def print_discovery(out: Console, results: Results, folder: Path, measures: Sequence[str] | None = None) -> None:
    total = sum(cell.repeats for cell in results.summaries)
    ok = sum(cell.ok for cell in results.summaries)
    out.print(f"[bold]{plain(results.study)}[/]   {plain(folder)}   {ok:,} of {total:,} runs ok")
    if ok < total:
        _print_completeness(out, results)
        _print_messages(out, results)
    sheet = _sheet(results, measures or results.headline)
    sheet.print(out)
    if len(results.cells) > MOST_CELLS:
        out.print(f"{len(results.cells) - MOST_CELLS:,} more cells: trueness show {plain(folder)} --csv")
    for (item, learner), edges in groupby(found_edges(results), key=lambda edge: (edge.dataset, edge.learner)):
        often = [str(edge) for edge in edges if edge.frequency >= OFTEN]
        out.print(f"{plain(item)}, {plain(learner)}: {len(often)} edges in at least half of the graphs")
        for line in often[:MOST_EDGES]:
            out.print(f"  {plain(line)}")
    for note in (*left_out(sheet.missing(out.width), "trueness show --csv"), *_notes(results)):
        out.print(f"  {plain(note)}", style="dim")
