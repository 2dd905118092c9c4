"""What is measured of a learner's graph."""

from __future__ import annotations

from dataclasses import replace

from trueness.measures.graphs import MEASURES as OF_GRAPHS

HEADLINE = ("precision", "recall", "f1", "shd")
MEASURES = tuple(replace(measure, headline=name in HEADLINE) for name, measure in OF_GRAPHS.items())
