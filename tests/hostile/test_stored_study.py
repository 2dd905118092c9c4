"""A study.db of a stranger: what trueness never writes is refused in one line before anything of it is used."""

import json
import sqlite3
from contextlib import closing, suppress

import pytest
from hypothesis import HealthCheck, given, settings
from hypothesis import strategies as st

from tests.hostile.attack import at_most, damaged, survives, within
from trueness.errors import StoreError
from trueness.page.library import Library
from trueness.running.cells import Cell
from trueness.running.provenance import plan_folder_of
from trueness.running.results import NOT_RUN, Results
from trueness.running.store import Run, Store
from trueness.running.study_folder import StudyFolder, write_outputs

CELL = {"item": "asia", "variant": "clean", "respondent": "pc", "repeats": 1, "identity": {}, "about": {"nodes": 8}}
TASK = {"task": "discovery", "level": 0.95, "measures": ["f1"], "headline": ["f1"], "about": {}, "cells": [CELL]}
ODD = [None, -1, 1e308, "", "null", "[]", "{}", '{"task": 1}', "[" * 60, "\u202e", b"\xff\xed", "9" * 5000]
STUDY = {"study": "s", "seed": 1, "tasks": [TASK]}


@pytest.fixture
def folder(tmp_path):
    with Store.writing(tmp_path) as store:
        store.set_meta("study", json.dumps(STUDY))
        run = Run("k", "asia", "clean", "pc", 0, "ok", "", 0.1, "{}", {"f1": (0.5, "ok")})
        store.add("discovery", [run])
        store.add_reply("r", "mock/x", "p", "[]", {"seed": 1}, {"status": "ok", "text": "x"})
    return tmp_path


def change(folder, *statements):
    with closing(sqlite3.connect(folder / "study.db")) as db, db:
        for statement in statements:
            db.execute(statement)


def told(folder):
    """The one line of every way to open the study."""
    with within(), pytest.raises(StoreError) as reading, Store.reading(folder):
        pass
    with pytest.raises(StoreError), Store.writing(folder):
        pass
    library = Library([folder])
    problem = next(iter(library.studies.values())).problem()
    library.close()
    assert "\n" not in str(reading.value) and problem
    return str(reading.value)


def test_the_study_as_it_was_written_is_read(folder):
    with Store.reading(folder) as store:
        assert len(Results.all_of(store)) == 1 and store.reply("r").reply["text"] == "x"


@pytest.mark.parametrize(
    "statement",
    [
        "UPDATE runs SET answer = x'00ff'",
        "UPDATE runs SET repeat = 'many'",
        "UPDATE runs SET item = x'41'",
        "UPDATE scores SET value = 'high'",
        "UPDATE replies SET cost = 'a lot'",
        "UPDATE meta SET value = x'00' WHERE key = 'study'",
        "UPDATE meta SET value = 'one' WHERE key = 'schema'",
        "UPDATE meta SET value = '" + "9" * 5000 + "' WHERE key = 'schema'",
    ],
)
def test_a_value_of_another_type_is_refused(statement, folder):
    change(folder, statement)
    assert "must be a sound SQLite file" in told(folder)


@pytest.mark.parametrize(
    "study",
    [
        [],
        {"tasks": 5},
        STUDY | {"seed": "one"},
        STUDY | {"seed": True},
        STUDY | {"seed": -1},
        STUDY | {"seed": 10**40},
        STUDY | {"study": 5},
        STUDY | {"tasks": [TASK, TASK]},
        STUDY | {"tasks": [TASK | {"measures": [5]}]},
        STUDY | {"tasks": [TASK | {"measures": [["f1"]]}]},
        STUDY | {"tasks": [TASK | {"measures": ["f1", "f1"]}]},
        STUDY | {"tasks": [TASK | {"headline": ["f2"]}]},
        STUDY | {"tasks": [TASK | {"headline": [{}]}]},
        STUDY | {"tasks": [TASK | {"level": 1}]},
        STUDY | {"tasks": [TASK | {"level": float("nan")}]},
        STUDY | {"tasks": [TASK | {"level": float("inf")}]},
        STUDY | {"tasks": [TASK | {"about": 5}]},
        STUDY | {"tasks": [TASK | {"cells": [CELL, CELL]}]},
        STUDY | {"tasks": [TASK | {"cells": [CELL | {"respondent": name} for name in ("a\x1b", "a\\x1b")]}]},
        STUDY | {"tasks": [TASK | {"cells": [CELL | {"item": name} for name in ("a b", "a\xa0b")]}]},
        STUDY | {"tasks": [TASK | {"measures": ["f\x01", "f\\x01"], "headline": []}]},
        STUDY | {"tasks": [TASK | {"cells": [CELL | {"about": None}]}]},
        STUDY | {"tasks": [TASK | {"cells": [CELL | {"repeats": True}]}]},
        STUDY | {"tasks": [TASK | {"cells": [CELL | {"repeats": 1.5}]}]},
        STUDY | {"tasks": [5]},
        STUDY | {"tasks": [TASK | {"level": None}]},
        STUDY | {"tasks": [TASK | {"cells": {}}]},
        STUDY | {"tasks": [TASK | {"cells": [CELL | {"item": 7}]}]},
        STUDY | {"tasks": [TASK | {"cells": [CELL | {"identity": []}]}]},
        STUDY | {"tasks": [TASK | {"cells": [CELL | {"repeats": 10**18}]}]},
        STUDY | {"tasks": [TASK | {"cells": [CELL | {"repeats": -1}]}]},
    ],
)
def test_a_study_of_another_shape_is_refused(study, folder):
    change(folder, f"UPDATE meta SET value = '{json.dumps(study)}' WHERE key = 'study'")
    told(folder)


@pytest.mark.parametrize(
    "statement",
    [
        "CREATE VIRTUAL TABLE f USING fts5(x)",
        "CREATE/**/VIRTUAL TABLE f USING fts5(x)",
        "CREATE VIEW v AS SELECT 1",
        "CREATE INDEX i ON runs (item)",
        "CREATE TABLE more (x)",
        "ALTER TABLE runs ADD COLUMN more TEXT",
        "ALTER TABLE runs ADD COLUMN more TEXT GENERATED ALWAYS AS (hex(zeroblob(100000000))) VIRTUAL",
        "ALTER TABLE runs RENAME COLUMN message TO said",
        "ALTER TABLE prompts RENAME TO asked",
        "ANALYZE",
    ],
)
def test_a_schema_that_is_not_ours_is_refused(statement, folder):
    change(folder, statement)
    assert "must hold tables only, as trueness writes them" in told(folder)


ABOUT = {"returns": "dag", "rows": 9, "truth": "known", "vary": "redraw", "assumptions": {}}
DISCOVERY = TASK | {"cells": [CELL | {"about": ABOUT}]}


def planned(folder, repeats, *done):
    """A study of one cell that should have so many runs, of which these repeats are there."""
    cell = Cell("asia", "clean", "pc", repeats, {}, {})
    study = STUDY | {"tasks": [DISCOVERY | {"cells": [CELL | {"about": ABOUT, "repeats": repeats}]}]}
    with Store.writing(folder) as store:
        store.set_meta("study", json.dumps(study))
        store.add("discovery", [Run(cell.key(r), "asia", "clean", "pc", r, "ok", "", 0.1, None, {"f1": (0.5, "ok")})
                                for r in done])  # fmt: skip
    (folder / "study.toml").write_text('name = "s"\n[discovery]\ndatasets = ["asia"]\nlearners = ["pc"]\nruns = 1\n')
    return folder


def test_a_plan_of_a_hundred_million_runs_is_counted_and_not_listed(tmp_path):
    """Its last run is there, as in a study that has just begun."""
    folder = planned(tmp_path, 10**8, 3, 10**8 - 1)
    with within(), at_most(40):
        results = Results.read(folder)
        (summary,) = results.summaries
        assert (summary.ok, summary.statuses[NOT_RUN]) == (2, 10**8 - 2)
        assert summary.measures["f1"].missing == {NOT_RUN: 10**8 - 2} and summary.done.tolist() == [3, 10**8 - 1]
        with StudyFolder.reading(folder) as study:
            write_outputs(study, "", plan_folder_of(folder))
    variance = json.loads((folder / "variance" / "asia_pc_variance.json").read_text())
    assert (variance["n_runs"], variance["n_ok"], variance["runs"]) == (10**8, 2, [3, 10**8 - 1])


@pytest.mark.parametrize(
    ("task", "about", "what"),
    [
        ("forecast", {"references": ["baseline/random"] * 2}, "a name twice in 'references'"),
        ("forecast", {"targets": ["run"] * 1500}, "a name twice in 'targets'"),
        ("mine", {"judges": ["a", "b", "a"]}, "a name twice in 'judges'"),
        ("forecast", {"targets": [f"t{k}" for k in range(400)], "references": [f"r{k}" for k in range(300)]},
         "more than 5,000 combinations"),
        ("robustness", {name: dict.fromkeys(map(str, range(50))) for name in ("datasets", "corruptions", "scorers")},
         "more than 5,000 combinations"),
        ("robustness", {"corruptions": dict.fromkeys(map(str, range(5001)))}, "more than 5,000 combinations"),
    ],
)  # fmt: skip
def test_lists_that_would_be_multiplied_are_refused_before_they_are(task, about, what, folder):
    study = STUDY | {"tasks": [TASK | {"task": task, "about": about}]}
    change(folder, f"UPDATE meta SET value = '{json.dumps(study)}' WHERE key = 'study'")
    assert what in told(folder)


@settings(max_examples=40, derandomize=True, database=None, suppress_health_check=list(HealthCheck))
@given(data=st.data())
def test_a_damaged_store_is_read_or_refused(folder, data):
    """Bytes of the file, or a value of one column that becomes something else."""
    kept = (folder / "study.db").read_bytes()
    if data.draw(st.booleans()):
        (folder / "study.db").write_bytes(data.draw(damaged([kept])))
    else:
        table, column = data.draw(st.sampled_from([("meta", "value"), ("runs", "answer"), ("scores", "value")]))
        with closing(sqlite3.connect(folder / "study.db")) as db, db, suppress(sqlite3.Error):
            db.execute(f"UPDATE {table} SET {column} = ?", [data.draw(st.sampled_from(ODD))])

    def read(_):
        with Store.reading(folder) as store:
            return list(Results.all_of(store))

    survives(read, None)
    (folder / "study.db").write_bytes(kept)
