"""What every mode of asking shares: the form that is put to a model, the manner of asking, the answer.

Of option letters the probability is that of the first generated token and its rivals; " A", "A" and "A." are one
letter, "a" is an article and not counted. A letter below the rivals that the provider lists has no known probability
and is counted as 0; the captured mass says how much was seen, and is reported wherever the probabilities are.
"""

from __future__ import annotations

import math
from collections import Counter
from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass, field

import numpy as np
from numpy.typing import NDArray

from trueness.intervals import Distribution
from trueness.models import Message, Reply, Settings
from trueness.reading.distribution import Answered
from trueness.status import Status
from trueness.studies.population.questions import Question, Variable
from trueness.studies.population.survey_rows import cells_of

SYSTEM = "You answer questions about a population from what you know of it. A best estimate is wanted."
TEXTS_KEPT = 5  # raw replies of a condition that an answer carries; all of them are in the store
LETTERS = "ABCDEFGHIJKLMNOPQRSTUVWXYZ"
_AROUND = " \t\n.):(*▁Ġ"  # the last two: a blank, as tokenizers write it
NO_LOGPROBS = 'the model gives no log-probabilities: ask it by mode "sample" or "distribution".'
CAME = (Status.OK, Status.TRUNCATED)  # statuses of a reply that has a text

Send = Callable[[Sequence[Message], Settings, str], tuple[str, Reply]]  # -> the reply and its key in the store


@dataclass(frozen=True)
class Form:
    """One condition of a question, as far as asking and reading need it."""

    prompt: str
    levels: Mapping[str, tuple[str, ...]]  # name -> accepted spellings, in order
    second_prompt: str = ""
    outcome: Variable = Variable("")  # its bins take the number of a reply, where there are any

    @classmethod
    def of(cls, question: Question, condition: str) -> Form:
        levels = {level.name: level.spellings for level in question.outcome.levels}
        return cls(question.prompt_for(condition), levels, question.second_prompt, question.outcome)

    def histogram(self, numbers: Sequence[float], n: float | None) -> Distribution:
        """Numbers counted in the cells of the outcome; n: as many draws, None for points of a stated distribution."""
        counts = np.bincount(cells_of(self.outcome, np.array(numbers)), minlength=len(self.levels))
        return Distribution(tuple(self.levels), tuple((counts / counts.sum()).tolist()), n)


@dataclass(frozen=True)
class Manner:
    """How to ask. `temperature` is of draws (sample, story), `claim_temperature` of what is stated once."""

    draws: int = 128
    permutations: int = 128
    temperature: float | None = 1.0
    claim_temperature: float | None = 0.1
    top_logprobs: int = 20
    max_tokens: int = 256
    timeout: float = 120.0

    def draw_settings(self, seed: int, max_tokens: int | None = None) -> Settings:
        return Settings(self.temperature, max_tokens or self.max_tokens, seed=seed, timeout=self.timeout)

    def claim_settings(self, max_tokens: int | None = None, schema: Mapping[str, object] | None = None) -> Settings:
        return Settings(self.claim_temperature, max_tokens or self.max_tokens, schema, timeout=self.timeout)

    def letter_settings(self) -> Settings:
        """One token; log-probabilities are those before any temperature."""
        return Settings(0.0, 1, top_logprobs=self.top_logprobs, timeout=self.timeout)


@dataclass(frozen=True)
class Exchange:
    """One reply and what it answers. `order`: options in the order shown; `about`: the level that was asked about."""

    role: str
    key: str
    reply: Reply
    order: tuple[int, ...] = ()
    about: str = ""


@dataclass(frozen=True)
class Answer:
    """What a respondent said about one condition: a distribution over the levels, or the reason why there is none.

    `distribution.n` is K, the number of answers it was counted from; None when it was claimed (`distribution`,
    `likelihood`, `qa`). K enters the ceiling of the score: 20 honest draws must not be punished for being 20. `counts`
    tells what became of each reply, so that no refusal is lost in a mean.
    """

    distribution: Distribution | None
    status: Status = Status.OK
    counts: Mapping[Status, int] = field(default_factory=dict)
    mass: float | None = None  # `qa`, `likelihood`: probability on the option letters before it was divided by itself
    texts: tuple[str, ...] = ()  # a sample of raw replies
    values: tuple[str, ...] = ()  # level read from each reply of `sample` and `story`, in order
    numbers: tuple[float, ...] = ()  # of a numeric outcome: the draws, or even points of the stated distribution
    message: str = ""
    total: float | None = None  # what stated shares summed to before they were divided by it
    flags: tuple[str, ...] = ()  # low_mass, off_sum, level_left_out
    read_as: tuple[str, ...] = ()  # of result files of others: what they read in each of `texts`

    @property
    def draws(self) -> float | None:
        """K, or None for a claim."""
        return None if self.distribution is None else self.distribution.n


def drawn_answer(form: Form, draws: Sequence[tuple[Answered, str]]) -> Answer:
    """Shares of the draws that name a level, or a number; the others are counted beside, never in."""
    counts = Counter(read.status for read, _ in draws)
    values = [read.value for read, _ in draws if read.value is not None]
    texts = tuple(text for _, text in draws[:TEXTS_KEPT])
    message = next((read.message for read, _ in draws if read.value is None and read.message), "")
    if not values:
        status = counts.most_common(1)[0][0] if counts else Status.FAILED
        return Answer(None, status, dict(counts), texts=texts, message=message)
    names, n = tuple(value for value in values if isinstance(value, str)), len(values)
    numbers = tuple(value for value in values if isinstance(value, float))
    if numbers:
        shares = form.histogram(numbers, n)
    else:
        shares = Distribution(tuple(form.levels), tuple(names.count(level) / n for level in form.levels), n)
    return Answer(shares, Status.OK, dict(counts), None, texts, names, numbers, message)


def user(text: str) -> list[Message]:
    return [Message("system", SYSTEM), Message("user", text)]


def reply_status(reply: Reply) -> Status:
    """Of a reply whose text says nothing: its own status, or unreadable."""
    return Status.UNREADABLE if reply.status == Status.OK else reply.status


def said(reply: Reply, read: Callable[[str], Answered]) -> Answered:
    """What a reply says by a reader; its own status where it has no text, or none that says anything."""
    if reply.status not in CAME:
        return Answered(None, reply.status, message=reply.message)
    answered = read(reply.text)
    return answered._replace(status=reply_status(reply)) if answered.status == Status.UNREADABLE else answered


def no_answer(exchanges: Sequence[Exchange], message: str = "") -> Answer:
    """Nothing of it could be read: the most frequent reason."""
    counts = Counter(reply_status(exchange.reply) for exchange in exchanges)
    status = counts.most_common(1)[0][0] if counts else Status.FAILED
    why = message or next((e.reply.message for e in exchanges if e.reply.message), "")
    return Answer(None, status, dict(counts), texts=texts_of(exchanges), message=why)


def texts_of(exchanges: Sequence[Exchange]) -> tuple[str, ...]:
    return tuple(exchange.reply.text for exchange in exchanges[:TEXTS_KEPT])


# ---- letters


def listed_options(options: Sequence[str]) -> str:
    """A. first / B. second: the last lines of a prompt, with no blank behind them."""
    return "\n".join(f"{letter}. {option}" for letter, option in zip(LETTERS, options, strict=False))


def letter_probs(reply: Reply, n: int) -> list[float] | None:
    """P(letter) of the first n letters, not divided by anything; None where the model gives no log-probabilities."""
    if not reply.logprobs:
        return None
    first = reply.logprobs[0]
    rivals = dict(first.top) or {first.token: first.logprob}
    probs = [0.0] * n
    for token, logprob in rivals.items():
        letter = token.strip(_AROUND)
        if len(letter) == 1 and letter in LETTERS[:n]:
            probs[LETTERS.index(letter)] += math.exp(logprob)
    return probs


def without_letters(exchanges: Sequence[Exchange], what: str) -> str:
    """Why no letter has a probability."""
    came = [exchange.reply for exchange in exchanges if exchange.reply.status in CAME]
    if came and not any(reply.logprobs for reply in came):
        return NO_LOGPROBS
    return f"no {what} is among the likeliest first tokens."


def letter_shares(exchange: Exchange, n: int) -> tuple[NDArray[np.float64] | None, float]:
    """(n,): P of the options in their own order, divided by the mass on letters, and that mass; None without mass."""
    probs = letter_probs(exchange.reply, n)
    mass = sum(probs or ())
    if probs is None or mass <= 0:
        return None, mass
    shares = np.zeros(n)
    shares[list(exchange.order)] = np.array(probs) / mass
    return shares, mass
