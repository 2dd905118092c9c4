"""How a model is asked for a distribution, mode by mode. They are different things and are reported apart.

    qa             next-token probabilities of option letters, over orders of the options      (a belief)
    sample         K answers at a temperature, each read into a level                          (simulated individuals)
    story          K stories, each followed by a question about it                             (simulated individuals)
    likelihood     how likely each level is, on a scale of 22 steps                            (a stated probability)
    distribution   one JSON object with all shares                                             (a stated distribution)

A mode asks (`elicit`) and, apart from it, reads what came back (`read_answer`): stored replies are read again by a
better reader without a new call. A model that gives no log-probabilities is asked by rule in another way, and the
answer says so: qa -> sample, likelihood -> the same question answered in words.
"""

from __future__ import annotations

import itertools
import json
import math
from collections import Counter
from collections.abc import Callable, Mapping, Sequence
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
    read_share,
)
from trueness.reading.views import declines
from trueness.status import Status
from trueness.studies.population.elicitation import (
    CAME,
    Answer,
    Elicited,
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
QA_AS_SAMPLE = "the model gives no log-probabilities: asked for {draws} answers in words instead (qa -> sample)"


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


def _ask_qa(form: Form, manner: Manner, send: Send, rng: np.random.Generator) -> Elicited:
    exchanges: list[Exchange] = []
    for order in orders(len(form.levels), manner.permutations, rng):
        key, reply = send(qa_messages(form, order), manner.letter_settings(), "")
        exchanges.append(Exchange("letters", key, reply, order))
        if reply.status in CAME and not reply.logprobs:
            return replace(_ask_sample(form, manner, send, rng), note=QA_AS_SAMPLE.format(draws=manner.draws))
    return Elicited("qa", tuple(exchanges))


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
        return no_answer(exchanges, "qa", "no option letter is among the likeliest first tokens.")
    q, mass = np.mean(shares, axis=0), float(np.mean(masses))
    low = mass < LOW_MASS
    return Answer(
        Distribution(tuple(form.levels), tuple((q / q.sum()).tolist())), Status.OK, dict(counts), mass,
        texts_of(exchanges), mode="qa", flags=("low_mass",) if low else (),
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


def _ask_sample(form: Form, manner: Manner, send: Send, rng: np.random.Generator) -> Elicited:
    exchanges = []
    for draw in range(manner.draws):
        order = tuple(int(k) for k in rng.permutation(len(form.levels)))
        settings = manner.draw_settings(int(rng.integers(2**31)), min(FEW_TOKENS, manner.max_tokens))
        key, reply = send(_sample_messages(form, order), settings, f"draw {draw}")
        exchanges.append(Exchange("answer", key, reply, order))
    return Elicited("sample", tuple(exchanges))


def _read_sample(form: Form, exchanges: Sequence[Exchange], mode: str = "sample") -> Answer:
    """`exchanges` are those whose replies are to name a level or a number; of a story, the second ones."""
    read = partial(read_value, form=form)
    return drawn_answer(form, [(said(one.reply, read), one.reply.text) for one in exchanges], mode)


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


def _ask_story(form: Form, manner: Manner, send: Send, rng: np.random.Generator) -> Elicited:
    exchanges = []
    for draw in range(manner.draws):
        dialogue = [Message("user", form.prompt)]
        key, story = send(dialogue, manner.draw_settings(int(rng.integers(2**31))), f"draw {draw}")
        exchanges.append(Exchange("story", key, story))
        if _story_status(story) not in CAME:
            continue
        dialogue += [Message("assistant", story.text), Message("user", form.second_prompt)]
        settings = replace(manner.claim_settings(FEW_TOKENS), temperature=0.0)
        exchanges.append(Exchange("extract", *send(dialogue, settings, f"draw {draw}")))
    return Elicited("story", tuple(exchanges))


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
    answer = _read_sample(form, last, "story")
    return replace(answer, texts=tuple(exchange.reply.text for exchange in exchanges[: 2 * len(answer.texts)]))


# ---- likelihood, on the original's scale of 22 steps: 0 %, 0-5 %, 5-10 %, ..., 95-100 %, 100 %
#
#     e[l] = sum_j P(step j | level l) m_j,     q[l] = e[l] / sum_l e[l]                              m_j: its middle
#
# Steps have letters and P is that of the next token, as in qa, over the rising and the falling scale. Levels are asked
# about one by one and need not sum to 1: the sum is said, and an answer whose sum rounding does not explain is flagged.
# A model without log-probabilities answers in words ("30-35 %").

STEPS = ("0 %", *(f"{5 * k}-{5 * k + 5} %" for k in range(20)), "100 %")
MIDDLES = np.array([0.0, *(0.05 * k + 0.025 for k in range(20)), 1.0])
OFF = 0.05  # a sum of levels that is further from 1 than a step is wide is flagged
TEXT_TOKENS = 16
IN_WORDS = "the model gives no log-probabilities: asked for the likelihood in words instead"
RISING = tuple(range(len(STEPS)))


def _likelihood_messages(form: Form, level: str, order: Sequence[int]) -> list[Message]:
    """The scale first: it is the same for all levels and conditions."""
    scale = listed_options([STEPS[k] for k in order])
    return user(f'Options:\n{scale}\n\n{form.prompt}\nHow likely is it that the answer is "{level}"? {LETTER}')


def _ask_likelihood(form: Form, manner: Manner, send: Send, rng: np.random.Generator) -> Elicited:
    exchanges = []
    for order in (RISING, RISING[::-1]):
        for level in form.levels:
            key, reply = send(_likelihood_messages(form, level, order), manner.letter_settings(), "")
            exchanges.append(Exchange("steps", key, reply, order, level))
            if reply.status in CAME and not reply.logprobs:
                return _ask_in_words(form, manner, send)
    return Elicited("likelihood", tuple(exchanges))


def _ask_in_words(form: Form, manner: Manner, send: Send) -> Elicited:
    how = "Answer with a percentage from 0 % to 100 % and nothing else."
    exchanges = []
    for level in form.levels:
        question = user(f'{form.prompt}\nHow likely is it that the answer is "{level}"? {how}')
        key, reply = send(question, manner.claim_settings(TEXT_TOKENS), "")
        exchanges.append(Exchange("percentage", key, reply, (), level))
    return Elicited("likelihood-words", tuple(exchanges), IN_WORDS)


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
        return no_answer(exchanges, "likelihood", "no step of the scale is among the likeliest first tokens.")
    expected = {level: float(np.mean(steps[level], axis=0) @ MIDDLES) for level in form.levels}
    return _divided(expected, exchanges, counts, float(np.mean(masses)), "likelihood")


def _read_in_words(form: Form, exchanges: Sequence[Exchange]) -> Answer:
    reads = {exchange.about: said(exchange.reply, read_share) for exchange in exchanges}
    counts, mode = Counter(read.status for read in reads.values()), "likelihood-words"
    shares = {level: read.value for level, read in reads.items() if isinstance(read.value, float)}
    if set(shares) != set(form.levels):
        status = next(status for status, _ in counts.most_common() if status != Status.OK)
        message = next((read.message for read in reads.values() if read.message), "")
        return Answer(None, status, dict(counts), texts=texts_of(exchanges), message=message, mode=mode)
    return _divided({level: shares[level] for level in form.levels}, exchanges, counts, None, mode)


def _divided(
    shares: Mapping[str, float], exchanges: Sequence[Exchange], counts: Counter[Status], mass: float | None, mode: str
) -> Answer:
    """Shares of levels that were asked about one by one, divided by their sum, which is said."""
    total, texts = sum(shares.values()), texts_of(exchanges)
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


def _ask_distribution(form: Form, manner: Manner, send: Send, rng: np.random.Generator) -> Elicited:
    key, reply = send(_distribution_messages(form), manner.claim_settings(schema=_schema(_keys_of(form))), "")
    return Elicited("distribution", (Exchange("shares", key, reply),))


def _read_distribution(form: Form, exchanges: Sequence[Exchange]) -> Answer:
    reply, mode = exchanges[0].reply, "distribution"
    if reply.status not in CAME:
        return no_answer(exchanges, mode)
    reading = read_shares(reply.text, form)
    status = reading.status if reading.status != Status.UNREADABLE else reply_status(reply)
    answer = Answer(None, status, {status: 1}, texts=texts_of(exchanges), message=reading.message, mode=mode)
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

_ASK: dict[str, Callable[[Form, Manner, Send, np.random.Generator], Elicited]] = {
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
    "likelihood-words": _read_in_words,
}


def elicit(mode: str, form: Form, manner: Manner, send: Send, rng: np.random.Generator) -> Elicited:
    """Ask for one condition; `rng` decides the orders of options and the seeds of draws."""
    return _ASK[mode](form, manner, send, rng)


def read_answer(used: str, form: Form, exchanges: Sequence[Exchange]) -> Answer:
    """What the replies say. Only levels and bins of the form count."""
    return _READ.get(used, _read_distribution)(form, exchanges)


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
        return qa_messages(form, order), manner.letter_settings()
    if mode == "sample":
        return _sample_messages(form, order), manner.draw_settings(0, min(FEW_TOKENS, manner.max_tokens))
    if mode == "story":
        return [Message("user", form.prompt)], manner.draw_settings(0)
    if mode == "likelihood":
        return _likelihood_messages(form, next(iter(form.levels)), RISING), manner.letter_settings()
    return _distribution_messages(form), manner.claim_settings(schema=_schema(_keys_of(form)))
