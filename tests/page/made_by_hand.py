"""A study of a task that is not built in, stored by hand: two items, two respondents, three runs each."""

import json

from trueness.running.cells import Cell
from trueness.running.store import Run, Store

TASK = "mine"
CELLS = [
    Cell(item, "plain", name, 3, {}, {"item": item, "who": name}) for item in ("i/1", "j") for name in ("a", "b b")
]


def runs(cell, repeats=range(3), value=0.5, measure="hits"):
    return [
        Run(cell.key(r), cell.item, cell.variant, cell.respondent, r, "ok", "", 0.1, None, {measure: (value + r, "ok")})
        for r in repeats
    ]


def store_study(folder, name="by hand", stored=CELLS, repeats=range(3), planned=CELLS, measure="hits", about=None):
    cells = [
        {"item": c.item, "variant": c.variant, "respondent": c.respondent, "repeats": c.repeats, "about": about or {}}
        | {"identity": c.identity}
        for c in planned
    ]
    declared = {measure: {"title": "Hits", "better": "higher", "description": "", "minimum": 0.0, "maximum": None}}
    task = {"task": TASK, "level": 0.9, "measures": [measure], "headline": [measure], "about": {}, "cells": cells}
    folder.mkdir(parents=True, exist_ok=True)
    with Store.writing(folder) as store:
        store.set_meta("study", json.dumps({"study": name, "seed": 7, "tasks": [task | {"declared": declared}]}))
        for k, cell in enumerate(stored):
            store.add(TASK, runs(cell, repeats, 0.5 + k if planned is not CELLS else 0.5, measure))
    return folder
