"""likelihood: how likely each level is, on the original's scale of 22 steps: 0 %, 0-5 %, 5-10 %, ..., 95-100 %, 100 %.

    expectation  e[l] = sum_j P(step j | level l) m_j,     argmax  a[l] = m of the likeliest step      m_j: its middle
    q[l] = e[l] / sum_l e[l]

Steps have letters and P is that of the next token, as in qa, over the rising and the falling scale. Levels are asked
about one by one and need not sum to 1: the sum is said, and an answer whose sum rounding does not explain is flagged.
A model without log-probabilities answers in words ("30-35 %"), and expectation and argmax are the same.
"""

from __future__ import annotations

from collections import Counter
from collections.abc import Mapping, Sequence

import numpy as np
from numpy.typing import NDArray

from trueness.intervals import Distribution
from trueness.models import Message
from trueness.reading.distribution import OFF_SUM
from trueness.reading.level import read_share
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
from trueness.studies.population.elicitation.letters import letter_probs, listed_options
from trueness.studies.population.elicitation.qa import INSTRUCTION, LOW_MASS

STEPS = ("0 %", *(f"{5 * k}-{5 * k + 5} %" for k in range(20)), "100 %")
MIDDLES = np.array([0.0, *(0.05 * k + 0.025 for k in range(20)), 1.0])
OFF = 0.05  # a sum of levels that is further from 1 than a step is wide is flagged
TEXT_TOKENS = 16
FELL_BACK = "the model gives no log-probabilities: asked for the likelihood in words instead"

RISING = tuple(range(len(STEPS)))
FALLING = RISING[::-1]


def messages(form: Form, level: str, order: Sequence[int]) -> list[Message]:
    """The scale first: it is the same for all levels and conditions."""
    scale = listed_options([STEPS[k] for k in order])
    return user(f'Options:\n{scale}\n\n{form.prompt}\nHow likely is it that the answer is "{level}"? {INSTRUCTION}')


def words(form: Form, level: str) -> list[Message]:
    how = "Answer with a percentage from 0 % to 100 % and nothing else."
    return user(f'{form.prompt}\nHow likely is it that the answer is "{level}"? {how}')


def ask(form: Form, manner: Manner, send: Send, rng: np.random.Generator) -> Elicited:
    exchanges = []
    for order in (RISING, FALLING):
        for level in form.levels:
            key, reply = send(messages(form, level, order), manner.letter_settings(), "")
            exchanges.append(Exchange("steps", key, reply, order, level))
            if reply.status in CAME and not reply.logprobs:
                return _in_words(form, manner, send)
    return Elicited("likelihood", tuple(exchanges))


def _in_words(form: Form, manner: Manner, send: Send) -> Elicited:
    exchanges = []
    for level in form.levels:
        key, reply = send(words(form, level), manner.claim_settings(TEXT_TOKENS), "")
        exchanges.append(Exchange("percentage", key, reply, (), level))
    return Elicited("likelihood-words", tuple(exchanges), FELL_BACK)


def read(form: Form, exchanges: Sequence[Exchange]) -> dict[str, Answer]:
    """By expectation ('') and by argmax."""
    steps: dict[str, list[NDArray[np.float64]]] = {}
    masses = []
    counts: Counter[Status] = Counter()
    for exchange in exchanges:
        probs = letter_probs(exchange.reply, len(STEPS))
        mass = sum(probs or ())
        counts[Status.OK if mass > 0 else reply_status(exchange.reply)] += 1
        masses.append(mass)
        if probs is not None and mass > 0:
            shown = np.zeros(len(STEPS))
            shown[list(exchange.order)] = np.array(probs) / mass
            steps.setdefault(exchange.about, []).append(shown)
    if set(steps) != set(form.levels):
        missing = no_answer(exchanges, "likelihood", "no step of the scale is among the likeliest first tokens.")
        return {"": missing, "argmax": missing}
    belief = {level: np.mean(steps[level], axis=0) for level in form.levels}
    expected = {level: float(step @ MIDDLES) for level, step in belief.items()}
    likeliest = {level: float(MIDDLES[int(step.argmax())]) for level, step in belief.items()}
    mass = float(np.mean(masses))
    variants = {"": expected, "argmax": likeliest}
    return {name: _answer(shares, exchanges, counts, mass, "likelihood") for name, shares in variants.items()}


def read_words(form: Form, exchanges: Sequence[Exchange]) -> dict[str, Answer]:
    shares: dict[str, float] = {}
    counts: Counter[Status] = Counter()
    message = ""
    for exchange in exchanges:
        if exchange.reply.status not in CAME:
            counts[exchange.reply.status] += 1
            message = message or exchange.reply.message
            continue
        reading = read_share(exchange.reply.text)
        counts[reading.status if reading.status != Status.UNREADABLE else reply_status(exchange.reply)] += 1
        message = message or reading.message
        if reading.value is not None:
            shares[exchange.about] = reading.value
    if set(shares) != set(form.levels):
        status = next(status for status, _ in counts.most_common() if status != Status.OK)
        missing = Answer(
            None, status, dict(counts), texts=texts_of(exchanges), message=message, mode="likelihood-words"
        )
        return {"": missing, "argmax": missing}
    ordered = {level: shares[level] for level in form.levels}
    answer = _answer(ordered, exchanges, counts, None, "likelihood-words")
    return {"": answer, "argmax": answer}


def _answer(
    shares: Mapping[str, float], exchanges: Sequence[Exchange], counts: Counter[Status], mass: float | None, mode: str
) -> Answer:
    """Shares of levels that were asked about one by one, divided by their sum, which is said."""
    total = sum(shares.values())
    texts = texts_of(exchanges)
    if total <= 0:
        message = "every level was called impossible."
        return Answer(None, Status.UNREADABLE, dict(counts), mass, texts, message=message, mode=mode)
    flags, notes = [], []
    if abs(total - 1) > OFF:
        flags.append(OFF_SUM)
        notes.append(f"the likelihoods of the levels sum to {100 * total:.0f} %; they were divided by the sum.")
    if mass is not None and mass < LOW_MASS:
        flags.append("low_mass")
        notes.append(f"{100 * mass:.0f} % of the probability is on letters of the scale.")
    probs = tuple(share / total for share in shares.values())
    return Answer(
        Distribution(tuple(shares), probs), Status.OK, dict(counts), mass, texts, message=" ".join(notes), mode=mode,
        flags=tuple(flags), total=total,
    )  # fmt: skip
