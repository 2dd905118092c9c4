"""A stranger's table as it is: what each column is taken as, what is left out and why, and a study without a truth."""

import io
import json

import numpy as np
import pandas as pd
import pytest
from rich.console import Console

from tests.each import each
from tests.lanes import same_lanes
from trueness.datasets import Table, load
from trueness.datasets.frames import read_rows
from trueness.errors import DataError, SettingError
from trueness.running.study import Plan, Study
from trueness.running.study_folder import StudyFolder
from trueness.studies.discovery.reading import DiscoveryReading
from trueness.studies.reporting import readings_of
from trueness.terminal.print_report import show_reading

ROWS = 60


@pytest.fixture(scope="module")
def wages():
    rng = np.random.default_rng(1)
    education, experience = rng.integers(8, 20, ROWS), rng.integers(0, 40, ROWS)
    return pd.DataFrame(
        {
            "row": np.arange(1, ROWS + 1),
            "staff_id": rng.permutation(10 * ROWS)[:ROWS],
            "hired": pd.date_range("2020-01-01", periods=ROWS).strftime("%Y-%m-%d"),
            "education": education,
            "experience": experience,
            "age": 6 + education + experience,
            "sex": rng.choice(["f", "m"], ROWS),
            "gender": "",
            "children": rng.integers(0, 4, ROWS),
            "wage": rng.normal(size=ROWS),
            "site": "here",
            "remark": [f"note {k}" for k in range(ROWS)],
        }
    ).assign(gender=lambda f: f["sex"].map({"f": "woman", "m": "man"}))


WHY = {
    "row": ("left out", "numbers of rows, 1 to 60"),
    "staff_id": ("left out", "an identifier by its name"),
    "hired": ("left out", "dates or times (2020-01-01)"),
    "education": ("continuous", "whole numbers, 12 different"),
    "experience": ("continuous", "whole numbers"),
    "age": ("left out", "it is 6 + education + experience"),
    "sex": ("discrete", "words"),
    "gender": ("left out", "a copy of sex"),
    "children": ("ordered", "whole numbers, 4 different"),
    "wage": ("continuous", "numbers"),
    "site": ("left out", "constant (all here)"),
    "remark": ("left out", "60 different texts in 60 rows"),
}


@each("ending", ["csv", "tsv", "csv.gz", "parquet", "jsonl", "memory"])
def test_one_rule_says_what_each_column_is_whatever_the_table_comes_in(wages, tmp_path, ending):
    path = tmp_path / f"wages.{ending}"
    if ending == "parquet":
        wages.to_parquet(path)
    elif ending == "jsonl":
        wages.to_json(path, orient="records", lines=True)
    elif ending != "memory":
        wages.to_csv(path, index=False, sep="\t" if ending == "tsv" else ",")
    dataset = load(wages if ending == "memory" else str(path))
    for column in dataset.table.judged:
        kind, why = WHY[column.name]
        assert (column.kind, why in column.why) == (kind, True), column
    assert dataset.table.names == tuple(name for name, (kind, _) in WHY.items() if kind != "left out")
    assert sum("was left out" in note for note in dataset.about.notes) == 7


def test_kinds_can_be_said_and_are_checked(wages, tmp_path):
    wages.assign(wage=wages["wage"].astype(object).where(wages.index != 3, "unknown")).to_csv(
        tmp_path / "w.csv", index=False
    )
    with pytest.raises(
        DataError, match=r"'wage' of w.csv must hold numbers, got 'unknown' in row 4. .*--kinds wage=continuous"
    ):
        load("w.csv", None, tmp_path)
    kinds = {"wage": "continuous", "children": "continuous", "education": "discrete", "row": "left out"}
    table = load("w", {"data": "w.csv", "kinds": kinds}, tmp_path).table
    levels = dict(zip(table.names, table.levels, strict=True))
    assert levels["children"] is None and len(levels["education"]) == 12
    assert np.flatnonzero(np.isnan(table.values[:, table.names.index("wage")])).tolist() == [3]
    with pytest.raises(SettingError, match="'wages' in 'kinds' is not a column of w.csv. Did you mean 'wage'"):
        load("w", {"data": "w.csv", "kinds": {"wages": "continuous"}}, tmp_path)
    with pytest.raises(SettingError, match="must be one of continuous, discrete, .*left out, drop, got 'number'"):
        load("w", {"data": "w.csv", "kinds": {"wage": "number"}}, tmp_path)


# ---- the program on a table without a graph


@pytest.fixture()
def folder(wages, tmp_path, monkeypatch):
    wages.to_csv(tmp_path / "wages.csv", index=False)
    monkeypatch.chdir(tmp_path)
    return tmp_path


def test_check_shows_each_column_and_passes(folder, capsys):
    from trueness.cli import main

    assert main(["check", "wages.csv", "--json"]) == 0
    rows = json.loads(capsys.readouterr().out)
    assert rows[5] == {
        "column": "age", "kind": "left out", "from": "guess", "levels": "", "missing": "",
        "why": "it is 6 + education + experience", "lag 1": "",
    }  # fmt: skip
    assert [row["verdict"] for row in rows if "rule" in row] == ["pass", "not claimed", "pass", "pass", "pass"]
    expected = {row["learner"]: row for row in rows if "learner" in row}
    assert "lingam" not in expected and 0 <= expected["pc"]["5 %"] < expected["pc"]["expected F1"] < 1  # mixed columns
    assert main(["list", "datasets", "wages.csv", "--json"]) == 0
    card = json.loads(capsys.readouterr().out)
    assert card["truth"].startswith("none") and "edges" not in card


PLAN = """
[discovery]
datasets = ["wages.csv"]
learners = ["correlation"]
runs = 3
"""


def test_a_study_of_a_table_without_a_graph_counts_edges_and_scores_nothing(folder):
    study = Study(Plan.parse(PLAN, "alone.toml", folder, folder / "out"))
    with same_lanes(1) as (executor, slots):
        outcome = study.run(executor, slots)
    assert (outcome.done, outcome.failed) == (3, 0)
    with StudyFolder.reading(folder / "out") as opened:
        reading = readings_of(opened)["discovery"]
        edges = list(DiscoveryReading(reading.results).found_edges())
        out = Console(file=io.StringIO(), width=160)
        show_reading(reading, out, folder / "out")
    assert {edge.graphs for edge in edges} == {3} and max(edge.frequency for edge in edges) <= 1
    scores = pd.read_csv(folder / "out" / "scores.csv")
    assert scores["value"].isna().all() and set(scores["status"]) == {"no_truth"}
    shown = out.file.getvalue()
    assert "No graph is known of wages.csv" in shown
    assert "wages.csv: age was left out: it is 6 + education + experience." in shown


@pytest.mark.parametrize("ending", ["csv", "parquet", "jsonl", "memory"])
def test_an_empty_text_is_a_gap_in_every_format(tmp_path, ending):
    frame = pd.DataFrame({"answer": ["yes", "", "no", "yes", ""], "count": ["3", "4.5", "", "1", "2"], "n": range(5)})
    path = tmp_path / f"t.{ending}"
    if ending == "csv":
        frame.to_csv(path, index=False)
    elif ending == "parquet":
        frame.to_parquet(path)
    elif ending == "jsonl":
        frame.to_json(path, orient="records", lines=True)
    table = Table.of(frame, strict=False) if ending == "memory" else read_rows(path, strict=False)
    assert [(column.kind, column.levels, column.missing) for column in table.judged[:2]] == [
        ("discrete", 2, 2),
        ("continuous", 0, 1),
    ]
