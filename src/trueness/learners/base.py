"""What a learner is: frozen parameters, a card, and fit(data, rng) -> Graph.

A learner never sees a truth. Its first line checks the data against its card; its answer is checked by the runner.
One that can fit many resamples of a table faster than one after another also has fit_many (learners/batches.py).
"""

from __future__ import annotations

from collections.abc import Collection, Iterator, Mapping, Set
from dataclasses import dataclass, fields, is_dataclass
from typing import Any, ClassVar, Literal, Protocol, runtime_checkable

import numpy as np
from numpy.random import Generator
from numpy.typing import NDArray

from trueness import registry
from trueness.datasets.table import Table, check_usable
from trueness.errors import DataError, SettingError, TruenessError, listed
from trueness.graphs import Graph, Kind
from trueness.settings import checked_settings

Draws = NDArray[np.int64]  # (runs, m): the rows of a table that each run sees


@dataclass(frozen=True)
class Card:
    """What people, prompts and checks may know of a learner. The one source for `trueness list`, docs and prompts."""

    title: str
    summary: str
    returns: Kind
    data: Set[str]  # of discrete, continuous; both also means mixed tables unless `mixed` is False
    assumes: tuple[str, ...]
    paper: str
    package: str = "trueness"
    needs: str = ""  # the import name of the package that does the work, where that is not ours
    mixed: bool = True
    deterministic: bool = True  # the same data give the same graph whatever the generator
    recovers: Literal["direction", "adjacencies", "nothing"] = "direction"  # on an easy sample; what checks expect
    family: Literal["constraint-based", "score-based", "functional", ""] = ""  # its kind of method, for comparisons

    def __post_init__(self) -> None:
        object.__setattr__(self, "data", frozenset(self.data))

    def takes(self, table: Table) -> bool:
        """Whether the table's columns are of the kinds that the learner is made for."""
        kinds = {"discrete", "continuous"} if table.kind == "mixed" else {table.kind}
        return kinds <= self.data and (self.mixed or table.kind != "mixed")


@runtime_checkable
class Learner(Protocol):
    """The contract; `trueness check NAME` tests it."""

    card: ClassVar[Card]

    def fit(self, data: Table, rng: Generator) -> Graph: ...


@runtime_checkable
class Batched(Protocol):
    """A learner that needs no copied rows, and no random choices, to fit resamples of one table.

    The same graphs as fit on data.rows(draw), in order and one at a time; None, or an error at the start, where only
    fit can tell what is wrong.
    """

    card: ClassVar[Card]

    def fit(self, data: Table, rng: Generator) -> Graph: ...

    def fit_many(self, data: Table, draws: Draws) -> Iterator[Graph | None]: ...


def checked(data: Any, learner: Any) -> Table:
    """The first line of every fit: the data as a Table that this learner can use; DataError where it cannot."""
    table = Table.of(data)
    check_usable(table)
    return fitting(table, learner.card)


def fitting(table: Table, card: Card) -> Table:
    """The table with columns of the kinds on the card; numeric levels become numbers where numbers are needed."""
    if card.takes(table):
        return table
    words = table.text_columns()
    if "discrete" not in card.data and not words:
        return table.as_numbers()
    wrong = {"discrete": "discrete", "continuous": "numbers"}.get(min(card.data)) if len(card.data) == 1 else "one kind"
    if wrong == "numbers":
        levels = table.levels[table.names.index(words[0])] or ()
        got = f"text in column {words[0]!r} ({listed(levels, 3)})"
    else:
        name = table.names[int((~table.discrete).argmax())]
        got = f"a continuous column {name!r}" + (" beside discrete ones" if wrong == "one kind" else "")
    raise DataError(
        f"{table.source} must hold {wrong} for {card.title}, got {got}. Drop such columns, choose another learner, or "
        f"set codes = true in the plan (Table.as_numbers()) to use level codes, which is labelled in every report."
    )


def build(name: str, settings: Mapping[str, Any] | None = None, where: str = "") -> Learner:
    """The learner of that name with its settings checked: unknown ones get the nearest known one."""
    made = registry.resolve("learner", name)
    settings = dict(settings or {})
    place = f"  ({where})" if where else ""
    if not isinstance(made, type):
        if settings:
            raise SettingError(f"learner {name!r} takes no settings, got {listed(settings)}.{place}")
        return made  # type: ignore[no-any-return]
    settings = checked_settings(made, settings, name, place)
    card = getattr(made, "card", None)
    if card is not None and card.needs and not registry.is_installed(card.needs):
        raise registry.missing(card.needs, f"learner {name!r}")
    try:
        learner = made(**settings)
    except TruenessError as error:
        raise type(error)(f"{error}{place}") from None
    if not hasattr(learner, "card") or not hasattr(learner, "fit"):
        raise TruenessError(f"learner {name!r} must have a 'card' and 'fit(data, rng)'. See CONTRIBUTING.md.")
    return learner  # type: ignore[no-any-return]


def learner(name: str, **settings: Any) -> Learner:
    """The learner of that name, e.g. learner("causal-learn/pc", alpha=0.01)."""
    return build(name, settings)


def settings_of(learner: Any) -> dict[str, Any]:
    """All settings with their values, defaults included: what identifies a fit."""
    if not is_dataclass(learner):
        return {}
    return {f.name: getattr(learner, f.name) for f in fields(learner) if f.init}


def check_answer(answer: Any, card: Card, columns: Collection[str]) -> str:
    """Why an answer cannot be scored, or ''. Nonsense has a status; it is not scored as if it were a graph."""
    if not isinstance(answer, Graph):
        return f"fit must return a Graph, got {type(answer).__name__}"
    if set(answer.nodes) != set(columns):
        return f"the graph's nodes must be the columns, got {listed(sorted(set(answer.nodes) ^ set(columns)))}"
    if answer.kind != card.returns:
        return f"the graph must be a {card.returns} as the card says, got a {answer.kind}"
    return ""


def check_alpha(alpha: float, owner: str) -> None:
    if not 0 < alpha < 1:
        raise SettingError(f"'alpha' of {owner} must be in (0, 1), got {alpha:g}. Try 0.05.")
