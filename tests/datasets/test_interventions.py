"""Rows under interventions: read from a user's table."""

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


@pytest.mark.parametrize(
    ("labels", "setting", "error", "message"),
    [
        (["c", ""], "lab", DataError, "target 'c' of column 'lab' must be a column"),
        ([0, 1], "lab", DataError, "must name the columns that were targets, got numbers"),
        (["x", "y"], {"lab": "a"}, SettingError, "'targets' of a table in memory must be text"),
        (["x", "y"], "nolab", DataError, "'nolab' in 'targets' is not a column"),
    ],
)
def test_what_cannot_be_read_is_said(labels, setting, error, message):
    with pytest.raises(error, match=message):
        load(frame(labels * 10), {"targets": setting})
