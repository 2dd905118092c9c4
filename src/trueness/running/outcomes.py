"""How a unit ended: what a worker or a study's perform() gives, and what of it can be stored.

A fit that gave no answer has a status and one line, never a number.
"""

from __future__ import annotations

import traceback
from pathlib import Path
from typing import NotRequired, TypedDict, cast

from trueness.errors import TruenessError
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


_FIELDS: dict[str, tuple[type, ...]] = {
    "status": (str,),
    "message": (str,),
    "seconds": (float, type(None), int),
    "answer": (str, type(None)),
    "scores": (dict,),
}


def without_answer(status: Status, message: str, seconds: float | None = None) -> Outcome:
    return {"status": str(status), "message": message, "seconds": seconds, "answer": None, "scores": {}}


def checked_outcome(outcome: object) -> Outcome:
    """One that can be stored; of a study of the user's own it may be anything."""
    if not isinstance(outcome, dict):
        message = f"an outcome must be a table of status, message, seconds, answer and scores, got {type(outcome)}"
        return without_answer(Status.FAILED, message, 0.0)
    for name, kinds in _FIELDS.items():
        if not isinstance(outcome.get(name), kinds):
            problem = f"{name!r} of an outcome must be {_describe(kinds)}, got {outcome.get(name)!r:.60}"
            return without_answer(Status.FAILED, problem, 0.0)
    return cast(Outcome, outcome)


def _describe(kinds: tuple[type, ...]) -> str:
    return " or ".join({str: "text", float: "a number", dict: "a table"}.get(kind, "none") for kind in kinds[:2])


def failure_line(error: BaseException) -> str:
    """What was raised, and where."""
    text = " ".join(str(error).split())[:300]
    if isinstance(error, TruenessError):
        return text
    last = traceback.extract_tb(error.__traceback__)[-1]
    return f"{type(error).__name__}: {text} ({Path(last.filename).name}:{last.lineno})"
