"""A discovery study made by hand: three data sets, three learners, four runs each; one cell failed throughout."""

import json
import sqlite3
from pathlib import Path

from trueness.datasets import load
from trueness.running.cells import Cell
from trueness.running.results import Results
from trueness.running.store import Run, Store
from trueness.running.study_db import SCHEMA
from trueness.status import Status

MEANS = {  # F1 of each learner on each data set; None: every run failed
    "asia": {"pc": 0.9, "ges": 0.7, "random": 0.2},
    "cancer": {"pc": 0.8, "ges": 0.6, "random": 0.1},
    "child": {"pc": 0.7, "ges": 0.75, "random": 0.3},
    "survey": {"pc": 0.6, "ges": None, "random": 0.2},
}
HOSTILE = "<script>alert(1)</script>"


def learner_results(means=None, runs=4):
    cells, abouts, stored = [], [], []
    for item, by_learner in (means or MEANS).items():
        for learner, f1 in by_learner.items():
            identity = {"item": item, "learner": learner, "settings": {"alpha": 0.05}, "data": {"dataset": item}}
            cell = Cell(item, "clean", learner, runs, {}, identity)
            cells.append(cell)
            abouts.append({"returns": "dag", "rows": 100, "truth": "known", "vary": "redraw"})
            for k, key in enumerate(cell.keys):
                stored.append(_run(cell, k, key, f1))
    return results_in_memory("discovery", cells, abouts, stored, ("f1", "shd"))


def results_in_memory(task, cells, abouts, runs, measures=(), about=None):
    """Results of a store that lies in no file."""
    connection = sqlite3.connect(":memory:")
    connection.executescript(SCHEMA)
    store = Store(connection, Path("nowhere"))
    store.add(task, runs)
    names = (tuple(measures), tuple(measures))
    return Results(
        "by hand", task, 1, 0.95, *names, tuple(cells), tuple(abouts), about or {}, {}, store, store.last_id()
    )


def _run(cell, k, key, f1):
    if f1 is None:
        return Run(key, cell.item, "clean", cell.respondent, k, str(Status.FAILED), "no", None, None, {})
    value = f1 + 0.01 * (k - 1.5)
    truth = load(cell.item).truth
    told = [{"source": e.source, "marks": e.arrow, "target": e.target} for e in truth.edges[: 2 if k else 1]]
    answer = json.dumps({"nodes": truth.nodes, "edges": told})
    scores = {"f1": (value, "ok"), "shd": (10 * (1 - value), "ok")}
    return Run(key, cell.item, "clean", cell.respondent, k, str(Status.OK), "", 0.1 * (k + 1), answer, scores)
