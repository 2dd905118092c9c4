"""distribution: one JSON object with the share of every level; the cheapest mode, one call a condition.

A model that can be held to a schema is; what any other writes is read by reading/distribution.py, which checks the
sum. `total` of the answer is that sum, before anything was divided by it.
"""

from __future__ import annotations

import json
from collections.abc import Mapping, Sequence
from typing import Any

import numpy as np

from trueness.intervals import Distribution
from trueness.models import Message
from trueness.reading.distribution import read_distribution
from trueness.status import Status
from trueness.studies.population.elicitation.asking import (
    CAME,
    Answer,
    Elicited,
    Exchange,
    Form,
    Manner,
    Send,
    no_answer,
    reply_status,
    texts_of,
    user,
)

INSTRUCTION = (
    "Think of all such people. Give the percentage of them for whom each answer is right, as one JSON object and "
    "nothing else, with exactly these keys and numbers from 0 to 100 that sum to 100:"
)


def messages(form: Form) -> list[Message]:
    keys = ", ".join(json.dumps(name, ensure_ascii=False) for name in form.levels)
    return user(f"{form.prompt}\n{INSTRUCTION}\n{keys}")


def schema(levels: Sequence[str]) -> dict[str, Any]:
    """Without bounds on the numbers: not every provider takes them, and the reader checks."""
    return {
        "type": "object",
        "properties": {level: {"type": "number"} for level in levels},
        "required": list(levels),
        "additionalProperties": False,
    }


def ask(form: Form, manner: Manner, send: Send, rng: np.random.Generator) -> Elicited:
    key, reply = send(messages(form), manner.claimed(schema=schema(list(form.levels))), "")
    return Elicited("distribution", (Exchange("shares", key, reply),))


def read(levels: Mapping[str, Sequence[str]], exchanges: Sequence[Exchange]) -> dict[str, Answer]:
    reply = exchanges[0].reply
    if reply.status not in CAME:
        return {"": no_answer(exchanges, "distribution")}
    found = read_distribution(reply.text, levels)
    status = found.status if found.status != Status.UNREADABLE else reply_status(reply)
    texts = texts_of(exchanges)
    if status != Status.OK:
        return {"": Answer(None, status, {status: 1}, texts=texts, message=found.message, mode="distribution")}
    probs = tuple(found.probs[level] for level in levels)
    return {
        "": Answer(
            Distribution(tuple(levels), probs), Status.OK, {Status.OK: 1}, None, texts, message=found.message,
            mode="distribution", flags=found.flags, total=found.total,
        )
    }  # fmt: skip
