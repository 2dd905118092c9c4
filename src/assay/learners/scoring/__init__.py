"""Scorers: data in, a strength for every ordered pair out. Names here, classes imported when used."""

from __future__ import annotations

from assay.learners.scoring.base import EdgeScorer, EdgeScores, ScorerCard

SCORERS = {
    "correlation": "assay.learners.scoring.associations:Correlation",
    "partial-correlation": "assay.learners.scoring.associations:PartialCorrelation",
    "notears-lite": "assay.learners.scoring.associations:NotearsLite",
    "notears": "assay.learners.scoring.wrapped:NOTEARS",
    "dagma": "assay.learners.scoring.wrapped:DAGMA",
    "lingam": "assay.learners.scoring.wrapped:LiNGAM",
    "pc": "assay.learners.scoring.wrapped:PC",
    "fci": "assay.learners.scoring.wrapped:FCI",
    "granger": "assay.learners.scoring.granger:Granger",
    "pcmci+": "assay.learners.scoring.pcmci:PCMCIPlus",
    "rc-gnn": "assay.learners.scoring.rcgnn:RCGNN",
}

__all__ = ["SCORERS", "EdgeScorer", "EdgeScores", "ScorerCard"]
