"""Scorers: data in, a strength for every ordered pair out. One file a family; nothing is imported until it is used."""

from trueness.learners.scoring.edge_scores import EdgeScorer, EdgeScores, Scorer, build_scorer, scorer
from trueness.learners.scoring.leaks import LeakReport, check_no_leak

__all__ = ["EdgeScorer", "EdgeScores", "LeakReport", "Scorer", "build_scorer", "check_no_leak", "scorer"]
