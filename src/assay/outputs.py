"""The files of a study folder: all but study.db can be written again from it.

scores.csv                                  the long table; the same bytes however the study was run
variance/{dataset}_{algorithm}_variance.json    every measure of a cell over its runs
runtime.csv                                 seconds of every fit (they differ from run to run, so not in scores.csv)
provenance.json, study.toml                 versions, seed, the plan
"""

from __future__ import annotations

import csv
import io
import platform
import sys
from collections.abc import Iterable, Iterator, Sequence
from datetime import UTC, datetime
from importlib import metadata
from math import isnan
from pathlib import Path
from typing import Any

from assay.results import CellSummary, Results, Row
from assay.statistics.convergence import convergence
from assay.store import Store, to_json, write_atomically
from assay.tasks.cells import stream

_PACKAGES = ("causal-assay", "numpy", "scipy", "pandas", "numba", "networkx", "gadjid", "causal-learn", "lingam")


def write_outputs(results: Sequence[Results], store: Store, plan: str, plan_folder: Path, folder: Path) -> None:
    """Everything that needs no drawing. The first task's runs are what the others are measured against."""
    first = results[0]
    write_atomically(folder / "study.toml", plan)
    write_atomically(folder / "provenance.json", to_json(provenance(results, plan_folder)))
    write_atomically(folder / "scores.csv", scores_csv(long_table(results, store)))
    write_atomically(folder / "runtime.csv", _runtime_csv(results))
    for summary in first.summaries if first.task == "discovery" else ():
        write_atomically(folder / "variance" / variance_name(summary), to_json(variance(first, summary)))


def long_table(results: Sequence[Results], store: Store) -> Iterator[Row]:
    """Every task's rows; those of tasks that ask are scored anew from their replies."""
    for found in results:
        if found.task == "forecast":
            from assay.forecast.scores import long  # pandas is not needed for the rest
            from assay.forecast_study import forecasts_of

            table = long(forecasts_of(results[0], found, store).scores)
            columns = [table[name].tolist() for name in Row._fields[2:]]
            for *keys, value, status in zip(*columns, strict=True):
                yield Row._make((found.study, found.task, *keys, None if isnan(value) else value, status))
        elif found.task == "population":
            from assay.population_study import populations_of

            yield from populations_of(found, store).rows()
        elif found.task == "faithfulness":
            from assay.faithfulness_study import faithfulness_of

            yield from faithfulness_of(found, store).rows()
        elif found.task == "robustness":
            from assay.robustness_study import robustness_of

            yield from robustness_of(found).rows()
        else:
            yield from found.rows()


def variance_name(summary: CellSummary) -> str:
    """{dataset}_{algorithm}_variance.json; a slash in a name would be a folder."""
    parts = f"{summary.item}_{summary.respondent}".replace("/", "-").replace(":", "-")
    return f"{parts}_variance.json"


def scores_csv(rows: Iterable[Row]) -> str:
    """Numbers as Python writes them (they read back exactly); a missing value is an empty cell beside its status."""
    text = io.StringIO()
    writer = csv.writer(text, lineterminator="\n")
    writer.writerow(Row._fields)
    for row in rows:
        writer.writerow(row._replace(value="" if row.value is None else repr(float(row.value))))  # type: ignore[arg-type]
    return text.getvalue()


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
        **summary.about,
        "level": results.level,
        "measures": {
            name: found.to_row() | {"missing": dict(found.missing), "values": summary.values[name]}
            for name, found in summary.measures.items()
        },
        "convergence": {name: _convergence(results, summary, name) for name in results.headline},
    }


def _convergence(results: Results, summary: CellSummary, measure: str) -> list[dict[str, Any]]:
    """How the mean, its interval and the range of runs settle as runs are added."""
    present = [value for value in summary.values[measure] if value is not None]
    if len(present) < 2:
        return []
    rng = stream(results.seed, f"convergence {summary.item} {summary.respondent} {measure}")
    return convergence(present, level=results.level, resamples=1000, rng=rng).to_rows()


def provenance(results: Sequence[Results], plan_folder: Path) -> dict[str, Any]:
    return {
        "study": results[0].study,
        "tasks": [found.task for found in results],
        "seed": results[0].seed,
        "written": datetime.now(UTC).isoformat(timespec="seconds"),
        "plan_folder": str(plan_folder),
        "python": sys.version.split()[0],
        "platform": platform.platform(),
        "machine": platform.machine(),
        "packages": {name: version for name in _PACKAGES if (version := _version(name))},
        "cells": [
            {
                "task": found.task,
                "item": cell.item,
                "variant": cell.variant,
                "respondent": cell.respondent,
                "runs": cell.repeats,
                "settings": cell.identity,
            }
            for found in results
            for cell in found.cells
        ],
    }


def _version(package: str) -> str | None:
    try:
        return metadata.version(package)
    except metadata.PackageNotFoundError:
        return None


def _runtime_csv(results: Sequence[Results]) -> str:
    text = io.StringIO()
    writer = csv.writer(text, lineterminator="\n")
    writer.writerow(("task", "item", "variant", "respondent", "repeat", "status", "seconds", "message"))
    for found in results:
        for cell in found.cells:
            for repeat, key in enumerate(cell.keys):
                run = found.runs.get(key)
                if run is not None:
                    what = (found.task, cell.item, cell.variant, cell.respondent, repeat)
                    writer.writerow((*what, run.status, run.seconds, run.message))
    return text.getvalue()
