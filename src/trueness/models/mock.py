"""Models that answer from a script, faults included: for tests, dry runs and examples without a key.

    mock/vacuous                the widest ranges, always
    mock/overconfident          ranges of almost no width, always
    mock/copycat-of-the-prompt  the prompt itself
    mock/refuses  truncated  empty  garbage    what goes wrong with real models
    mock/NAME, script = FILE    your own: JSON lines {match = [substrings], reply | status}

Of a script the first entry counts whose substrings all occur in the prompt. Texts are only texts here: nothing of
what is asked about is known. The same question always gets the same answer.
"""

from __future__ import annotations

import time
from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass, replace
from pathlib import Path

import msgspec

from trueness.errors import SettingError, UnknownName
from trueness.models.base import CallOptions, Message, Reply, Settings, read_options
from trueness.models.prices import stated_price
from trueness.outside import Json, is_there, json_of, text_of
from trueness.status import Status

VACUOUS = "Precision: [0.0, 1.0]\nRecall: [0.0, 1.0]\nF1: [0.0, 1.0]\nSHD: at least 0"
OVERCONFIDENT = "Precision: [0.900, 0.901]\nRecall: [0.900, 0.901]\nF1: [0.900, 0.901]\nSHD: [2, 3]"
REFUSAL = "I'm sorry, but I can't give estimates for this."
CUT = "Let us think step by step. The algorithm first looks at every pair of variables and"
GARBAGE = "\x00]}{ 0.. lorem %% [,] \N{REPLACEMENT CHARACTER} ipsum ~~ {'precision: :"

_CHARACTERS_A_TOKEN = 4  # the usual rule of thumb; only counts and costs rest on it


@dataclass(frozen=True)
class MockOptions(CallOptions):
    script: str | Path | None = None


@dataclass(frozen=True)
class ScriptedAnswer:
    """What a mock gives back to one prompt."""

    text: str = ""
    status: Status = Status.OK
    message: str = ""


Rule = Callable[[str], ScriptedAnswer]  # prompt -> answer


def _always(text: str, status: Status = Status.OK, message: str = "") -> Rule:
    return lambda prompt: ScriptedAnswer(text, status, message)


BUILT_IN: dict[str, tuple[str, Rule]] = {  # name -> (what it does, in words; what it answers)
    "vacuous": ("the widest ranges, always", _always(VACUOUS)),
    "overconfident": ("ranges of almost no width, always", _always(OVERCONFIDENT)),
    "copycat-of-the-prompt": ("gives the prompt back", ScriptedAnswer),
    "refuses": ("always refuses", _always(REFUSAL, Status.REFUSED, "the model refused to answer")),
    "truncated": ("always cut off", _always(CUT, Status.TRUNCATED, "the reply reached max_tokens and was cut off")),
    "empty": ("always empty", _always("", Status.UNREADABLE, "the reply is empty")),
    "garbage": ("characters without sense", _always(GARBAGE)),
}


class Mock:
    """A scripted model."""

    offers_schema = False
    offers_logprobs = False

    def __init__(self, name: str, options: Mapping[str, Json] | None = None):
        self._options = read_options(MockOptions, options, name)
        self.name = name
        self.concurrency = self._options.concurrency
        self.price = stated_price(self._options.price, name)
        self._rule = _rule(name.removeprefix("mock/"), self._options.script)

    def ask(self, messages: Sequence[Message], settings: Settings) -> Reply:
        start = time.perf_counter()
        settings = replace(settings, **self._options.fixed_settings)
        prompt = "\n".join(message.content for message in messages)
        answer = self._rule(prompt)
        tokens_in, tokens_out = _tokens(prompt), _tokens(answer.text)
        return Reply(
            text=answer.text,
            status=answer.status,
            message=answer.message,
            model=self.name,
            input_tokens=tokens_in,
            output_tokens=tokens_out,
            cost=self.price.cost(tokens_in, tokens_out) if self.price else None,
            seconds=time.perf_counter() - start,
            settings=settings.to_dict(),
        )

    def close(self) -> None:
        """Nothing is held."""


class ScriptEntry(msgspec.Struct, forbid_unknown_fields=True):
    """`match`: substrings of the prompt."""

    match: list[str] = []
    reply: str | None = None
    status: Status = Status.OK
    message: str | None = None

    def answer(self) -> ScriptedAnswer:
        message = ("" if self.status is Status.OK else "scripted") if self.message is None else self.message
        return ScriptedAnswer(self.reply or "", self.status, message)


def read_script(path: Path) -> list[ScriptEntry]:
    """The entries of a script, each with `reply`, `status` or both."""
    if not is_there(path):
        raise SettingError(f"'script' of a mock must be a file, got {path}, which is not there.")
    entries = []
    for number, line in enumerate(text_of(path, error=SettingError).split("\n"), 1):
        if line.strip():
            where = f"line {number} of {path.name}"
            entry = json_of(line, f"{path.name} must be JSON lines; line {number}", SettingError)
            try:
                entries.append(msgspec.convert(entry, ScriptEntry))
            except msgspec.ValidationError as wrong:
                raise SettingError(f"{where} may have match, reply, status and message, got: {wrong}") from None
            if not {"reply", "status"} & set(entry):
                raise SettingError(f"{where} must have a 'reply' or a 'status', got {entry!r:.80}.")
    return entries


def _rule(short: str, script: str | Path | None) -> Rule:
    if script is not None:
        return _scripted_rule(read_script(Path(script)), Path(script).name)
    if short not in BUILT_IN:
        raise UnknownName("model", f"mock/{short}", [f"mock/{name}" for name in BUILT_IN], "Your own: script = FILE.")
    return BUILT_IN[short][1]


def _scripted_rule(entries: Sequence[ScriptEntry], file: str) -> Rule:
    def rule(prompt: str) -> ScriptedAnswer:
        for entry in entries:
            if all(part in prompt for part in entry.match):
                return entry.answer()
        return ScriptedAnswer("", Status.FAILED, f"no entry of {file} matches the prompt {prompt[:60]!r}...")

    return rule


def _tokens(text: str) -> int:
    return -(-len(text) // _CHARACTERS_A_TOKEN)
