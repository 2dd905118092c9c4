"""Models that answer from a script, faults included: for tests, dry runs and examples without a key.

    mock/vacuous                  the widest ranges, always
    mock/overconfident            ranges of almost no width, always
    mock/copycat-of-the-prompt    the prompt itself
    mock/refuses  truncated  empty  garbage  slow  flaky      what goes wrong with real models
    mock/NAME, script = FILE      your own: JSON lines {match = [substrings], reply | status}

Of a script the first entry counts whose substrings all occur in the prompt. Texts are only texts here: nothing of
what is asked about is known. The same question always gets the same answer.
"""

from __future__ import annotations

import time
from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass, replace
from hashlib import sha256
from pathlib import Path
from typing import Annotated

from trueness.errors import SettingError, UnknownName
from trueness.models.base import DAY, CallOptions, Message, Reply, Settings, read_options
from trueness.models.prices import stated_price
from trueness.outside import Json, is_there, json_of, text_of
from trueness.settings import Between
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
    seconds: Annotated[float, Between(0, DAY, closed=True)] | None = None  # 1 of the slow one, 0 of the others
    fails: Annotated[int, Between(0, DAY, closed=True)] = 1
    of: Annotated[int, Between(1, DAY, closed=True)] = 3
    seed: int = 0


@dataclass(frozen=True)
class ScriptedAnswer:
    """What a mock gives back to one prompt."""

    text: str = ""
    status: Status = Status.OK
    message: str = ""


Rule = Callable[[str, Settings], ScriptedAnswer]  # (prompt, settings) -> answer


def _always(text: str, status: Status = Status.OK, message: str = "") -> Rule:
    return lambda prompt, settings: ScriptedAnswer(text, status, message)


BUILT_IN: dict[str, tuple[str, Rule]] = {  # name -> (what it does, in words; what it answers)
    "vacuous": ("the widest ranges, always", _always(VACUOUS)),
    "overconfident": ("ranges of almost no width, always", _always(OVERCONFIDENT)),
    "copycat-of-the-prompt": ("gives the prompt back", lambda prompt, settings: ScriptedAnswer(prompt)),
    "refuses": ("always refuses", _always(REFUSAL, Status.REFUSED, "the model refused to answer")),
    "truncated": ("always cut off", _always(CUT, Status.TRUNCATED, "the reply reached max_tokens and was cut off")),
    "empty": ("always empty", _always("", Status.UNREADABLE, "the reply is empty")),
    "garbage": ("characters without sense", _always(GARBAGE)),
    "slow": ("answers after `seconds` (1)", _always(VACUOUS)),
    "flaky": ("fails `fails` (1) of `of` (3) questions, by `seed` (0)", _always(VACUOUS)),
}


class Mock:
    """A scripted model."""

    offers_schema = False
    offers_logprobs = False

    def __init__(
        self, name: str, options: Mapping[str, Json] | None = None, sleep: Callable[[float], None] = time.sleep
    ):
        self._options = read_options(MockOptions, options, name)
        self.name = name
        self.concurrency = self._options.concurrency
        self.price = stated_price(self._options.price, name)
        self._short = name.removeprefix("mock/")
        self._rule = _rule(self._short, self._options.script)
        slow = 1.0 if self._short == "slow" else 0.0
        self._seconds = slow if self._options.seconds is None else self._options.seconds
        self._sleep = sleep

    def ask(self, messages: Sequence[Message], settings: Settings) -> Reply:
        start = time.perf_counter()
        settings = replace(settings, **self._options.fixed_settings)
        prompt = "\n".join(message.content for message in messages)
        answer = self._answer(prompt, settings)
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

    def _answer(self, prompt: str, settings: Settings) -> ScriptedAnswer:
        if self._seconds:
            self._sleep(min(self._seconds, settings.timeout))
            if self._seconds > settings.timeout:
                return ScriptedAnswer("", Status.TIMED_OUT, f"no reply within {settings.timeout:g} s")
        if self._short == "flaky" and self._is_unlucky(prompt, settings):
            return ScriptedAnswer(
                "", Status.FAILED, f"fails {self._options.fails} of {self._options.of} questions, as it was told to"
            )
        return self._rule(prompt, settings)

    def _is_unlucky(self, prompt: str, settings: Settings) -> bool:
        digest = sha256(f"{self._options.seed}\n{settings.seed}\n{prompt}".encode()).digest()
        return int.from_bytes(digest[:8]) % self._options.of < self._options.fails


def read_script(path: Path) -> list[dict[str, Json]]:
    """The entries of a script, each checked: `match` (a list of substrings) and one of `reply`, `status`."""
    if not is_there(path):
        raise SettingError(f"'script' of a mock must be a file, got {path}, which is not there.")
    text = text_of(path, error=SettingError)
    lines = [(number, line) for number, line in enumerate(text.split("\n"), 1) if line.strip()]
    what = f"{path.name} must be JSON lines; line"
    entries: list[dict[str, Json]] = [json_of(line, f"{what} {number}", SettingError) for number, line in lines]
    for place, entry in enumerate(entries, 1):
        _check_entry(entry, f"entry {place} of {path.name}")
    return entries


def _rule(short: str, script: str | Path | None) -> Rule:
    if script is not None:
        return _scripted_rule(read_script(Path(script)), Path(script).name)
    if short not in BUILT_IN:
        raise UnknownName("model", f"mock/{short}", [f"mock/{name}" for name in BUILT_IN], "Your own: script = FILE.")
    return BUILT_IN[short][1]


def _scripted_rule(entries: Sequence[Mapping[str, Json]], file: str) -> Rule:
    def rule(prompt: str, settings: Settings) -> ScriptedAnswer:
        for entry in entries:
            if all(part in prompt for part in entry.get("match", ())):
                status = Status(entry.get("status", "ok"))
                return ScriptedAnswer(
                    entry.get("reply", ""), status, entry.get("message", "" if status == "ok" else "scripted")
                )
        return ScriptedAnswer("", Status.FAILED, f"no entry of {file} matches the prompt {prompt[:60]!r}...")

    return rule


def _check_entry(entry: object, where: str) -> None:
    if not isinstance(entry, dict) or not {"reply", "status"} & set(entry):
        raise SettingError(f"{where} must have a 'reply' or a 'status', got {entry!r}.")
    unknown = set(entry) - {"match", "reply", "status", "message"}
    if unknown:
        raise SettingError(f"{where} may have match, reply, status and message, got {sorted(unknown)}.")
    match = entry.get("match", [])
    if not isinstance(match, list) or not all(isinstance(part, str) for part in match):
        raise SettingError(f"'match' in {where} must be a list of texts, got {match!r}.")
    if entry.get("status", "ok") not in set(Status):
        raise SettingError(f"'status' in {where} must be one of {', '.join(Status)}, got {entry['status']!r}.")


def _tokens(text: str) -> int:
    return -(-len(text) // _CHARACTERS_A_TOKEN)
