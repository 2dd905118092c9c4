"""What is measured of a learner on a twin, and of a user's own graph; what the cells are called."""

from __future__ import annotations

from dataclasses import replace

from trueness.measure import Measure
from trueness.measures.graphs import MEASURES as OF_GRAPHS

TABLE, GUESS = "table", "your graph"  # items beside the twins
NOT_MEASURED = "not_measured"  # a learner's graph implies too much to be tested, a guess has no truth to be scored by
NAMES = ("f1", "precision", "recall", "shd")
VIOLATIONS = Measure(
    "violations",
    "violated independences",
    "lower",
    description="share of the independences that a graph implies (each node of what it does not cause, given its "
    "parents) which the data reject at .05",
)
MEASURES = (*(replace(OF_GRAPHS[name], headline=name == "f1") for name in NAMES), VIOLATIONS)
