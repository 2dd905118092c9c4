"""Answers against truths: a Score for each measure, and the Measure that says what it means."""

from trueness.measure import Measure
from trueness.measures.graphs import MARK_MEASURES, MEASURES, Reference, score_graph
from trueness.measures.score import UNDEFINED, Score

__all__ = [
    "MARK_MEASURES",
    "MEASURES",
    "UNDEFINED",
    "Measure",
    "Reference",
    "Score",
    "score_graph",
]
