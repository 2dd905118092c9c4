"""sample: K answers at a temperature, each for one person drawn at random, each read into a level.

    q[l] = #{answers that name l} / #{answers that name a level},      n = the latter; numbers fall into cells l

The levels are listed in another order for every draw, so that a favourite place does not look like a belief. A refusal
or an answer that names no level is counted by its status and stands in no share.
"""

from __future__ import annotations

from collections.abc import Sequence

import numpy as np

from trueness.models import Message
from trueness.reading.level import read_level, read_number
from trueness.status import Status
from trueness.studies.population.elicitation.forms import (
    CAME,
    Answer,
    Elicited,
    Exchange,
    Form,
    Manner,
    Send,
    Tally,
    reply_status,
    user,
)

INSTRUCTION = (
    "Picture one such person, picked at random, and answer for this person with one of the following, word for word, "
    "and nothing else:"
)
NUMBER = "Picture one such person, picked at random, and answer for this person with one number and nothing else."
FEW_TOKENS = 24  # an answer is a level; a longer one would be prose


def messages(form: Form, order: Sequence[int]) -> list[Message]:
    if form.outcome.numeric:
        return user(f"{form.prompt}\n{NUMBER}")
    names = list(form.levels)
    return user(f"{form.prompt}\n{INSTRUCTION}\n" + "\n".join(f"- {names[k]}" for k in order))


def ask(form: Form, manner: Manner, send: Send, rng: np.random.Generator) -> Elicited:
    exchanges = []
    for draw in range(manner.draws):
        order = tuple(int(k) for k in rng.permutation(len(form.levels)))
        settings = manner.draw_settings(int(rng.integers(2**31)), min(FEW_TOKENS, manner.max_tokens))
        key, reply = send(messages(form, order), settings, f"draw {draw}")
        exchanges.append(Exchange("answer", key, reply, order))
    return Elicited("sample", tuple(exchanges))


def read(form: Form, exchanges: Sequence[Exchange], mode: str = "sample") -> dict[str, Answer]:
    """`exchanges` are those whose replies are to name a level or a number; of a story, the second ones."""
    tally = Tally()
    for exchange in exchanges:
        reply = exchange.reply
        if reply.status not in CAME:
            tally.add(None, reply.status, reply.text, reply.message)
            continue
        value, status, message = read_value(reply.text, form)
        tally.add(value, status if status != Status.UNREADABLE else reply_status(reply), reply.text, message)
    return {"": tally.answer(form, mode)}


def read_value(text: str, form: Form) -> tuple[str | float | None, Status, str]:
    """The level or the number that a reply names."""
    if form.outcome.numeric:
        number = read_number(text)
        return number.value, number.status, number.message
    level = read_level(text, form.levels, form.outcome.bins, form.outcome.top)
    return level.level, level.status, level.message
