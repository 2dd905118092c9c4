"""Notes on replies and "misread" marks: notes.jsonl in the study's folder, one JSON object a line, only ever added to.

    {"at": ..., "key": reply, "task": ..., "cell": [item, variant, respondent], "text": ..., "misread": true,
     "expected": {"precision": [low, high] or null, ...}}

A misread reply becomes a test case of the reader, in the form of tests/replies/*.jsonl: id, text, nodes, reader,
expected. Of claims: ranges, for that corpus; of a distribution, a drawn level or a judge's verdict: what it says.
"""

from __future__ import annotations

import json
import math
import os
import threading
from collections.abc import Iterator, Mapping
from datetime import UTC, datetime
from pathlib import Path

from trueness.errors import DataError
from trueness.files import check_plain, open_in_place, read_text
from trueness.outside import Json
from trueness.reading.expected import MEASURES
from trueness.running.results import Results
from trueness.running.store import Store
from trueness.texts import printable_json

FILE = "notes.jsonl"
RANGES = "ranges"  # the reader whose replies are ranges of measures
LONGEST = 20_000  # characters of one note
LONGEST_NAME, MOST_VALUES = 300, 200
_WRITING = threading.Lock()


def read_notes(folder: Path) -> list[dict[str, Json]]:
    """All notes of a study; a line that is none is left out, not repaired."""
    lines = read_text(folder, FILE).splitlines() if check_plain(folder, FILE) else []
    return [note for note in map(_note, lines) if note is not None]


def add_note(folder: Path, sent: object, store: Store) -> dict[str, Json]:
    """Check a note and add it; only one about a reply of this study is taken."""
    if not isinstance(sent, Mapping):
        raise DataError("a note must be a JSON object with the key of a reply, got something else.")
    key, text = sent.get("key"), sent.get("text", "")
    if not isinstance(key, str) or store.reply(key) is None:
        raise DataError("a note must be about a reply of this study, got a key that is not there. Reload the page.")
    if not isinstance(text, str) or len(text) > LONGEST:
        raise DataError(f"the text of a note must have at most {LONGEST:,} characters. Shorten it.")
    misread = sent.get("misread") is True
    if not text.strip() and not misread:
        raise DataError("a note must have a text or a misread mark, got neither.")
    note: dict[str, Json] = {"at": datetime.now(UTC).isoformat(timespec="seconds"), "key": key, "text": text.strip()}
    note |= {"task": str(sent.get("task", ""))[:100], "cell": [str(part)[:300] for part in _as_list(sent.get("cell"))]}
    note["misread"] = misread
    reader = str(sent.get("reader") or RANGES)[:40]
    if misread and sent.get("expected") is not None:
        note |= {"reader": reader, "expected": _check_expected(reader, sent["expected"])}
    _append(folder, printable_json(note))
    return note


def misread_cases(folder: Path, store: Store) -> Iterator[dict[str, Json]]:
    """One test case a misread reply: the last mark counts."""
    last = {note["key"]: note for note in read_notes(folder) if note.get("misread")}
    nodes = _nodes(store)
    for key, note in last.items():
        stored = store.reply(key)
        if stored is None:
            continue
        case: dict[str, Json] = {"id": f"misread-{key[:12]}", "text": str(stored.reply.get("text") or "")}
        if tuple(note.get("cell", ())) in nodes:
            case["nodes"] = nodes[tuple(note["cell"])]
        if "expected" in note:
            case["expected"] = note["expected"]
            if note.get("reader", RANGES) != RANGES:
                case["reader"] = note["reader"]
        yield case | {"note": note["text"]}


def _nodes(store: Store) -> dict[tuple[str, ...], int]:
    """Cell -> variables of its true graph, which bound SHD."""
    pairs = (
        (cell, about) for task in Results.all_of(store) for cell, about in zip(task.cells, task.abouts, strict=True)
    )
    return {
        (cell.item, cell.variant, cell.respondent): int(about["nodes"]) for cell, about in pairs if "nodes" in about
    }


def _check_expected(reader: str, values: object) -> dict[str, Json]:
    """Ranges; of another reader a number or a word a name: the share of a level, the rating of a node."""
    if reader != RANGES:
        return _values(values)
    if not isinstance(values, Mapping) or any(name not in MEASURES for name in values):
        raise DataError(f"'expected' must be ranges of {', '.join(MEASURES)}, got something else.")
    return {str(name): _range(str(name), value) for name, value in values.items()}


def _values(values: object) -> dict[str, float | str | None]:
    if not isinstance(values, Mapping) or len(values) > MOST_VALUES or not all(map(_is_name, values)):
        raise DataError("'expected' must be what the reply says, a number or a word a name, got something else.")
    for name, value in values.items():
        word = isinstance(value, str) and len(value) <= LONGEST_NAME
        number = isinstance(value, int | float) and not isinstance(value, bool) and math.isfinite(value)
        if not (value is None or word or number):
            raise DataError(
                f"{str(name)[:40]!r} must be a number or a word, got something else. Leave it empty for none."
            )
    return {str(name): value for name, value in values.items()}


def _is_name(name: object) -> bool:
    return not str(name).startswith("__") and len(str(name)) <= LONGEST_NAME


def _range(name: str, value: object) -> list[float] | None:
    if value is None:
        return None
    ends = _as_list(value)
    if len(ends) != 2 or not all(isinstance(end, int | float) and not isinstance(end, bool) for end in ends):
        raise DataError(f"the range of {name} must be two numbers, got {value!r}. Leave both empty for none.")
    low, high = float(ends[0]), float(ends[1])
    if not low <= high:
        raise DataError(f"the range of {name} must not end before it begins, got {low:g} to {high:g}.")
    return [low, high]


def _as_list(value: object) -> list[Json]:
    return value if isinstance(value, list) else []


def _note(line: str) -> dict[str, Json] | None:
    try:
        note = json.loads(line)
    except (ValueError, RecursionError):
        return None
    return note if isinstance(note, dict) and isinstance(note.get("key"), str) else None


def _append(folder: Path, line: str) -> None:
    """One write of one line at the end: two pages may add at once, and a crash leaves whole lines."""
    with _WRITING:
        handle = open_in_place(folder, FILE, os.O_WRONLY | os.O_APPEND)
        try:
            os.write(handle, (line + "\n").encode("utf-8"))
        finally:
            os.close(handle)
