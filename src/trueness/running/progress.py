"""How far a stage of a study has come, for whoever shows it."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass, field

EXAMPLES = 3  # unreadable replies kept to be shown


@dataclass
class ModelProgress:
    """One model's part of a stage."""

    total: int
    done: int = 0
    in_flight: int = 0
    cost: float | None = None  # None while nothing with a known price came back
    waiting: int = 0  # calls that will be made again, after a time-out, a fault, or a busy provider
    trouble: str = ""  # what the last fault said
    unreadable: int = 0
    refused: int = 0
    failed: int = 0
    timed_out: int = 0
    is_set_aside: bool = False
    examples: list[str] = field(default_factory=list)


@dataclass
class Progress:
    """What has been done so far in one stage."""

    total: int
    before: int  # already in the store when the run began
    done: int = 0  # in this run
    seconds_left: float | None = None  # None while too little is known
    slots: int = 1
    failures: dict[str, int] = field(default_factory=dict)
    last: str = ""
    stage: str = ""
    unit: str = "fits"
    models: dict[str, ModelProgress] = field(default_factory=dict)
    spent: float = 0.0
    limit: float | None = None
    notes: list[str] = field(default_factory=list)  # lines that are told once, at once


Report = Callable[[Progress], None]


def clock(seconds: float) -> str:
    minutes, rest = divmod(round(seconds), 60)
    hours, minutes = divmod(minutes, 60)
    return f"{hours}:{minutes:02d}:{rest:02d}" if hours else f"{minutes}:{rest:02d}"
