"""Answers against truths: a Score for each measure, and the Measure that says what it means."""

from trueness.measure import Measure
from trueness.measures.graphs import MARK_MEASURES, MEASURES, Reference, score_graph
from trueness.measures.score import UNDEFINED, Score
from trueness.measures.sortability import r2_sortability, varsortability

__all__ = [
    "MARK_MEASURES",
    "MEASURES",
    "UNDEFINED",
    "Measure",
    "Reference",
    "Score",
    "r2_sortability",
    "score_graph",
    "varsortability",
]
