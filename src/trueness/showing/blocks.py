"""What the page of a cell is made of: a few kinds of block, the same for every task.

    exchange      prompt, reply, the spans that were read, what became of it
    claims        ranges beside what was measured
    bars          a distribution beside the true one
    strips        the value of every run, a line a measure
    table, lines  numbers and sentences

Everything a model wrote is a plain string here and becomes a text node in the page.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from typing import Any

from trueness.running.store import Store, StoredReply

Block = dict[str, Any]
Mark = tuple[int, int, str]  # where, and as what it was read


def exchange(
    store: Store, stored: StoredReply, marks: Sequence[Mark], status: str, message: str = "", title: str = ""
) -> Block:
    """One question to a model and its reply."""
    reply = stored.reply
    told = {
        "model": reply.get("model") or stored.respondent,
        "asked": stored.at,
        "seconds": reply.get("seconds"),
        "prompt tokens": reply.get("input_tokens"),
        "reply tokens": reply.get("output_tokens"),
        "cost": stored.cost,
        "settings": ", ".join(f"{name} {value}" for name, value in _settings(reply).items()),
    }
    return {
        "kind": "exchange",
        "title": title,
        "key": stored.key,
        "prompt": store.prompt(stored.prompt),
        "text": str(reply.get("text") or ""),
        "marks": in_order(marks),
        "status": status,
        "message": message,
        "about": {name: value for name, value in told.items() if value not in (None, "")},
    }


def _settings(reply: Mapping[str, Any]) -> dict[str, Any]:
    given = dict(reply.get("settings") or {})
    given["schema"] = "yes" if given.get("schema") else None
    return {name: value for name, value in given.items() if value not in (None, 0)}


def in_order(marks: Sequence[Mark]) -> list[list[Any]]:
    """By place, without overlaps: the first one wins; a span read for two measures is marked once, for both."""
    found: list[list[Any]] = []
    for start, end, label in sorted(marks):
        if found and (start, end) == (found[-1][0], found[-1][1]):
            found[-1][2] += f", {label}"
        elif end > start and (not found or start >= found[-1][1]):
            found.append([start, end, label])
    return found


def table(title: str, rows: Sequence[Mapping[str, Any]], note: str = "") -> Block:
    columns = list(dict.fromkeys(name for row in rows for name in row))
    cells = [[row.get(name) for name in columns] for row in rows]
    return {"kind": "table", "title": title, "columns": columns, "rows": cells, "note": note}


def lines(title: str, sentences: Sequence[str], open_: bool = True) -> Block:
    return {"kind": "lines", "title": title, "lines": list(sentences), "open": open_}


def text(title: str, content: str) -> Block:
    return {"kind": "text", "title": title, "text": content}
