"""Dataset: a name, the true graph, what is known about it, and fresh rows.

`about` is the only source of what a prompt or a report may show. Its `truth` says how far to believe the graph:
known (we simulate from it), consensus (the field agrees on it), assumed (an expert's guess, never a measurement), none
(no graph is known: `truth` then raises a DataError of one line, and only what needs one asks for it).
"""

from __future__ import annotations

import tomllib
from collections.abc import Iterable
from dataclasses import dataclass, field, fields, replace
from functools import cache
from importlib import resources
from typing import Any, Literal, Protocol

import numpy as np
from numpy.random import Generator

from trueness.datasets.table import Table
from trueness.errors import SettingError
from trueness.graphs import Graph
from trueness.outside import Json
from trueness.settings import checked_settings

Truth = Literal["known", "consensus", "assumed", "none"]


@dataclass(frozen=True)
class About:
    """The card of a data set."""

    title: str
    domain: str
    summary: str
    truth: Truth
    truth_note: str
    rows: int
    source: str
    licence: str
    reference: str = ""
    variables: dict[str, str] = field(default_factory=dict)  # name -> meaning
    data: str = ""  # discrete, continuous or mixed
    properties: tuple[str, ...] = ()  # what is known of the mechanism: linear, gaussian noise, ...
    notes: tuple[str, ...] = ()  # what was done to the table when it was read: columns left out, and why


class Dataset(Protocol):
    """What the runner needs of a data set. `table` holds the real rows, or None where rows are simulated."""

    @property
    def name(self) -> str: ...

    @property
    def truth(self) -> Graph: ...

    @property
    def about(self) -> About: ...

    @property
    def table(self) -> Table | None: ...

    def draw(self, n: int | None = None, rng: Generator | None = None) -> Table:
        """n rows: fresh ones from the model, or, of a real table, rows drawn with replacement."""
        ...

    def anonymous(self) -> Dataset:
        """The same data with names, levels and story taken away: the control for contamination."""
        ...


class Source:
    """What all data sets of this package share; rows that were measured lie in `table`."""

    table: Table | None = None

    def anonymous(self) -> Anonymous:
        return Anonymous(self)  # type: ignore[arg-type]


class Simulated(Source):
    """A system that can be run again."""

    name: str
    about: About

    def draw(self, n: int | None = None, rng: Generator | None = None) -> Table:
        n = self.about.rows if n is None else n
        if n < 1:
            raise SettingError(f"'n' of {self.name} must be at least 1, got {n}.")
        return self.simulate(n, np.random.default_rng(rng))

    def simulate(self, n: int, rng: Generator) -> Table:
        raise NotImplementedError


def has_truth(dataset: Dataset) -> bool:
    return dataset.about.truth != "none"


def nodes_of(dataset: Dataset) -> tuple[str, ...]:
    """The variables, whether or not a graph of them is known."""
    if not has_truth(dataset) and dataset.table is not None:
        return dataset.table.names
    return dataset.truth.nodes


def targets_of(dataset: Dataset) -> tuple[tuple[str, ...], ...]:
    """The targets of each of its experiments, () for observational rows; nothing where it has no experiments."""
    experiments = dataset.table and dataset.table.experiments
    return experiments.family if experiments else ()


@dataclass(frozen=True, eq=False)
class Anonymous:
    """A data set without its names: X1, X2, ... and L1, L2, ..."""

    inner: Dataset

    @property
    def name(self) -> str:
        return f"{self.inner.name}-anonymous"

    @property
    def _names(self) -> dict[str, str]:
        return {name: f"X{j + 1}" for j, name in enumerate(nodes_of(self.inner))}

    @property
    def truth(self) -> Graph:
        return self.inner.truth.rename(self._names)

    @property
    def about(self) -> About:
        about = self.inner.about
        return replace(
            about,
            title="A data set without names",
            domain="not told",
            summary=f"{len(self._names)} variables whose names and origin are not told.",
            truth_note="",
            source="not told",
            licence="not told",
            reference="",
            variables={hidden: "not told" for hidden in self._names.values()},
            notes=(),
        )

    @property
    def table(self) -> Table | None:
        return None if self.inner.table is None else self._hide(self.inner.table)

    def _hide(self, table: Table) -> Table:
        names = self._names
        return replace(  # a series stays a series
            table,
            names=tuple(names[name] for name in table.names),
            levels=tuple(of and type(of)(f"L{code + 1}" for code in range(len(of))) for of in table.levels),
            experiments=table.experiments and table.experiments.rename(names),
            source="an anonymous data set",
        )

    def draw(self, n: int | None = None, rng: Generator | None = None) -> Table:
        return self._hide(self.inner.draw(n, rng))

    def anonymous(self) -> Anonymous:
        return self


@cache
def read_card(name: str) -> dict[str, Json]:
    """The card of a data set kept in the package, as a dict."""
    file = resources.files("trueness.datasets") / "data" / f"{name}.toml"
    return tomllib.loads(file.read_text(encoding="utf-8"))


def has_card(name: str) -> bool:
    return (resources.files("trueness.datasets") / "data" / f"{name}.toml").is_file()


def about_of_card(
    card: dict[str, Json], data: str, properties: tuple[str, ...] = (), nodes: Iterable[str] = ()
) -> About:
    """nodes: the variables, of which the card of a large network says no meaning."""
    rest = {key: value for key, value in card.items() if key not in ("edges", "discrete", "listed")}
    names = {"notes": tuple(card.get("notes", ())), "variables": card.get("variables") or dict.fromkeys(nodes, "")}
    return About(**rest | names, data=data, properties=properties)


def users_own(title: str, names: Iterable[str], rows: int, summary: str, **more: Any) -> About:
    """The card of a file that a user brings: nothing is told of it."""
    known = {"domain": "not told", "source": title, "licence": "the user's own"}
    return About(title=title, rows=rows, summary=summary, variables=dict.fromkeys(names, ""), **known | more)


def simulated(
    title: str, summary: str, truth_note: str, rows: int, columns: Iterable[str], properties: tuple[str, ...]
) -> About:
    """The card of a system that is simulated from its graph."""
    return About(
        title=title, domain="simulation", summary=summary, truth="known", truth_note=truth_note, rows=rows,
        source="simulated by trueness", licence="none needed", variables=dict.fromkeys(columns, "simulated variable"),
        data="continuous", properties=properties,
    )  # fmt: skip


def check_settings(system: Any, name: str) -> None:
    """Each setting of a simulated system must be what its annotation says."""
    given = {field.name: getattr(system, field.name) for field in fields(system)}
    for key, value in checked_settings(type(system), given, name).items():
        object.__setattr__(system, key, value)
    low, high = (*system.weights, 0.0, 0.0)[:2]
    if len(system.weights) != 2 or not 0 < low <= high:
        raise SettingError(f"'weights' of {name} must be [low, high] with 0 < low <= high, got {system.weights}.")
    most = (system.nodes - 1) / 2
    if system.edges_per_node > most:
        got = f"got {system.edges_per_node}"
        raise SettingError(f"'edges_per_node' of {name} must be in [0, {most:g}] for {system.nodes} nodes, {got}.")
