"""How a model does in this run: how many calls it gets at a time, and whether it is asked at all.

    turned away (429)   calls at a time = half of them, at least 1; each answer adds 1 / (calls at a time)
    faults in a row     3 refused connections, 3 calls that never came back, 20 faults of another kind: set aside;
                        connections count for each attempt of a call, and as one where calls were under way together

So a busy provider is asked more slowly and none of its answers is missing, and a dead one costs seconds. Who was
turned away or reached nobody was not answered: that is no result, nothing is stored, and the question is asked again.
"""

from __future__ import annotations

import time
from dataclasses import dataclass, field

from trueness.models import Reply
from trueness.running.calling import PASSING, SILENT, WatchedCall

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
