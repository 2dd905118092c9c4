"""Each reader has a limit, and the message names it: what is too large, too deep or too wide is refused, not tried."""

import gzip
import json

import numpy as np
import pyarrow
import pyarrow.parquet
import pytest

from tests.hostile.attack import within
from trueness import outside
from trueness.analyse import loading
from trueness.analyse.analysis_settings import AnalysisSettings
from trueness.analyse.loading import read_table
from trueness.datasets import frames, surveys
from trueness.datasets.frames import read_rows
from trueness.datasets.networks import MOST_CELLS, MOST_PARENTS, parse_bif
from trueness.errors import (
    DataError,
    GraphError,
    PlanError,
    SettingError,
    did_you_mean,
    listed,
)
from trueness.graphs.formats import from_dot, from_json
from trueness.graphs.links import MAX_NODES, MAX_PARTS
from trueness.reading.reasoning_graph import read_reasoning
from trueness.running.study import Plan
from trueness.status import Status

PLAN = 'name = "s"\n[discovery]\ndatasets = ["asia"]\nlearners = ["pc"]\n'


def bomb(path, unpacked):
    """A few kilobytes that unpack to `unpacked` bytes of one line a row."""
    with gzip.open(path, "wb", compresslevel=9) as file:
        file.write(b"a,b\n")
        for _ in range(unpacked // 4_000_000 + 1):
            file.write(b"1,2\n" * 1_000_000)
    return path


# ---- size


def test_a_table_that_unpacks_to_more_than_its_limit_is_refused(tmp_path, monkeypatch):
    monkeypatch.setattr(frames, "MAX_TABLE", outside.MEGABYTE)
    path = bomb(tmp_path / "t.csv.gz", 8_000_000)
    assert path.stat().st_size < 50_000
    with within(), pytest.raises(DataError, match="must have at most 1 MB unpacked, got more"):
        read_rows(path)


@pytest.mark.parametrize(
    ("name", "read"),
    [
        ("study.toml", Plan.read),
        ("analyse.toml", AnalysisSettings.read),
    ],
)
def test_a_file_written_by_hand_is_small(name, read, tmp_path):
    (tmp_path / name).write_bytes(b"#" * (outside.MAX_PLAN + 1))
    with pytest.raises((PlanError, SettingError), match="must have at most 1 MB, got more"):
        read(tmp_path / name)


# ---- width


def test_a_million_columns_are_refused_at_once(tmp_path):
    (tmp_path / "t.csv").write_text(",".join(f"c{k}" for k in range(1_000_000)) + "\n")
    with within(), pytest.raises(DataError, match="at most 5,000 columns, got 1,000,000"):
        read_rows(tmp_path / "t.csv")
    with within(), pytest.raises(DataError, match="at most 50,000 columns, got 1,000,000"):
        surveys.open_microdata("t.csv", tmp_path)
    with within(), pytest.raises(DataError, match="at most 10,000 columns"):
        read_table(tmp_path / "t.csv")


def test_rows_beyond_the_cells_that_fit_are_refused(tmp_path, monkeypatch):
    monkeypatch.setattr(frames, "MAX_CELLS", 10)
    (tmp_path / "t.csv").write_text("a,b\n" + "1,2\n" * 6)
    with pytest.raises(DataError, match="at most 10 cells, got more than 5 rows of 2 columns"):
        read_rows(tmp_path / "t.csv")
    monkeypatch.setattr(loading, "MAX_CELLS", 10)
    with pytest.raises(DataError, match="at most 10 cells"):
        read_table(tmp_path / "t.csv")


def test_a_small_parquet_file_of_many_rows_is_refused(tmp_path, monkeypatch):
    """Run-length encoding: three million equal numbers are ten kilobytes."""
    pyarrow.parquet.write_table(pyarrow.table({"a": np.zeros(3_000_000, np.int8)}), tmp_path / "t.parquet")
    assert (tmp_path / "t.parquet").stat().st_size < 50_000
    for read, module in ((read_rows, frames), (read_table, loading)):
        monkeypatch.setattr(module, "MAX_CELLS", 1_000_000)
        with within(), pytest.raises(DataError, match="at most 1,000,000 cells, got 3,000,000 rows of 1 columns"):
            read(tmp_path / "t.parquet")


def test_a_graph_of_many_nodes_or_edges_is_refused():
    nodes = [f"n{k}" for k in range(MAX_NODES + 1)]
    refused = pytest.raises(GraphError, match="at most 5,000 nodes, got 5,001")
    with within(), refused:
        from_json(json.dumps({"nodes": nodes, "edges": []}))
    with within(), refused:
        from_dot("digraph {" + ";".join(nodes) + "}")
    with within(), pytest.raises(GraphError, match=f"at most {MAX_PARTS:,} parts"):
        from_json('{"nodes": [' + "[]," * MAX_PARTS + "[]]}")


def test_a_network_whose_tables_are_too_large_is_refused():
    variables = "".join(f"variable v{k} {{ type discrete [ 2 ] {{ a, b }}; }}\n" for k in range(100))
    parents = ", ".join(f"v{k}" for k in range(1, 40))
    rest = "".join(f"probability ( v{k} ) {{ table 0.5, 0.5; }}\n" for k in range(1, 100))
    with within(), pytest.raises(DataError, match=f"at most {MOST_CELLS:,} cells"):
        parse_bif(f"network n {{ }}\n{variables}probability ( v0 | {parents} ) {{ default 0.5, 0.5; }}\n{rest}")
    many = ", ".join(f"v{k}" for k in range(1, 90))
    with within(), pytest.raises(DataError, match=f"at most {MOST_PARENTS} parents, got 89"):
        parse_bif(f"network n {{ }}\n{variables}probability ( v0 | {many} ) {{ default 0.5, 0.5; }}\n{rest}")


# ---- depth, and numbers without end


@pytest.mark.parametrize("depth", [60, 900, 100_000])
def test_nesting_is_refused_in_every_format(depth, tmp_path):
    deep = "[" * depth + "]" * depth
    with within(), pytest.raises(PlanError, match="nested at most 50 deep|must be valid TOML"):
        Plan.parse(f"{PLAN}x = {deep}", "study.toml")
    with within(), pytest.raises(GraphError, match="nested at most 50 deep|must be valid JSON"):
        from_json(f'{{"nodes": {deep}, "edges": []}}')
    (tmp_path / "l.json").write_text(f'[{{"a": {deep}}}]')
    with within(), pytest.raises(DataError, match="nested at most 50 deep|must be valid JSON"):
        read_table(tmp_path / "l.json")
    with within():
        assert read_reasoning(f'{{"target": "x", "edges": {deep}}}').status is not Status.OK
    dotted = "a." * depth + "b = 1"
    with within(), pytest.raises(PlanError):
        Plan.parse(f"{PLAN}{dotted}", "study.toml")


# ---- messages


def test_a_name_without_end_is_cut_and_not_compared():
    assert len(listed(["x" * 10_000])) < 100
    with within(5):
        assert did_you_mean("x" * 1_000_000, ["x" * 999_999] * 100) == ""
