"""Rows under interventions: read from a user's table, and drawn from systems that can be run again."""

import numpy as np
import pandas as pd
import pytest

from trueness.datasets import load, targets_of
from trueness.datasets.frames import read_rows
from trueness.errors import DataError, SettingError


def frame(labels):
    rng = np.random.default_rng(0)
    return pd.DataFrame({"a": rng.normal(size=len(labels)), "b": rng.normal(size=len(labels)), "lab": labels})


LABELS = ["", "a", "a + b", "none", None, "b"] * 5


def test_a_column_names_the_targets_of_each_row(tmp_path):
    frame(LABELS).to_csv(tmp_path / "own.csv", index=False)
    dataset = load("own", {"data": "own.csv", "targets": "lab"}, tmp_path)
    table = dataset.table
    assert table.names == ("a", "b")
    held = table.experiments.is_target(table.names)[table.experiments.rows]
    assert held[:6].tolist() == [
        [False, False],
        [True, False],
        [True, True],
        [False, False],
        [False, False],
        [False, True],
    ]
    assert targets_of(dataset) == ((), ("a",), ("a", "b"), ("b",))
    assert table.rows(np.array([1, 0])).experiments.observational.tolist() == [False, True]
    assert targets_of(dataset.anonymous()) == ((), ("X1",), ("X1", "X2"), ("X2",))
    assert dataset.draw(10, np.random.default_rng(0)).experiments is not None
    assert read_rows(tmp_path / "own.csv", kinds={"lab": "left out"}).experiments is None


def test_a_mapping_says_what_labels_stand_for():
    setting = {"lab": {"0": [], "1": ["a"], "2": ["a", "b"]}}
    table = load(frame([0, 1, 2] * 10), {"targets": setting}).table
    assert table.experiments.family == ((), ("a",), ("a", "b"))


@pytest.mark.parametrize(
    ("labels", "setting", "error", "message"),
    [
        (["c", ""], "lab", DataError, "target 'c' of column 'lab' must be a column"),
        ([0, 1], "lab", DataError, "must name the columns that were targets, got numbers"),
        (["x", "y"], {"lab": {"x": []}}, DataError, "'y' in column 'lab' of the data must have targets"),
        (["x", "y"], {"lab": "a"}, SettingError, "'targets' must be the name of a column, or one column"),
        (["x", "y"], "nolab", DataError, "'nolab' in 'targets' is not a column"),
    ],
)
def test_what_cannot_be_read_is_said(labels, setting, error, message):
    with pytest.raises(error, match=message):
        load(frame(labels * 10), {"targets": setting})


# ---- systems


def rows_of(of, how, n=60_000, **more):
    dataset = load(
        "lab", {"kind": "experiments", "of": of, "targets": [["X2"] if "syn" in of else ["bronc"]], "how": how, **more}
    )
    return dataset, dataset.draw(n, np.random.default_rng(0))


def test_a_hard_intervention_cuts_a_target_from_its_causes_and_reaches_its_effects():
    dataset, table = rows_of("synthetic-8", "do")
    causes = [table.names.index(name) for name in dataset.truth.parents("X2")]
    effects = [j for j, name in enumerate(table.names) if "X2" in dataset.truth.parents(name)]
    assert causes and effects
    free, held = table.values[table.experiments.observational], table.values[~table.experiments.observational]
    assert abs(np.corrcoef(free[:, 2], free[:, causes[0]])[0, 1]) > 0.1
    assert abs(np.corrcoef(held[:, 2], held[:, causes[0]])[0, 1]) < 0.03
    assert held[:, 2].mean() == pytest.approx(2, abs=0.05)
    assert abs(held[:, effects[0]].mean() - free[:, effects[0]].mean()) > 0.1
    assert held[:, causes[0]].mean() == pytest.approx(free[:, causes[0]].mean(), abs=0.05)


@pytest.mark.parametrize(("how", "mean"), [("shift", 2.0), ("soft", 0.0)])
def test_shift_and_soft_keep_the_causes(how, mean):
    dataset, table = rows_of("synthetic-8", how)
    cause = table.names.index(dataset.truth.parents("X2")[0])
    free, held = (table.values[mask] for mask in (table.experiments.observational, ~table.experiments.observational))
    assert held[:, 2].mean() == pytest.approx(mean, abs=0.05)
    before, under = (np.corrcoef(rows[:, 2], rows[:, cause])[0, 1] for rows in (free, held))
    assert under == pytest.approx(before if how == "shift" else before / 2, abs=0.03)


@pytest.mark.parametrize(("how", "share"), [("do", 0.5), ("soft", None), ("shift", None)])
def test_networks_draw_levels_under_interventions(how, share):
    _, table = rows_of("asia", how)
    smoke, bronc = table.names.index("smoke"), table.names.index("bronc")
    held = table.values[~table.experiments.observational]
    by_cause = [held[held[:, smoke] == code, bronc].mean() for code in (0, 1)]
    # asia: P(bronc = no | smoke = yes, no) = .4, .7; soft halves the way to .5, shift moves half of the 0 to 1
    wanted = {"do": (0.5, 0.5), "soft": (0.45, 0.6), "shift": (0.7, 0.85)}[how]
    assert by_cause == pytest.approx(wanted, abs=0.02)


@pytest.mark.parametrize(
    ("settings", "message"),
    [
        ({"of": "sachs", "targets": [["pkc"]]}, "'of' must be a system that is simulated"),
        ({"of": "asia", "targets": [["smok"]]}, "Did you mean 'smoke'"),
        ({"of": "asia", "targets": ["smoke"]}, "'targets' must be lists of columns"),
        ({"of": "asia", "targets": [["smoke"]], "how": "hard"}, "'how' must be one of"),
        ({"targets": [["smoke"]]}, "must have 'of"),
        ({"of": "asia", "targets": [["smoke"]], "observational": 1.0}, "'observational' must be a share"),
    ],
)
def test_settings_of_experiments_are_checked(settings, message):
    with pytest.raises(SettingError, match=message):
        load("lab", {"kind": "experiments", **settings})
