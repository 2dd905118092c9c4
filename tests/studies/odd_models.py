"""Models of a user's own that do what no model should. TRUENESS_TEST_CALLS names a file with one line for each call."""

import os
import threading
import time
from pathlib import Path

from trueness.models import Message, Reply
from trueness.status import Status

RANGES = "Precision: [0.2, 0.6]\nRecall: [0.2, 0.6]\nF1: [0.2, 0.6]\nSHD: [1, 4]"
ODD = f"{__file__}:"  # ODD + "Raises" is a model's name in a plan
HALF = "\ud83d"  # an emoji that was cut in half


class Odd:
    offers_schema = offers_logprobs = False
    concurrency = 2

    def __init__(self, name="odd", options=None):
        self.name = name

    def ask(self, messages, settings):
        file = os.environ.get("TRUENESS_TEST_CALLS")
        if file:
            with Path(file).open("a") as calls:
                calls.write(f"{settings.seed}\n")
        return self.answer(messages[-1].content, settings)

    def answer(self, text, settings):
        return Reply(RANGES, Status.OK, cost=0.001)

    def close(self):
        pass


class Fine(Odd):
    pass


class Raises(Odd):
    def answer(self, text, settings):
        raise ValueError(f"the model is out of order {HALF}")


class Exits(Odd):
    def answer(self, text, settings):
        raise SystemExit("I end your program")


class GivesNone(Odd):
    def answer(self, text, settings):
        return None


class GivesBytes(Odd):
    def answer(self, text, settings):
        return RANGES.encode()


class OwnStatus(Odd):
    def answer(self, text, settings):
        return Reply(RANGES, "splendid", cost=0.001)


class OddParts(Odd):
    """Every field is what it should not be."""

    def answer(self, text, settings):
        settings_ = {"lock": threading.Lock(), "half": HALF}
        return Reply(None, Status.OK, 7, None, -3, 10**400, 0.5, float("nan"), "soon", settings_, [1, 2], 8, b"busy")


class Appends(Odd):
    """Adds to the conversation that it was given, and takes the schema apart."""

    def ask(self, messages, settings):
        messages.append({"role": "user", "content": "as a dict"})
        messages.insert(0, Message("system", "be brief"))
        if settings.schema:
            settings.schema.clear()
        return Reply(RANGES, Status.OK, cost=0.001)


class _Raises:
    """What cannot be written, compared or read."""

    def _raise(self, *_):
        raise RuntimeError("no")

    __str__ = __repr__ = __eq__ = __iter__ = __float__ = _raise
    __hash__ = None


class _Fields(Reply):
    def __getattribute__(self, name):
        if name in ("cost", "model", "input_tokens"):
            raise RuntimeError(f"{name} is not to be had")
        return super().__getattribute__(name)


class _Count(int):
    def __le__(self, other):
        raise RuntimeError("incomparable")

    __ge__ = __gt__ = __lt__ = __eq__ = __float__ = __le__
    __hash__ = None


def _none():
    raise RuntimeError("no logprobs")
    yield


class OddSettings(Odd):
    def answer(self, text, settings):
        return Reply(RANGES, Status.OK, cost=0.001, settings={"a": _Raises()})


class OddLogprobs(Odd):
    def answer(self, text, settings):
        return Reply(RANGES, Status.OK, cost=0.001, logprobs=_none())


class OddFields(Odd):
    def answer(self, text, settings):
        return _Fields(RANGES, Status.OK)


class OddFault(Odd):
    def answer(self, text, settings):
        return Reply(RANGES, Status.OK, cost=0.001, fault=_Raises(), message=_Raises(), answered_as=_Raises())


class OddCounts(Odd):
    def answer(self, text, settings):
        return Reply(RANGES, Status.OK, cost=_Count(1), input_tokens=_Count(3), seconds=_Count(2))


class CutInHalf(Odd):
    def answer(self, text, settings):
        return Reply(f"{RANGES}\nI am sure {HALF}", Status.TRUNCATED, f"cut at max_tokens {HALF}", cost=0.001)


class NeverComesBack(Odd):
    def answer(self, text, settings):
        threading.Event().wait()


class NoConcurrency(Odd):
    concurrency = 0


class CannotBeMade(Odd):
    def __init__(self, name="odd", options=None):
        raise RuntimeError("no room")


class Another(Odd):
    """The provider answers as somebody else."""

    def answer(self, text, settings):
        return Reply(RANGES, Status.OK, cost=0.001, answered_as="a-cheaper-one")


class Broken(Odd):
    """Fails while the file named by TRUENESS_TEST_BROKEN is there."""

    concurrency = 1

    def answer(self, text, settings):
        if Path(os.environ["TRUENESS_TEST_BROKEN"]).exists():
            return Reply("", Status.FAILED, "HTTP 500: out of order", fault="http")
        return super().answer(text, settings)


class Waits(Odd):
    """Answers when the file named by TRUENESS_TEST_GO is there."""

    concurrency = 3

    def answer(self, text, settings):
        while not Path(os.environ["TRUENESS_TEST_GO"]).exists():
            time.sleep(0.02)
        return super().answer(text, settings)
