"""How each model of a study did, from the store: how many units it answered, what went wrong and how often.

A unit that a model answered is answered whatever the answer is worth (refused, unreadable); it failed where no usable
reply came, or none in time; it was not asked where nobody was reached, the model was set aside, or the run ended.
"""

from __future__ import annotations

import re
from collections import Counter
from collections.abc import Mapping
from dataclasses import dataclass, field

from trueness.outside import Json
from trueness.running.calling import PASSING
from trueness.running.results import NOT_RUN, Results

MOST_REASONS = 5  # that are named; the rest is counted


@dataclass(frozen=True)
class ModelOutcome:
    """Of one model in one task. `reasons`: status and message -> units, the most frequent first."""

    task: str
    model: str
    planned: int
    failed: int
    not_asked: int
    reasons: dict[str, int]
    set_aside: str = ""  # why it was not asked any more in this run
    answered_as: Mapping[str, int] = field(default_factory=dict)  # other models that answered -> replies

    @property
    def answered(self) -> int:
        return self.planned - self.failed - self.not_asked

    def to_dict(self) -> dict[str, Json]:
        return vars(self) | {"answered": self.answered}

    def lines(self) -> list[str]:
        """What there is to tell: nothing of a model that answered everything as itself."""
        lines = []
        if self.set_aside:
            lines.append(f"  set aside {self.set_aside}")
        lines += [f"  {count:,} x {reason}" for reason, count in self.reasons.items()]
        lines += [f"  {count:,} replies came from {name!r}" for name, count in self.answered_as.items()]
        if not lines:
            return []
        parts = [f"{self.answered:,} of {self.planned:,} answered"]
        parts += [f"{self.failed:,} failed"] if self.failed else []
        parts += [f"{self.not_asked:,} not asked"] if self.not_asked else []
        return [f"{self.model} ({self.task}): {', '.join(parts)}", *lines]


def model_outcomes(
    results: Results, set_aside: Mapping[str, str], answered_as: Mapping[str, Mapping[str, int]]
) -> list[ModelOutcome]:
    """Of each model that a task asks, in the order of the plan."""
    counts: dict[str, Counter[str]] = {}
    for row in results.completeness():
        numbers = {key: value for key, value in row.items() if key not in ("item", "respondent")}
        counts.setdefault(row["respondent"], Counter()).update(numbers)
    messages: dict[str, list[str]] = {}
    for run in results.failed_runs():
        if run.status in PASSING:
            messages.setdefault(run.respondent, []).append(f"{run.status}: {run.message}")
    return [
        ModelOutcome(
            task=results.task,
            model=name,
            planned=counted["planned"],
            failed=sum(counted[status] for status in PASSING),
            not_asked=counted[NOT_RUN],
            reasons=_reasons(messages.get(name, [])),
            set_aside=set_aside.get(name, ""),
            answered_as=answered_as.get(name, {}),
        )
        for name, counted in counts.items()
    ]


def _reasons(messages: list[str]) -> dict[str, int]:
    """Messages that differ in numbers alone (seconds, ids) are one reason, told as the first of them."""
    first: dict[str, str] = {}
    for message in messages:
        first.setdefault(re.sub(r"\d+", "#", message), message)
    counted = Counter(first[re.sub(r"\d+", "#", message)] for message in messages).most_common()
    rest = sum(count for _, count in counted[MOST_REASONS:])
    return dict(counted[:MOST_REASONS]) | ({"other reasons": rest} if rest else {})
