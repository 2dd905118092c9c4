"""What is measured of a scorer's ranking, and of the edges kept at a K."""

from __future__ import annotations

from dataclasses import replace

from trueness.measures.graphs import MEASURES as OF_GRAPHS
from trueness.measures.ranking import RANKING_MEASURES

AT_K = ("f1", "shd", "precision", "recall")  # in the long table with how K was chosen: f1@bic, shd@oracle_k, ...
MEASURES = (
    *(replace(measure, headline=name == "auprc") for name, measure in RANKING_MEASURES.items()),
    *(OF_GRAPHS[name] for name in AT_K),
)
