"""What is measured of a claimed distribution."""

from __future__ import annotations

from trueness.measure import Measure

MEASURES = (
    Measure("score", maximum=100.0, headline=True),
    *(Measure(name, maximum=100.0) for name in ("score_original", "score_document")),
    *(Measure(f"skill_{reference}", minimum=None, headline=True) for reference in ("uniform", "marginal")),
    Measure("tv", better="lower", headline=True),
    *(Measure(name, better="lower") for name in ("js", "w1")),
    Measure("d2", better="lower", minimum=None, maximum=2.0),
)
