"""Two models for the small population study: one calls all options equal, one takes the first whatever it is."""

import json
import math
import re

from trueness.models import Reply, TokenLogprob
from trueness.status import Status

OPTION = re.compile(r"^([A-Z])\. (.+)$", re.MULTILINE)
BULLET = re.compile(r"^- (.+)$", re.MULTILINE)


class Even:
    """Equal shares; the middle of a scale."""

    concurrency, offers_schema, offers_logprobs = 1, False, True

    def __init__(self, name, options=None):
        self.name = name

    def ask(self, messages, settings):
        text = messages[-1].content
        options = OPTION.findall(text)
        if settings.top_logprobs and options:
            return self.letters([letter for letter, _ in options])
        levels = BULLET.findall(text)
        if "JSON object" in text and levels:
            return Reply(json.dumps({level: 100 / len(levels) for level in levels}), Status.OK)
        return Reply(levels[0] if levels else "50 %", Status.OK)

    def letters(self, letters):
        top = tuple((f" {letter}", -math.log(len(letters))) for letter in letters)
        return Reply(top[0][0], Status.OK, logprobs=(TokenLogprob(*top[0], top),))

    def close(self):
        pass


class First(Even):
    """Without log-probabilities, and always the first."""

    offers_logprobs = False

    def ask(self, messages, settings):
        options = OPTION.findall(messages[-1].content) or [("A", "")]
        levels = BULLET.findall(messages[-1].content)
        return Reply(levels[0] if levels else options[0][0], Status.OK)
