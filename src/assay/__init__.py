"""Assay: does the respondent really know? Measure a truth, ask, score the answer, compare with statistics that hold up.

    >>> import assay, numpy as np
    >>> rng = np.random.default_rng(1)
    >>> asia = assay.load("asia")
    >>> graph = assay.learner("correlation").fit(asia.draw(2000, rng), rng)
    >>> assay.score_graph(graph, asia.truth)["skeleton_recall"].value
    0.875

Names are imported when they are first used, so that `import assay` is quick.
"""

from __future__ import annotations

from importlib import import_module
from typing import Any

__version__ = "0.1.0"

_PUBLIC = {
    "AssayError": "assay.errors:AssayError",
    "Card": "assay.learners.base:Card",
    "Graph": "assay.graphs:Graph",
    "Interval": "assay.intervals:Interval",
    "Plan": "assay.study:Plan",
    "Results": "assay.results:Results",
    "Status": "assay.status:Status",
    "Study": "assay.study:Study",
    "Synthetic": "assay.datasets.synthetic:Synthetic",
    "Table": "assay.datasets.table:Table",
    "check_learner": "assay.learners.contract:check_learner",
    "faithfulness": "assay.faithfulness:",
    "learner": "assay.learners.base:learner",
    "load": "assay.datasets:load",
    "score_graph": "assay.measures.graphs:score_graph",
    "stability": "assay.edge_stability:stability",
}

__all__ = sorted(_PUBLIC)


def __getattr__(name: str) -> Any:
    if name not in _PUBLIC:
        raise AttributeError(f"module 'assay' has no attribute {name!r}")
    module, attribute = _PUBLIC[name].split(":")
    found = import_module(module)
    return getattr(found, attribute) if attribute else found


def __dir__() -> list[str]:
    return [*__all__, "__version__"]
