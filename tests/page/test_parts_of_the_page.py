"""The page's own parts on a study that nobody built in: answers, what is kept, what is left out of a file, names."""

import json
import re

import pytest

from tests.each import each
from trueness.errors import StoreError
from trueness.page import library, standalone
from trueness.page.library import Library, OpenStudy, study_folders
from trueness.page.page import html_of, shelf_of
from trueness.page.pages import StudyPage, path_of
from trueness.page.standalone import document_of, write_page
from trueness.running.store import Store
from trueness.running.study_folder import StudyFolder

from .made_by_hand import CELLS, TASK, runs, store_study


@pytest.fixture()
def folder(tmp_path):
    return store_study(tmp_path / "study")


@pytest.fixture()
def page(folder):
    with StudyFolder.reading(folder) as study:
        yield StudyPage(study)


def book(text):
    """The data inside a page."""
    return json.loads(re.search(r'<script type="application/json"[^>]*>(.*?)</script>', text, re.DOTALL)[1])


# ---- answers


def test_every_path_that_the_page_names_is_answered(page):
    paths = ["overview", "analysis", "figures", "progress", path_of("grid", TASK), *page.cell_paths()]
    assert len(paths) == 5 + len(CELLS) and all(page.get(path) is not None for path in paths)


@each(
    "path",
    ["", "overview/x", "grid", "grid/other", "grid/mine/x", "cell/mine/j/plain", "cell/mine/j/plain/nobody",
     "cell/other/j/plain/a", "graph/mine/j", "study", "__class__", "parts", "head"],
)  # fmt: skip
def test_what_is_no_path_is_nothing(page, path):
    assert page.get(path) is None


def test_counts_are_those_of_now_and_numbers_those_of_the_state(tmp_path):
    folder = store_study(tmp_path / "running", stored=CELLS[:1], repeats=[0, 1])
    with StudyFolder.reading(folder) as study:
        state = StudyPage(study)
        before = state.get(path_of("grid", TASK))
        with Store.writing(folder) as store:
            store.add(TASK, runs(CELLS[0], [2]) + runs(CELLS[1]))
        progress = state.get("progress")["tasks"][0]
        assert (progress["done"], progress["planned"]) == (6, 12)
        assert state.get(path_of("grid", TASK)) == before
        assert [cell[-1] for cell in before["cells"]] == [2, 0, 0, 0]
        assert [cell[-1] for cell in StudyPage(StudyFolder(study.store)).get(path_of("grid", TASK))["cells"]] == [
            3,
            3,
            0,
            0,
        ]


def test_completeness_counts_what_was_planned_for_each_respondent(tmp_path):
    folder = store_study(tmp_path / "half", stored=CELLS[:1])
    with StudyFolder.reading(folder) as study:
        (task,) = StudyPage(study).get("overview")["completeness"]
    assert task["rows"] == [
        {"respondent": "a", "planned": 6, "statuses": {"ok": 3}}, {"respondent": "b b", "planned": 6, "statuses": {}},
    ]  # fmt: skip


# ---- report.html


def test_the_way_to_the_folder_is_not_in_the_file(folder):
    with StudyFolder.reading(folder) as study:
        text = write_page(study).read_text()
    assert str(folder.parent) not in text and book(text)["head"]["folder"] == "study"


def test_a_page_made_after_the_tables_reads_nothing_again(folder, monkeypatch):
    with StudyFolder.reading(folder) as study:
        results = study.readings[TASK].results
        assert results is study.tasks[0] and results.summaries
        monkeypatch.setattr(Store, "columns_at", lambda *_: pytest.fail("read again"))
        assert write_page(study).is_file()


@pytest.mark.parametrize("name", ["{{script}}", "{{document}} {{style}}", "</title><script>alert(1)</script>"])
def test_a_name_that_looks_like_a_part_of_the_page_is_a_name(tmp_path, name):
    """Before: the script was put into the title of a study that was called {{script}}, and the page stayed empty."""
    with StudyFolder.reading(store_study(tmp_path / "odd", name=name)) as study:
        text = html_of(document_of(StudyPage(study)))
    assert book(text)["head"]["study"] == name
    assert text.count("<title>") == 1 and len(re.search("<title>(.*?)</title>", text)[1]) < 100
    assert re.search(r"<script>\s*\"use strict\"", text)


def test_a_long_reply_is_cut_and_the_cut_is_said(page, monkeypatch):
    monkeypatch.setattr(standalone, "LONGEST", 10)
    block = {"kind": "exchange", "text": "x" * 25, "message": "refused"}
    monkeypatch.setattr(type(page.parts[TASK]), "cell", lambda self, key: {"blocks": [dict(block), {"kind": "lines"}]})
    cell = document_of(page)["data"]["cell/mine/j/plain/a"]
    assert cell["blocks"][0]["text"] == "x" * 10
    assert cell["blocks"][0]["message"] == "Only the first 10 of 25 characters are in this file. refused"


# ---- the studies of a server


def test_an_answer_is_kept_until_something_is_committed(folder, monkeypatch):
    monkeypatch.setattr(library, "AGAIN", 0.0)
    study = OpenStudy("study", folder)
    try:
        first = study.answer("overview")
        monkeypatch.setattr(StudyPage, "overview", lambda self: {"anew": True})
        assert study.answer("overview") == first
        with Store.writing(folder) as store:
            store.add(TASK, runs(CELLS[0], [0], value=9.0))
        assert json.loads(study.answer("overview")) == {"anew": True}
        assert json.loads(study.answer("progress"))["version"] != json.loads(first).get("version")
    finally:
        study.close()


def test_two_folders_of_one_name_have_two_addresses(tmp_path):
    folders = [store_study(tmp_path / place / "study") for place in ("a", "b", "c")]
    shelf = Library(folders)
    try:
        assert list(shelf.studies) == ["study", "study-2", "study-3"]
        assert [entry["problem"] for entry in shelf.entries()] == ["", "", ""]
        shelf.warm()
        assert all(f"grid/{TASK}" in study._kept for study in shelf.studies.values())
    finally:
        shelf.close()


def test_a_shelf_links_what_can_be_shown_and_says_of_the_rest_why_not():
    text = shelf_of([
        {"name": "a/b <i>", "folder": "f", "problem": ""}, {"name": "x", "folder": "<g>", "problem": "it is <gone>"},
    ])  # fmt: skip
    assert '<a href="a%2Fb%20%3Ci%3E/">a/b &lt;i&gt;</a>' in text and "it is &lt;gone&gt;" in text
    assert "<i>" not in text and "<g>" not in text and text.count("<a ") == 1


# ---- folders


def test_folders_are_named_once_and_a_folder_of_studies_is_opened(tmp_path, monkeypatch):
    one, two = store_study(tmp_path / "results" / "one"), store_study(tmp_path / "results" / "two")
    monkeypatch.chdir(tmp_path)
    assert study_folders(["results/one", str(one)]) == [one]
    assert set(study_folders(["results"])) == set(study_folders([])) == {one, two}


@pytest.mark.parametrize(("name", "words"), [("nowhere", "got none"), ("empty", "got neither")])
def test_a_folder_without_a_study_is_one_line(tmp_path, monkeypatch, name, words):
    (tmp_path / "empty").mkdir()
    monkeypatch.chdir(tmp_path)
    with pytest.raises(StoreError, match=words):
        study_folders([name])
    with pytest.raises(StoreError, match="no study under results"):
        study_folders([])
