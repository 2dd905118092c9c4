"""Tables as strangers write them, through `check` and `learn`: encodings, commas, row names, identifiers, kinds."""

import json

import numpy as np
import pandas as pd
import pyarrow as pa
import pyarrow.parquet as pq
import pytest

from tests.each import each
from trueness.cli import main

ROWS = 60
RNG = np.random.default_rng(0)
X = RNG.normal(3, 1, ROWS).round(2)
Y = (2 * X + RNG.normal(size=ROWS)).round(2)
Z = (Y + RNG.normal(size=ROWS)).round(2)


@pytest.fixture(autouse=True)
def in_folder(tmp_path, monkeypatch):
    monkeypatch.chdir(tmp_path)
    return tmp_path


def checked(capsys, *arguments):
    """Column -> its row of `check --json`; the rules as they are."""
    code = main(["check", *arguments, "--json"])
    printed = capsys.readouterr()
    assert code in (0, 1), printed.err  # 1: the rows of some tables here alternate, which is said
    rows = json.loads(printed.out)
    return {row["column"]: row for row in rows if "column" in row}, [row for row in rows if "rule" in row]


def refused(capsys, *arguments):
    assert main([*arguments]) == 2
    error = capsys.readouterr().err
    assert error.startswith("trueness: ") and error.count("\n") == 1, error
    return error


def notes(rules):
    return " ".join(rule["detail"] for rule in rules if rule["verdict"] == "guessed")


def written(path, head, rows, encoding="utf-8"):
    with open(path, "w", encoding=encoding, newline="") as file:
        file.write("\n".join([head, *rows]) + "\n")


def comma(value):
    return str(value).replace(".", ",")


def kinds(columns):
    return {name: row["kind"] for name, row in columns.items()}


# ---- parquet


def test_a_pandas_index_is_a_column(capsys):
    frame = pd.DataFrame({"x": X, "y": Y}, index=pd.Index(Z, name="age"))
    frame.to_parquet("named.parquet")
    assert list(checked(capsys, "named.parquet")[0]) == ["x", "y", "age"]
    frame.set_index(pd.MultiIndex.from_product([range(6), list("abcdefghij")], names=["plot", None])).to_parquet(
        "m.parquet"
    )
    found = kinds(checked(capsys, "m.parquet")[0])
    assert found == {"x": "continuous", "y": "continuous", "plot": "ordered", "__index_level_1__": "left out"}
    frame.set_index(pd.RangeIndex(7, 7 + 3 * ROWS, 3, name="year")).to_parquet("range.parquet")
    assert "its index year counts 7, 10, ... and was not read" in notes(checked(capsys, "range.parquet")[1])


def test_bytes_that_are_no_text_are_left_out_by_name(capsys):
    parts = pa.DictionaryArray.from_arrays(pa.array([0, 1] * (ROWS // 2)), pa.array([b"ok", b"\xff"]))
    words = [b"yes", b"no"] * (ROWS // 2)
    pq.write_table(
        pa.table({"a": X, "b": Y, "raw": [b"\xff\xfe", b"x"] * (ROWS // 2), "parts": parts, "w": words}), "b.parquet"
    )
    columns, _ = checked(capsys, "b.parquet")
    assert columns["raw"]["why"] == columns["parts"]["why"] == "bytes that are no text"
    assert kinds(columns) == {
        "a": "continuous",
        "b": "continuous",
        "raw": "left out",
        "parts": "left out",
        "w": "discrete",
    }


# ---- decimal commas, thousands, encodings


def test_decimal_marks_are_decided_column_by_column(capsys):
    written("t.csv", "a;b;c", [f"{comma(x)};{y:.1f};{z}" for x, y, z in zip(X, Y, Z, strict=True)])
    columns, rules = checked(capsys, "t.csv")
    assert kinds(columns) == {"a": "continuous", "b": "continuous", "c": "continuous"}
    assert "numbers with a decimal comma were read in a" in notes(rules)
    main(["list", "datasets", "t.csv", "--json"])
    assert "decimal comma" in str(json.loads(capsys.readouterr().out)["notes"])


def test_a_number_that_can_be_read_both_ways_is_asked_for(capsys):
    from trueness import load

    texts = [f"{k},{100 + 7 * k}" for k in range(1, ROWS + 1)]
    written("t.csv", "a\tb", [f"{text}\t{int(100 * x)}" for text, x in zip(texts, X, strict=True)])
    error = refused(capsys, "check", "t.csv")
    assert "got '1,107': 1.107 with a decimal comma, 1107 with a decimal point" in error
    assert "--decimal comma or --decimal point" in error
    assert kinds(checked(capsys, "t.csv", "--decimal", "comma")[0])["a"] == "continuous"
    assert load("t.csv", {"decimal": "comma"}).table.values[0, 0] == 1.107
    with pytest.raises(Exception, match="must have at least two columns"):  # 1107, 2114, ... rise from row to row
        load("t.csv", {"decimal": "point", "kinds": {"b": "drop"}})
    assert "'decimal' of a data set must be one of comma, point, got 'dot'" in refused(
        capsys, "check", "t.csv", "--decimal", "dot"
    )


def test_other_columns_decide_what_can_be_read_both_ways(capsys):
    from trueness import load

    either = [f"{1 + 37 * k % 50},{100 + 7 * k}" for k in range(ROWS)]
    written("t.csv", "a;b", [f"{text};{comma(x)}" for text, x in zip(either, X, strict=True)])
    assert load("t.csv").table.values[0, 0] == 1.1
    written(
        "t.csv", "a,b,c", [f'"{text}",{x},{k % 5 or ""}' for k, (text, x) in enumerate(zip(either, X, strict=True))]
    )
    assert load("t.csv").table.values[0, 0] == 1100
    written("t.csv", "a,c", [f'"{text}",{k % 5 or ""}' for k, text in enumerate(either)])  # gaps are no decimal points
    assert "must be read in one way" in refused(capsys, "check", "t.csv")
    dots = [text.replace(",", ".") for text in either]
    written("t.csv", "a;b", [f"{text};{comma(x)}" for text, x in zip(dots, X, strict=True)])
    assert load("t.csv").table.values[0, 0] == 1100  # both marks, each with its own meaning
    written("t.csv", "a;b", [f"{text};2.345.{100 + 37 * k % 50}" for k, text in enumerate(dots)])
    assert load("t.csv").table.values[0, 0] == 1100
    written("t.csv", "a;b", [f"{text};{x:.1f}" for text, x in zip(dots, X, strict=True)])
    assert load("t.csv").table.values[0, 0] == 1.1
    for other in (either, dots, [k % 7 for k in range(ROWS)]):  # nothing tells
        written("t.csv", "a;b", [f"{text};{x}" for text, x in zip(dots, other, strict=True)])
        assert "Say --decimal comma or --decimal point" in refused(capsys, "check", "t.csv")
    written("t.csv", "a,b", [f"{text},{k % 7}" for k, text in enumerate(dots)])
    assert load("t.csv").table.values[0, 0] == 1.1


@each("encoding, said", [("cp1252", "cp1252"), ("latin-1", "latin-1"), ("utf-16", "utf-16"), ("utf-8-sig", "")])
def test_encodings_are_recognised_and_said(encoding, said, capsys, tmp_path):
    head = "Größe;Preis €;Art" if encoding != "latin-1" else "Größe;Preis;Art"
    written("t.csv", head, [f"{comma(x)};{comma(y)};süß" for x, y in zip(X, Y, strict=True)], encoding)
    columns, rules = checked(capsys, "t.csv")
    assert list(columns) == head.split(";")
    assert (f"is not UTF-8 and was read as {said}" in notes(rules)) == bool(said)


# ---- names of columns and rows


def test_files_of_r_pandas_and_spreadsheets_are_read(capsys):
    rows = list(zip(X, Y, Z, strict=True))
    written("r.csv", '"","x","y","z"', [f'"row {k}",{x},{y},{z}' for k, (x, y, z) in enumerate(rows)])
    assert kinds(checked(capsys, "r.csv")[0])["Unnamed: 0"] == "left out"
    written("r.txt", '"x" "y" "z"', [f'"{k}" {x} {y} {z}' for k, (x, y, z) in enumerate(rows, 1)])
    assert kinds(checked(capsys, "r.txt")[0]) == {"rownames": "left out"} | dict.fromkeys("xyz", "continuous")
    written("e.csv", "sep=;", ["x;y;z;", *(f"{comma(x)};{y};{z};" for x, y, z in rows)], "utf-8-sig")
    assert list(checked(capsys, "e.csv")[0]) == ["x", "y", "z"]
    written("t.csv", "x,y,z", [f"{x},{y},{z}," for x, y, z in rows])  # a separator at the end of rows alone
    assert list(checked(capsys, "t.csv")[0]) == ["x", "y", "z"]
    written("p.TXT", "x|y|z", [f"{x}|{y}|{z}" for x, y, z in rows])
    assert list(checked(capsys, "p.TXT")[0]) == ["x", "y", "z"]


# ---- identifiers


def identifiers(n=300):
    rng = np.random.default_rng(1)
    return pd.DataFrame({
        "seqn": 93703 + rng.permutation(9000)[:n], "index": rng.permutation(10 * n)[:n],
        "rownames": [f"r{k}" for k in range(n)],
        "code": rng.permutation(9 * n)[:n], "account": np.sort(rng.choice(10**9, n, replace=False)),
        "ticket": rng.choice(10**8, n, replace=False), "patientID": rng.permutation(n),
        "name": [f"n{k}" if k > 5 else "n7" for k in range(n)],
    }), pd.DataFrame({
        "population": np.exp(rng.normal(14, 1, n)).astype(int), "income": rng.normal(40_000, 9_000, n).astype(int),
        "x": rng.normal(size=n), "y": rng.normal(size=n),
    })  # fmt: skip


def test_identifiers_are_left_out_and_measured_whole_numbers_are_not(capsys):
    given, measured = identifiers()
    pd.concat([given, measured], axis=1).to_csv("t.csv", index=False)
    found = kinds(checked(capsys, "t.csv")[0])
    assert found == dict.fromkeys(given, "left out") | dict.fromkeys(measured, "continuous")
    main(["check", "t.csv"])
    printed = " ".join(capsys.readouterr().out.split())
    assert "Left out by guess: seqn, index, code" in printed
    assert "To keep one, say what it is: --kinds seqn=continuous." in printed


def test_digits_with_leading_zeros_are_codes(capsys):
    codes = [f"{501 * (k % 12 + 1):05d}" for k in range(ROWS)]
    written("t.csv", "plz,x,y", [f"{code},{x},{y}" for code, x, y in zip(codes, X, Y, strict=True)])
    pd.DataFrame({"plz": codes, "x": X, "y": Y}).to_parquet("t.parquet")
    for name in ("t.csv", "t.parquet"):
        columns, _ = checked(capsys, name)
        assert columns["plz"]["kind"] == "discrete" and columns["plz"]["why"] == "codes with leading zeros"
        assert kinds(checked(capsys, name, "--kinds", "plz=continuous")[0])["plz"] == "continuous"


# ---- --kinds, --drop; one list of files


def test_kinds_and_drop_are_heeded_shown_and_checked(capsys):
    pd.DataFrame({"id": range(ROWS), "a,b": [1, 2, 3] * 20, "x": X, "y": Y, "z": Z}).to_csv("t.csv", index=False)
    said = ("--kinds", "id=continuous,a,b=continuous,x=drop", "--drop", "y")
    columns, _ = checked(capsys, "t.csv", *said)
    assert kinds(columns) == {
        "id": "continuous",
        "a,b": "continuous",
        "x": "left out",
        "y": "left out",
        "z": "continuous",
    }
    assert {name: row["from"] for name, row in columns.items()} == dict.fromkeys(columns, "given") | {"z": "guess"}
    assert "Did you mean 'id'?" in refused(capsys, "check", "t.csv", "--drop", "idd")
    assert "Did you mean 'discrete'?" in refused(capsys, "check", "t.csv", "--kinds", "x=discret")
    assert "must be such as age=ordered" in refused(capsys, "check", "t.csv", "--kinds", "x")
    assert "must be dropped or kept" in refused(capsys, "check", "t.csv", "--kinds", "x=discrete", "--drop", "x")
    assert "must be for a table of your own, got 'asia'" in refused(capsys, "check", "asia", "--drop", "smoke")
    assert "must be for a table of your own, got 'asia'" in refused(capsys, "learn", "asia", "--drop", "smoke")
    assert "Did you mean 'id'?" in refused(capsys, "learn", "t.csv", "--drop", "idd")
