"""A study.db of a stranger: what assay never writes is refused in one line before anything of it is used."""

import json
import sqlite3
from contextlib import closing

import pytest

from assay.errors import StoreError
from assay.results import Results
from assay.store import Run, Store
from assay.viewer.library import Library
from tests.hostile.attack import within

CELL = {"item": "asia", "variant": "clean", "respondent": "pc", "repeats": 1, "identity": {}, "about": {"nodes": 8}}
TASK = {"task": "discovery", "level": 0.95, "measures": ["f1"], "headline": ["f1"], "about": {}, "cells": [CELL]}
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


def test_a_view_that_counts_for_ever_is_refused(folder):
    endless = "WITH RECURSIVE n(x) AS (SELECT 1 UNION ALL SELECT x + 1 FROM n) SELECT 'a' AS key, x AS value FROM n"
    change(folder, "DROP TABLE prompts", f"CREATE VIEW prompts AS {endless}")
    assert "must hold tables only, as assay writes them, got the view 'prompts'" in told(folder)


def test_a_trigger_is_refused(folder):
    change(folder, "CREATE TRIGGER t AFTER INSERT ON runs BEGIN DELETE FROM replies; END")
    assert "got the trigger 't'" in told(folder)


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


@pytest.mark.parametrize("reply", ["", "{", "[]", "5", '{"text": 5}', "[" * 100_000, "9" * 5000])
def test_a_stored_reply_that_is_none_is_one_line(reply, folder):
    change(folder, f"UPDATE replies SET reply = '{reply}'")
    with Store.reading(folder) as store, pytest.raises(StoreError, match="the stored reply r must be"):
        store.replies()
