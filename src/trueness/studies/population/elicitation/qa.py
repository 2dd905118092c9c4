"""qa: next-token probabilities of option letters, averaged over orders of the options.

    q[l] = mean over orders s of P_s(letter of l) / mass_s,      mass_s = sum over letters of P_s(letter)

All k! orders where they are at most `permutations`; else random rings of orders (an order and its k rotations, in
which every option stands at every place once), as many as fit. So a model that only has a favourite place answers
uniformly, exactly. What is averaged over is said: the mean mass, and the standard error over rings,

    error[l] = sd(ring means) / sqrt(R) * sqrt(1 - R / (k - 1)!)          0 where all orders were asked

The text that all orders share comes first and the options last, in lexicographic order: a model with a prefix cache
evaluates little more than the options that moved.
"""

from __future__ import annotations

import itertools
import math
from collections import Counter
from collections.abc import Sequence
from dataclasses import replace

import numpy as np
from numpy.typing import NDArray

from trueness.intervals import Distribution
from trueness.models import Message
from trueness.status import Status
from trueness.studies.population.elicitation import sample
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

INSTRUCTION = "Answer with the letter of one option and nothing else."
LOW_MASS = 0.5  # below it most of the model's probability is on no letter at all
FELL_BACK = "the model gives no log-probabilities: asked for {draws} answers in words instead (qa -> sample)"

Order = tuple[int, ...]
Share = NDArray[np.float64]  # (k,)


def orders(k: int, most: int, rng: np.random.Generator) -> list[Order]:
    """The orders to ask, sorted: all of them, or whole rings drawn at random."""
    if math.factorial(k) <= most:
        return list(itertools.permutations(range(k)))
    rings: set[Order] = set()
    while len(rings) < max(1, most // k):
        rings.add((0, *(int(i) for i in 1 + rng.permutation(k - 1))))
    return sorted(ring[turn:] + ring[:turn] for ring in rings for turn in range(k))


def messages(form: Form, order: Sequence[int]) -> list[Message]:
    names = list(form.levels)
    return user(f"{form.prompt}\n{INSTRUCTION}\n{listed_options([names[k] for k in order])}")


def ask(form: Form, manner: Manner, send: Send, rng: np.random.Generator) -> Elicited:
    exchanges: list[Exchange] = []
    for order in orders(len(form.levels), manner.permutations, rng):
        key, reply = send(messages(form, order), manner.letter_settings(), "")
        exchanges.append(Exchange("letters", key, reply, order))
        if reply.status in CAME and not reply.logprobs:
            other = sample.ask(form, manner, send, rng)
            return replace(other, note=FELL_BACK.format(draws=manner.draws))
    return Elicited("qa", tuple(exchanges))


def read(form: Form, exchanges: Sequence[Exchange]) -> dict[str, Answer]:
    names, k = list(form.levels), len(form.levels)
    rings: dict[Order, list[Share]] = {}
    masses: list[float] = []
    counts: Counter[Status] = Counter()
    for exchange in exchanges:
        probs = letter_probs(exchange.reply, k)
        mass = sum(probs or ())
        if probs is None or mass <= 0:
            counts[reply_status(exchange.reply) if exchange.reply.status not in CAME else Status.UNREADABLE] += 1
            masses += [] if probs is None else [0.0]
            continue
        counts[Status.OK] += 1
        masses.append(mass)
        share = np.zeros(k)
        share[list(exchange.order)] = np.array(probs) / mass
        turn = exchange.order.index(0)
        rings.setdefault(exchange.order[turn:] + exchange.order[:turn], []).append(share)
    if not rings:
        return {"": no_answer(exchanges, "qa", "no option letter is among the likeliest first tokens.")}
    shares = [share for ring in rings.values() for share in ring]
    q = np.mean(shares, axis=0)
    mass = float(np.mean(masses))
    message = f"{100 * mass:.0f} % of the probability is on option letters." if mass < LOW_MASS else ""
    return {
        "": Answer(
            Distribution(tuple(names), tuple((q / q.sum()).tolist())), Status.OK, dict(counts), mass,
            texts_of(exchanges), message=message, mode="qa", error=_error(list(rings.values()), k),
            flags=("low_mass",) if message else (),
        )
    }  # fmt: skip


def _error(rings: list[list[Share]], k: int) -> float | None:
    """The largest standard error of a level; None where one ring says nothing of others."""
    n, all_rings = len(rings), math.factorial(k - 1)
    if n == all_rings:
        return 0.0
    if n < 2:
        return None
    means = np.array([np.mean(ring, axis=0) for ring in rings])
    return float(means.std(axis=0, ddof=1).max() / math.sqrt(n) * math.sqrt(1 - n / all_rings))
