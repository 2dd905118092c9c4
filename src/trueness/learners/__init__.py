"""Learners: data in, graph out. One file a learner; the names are in `trueness.registry`."""

from trueness.learners.base import (
    Batched,
    Card,
    Learner,
    build,
    check_alpha,
    check_answer,
    checked,
    fitting,
    learner,
    settings_of,
)

__all__ = [
    "Batched",
    "Card",
    "Learner",
    "build",
    "check_alpha",
    "check_answer",
    "checked",
    "fitting",
    "learner",
    "settings_of",
]
