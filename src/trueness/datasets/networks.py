"""Bayesian networks, of levels or of numbers, and forward sampling from them.

levels    for each variable in causal order: row = code of its parents' values, x = number of cumulative probabilities
          P(X <= k | parents) that lie below a uniform draw. A table of BIF (graphs/bif.py) becomes an array
          (levels of parent 1, ..., levels of parent k, levels of the child) whose rows sum to 1
numbers   x_j = a_j + sum_i b_ij x_i + e_j,  e_j ~ N(0, v_j), as they were fitted to measurements:
          {"nodes": ["a", ...], "cpds": {"b": {"coefficients": {"(Intercept)": [a_b], "a": [b_ab]}, "variance": [v_b],
                                               "parents": ["a"]}}}
"""

from __future__ import annotations

import gzip
import json
import re
from dataclasses import dataclass, field
from functools import cache, cached_property
from importlib import resources
from pathlib import Path

import numpy as np
from numpy.random import Generator
from numpy.typing import NDArray

from trueness.datasets.dataset import About, Simulated, about_of_card, read_card, users_own
from trueness.datasets.table import Table
from trueness.errors import DataError, listed
from trueness.graphs import Graph
from trueness.graphs.bif import Structure, bif_name, bif_structure
from trueness.graphs.links import MAX_CHARACTERS
from trueness.outside import is_there, text_of

Array = NDArray[np.float64]
LevelsByName = dict[str, tuple[str, ...]]
PROPERTIES = ("causally sufficient", "acyclic")
_TYPE = re.compile(r"discrete\s*\[\s*(\d{1,9})\s*\]\s*\{([^{}]*)\}")
MOST_CELLS = 5_000_000  # of one table; a larger one is a mistake or an attack
MOST_IN_ALL = 40_000_000  # cells of all tables together, 320 MB; munin, the largest in use, has 100,000
MOST_PARENTS = 60  # an array of numpy has at most 64 axes


@dataclass(frozen=True, eq=False)
class BifVariable:
    name: str
    levels: tuple[str, ...]
    parents: tuple[str, ...]
    table: Array


@dataclass(frozen=True, eq=False)
class Network(Simulated):
    """A Bayesian network: its graph is known, its rows are simulated.

    Tables of probabilities are read when rows are drawn: those of the large networks take a second, their graph .1 s.
    """

    name: str
    bif: str = field(repr=False)
    about: About

    @cached_property
    def structure(self) -> Structure:
        return bif_structure(self.bif, f"{self.name}.bif")

    @cached_property
    def variables(self) -> tuple[BifVariable, ...]:
        return _variables(self.structure, f"{self.name}.bif")

    @cached_property
    def truth(self) -> Graph:
        return Graph.of(self.structure.graph())

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

    def simulate(self, n: int, rng: Generator) -> Table:
        uniform = rng.random((len(self.variables), n))
        codes = np.zeros((len(self.variables), n), dtype=np.intp)
        for column, parents, cumulative in self._steps:
            row = sum((codes[parent] * stride for parent, stride in parents), start=np.zeros(n, dtype=np.intp))
            for at_most in cumulative:
                codes[column] += uniform[column] > at_most[row]
        names = tuple(v.name for v in self.variables)
        return Table(names, codes.T.astype(np.float64), tuple(v.levels for v in self.variables), self.name)


@dataclass(frozen=True, eq=False)
class GaussianNetwork(Simulated):
    """weights[i, j]: the coefficient of i in the equation of j."""

    name: str
    nodes: tuple[str, ...]
    weights: Array
    intercepts: Array
    variances: Array
    about: About

    @cached_property
    def truth(self) -> Graph:
        return Graph.from_matrix(self.weights != 0, self.nodes, direction="row to column")

    def simulate(self, n: int, rng: Generator) -> Table:
        values = self.intercepts + np.sqrt(self.variances) * rng.standard_normal((n, len(self.nodes)))
        for j in map(self.nodes.index, self.truth.topological_order()):
            values[:, j] += values @ self.weights[:, j]
        return Table(self.nodes, values, (None,) * len(self.nodes), self.name)


def _unpacked(file: str) -> str:
    return gzip.decompress((resources.files("trueness.datasets") / "data" / file).read_bytes()).decode("utf-8")


@cache
def builtin(name: str) -> Network:
    """A network of levels kept in the package."""
    card, text = read_card(name), _unpacked(f"{name}.bif.gz")
    nodes = () if "variables" in card else bif_structure(text, f"{name}.bif").variables
    return Network(name, text, about_of_card(card, "discrete", PROPERTIES, nodes))


@cache
def builtin_gaussian(name: str) -> GaussianNetwork:
    """A network of numbers kept in the package."""
    stored = json.loads(_unpacked(f"{name}.gaussian.json.gz"))
    nodes, equations = tuple(stored["nodes"]), stored["cpds"]
    weights = np.array(
        [[equations[j]["coefficients"][i][0] if i in equations[j]["parents"] else 0.0 for j in nodes] for i in nodes]
    )
    intercepts = np.array([equations[node]["coefficients"]["(Intercept)"][0] for node in nodes], dtype=float)
    variances = np.array([equations[node]["variance"][0] for node in nodes], dtype=float)
    about = about_of_card(read_card(name), "continuous", ("linear", "gaussian noise", *PROPERTIES), nodes)
    return GaussianNetwork(name, nodes, weights, intercepts, variances, about)


def network_of_file(path: Path | str, rows: int = 5000) -> Network:
    """A user's own BIF file."""
    path = Path(path)
    if not is_there(path):
        raise DataError(f"{path} is not there. Give the path of a .bif file.")
    text = text_of(path, MAX_CHARACTERS)
    variables = parse_bif(text, path.name)
    about = users_own(
        path.name, [v.name for v in variables], rows, f"A Bayesian network of {len(variables)} discrete variables.",
        truth="known", truth_note="rows are simulated from the network itself", data="discrete", properties=PROPERTIES,
    )  # fmt: skip
    network = Network(path.name.removesuffix(".gz").removesuffix(".bif"), text, about)
    network.truth.topological_order()
    return network


# ---- tables of probabilities


def parse_bif(text: str, source: str = "the BIF text") -> tuple[BifVariable, ...]:
    """Variables with their tables, in the order of the file."""
    return _variables(bif_structure(text, source), source)


def _variables(structure: Structure, source: str) -> tuple[BifVariable, ...]:
    levels = {name: _levels(body, name, source) for name, body in structure.variables.items()}
    shapes = {name: _shape(name, structure.families[name][0], levels, source) for name in levels}
    cells = sum(float(np.prod(shape, dtype=float)) for shape in shapes.values())
    if cells > MOST_IN_ALL:
        raise DataError(f"the tables of {source} must have at most {MOST_IN_ALL:,} cells in all, got {cells:,.0f}.")
    return tuple(
        BifVariable(name, levels[name], parents, _table(name, levels, parents, body, shapes[name], source))
        for name, (parents, body) in ((name, structure.families[name]) for name in levels)
    )


def _shape(child: str, parents: tuple[str, ...], levels: LevelsByName, source: str) -> tuple[int, ...]:
    """Levels of each parent, then of the child."""
    if len(parents) > MOST_PARENTS:
        raise DataError(
            f"{child!r:.60} of {source} must have at most {MOST_PARENTS} parents, got {len(parents):,}. Remove some."
        )
    shape = (*(len(levels[parent]) for parent in parents), len(levels[child]))
    if np.prod(shape, dtype=float) > MOST_CELLS:
        raise DataError(
            f"the table of {child!r:.60} in {source} must have at most {MOST_CELLS:,} cells, got {listed(shape, 8)}."
        )
    return shape


def _levels(body: str, name: str, source: str) -> tuple[str, ...]:
    match = _TYPE.search(body)
    if not match:
        raise DataError(f"variable {name!r} of {source} must be 'type discrete [k] {{ ... }}'.")
    levels = tuple(bif_name(level) for level in match.group(2).split(","))
    if len(levels) != int(match.group(1)) or len(set(levels)) != len(levels):
        raise DataError(
            f"variable {name!r} of {source} must have {match.group(1)} different levels, got {listed(levels)}."
        )
    return levels


def _table(
    child: str, levels: LevelsByName, parents: tuple[str, ...], body: str, shape: tuple[int, ...], source: str
) -> Array:
    what = f"the table of {child!r:.60} in {source}"
    table = np.full(shape, np.nan)
    entries = [part.strip() for part in body.split(";") if part.strip()]
    if any(sum(entry.startswith(word) for entry in entries) > 1 for word in ("table", "default")):
        raise DataError(f"{what} must be given once, got two 'table' or 'default'.")
    codes = [{level: code for code, level in enumerate(levels[parent])} for parent in parents]
    for entry in entries:
        if entry.startswith("table"):
            # the rightmost variable of the header varies fastest, so the child comes first
            flat = _numbers(entry[5:], what, table.size)
            table[...] = np.moveaxis(flat.reshape([shape[-1], *shape[:-1]]), 0, -1)
        elif entry.startswith("default"):
            table[np.isnan(table).all(axis=-1)] = _numbers(entry[7:], what, shape[-1])
        elif entry.startswith("("):
            states, _, numbers = entry[1:].partition(")")
            names = [bif_name(state) for state in states.split(",")]
            if len(names) != len(parents) or any(n not in c for n, c in zip(names, codes, strict=False)):
                raise DataError(
                    f"({states:.60}) of {child!r:.60} in {source} must name a level of each of {listed(parents)}."
                )
            where = tuple(code[name] for name, code in zip(names, codes, strict=True))
            table[where] = _numbers(numbers, what, shape[-1])
    if np.isnan(table).any():
        raise DataError(f"{what} must give a row for every combination of its parents.")
    total = table.sum(axis=-1, keepdims=True)
    if (table < 0).any() or (np.abs(total - 1) > 1e-3).any():
        raise DataError(f"rows of {what} must be probabilities that sum to 1.")
    return np.asarray(table / total)  # files round: rows sum to 1 within 1e-7


def _numbers(text: str, what: str, count: int) -> Array:
    try:
        numbers = np.array([float(part) for part in text.replace(",", " ").split()])
    except ValueError as error:
        raise DataError(f"{what} must hold numbers: {error}.") from None
    if len(numbers) != count:
        raise DataError(f"{what} must have {count} numbers here, got {len(numbers)}.")
    return numbers
