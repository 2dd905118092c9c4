"""Bayesian networks of discrete variables, and forward sampling from them.

For each variable in causal order: row = code of its parents' values, x = number of cumulative
probabilities P(X <= k | parents) that lie below a uniform draw. All rows of a variable are drawn at once.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass, field, replace
from functools import cache, cached_property
from importlib import resources
from pathlib import Path

import numpy as np
from numpy.random import Generator
from numpy.typing import NDArray

from trueness.datasets.bif import BifVariable, parse_bif, structure_of_bif
from trueness.datasets.dataset import About, Anonymous, about_of_card, need_rng, read_card
from trueness.datasets.interventional import Intervention
from trueness.datasets.table import Table
from trueness.errors import DataError, SettingError
from trueness.graphs import Graph
from trueness.graphs.links import MAX_CHARACTERS, Link, assemble
from trueness.outside import is_there, text_of

Array = NDArray[np.float64]
PROPERTIES = ("causally sufficient", "acyclic")


@dataclass(frozen=True, eq=False)
class Network:
    """A Bayesian network: its graph is known, its rows are simulated.

    Tables of probabilities are read when rows are drawn: those of the large networks take a second, their graph .1 s.
    """

    name: str
    bif: str = field(repr=False)
    about: About
    table: None = None

    @cached_property
    def variables(self) -> tuple[BifVariable, ...]:
        return parse_bif(self.bif, f"{self.name}.bif")

    @cached_property
    def truth(self) -> Graph:
        levels, blocks = structure_of_bif(self.bif, f"{self.name}.bif")
        links = [Link(parent, name) for name in levels for parent in blocks[name][0]]
        return Graph.of(assemble(links, tuple(levels), "dag"))

    @cached_property
    def _steps(self) -> list[tuple[int, list[tuple[int, int]], list[Array]]]:
        """In causal order: column, (parent column, stride) pairs, and P(X <= k | row) for each k but the last."""
        position = {v.name: j for j, v in enumerate(self.variables)}
        steps: list[tuple[int, list[tuple[int, int]], list[Array]]] = []
        for name in self.truth.topological_order():
            variable = self.variables[position[name]]
            shape = variable.table.shape
            strides = [int(np.prod(shape[k + 1 : -1], dtype=int)) for k in range(len(shape) - 1)]
            cumulative = np.cumsum(variable.table.reshape(-1, shape[-1]), axis=1)
            parents = [(position[p], s) for p, s in zip(variable.parents, strides, strict=True)]
            steps.append((position[name], parents, [np.array(column) for column in cumulative.T[:-1]]))
        return steps

    def draw(self, n: int | None = None, rng: Generator | None = None) -> Table:
        return self.draw_under((), self.about.rows if n is None else n, need_rng(rng, self.name))

    def draw_under(self, interventions: Sequence[Intervention], n: int, rng: Generator) -> Table:
        """n rows, some of them under interventions (interventional.py)."""
        if n < 1:
            raise SettingError(f"'n' of {self.name} must be at least 1, got {n}.")
        uniform = rng.random((len(self.variables), n))
        codes = np.zeros((len(self.variables), n), dtype=np.intp)
        for column, parents, cumulative in self._steps:
            row = sum((codes[parent] * stride for parent, stride in parents), start=np.zeros(n, dtype=np.intp))
            for at_most in cumulative:
                codes[column] += uniform[column] > at_most[row]
            for step in interventions:
                if column in step.nodes:
                    _intervene(codes[column, step.start : step.stop], step, len(cumulative) + 1, rng)
        names = tuple(v.name for v in self.variables)
        return Table(names, codes.T.astype(np.float64), tuple(v.levels for v in self.variables), self.name)

    def anonymous(self) -> Anonymous:
        return Anonymous(self)


def _intervene(codes: NDArray[np.intp], step: Intervention, levels: int, rng: Generator) -> None:
    """Overwrite the codes of one variable in the rows of an intervention."""
    share = 1.0 if step.how == "do" else 0.5 if step.strength is None else step.strength
    moved = rng.random(len(codes)) < share
    anew = np.minimum(codes + 1, levels - 1) if step.how == "shift" else rng.integers(levels, size=len(codes))
    codes[moved] = anew[moved]


@cache
def builtin(name: str) -> Network:
    """A network kept in the package."""
    import gzip

    file = resources.files("trueness.datasets") / "data" / f"{name}.bif.gz"
    text = gzip.decompress(file.read_bytes()).decode("utf-8")
    card = read_card(name)
    network = Network(name, text, about_of_card(card, "discrete", PROPERTIES))
    return network if "variables" in card else replace(network, about=network.about.naming(network.truth.nodes))


def network_of_file(path: Path | str, rows: int = 5000) -> Network:
    """A user's own BIF file."""
    path = Path(path)
    if not is_there(path):
        raise DataError(f"{path} is not there. Give the path of a .bif file.")
    text = text_of(path, MAX_CHARACTERS)
    variables = parse_bif(text, path.name)
    about = About(
        title=path.name,
        domain="not told",
        summary=f"A Bayesian network of {len(variables)} discrete variables.",
        truth="known",
        truth_note="rows are simulated from the network itself",
        rows=rows,
        source=path.name,
        licence="the user's own",
        variables={v.name: "" for v in variables},
        data="discrete",
        properties=PROPERTIES,
    )
    network = Network(path.name.removesuffix(".gz").removesuffix(".bif"), text, about)
    network.truth.topological_order()
    return network
