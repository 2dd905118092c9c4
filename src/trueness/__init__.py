"""Trueness: does the respondent really know? Measure a truth, ask, score the answer, compare by tests that hold up.

    >>> import trueness, numpy as np
    >>> rng = np.random.default_rng(1)
    >>> asia = trueness.load("asia")
    >>> graph = trueness.learner("correlation").fit(asia.draw(2000, rng), rng)
    >>> trueness.score_graph(graph, asia.truth)["skeleton_recall"].value
    0.875

Names are imported when they are first used, so that `import trueness` is quick.
"""

import sys

if sys.argv[:1] == ["-m"] and sys.orig_argv[-len(sys.argv)].removeprefix("-m").split(".")[0] == __name__:
    if not sys.flags.safe_path:
        del sys.path[0]  # `python -m trueness` put the current folder there; see safe_path.py

import warnings
from importlib import import_module
from typing import TYPE_CHECKING

if TYPE_CHECKING:  # the same names for type checkers, which do not follow __getattr__
    from trueness.datasets import load as load
    from trueness.datasets.synthetic import Synthetic as Synthetic
    from trueness.datasets.table import Table as Table
    from trueness.errors import TruenessError as TruenessError
    from trueness.graphs import Graph as Graph
    from trueness.intervals import Interval as Interval
    from trueness.learners.base import Card as Card
    from trueness.learners.base import learner as learner
    from trueness.learners.contract import check_learner as check_learner
    from trueness.learners.stability import join_imputations as join_imputations
    from trueness.learners.stability import stability as stability
    from trueness.measures.graphs import score_graph as score_graph
    from trueness.running.results import Results as Results
    from trueness.running.study import Plan as Plan
    from trueness.running.study import Study as Study
    from trueness.status import Status as Status
    from trueness.studies import faithfulness as faithfulness
    from trueness.studies.learn.command import learn as learn
    from trueness.studies.reporting import figure as figure

__version__ = "0.1.0"

_PUBLIC = {
    "TruenessError": "trueness.errors:TruenessError",
    "Card": "trueness.learners.base:Card",
    "Graph": "trueness.graphs:Graph",
    "Interval": "trueness.intervals:Interval",
    "Plan": "trueness.running.study:Plan",
    "Results": "trueness.running.results:Results",
    "Status": "trueness.status:Status",
    "Study": "trueness.running.study:Study",
    "Synthetic": "trueness.datasets.synthetic:Synthetic",
    "Table": "trueness.datasets.table:Table",
    "figure": "trueness.studies.reporting:figure",
    "check_learner": "trueness.learners.contract:check_learner",
    "faithfulness": "trueness.studies.faithfulness:",
    "join_imputations": "trueness.learners.stability:join_imputations",
    "learn": "trueness.studies.learn.command:learn",
    "learner": "trueness.learners.base:learner",
    "load": "trueness.datasets:load",
    "score_graph": "trueness.measures.graphs:score_graph",
    "stability": "trueness.learners.stability:stability",
}

_RENAMED: dict[str, str] = {}  # old name -> public name; it works, with a warning, until the next minor version

__all__ = sorted(_PUBLIC)


def __getattr__(name: str) -> object:
    if name in _RENAMED:
        new = _RENAMED[name]
        warnings.warn(f"trueness.{name} is now trueness.{new}; the old name goes.", DeprecationWarning, stacklevel=2)
        return __getattr__(new)
    if name not in _PUBLIC:
        raise AttributeError(f"module 'trueness' has no attribute {name!r}")
    module, attribute = _PUBLIC[name].split(":")
    value = import_module(module)
    return getattr(value, attribute) if attribute else value


def __dir__() -> list[str]:
    return [*__all__, "__version__"]
