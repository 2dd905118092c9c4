"""A study is read a cell at a time, and what is stored is as it was when the reading began."""

import json

import pytest

import trueness.running.results
import trueness.running.store
import trueness.running.study_db
from tests.lanes import same_lanes
from trueness.running.cells import Cell
from trueness.running.results import Results
from trueness.running.store import Run, Store, StoredUnits
from trueness.running.study_folder import StudyFolder

KEYS = {"a": 0, "b": 1, "d": 2, "c": 0}  # of units -> their repeats


def run(key, value=0.5, status="ok"):
    scores = {"f1": (value, "ok"), "shd": (2.0, "ok")}
    return Run(key, "asia", "clean", "pc", KEYS.get(key, 0), status, "", 0.1, "{}", scores)


@pytest.fixture()
def folder(tmp_path, monkeypatch):
    keys = {"discovery": ["a", "b", "d"], "forecast": ["c"]}
    monkeypatch.setattr(Cell, "key", lambda cell, repeat: keys[cell.identity["of"]][repeat])
    cell = {"item": "asia", "variant": "clean", "respondent": "pc", "about": {}}
    tasks = [
        {"task": name, "level": 0.95, "measures": ["f1", "shd"], "headline": ["f1"], "about": {},
         "cells": [cell | {"repeats": len(keys[name]), "identity": {"of": name}}]}
        for name in keys
    ]  # fmt: skip
    with Store.writing(tmp_path) as store:
        store.set_meta("study", json.dumps({"study": "by hand", "seed": 1, "tasks": tasks}))
        store.add("discovery", [run("a"), run("b", 0.25)])
        store.add("forecast", [run("c")])
    return tmp_path


def stored(folder):
    """The cells of both studies have the keys a, b, d and c."""
    with StudyFolder.reading(folder) as study:
        return study


def test_runs_are_read_after_the_store_was_closed(folder):
    results = stored(folder).task("discovery")
    assert results.runs_at(0) == [run("a"), run("b", 0.25)] and results.has_runs
    assert results.statuses == {0: {"ok": 2}} and results.answers_at(0) == [("ok", "{}")] * 2
    assert results.values_of("f1") == {0: {0: 0.5, 1: 0.25}}
    assert results.aggregates() == [(0, "f1", 2, 0.375, 0.25, 0.5), (0, "shd", 2, 2.0, 2.0, 2.0)]


def test_values_stand_in_the_order_of_repeats_however_they_came(folder):
    """A mean over them has the same last digit with one worker and with two."""
    with Store.writing(folder) as store:
        store.add("discovery", [run("a")])  # done again: it is now the last
    assert list(stored(folder).task("discovery").values_of("f1")[0]) == [0, 1]


def test_units_that_come_later_are_not_seen_but_counted(folder):
    with StudyFolder.reading(folder) as early:
        results = early.task("discovery")
        with Store.writing(folder) as store:
            store.add("discovery", [run("d")])
        assert early.store.counts("discovery", results.cells) == {"ok": 3}
        assert results.statuses == {0: {"ok": 2}} and len(results.runs_at(0)) == 2
    assert len(stored(folder).task("discovery").runs_at(0)) == 3


def test_a_unit_that_is_there_is_replaced_with_its_scores(folder):
    with Store.writing(folder) as store:
        store.add("discovery", [run("a", 0.75, "failed"), run("d")])
        expected = [run("a", 0.75, "failed"), run("b", 0.25), run("d")]
        assert store.runs_of(["a", "none", "b", "d"]) == expected
    assert stored(folder).task("discovery").runs_at(0) == expected


def test_runs_that_were_read_are_summed_as_the_store_does(done_study):
    by_store, read = Results.read(done_study), Results.read(done_study)
    assert read.summaries
    expected = {(one.cell, one.measure): one for one in by_store.aggregates()}
    assert len(expected) == len(read.aggregates()) > 0
    for one in read.aggregates():
        other = expected[one.cell, one.measure]
        assert (one.n, one.low, one.high) == (other.n, other.low, other.high)
        assert one.mean == other.mean or one.mean == pytest.approx(other.mean)  # SQLite 3.43 and later round less


@pytest.fixture(scope="module")
def done_study(tmp_path_factory):
    from trueness.running.study import Plan, Study

    folder = tmp_path_factory.mktemp("done")
    text = '[discovery]\ndatasets = ["survey"]\nlearners = ["random", "correlation"]\nruns = 6\nrows = 300'
    with same_lanes(1) as (executor, slots):
        Study(Plan.parse(text, "x.toml", folder=folder)).run(executor, slots)
    return folder


def units(*rows):
    return [(number, key, "asia", "clean", name, repeat, "ok") for number, (key, name, repeat) in enumerate(rows, 1)]


def test_units_belong_to_the_cells_whose_keys_they_have():
    pc, twin, ges = (Cell("asia", "clean", name, 10**8, {}, {"is": how}) for name, how in
                     (("pc", "pc"), ("twin", "pc"), ("ges", "ges")))  # fmt: skip
    found = StoredUnits([pc, twin, ges], units(
        (pc.key(10**8 - 1), "pc", 10**8 - 1),
        (ges.key(3), "the old name of ges", 3),
        ("of another plan", "pc", 0),
        (pc.key(2), "pc", 7),
        (pc.key(10**8), "pc", 10**8),
    ))  # fmt: skip
    assert found.statuses == {0: {"ok": 1}, 1: {"ok": 1}, 2: {"ok": 1}}
    assert found.ids_of(0) == found.ids_of(1) == [1] and found.ids_of(2) == [2]


def test_units_of_no_cell_are_searched_for_and_the_search_has_an_end(monkeypatch):
    cells = [Cell("asia", "clean", f"c{k}", 5, {}, {"is": k}) for k in range(100)]
    made = []
    key = Cell.key
    monkeypatch.setattr(Cell, "key", lambda cell, repeat: made.append(1) or key(cell, repeat))
    monkeypatch.setattr(trueness.running.store, "SEARCHED", 1000)
    StoredUnits(cells, units(*((f"k{k}", f"n{k % 50}", k) for k in range(2000))))
    assert len(made) <= 1000
