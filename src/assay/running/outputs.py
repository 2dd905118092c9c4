"""The files of a study folder: all but study.db can be written again from it.

scores.csv                                  the long table; the same bytes however the study was run
variance/{dataset}_{algorithm}_variance.json    every measure of a cell over its runs
runtime.csv                                 seconds of every fit (they differ from run to run, so not in scores.csv)
provenance.json, study.toml                 versions, seed, the plan
"""

from __future__ import annotations

import csv
import json
from collections.abc import Collection, Iterable, Iterator, Mapping, Sequence
from contextlib import contextmanager
from hashlib import sha256
from math import isnan
from pathlib import Path
from typing import Any

import numpy as np
from numpy.typing import NDArray

from assay.files import write_atomically, write_bytes_atomically, writing_atomically
from assay.outside import file_name
from assay.running.cells import stream
from assay.running.provenance import provenance
from assay.running.results import CellSummary, Results, Row
from assay.running.store import Store, to_json
from assay.statistics.convergence import convergences
from assay.texts import csv_row, printable_json

_RUNTIME = ("task", "item", "variant", "respondent", "repeat", "status", "seconds", "message")


def write_outputs(
    results: Sequence[Results],
    store: Store,
    plan: str,
    plan_folder: Path,
    folder: Path,
    scored: Mapping[str, Any] | None = None,
) -> None:
    """Everything that needs no drawing. The first task's runs are what the others are measured against.

    scored: task -> its tables, where somebody has read and scored them already.
    """
    first = results[0]
    write_bytes_atomically(folder, "study.toml", plan.encode())  # as the user wrote it
    write_atomically(folder, "provenance.json", to_json(provenance(results, store, plan, plan_folder, folder)))
    _write_tables(results, store, folder, scored or {})
    written: set[str] = set()
    for summary in first.each_summary() if first.task == "discovery" else ():
        if len(summary.done):  # a cell that was not begun has nothing to tell
            name = variance_name(summary, written)
            written.add(name)
            write_atomically(folder, f"variance/{name}", _lines(variance(first, summary), 3) + "\n")


def _write_tables(results: Sequence[Results], store: Store, folder: Path, scored: Mapping[str, Any]) -> None:
    """scores.csv and runtime.csv, a cell at a time: each cell is read once, and no more is held."""
    with _csv(folder, "scores.csv", Row._fields) as scores, _csv(folder, "runtime.csv", _RUNTIME) as runtime:
        for found in results:
            anew = _scored_anew(results[0], found, store, scored.get(found.task))
            for row in anew or ():
                scores.writerow(row._replace(value=None if row.value is None else float(row.value)))
            for cell in found.cells:
                runs = found.of_cell(cell)
                if anew is None:
                    scores.writerows(found.rows_of(cell, runs))
                what = (found.task, cell.item, cell.variant, cell.respondent)
                runtime.writerows((*what, run.repeat, run.status, run.seconds, run.message) for run in runs)


class _Shown:
    """A CSV writer whose texts nobody can be harmed by (texts.csv_cell)."""

    def __init__(self, writer: Any):
        self._writer = writer

    def writerow(self, row: Iterable[Any]) -> None:
        self._writer.writerow(csv_row(row))

    def writerows(self, rows: Iterable[Iterable[Any]]) -> None:
        self._writer.writerows(map(csv_row, rows))


@contextmanager
def _csv(folder: Path, name: str, columns: Sequence[str]) -> Iterator[_Shown]:
    """Numbers as Python writes them (they read back exactly); a missing value is an empty cell beside its status."""
    with writing_atomically(folder, name) as file:
        writer = csv.writer(file, lineterminator="\n")
        writer.writerow(columns)
        yield _Shown(writer)


def _scored_anew(first: Results, found: Results, store: Store, tables: Any) -> Iterable[Row] | None:
    """The rows of a task that scores its replies or rankings whenever they are read; None where runs have scores."""
    if found.task == "forecast":
        from assay.studies.forecast.answers import forecasts_of  # pandas is not needed for the rest

        return _forecast_rows(found, (tables or forecasts_of(first, found, store)).scores)
    if found.task == "population":
        from assay.studies.population.answers import populations_of

        return (tables or populations_of(found, store)).rows()  # type: ignore[no-any-return]
    if found.task == "faithfulness":
        from assay.studies.faithfulness.answers import faithfulness_of

        return (tables or faithfulness_of(found, store)).rows()  # type: ignore[no-any-return]
    if found.task == "robustness":
        from assay.studies.robustness.answers import robustness_of

        return (tables or robustness_of(found)).rows()  # type: ignore[no-any-return]
    return None


def _forecast_rows(found: Results, scores: Any) -> Iterator[Row]:
    from assay.studies.forecast.scores import long

    table = long(scores)
    for *keys, value, status in zip(*(table[name].tolist() for name in Row._fields[2:]), strict=True):
        yield Row._make((found.study, found.task, *keys, None if isnan(value) else value, status))


def variance_name(summary: CellSummary, taken: Collection[str] = ()) -> str:
    """{dataset}_{algorithm}_variance.json; a slash in a name would be a folder. One that is taken gets a hash."""
    parts = f"{summary.item}_{summary.respondent}".replace("/", "-").replace(":", "-")
    name = f"{file_name(parts)}_variance.json"
    if name in taken:
        digest = sha256(json.dumps([summary.item, summary.respondent]).encode()).hexdigest()[:12]
        name = f"{file_name(parts)}-{digest}_variance.json"
    return name


def variance(results: Results, summary: CellSummary) -> dict[str, Any]:
    """What a cell's runs show. run_lower and run_upper are of single runs, ci_lower and ci_upper of their mean."""
    return {
        "study": results.study,
        "dataset": summary.item,
        "algorithm": summary.respondent,
        "n_runs": summary.repeats,
        "n_ok": summary.ok,
        "failures": summary.failures,
        "not_run": summary.statuses.get("not run", 0),
        **({} if len(summary.done) == summary.repeats else {"runs": summary.done.tolist()}),  # which ones `values` are
        **summary.about,
        "level": results.level,
        "measures": {
            name: found.to_row() | {"missing": dict(found.missing), "values": _or_none(summary.values[name])}
            for name, found in summary.measures.items()
        },
        "convergence": _convergences(results, summary),
    }


def _lines(value: Any, depth: int, indent: str = "") -> str:
    """JSON with a line an entry down to `depth`, and what is below it on one line: numbers of ten thousand runs."""
    if value is None or isinstance(value, int | float):
        return json.dumps(value, allow_nan=False)
    if depth == 0 or not isinstance(value, dict) or not value:
        return printable_json(value, allow_nan=False)
    inner = indent + "  "
    entries = [f"{inner}{json.dumps(key)}: {_lines(entry, depth - 1, inner)}" for key, entry in value.items()]
    return "{\n" + ",\n".join(entries) + f"\n{indent}}}"


def _or_none(values: NDArray[np.float64]) -> list[float | None]:
    return [None if isnan(value) else value for value in values.tolist()]


def _convergences(results: Results, summary: CellSummary) -> dict[str, list[dict[str, Any]]]:
    """How the mean, its interval and the range of runs settle as runs are added; as many values, one bootstrap."""
    present = {name: summary.values[name][~np.isnan(summary.values[name])] for name in results.headline}
    found: dict[str, list[dict[str, Any]]] = {name: [] for name in results.headline}
    for n in sorted({len(values) for values in present.values() if len(values) > 1}):
        names = [name for name, values in present.items() if len(values) == n]
        rng = stream(results.seed, f"convergence {summary.item} {summary.respondent}")
        table = np.column_stack([present[name] for name in names])
        settled = convergences(table, level=results.level, resamples=1000, rng=rng)
        found |= {name: told.to_rows() for name, told in zip(names, settled, strict=True)}
    return found
