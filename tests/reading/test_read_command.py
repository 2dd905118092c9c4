"""`trueness read` as a user meets it: text, JSON lines, standard input, and one line for every mistake."""

import io
import json

from trueness.cli import main


def lines_of(capsys):
    return [json.loads(line) for line in capsys.readouterr().out.splitlines()]


def test_a_text_file_is_one_reply(tmp_path, capsys):
    file = tmp_path / "reply.txt"
    file.write_text("Precision: (0.6, 0.8)\nRecall: 0.5-0.7\nF1: 55%-75%\nSHD: 3 to 8\n")
    assert main(["read", str(file)]) == 0
    (line,) = lines_of(capsys)
    assert (line["precision"], line["recall"], line["f1"], line["shd"]) == (
        [0.6, 0.8],
        [0.5, 0.7],
        [0.55, 0.75],
        [3, 8],
    )
    assert line["status"] == "ok"
    assert line["spans"]["precision"] == [11, 21]
    assert line["flags"] == []


def test_json_lines_hand_their_other_fields_through(tmp_path, capsys):
    file = tmp_path / "log.jsonl"
    file.write_text('{"id": "a", "text": "SHD: 3-8", "nodes": 8}\n\n{"id": "b", "text": "SHD: 3-8", "nodes": 3}\n')
    assert main(["read", str(file)]) == 0
    first, second = lines_of(capsys)
    assert (first["id"], first["shd"]) == ("a", [3, 8])
    assert (second["id"], second["shd"]) == ("b", [3, 8]) and "shd:beyond" in second["flags"]
    assert "shd:beyond" not in first["flags"]
    assert "text" not in first


def test_a_bad_line_is_named_and_the_others_are_read(tmp_path, capsys):
    file = tmp_path / "log.jsonl"
    file.write_text('{"text": "SHD: 3-8"}\n{"text": \n{"txt": "SHD"}\n{"text": "SHD: 4-9"}\n')
    assert main(["read", str(file)]) == 1
    lines = lines_of(capsys)
    assert [line.get("line") for line in lines] == [None, 2, 3, None]
    assert lines[1]["error"].startswith(f"line 2 of {file} must be JSON")
    assert lines[3]["shd"] == [4, 9]


def _stdin(written):
    return io.TextIOWrapper(io.BytesIO(written), encoding="utf-8")


def test_standard_input_is_a_reply_or_json_lines(monkeypatch, capsys):
    monkeypatch.setattr("sys.stdin", _stdin(b'{"precision": [0.6, 0.8]}'))
    assert main(["read", "-"]) == 0
    monkeypatch.setattr("sys.stdin", _stdin(b'{"text": "precision 0.6-0.8", "id": 1}\n'))
    assert main(["read", "-"]) == 0
    reply, line = lines_of(capsys)
    assert reply["precision"] == line["precision"] == [0.6, 0.8]
    assert line["id"] == 1


def mistake(capsys, *arguments):
    assert main(["read", *arguments]) == 2
    told = capsys.readouterr()
    assert told.out == ""
    assert told.err.startswith("trueness: ") and len(told.err.strip().splitlines()) == 1
    return told.err


def test_a_missing_file_is_one_line(capsys):
    assert "nowhere.txt cannot be read: No such file" in mistake(capsys, "nowhere.txt")


def test_bytes_that_are_no_text_are_one_line(tmp_path, capsys):
    file = tmp_path / "reply.txt"
    file.write_bytes(b"Precision: \xff\xfe")
    assert "must be UTF-8 text, got byte 11" in mistake(capsys, str(file))
