"""Modes by name: who asks, who reads, what comes out, and how many calls it takes."""

from __future__ import annotations

import math
from collections.abc import Callable, Sequence

import numpy as np

from trueness.models import Message, Settings
from trueness.studies.population.elicitation import distribution, likelihood, qa, sample, story
from trueness.studies.population.elicitation.forms import Answer, Elicited, Exchange, Form, Manner, Send

_ASK: dict[str, Callable[[Form, Manner, Send, np.random.Generator], Elicited]] = {
    "qa": qa.ask,
    "sample": sample.ask,
    "story": story.ask,
    "likelihood": likelihood.ask,
    "distribution": distribution.ask,
}
_READ: dict[str, Callable[[Form, Sequence[Exchange]], dict[str, Answer]]] = {
    "qa": qa.read,
    "sample": sample.read,
    "story": story.read,
    "likelihood": likelihood.read,
    "likelihood-words": likelihood.read_words,
}
VARIANTS = {mode: ("", "argmax") if mode == "likelihood" else ("",) for mode in _ASK}  # answers from the same replies


def elicit(mode: str, form: Form, manner: Manner, send: Send, rng: np.random.Generator) -> Elicited:
    """Ask for one condition; `rng` decides the orders of options and the seeds of draws."""
    return _ASK[mode](form, manner, send, rng)


def read_answers(used: str, form: Form, exchanges: Sequence[Exchange]) -> dict[str, Answer]:
    """What the replies say, by variant: one answer, or two of `likelihood`. Only levels and bins of the form count."""
    return _READ.get(used, distribution.read)(form, exchanges)


def most_calls(mode: str, levels: int, manner: Manner) -> int:
    """Calls for one condition, without falling back."""
    if mode == "qa":
        every = math.factorial(levels)
        return every if every <= manner.permutations else max(1, manner.permutations // levels) * levels
    return {"sample": manner.draws, "story": 2 * manner.draws, "likelihood": 2 * levels}.get(mode, 1)


def opening(mode: str, form: Form, manner: Manner) -> tuple[list[Message], Settings]:
    """The first question of a condition, for estimates and keys: nothing is asked."""
    order = range(len(form.levels))
    if mode == "qa":
        return qa.messages(form, order), manner.letter_settings()
    if mode == "sample":
        return sample.messages(form, order), manner.draw_settings(0, min(sample.FEW_TOKENS, manner.max_tokens))
    if mode == "story":
        return [Message("user", form.prompt)], manner.draw_settings(0)
    if mode == "likelihood":
        return likelihood.messages(form, next(iter(form.levels)), likelihood.RISING), manner.letter_settings()
    return distribution.messages(form), manner.claim_settings(schema=distribution.schema(distribution.keys_of(form)))
