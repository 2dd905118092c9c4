"""Files of replies: one reply as text, or JSON lines with a `text` field whose other fields are handed through."""

from __future__ import annotations

import json
from collections.abc import Iterator
from pathlib import Path

from trueness.errors import DataError, TruenessError
from trueness.outside import typed_text
from trueness.reading.expected import read_forecast

_JSON_LINES = (".jsonl", ".ndjson")


def readings_of(file: str, nodes: int | None = None) -> Iterator[dict[str, object]]:
    """What is read from each reply of a file ('-' is standard input); a line that is no reply has an `error`."""
    text = typed_text(file)
    if Path(file).suffix in _JSON_LINES or (file == "-" and _are_json_lines(text)):
        lines = [(number, line) for number, line in enumerate(text.split("\n"), 1) if line.strip()]
        if not lines:
            raise DataError(f"{file} must hold a reply a line, got an empty file. Write one JSON object a line.")
        for number, line in lines:
            yield _reading_of_line(file, number, line, nodes)
    else:
        yield read_forecast(text, nodes=nodes).to_dict()


def _are_json_lines(text: str) -> bool:
    """Whether the first line is an object with a text; a reply may itself be JSON."""
    try:
        first = json.loads(text.strip().partition("\n")[0])
    except (ValueError, RecursionError):
        return False
    return isinstance(first, dict) and "text" in first


def _reading_of_line(file: str, number: int, line: str, nodes: int | None) -> dict[str, object]:
    try:
        entry = json.loads(line)
    except (ValueError, RecursionError):
        return _failure(file, number, "must be JSON", line)
    if not isinstance(entry, dict) or not isinstance(entry.get("text"), str):
        return _failure(file, number, "must be an object with a 'text' that is text", line)
    others = {name: value for name, value in entry.items() if name != "text"}
    try:
        reading = read_forecast(entry["text"], nodes=entry.get("nodes", nodes))
    except TruenessError as error:
        return {"line": number, "error": f"line {number} of {file}: {error}"} | others
    return others | reading.to_dict()


def _failure(file: str, number: int, must: str, line: str) -> dict[str, object]:
    got = line if len(line) <= 40 else line[:40] + "..."
    return {"line": number, "error": f"line {number} of {file} {must}, got {got!r}. The other lines are read."}
