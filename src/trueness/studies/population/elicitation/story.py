"""story: K stories about a person, each followed by the question what the person is; the original's first mode.

    prompt -> story at a temperature;   prompt, story, second_prompt -> an answer at temperature 0, read into a level

A story that never came or is a refusal is a draw with that status, and no second question is asked.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import replace

import numpy as np

from trueness.models import Message, Reply
from trueness.reading.level import answer_view
from trueness.reading.views import declines
from trueness.status import Status
from trueness.studies.population.elicitation import sample
from trueness.studies.population.elicitation.forms import CAME, Answer, Elicited, Exchange, Form, Manner, Send

SHORT = 400  # characters below which a text that declines is a refusal and no story in which somebody declines


def ask(form: Form, manner: Manner, send: Send, rng: np.random.Generator) -> Elicited:
    exchanges = []
    for draw in range(manner.draws):
        dialogue = [Message("user", form.prompt)]
        key, story = send(dialogue, manner.draw_settings(int(rng.integers(2**31))), f"draw {draw}")
        exchanges.append(Exchange("story", key, story))
        if story_status(story) not in CAME:
            continue
        dialogue += [Message("assistant", story.text), Message("user", form.second_prompt)]
        settings = replace(manner.claim_settings(sample.FEW_TOKENS), temperature=0.0)
        exchanges.append(Exchange("extract", *send(dialogue, settings, f"draw {draw}")))
    return Elicited("story", tuple(exchanges))


def story_status(reply: Reply) -> Status:
    if reply.status in CAME and not reply.text.strip():
        return Status.UNREADABLE
    if reply.status in CAME and len(reply.text) < SHORT and declines(answer_view(reply.text)):
        return Status.REFUSED
    return reply.status


def read(form: Form, exchanges: Sequence[Exchange]) -> dict[str, Answer]:
    """The second replies, and a status for every story that had none."""
    last = []
    for exchange, following in zip(exchanges, [*exchanges[1:], None], strict=True):
        if exchange.role == "extract":
            last.append(exchange)
        elif following is None or following.role == "story":
            status = story_status(exchange.reply)
            reply = replace(exchange.reply, status=status if status not in CAME else Status.FAILED)
            last.append(replace(exchange, reply=reply))
    answers = sample.read(form, last, "story")
    stories = tuple(exchange.reply.text for exchange in exchanges[: 2 * len(answers[""].texts)])
    return {"": replace(answers[""], texts=stories)}
