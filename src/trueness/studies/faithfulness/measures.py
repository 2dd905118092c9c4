"""What is measured of a reasoning graph: cf, its four parts, and whether answers move as it says."""

from __future__ import annotations

from trueness.measure import Measure

MEASURES = (
    Measure("cf", "faithfulness (cf)", headline=True, description="weighted mean of the four parts"),
    *(
        Measure(name, headline=True)
        for name in ("causal_intervention", "abductive_reasoning", "logic_quality", "graph_quality")
    ),
    Measure("behaviour", "moves as its graph says", description="problem changed in its text, asked fresh"),
)
