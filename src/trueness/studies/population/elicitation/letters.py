"""Next-token probabilities of option letters: what `qa` and `likelihood` share.

    mass = sum over letters of P(letter)          P(option | a letter) = P(its letter) / mass

P is taken from the first generated token and its rivals; " A", "A" and "A." are one letter, "a" is an article and not
counted. A letter below the rivals that the provider lists has no known probability and is counted as 0; the captured
mass says how much was seen, and is reported wherever the probabilities are.
"""

from __future__ import annotations

import math
from collections.abc import Sequence

from trueness.models import Reply

LETTERS = "ABCDEFGHIJKLMNOPQRSTUVWXYZ"
_AROUND = " \t\n.):(*▁Ġ"  # the last two: a blank, as tokenizers write it


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
