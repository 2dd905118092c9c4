"""How far a stage of a study has come, for whoever shows it."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass, field

EXAMPLES = 3  # unreadable replies kept to be shown


@dataclass
class Asked:
    """One model's part of a stage."""

    total: int
    done: int = 0
    in_flight: int = 0
    cost: float | None = None  # None while nothing with a known price came back
    unreadable: int = 0
    refused: int = 0
    failed: int = 0
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
    stage: str = "discovery"
    unit: str = "fits"
    asked: dict[str, Asked] = field(default_factory=dict)
    spent: float = 0.0
    limit: float | None = None


Report = Callable[[Progress], None]
