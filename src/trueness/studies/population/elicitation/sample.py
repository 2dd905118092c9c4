"""sample: K answers at a temperature, each for one person drawn at random, each read into a level.

    q[l] = #{answers that name l} / #{answers that name a level},      n = the latter

The levels are listed in another order for every draw, so that a favourite place does not look like a belief. A refusal
or an answer that names no level is counted by its status and stands in no share.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence

import numpy as np

from trueness.models import Message
from trueness.reading.level import read_level
from trueness.status import Status
from trueness.studies.population.elicitation.asking import (
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
FEW_TOKENS = 24  # an answer is a level; a longer one would be prose


def messages(form: Form, order: Sequence[int]) -> list[Message]:
    names = list(form.levels)
    return user(f"{form.prompt}\n{INSTRUCTION}\n" + "\n".join(f"- {names[k]}" for k in order))


def ask(form: Form, manner: Manner, send: Send, rng: np.random.Generator) -> Elicited:
    found = []
    for draw in range(manner.draws):
        order = tuple(int(k) for k in rng.permutation(len(form.levels)))
        settings = manner.drawn(int(rng.integers(2**31)), min(FEW_TOKENS, manner.max_tokens))
        key, reply = send(messages(form, order), settings, f"draw {draw}")
        found.append(Exchange("answer", key, reply, order))
    return Elicited("sample", tuple(found))


def read(
    levels: Mapping[str, Sequence[str]],
    exchanges: Sequence[Exchange],
    bins: Sequence[float] = (),
    top: float | None = None,
    mode: str = "sample",
) -> dict[str, Answer]:
    """`exchanges` are those whose replies are to name a level; of a story, the second ones."""
    tally = Tally()
    for exchange in exchanges:
        reply = exchange.reply
        if reply.status not in CAME:
            tally.add(None, reply.status, reply.text, reply.message)
            continue
        found = read_level(reply.text, levels, bins, top)
        status = found.status if found.status != Status.UNREADABLE else reply_status(reply)
        tally.add(found.level, status, reply.text, found.message)
    return {"": tally.answer(list(levels), mode)}
