"""Assay: does the respondent really know? Measure a truth, ask, score the answer, compare with statistics that hold up.

    >>> import assay, numpy as np
    >>> rng = np.random.default_rng(1)
    >>> asia = assay.load("asia")
    >>> graph = assay.learner("correlation").fit(asia.draw(2000, rng), rng)
    >>> assay.score_graph(graph, asia.truth)["skeleton_recall"].value
    0.875

Names are imported when they are first used, so that `import assay` is quick.
"""

import sys

if sys.argv[:1] == ["-m"] and sys.orig_argv[-len(sys.argv)].removeprefix("-m").split(".")[0] == __name__:
    if not sys.flags.safe_path:
        del sys.path[0]  # `python -m assay` put the current folder there; see safe_path.py

import warnings
from importlib import import_module
from typing import TYPE_CHECKING, Any

if TYPE_CHECKING:  # the same names for type checkers, which do not follow __getattr__
    from assay.datasets import load as load
    from assay.datasets.synthetic import Synthetic as Synthetic
    from assay.datasets.table import Table as Table
    from assay.errors import AssayError as AssayError
    from assay.graphs import Graph as Graph
    from assay.intervals import Interval as Interval
    from assay.learners.base import Card as Card
    from assay.learners.base import learner as learner
    from assay.learners.contract import check_learner as check_learner
    from assay.learners.stability import stability as stability
    from assay.measures.graphs import score_graph as score_graph
    from assay.running.results import Results as Results
    from assay.running.study import Plan as Plan
    from assay.running.study import Study as Study
    from assay.status import Status as Status
    from assay.studies import faithfulness as faithfulness
    from assay.studies.reporting import figure as figure

__version__ = "0.1.0"

_PUBLIC = {
    "AssayError": "assay.errors:AssayError",
    "Card": "assay.learners.base:Card",
    "Graph": "assay.graphs:Graph",
    "Interval": "assay.intervals:Interval",
    "Plan": "assay.running.study:Plan",
    "Results": "assay.running.results:Results",
    "Status": "assay.status:Status",
    "Study": "assay.running.study:Study",
    "Synthetic": "assay.datasets.synthetic:Synthetic",
    "Table": "assay.datasets.table:Table",
    "figure": "assay.studies.reporting:figure",
    "check_learner": "assay.learners.contract:check_learner",
    "faithfulness": "assay.studies.faithfulness:",
    "learner": "assay.learners.base:learner",
    "load": "assay.datasets:load",
    "score_graph": "assay.measures.graphs:score_graph",
    "stability": "assay.learners.stability:stability",
}

_RENAMED: dict[str, str] = {}  # old name -> public name; it works, with a warning, until the next minor version

__all__ = sorted(_PUBLIC)


def __getattr__(name: str) -> Any:
    if name in _RENAMED:
        new = _RENAMED[name]
        warnings.warn(f"assay.{name} is now assay.{new}; the old name goes.", DeprecationWarning, stacklevel=2)
        return __getattr__(new)
    if name not in _PUBLIC:
        raise AttributeError(f"module 'assay' has no attribute {name!r}")
    module, attribute = _PUBLIC[name].split(":")
    found = import_module(module)
    return getattr(found, attribute) if attribute else found


def __dir__() -> list[str]:
    return [*__all__, "__version__"]
