"""Models that answer from a script, faults included: for tests, dry runs and examples without a key.

    mock/vacuous                the widest ranges, always
    mock/overconfident          ranges of almost no width, always
    mock/copycat-of-the-prompt  the prompt itself
    mock/refuses  mock/empty    what goes wrong with real models
    mock/NAME, script = FILE    your own: JSON lines {match = [substrings], reply | status}

Of a script the first entry counts whose substrings all occur in the prompt. Texts are only texts here: nothing of
what is asked about is known. The same question always gets the same answer.
"""

from __future__ import annotations

import time
from collections.abc import Mapping, Sequence
from dataclasses import dataclass, replace
from pathlib import Path

import msgspec

from trueness.errors import SettingError, UnknownName
from trueness.models.base import CallOptions, Message, Reply, Settings, read_options, stated_price
from trueness.outside import Json, is_there, json_of, text_of
from trueness.status import Status

VACUOUS = "Precision: [0.0, 1.0]\nRecall: [0.0, 1.0]\nF1: [0.0, 1.0]\nSHD: at least 0"
OVERCONFIDENT = "Precision: [0.900, 0.901]\nRecall: [0.900, 0.901]\nF1: [0.900, 0.901]\nSHD: [2, 3]"
REFUSAL = "I'm sorry, but I can't give estimates for this."

_CHARACTERS_A_TOKEN = 4  # the usual rule of thumb; only counts and costs rest on it


@dataclass(frozen=True)
class MockOptions(CallOptions):
    script: str | Path | None = None


class Scripted(msgspec.Struct, forbid_unknown_fields=True):
    """What a mock gives back to a prompt in which all of `match` occur."""

    match: list[str] = []
    reply: str = ""
    status: Status = Status.OK
    message: str | None = None


COPYCAT = "copycat-of-the-prompt"
BUILT_IN = {  # name -> (what it does, in words; what it answers)
    "vacuous": ("the widest ranges, always", Scripted(reply=VACUOUS)),
    "overconfident": ("ranges of almost no width, always", Scripted(reply=OVERCONFIDENT)),
    COPYCAT: ("gives the prompt back", Scripted()),
    "refuses": ("always refuses", Scripted([], REFUSAL, Status.REFUSED, "the model refused to answer")),
    "empty": ("always empty", Scripted([], "", Status.UNREADABLE, "the reply is empty")),
}  # fmt: skip


class Mock:
    """A scripted model."""

    offers_schema = False
    offers_logprobs = False

    def __init__(self, name: str, options: Mapping[str, Json] | None = None):
        self._options = read_options(MockOptions, options, name)
        self.name, self.concurrency = name, self._options.concurrency
        self.price = stated_price(self._options.price, name)
        known, script = [f"mock/{one}" for one in BUILT_IN], self._options.script
        if script is None and name not in known:
            raise UnknownName("model", name, known, "Your own: script = FILE.")
        self._script = [BUILT_IN[name.removeprefix("mock/")][1]] if script is None else read_script(Path(script))

    def ask(self, messages: Sequence[Message], settings: Settings) -> Reply:
        start = time.perf_counter()
        settings = replace(settings, **self._options.fixed_settings)
        prompt = "\n".join(message.content for message in messages)
        none = Scripted([], "", Status.FAILED, f"no entry of its script matches the prompt {prompt[:60]!r}...")
        entry = next((one for one in self._script if all(part in prompt for part in one.match)), none)
        text = prompt if entry is BUILT_IN[COPYCAT][1] else entry.reply
        said = "" if entry.status is Status.OK else "scripted"
        tokens_in, tokens_out = (-(-len(one) // _CHARACTERS_A_TOKEN) for one in (prompt, text))
        return Reply(
            text=text,
            status=entry.status,
            message=said if entry.message is None else entry.message,
            model=self.name,
            input_tokens=tokens_in,
            output_tokens=tokens_out,
            cost=self.price.cost(tokens_in, tokens_out) if self.price else None,
            seconds=time.perf_counter() - start,
            settings=settings.to_dict(),
        )

    def close(self) -> None:
        """Nothing is held."""


def read_script(path: Path) -> list[Scripted]:
    """The entries of a script, each with `reply`, `status` or both."""
    if not is_there(path):
        raise SettingError(f"'script' of a mock must be a file, got {path}, which is not there.")
    entries = []
    for number, line in enumerate(text_of(path, error=SettingError).split("\n"), 1):
        if line.strip():
            where = f"line {number} of {path.name}"
            entry = json_of(line, f"{path.name} must be JSON lines; line {number}", SettingError)
            try:
                entries.append(msgspec.convert(entry, Scripted))
            except msgspec.ValidationError as wrong:
                raise SettingError(f"{where} may have match, reply, status and message, got: {wrong}") from None
            if not {"reply", "status"} & set(entry):
                raise SettingError(f"{where} must have a 'reply' or a 'status', got {entry!r:.80}.")
    return entries
