"""A study.db of a stranger: what trueness never writes is refused in one line before anything of it is used."""

import json
import os
import re
import sqlite3
import struct
import subprocess
import sys
import warnings
from contextlib import closing

import numpy as np
import pytest

from tests.hostile.attack import at_most, within
from trueness.cli import main
from trueness.errors import PlanError, StoreError
from trueness.page.library import Library
from trueness.running import study_entry
from trueness.running.cells import Cell
from trueness.running.outputs import write_outputs
from trueness.running.provenance import plan_folder_of
from trueness.running.results import NOT_RUN, Results
from trueness.running.store import Run, Store
from trueness.running.study import Plan, Study
from trueness.running.study_db import SCHEMA, as_written
from trueness.running.study_folder import StudyFolder
from trueness.studies.forecast.answers import truths_of

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
    assert "must hold tables only, as trueness writes them, got the view 'prompts'" in told(folder)


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


def entangle(path, table, levels=4, pointers=120, size=101_000_000):
    """The b-tree of a table as pages that each point so many times at the next one: billions of rows of a few pages.

    The file is stretched without filling the disk."""
    with closing(sqlite3.connect(path)) as db:
        (root,) = db.execute("SELECT rootpage FROM sqlite_master WHERE name = ?", (table,)).fetchone()
        (page,) = db.execute("PRAGMA page_size").fetchone()
    content = bytearray(path.read_bytes())
    first = len(content) // page + 1
    leaf = content[(root - 1) * page : root * page]
    kind = {13: 5, 10: 2}[leaf[0]]  # of rows by number, of rows by their key
    start = struct.unpack(">H", leaf[8:10])[0]
    key = bytes([127]) if kind == 5 else leaf[start : start + leaf[start] + 1]

    def pointing_at(child):
        cell = struct.pack(">I", child) + key
        made, at = bytearray(page), page - len(cell) * pointers
        made[:12] = struct.pack(">BHHHBI", kind, 0, pointers, at, 0, child)
        made[12 : 12 + 2 * pointers] = struct.pack(f">{pointers}H", *range(at, page, len(cell)))
        made[at:] = cell * pointers
        return made

    content += b"".join(pointing_at(first + k + 1) for k in range(levels)) + leaf
    content[(root - 1) * page : root * page] = pointing_at(first)
    content[28:32] = struct.pack(">I", size // page)
    path.write_bytes(content)
    os.truncate(path, size // page * page)


def test_pages_that_have_many_parents_are_refused_in_a_file_of_any_size(folder):
    """120^5 rows of six pages; a file above 100 MB was not looked at from end to end."""
    entangle(folder / "study.db", "runs")
    assert "must be a sound SQLite file" in told(folder)


def test_a_driver_who_does_not_look_at_all_scores_stops_at_the_second_score_of_its_kind(folder):
    """Going on with a study of a million runs must not begin with reading it from end to end."""
    entangle(folder / "study.db", "scores")
    with pytest.raises(StoreError, match="sound SQLite file"), Store.reading(folder):
        pass
    with pytest.raises(StoreError, match="sound SQLite file"), Store.writing(folder) as store, within():
        store.runs_of([*store.statuses("discovery")])


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


def test_a_check_that_never_ends_is_not_evaluated(folder):
    """SQLite evaluates the constraints of a table when it looks whether the file is sound."""
    count = "WITH RECURSIVE n(x) AS (SELECT 1 UNION ALL SELECT x + 1 FROM n) SELECT count(*) FROM n"
    with closing(sqlite3.connect(folder / "study.db", isolation_level=None)) as db:
        db.execute("PRAGMA writable_schema=1")
        sql = f"CREATE TABLE prompts (hash TEXT PRIMARY KEY, messages TEXT DEFAULT ({count})) WITHOUT ROWID"
        db.execute("UPDATE sqlite_master SET sql = ? WHERE name = 'prompts'", (sql,))
    with within(5):
        told(folder)


def test_a_study_from_before_models_could_be_asked_is_read(tmp_path):
    """The first version made three of the tables."""
    older = SCHEMA[: SCHEMA.index("CREATE TABLE IF NOT EXISTS prompts")]
    with closing(sqlite3.connect(tmp_path / "study.db")) as db:
        db.executescript(older)
        db.execute("INSERT INTO meta VALUES ('schema', '1')")
        db.execute("INSERT INTO meta VALUES ('study', ?)", (json.dumps(STUDY),))
        db.commit()
    with Store.reading(tmp_path) as store:
        assert store.replies() == {} and Results.all_of(store)[0].completeness()[0][NOT_RUN] == 1


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


def test_nor_does_the_page_list_it(tmp_path):
    library = Library([planned(tmp_path, 10**8, 3, 10**8 - 1)])
    (study,) = library.studies.values()
    with within(), at_most(40):
        for path in ("overview", "progress", "analysis", "grid/discovery", "cell/discovery/asia/clean/pc"):
            assert study.answer(path)
        assert json.loads(study.answer("progress"))["tasks"][0]["planned"] == 10**8
    library.close()


def test_twenty_thousand_cells_are_read_in_time(tmp_path):
    cells = [CELL | {"about": ABOUT, "respondent": f"pc{k}", "identity": {"k": k}} for k in range(20_000)]
    with Store.writing(tmp_path) as store:
        store.set_meta("study", json.dumps(STUDY | {"tasks": [DISCOVERY | {"cells": cells}]}))
    with within(60):
        assert len(Results.read(tmp_path).summaries) == 20_000


def test_more_measures_of_cells_than_anybody_has_are_refused(folder):
    task = TASK | {"measures": [f"m{k}" for k in range(1001)], "headline": []}
    cells = [CELL | {"respondent": f"pc{k}"} for k in range(1000)]
    study = STUDY | {"tasks": [task | {"cells": cells}]}
    change(folder, f"UPDATE meta SET value = '{json.dumps(study)}' WHERE key = 'study'")
    assert "more than 1,000,000 measures of cells" in told(folder)


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


def test_a_plan_that_could_not_be_read_again_is_refused_before_anything_is_done(in_tmp, monkeypatch):
    plan = '[discovery]\ndatasets = ["asia", "cancer"]\nlearners = ["random", "pc"]\nruns = 2\n'
    study = Study(Plan.parse(plan, "study.toml", folder=in_tmp / "out"))
    monkeypatch.setattr(study_entry, "MAX_SUMMARIES", 3)
    with pytest.raises(PlanError, match="can be read again, got more than 3 measures of cells. Make two of it"):
        study.run(None, 1)
    monkeypatch.undo()
    with Store.reading(in_tmp / "out") as store:
        assert store.meta("study") is None


@pytest.mark.parametrize(
    "statement",
    [
        "UPDATE runs SET seconds = 9e999",
        "UPDATE runs SET seconds = -9e999, status = 'no such status'",
        "UPDATE runs SET answer = '['",
        "UPDATE runs SET answer = '5'",
        "UPDATE scores SET value = 9e999",
        "UPDATE scores SET value = NULL",
        "UPDATE scores SET status = 'failed'",
        "UPDATE meta SET value = '[]' WHERE key = 'sessions'",
        "INSERT INTO meta VALUES ('sessions', '5'), ('environments', '[]'), ('sources', '\"')",
        "INSERT INTO meta VALUES ('plan', '[')",
    ],
)
@pytest.mark.parametrize("command", [["show"], ["show", "--json"], ["show", "--csv"], ["show", "--md"], ["report"]])
def test_odd_values_end_in_one_line(statement, command, tmp_path, capsys):
    folder = planned(tmp_path, 1, 0)
    change(folder, statement)
    with within(60):
        code = main([command[0], str(folder), *command[1:]])
    error = capsys.readouterr().err
    assert code in (0, 2) and "Traceback" not in error and error.count("\n") == (code == 2)


def test_a_fuzzed_store_is_read_or_refused(root):
    """The short form: a process of its own, because the fuzz replaces the drawing of pictures in its own."""
    command = ("tests.hostile.fuzz_store", "--count", "30", "--seed", "3", "--kinds", "discovery")
    ended = subprocess.run([sys.executable, "-m", *command], cwd=root, capture_output=True, text=True)
    assert ended.returncode == 0, ended.stdout + ended.stderr
    found = re.search(r"30 files, 60 commands: (\d+) well, (\d+) in one line", ended.stdout)
    assert found and min(map(int, found.groups())) > 6


@pytest.mark.parametrize("reply", ["", "{", "[]", "5", '{"text": 5}', "[" * 100_000, "9" * 5000])
def test_a_stored_reply_that_is_none_is_one_line(reply, folder):
    change(folder, f"UPDATE replies SET reply = '{reply}'")
    with Store.reading(folder) as store, pytest.raises(StoreError, match="the stored reply r must be"):
        store.replies()


def test_a_stored_data_set_of_one_node_is_one_line(folder):
    with Store.reading(folder) as store, pytest.raises(StoreError, match="nodes of asia must be at least 2, got 1"):
        truths_of(Results.all_of(store)[0], {"asia": {"nodes": 1, "edges": 0}})


def test_a_sum_of_stored_numbers_that_has_no_end_is_not_warned_of(tmp_path):
    """Found by the fuzz: a score of 1e308 put two lines of numpy's before the one of ours."""
    with warnings.catch_warnings(), as_written(tmp_path):
        warnings.simplefilter("error")
        assert np.mean(np.full(3, 1e308)) == np.inf
