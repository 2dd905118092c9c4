"""Notes on replies and "misread" marks: notes.jsonl in the study's folder, one JSON object a line, only ever added to.

    {"at": ..., "key": reply, "task": ..., "cell": [item, variant, respondent], "text": ..., "misread": true}

The note of a misread reply says what the reply really says; misread.jsonl has the marked replies with their notes.
"""

from __future__ import annotations

import json
import os
import threading
from collections.abc import Iterator, Mapping
from datetime import UTC, datetime
from pathlib import Path

from trueness.errors import DataError
from trueness.files import check_plain, open_in_place, read_text
from trueness.outside import Json
from trueness.running.store import Store
from trueness.texts import printable_json

FILE = "notes.jsonl"
LONGEST = 20_000  # characters of one note
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
    _append(folder, printable_json(note))
    return note


def misread_cases(folder: Path, store: Store) -> Iterator[dict[str, Json]]:
    """One line a misread reply: the last mark counts."""
    last = {note["key"]: note for note in read_notes(folder) if note.get("misread")}
    for key, note in last.items():
        if (stored := store.reply(key)) is not None:
            yield {"id": f"misread-{key[:12]}", "text": str(stored.reply.get("text") or ""), "note": note["text"]}


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
