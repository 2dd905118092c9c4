"""A folder of result files of others has the page of a study: in one file, and served."""

import json
import re

import pytest

from trueness.cli import main
from trueness.page.library import study_folders

from .test_server import ask

CELL = "cell/population/sex_by_age/sample/m1"


@pytest.fixture(scope="module")
def folder(tmp_path_factory):
    """Two models, one task; the first says where it was not read, and ends the script of a page."""
    place = tmp_path_factory.mktemp("results") / "benchmark"
    place.mkdir()
    true, texts = ["male"] * 30 + ["female"] * 70, ["I cannot say.</script>", *["A male, I think."] * 39]
    for model, share in (("m1", 39), ("m2", 12)):
        said = [None, *["male"] * share, *["female"] * (39 - share)]
        entries = [
            {"condition": c, "true_vals": true, "weights": None, "model_vals": said, "model_texts": texts}
            for c in ("18-39", "40 or more")
        ]
        (place / f"{model}_sex_by_age.json").write_text(json.dumps(entries))
    return place


def checked(cell):
    """Truth beside answer for each condition, and the raw replies with what the file read in them."""
    bars = [block for block in cell["blocks"] if block["kind"] == "bars"]
    assert [(bar["title"], bar["truth"], bar["claimed"]) for bar in bars] == [
        (condition, [0.7, 0.3], [0.0, 1.0]) for condition in ("18-39", "40 or more")
    ]
    assert bars[0]["levels"] == ["female", "male"] and bars[0]["replies"] == {"ok": 39, "unreadable": 1}
    texts = {block["title"]: block["text"] for block in cell["blocks"] if block["kind"] == "text"}
    assert texts["Reply 1 of 40 for 18-39: nothing was read"] == "I cannot say.</script>"
    assert texts["Reply 2 of 40 for 40 or more: read as male"] == "A male, I think."
    assert texts["Replies 4 to 40 for 18-39"].count("A male, I think.") == 37
    return True


def test_the_report_has_the_matrix_and_cells_that_open(folder, capsys):
    assert main(["report", str(folder), "--json"]) == 0
    written = [name.rpartition("/")[2] for name in json.loads(capsys.readouterr().out)["written"]]
    assert written == ["report.html", "table.csv", "table.tex"]
    page = (folder / "report.html").read_text()
    assert "default-src" in page and "I cannot say.</script>" not in page
    book = json.loads(re.search(r'type="application/json"[^>]*>(.*?)</script>', page, re.DOTALL)[1])
    grid = book["data"]["grid/population"]
    assert grid["items"] == ["sex_by_age"] and [who["name"] for who in grid["respondents"]][:2] == ["m1", "m2"]
    assert checked(book["data"][CELL]) and not book["sample"]


def test_view_serves_the_same_page(folder, serve):
    server = serve(*study_folders([str(folder)]))
    assert "benchmark" in ask(server, "/benchmark/")[2]
    assert checked(json.loads(ask(server, f"/benchmark/data/{CELL}")[2]))
    overview = json.loads(ask(server, "/benchmark/data/overview")[2])
    assert [row["respondent"] for row in overview["completeness"][0]["rows"]] == ["m1", "m2"]
    assert json.loads(ask(server, "/benchmark/data/progress")[2])["tasks"][0]["done"] == 4


def test_notes_have_no_place_among_files_of_others(folder, serve):
    server = serve(*study_folders([str(folder)]))
    headers = {"X-Trueness-Token": server.token}
    status, _, text = ask(server, "/benchmark/notes", "POST", headers, {"key": "k", "text": "t"})
    assert status == 400 and "which take no notes" in text and not (folder / "notes.jsonl").exists()


def test_a_file_that_is_none_is_said_by_view(tmp_path, capsys):
    (tmp_path / "m_t.json").write_text("[3]")
    assert main(["view", str(tmp_path), "--no-browser"]) == 2
    assert "entry 1 of m_t.json must have condition" in capsys.readouterr().err


def test_result_files_have_an_end_of_their_sum(tmp_path, capsys):
    """Twelve files of 30 MB that hold nothing take no room on a disk."""
    for k in range(12):
        with (tmp_path / f"m_t{k}.json").open("wb") as file:
            file.truncate(30 * 1024 * 1024)
    assert main(["show", str(tmp_path)]) == 2
    assert "must have at most 256 MB together, got 360 MB. Move some" in capsys.readouterr().err


def test_so_have_their_values(tmp_path, capsys):
    entry = '[{"condition": "a", "true_vals": [' + "1," * 2_600_000 + '1], "model_vals": [1]}]'
    for task in ("t1", "t2"):
        (tmp_path / f"m_{task}.json").write_text(entry)
    assert main(["show", str(tmp_path)]) == 2
    assert "must have at most 5,000,000 values together, got more in m_t2.json." in capsys.readouterr().err
