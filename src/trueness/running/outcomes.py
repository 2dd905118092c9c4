"""How a fit that gave no answer is reported to the driver: a status and one line, never a number."""

from __future__ import annotations

import traceback
from pathlib import Path
from typing import Any

from trueness.errors import TruenessError
from trueness.status import Status


def without_answer(status: Status, message: str, seconds: float) -> dict[str, Any]:
    return {"status": str(status), "message": message, "seconds": seconds, "answer": None, "scores": {}}


def raised(error: BaseException) -> str:
    """One line: what was raised, and where."""
    text = " ".join(str(error).split())[:300]
    if isinstance(error, TruenessError):
        return text
    last = traceback.extract_tb(error.__traceback__)[-1]
    return f"{type(error).__name__}: {text} ({Path(last.filename).name}:{last.lineno})"
