"""Adapters to causal-learn and lingam, as a table: a card, the settings, and the call.

causal-learn writes i -> j as graph[j, i] == 1 and graph[i, j] == -1, which `Graph.from_causallearn` reads; lingam's
adjacency_matrix_[i, j] != 0 means j -> i ("column to row"). Read any other way their graphs are transposed.
Packages are imported in `fit`, so that cards can be listed where they are not installed.
"""

from __future__ import annotations

import contextlib
import io
import warnings
from collections.abc import Callable, Iterator, Mapping
from dataclasses import make_dataclass, replace
from typing import TYPE_CHECKING, Any, Literal

import numpy as np
from numpy.random import Generator
from numpy.typing import NDArray

from trueness.datasets.table import Table
from trueness.errors import DataError
from trueness.graphs import Graph
from trueness.learners.base import Alpha, Card, Checked, checked
from trueness.learners.fci import FCI
from trueness.learners.ges import GES
from trueness.learners.lingam import DirectLiNGAM
from trueness.learners.pc import PC
from trueness.settings import Whole

if TYPE_CHECKING:
    import lingam

TEST = {"alpha": (Alpha, 0.05), "test": (Literal["auto", "chisq", "gsq", "fisherz"], "auto")}
SCORE = {"score": (Literal["auto", "bic", "bdeu"], "auto")}
Rng = Generator | None  # None where the answer is not random


Call = Callable[[Any, Table, Rng], Graph]


def adapter(card: Card, package: str, call: Call, settings: Mapping[str, tuple[object, object]]) -> type:
    """A learner whose card is that of ours but for the package; settings are (type, default).

    Mixed columns, gaps and curves are ours to take: these packages would read codes as numbers.
    """
    known = replace(
        card, title=f"{card.title} ({package})", package=package, needs=package.replace("-", ""), mixed=False,
        missing="", curved=False,
    )  # fmt: skip

    def fit(self: Any, data: Table, rng: Generator | None = None) -> Graph:
        table = checked(data, self)
        with _kept_quiet():
            return call(self, table, rng)

    fields = [(name, kind, default) for name, (kind, default) in settings.items()]
    namespace = {"card": known, "fit": fit, "__module__": __name__, "__doc__": f"{package}'s {card.title}."}
    return make_dataclass(known.title.split()[0], fields, bases=(Checked,), namespace=namespace, frozen=True)


@contextlib.contextmanager
def _kept_quiet() -> Iterator[None]:
    """They print, and warn once for each regression."""
    with contextlib.redirect_stdout(io.StringIO()), warnings.catch_warnings():
        warnings.simplefilter("ignore")
        yield


def _test(self: Any, table: Table) -> tuple[NDArray[np.float64] | NDArray[np.int64], str]:
    """The rows as the test wants them, and its name."""
    test = ("chisq" if table.kind == "discrete" else "fisherz") if self.test == "auto" else self.test
    return table.values.astype(np.int64) if test in ("chisq", "gsq") else np.array(table.values), test


def _score(self: Any, table: Table) -> tuple[NDArray[np.float64], str]:
    score = ("bdeu" if table.kind == "discrete" else "bic") if self.score == "auto" else self.score
    return np.array(table.values), {"bic": "local_score_BIC_from_cov", "bdeu": "local_score_BDeu"}[score]


def _pc(self: Any, table: Table, rng: Rng) -> Graph:
    from causallearn.search.ConstraintBased.PC import pc

    values, test = _test(self, table)
    graph = pc(values, self.alpha, test, self.stable, show_progress=False)
    return Graph.from_causallearn(graph, kind="cpdag", nodes=table.names)


def _fci(self: Any, table: Table, rng: Rng) -> Graph:
    from causallearn.search.ConstraintBased.FCI import fci

    graph, _ = fci(*_test(self, table), self.alpha, show_progress=False)
    return Graph.from_causallearn(graph, kind="pag", nodes=table.names)


def _ges(self: Any, table: Table, rng: Rng) -> Graph:
    from causallearn.search.ScoreBased.GES import ges

    return Graph.from_causallearn(ges(*_score(self, table))["G"], kind="cpdag", nodes=table.names)


def _direct(self: Any, table: Table, rng: Rng) -> Graph:
    from lingam import DirectLiNGAM

    return _of_lingam(DirectLiNGAM(), table)


def _ica(self: Any, table: Table, rng: Rng) -> Graph:
    from lingam import ICALiNGAM

    if rng is None:
        raise DataError("this learner is random and needs a generator: fit(data, numpy.random.default_rng(seed)).")
    return _of_lingam(ICALiNGAM(random_state=int(rng.integers(2**31)), max_iter=self.max_iter), table)


def _of_lingam(model: lingam.DirectLiNGAM | lingam.ICALiNGAM, table: Table) -> Graph:
    model.fit(np.array(table.values))
    return Graph.from_matrix(model.adjacency_matrix_, table.names, direction="column to row")


_BOOK, _CL = "Spirtes, Glymour & Scheines 2000", "causal-learn"
LEARNERS = {
    "causal-learn/pc": adapter(replace(PC.card, paper=_BOOK), _CL, _pc, TEST | {"stable": (bool, True)}),  # sets united
    "causal-learn/fci": adapter(replace(FCI.card, paper=_BOOK), _CL, _fci, TEST),
    "causal-learn/ges": adapter(GES.card, _CL, _ges, SCORE),
    "lingam/direct": adapter(
        replace(
            DirectLiNGAM.card, paper="Shimizu et al. 2011",
            summary="Finds a causal order by independence of regression residuals, then prunes with the adaptive "
            "lasso.",
        ), "lingam", _direct, {},
    ),
    "lingam/ica": adapter(
        replace(
            DirectLiNGAM.card, title="ICA-LiNGAM", paper="Shimizu et al. 2006", deterministic=False,
            summary="Independent component analysis, its rows permuted to a causal order, then pruned.",
        ), "lingam", _ica, {"max_iter": (Whole, 1000)},
    ),
}  # fmt: skip
