"""Asking models: every reply is stored the moment it arrives, and nothing is paid for twice.

    key of a reply  = hash(model and its options, messages, settings, salt)
    seed of a reply = 31 bits of hash(seed of the study, key), where the task states none

A task performs a unit of work as plain code that calls `ask` once or several times; a reply that is in the store is
given back without a call. So a resumed study goes on where it stopped, and a better reader rereads old replies for
nothing. A call is made when its model takes one more and the most it can cost fits the limit beside what
is spent and what calls under way can cost; where only those stand in the way it waits for them.

How a model does in this run says how many calls it gets at a time, and whether it is asked at all:

    turned away (429)   calls at a time = half of them, at least 1; each answer adds 1 / (calls at a time)
    faults in a row     3 refused connections, 3 calls that never came back, 20 faults of another kind: set aside;
                        connections count for each attempt of a call, and as one where calls were under way together

So a busy provider is asked more slowly and none of its answers is missing, and a dead one costs seconds. Who was
turned away or reached nobody was not answered: that is no result, nothing is stored, and the question is asked again.
"""

from __future__ import annotations

import hashlib
import json
import math
import threading
import time
from collections import Counter
from collections.abc import Mapping, Sequence
from concurrent.futures import Future
from contextlib import suppress
from dataclasses import dataclass, field, replace
from pathlib import Path

from trueness import models
from trueness.errors import TruenessError
from trueness.models import Message, Model, Reply, Settings
from trueness.models.base import Price, checked_concurrency, stated_price
from trueness.models.faults import Fault
from trueness.outside import Json
from trueness.running.calling import PASSING, SILENT, UNBILLED, CalledOff, CallerMistake, WatchedCall
from trueness.running.cells import hash_of, reply_key
from trueness.running.store import Store

BYTES_A_TOKEN = 3.0  # fewer than real text has, so that the cost of a call is not underestimated
CLOSING = 5.0  # seconds that a model may take to close

UNANSWERED = ("connection", "busy", "quota")  # faults of calls that nobody answered
IN_A_ROW = {"connection": 3, "quota": 3, SILENT: 3}  # before a model is set aside; of any other kind MANY
MANY = 20
_WORDS = {
    "connection": "failed connections",
    "busy": "calls turned away",
    "quota": "calls turned away",
    SILENT: "calls without an end",
}
FIRST_WAIT, LONGEST_WAIT = 0.5, 30.0  # seconds before a question that nobody answered is asked again


class BudgetReached(TruenessError):
    """The next call could pass the limit."""


class SetAside(CalledOff):
    """The model is not asked any more in this run."""


@dataclass
class ModelStanding:
    """Of one model; whoever changes it holds the asker's lock."""

    name: str
    most: int  # calls at a time that the model itself allows
    at_once: float = field(init=False)
    under_way: int = 0
    why_set_aside: str = ""
    _row: dict[str, int] = field(default_factory=dict)  # faults since the last answer, by kind
    _slowed: float = 0.0  # when
    _unreached: float = 0.0  # when a failed connection was counted

    def __post_init__(self) -> None:
        self.at_once = float(self.most)

    @property
    def is_free(self) -> bool:
        return self.under_way < int(self.at_once)

    @property
    def wait(self) -> float:
        """Seconds before a question that nobody answered is asked again."""
        return float(min(LONGEST_WAIT, FIRST_WAIT * 2 ** min(sum(self._row.values()), 16)))

    def came(self, reply: Reply, call: WatchedCall) -> None:
        """A call has ended."""
        if reply.status not in PASSING:
            self._row.clear()
            self.at_once = min(self.most, self.at_once + 1 / self.at_once)
            return
        self.count(reply.fault if reply.fault in _WORDS else "", reply.message, call)

    def count(self, kind: str, message: str, call: WatchedCall) -> None:
        """A fault, of a call or of an attempt that is made again. Of calls that were under way together, and are turned
        away or find nobody together, it is one."""
        if kind == "busy" and not self.slow_down(call):
            return
        if kind == "connection":
            if call.attempted < self._unreached:
                return
            self._unreached = time.monotonic()
        self._row[kind] = self._row.get(kind, 0) + 1
        if self._row[kind] >= IN_A_ROW.get(kind, MANY):
            self.set_aside(f"after {self._row[kind]} {_WORDS.get(kind, 'faults')} in a row: {message}")

    def slow_down(self, call: WatchedCall) -> bool:
        """Once for all calls that were under way together; False for the later ones of them."""
        if call.attempted < self._slowed:
            return False
        self._slowed = time.monotonic()
        self.at_once = max(1.0, self.at_once / 2)
        return True

    def set_aside(self, why: str) -> None:
        self.why_set_aside = self.why_set_aside or why


class Asker:
    """`ask` that calls a model where the store has no reply. Threads share it; one lock guards all that it counts."""

    def __init__(
        self,
        store: Store,
        options: Mapping[str, Mapping[str, Json]],
        limit: float | None = None,
        retry: bool = False,
        folder: Path = Path(),
        seed: int = 1,
    ):
        self.store, self.options, self.limit, self.retry, self.folder = store, options, limit, retry, folder
        self.seed = seed
        self.spent = store.spent()
        self.calls = 0
        self.why_stopped = ""  # nothing more is asked then; what is under way may end
        self.unstored: Exception | None = None  # why a reply could not be kept: nothing more is asked then, either
        self.standings: dict[str, ModelStanding] = {}
        self._models: dict[str, Model] = {}
        self._changed = threading.Condition(threading.RLock())
        self._keys_under_way: dict[str, Future[Reply]] = {}
        self._calls: dict[WatchedCall, float] = {}  # under way -> the most that it can cost
        self._waiting: Counter[str] = Counter()  # questions that nobody answered, before they are asked again

    def model(self, name: str) -> Model:
        with self._changed:
            if name not in self._models:
                model = models.build(name, self.options.get(name, {}), self.folder)
                if hasattr(model, "pause"):  # a provider's waits between attempts: here it can be seen and called off
                    model.pause = self._pause
                self._models[name] = model
            if name not in self.standings:
                self.standings[name] = ModelStanding(name, checked_concurrency(self._models[name].concurrency, name))
            return self._models[name]

    def close(self) -> None:
        """A model of the user's own may take its time here, or raise: it has had its chance."""
        closing = [threading.Thread(target=_close, args=(model,), daemon=True) for model in self._models.values()]
        for thread in closing:
            thread.start()
        end = time.monotonic() + CLOSING
        for thread in closing:
            thread.join(max(0.0, end - time.monotonic()))

    def stop(self, why: str) -> None:
        """No new call, and none again; what is under way may end."""
        with self._changed:
            self.why_stopped = self.why_stopped or why
            self._changed.notify_all()

    def under_way(self) -> list[WatchedCall]:
        """Calls that a model works on at this moment; those that wait to try again are not among them."""
        with self._changed:
            return [call for call in self._calls if not call.trying_again]

    def trying_again(self, name: str) -> list[str]:
        """Why calls to a model wait before they are made again."""
        with self._changed:
            pausing = [call.trying_again for call in self._calls if call.name == name and call.trying_again]
            return pausing + ["turned away"] * self._waiting[name]

    def ask(self, name: str, messages: Sequence[Message], settings: Settings, salt: str) -> Reply:
        """The stored reply, or a new one; two threads that ask the same get one call's reply."""
        key = reply_key(name, self.options.get(name, {}), messages, settings, salt)
        with self._changed:
            known = self.store.reply(key)
            if known is not None and not (self.retry and known.status in PASSING):
                return Reply.from_dict(known.reply)
            other = self._keys_under_way.get(key)
            if other is None:
                mine: Future[Reply] = Future()
                self._keys_under_way[key] = mine
        if other is not None:
            return other.result()
        try:
            reply = self._ask_until_answered(key, name, messages, self._as_asked(key, name, settings))
        except BaseException as error:
            mine.set_exception(error)
            raise
        finally:
            with self._changed:
                del self._keys_under_way[key]
        mine.set_result(reply)
        return reply

    def _as_asked(self, key: str, name: str, settings: Settings) -> Settings:
        """With the seed of this reply, and with what the plan fixes for the model: it counts for time and money."""
        ours = self.options.get(name, {})
        fixed = {what: ours[what] for what in ("max_tokens", "timeout") if isinstance(ours.get(what), int | float)}
        drawn = int.from_bytes(hashlib.sha256(f"{self.seed} {key}".encode()).digest()[:4]) >> 1
        return replace(settings, seed=drawn if settings.seed is None else settings.seed, **fixed)

    def _ask_until_answered(self, key: str, name: str, messages: Sequence[Message], settings: Settings) -> Reply:
        """Until somebody answers, or fails to: who was not reached or turned away is asked again."""
        while True:
            reply = self._call(key, name, messages, settings)
            if reply is not None:
                return reply
            with self._changed:
                self._waiting[name] += 1
                self._called_off(self.standings[name], self.standings[name].wait)
                self._waiting[name] -= 1

    def _call(self, key: str, name: str, messages: Sequence[Message], settings: Settings) -> Reply | None:
        """The reply, kept; None where nobody answered and no attempt can be on the bill."""
        model = self.model(name)
        price = stated_price(self.options.get(name, {}).get("price"), name) if self.limit is not None else None
        most = _most(price, messages, settings)
        request = settings.to_dict()
        # before the call, so that what was asked can be stored for certain once it is paid
        sent = json.dumps([message.to_dict() for message in messages], ensure_ascii=False)

        def keep(reply: Reply) -> Reply:
            reply = replace(reply, cost=_cost(reply, price))
            self._keep(key, name, sent, request, reply, call)
            return reply

        def keep_late(reply: Reply) -> None:
            """An answer that nobody waits for any more: it was paid for, and a later run finds it."""
            if reply.status not in PASSING:
                with suppress(Exception):  # the study may have ended meanwhile
                    keep(reply)

        call = WatchedCall(model, name, messages, settings, keep_late, most)
        self._enter(call)
        try:
            reply = call.reply()
            with self._changed:
                self.standings[name].came(reply, call)
            if reply.fault in UNANSWERED and not call.most * call.unclear:
                return None
            return keep(reply)
        except CallerMistake as mistake:  # every other call would meet it as well
            with self._changed:
                self.standings[name].set_aside(f"because {mistake}")
            raise SetAside(str(mistake)) from mistake
        finally:
            with self._changed:
                del self._calls[call]
                self.standings[name].under_way -= 1
                self.calls += 1
                self._changed.notify_all()

    def _enter(self, call: WatchedCall) -> None:
        """Wait until the model takes one more call and its money is free; refuse it where that will never be."""
        standing = self.standings[call.name]
        with self._changed:
            while True:
                if self.unstored is not None:
                    raise self.unstored
                if self.why_stopped:
                    raise CalledOff(self.why_stopped)
                if standing.why_set_aside:
                    raise SetAside(standing.why_set_aside)
                reserved, fits = sum(self._calls.values()), self._fits(call.most)
                if fits and standing.is_free:
                    break
                if not fits and reserved == 0:
                    raise BudgetReached(
                        f"the next call to {call.name} could cost {call.most:.4f} USD, and {self.spent:.4f} of the "
                        f"limit of {self.limit:g} USD is spent ({reserved:.4f} reserved for calls under way). Raise "
                        "'limit_usd' and give the same command again; nothing is lost."
                    )
                self._changed.wait()
            self._calls[call] = call.most
            standing.under_way += 1

    def _fits(self, most: float) -> bool:
        """Whether an attempt that can cost `most` fits beside what is spent and what calls under way can cost."""
        return self.limit is None or most == 0 or self.spent + sum(self._calls.values()) + most <= self.limit

    def _keep(self, key: str, name: str, sent: str, request: dict[str, Json], reply: Reply, call: WatchedCall) -> None:
        """Store a reply and count what it cost; of what nobody told, the most that it can have cost."""
        unclear = call.unclear + (reply.cost is None and reply.fault not in UNBILLED)
        request |= {} if self.limit is None else {"unknown_usd": call.most * unclear}
        prompt = hash_of(sent.encode("utf-8", "replace").decode())
        try:
            self.store.add_reply(key, name, prompt, sent, request, reply.to_dict())
        except Exception as error:  # a full disk: what other threads would ask next could not be kept either
            with self._changed:
                self.unstored = error
                self._changed.notify_all()
            raise
        with self._changed:
            self.spent += (reply.cost or 0.0) + call.most * unclear

    def _pause(self, seconds: float, fault: Fault) -> str:
        """How a provider's model waits between two attempts, in its call's own thread; why there is no further one.

        An attempt that may be on the bill keeps its money, and the next one needs as much again. A call that ends here
        is kept where it may have cost anything: the bill does not ask why it ended.
        """
        here = threading.current_thread()
        with self._changed:
            call = next((call for call in self._calls if call.thread is here), None)
            if call is None:
                raise CalledOff("nobody waits for this call any more")
            standing = self.standings[call.name]
            if fault.kind == "busy":
                standing.slow_down(call)
            elif fault.kind == "connection":
                standing.count(fault.kind, fault.message, call)
                seconds = min(seconds, LONGEST_WAIT)
            call.pauses(seconds, fault)
            more = 0.0 if fault.kind in UNBILLED else call.most
            why = self._called_off(standing, seconds)
            if why and not (more or call.most * call.unclear):
                raise CalledOff(why)
            if not why and not self._fits(more):
                why = f"it could pass the limit of {self.limit:g} USD"
            if not why:
                self._calls[call] += more
                call.tries_again(fault)
            return why

    def _called_off(self, standing: ModelStanding, seconds: float) -> str:
        """Why nothing more is asked, as soon as that is so; '' when the time is over."""
        return self._changed.wait_for(lambda: self.why_stopped or standing.why_set_aside, seconds)


def _most(price: Price | None, messages: Sequence[Message], settings: Settings) -> float:
    """What an attempt can cost, by a generous estimate of the prompt's tokens."""
    tokens = math.ceil(sum(len(m.content.encode("utf-8", "replace")) + 12 for m in messages) / BYTES_A_TOKEN)
    return (price.cost(tokens, settings.max_tokens) or 0.0) if price else 0.0


def _cost(reply: Reply, price: Price | None) -> float | None:
    """What the model says, or what its tokens cost; None where nobody knows."""
    if reply.cost is not None or price is None or reply.status in PASSING:
        return reply.cost
    return price.cost(reply.input_tokens, reply.output_tokens)


def _close(model: Model) -> None:
    with suppress(Exception):
        model.close()
