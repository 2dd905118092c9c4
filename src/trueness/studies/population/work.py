"""One condition of a task: ask for it as often as its mode needs, and read the replies."""

from __future__ import annotations

import json
from collections.abc import Mapping, Sequence

from numpy.random import Generator

from trueness.models import Message, Reply, Settings
from trueness.outside import Json
from trueness.running.cells import Cell, reply_key
from trueness.running.stage import Ask, Outcome
from trueness.studies.population.elicitation import Elicited, elicit, read_answers

EXCERPT = 70  # characters of an unreadable reply that the terminal shows


def perform(cell: Cell, repeat: int, ask: Ask, options: Mapping[str, Json], rng: Generator) -> Outcome:
    model, form = cell.respondent, cell.common["form"]

    def send(messages: Sequence[Message], settings: Settings, salt: str) -> tuple[str, Reply]:
        salt = f"repeat {repeat} {salt}".rstrip()
        return reply_key(model, options, messages, settings, salt), ask(model, messages, settings, salt)

    elicited = elicit(cell.common["mode"], form, cell.common["manner"], send, rng)
    answer = read_answers(elicited.used, form, elicited.exchanges)[""]
    costs = [e.reply.cost for e in elicited.exchanges if e.reply.cost is not None]
    return {
        "status": str(answer.status),
        "message": " ".join(part for part in (elicited.note, answer.message) if part),
        "seconds": sum(exchange.reply.seconds for exchange in elicited.exchanges),
        "answer": json.dumps(record_of(elicited)),
        "scores": {},
        "cost": sum(costs) if costs else None,
        "excerpt": " ".join(elicited.exchanges[-1].reply.text.split())[:EXCERPT] if elicited.exchanges else "",
    }


def record_of(elicited: Elicited) -> dict[str, object]:
    """Which stored replies answer a unit, and as what they are to be read."""
    return {
        "used": elicited.used,
        "note": elicited.note,
        "replies": [
            {"role": e.role, "key": e.key, **({"order": e.order} if e.order else {}), "about": e.about}
            for e in elicited.exchanges
        ],
    }
