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

from trueness.outside import Json
from trueness.running.store import Store, StoredReply

Block = dict[str, Json]
Mark = tuple[int, int, str]  # where, and as what it was read


def exchange(
    store: Store, stored: StoredReply, marks: Sequence[Mark], status: str, message: str = "", title: str = ""
) -> Block:
    """One question to a model and its reply."""
    reply = stored.reply
    about = {
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
        "about": {name: value for name, value in about.items() if value not in (None, "")},
    }


def _settings(reply: Mapping[str, Json]) -> dict[str, Json]:
    settings = dict(reply.get("settings") or {})
    settings["schema"] = "yes" if settings.get("schema") else None
    settings["top_logprobs"] = settings.get("top_logprobs") or None  # 0: none were asked for
    return {name: value for name, value in settings.items() if value is not None}


def in_order(marks: Sequence[Mark]) -> list[list[int | str]]:
    """By place, without overlaps: the first one wins; a span read for two measures is marked once, for both."""
    spans: list[Mark] = []
    for start, end, label in sorted(marks):
        if spans and (start, end) == spans[-1][:2]:
            spans[-1] = (start, end, f"{spans[-1][2]}, {label}")
        elif end > start and (not spans or start >= spans[-1][1]):
            spans.append((start, end, label))
    return [list(span) for span in spans]


def table(title: str, rows: Sequence[Mapping[str, Json]], note: str = "") -> Block:
    columns = list(dict.fromkeys(name for row in rows for name in row))
    cells = [[row.get(name) for name in columns] for row in rows]
    return {"kind": "table", "title": title, "columns": columns, "rows": cells, "note": note}


def lines(title: str, sentences: Sequence[str], open_: bool = True) -> Block:
    return {"kind": "lines", "title": title, "lines": list(sentences), "open": open_}


def text(title: str, content: str) -> Block:
    return {"kind": "text", "title": title, "text": content}
