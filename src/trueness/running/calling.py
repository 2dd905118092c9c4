"""One call of a model, whatever the model does: a Reply comes back, and in time.

    WatchedCall(model, name, messages, settings).reply()     whatever came, as a Reply; `timed_out` where nothing did
    as_reply(came, name, seconds)                           a model of the user's own may raise, or give anything

The call has a thread of its own that does not keep the program from ending. A model that is still silent GRACE seconds
after its time limit is not waited for any longer; what it may bring later goes to `late`: it was paid for.

    KeptReplies(model, folder, "with.jsonl.replies").ask(messages, settings)     from the file, else from the model

keeps replies in a file beside what they are asked for, where no study is: the same question is paid once. One line a
reply, `{"key": reply_key, "reply": {...}}`, written as it arrives: what was paid stays through a Ctrl-C. What another
try may mend (failed, timed out) is not kept; a line that cannot be read is one question more.
"""

from __future__ import annotations

import json
import math
import os
import sys
import threading
import time
from collections.abc import Callable, Iterable, Iterator, Mapping, Sequence
from copy import deepcopy
from dataclasses import fields, replace
from pathlib import Path
from queue import Empty, SimpleQueue
from typing import TypeVar

from trueness.errors import DataError, TruenessError
from trueness.files import append_text, check_plain, read_text
from trueness.models import Message, Model, Reply, Settings, TokenLogprob
from trueness.models.base import is_count
from trueness.models.faults import Fault
from trueness.outside import MAX_RECORDS, Json, json_of
from trueness.running.cells import reply_key
from trueness.running.outcomes import failure_line
from trueness.status import Status
from trueness.texts import arriving, arriving_values, printable_json

GRACE = 10.0  # seconds behind the time limit, in which a model can say itself that time is up
SILENT = "silent"  # the fault of a model that did not come back
PASSING = (Status.FAILED, Status.TIMED_OUT)  # statuses that another try may mend
UNBILLED = ("connection", "busy", "quota", "http")  # faults after which nobody sends a bill (models/faults.py)
T = TypeVar("T")


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
            # of its own: whatever the model does to them, what was asked stays what is stored
            came: object = self._model.ask(list(self._messages), _copy(self._settings))
        except BaseException as error:  # SystemExit of a model, too: it ends its call, not our program
            came = error
        with self._lock:
            self._came.put(came)
            if not self._given_up:
                return
        if not isinstance(came, BaseException):
            self._late(as_reply(came, self.name, self.seconds))


def _copy(settings: Settings) -> Settings:
    return settings if settings.schema is None else replace(settings, schema=deepcopy(dict(settings.schema)))


class _CallThread(threading.Thread):
    pass


def end_process(code: int) -> None:
    """At the very end: with calls that were left there is no other way, since native code does not bear that Python is
    taken down around it. Without any, nothing is done."""
    if any(isinstance(thread, _CallThread) for thread in threading.enumerate()):
        sys.stdout.flush()
        sys.stderr.flush()
        os._exit(code)


def as_reply(came: object, name: str, seconds: float) -> Reply:
    """What a model gave, as a Reply that can be stored. What it should not be is `failed` and keeps its text; a part
    that raises when it is looked at is unknown."""
    if isinstance(came, BaseException):
        return Reply("", Status.FAILED, _error_line(came), name, seconds=seconds)
    if not isinstance(came, Reply):
        message = f"the model must give a Reply, got {type(came).__name__}"
        return Reply(_text(came), Status.FAILED, message, name, seconds=seconds)
    part = {field.name: _or_none(getattr, came, field.name) for field in fields(Reply)}
    wrong = []
    if not isinstance(part["text"], str):
        wrong.append(f"its text must be str, got {type(part['text']).__name__}")
    status = _or_none(Status, part["status"])
    if status is None:
        shown = arriving(_or_none(repr, part["status"]) or type(part["status"]).__name__)[:60]
        wrong.append(f"its status must be one of {', '.join(Status)}, got {shown}")
    unbilled = isinstance(part["fault"], str) and part["fault"] in UNBILLED and status in PASSING and not wrong
    took = _or_none(_amount, part["seconds"])
    return Reply(
        text=_text(part["text"]),
        status=Status.FAILED if wrong or status is None else status,
        message="; ".join(line for line in (*wrong, _text(part["message"])) if line),
        model=_text(part["model"]) or name,
        seconds=seconds if took is None else took,
        settings=_or_none(_plain, part["settings"]) or {},
        logprobs=_or_none(_logprobs, part["logprobs"]),
        answered_as=_text(part["answered_as"]),
        fault=str(part["fault"]) if unbilled else "",
        **(_or_none(_usage, part) or {}),
    )


def _or_none(function: Callable[..., T], *arguments: object) -> T | None:
    """None where it raises: objects of the user's own may, whatever is asked of them."""
    try:
        return function(*arguments)
    except Exception:
        return None


def _usage(part: Mapping[str, Json]) -> dict[str, Json]:
    """Tokens and cost; all unknown where they cannot be: fewer than none, more than there are, none for a text."""
    counts = {name: part[name] for name in ("input_tokens", "output_tokens", "cached_tokens")}
    absurd = any(count is not None and not is_count(count) for count in counts.values())
    absurd = absurd or counts["input_tokens"] == 0 or (counts["output_tokens"] == 0 and bool(part["text"]))
    return {} if absurd else counts | {"cost": _or_none(_amount, part["cost"])}


def _amount(value: object) -> float | None:
    if not isinstance(value, int | float) or isinstance(value, bool):
        return None
    amount = float(value)
    return amount if math.isfinite(amount) and amount >= 0 else None


def _text(value: object) -> str:
    if isinstance(value, bytes | bytearray):
        return arriving(bytes(value).decode("utf-8", "replace"))
    return arriving(value) if isinstance(value, str) else ""


def _plain(settings: Mapping[str, Json]) -> dict[str, Json]:
    """Settings as JSON has them."""
    values = json.loads(json.dumps(settings if isinstance(settings, dict) else dict(settings), default=str))
    cleaned = arriving_values(values)
    return cleaned if isinstance(cleaned, dict) else {}


def _logprobs(tokens: Iterable[TokenLogprob]) -> tuple[TokenLogprob, ...]:
    return tuple(
        TokenLogprob(arriving(e.token), float(e.logprob), tuple((arriving(t), float(p)) for t, p in e.top))
        for e in tokens
    )


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
        self._known = dict(_replies_in(folder, name))
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


def _replies_in(folder: Path, name: str) -> Iterator[tuple[str, Reply]]:
    for line in read_text(folder, name, MAX_RECORDS).split("\n") if check_plain(folder, name) else ():
        try:
            record = json_of(line, name)
            yield str(record["key"]), as_reply(Reply.from_dict(record["reply"]), "", 0.0)
        except (DataError, LookupError, TypeError, ValueError, AttributeError):
            continue  # blank, cut off, or not ours
