"""Rows that depend on each other, files that are only sorted, and gaps that hang on another column: at the doors."""

import json
from pathlib import Path

import numpy as np
import pandas as pd
import pytest
from scipy.signal import lfilter

import trueness
from trueness.cli import main

ROWS, GAPS = "rows are independent of each other", "gaps hang on no other column"


def check(frame, folder, capsys, name="table.csv"):
    frame.to_csv(folder / name, index=False)
    code = main(["check", str(folder / name), "--json"])
    rows = json.loads(capsys.readouterr().out)
    return code, {row["rule"]: row for row in rows if "rule" in row}, rows


def series(rho, n=1000, seed=0):
    noise = np.random.default_rng(seed).normal(size=(n + 500, 4))
    return pd.DataFrame(lfilter([1], [1, -rho], noise, axis=0)[500:], columns=list("abcd"))


@pytest.mark.parametrize("rho", [0.3, 0.6, 0.9, 0.99])
def test_check_fails_rows_that_follow_each_other_and_tells_how_many_they_are_worth(rho, tmp_path, capsys):
    code, rules, rows = check(series(rho), tmp_path, capsys)
    assert code == 1 and rules[ROWS]["verdict"] == "FAIL" and "effective rows of 1,000" in rules[ROWS]["detail"]
    assert all(abs(row["lag 1"] - rho) < 0.12 for row in rows if "lag 1" in row)
    assert not any("expected F1" in row for row in rows)  # what is promised of independent rows


def test_times_are_known_however_they_are_written_and_other_numbers_are_none(tmp_path, capsys):
    when = pd.date_range("2021-01-01", periods=1000, freq="D").to_series().reset_index(drop=True)
    seconds = when.astype("datetime64[s]").astype("int64")
    columns = {"day": when.dt.strftime("%Y%m%d"), "date": when.dt.strftime("%b %d, %Y"), "timestamp": seconds,
               "created_time": 1000 * seconds, "when": when.dt.strftime("%d %B %Y")}  # fmt: skip
    for name, times in columns.items():
        shuffled = series(0.9).assign(**{name: times}).sample(frac=1, random_state=1)
        code, rules, rows = check(shuffled, tmp_path, capsys)
        assert code == 1 and f"in the order of {name}" in rules[ROWS]["detail"]
        assert rows[4]["kind"] == "left out" and "dates or times" in rows[4]["why"]
    numbers = np.random.default_rng(1).integers(200, 900, 1000)
    for name, values in {"time": numbers, "income": 20_210_000 + numbers // 50}.items():
        assert check(series(0.9).assign(**{name: values}), tmp_path, capsys)[2][4]["kind"] != "left out"


def test_independent_rows_pass_also_where_they_are_sorted_by_a_column_that_others_follow(tmp_path, capsys):
    rng = np.random.default_rng(0)
    x = rng.normal(size=800)
    plain = pd.DataFrame({"x": x, "y": x + rng.normal(size=800), "z": rng.normal(size=800)})
    plain["group"] = np.where(plain.x + rng.normal(size=800) > 0, "up", "down")
    for frame, word in ((plain, "no lag-1"), (plain.sort_values("x"), "sorted by x"),
                        (plain.sort_values("group"), "sorted by group")):  # fmt: skip
        code, rules, _ = check(frame, tmp_path, capsys)
        assert code == 0 and rules[ROWS]["verdict"] == "pass" and word in rules[ROWS]["detail"]


def visits(likeness, patients=120, waves=5):
    rng = np.random.default_rng(0)
    rows = pd.DataFrame({"patient": np.repeat(np.arange(patients), waves), "wave": np.tile(np.arange(waves), patients)})
    for name in "xy":
        own = np.sqrt(likeness) * rng.normal(size=patients)
        rows[name] = own[rows.patient] + np.sqrt(1 - likeness) * rng.normal(size=len(rows))
    return rows


def test_rows_of_the_same_unit_are_no_independent_ones_in_any_order(tmp_path, capsys):
    frame = visits(0.9)
    words = frame.rename(columns={"patient": "ward_id"}).assign(ward_id=[f"W{one}" for one in frame.patient])
    for rows in (frame, frame.sort_values("wave"), frame.sample(frac=1, random_state=1), words):
        unit = rows.columns[0]
        code, rules, columns = check(rows, tmp_path, capsys)
        assert code == 1 and f"rows of the same {unit} depend on each other" in rules[ROWS]["detail"]
        assert "120 different" in rules[ROWS]["detail"] and "Keep one row of each" in rules[ROWS]["detail"]
        assert columns[0]["column"] == unit and columns[0]["kind"] == "left out"
    frame.to_csv(tmp_path / "t.csv", index=False)
    kept = trueness.load(str(tmp_path / "t.csv"), {"kinds": {"patient": "continuous"}})
    assert kept.table.names[0] == "patient"
    assert main(["check", str(tmp_path / "t.csv"), "--kinds", "patient=continuous"]) == 1


def test_a_sorted_time_does_not_hide_a_series(tmp_path, capsys):
    frame = series(0.9).assign(hour=np.arange(1000) / 24)
    code, rules, _ = check(frame, tmp_path, capsys)
    assert code == 1 and "sorting by hour" in rules[ROWS]["detail"]


def test_a_discovery_study_of_rows_that_depend_fails_a_check_also_on_its_page(
    tmp_path, monkeypatch, capsys, kept_lanes
):
    monkeypatch.chdir(tmp_path)
    series(0.9, 300).to_csv("line.csv", index=False)
    Path("line.dot").write_text("digraph { a -> b; b -> c; c -> d }")
    plan = '[discovery]\ndatasets = ["line.csv:line.dot"]\nlearners = ["correlation"]\nruns = 2\n'
    Path("line.toml").write_text(f'folder = "out"\n{plan}')
    assert main(["run", "line.toml", "--workers", "1"]) == 0
    assert "3 checks, 2 fail: runs (Each cell has 2 runs); rows (rows depend on each other)" in capsys.readouterr().out
    assert "effective rows" in Path("out/report.html").read_text()
    assert main(["show", "out", "--json"]) == 0
    assert not json.loads(capsys.readouterr().out)["row_dependence"]["line.csv:line.dot"]["passed"]
