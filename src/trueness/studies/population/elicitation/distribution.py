"""distribution: one JSON object with the share of every level; the cheapest mode, one call a condition.

A model that can be held to a schema is; what any other writes is read by reading/distribution.py, which checks the
sum. `total` of the answer is that sum, before anything was divided by it.

Of an outcome that is a number it asks for percentiles; between them the quantile function is a straight line, below
the first and above the last it is flat.
"""

from __future__ import annotations

import json
from collections.abc import Sequence

import numpy as np

from trueness.intervals import Distribution
from trueness.models import Message
from trueness.reading.distribution import read_distribution, read_quantiles
from trueness.status import Status
from trueness.studies.population.elicitation.forms import (
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


PERCENTILES = (1, 10, 25, 50, 75, 90, 99)
POINTS = (np.arange(1_000) + 0.5) / 1_000  # at which a stated quantile function is taken
NUMBERS = (
    "Think of all such people and of this number for each of them. Give the percentiles of the numbers (p10: 10 % of "
    "the people have a lower one), as one JSON object and nothing else, with exactly these keys and numbers that do "
    "not fall:"
)


def messages(form: Form) -> list[Message]:
    if form.outcome.numeric:
        return user(f"{form.prompt}\n{NUMBERS}\n{', '.join(keys_of(form))}")
    keys = ", ".join(json.dumps(name, ensure_ascii=False) for name in form.levels)
    return user(f"{form.prompt}\n{INSTRUCTION}\n{keys}")


def keys_of(form: Form) -> list[str]:
    return [f"p{p}" for p in PERCENTILES] if form.outcome.numeric else list(form.levels)


def schema(levels: Sequence[str]) -> dict[str, object]:
    """Without bounds on the numbers: not every provider takes them, and the reader checks."""
    return {
        "type": "object",
        "properties": {level: {"type": "number"} for level in levels},
        "required": list(levels),
        "additionalProperties": False,
    }


def ask(form: Form, manner: Manner, send: Send, rng: np.random.Generator) -> Elicited:
    key, reply = send(messages(form), manner.claim_settings(schema=schema(keys_of(form))), "")
    return Elicited("distribution", (Exchange("shares", key, reply),))


def read(form: Form, exchanges: Sequence[Exchange]) -> dict[str, Answer]:
    reply, levels = exchanges[0].reply, form.levels
    if reply.status not in CAME:
        return {"": no_answer(exchanges, "distribution")}
    if form.outcome.numeric:
        return {"": _read_percentiles(form, exchanges)}
    reading = read_distribution(reply.text, levels)
    status = reading.status if reading.status != Status.UNREADABLE else reply_status(reply)
    texts = texts_of(exchanges)
    if status != Status.OK:
        return {"": Answer(None, status, {status: 1}, texts=texts, message=reading.message, mode="distribution")}
    probs = tuple(reading.probs[level] for level in levels)
    return {
        "": Answer(
            Distribution(tuple(levels), probs), Status.OK, {Status.OK: 1}, None, texts, message=reading.message,
            mode="distribution", flags=reading.flags, total=reading.total,
        )
    }  # fmt: skip


def _read_percentiles(form: Form, exchanges: Sequence[Exchange]) -> Answer:
    reply = exchanges[0].reply
    reading = read_quantiles(reply.text, PERCENTILES)
    status = reading.status if reading.status != Status.UNREADABLE else reply_status(reply)
    texts, message = texts_of(exchanges), reading.message
    if status != Status.OK:
        return Answer(None, status, {status: 1}, texts=texts, message=message, mode="distribution")
    stated = [reading.values[p] for p in PERCENTILES]
    numbers = tuple(np.interp(POINTS, np.array(PERCENTILES) / 100, stated).tolist())
    shares = form.histogram(numbers, None)
    return Answer(shares, Status.OK, {Status.OK: 1}, None, texts, numbers=numbers, mode="distribution")
