"""Learners: data in, graph out. One file a learner, which declares its names as LEARNERS."""

from trueness.learners.base import (
    Batched,
    Card,
    Learner,
    build,
    check_answer,
    checked,
    fitting,
    handles_gaps,
    learner,
    settings_of,
)

__all__ = [
    "Batched",
    "Card",
    "Learner",
    "build",
    "check_answer",
    "checked",
    "fitting",
    "handles_gaps",
    "learner",
    "settings_of",
]
