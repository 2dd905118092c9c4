"""Each reader has a limit, and the message names it: what is too large, too deep or too wide is refused, not tried."""

import gzip
import io
import json
import zipfile

import numpy as np
import pandas
import pyarrow
import pyarrow.parquet
import pytest

from tests.each import each
from tests.forecast.truths import bare
from tests.hostile.attack import within
from trueness import outside
from trueness.analyse import loading
from trueness.analyse.analysis_settings import AnalysisSettings
from trueness.analyse.loading import read_table
from trueness.datasets import frames, load, surveys
from trueness.datasets.bif import MOST_CELLS, MOST_PARENTS, parse_bif
from trueness.datasets.frames import read_rows
from trueness.datasets.table import Table
from trueness.errors import (
    MAX_MESSAGE,
    DataError,
    GraphError,
    PlanError,
    SettingError,
    TruenessError,
    did_you_mean,
    listed,
)
from trueness.graphs.formats import from_dot, from_graphml, from_json, read_graph
from trueness.graphs.links import MAX_NODES, MAX_PARTS
from trueness.models.addresses import read_env
from trueness.reading.reasoning_graph import read_reasoning
from trueness.reasoning.problems import read_problems
from trueness.running.study import Plan
from trueness.status import Status
from trueness.studies.forecast.human import parse_experts
from trueness.studies.forecast.references import REFERENCES, reference_claims
from trueness.studies.population.question_files import parse_questions

PLAN = 'name = "s"\n[discovery]\ndatasets = ["asia"]\nlearners = ["pc"]\n'
GRAPHML = '<graphml xmlns="http://graphml.graphdrawing.org/xmlns"><graph edgedefault="directed">{}</graph></graphml>'


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


def test_a_network_that_unpacks_to_more_than_its_limit_is_refused(tmp_path):
    with gzip.open(tmp_path / "n.bif.gz", "wb") as file:
        for _ in range(17):
            file.write(b" " * 4 * outside.MEGABYTE)
    with within(), pytest.raises(DataError, match="must have at most 64 MB unpacked"):
        load("n.bif.gz", folder=tmp_path)


@pytest.mark.parametrize(
    ("name", "read"),
    [
        ("study.toml", Plan.read),
        ("analyse.toml", AnalysisSettings.read),
        ("keys.env", read_env),
    ],
)
def test_a_file_written_by_hand_is_small(name, read, tmp_path):
    (tmp_path / name).write_bytes(b"#" * (outside.MAX_PLAN + 1))
    with pytest.raises((PlanError, SettingError), match="must have at most 1 MB, got more"):
        read(tmp_path / name)


def test_a_large_sheet_of_experts_is_refused():
    with pytest.raises(DataError, match="must have at most 16 MB"):
        parse_experts("dataset,learner,measure,low,high\n" + "x" * 17 * outside.MEGABYTE)


def test_more_experts_than_a_study_can_compare_are_refused():
    """Each is a column of skill and is compared with all others: 1,500 of them in 240 kB took 1.8 GB and minutes."""
    rows = [f"asia,pc,f1,0.1,0.2,e{k}" for k in range(101)]
    head = "dataset,learner,measure,low,high,expert"
    assert len(parse_experts("\n".join([head, *rows[:100]]))) == 100
    with pytest.raises(DataError, match="sheet must have at most 100 experts, got more"):
        parse_experts("\n".join([head, *rows]))


def test_a_row_of_a_sheet_is_checked_in_a_time_that_does_not_go_with_the_study():
    asked = {(f"d{k}", "pc", measure): 1.0 for k in range(5000) for measure in ("f1", "recall")}
    rows = [f"{dataset},{learner},{measure},0.1,0.2" for dataset, learner, measure in asked]
    with within():
        assert len(parse_experts("\n".join(["dataset,learner,measure,low,high", *rows]), limits=asked)) == 10_000


@pytest.mark.parametrize(
    ("names", "targets", "what"),
    [
        (["baseline/random"] * 2, ["run"], "must name each once"),
        (["baseline/random"], ["run", "run"], "must name each once"),
        (["baseline/random"], [f"t{k}" for k in range(51)], "at most 200,000 claims of references, got 204,000"),
        (["baseline/climatology"], ["run"], "at most 10,000 truths for references, got 10,001"),
    ],
)
def test_references_are_counted_before_they_answer(names, targets, what):
    """750 references x 1,500 targets stood in 80 kB of a study.db."""
    count = 10_001 if "truths" in what else 4000
    truths = {(f"d{k}", "pc", "f1"): bare([0.5], "f1", f"d{k}", "pc") for k in range(count)}
    with within(), pytest.raises(DataError, match=what):
        reference_claims(truths, {}, names, targets)


def test_six_hundred_data_sets_are_each_compared_with_the_others_in_time():
    """The nearest of them was sought among the distances of all pairs, anew for every truth."""
    about = {f"d{k}": {"nodes": 5 + k, "density": 0.2, "rows": 100} for k in range(600)}
    truths = {(name, "pc", "f1"): bare([0.5, 0.6], "f1", name, "pc") for name in about}
    with within():
        assert len(reference_claims(truths, about)) == 600 * 3 * (len(REFERENCES) + 1)  # the oracle answers twice


def test_a_log_that_unpacks_to_more_than_its_limit_is_refused(tmp_path, monkeypatch):
    monkeypatch.setattr("trueness.analyse.harness_logs.MAX_RECORDS", outside.MEGABYTE)
    with zipfile.ZipFile(tmp_path / "l.eval", "w", zipfile.ZIP_DEFLATED) as archive:
        archive.writestr("header.json", "{}")
        archive.writestr("summaries.json", " " * 2_000_000)
    with pytest.raises(DataError, match="at most 1 MB of summaries unpacked"):
        read_table(tmp_path / "l.eval")


def test_a_large_problems_file_is_refused(tmp_path):
    (tmp_path / "p.jsonl").write_text("\n" * 100_001)
    with pytest.raises(DataError, match="at most 100,000 problems"):
        read_problems(tmp_path / "p.jsonl")


def test_a_long_text_has_no_reasoning_graph():
    reading = read_reasoning("{" * 1_000_001)
    assert reading.status is Status.UNREADABLE and "at most 1,000,000 characters" in reading.message


# ---- width


def test_a_million_columns_are_refused_at_once(tmp_path):
    (tmp_path / "t.csv").write_text(",".join(f"c{k}" for k in range(1_000_000)) + "\n")
    with within(), pytest.raises(DataError, match="at most 5,000 columns, got 1,000,000"):
        read_rows(tmp_path / "t.csv")
    with within(), pytest.raises(DataError, match="at most 50,000 columns, got 1,000,000"):
        surveys.open_microdata("t.csv", tmp_path)
    with within(), pytest.raises(DataError, match="at most 10,000 columns"):
        read_table(tmp_path / "t.csv")


def test_a_table_in_memory_of_many_columns_is_not_compared_pair_by_pair():
    with within():
        Table(tuple(f"c{k}" for k in range(100_000)), np.zeros((1, 100_000)), (None,) * 100_000)


def test_a_header_without_end_is_refused(tmp_path, monkeypatch):
    monkeypatch.setattr(frames, "MAX_HEADER", 1000)
    (tmp_path / "t.csv").write_text("a" * 5000 + ",b\n1,2\n")
    with pytest.raises(DataError, match="the header of t.csv must have at most"):
        read_rows(tmp_path / "t.csv")


def test_a_cell_longer_than_csv_allows_is_one_line(tmp_path):
    (tmp_path / "t.csv").write_text('a,"' + "b" * 200_000 + '"\n1,2\n')
    with pytest.raises(DataError, match="field larger than field limit"):
        read_rows(tmp_path / "t.csv")
    with pytest.raises(DataError, match="must be CSV"):
        parse_experts('dataset,learner,measure,low,high\n"' + "b" * 200_000 + '",pc,f1,0,1\n')


@pytest.mark.parametrize("numbers", [0, 50_000, 99_000])
def test_a_long_column_that_is_no_category_is_not_read_to_its_end(numbers):
    """16 million different texts took 114 s to be counted; 257 are as many as are too many."""
    texts = pandas.Series([*map(str, range(numbers)), *(f"t{k}" for k in range(300_000 - numbers))], dtype="string")
    with pytest.raises(DataError, match="more than 256 different texts in the first 100,000 rows"):
        Table.of(pandas.DataFrame({"a": texts, "b": 1.5}))


def test_a_long_column_of_numbers_or_of_a_category_is_read():
    long = pandas.DataFrame({"a": ["x", "y"] * 150_000, "b": [str((k + 1) * 10**20) for k in range(300_000)]})
    table = Table.of(long)
    assert table.levels == (("x", "y"), None)
    with pytest.raises(DataError, match="'a' of the data must hold numbers, got 'x' in row 250001"):
        Table.of(pandas.DataFrame({"a": [*map(str, range(250_000)), *["x"] * 50_000], "b": 1.5}))
    half = [*map(str, range(140_000)), *["x"] * 160_000]
    with pytest.raises(DataError, match="more than 256 different texts in the first 300,000 rows"):
        Table.of(pandas.DataFrame({"a": half, "b": 1.5}))


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


def test_records_with_a_key_each_make_no_table(tmp_path):
    (tmp_path / "l.jsonl").write_text("\n".join(json.dumps({f"k{i}": 1}) for i in range(8_000)))
    with (
        within(),
        pytest.raises(DataError, match="at most 50,000,000 cells, got 8,000 samples with 8,000 different keys"),
    ):
        read_table(tmp_path / "l.jsonl")


def test_a_graph_of_many_nodes_or_edges_is_refused():
    nodes = [f"n{k}" for k in range(MAX_NODES + 1)]
    refused = pytest.raises(GraphError, match="at most 5,000 nodes, got 5,001")
    with within(), refused:
        from_json(json.dumps({"nodes": nodes, "edges": []}))
    with within(), refused:
        from_dot("digraph {" + ";".join(nodes) + "}")
    with within(), refused:
        from_graphml(GRAPHML.format("".join(f'<node id="{node}"/>' for node in nodes)))
    with within(), pytest.raises(GraphError, match=f"at most {MAX_PARTS:,} parts"):
        from_json('{"nodes": [' + "[]," * MAX_PARTS + "[]]}")
    with within(), pytest.raises(GraphError, match=f"at most {MAX_PARTS:,} parts"):
        from_graphml(GRAPHML.format("<a>" * (MAX_PARTS + 1)))


def test_a_network_whose_tables_are_too_large_is_refused():
    variables = "".join(f"variable v{k} {{ type discrete [ 2 ] {{ a, b }}; }}\n" for k in range(100))
    parents = ", ".join(f"v{k}" for k in range(1, 40))
    rest = "".join(f"probability ( v{k} ) {{ table 0.5, 0.5; }}\n" for k in range(1, 100))
    with within(), pytest.raises(DataError, match=f"at most {MOST_CELLS:,} cells"):
        parse_bif(f"network n {{ }}\n{variables}probability ( v0 | {parents} ) {{ default 0.5, 0.5; }}\n{rest}")
    many = ", ".join(f"v{k}" for k in range(1, 90))
    with within(), pytest.raises(DataError, match=f"at most {MOST_PARENTS} parents, got 89"):
        parse_bif(f"network n {{ }}\n{variables}probability ( v0 | {many} ) {{ default 0.5, 0.5; }}\n{rest}")


def test_tables_that_are_too_large_together_are_refused():
    """Thirty times 20 parents: a few kilobytes of `default` rows would be 60 million cells."""
    variables = "".join(f"variable v{k} {{ type discrete [ 2 ] {{ a, b }}; }}\n" for k in range(50))
    roots = "".join(f"probability ( v{k} ) {{ table 0.5, 0.5; }}\n" for k in range(20))
    parents = ", ".join(f"v{k}" for k in range(20))
    rest = "".join(f"probability ( v{k} | {parents} ) {{ default 0.5, 0.5; }}\n" for k in range(20, 50))
    with within(), pytest.raises(DataError, match="at most 40,000,000 cells in all"):
        parse_bif(f"network n {{ }}\n{variables}{roots}{rest}")


def test_a_variable_with_a_number_of_levels_without_end_is_refused():
    text = (
        "network n { }\nvariable v { type discrete [ " + "9" * 10_000 + " ] { a, b }; }\nprobability ( v ) { table 1; }"
    )
    with pytest.raises(DataError, match="type discrete"):
        parse_bif(text)


def test_replicate_weights_without_end_are_refused(tmp_path):
    task = {
        "data": "p.csv",
        "variables": ["a", "b"],
        "prompt": "{}",
        "replicate_weights": {"prefix": "w", "count": 10**12},
    }
    with within(), pytest.raises(PlanError, match="at most 1,000 columns"):
        parse_questions({"tasks": {"t": task}}, "t.toml", tmp_path)


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


def test_deep_xml_is_refused():
    with within(), pytest.raises(GraphError):
        from_graphml(GRAPHML.format('<node id="a"><graph>' * 4_000))


@pytest.mark.parametrize("number", ["9" * 100_000, "1e400", "-1e400"])
def test_a_number_out_of_range_is_refused_or_is_no_number(number, tmp_path):
    with within(), pytest.raises(PlanError):
        Plan.parse(f"seed = {number}\n{PLAN}", "study.toml")
    with within(), pytest.raises(GraphError):
        from_json(f'{{"nodes": ["a", "b"], "edges": [{{"source": "a", "target": "b", "weight": {number}}}]}}')
    with within(), pytest.raises(GraphError):
        from_dot(f'digraph {{ a -> b [strength="{number}"] }}')
    (tmp_path / "t.csv").write_text("a,b\n" + "\n".join(f"{k},{number}" for k in range(5)))
    with within(), pytest.raises(TruenessError):
        load("t.csv", folder=tmp_path)


@pytest.mark.parametrize("number", ["9" * 400, "-9223372036854775809"])
def test_a_whole_number_of_a_plan_has_64_bits(number):
    with pytest.raises(PlanError, match="whole numbers of at most 64 bits"):
        Plan.parse(f"{PLAN}runs = {number}\n", "study.toml")


@each("weights", [[], [1], [1, 2, 3], "ab", [None, 1], 5])
def test_weights_of_another_shape_are_one_line(weights):
    for kind in ("synthetic", "var"):
        with pytest.raises(SettingError):
            load("x", {"kind": kind, "weights": weights})


@pytest.mark.parametrize("seed", [-1, "one", 1.5, [1]])
def test_a_graph_seed_is_a_whole_number(seed):
    for kind in ("synthetic", "var"):
        with pytest.raises(SettingError, match="'graph_seed'"):
            load("x", {"kind": kind, "graph_seed": seed})


def test_whole_numbers_beyond_64_bits_are_numbers(tmp_path):
    (tmp_path / "t.csv").write_text("a,b\n" + "\n".join(f"{k},{k}00000000000000000000000" for k in range(1, 20)))
    assert read_rows(tmp_path / "t.csv").values[:3, 1].tolist() == [1e23, 2e23, 3e23]


# ---- messages


def test_a_message_is_one_line_whatever_names_stand_in_it():
    told = str(DataError("column 'a\nb\x1b[31m\u2028c' " + "x" * 10_000 + ". Rename it."))
    assert told.isprintable() and len(told) <= MAX_MESSAGE and told.endswith("Rename it.")


def test_a_name_without_end_is_cut_and_not_compared():
    assert len(listed(["x" * 10_000])) < 100
    with within(5):
        assert did_you_mean("x" * 1_000_000, ["x" * 999_999] * 100) == ""


def test_a_file_name_that_no_system_can_have_is_one_line(tmp_path):
    for name in ("a" * 5_000, "a\0b"):
        with pytest.raises(TruenessError):
            load(f"{name}.csv", folder=tmp_path)
        with pytest.raises(TruenessError):
            Plan.parse(f'[discovery]\ndatasets = ["{"a" * 5_000}.csv"]\nlearners = ["pc"]\n', "study.toml")


def test_a_gzip_that_is_none_is_one_line(tmp_path):
    for name, content in (
        ("g.json.gz", b"{"),
        ("t.csv.gz", gzip.compress(b"a,b\n1,2\n")[:-9]),
        ("b.bif.gz", b"\x1f\x8b"),
    ):
        (tmp_path / name).write_bytes(content)
        with pytest.raises(TruenessError):
            read_graph(tmp_path / name) if name.startswith("g") else load(name, folder=tmp_path)
    with pytest.raises(DataError, match="must be gzip"):
        outside.bytes_of(tmp_path / "t.csv.gz", 100)


def test_half_a_character_is_refused():
    with pytest.raises(DataError, match=r"got \\ud800 alone"):
        outside.json_of('{"a": "\\ud800"}', "it")
    assert outside.json_of('"\\ud83d\\ude00"', "it") == "\N{GRINNING FACE}"


def test_the_stream_that_counts_gives_what_the_file_holds(tmp_path):
    path = tmp_path / "t.gz"
    path.write_bytes(gzip.compress(b"abc" * 1000))
    assert io.TextIOWrapper(outside.open_file(path, 3000)).read() == "abc" * 1000
    with pytest.raises(DataError), outside.open_file(path, 2999) as file:
        file.read()
