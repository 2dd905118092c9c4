"""Trueness: does the respondent really know? Measure a truth, ask, score the answer, compare by tests that hold up.

    >>> import trueness, numpy as np
    >>> rng = np.random.default_rng(1)
    >>> asia = trueness.load("asia")
    >>> graph = trueness.learner("correlation").fit(asia.draw(2000, rng), rng=rng)
    >>> trueness.score_graph(graph, asia.truth)["skeleton_recall"].value
    0.875

Names are imported when they are first used, so that `import trueness` is quick.
"""

import sys

if sys.argv[:1] == ["-m"] and sys.orig_argv[-len(sys.argv)].removeprefix("-m").split(".")[0] == __name__:
    if not sys.flags.safe_path:
        del sys.path[0]  # `python -m trueness` put the current folder there; see safe_path.py

from importlib import import_module
from typing import TYPE_CHECKING

if TYPE_CHECKING:  # the same names for type checkers, which do not follow __getattr__
    from trueness import extend, statistics
    from trueness.analyse import analyse_data as analyse
    from trueness.analyse.comparing import compare
    from trueness.analyse.judge_verdicts import judge_file as judge
    from trueness.datasets import load
    from trueness.datasets.dataset import Dataset
    from trueness.datasets.table import Table
    from trueness.errors import TruenessError
    from trueness.graphs import Graph
    from trueness.learners.base import Card, learner
    from trueness.learners.stability import join_imputations, stability
    from trueness.measures.graphs import score_graph
    from trueness.models import build as model
    from trueness.reading import read_forecast as read_reply
    from trueness.running.results import Results
    from trueness.running.study import Plan, Study
    from trueness.statistics.comparison import Comparison
    from trueness.studies import faithfulness
    from trueness.studies.learn.command import learn
    from trueness.studies.learn.findings import Learned
    from trueness.studies.reporting import figure

__version__ = "0.1.0"

_PUBLIC = {
    "Card": "trueness.learners.base:Card",
    "Comparison": "trueness.statistics.comparison:Comparison",
    "Dataset": "trueness.datasets.dataset:Dataset",
    "Graph": "trueness.graphs:Graph",
    "Learned": "trueness.studies.learn.findings:Learned",
    "Plan": "trueness.running.study:Plan",
    "Results": "trueness.running.results:Results",
    "Study": "trueness.running.study:Study",
    "Table": "trueness.datasets.table:Table",
    "TruenessError": "trueness.errors:TruenessError",
    "analyse": "trueness.analyse:",
    "compare": "trueness.analyse.comparing:compare",
    "extend": "trueness.extend:",
    "faithfulness": "trueness.studies.faithfulness:",
    "figure": "trueness.studies.reporting:figure",
    "join_imputations": "trueness.learners.stability:join_imputations",
    "judge": "trueness.analyse.judge_verdicts:judge_file",
    "learn": "trueness.studies.learn.command:learn",
    "learner": "trueness.learners.base:learner",
    "load": "trueness.datasets:load",
    "model": "trueness.models:build",
    "read_reply": "trueness.reading:read_forecast",
    "score_graph": "trueness.measures.graphs:score_graph",
    "stability": "trueness.learners.stability:stability",
    "statistics": "trueness.statistics:",
}

__all__ = ["Card", "Comparison", "Dataset", "Graph", "Learned", "Plan", "Results", "Study", "Table", "TruenessError",
           "analyse", "compare", "extend", "faithfulness", "figure", "join_imputations", "judge", "learn",
           "learner", "load", "model", "read_reply", "score_graph", "stability", "statistics"]  # fmt: skip


def __getattr__(name: str) -> object:
    if name not in _PUBLIC:
        raise AttributeError(f"module 'trueness' has no attribute {name!r}")
    module, attribute = _PUBLIC[name].split(":")
    value = import_module(module)
    return getattr(value, attribute) if attribute else value


def __dir__() -> list[str]:
    return [*__all__, "__version__"]
