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
from trueness.datasets.redundant import redundant_columns
from trueness.errors import DataError, SettingError, TruenessError
from trueness.learners import learner
from trueness.learners.stability import stability
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


def test_columns_without_anything_of_their_own_can_be_kept(wages):
    dataset = load(wages.drop(columns="site"), {"redundant": "keep"})
    assert {"age", "gender"} <= set(dataset.table.names)
    assert "age was kept: it is 6 + education + experience" in dataset.about.notes
    with pytest.raises(DataError, match="must vary"):
        load(wages, {"redundant": "keep"})


def test_a_column_that_nearly_follows_is_no_redundant_one():
    rng = np.random.default_rng(0)
    x = rng.normal(size=(200, 3))
    table = Table.of(np.column_stack([x, 2 * x[:, 0] - x[:, 1] + 1e-4 * rng.normal(size=200)]))
    assert redundant_columns(table) == {}
    table = Table.of(np.column_stack([x, 2 * x[:, 0] - x[:, 1]]))
    assert redundant_columns(table) == {"X3": "it is 2 X0 - 1 X1"}


def test_in_strict_reading_dates_and_identifiers_are_errors(wages, tmp_path):
    wages[["hired", "wage"]].to_csv(tmp_path / "w.csv", index=False)
    with pytest.raises(DataError, match="'hired' of w.csv must be a number or a category, got dates"):
        read_rows(tmp_path / "w.csv")


@pytest.mark.parametrize(
    ("text", "message"),
    [
        (
            '{"a": 1, "b": [1, 2]}\n{"a": 2, "b": 3}\n',
            "record 1 of t.jsonl must be flat, got a list or an object",
        ),
        ('{"a": 1}\n[1]\n', "must hold records"),
        ('{"a": 1\n', "line 1 of t.jsonl must be valid JSON"),
        ("", "got an empty file"),
    ],
)
def test_json_lines_that_are_no_table_are_told_in_one_line(tmp_path, text, message):
    (tmp_path / "t.jsonl").write_text(text)
    with pytest.raises(TruenessError, match=message) as caught:
        read_rows(tmp_path / "t.jsonl")
    assert "\n" not in str(caught.value)


def test_a_resample_in_which_a_column_becomes_dependent_says_so_in_the_result():
    rng = np.random.default_rng(0)
    rare = np.zeros(40)
    rare[:2] = 1.0  # one resample in seven has neither of the two rows
    table = Table.of(np.column_stack([rng.normal(size=(40, 2)), rare]))
    found = stability("pc", table, repeats=30, rng=np.random.default_rng(1))
    assert sum(found.messages.values()) == sum(found.failures.values()) > 0
    assert "resamples gave no graph: column 'X2' of the data must vary" in str(found)
    assert learner("pc").fit(table).nodes == table.names


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


def test_what_needs_a_truth_says_so_in_one_line(folder):
    text = PLAN + '[forecast]\nmodels = ["baseline/heuristic"]\n'
    with pytest.raises(DataError, match="wages.csv must have a known graph") as caught:
        Study(Plan.parse(text, "alone.toml", folder, folder / "out"))
    assert "\n" not in str(caught.value)


def test_stability_takes_gaps_where_the_learner_does(wages):
    gappy = load(wages.assign(wage=wages["wage"].where(wages.index != 6))).table
    assert stability("pc", gappy, repeats=3, rng=np.random.default_rng(0)).n == 3
    with pytest.raises(DataError, match="must have no missing values, got 1"):
        stability("correlation", gappy, repeats=3, rng=np.random.default_rng(0))


def test_why_too_few_columns_are_left_is_said(tmp_path):
    file = tmp_path / "t.csv"
    file.write_text("a;b;c\n" + "".join(f"no. {k};1;2.5\n" for k in range(30)))
    with pytest.raises(DataError) as refused:
        load(str(file))
    assert "got 0 in 30 rows: a was left out: 30 different texts in 30 rows (an identifier?)" in str(refused.value)
    assert "b was left out: constant (all 1); c was left out: constant (all 2.5)." in str(refused.value)


def test_decimal_commas_and_gaps_in_small_letters_are_read(tmp_path):
    file = tmp_path / "t.csv"
    file.write_text("rain;town\n" + "".join(f"{k},25;{'n/a' if k % 7 == 0 else 'ab'[k % 2]}\n" for k in range(30)))
    table = read_rows(file)
    assert table.values[3, 0] == 3.25 and np.isnan(table.values[7, 1]) and np.isnan(table.values).sum() == 5


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


def test_a_file_takes_the_settings_that_a_frame_takes(tmp_path, wages):
    wages.to_csv(tmp_path / "w.csv", index=False)
    settings = {"kinds": {wages.columns[0]: "left out"}}
    of_file, of_frame = load("w.csv", settings, tmp_path), load(wages, settings)
    assert of_file.table.names == of_frame.table.names and of_file.name == "w"
    with pytest.raises(SettingError, match="'ages' in 'kinds' is not a column of w.csv"):
        load("w.csv", {"kinds": {"ages": "discrete"}}, tmp_path)


@pytest.mark.parametrize("start", [2**60, 10**25])
def test_whole_numbers_that_floats_cannot_tell_apart_are_no_constant(tmp_path, start):
    frame = pd.DataFrame({"a": range(4), "b": [3, 1, 4, 1], "stamp": [str(start + k) for k in (3, 0, 2, 1)]})
    frame.to_csv(tmp_path / "t.csv", index=False)
    judged = {column.name: column for column in read_rows(tmp_path / "t.csv", strict=False).judged}
    assert judged["stamp"].kind == "left out"
    assert "4 different whole numbers beyond 2^53, 1 as numbers" in judged["stamp"].why
    assert judged["a"].kind == "discrete"


def test_a_constant_column_of_a_table_with_a_graph_is_refused_with_what_to_do(tmp_path):
    pd.DataFrame({"a": [1.5, 2.5, 0.5], "b": [3.5, 1.5, 4.5], "flat": 7}).to_csv(tmp_path / "t.csv", index=False)
    (tmp_path / "t.dot").write_text("digraph { a -> b; b -> flat; }")
    with pytest.raises(DataError, match=r"'flat' of t.csv must vary, .* out of the graph and set its kind in 'kinds'"):
        load(str(tmp_path / "t.csv"))
    (tmp_path / "t.dot").write_text("digraph { a -> b; }")
    settings = {"data": "t.csv", "kinds": {"flat": "left out"}}
    assert load("t", settings, tmp_path).table.names == ("a", "b")
