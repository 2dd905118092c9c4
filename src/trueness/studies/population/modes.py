"""How a model is asked for a distribution, mode by mode. They are different things and are reported apart.

    qa             next-token probabilities of option letters, over orders of the options      (a belief)
    sample         K answers at a temperature, each read into a level                          (simulated individuals)
    story          K stories, each followed by a question about it                             (simulated individuals)
    likelihood     how likely each level is, on a scale of 22 steps                            (a stated probability)
    distribution   one JSON object with all shares                                             (a stated distribution)

A mode asks (`elicit`) and, apart from it, reads what came back (`read_answer`): stored replies are read again by a
better reader without a new call. Of a model that gives no log-probabilities `qa` and `likelihood` ask one token and
have the status unreadable, with the reason: it is not asked in another way.
"""

from __future__ import annotations

import itertools
import json
import math
from collections import Counter
from collections.abc import Callable, Sequence
from dataclasses import replace
from functools import partial

import numpy as np
from numpy.typing import NDArray

from trueness.intervals import Distribution
from trueness.models import Message, Reply, Settings
from trueness.reading.distribution import (
    OFF_SUM,
    Answered,
    DistributionReading,
    QuantilesReading,
    answer_view,
    read_distribution,
    read_level,
    read_number,
    read_quantiles,
)
from trueness.reading.views import declines
from trueness.status import Status
from trueness.studies.population.elicitation import (
    CAME,
    Answer,
    Exchange,
    Form,
    Manner,
    Send,
    drawn_answer,
    letter_shares,
    listed_options,
    no_answer,
    reply_status,
    said,
    texts_of,
    user,
    without_letters,
)

LOW_MASS = 0.5  # below it most of the model's probability is on no letter at all
Order = tuple[int, ...]
Share = NDArray[np.float64]  # (k,)


# ---- qa
#
#     q[l] = mean over orders s of P_s(letter of l) / mass_s,      mass_s = sum over letters of P_s(letter)
#
# All k! orders where they are at most `permutations`; else random rings of orders (an order and its k rotations, in
# which every option stands at every place once), as many as fit. So a model that only has a favourite place answers
# uniformly, exactly. The mean mass is said beside.
#
# The text that all orders share comes first and the options last, in lexicographic order: a model with a prefix cache
# evaluates little more than the options that moved.

LETTER = "Answer with the letter of one option and nothing else."


def orders(k: int, most: int, rng: np.random.Generator) -> list[Order]:
    """The orders to ask, sorted: all of them, or whole rings drawn at random."""
    if math.factorial(k) <= most:
        return list(itertools.permutations(range(k)))
    rings: set[Order] = set()
    while len(rings) < max(1, most // k):
        rings.add((0, *(int(i) for i in 1 + rng.permutation(k - 1))))
    return sorted(ring[turn:] + ring[:turn] for ring in rings for turn in range(k))


def qa_messages(form: Form, order: Sequence[int]) -> list[Message]:
    names = list(form.levels)
    return user(f"{form.prompt}\n{LETTER}\n{listed_options([names[k] for k in order])}")


def _ask_qa(form: Form, manner: Manner, send: Send, rng: np.random.Generator) -> list[Exchange]:
    exchanges: list[Exchange] = []
    for order in orders(len(form.levels), manner.permutations, rng):
        key, reply = send(qa_messages(form, order), manner.letter_settings(), "")
        exchanges.append(Exchange("letters", key, reply, order))
        if reply.status in CAME and not reply.logprobs:
            break
    return exchanges


def _read_qa(form: Form, exchanges: Sequence[Exchange]) -> Answer:
    shares: list[Share] = []
    masses: list[float] = []
    counts: Counter[Status] = Counter()
    for exchange in exchanges:
        share, mass = letter_shares(exchange, len(form.levels))
        masses += [mass] if exchange.reply.logprobs else []
        if share is None:
            counts[reply_status(exchange.reply) if exchange.reply.status not in CAME else Status.UNREADABLE] += 1
        else:
            counts[Status.OK] += 1
            shares.append(share)
    if not shares:
        return no_answer(exchanges, without_letters(exchanges, "option letter"))
    q, mass = np.mean(shares, axis=0), float(np.mean(masses))
    low = mass < LOW_MASS
    return Answer(
        Distribution(tuple(form.levels), tuple((q / q.sum()).tolist())), Status.OK, dict(counts), mass,
        texts_of(exchanges), flags=("low_mass",) if low else (),
        message=f"{100 * mass:.0f} % of the probability is on option letters." if low else "",
    )  # fmt: skip


# ---- sample
#
#     q[l] = #{answers that name l} / #{answers that name a level},      n = the latter; numbers fall into cells l
#
# The levels are listed in another order for every draw, so that a favourite place does not look like a belief. A
# refusal or an answer that names no level is counted by its status and stands in no share.

ONE_LEVEL = (
    "Picture one such person, picked at random, and answer for this person with one of the following, word for word, "
    "and nothing else:"
)
ONE_NUMBER = "Picture one such person, picked at random, and answer for this person with one number and nothing else."
FEW_TOKENS = 24  # an answer is a level; a longer one would be prose


def _sample_messages(form: Form, order: Sequence[int]) -> list[Message]:
    if form.outcome.numeric:
        return user(f"{form.prompt}\n{ONE_NUMBER}")
    names = list(form.levels)
    return user(f"{form.prompt}\n{ONE_LEVEL}\n" + "\n".join(f"- {names[k]}" for k in order))


def _ask_sample(form: Form, manner: Manner, send: Send, rng: np.random.Generator) -> list[Exchange]:
    exchanges: list[Exchange] = []
    for draw in range(manner.draws):
        order = tuple(int(k) for k in rng.permutation(len(form.levels)))
        settings = manner.draw_settings(int(rng.integers(2**31)), min(FEW_TOKENS, manner.max_tokens))
        key, reply = send(_sample_messages(form, order), settings, f"draw {draw}")
        exchanges.append(Exchange("answer", key, reply, order))
    return exchanges


def _read_sample(form: Form, exchanges: Sequence[Exchange]) -> Answer:
    """`exchanges` are those whose replies are to name a level or a number; of a story, the second ones."""
    read = partial(read_value, form=form)
    return drawn_answer(form, [(said(one.reply, read), one.reply.text) for one in exchanges])


def read_value(text: str, form: Form) -> Answered:
    """The level or the number that a reply names."""
    if form.outcome.numeric:
        return read_number(text)
    return read_level(text, form.levels, form.outcome.bins, form.outcome.top)


# ---- story, the original's first mode
#
#     prompt -> story at a temperature;   prompt, story, second_prompt -> an answer at temperature 0, read into a level
#
# A story that never came or is a refusal is a draw with that status, and no second question is asked.

SHORT = 400  # characters below which a text that declines is a refusal and no story in which somebody declines


def _ask_story(form: Form, manner: Manner, send: Send, rng: np.random.Generator) -> list[Exchange]:
    exchanges: list[Exchange] = []
    for draw in range(manner.draws):
        dialogue = [Message("user", form.prompt)]
        key, story = send(dialogue, manner.draw_settings(int(rng.integers(2**31))), f"draw {draw}")
        exchanges.append(Exchange("story", key, story))
        if _story_status(story) not in CAME:
            continue
        dialogue += [Message("assistant", story.text), Message("user", form.second_prompt)]
        settings = replace(manner.claim_settings(FEW_TOKENS), temperature=0.0)
        exchanges.append(Exchange("extract", *send(dialogue, settings, f"draw {draw}")))
    return exchanges


def _story_status(reply: Reply) -> Status:
    if reply.status in CAME and not reply.text.strip():
        return Status.UNREADABLE
    if reply.status in CAME and len(reply.text) < SHORT and declines(answer_view(reply.text)):
        return Status.REFUSED
    return reply.status


def _read_story(form: Form, exchanges: Sequence[Exchange]) -> Answer:
    """The second replies, and a status for every story that had none."""
    last = []
    for exchange, following in zip(exchanges, [*exchanges[1:], None], strict=True):
        if exchange.role == "extract":
            last.append(exchange)
        elif following is None or following.role == "story":
            status = _story_status(exchange.reply)
            reply = replace(exchange.reply, status=status if status not in CAME else Status.FAILED)
            last.append(replace(exchange, reply=reply))
    answer = _read_sample(form, last)
    return replace(answer, texts=tuple(exchange.reply.text for exchange in exchanges[: 2 * len(answer.texts)]))


# ---- likelihood, on the original's scale of 22 steps: 0 %, 0-5 %, 5-10 %, ..., 95-100 %, 100 %
#
#     e[l] = sum_j P(step j | level l) m_j,     q[l] = e[l] / sum_l e[l]                              m_j: its middle
#
# Steps have letters and P is that of the next token, as in qa, over the rising and the falling scale. Levels are asked
# about one by one and need not sum to 1: the sum is said, and an answer whose sum rounding does not explain is flagged.

STEPS = ("0 %", *(f"{5 * k}-{5 * k + 5} %" for k in range(20)), "100 %")
MIDDLES = np.array([0.0, *(0.05 * k + 0.025 for k in range(20)), 1.0])
OFF = 0.05  # a sum of levels that is further from 1 than a step is wide is flagged
RISING = tuple(range(len(STEPS)))


def _likelihood_messages(form: Form, level: str, order: Sequence[int]) -> list[Message]:
    """The scale first: it is the same for all levels and conditions."""
    scale = listed_options([STEPS[k] for k in order])
    return user(f'Options:\n{scale}\n\n{form.prompt}\nHow likely is it that the answer is "{level}"? {LETTER}')


def _ask_likelihood(form: Form, manner: Manner, send: Send, rng: np.random.Generator) -> list[Exchange]:
    exchanges: list[Exchange] = []
    for order in (RISING, RISING[::-1]):
        for level in form.levels:
            key, reply = send(_likelihood_messages(form, level, order), manner.letter_settings(), "")
            exchanges.append(Exchange("steps", key, reply, order, level))
            if reply.status in CAME and not reply.logprobs:
                return exchanges
    return exchanges


def _read_likelihood(form: Form, exchanges: Sequence[Exchange]) -> Answer:
    steps: dict[str, list[Share]] = {}
    masses = []
    counts: Counter[Status] = Counter()
    for exchange in exchanges:
        share, mass = letter_shares(exchange, len(STEPS))
        counts[Status.OK if mass > 0 else reply_status(exchange.reply)] += 1
        masses.append(mass)
        if share is not None:
            steps.setdefault(exchange.about, []).append(share)
    if set(steps) != set(form.levels):
        return no_answer(exchanges, without_letters(exchanges, "step of the scale"))
    shares = {level: float(np.mean(steps[level], axis=0) @ MIDDLES) for level in form.levels}
    total, mass = sum(shares.values()), float(np.mean(masses))
    if total <= 0:
        message = "every level was called impossible."
        return Answer(None, Status.UNREADABLE, dict(counts), mass, texts_of(exchanges), message=message)
    flags, notes = [], []
    if abs(total - 1) > OFF:
        flags.append(OFF_SUM)
        notes.append(f"the likelihoods of the levels sum to {100 * total:.0f} %; they were divided by the sum.")
    if mass < LOW_MASS:
        flags.append("low_mass")
        notes.append(f"{100 * mass:.0f} % of the probability is on letters of the scale.")
    probs = tuple(share / total for share in shares.values())
    return Answer(
        Distribution(tuple(shares), probs), Status.OK, dict(counts), mass, texts_of(exchanges),
        message=" ".join(notes), flags=tuple(flags), total=total,
    )  # fmt: skip


# ---- distribution: the cheapest mode, one call a condition
#
# A model that can be held to a schema is; what any other writes is read by reading/distribution.py, which checks the
# sum. `total` of the answer is that sum, before anything was divided by it. Of an outcome that is a number it asks for
# percentiles; between them the quantile function is a straight line, below the first and above the last it is flat.

SHARES = (
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


def _distribution_messages(form: Form) -> list[Message]:
    if form.outcome.numeric:
        return user(f"{form.prompt}\n{NUMBERS}\n{', '.join(_keys_of(form))}")
    return user(f"{form.prompt}\n{SHARES}\n{', '.join(json.dumps(name, ensure_ascii=False) for name in form.levels)}")


def _keys_of(form: Form) -> list[str]:
    return [f"p{p}" for p in PERCENTILES] if form.outcome.numeric else list(form.levels)


def _schema(keys: Sequence[str]) -> dict[str, object]:
    """Without bounds on the numbers: not every provider takes them, and the reader checks."""
    return {
        "type": "object",
        "properties": {key: {"type": "number"} for key in keys},
        "required": list(keys),
        "additionalProperties": False,
    }


def _ask_distribution(form: Form, manner: Manner, send: Send, rng: np.random.Generator) -> list[Exchange]:
    key, reply = send(_distribution_messages(form), manner.claim_settings(schema=_schema(_keys_of(form))), "")
    return [Exchange("shares", key, reply)]


def _read_distribution(form: Form, exchanges: Sequence[Exchange]) -> Answer:
    reply = exchanges[0].reply
    if reply.status not in CAME:
        return no_answer(exchanges)
    reading = read_shares(reply.text, form)
    status = reading.status if reading.status != Status.UNREADABLE else reply_status(reply)
    answer = Answer(None, status, {status: 1}, texts=texts_of(exchanges), message=reading.message)
    if status != Status.OK:
        return answer
    if isinstance(reading, DistributionReading):
        shares = Distribution(tuple(form.levels), tuple(reading.probs[level] for level in form.levels))
        return replace(answer, distribution=shares, flags=reading.flags, total=reading.total)
    stated = [reading.values[p] for p in PERCENTILES]
    numbers = tuple(np.interp(POINTS, np.array(PERCENTILES) / 100, stated).tolist())
    return replace(answer, distribution=form.histogram(numbers, None), numbers=numbers)


def read_shares(text: str, form: Form) -> DistributionReading | QuantilesReading:
    """The shares of all levels that a reply states, or the percentiles of a number."""
    if form.outcome.numeric:
        return read_quantiles(text, PERCENTILES)
    return read_distribution(text, form.levels)


# ---- modes by name

_ASK: dict[str, Callable[[Form, Manner, Send, np.random.Generator], list[Exchange]]] = {
    "qa": _ask_qa,
    "sample": _ask_sample,
    "story": _ask_story,
    "likelihood": _ask_likelihood,
    "distribution": _ask_distribution,
}
_READ: dict[str, Callable[[Form, Sequence[Exchange]], Answer]] = {
    "qa": _read_qa,
    "sample": _read_sample,
    "story": _read_story,
    "likelihood": _read_likelihood,
    "distribution": _read_distribution,
}


def elicit(mode: str, form: Form, manner: Manner, send: Send, rng: np.random.Generator) -> list[Exchange]:
    """All replies to one condition; `rng` decides the orders of options and the seeds of draws."""
    return _ASK[mode](form, manner, send, rng)


def read_answer(mode: str, form: Form, exchanges: Sequence[Exchange]) -> Answer:
    """What the replies say. Only levels and bins of the form count."""
    return _READ[mode](form, exchanges)


def most_calls(mode: str, levels: int, manner: Manner) -> int:
    """Calls for one condition."""
    if mode == "qa":
        every = math.factorial(levels)
        return every if every <= manner.permutations else max(1, manner.permutations // levels) * levels
    return {"sample": manner.draws, "story": 2 * manner.draws, "likelihood": 2 * levels}.get(mode, 1)


def opening(mode: str, form: Form, manner: Manner) -> tuple[list[Message], Settings]:
    """The first question of a condition, for estimates and keys: nothing is asked."""
    order = range(len(form.levels))
    if mode == "qa":
        return qa_messages(form, order), manner.letter_settings()
    if mode == "sample":
        return _sample_messages(form, order), manner.draw_settings(0, min(FEW_TOKENS, manner.max_tokens))
    if mode == "story":
        return [Message("user", form.prompt)], manner.draw_settings(0)
    if mode == "likelihood":
        return _likelihood_messages(form, next(iter(form.levels)), RISING), manner.letter_settings()
    return _distribution_messages(form), manner.claim_settings(schema=_schema(_keys_of(form)))
