"""One call of a model, whatever the model does: a Reply comes back, and in time.

    WatchedCall(model, name, messages, settings).reply()     whatever came, as a Reply; `timed_out` where nothing did
    as_reply(came, name, seconds)                           a model of the user's own may raise, or give anything

The call has a thread of its own that does not keep the program from ending. A model that is still silent GRACE seconds
after its time limit is not waited for any longer; what it may bring later goes to `late`: it was paid for.

    KeptReplies(model, folder, "with.jsonl.replies").ask(messages, settings)     from the file, else from the model

keeps replies where no study is, one line `{"key": reply_key, "reply": {...}}` each, written as it arrives. What another
try may mend (failed, timed out) is not kept; a line that cannot be read is one question more.
"""

from __future__ import annotations

import math
import os
import sys
import threading
import time
from collections.abc import Callable, Sequence
from contextlib import suppress
from copy import deepcopy
from dataclasses import replace
from pathlib import Path
from queue import Empty, SimpleQueue

import msgspec

from trueness.errors import DataError, TruenessError
from trueness.files import append_text, check_plain, read_text
from trueness.models import Message, Model, Reply, Settings
from trueness.models.base import is_count
from trueness.models.faults import Fault
from trueness.outside import MAX_RECORDS, json_of
from trueness.running.cells import reply_key
from trueness.running.outcomes import failure_line
from trueness.status import Status
from trueness.texts import arriving, arriving_values, printable_json

GRACE = 10.0  # seconds behind the time limit, in which a model can say itself that time is up
SILENT = "silent"  # the fault of a model that did not come back
PASSING = (Status.FAILED, Status.TIMED_OUT)  # statuses that another try may mend
UNBILLED = ("connection", "busy", "quota", "http")  # faults after which nobody sends a bill (models/faults.py)


class CalledOff(Exception):
    """The run is being stopped, or the model was set aside: the call is not made, or not made again."""


class CallerMistake(Exception):
    """What only the user can mend (weights that are none, a missing option): no result of the call."""


class WatchedCall:
    """`attempted`: when the last attempt began. `until`: when its time is up.

    `trying_again`: why it waits between two attempts; '' while one is under way. `most`: what an attempt can cost.
    """

    def __init__(
        self,
        model: Model,
        name: str,
        messages: Sequence[Message],
        settings: Settings,
        late: Callable[[Reply], None] = lambda reply: None,
        most: float = 0.0,
    ):
        self.name, self.timeout, self.trying_again, self.most = name, settings.timeout, "", most
        self.unclear = 0  # attempts before the last one that brought nothing and may be on the bill
        self._model, self._messages, self._settings, self._late = model, messages, settings, late
        self._came: SimpleQueue[object] = SimpleQueue()
        self._lock, self._given_up = threading.Lock(), False
        self._start_clock()
        self.thread = _CallThread(target=self._work, name=f"ask {name}", daemon=True)

    def reply(self) -> Reply:
        """Whatever came; CalledOff and CallerMistake are raised."""
        self._start_clock()  # it may have waited for its turn
        self.thread.start()
        while True:
            # a model whose clock starts later (weights that others use, too) keeps the time itself
            patience = math.inf if getattr(self._model, "keeps_time", False) else self.until + GRACE - time.monotonic()
            try:
                came = self._came.get(timeout=None if patience == math.inf else max(0.0, patience))
            except Empty:
                if time.monotonic() < self.until + GRACE or not self._give_up():
                    continue
                message = f"the model did not come back within {self.timeout:g} s and {GRACE:g} more"
                return Reply("", Status.TIMED_OUT, message, self.name, seconds=self.seconds, fault=SILENT)
            if isinstance(came, CalledOff):
                raise came
            if isinstance(came, TruenessError):
                raise CallerMistake(str(came)) from came
            return as_reply(came, self.name, self.seconds)

    def _start_clock(self) -> None:
        self.began = self.attempted = time.monotonic()
        self.until = self.began + self.timeout

    @property
    def seconds(self) -> float:
        return time.monotonic() - self.began

    def pauses(self, seconds: float, fault: Fault) -> None:
        """The model waits between two attempts."""
        self.until = time.monotonic() + seconds + self.timeout
        self.trying_again = fault.message

    def tries_again(self, fault: Fault) -> None:
        self.unclear += fault.kind not in UNBILLED
        self.trying_again, self.attempted = "", time.monotonic()

    def _give_up(self) -> bool:
        """False where the reply came at the last moment."""
        with self._lock:
            self._given_up = self._came.empty()
            return self._given_up

    def _work(self) -> None:
        try:
            # copies: whatever the model does to them, what was asked stays what is stored
            came: object = self._model.ask(list(self._messages), deepcopy(self._settings))
        except BaseException as error:  # SystemExit of a model, too: it ends its call, not our program
            came = error
        with self._lock:
            self._came.put(came)
            if not self._given_up:
                return
        if not isinstance(came, BaseException):
            self._late(as_reply(came, self.name, self.seconds))


class _CallThread(threading.Thread):
    """By its class `end_process` knows it."""


def end_process(code: int) -> None:
    """At the very end: with calls that were left there is no other way, since native code does not bear that Python is
    taken down around it. Without any, nothing is done."""
    if any(isinstance(thread, _CallThread) for thread in threading.enumerate()):
        sys.stdout.flush()
        sys.stderr.flush()
        os._exit(code)


def as_reply(came: object, name: str, seconds: float) -> Reply:
    """What a model gave, as a Reply that can be stored. What it should not be is `failed` and keeps its text; counts
    that cannot be are unknown."""
    if isinstance(came, BaseException):
        return Reply("", Status.FAILED, _error_line(came), name, seconds=seconds)
    try:
        if not isinstance(came, Reply):
            raise TypeError(f"got {type(came).__name__}")
        parts = msgspec.to_builtins(came, builtin_types=(bytes,), enc_hook=_plain)
        reply = msgspec.convert(arriving_values(parts), Reply)
    except Exception as error:  # objects of the user's own may raise, whatever is asked of them
        text = ""
        with suppress(Exception):
            text = _text(getattr(came, "text", came))
        return Reply(text, Status.FAILED, f"the model must give a Reply: {_error_line(error)}", name, seconds=seconds)
    counts = (reply.input_tokens, reply.output_tokens, reply.cached_tokens)
    absurd = any(count is not None and not is_count(count) for count in counts) or counts[0] == 0
    if absurd or (counts[1] == 0 and reply.text):  # fewer than none, more than there are, none for a text
        reply = replace(reply, input_tokens=None, output_tokens=None, cached_tokens=None, cost=None)
    return replace(
        reply,
        model=reply.model or name,
        cost=reply.cost if _is_amount(reply.cost) else None,
        seconds=reply.seconds if _is_amount(reply.seconds) else seconds,
        fault=reply.fault if reply.status in PASSING and reply.fault in UNBILLED else "",
    )


def _plain(value: object) -> object:
    return value.item() if hasattr(value, "dtype") and hasattr(value, "item") else str(value)


def _is_amount(value: object) -> bool:
    return isinstance(value, int | float) and 0 <= value < math.inf


def _text(value: object) -> str:
    if isinstance(value, bytes | bytearray):
        return arriving(bytes(value).decode("utf-8", "replace"))
    return arriving(value) if isinstance(value, str) else ""


def _error_line(error: BaseException) -> str:
    """One line of what was raised, and where; some errors cannot even say it."""
    try:
        return arriving(failure_line(error))
    except Exception:
        return f"{type(error).__name__}, which cannot say why"


class KeptReplies:
    """A model in front of which its earlier replies stand. `taken`: how many questions were answered so."""

    def __init__(self, model: Model, folder: Path, name: str):
        self.name, self.concurrency = model.name, model.concurrency
        self.offers_schema, self.offers_logprobs = model.offers_schema, model.offers_logprobs
        self.keeps_time = getattr(model, "keeps_time", False)
        self.taken = 0
        self._model, self._folder, self._file = model, folder, name
        self._lock = threading.Lock()
        self._known: dict[str, Reply] = {}
        for line in read_text(folder, name, MAX_RECORDS).split("\n") if check_plain(folder, name) else ():
            with suppress(DataError, LookupError, TypeError, msgspec.ValidationError):  # blank, cut off, or not ours
                record = json_of(line, name)
                self._known[str(record["key"])] = as_reply(Reply.from_dict(record["reply"]), "", 0.0)
        append_text(folder, name, "")  # it is there from now on, also where no reply is worth keeping

    def ask(self, messages: Sequence[Message], settings: Settings) -> Reply:
        key = reply_key(self.name, {}, messages, settings, "")
        with self._lock:
            known = self._known.get(key)
            self.taken += known is not None
        if known is not None:
            return known
        reply = as_reply(self._model.ask(messages, settings), self.name, 0.0)
        with self._lock:
            if reply.status not in PASSING:
                self._known[key] = reply
                line = printable_json({"key": key, "reply": reply.to_dict()})
                append_text(self._folder, self._file, f"\n{line}\n")  # the line end before it closes one cut off
        return reply

    def close(self) -> None:
        self._model.close()
