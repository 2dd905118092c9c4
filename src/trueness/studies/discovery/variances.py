"""variance/{dataset}_{algorithm}_variance.json: every measure of a cell over its runs.

The long table needs nothing here: a worker scores its graph, and the runs carry their scores.
"""

from __future__ import annotations

import json
from collections.abc import Collection
from hashlib import sha256
from pathlib import Path

import numpy as np

from trueness.files import write_atomically
from trueness.outside import file_name
from trueness.running.cells import stream
from trueness.running.results import CellSummary, Results
from trueness.running.store import or_none
from trueness.statistics.runs import settling
from trueness.texts import printable_json


def write_variances(results: Results, folder: Path) -> None:
    """A file a cell that was begun."""
    written: set[str] = set()
    for summary in results.each_summary():
        if len(summary.done):  # a cell that was not begun has nothing to tell
            name = variance_name(summary, written)
            written.add(name)
            write_atomically(folder, f"variance/{name}", _lines(variance(results, summary), 3) + "\n")


def variance_name(summary: CellSummary, taken: Collection[str] = ()) -> str:
    """{dataset}_{algorithm}_variance.json; a slash in a name would be a folder. One that is taken gets a hash."""
    parts = f"{summary.item}_{summary.respondent}".replace("/", "-").replace(":", "-")
    name = f"{file_name(parts)}_variance.json"
    if name in taken:
        digest = sha256(json.dumps([summary.item, summary.respondent]).encode()).hexdigest()[:12]
        name = f"{file_name(parts)}-{digest}_variance.json"
    return name


def variance(results: Results, summary: CellSummary) -> dict[str, object]:
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
            name: one.to_row() | {"missing": dict(one.missing), "values": summary.values[name]}
            for name, one in summary.measures.items()
        },
        "convergence": _convergences(results, summary),
    }


def _lines(value: object, depth: int, indent: str = "") -> str:
    """JSON with a line an entry down to `depth`, and what is below it on one line: numbers of ten thousand runs."""
    if value is None or isinstance(value, int | float):
        return json.dumps(value, allow_nan=False)
    if isinstance(value, np.ndarray):
        return json.dumps(or_none(value))
    if depth == 0 or not isinstance(value, dict) or not value:
        return printable_json(value, allow_nan=False)
    inner = indent + "  "
    entries = [f"{inner}{json.dumps(key)}: {_lines(entry, depth - 1, inner)}" for key, entry in value.items()]
    return "{\n" + ",\n".join(entries) + f"\n{indent}}}"


def _convergences(results: Results, summary: CellSummary) -> dict[str, list[dict[str, float | int | None]]]:
    """How the mean, its interval and the range of runs settle as runs are added; as many values, one bootstrap."""
    present = {name: summary.values[name][~np.isnan(summary.values[name])] for name in results.headline}
    rows_by_measure: dict[str, list[dict[str, float | int | None]]] = {name: [] for name in results.headline}
    for n in sorted({len(values) for values in present.values() if len(values) > 1}):
        names = [name for name, values in present.items() if len(values) == n]
        rng = stream(results.seed, f"convergence {summary.item} {summary.respondent}")
        table = np.column_stack([present[name] for name in names])
        settled = settling(table, results.level, 1000, rng=rng)
        rows_by_measure |= dict(zip(names, settled, strict=True))
    return rows_by_measure
