"""Answers against truths: a Score for each measure, and the Measure that says what it means."""

from assay.measure import Measure
from assay.measures.graphs import MARK_MEASURES, MEASURES, Reference, score_graph
from assay.measures.score import UNDEFINED, Score
from assay.measures.sortability import r2_sortability, varsortability

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
