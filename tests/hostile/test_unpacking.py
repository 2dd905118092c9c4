"""Little that unpacks to much: every reader says so in one line, and its memory stays small while it finds out.

The files are built here, some by hand because no writer lies; each is read in a process of its own, whose peak is
measured. Its address space is limited too, so that a failing test fails and does not take the machine.
"""

import base64
import gzip
import json
import os
import resource
import struct
import subprocess
import sys
import zipfile
import zlib

import numpy as np
import pandas as pd
import pyarrow as pa
import pyarrow.parquet as pq
import pytest

from tests.each import each
from trueness import outside, packed
from trueness.analyse.loading import read_table
from trueness.datasets.frames import read_rows
from trueness.datasets.surveys import open_microdata
from trueness.errors import DataError, TruenessError
from trueness.studies.population import truth as records
from trueness.studies.robustness.work import pack_matrix, unpack_matrix

ROOM = 6 << 30  # of addresses, in the process that reads
PEAK = 700 << 20  # bytes; the program and its libraries alone have 150 MB, the attacks took 1.2 GB and more
READERS = {
    "scores": "from pathlib import Path; from trueness.analyse.loading import read_table; read_table(Path(path))",
    "rows": "from trueness.datasets.frames import read_rows; read_rows(path)",
    "survey": "from trueness.datasets.surveys import open_microdata; d = open_microdata(path); d.read(d.columns[:1])",
}
_MEASURED = """
import sys
from trueness.errors import TruenessError
code, *paths = sys.argv[1:]
for path in paths:
    try:
        exec(code)
        print("read")
    except TruenessError as error:
        print(error)
print(next(line for line in open("/proc/self/status") if line.startswith("VmHWM")).split()[1])
"""
linux = pytest.mark.skipif(not os.path.exists("/proc/self/status"), reason="peaks are read from /proc")


def told(reader, *paths, most=PEAK):
    """What a process says that reads the files one after the other; its peak must be small."""
    ended = subprocess.run(
        [sys.executable, "-c", _MEASURED, READERS[reader], *map(str, paths)],
        capture_output=True,
        text=True,
        env=os.environ | {"OMP_NUM_THREADS": "1", "OPENBLAS_NUM_THREADS": "1"},
        preexec_fn=lambda: resource.setrlimit(resource.RLIMIT_AS, (ROOM, ROOM)),
    )
    assert ended.returncode == 0, ended.stderr[-2000:]
    *lines, kilobytes = ended.stdout.splitlines()
    assert int(kilobytes) << 10 < most, f"{int(kilobytes) >> 10} MB: {lines}"
    return lines


# ---- zip


def archive(path, members):
    """A zip written by hand: name -> (method, packed bytes, the size and the check sum that its headers claim)."""
    body = directory = b""
    for name, (method, content, claimed, crc) in members.items():
        raw, at = name.encode(), len(body)
        body += struct.pack("<IHHHHHIIIHH", 0x04034B50, 46, 0, method, 0, 0, crc, len(content), claimed, len(raw), 0)
        body += raw + content
        directory += struct.pack(
            "<IHHHHHHIIIHHHHHII", 0x02014B50, 46, 46, 0, method, 0, 0, crc, len(content), claimed, len(raw),
            0, 0, 0, 0, 0, at,
        ) + raw  # fmt: skip
    end = struct.pack("<IHHHHIIH", 0x06054B50, 0, 0, len(members), len(members), len(directory), len(body), 0)
    path.write_bytes(body + directory + end)
    return path


HEAD = json.dumps({"eval": {"task": "t", "model": "m"}}).encode()
SAMPLES = json.dumps([{"id": i, "epoch": 1, "scores": {"match": {"value": 1}}} for i in range(3)]).encode()


def log(path, method, content, claimed=None, crc=None):
    whole = SAMPLES if claimed is None else b""
    return archive(path, {
        "header.json": (zipfile.ZIP_STORED, HEAD, len(HEAD), zlib.crc32(HEAD)),
        "summaries.json": (method, content, claimed or len(whole), zlib.crc32(whole) if crc is None else crc),
    })  # fmt: skip


def zstandard_bomb(megabytes):
    packer = pytest.importorskip("zstandard").ZstdCompressor(level=1).compressobj()
    return b"".join([*(packer.compress(bytes(1 << 20)) for _ in range(megabytes)), packer.flush()])


def deflated(content):
    packer = zlib.compressobj(9, zlib.DEFLATED, -15)
    return packer.compress(content) + packer.flush()


METHODS = {"deflate": zipfile.ZIP_DEFLATED, "zstandard": 93}


@linux
def test_a_log_that_lies_about_its_size_is_refused_in_little_memory(tmp_path):
    bombs = {"deflate": deflated(bytes(100 << 20)), "zstandard": zstandard_bomb(1500)}
    paths = [
        log(tmp_path / f"{name}{claimed}.eval", METHODS[name], content, claimed, 0)
        for name, content in bombs.items()
        for claimed in (100, (1 << 32) - 2)
    ]
    assert all(path.stat().st_size < 150_000 for path in paths)
    assert all("must have at most 16 MB" in line or "must be a log" in line for line in told("scores", *paths))


@pytest.mark.parametrize("name", ["stored", *METHODS])
def test_a_log_is_read_whatever_method_packed_it(name, tmp_path):
    content = {
        "stored": lambda: SAMPLES,
        "deflate": lambda: deflated(SAMPLES),
        "zstandard": lambda: pytest.importorskip("zstandard").compress(SAMPLES),
    }[name]()
    path = log(tmp_path / "l.eval", METHODS.get(name, zipfile.ZIP_STORED), content)
    assert read_table(path)["value"].tolist() == [1, 1, 1]
    damaged = log(tmp_path / "d.eval", METHODS.get(name, zipfile.ZIP_STORED), content, crc=1)
    with pytest.raises(DataError, match="d.eval must be a log of Inspect"):
        read_table(damaged)


# ---- gzip and zlib


@pytest.fixture(scope="module")
def packed_tables(tmp_path_factory):
    """200 MB of short rows, and of one quoted field, in 0.2 MB each."""
    folder = tmp_path_factory.mktemp("packed")
    for name, head, line in (("rows", b"a,b\n", b"12,3\n"), ("field", b'a,b\n1,"', b"xx")):
        with gzip.open(folder / f"{name}.csv.gz", "wb", compresslevel=6) as file:
            file.write(head)
            for _ in range(50):
                file.write(line * ((4 << 20) // len(line)))
    return [folder / "rows.csv.gz", folder / "field.csv.gz"]


@linux
@pytest.mark.parametrize("reader", ["rows", "survey"])
def test_a_packed_table_unpacks_to_a_hundred_times_its_size_at_most(reader, packed_tables):
    """pandas takes eight times the 64 MB of text that it is given."""
    assert all("64 MB unpacked, got more" in line for line in told(reader, *packed_tables, most=2 * PEAK))


def test_a_stored_matrix_that_unpacks_to_gigabytes_is_refused():
    matrix = np.arange(9.0).reshape(3, 3)
    assert (unpack_matrix(pack_matrix(matrix)) == matrix).all()
    assert (unpack_matrix(pack_matrix(np.zeros((1000, 1000)))) == 0).all()
    bomb = outside.zlib.compress(bytes(32 << 20), 9)
    with pytest.raises(TruenessError, match="must unpack to at most 16 MB"):
        outside.Unpacker(100).inflate(bomb, "it")
    with pytest.raises(TruenessError, match="got more or a part"):
        outside.Unpacker(100).inflate(zlib.compress(b"abc" * 100)[:-5], "it")
    with pytest.raises(TruenessError, match="a stored array must unpack to at most"):
        unpack_matrix(base64.b64encode(bomb).decode())
    arrays = dict.fromkeys(("probs", "weights", "rows", "kish", "n_eff"), [1.0])
    counts = dict.fromkeys(("n_data", "n_outside", "n_missing", "n_unlisted"), 0)
    draws = {"shape": [1, 1, 1], "data": base64.b64encode(bomb).decode()}
    with pytest.raises(TruenessError, match="the draws of a truth must unpack to at most"):
        records.truth_from_dict({**arrays, **counts, "design": "", "thin": {}, "draws": draws})


# ---- survey files


# ---- parquet

TEXT = "x" * 1_000_000
ONE_TEXT = pa.DictionaryArray.from_arrays(pa.array(np.zeros(2000, np.int32)), pa.array([TEXT]))
ATTACKS = {  # name -> a table, how often it is written, options of the writer
    "a text in a dictionary": (lambda: ONE_TEXT, 1, {"store_schema": False}),
    "a text written as categories": (lambda: ONE_TEXT, 1, {}),
    "texts that share a beginning": (
        lambda: [TEXT] * 50, 20, {"use_dictionary": False, "column_encoding": {"a": "DELTA_BYTE_ARRAY"}},
    ),
    "one page": (lambda: ["y" * 600_000_000], 1, {"use_dictionary": False}),
    "values of a megabyte": (lambda: pa.array([TEXT.encode()] * 50, pa.binary(1_000_000)), 20, {}),
    "days": (lambda: np.zeros(2_000_000, "datetime64[D]"), 10, {}),
    "decimals": (lambda: pa.array(np.zeros(2_000_000, np.int64)).cast(pa.decimal128(19, 0)), 10, {}),
}  # fmt: skip


@pytest.fixture(scope="module")
def small_files(tmp_path_factory):
    paths = []
    for k, (column, times, options) in enumerate(ATTACKS.values()):
        table = pa.table({"a": column()})
        paths.append(tmp_path_factory.mktemp("attacks") / f"t{k}.parquet")
        settings = {"compression": "zstd", "write_statistics": False} | options
        with pq.ParquetWriter(paths[-1], table.schema, **settings) as writer:
            for _ in range(times):
                writer.write_table(table)
        assert paths[-1].stat().st_size < 60_000
    return paths


@linux
@pytest.mark.parametrize("reader", READERS)
def test_a_small_parquet_file_takes_little_memory(reader, small_files):
    for path, line in zip(small_files, told(reader, *small_files), strict=True):
        assert f"{path.name} of" in line and "must unpack to at most 64 MB" in line or "DELTA_BYTE_ARRAY" in line


def test_lists_are_refused_where_each_row_is_a_case_and_left_out_of_scores(tmp_path):
    path = tmp_path / "t.parquet"
    pq.write_table(pa.table({"a": [[0] * 1000, [1]], "b": [1, 2], "c": [{"x": 1}, {"x": 2}]}), path)
    for read in (read_rows, lambda path: open_microdata(path.name, path.parent).read(["a"])):
        with pytest.raises(DataError, match="must have one value a row, got lists or records in 'a"):
            read(path)
    assert read_table(path).columns.tolist() == ["b"]
    assert read_rows(path, kinds={"a": "drop", "c": "drop"}).names == ("b",)


def test_a_footer_that_tells_of_fewer_bytes_is_not_believed(tmp_path, monkeypatch):
    """The sum in the footer becomes 64 bytes; the header of the page says what pyarrow unpacks."""
    path = tmp_path / "t.parquet"
    pq.write_table(pa.table({"a": ["y" * 5_000_000]}), path, use_dictionary=False, write_statistics=False)
    told = pq.read_metadata(path).row_group(0).column(0).total_uncompressed_size
    content = path.read_bytes()
    path.write_bytes(content.replace(varint(2 * told), varint(2 * 64, len(varint(2 * told)))))
    assert pq.read_metadata(path).row_group(0).column(0).total_uncompressed_size == 64
    assert len(pq.read_table(path).column(0)[0].as_py()) == 5_000_000
    monkeypatch.setattr(packed, "SMALL", 1 << 20)
    monkeypatch.setattr(packed, "FACTOR", 1)
    with pytest.raises(DataError, match="must unpack to at most"):
        read_table(path)


def varint(number, length=0):
    """As Thrift writes it; with blanks (0x80) up to `length`."""
    parts = []
    while number >= 128 or len(parts) + 1 < length:
        parts.append(number & 127 | 128)
        number >>= 7
    return bytes([*parts, number])


OPTIONS = [
    {},
    {"compression": "zstd"},
    {"compression": "gzip", "use_dictionary": False},
    {"compression": "brotli", "data_page_version": "2.0"},
    {"compression": "none", "data_page_size": 200, "row_group_size": 70},
    {"use_dictionary": False, "column_encoding": {"t": "DELTA_LENGTH_BYTE_ARRAY", "i": "DELTA_BINARY_PACKED"}},
    {"store_schema": False, "write_page_index": True, "write_page_checksum": True},
    {"dictionary_pagesize_limit": 50, "data_page_size": 300},  # falls back from the dictionary to plain pages
]


@each("options", OPTIONS)
def test_honest_parquet_files_are_read_as_pandas_reads_them(options, tmp_path):
    rng, path = np.random.default_rng(1), tmp_path / "t.parquet"
    count = 300
    frame = pd.DataFrame(
        {
            "f": rng.normal(size=count), "i": rng.integers(0, 5, count), "t": rng.choice(["uu", "v", "www"], count),
            "n": [None if k % 7 == 0 else f"word {k}" for k in range(count)], "b": rng.integers(0, 2, count) == 1,
            "c": pd.Categorical(rng.choice(["x", "y"], count)), "d": pd.date_range("2020-01-01", periods=count),
            "a.b": rng.normal(size=count), "e": [b"raw", b"\xff"] * (count // 2),
        },
        index=np.arange(count) + 5,
    )  # fmt: skip
    pq.write_table(pa.Table.from_pandas(frame), path, **options)
    names = packed.parquet_columns(path, 100)
    got = packed.read_parquet(path, 10**6, names)
    pd.testing.assert_frame_equal(got, pq.read_table(path).to_pandas(ignore_metadata=True))
    codes = packed.read_parquet(path, 10**6, ["t", "f"], codes=True)
    assert codes["t"].astype(str).tolist() == frame["t"].tolist() and codes["f"].tolist() == frame["f"].tolist()


def test_pages_that_lie_are_refused(tmp_path):
    """More values than rows, sizes below zero, a header that never ends."""
    path = tmp_path / "t.parquet"
    pq.write_table(pa.table({"a": np.arange(100.0)}), path, use_dictionary=False, compression="none")
    at = pq.read_metadata(path).row_group(0).column(0).data_page_offset
    content = path.read_bytes()
    for header in (
        b"\x15\x00\x15\x01\x15\x01\x00",
        b"\x15\x00\x15\x10\x15\x10\x2c\x15\xff\xff\x03\x00\x00",
        b"\xff" * 40,
    ):
        path.write_bytes(content[:at] + header + content[at + len(header) :])
        with pytest.raises(DataError, match="t.parquet must be a parquet file"):
            read_table(path)
