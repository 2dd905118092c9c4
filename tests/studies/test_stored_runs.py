"""A study is read a cell at a time, and what is stored is as it was when the reading began."""

import numpy as np
import pytest

import trueness.running.results
import trueness.running.stored_runs
import trueness.running.study_db
from trueness.errors import StoreError
from trueness.files import writing_atomically
from trueness.running.cells import Cell
from trueness.running.results import Results
from trueness.running.store import Run, Store
from trueness.running.stored_runs import StoredRuns, Units


def run(key, value=0.5, status="ok"):
    return Run(key, "asia", "clean", "pc", 0, status, "", 0.1, "{}", {"f1": (value, "ok"), "shd": (2.0, "ok")})


@pytest.fixture()
def folder(tmp_path):
    with Store.writing(tmp_path) as store:
        store.add("discovery", [run("a"), run("b", 0.25)])
        store.add("forecast", [run("c")])
    return tmp_path


def runs_of(folder):
    with Store.reading(folder) as store:
        return StoredRuns(store, "discovery")


def test_runs_are_read_after_the_store_was_closed(folder):
    runs = runs_of(folder)
    assert runs.of(["b", "none", "a"]) == [run("b", 0.25), run("a")]
    assert runs["a"] == run("a")
    assert list(runs) == ["a", "b"]
    with pytest.raises(KeyError):
        runs["none"]


def test_units_that_come_later_are_not_seen(folder):
    runs = runs_of(folder)
    with Store.writing(folder) as store:
        store.add("discovery", [run("d")])
    assert runs.of(["a", "d"]) == [run("a")]
    assert (len(runs), len(runs_of(folder))) == (2, 3)


def test_a_unit_that_is_there_is_replaced_with_its_scores(folder):
    with Store.writing(folder) as store:
        store.add("discovery", [run("a", 0.75, "failed"), run("e")])
    assert runs_of(folder).of(["a", "b", "e"]) == [run("a", 0.75, "failed"), run("b", 0.25), run("e")]


def test_more_units_than_one_statement_can_name(tmp_path):
    keys = [f"{k:04}" for k in range(1203)]
    with Store.writing(tmp_path) as store:
        store.add("discovery", [run(key) for key in keys])
        store.add("discovery", [run(key, 1.0) for key in keys])
        assert [found.key for found in store.runs_of(keys)] == keys
        assert {found.scores["f1"][0] for found in store.runs_of(keys)} == {1.0}


def test_summaries_do_not_depend_on_how_many_cells_are_taken_together(done_study, monkeypatch):
    together = Results.read(done_study).summaries
    monkeypatch.setattr(trueness.running.results, "VALUES_AT_ONCE", 1)
    for one, other in zip(Results.read(done_study).summaries, together, strict=True):
        assert (one.item, one.respondent, one.statuses) == (other.item, other.respondent, other.statuses)
        for name, found in one.measures.items():
            np.testing.assert_array_equal(one.values[name], other.values[name])
            ends = [(f.ci.low, f.ci.high) if f.ci else (np.nan, np.nan) for f in (found, other.measures[name])]
            np.testing.assert_allclose(*ends, rtol=1e-12)


@pytest.fixture(scope="module")
def done_study(tmp_path_factory):
    from trueness.running.engine import local_executor
    from trueness.running.study import Plan, Study

    folder = tmp_path_factory.mktemp("done")
    text = '[discovery]\ndatasets = ["survey"]\nlearners = ["random", "correlation"]\nruns = 6\nrows = 300'
    with local_executor(1) as (executor, slots):
        Study(Plan.parse(text, "x.toml", folder=folder)).run(executor, slots)
    return folder


def units(*rows):
    return [(number, key, "asia", "clean", name, repeat, "ok") for number, (key, name, repeat) in enumerate(rows, 1)]


def test_units_belong_to_the_cells_whose_keys_they_have():
    pc, twin, ges = (Cell("asia", "clean", name, 10**8, {}, {"is": how}) for name, how in
                     (("pc", "pc"), ("twin", "pc"), ("ges", "ges")))  # fmt: skip
    found = Units([pc, twin, ges], units(
        (pc.key(10**8 - 1), "pc", 10**8 - 1),
        (ges.key(3), "the old name of ges", 3),
        ("of another plan", "pc", 0),
        (pc.key(2), "pc", 7),
        (pc.key(10**8), "pc", 10**8),
    ))  # fmt: skip
    assert found.statuses == {0: {"ok": 1}, 1: {"ok": 1}, 2: {"ok": 1}}
    assert found.keys(0) == found.keys(1) == [pc.key(10**8 - 1)] and found.keys(2) == [ges.key(3)]


def test_units_of_no_cell_are_searched_for_and_the_search_has_an_end(monkeypatch):
    cells = [Cell("asia", "clean", f"c{k}", 5, {}, {"is": k}) for k in range(100)]
    made = []
    key = Cell.key
    monkeypatch.setattr(Cell, "key", lambda cell, repeat: made.append(1) or key(cell, repeat))
    monkeypatch.setattr(trueness.running.stored_runs, "SEARCHED", 1000)
    Units(cells, units(*((f"k{k}", f"n{k % 50}", k) for k in range(2000))))
    assert len(made) <= 1000


def test_damage_in_a_file_too_large_to_be_checked_is_told_when_it_is_found(tmp_path, monkeypatch):
    with Store.writing(tmp_path) as store:
        store.add("discovery", [run(f"{k:05}") for k in range(3000)])
    content = bytearray((tmp_path / "study.db").read_bytes())
    content[20 * 4096 : -4096] = bytes(len(content) - 21 * 4096)
    (tmp_path / "study.db").write_bytes(content)
    monkeypatch.setattr(trueness.running.study_db, "CHECKED_WHOLE", 0)
    with pytest.raises(StoreError, match="must be a sound SQLite file"), Store.reading(tmp_path) as store:
        store.runs("discovery")


def test_a_file_that_could_not_be_written_leaves_nothing_behind(tmp_path):
    (tmp_path / "scores.csv").write_text("old")
    with pytest.raises(RuntimeError), writing_atomically(tmp_path, "scores.csv") as file:
        file.write("half of")
        raise RuntimeError("the disk is gone")
    assert [path.read_text() for path in tmp_path.iterdir()] == ["old"]
