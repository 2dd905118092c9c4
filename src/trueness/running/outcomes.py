"""How a unit ended: what a worker or a study's perform() gives, and what of it can be stored.

A fit that gave no answer has a status and one line, never a number.
"""

from __future__ import annotations

import traceback
from pathlib import Path
from typing import NotRequired, TypedDict

import msgspec

from trueness.errors import TruenessError
from trueness.outside import one_line
from trueness.status import Status


class Outcome(TypedDict):
    """Of one unit; of a question also what it cost, and an excerpt where it could not be read."""

    status: str
    message: str
    seconds: float | None
    answer: str | None
    scores: dict[str, tuple[float | None, str]]
    cost: NotRequired[float | None]
    excerpt: NotRequired[str]


def without_answer(status: Status, message: str, seconds: float | None = None) -> Outcome:
    return {"status": str(status), "message": message, "seconds": seconds, "answer": None, "scores": {}}


def checked_outcome(outcome: object) -> Outcome:
    """One that can be stored; of a study of the user's own it may be anything."""
    try:
        return msgspec.convert(msgspec.to_builtins(outcome, enc_hook=plain), Outcome)
    except (msgspec.ValidationError, TypeError) as wrong:
        problem = f"an outcome must have status, message, seconds, answer and scores, got: {one_line(wrong)}"
        return without_answer(Status.FAILED, problem, 0.0)


def plain(value: object) -> object:
    """Numbers and texts of numpy's as Python's own."""
    if hasattr(value, "dtype") and hasattr(value, "item"):
        return value.item()
    raise TypeError(f"an outcome must hold numbers, texts, lists and tables, got {type(value).__name__}")


def failure_line(error: BaseException) -> str:
    """What was raised, and where."""
    text = " ".join(str(error).split())[:300]
    if isinstance(error, TruenessError):
        return text
    last = traceback.extract_tb(error.__traceback__)[-1]
    return f"{type(error).__name__}: {text} ({Path(last.filename).name}:{last.lineno})"
