"""A model that keeps its own bill: one line a call in the file named by TRUENESS_TEST_BILL, for every kind of study.

With TRUENESS_TEST_FAULTS = 0.1 that share of the calls fails, each in a way of real providers; which ones hangs on
the prompt and on how often it was asked, so that another try may be luckier.
"""

import hashlib
import json
import os
import re
import time

from trueness.models import Reply
from trueness.status import Status

FAULTS = (Status.FAILED, Status.TIMED_OUT, Status.REFUSED, Status.TRUNCATED, Status.UNREADABLE, "empty", "garbage")
RANGES = "Precision: [{0}, {1}]\nRecall: [{0}, {1}]\nF1: [{0}, {1}]\nSHD: [1, 4]"
JUDGED = {"impact": 3, "holds": True, "solutions": "unique", "value": 10.0, "coherence": 4, "completeness": 3,
          "verification": 2, "no_errors": 4, "consistency": 4, "reasoning": "it matters", "answer": 7.5}  # fmt: skip


class Counted:
    offers_schema = offers_logprobs = False
    concurrency = 2

    def __init__(self, name="counted", options=None, **settings):
        self.name = name
        self.bill = os.environ["TRUENESS_TEST_BILL"]
        self.faulty = float(os.environ.get("TRUENESS_TEST_FAULTS", "0"))
        self.asked: dict[str, int] = {}

    def ask(self, messages, settings):
        text = "\n".join(message.content for message in messages)
        mark = hashlib.sha256(f"{text} {settings.seed}".encode()).hexdigest()
        time.sleep(0.01)
        self.asked[mark] = self.asked.get(mark, 0) + 1
        chance = hashlib.sha256(f"{mark} {self.asked[mark]} {os.getpid()}".encode()).digest()
        if int.from_bytes(chance[:4]) / 2**32 < self.faulty:
            return self.fault(FAULTS[chance[4] % len(FAULTS)])
        reply = Reply(self.words(text, int(mark[:6], 16)), Status.OK, "", self.name, cost=0.001)
        with open(self.bill, "a") as file:  # billed the moment it is answered, as a provider does
            file.write(f"{mark}\n")
        return reply

    def words(self, text, number):
        options = re.findall(r"^- (.+)$", text, re.MULTILINE)
        if "JSON object" in text and "ercent" in text and options:
            return json.dumps({option: 1 + (number >> k) % 5 for k, option in enumerate(options)})
        if "JSON" in text and "recision" not in text:
            return json.dumps(JUDGED)
        low = number % 60 / 100
        return RANGES.format(low, round(low + 0.3, 2))

    @staticmethod
    def fault(kind):
        if kind in ("empty", "garbage"):
            return Reply("" if kind == "empty" else "\x00]}{ 0.. %% [,] {'precision: :", Status.OK)
        return Reply("", kind, "a fault on purpose")

    def close(self):
        pass
