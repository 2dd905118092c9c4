"""One question to a model: ask for ranges, and read the reply."""

from __future__ import annotations

import json
from collections.abc import Mapping

from trueness.models import Reply
from trueness.outside import Json
from trueness.reading.expected import MEASURES, Reading, read_forecast
from trueness.running.cells import Cell, reply_key
from trueness.running.stage import Ask, Outcome
from trueness.status import Status

EXCERPT = 70  # characters of an unreadable reply that the terminal shows


def perform(cell: Cell, repeat: int, ask: Ask, options: Mapping[str, Json]) -> Outcome:
    """Ask one question and read the reply. A model that cannot be held to the schema answers in free text."""
    messages, settings = cell.common["messages"], cell.common["settings"]
    salt = f"repeat {repeat}"
    reply = ask(cell.respondent, messages, settings, salt)
    key = reply_key(cell.respondent, options, messages, settings, salt)
    reading = read_reply(reply, cell.common["nodes"])
    return {
        "status": str(reading.status),
        "message": reply.message or reading.message,
        "seconds": reply.seconds,
        "answer": json.dumps({"reply": key, "read": reading.to_dict()}),
        "scores": {},
        "cost": reply.cost,
        "excerpt": " ".join(reply.text.split())[:EXCERPT],
    }


def read_reply(reply: Reply, nodes: int) -> Reading:
    """What a reply claims. One that never came keeps its own status; one that was cut off is read as far as it goes."""
    if reply.status not in (Status.OK, Status.TRUNCATED):
        statuses = dict.fromkeys(MEASURES, reply.status)
        return Reading(dict.fromkeys(MEASURES), statuses, reply.status, message=reply.message)
    reading = read_forecast(reply.text, nodes=nodes)
    if reply.status == Status.TRUNCATED and reading.status == Status.UNREADABLE:
        cut = {m: Status.TRUNCATED if s == Status.UNREADABLE else s for m, s in reading.statuses.items()}
        return reading._replace(statuses=cut, status=Status.TRUNCATED)
    return reading
