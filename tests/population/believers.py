"""Models with known beliefs, for tests of elicitation: they read the options from the prompt, as a model would."""

import json
import math
import re

import numpy as np

from trueness.models import Reply, TokenLogprob
from trueness.status import Status
from trueness.studies.population.modes import MIDDLES

SPREAD = {"yes": 0.6, "no": 0.3, "maybe": 0.1}
OPTION = re.compile(r"^([A-Z])\. (.+)$", re.MULTILINE)
BULLET = re.compile(r"^- (.+)$", re.MULTILINE)


class Believer:
    """Believes `shares`; `mass` of its next token is on letters; `favour` adds probability to places of the list."""

    concurrency, offers_schema = 1, False
    shares = SPREAD
    mass = 1.0
    favour: tuple[float, ...] = ()
    only_place = False
    offers_logprobs = True

    def __init__(self, name="believer", options=None, **settings):
        self.name = name
        for key, value in settings.items():
            setattr(self, key, value)
        self.calls = []

    def ask(self, messages, settings):
        text = messages[-1].content
        self.calls.append((text, settings))
        return self.answer(text, settings)

    def answer(self, text, settings):
        if settings.top_logprobs and self.offers_logprobs:
            return self.letters(text)
        if "percentage from 0 %" in text:
            return said(f"{100 * self.shares[asked_about(text)]:.0f} %")
        if "JSON object" in text:
            return said(json.dumps({level: 100 * share for level, share in self.shares.items()}))
        levels = [found for found in BULLET.findall(text) if found in self.shares]
        if levels:
            rng = np.random.default_rng(settings.seed)
            return said(rng.choice(levels, p=[self.shares[level] for level in levels]))
        return said(OPTION.findall(text)[0][0] if OPTION.search(text) else "A person lived once.")

    def letters(self, text):
        options = OPTION.findall(text)
        if "How likely" in text:
            steps = [_middle(step) for _, step in options]
            wanted = self.shares[asked_about(text)]
            nearest = min(steps, key=lambda middle: abs(middle - wanted))
            probs = [float(step == nearest) for step in steps]
        else:
            probs = [self.shares[level] for _, level in options]
            if self.favour:
                place = np.array([*self.favour, *[0.0] * len(probs)])[: len(probs)]
                probs = place if self.only_place else np.array(probs) + place
                probs = probs / probs.sum()
        top = [
            (f" {letter}", self.mass * p) for (letter, _), p in zip(options, probs, strict=True) if p * self.mass > 0
        ]
        top += [("The", 1 - self.mass)] if self.mass < 1 else []
        best = max(top, key=lambda pair: pair[1])
        return said(best[0], TokenLogprob(best[0], math.log(best[1]), tuple((t, math.log(p)) for t, p in top)))

    def close(self):
        pass


class PlaceLover(Believer):
    """Always the first option, whatever it is."""

    favour, only_place = (1.0,), True


class Wordy(Believer):
    """No log-probabilities."""

    offers_logprobs = False


class Refuser(Believer):
    """Never answers; every third reply is empty, and it does not call that a refusal."""

    def answer(self, text, settings):
        return said("" if len(self.calls) % 3 == 0 else "I'm sorry, but I can't say that about people.")


def said(text, *logprobs):
    return Reply(text, Status.OK, logprobs=logprobs or None)


def asked_about(text):
    return re.search(r'the answer is "(.+?)"', text).group(1)


def _middle(step):
    ends = [float(end) for end in re.findall(r"\d+", step)]
    return float(MIDDLES[0] if step == "0 %" else MIDDLES[-1] if step == "100 %" else sum(ends) / 200)


def sender(model):
    """`send` of the elicitation modes, without a store."""
    return lambda messages, settings, salt: (f"{len(model.calls)}", model.ask(messages, settings))
