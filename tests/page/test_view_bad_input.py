"""What is no study, half of one, or a broken one: one line, or a page that says what is missing."""

import json
import sqlite3

import pytest

from trueness.cli import main
from trueness.page.library import Library
from trueness.page.pages import StudyPage
from trueness.page.standalone import write_page
from trueness.running.study_folder import StudyFolder


def said(capsys, *arguments):
    code = main(list(arguments))
    told = capsys.readouterr().err
    assert code == 2 and told.count("\n") == 1
    return told


def test_a_folder_that_is_no_study_is_one_line(tmp_path, capsys):
    assert "must be a study folder" in said(capsys, "view", str(tmp_path), "--no-browser")
    assert "must be a study folder" in said(capsys, "view", str(tmp_path / "nowhere"), "--no-browser")


def test_no_study_at_all_is_one_line(in_tmp, capsys):
    assert "trueness run" in said(capsys, "view", "--no-browser")


def test_a_damaged_database_is_one_line_and_is_not_touched(copy, capsys):
    content = b"SQLite format 3\x00" + b"damaged" * 1000
    (copy / "study.db").write_bytes(content)
    for leftover in copy.glob("study.db-*"):
        leftover.unlink()
    assert "must be a sound SQLite file" in said(capsys, "view", str(copy), "--no-browser")
    assert (copy / "study.db").read_bytes() == content


def test_a_study_of_a_newer_version_says_so(copy, capsys):
    db = sqlite3.connect(copy / "study.db")
    db.execute("UPDATE meta SET value = '99' WHERE key = 'schema'")
    db.commit()
    assert "pip install -U" in said(capsys, "view", str(copy), "--no-browser")


def test_a_study_of_an_earlier_version_says_what_to_do(copy, capsys):
    db = sqlite3.connect(copy / "study.db")
    db.execute("""UPDATE meta SET value = '{"study": "old", "seed": 1}' WHERE key = 'study'""")
    db.commit()
    assert "trueness run FOLDER" in said(capsys, "view", str(copy), "--no-browser")


def test_a_study_that_never_began_says_so(tmp_path, capsys):
    from trueness.running.store import Store

    with Store.writing(tmp_path):
        pass
    assert "stopped before it began" in said(capsys, "view", str(tmp_path), "--no-browser")


def test_one_broken_study_among_others_is_named_on_the_shelf(small, copy):
    (copy / "study.db").write_bytes(b"no database at all")
    for leftover in copy.glob("study.db-*"):
        leftover.unlink()
    library = Library([small, copy])
    problems = {entry["name"]: entry["problem"] for entry in library.entries()}
    library.close()
    assert problems["study"] == "" and "sound SQLite file" in problems["copy"]


@pytest.mark.parametrize("left", ["nothing", "discovery"])
def test_a_half_finished_study_has_a_page_that_says_what_is_missing(copy, left):
    db = sqlite3.connect(copy / "study.db")
    db.execute("DELETE FROM runs" + ("" if left == "nothing" else " WHERE task = 'forecast'"))
    db.execute("DELETE FROM scores WHERE run NOT IN (SELECT id FROM runs)")
    db.commit()
    db.close()
    with StudyFolder.reading(copy) as opened:
        page = write_page(opened).read_text(encoding="utf-8")
    with StudyFolder.reading(copy) as opened:
        overview = StudyPage(opened).get("overview")
    sentences = [check["sentence"] for task in overview["tasks"] for check in task["checks"]]
    assert ("48 are still to be done" in sentences[0]) == (left == "nothing")
    assert overview["completeness"][1]["rows"][0]["statuses"] == {}
    assert page.startswith("<!doctype html>")


def test_a_study_that_is_moved_away_and_made_anew_is_opened_anew(copy, small):
    library = Library([copy])
    study = library.studies["copy"]
    before = json.loads(study.answer("progress"))["tasks"][1]["done"]
    fresh = copy.with_name("fresh.db")
    sqlite3.connect(small / "study.db").backup(target := sqlite3.connect(fresh))
    target.execute("DELETE FROM runs WHERE task = 'forecast'")
    target.commit()
    target.close()
    for leftover in copy.glob("study.db-*"):
        leftover.unlink()
    fresh.replace(copy / "study.db")
    assert before > 0 and json.loads(study.answer("progress"))["tasks"][1]["done"] == 0
    library.close()


def test_a_true_graph_that_is_gone_is_said(copy):
    db = sqlite3.connect(copy / "study.db")
    text = db.execute("SELECT value FROM meta WHERE key = 'study'").fetchone()[0]
    db.execute(
        "UPDATE meta SET value = ? WHERE key = 'study'", (text.replace('"dataset": "asia"', '"dataset": "gone.csv"'),)
    )
    db.commit()
    with StudyFolder.reading(copy) as opened:
        page = StudyPage(opened)
        keys = [cell.keys for cell in page.study.tasks[0].cells]
        assert keys  # the identities changed with the name: the runs are another plan's now
        found = page.get("graph/discovery/asia")
    assert "cannot be loaded" in found["problem"] and found["learners"]["pc"]["truth"] == []
