"""The files of a study folder: all but study.db can be written again from it.

scores.csv                    the long table; the same bytes however the study was run
runtime.csv                   seconds of every fit (they differ from run to run, so not in scores.csv)
provenance.json, study.toml   versions, seed, the plan

and what a study's reading writes beside them (write_numbers).
"""

from __future__ import annotations

from collections.abc import Callable, Iterable, Iterator, Sequence
from contextlib import contextmanager
from pathlib import Path

from trueness.files import write_atomically, write_bytes_atomically, writing_atomically
from trueness.running.provenance import provenance
from trueness.running.results import Row
from trueness.running.store import to_json
from trueness.running.study_folder import StudyFolder
from trueness.texts import csv_line

_RUNTIME = ("task", "item", "variant", "respondent", "repeat", "status", "seconds", "message")


def write_outputs(study: StudyFolder, plan: str, plan_folder: Path) -> None:
    """Everything that needs no drawing."""
    write_bytes_atomically(study.path, "study.toml", plan.encode())  # as the user wrote it
    write_atomically(study.path, "provenance.json", to_json(provenance(study, plan, plan_folder)))
    _write_tables(study)
    for reading in study.readings.values():
        reading.write_numbers(study.path)


def _write_tables(study: StudyFolder) -> None:
    """scores.csv and runtime.csv, a cell at a time: each cell is read once, and no more is held."""
    with _csv(study.path, "scores.csv", Row._fields) as scores, _csv(study.path, "runtime.csv", _RUNTIME) as runtime:
        for reading in study.readings.values():
            results, anew = reading.results, reading.rows()
            scores(
                row if row.value is None or type(row.value) is float else row._replace(value=float(row.value))
                for row in anew or ()
            )
            for cell in results.cells:
                runs = results.of_cell(cell)
                if anew is None:
                    scores(results.rows_of(cell, runs))
                what = (results.task, cell.item, cell.variant, cell.respondent)
                runtime((*what, run.repeat, run.status, run.seconds, run.message) for run in runs)


@contextmanager
def _csv(folder: Path, name: str, columns: Sequence[str]) -> Iterator[Callable[[Iterable[Iterable[object]]], None]]:
    """What writes rows. Numbers as Python writes them (they read back exactly); a missing value is an empty cell beside
    its status; texts that nobody can be harmed by (texts.csv_cell)."""
    with writing_atomically(folder, name) as file:
        file.write(csv_line(columns))
        yield lambda rows: file.writelines(map(csv_line, rows))
