"""Replies of a model kept in a file beside what they are asked for, where no study is: the same question is paid once.

    KeptReplies(model, folder, "with.jsonl.replies").ask(messages, settings)     from the file, else from the model

One line a reply, `{"key": reply_key, "reply": {...}}`, written as it arrives: what was paid stays through a Ctrl-C.
What another try may mend (failed, timed out) is not kept; a line that cannot be read is one question more.
"""

from __future__ import annotations

import threading
from collections.abc import Iterator, Sequence
from pathlib import Path

from trueness.errors import DataError
from trueness.files import append_text, check_plain, read_text
from trueness.models import Message, Model, Reply, Settings
from trueness.outside import MAX_RECORDS, json_of
from trueness.running.calling import PASSING, as_reply
from trueness.running.cells import reply_key
from trueness.texts import printable_json


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
