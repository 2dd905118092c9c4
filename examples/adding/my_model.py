"""Command: any program that takes a prompt on its input and prints a reply. A model of your own, complete.

    [models."my_model.py:Command"]
    command = ["my-program", "--quiet"]

Whatever the program does is a status: only the user's own mistakes (no `command`) are raised.
"""

import subprocess
import time
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from typing import Annotated, Any

from trueness.extend import Hint, Message, NotEmpty, Reply, Settings, Status, Whole, read_options


@dataclass(frozen=True)
class CommandOptions:
    """The plan's [models.NAME] table. What is misspelt, missing or of another kind is said in one line."""

    command: Annotated[tuple[str, ...], NotEmpty(), Hint('Try ["cat"].')]
    concurrency: Whole = 2  # calls at a time, each from a thread


class Command:
    """Called as Command(name, options)."""

    offers_schema = False  # it cannot be held to a JSON schema: it is asked in words
    offers_logprobs = False

    def __init__(self, name: str, options: Mapping[str, Any] | None = None):
        stated = read_options(CommandOptions, options, name)
        self.name, self.command, self.concurrency = name, stated.command, stated.concurrency

    def ask(self, messages: Sequence[Message], settings: Settings) -> Reply:
        prompt = "\n\n".join(message.content for message in messages)
        began = time.perf_counter()
        text, status, message = self._answer(prompt, settings.timeout)
        seconds = time.perf_counter() - began
        return Reply(text, status, message, self.name, seconds=seconds, settings=settings.to_dict())

    def _answer(self, prompt: str, timeout: float) -> tuple[str, Status, str]:
        try:
            done = subprocess.run(self.command, input=prompt, capture_output=True, text=True, timeout=timeout)
        except subprocess.TimeoutExpired:
            return "", Status.TIMED_OUT, f"no reply within {timeout:g} s"
        except OSError as error:
            return "", Status.FAILED, f"{self.command[0]} cannot be run: {error}"
        if done.returncode:
            return "", Status.FAILED, f"exit code {done.returncode}: {done.stderr.strip()[:200]}"
        text = done.stdout.strip()
        return text, Status.OK if text else Status.UNREADABLE, "" if text else "the reply is empty"

    def close(self) -> None:
        """Nothing is held."""
