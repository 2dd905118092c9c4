"""The files of a study folder: all but study.db can be written again from it.

scores.csv                    the long table; the same bytes however the study was run
runtime.csv                   seconds of every fit (they differ from run to run, so not in scores.csv)
provenance.json, study.toml   versions, seed, the plan
OUTDATED.txt                  only while those of before are there and work goes on, or was stopped before its end

and what a study's reading writes beside them (write_numbers).
"""

from __future__ import annotations

from collections.abc import Callable, Iterable, Iterator, Sequence
from contextlib import contextmanager
from os.path import lexists
from pathlib import Path

from trueness.files import remove, write_atomically, write_bytes_atomically, writing_atomically
from trueness.running.cells import Cell
from trueness.running.provenance import provenance
from trueness.running.results import Results, Row
from trueness.running.store import to_json
from trueness.running.stored_units import RunColumns, number_texts, or_none
from trueness.running.study_folder import StudyFolder
from trueness.texts import csv_line

OUTDATED, PAGE = "OUTDATED.txt", "report.html"
_RUNTIME = ("task", "item", "variant", "respondent", "repeat", "status", "seconds", "message")


def write_outputs(study: StudyFolder, plan: str, plan_folder: Path) -> None:
    """Everything that needs no drawing."""
    write_bytes_atomically(study.path, "study.toml", plan.encode())  # as the user wrote it
    write_atomically(study.path, "provenance.json", to_json(provenance(study, plan, plan_folder)))
    _write_tables(study)
    for reading in study.readings.values():
        reading.write_numbers(study.path)
    if not lexists(study.path / PAGE):  # where there is a report, it is the last to be written
        remove(study.path, OUTDATED)


def mark_outdated(folder: Path) -> None:
    """Before work goes on: what was written of an earlier state is told from what is current, also after a kill."""
    if lexists(folder / "scores.csv") or lexists(folder / PAGE):  # a link there is nothing to be opened
        write_atomically(
            folder,
            OUTDATED,
            "Work on this study went on after its tables, charts and report were written, and has not ended since: "
            "they are of an earlier state. Write them anew: trueness report, with the name of this folder.\n",
        )


def outdated(folder: Path) -> str:
    """A line where files are of an earlier state than study.db; nothing where all are current."""
    if not lexists(folder / OUTDATED):
        return ""
    return f"tables, charts and report in {folder} are of an earlier state. Write them anew: trueness report {folder}"


def _write_tables(study: StudyFolder) -> None:
    """scores.csv and runtime.csv, a cell at a time: each cell is read once, and no more is held."""
    with _csv(study.path, "scores.csv", Row._fields) as scores, _csv(study.path, "runtime.csv", _RUNTIME) as runtime:
        for reading in study.readings.values():
            results, anew = reading.results, reading.rows()
            scores(
                csv_line(row if row.value is None or type(row.value) is float else row._replace(value=float(row.value)))
                for row in anew or ()
            )
            for place, cell in enumerate(results.cells):
                runs = results.columns_at(place)
                if anew is None:
                    scores(_score_lines(results, cell, runs))
                what = (results.task, cell.item, cell.variant, cell.respondent)
                rows = zip(runs.repeats.tolist(), runs.statuses, or_none(runs.seconds), runs.messages, strict=True)
                runtime(csv_line((*what, *row)) for row in rows)


def _score_lines(results: Results, cell: Cell, runs: RunColumns) -> Iterator[str]:
    """The lines of each run, a measure after the other. Line by line it would take three times as long."""
    start = csv_line((results.study, results.task, cell.item, cell.variant, cell.respondent))[:-1]
    ends = []
    for row, measure in enumerate(results.measures):
        name, reasons = csv_line((measure,))[:-1], runs.reasons_of(row)
        written = {status: csv_line((status,)) for status in set(reasons)}
        values = zip(number_texts(runs.values[row], ""), reasons, strict=True)
        ends.append([f",{name},{value},{written[status]}" for value, status in values])
    for repeat, *of_run in zip(runs.repeats.tolist(), *ends, strict=True):
        begun = f"{start},{repeat}"
        yield begun + begun.join(of_run)


@contextmanager
def _csv(folder: Path, name: str, columns: Sequence[str]) -> Iterator[Callable[[Iterable[str]], None]]:
    """What writes lines (texts.csv_line). Numbers as Python writes them (they read back exactly); a missing value is an
    empty cell beside its status; texts that nobody can be harmed by (texts.csv_cell)."""
    with writing_atomically(folder, name) as file:
        file.write(csv_line(columns))
        yield file.writelines
