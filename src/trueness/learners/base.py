"""What a learner is: frozen settings, a card, and fit(data, rng) -> Graph. It never sees a truth.

A scorer is a learner with scores(data, rng) -> EdgeScores, a strength for every ordered pair, whose fit is the weighted
graph of its scores (learners/scoring/edge_scores.py). One that can fit many resamples of a table faster than one after
another also has fit_many (learners/batches.py). The first line of a fit checks the data against the card; the runner
checks the answer. Settings are checked by their annotations, however the learner is made.

Rows under interventions (Table.experiments), by the setting `experiments` that every learner has:

    observational   the default: only rows in which nothing was done are used, and it is an error where there are none
    pool            all rows, as if nothing had been done: edges into targets weaken, and experiments confound
    targets         of learners that know what to do with targets, and theirs alone (`interventions` on the card)
"""

from __future__ import annotations

from collections.abc import Collection, Iterator, Mapping, Set
from dataclasses import dataclass, field, fields, is_dataclass, replace
from typing import Annotated, ClassVar, Literal, Protocol, Self, runtime_checkable

import numpy as np
from numpy.random import Generator
from numpy.typing import NDArray

from trueness import registry
from trueness.datasets.table import Table, TableLike, check_usable
from trueness.errors import DataError, SettingError, TruenessError, listed
from trueness.graphs import Graph, Kind
from trueness.outside import Json
from trueness.settings import Between, Hint, check_name, checked_settings

Draws = NDArray[np.int64]  # (runs, m): the rows of a table that each run sees
Alpha = Annotated[float, Between(0, 1), Hint("Try 0.05.")]
AtLeast0 = Annotated[float, Between(0, closed=True)]
Rows = Literal["observational", "pool"]
COUNTS = ("chi2", "g2", "chisq", "gsq")  # tests of categories alone, for which ordered columns are categories
MISSING = ("own likelihood", "pairwise", "complete rows", "imputation: ")  # how gaps are handled; the last one is named


@dataclass(frozen=True, kw_only=True)
class Card:
    """What people, prompts and checks may know of a learner. The one source for `trueness list`, docs and prompts."""

    title: str
    summary: str
    assumes: tuple[str, ...]
    paper: str
    returns: Kind = "weighted"  # which is what scorers return
    data: Set[str] = frozenset({"continuous"})  # discrete, continuous; both: mixed tables too unless `mixed` is False
    package: str = "trueness"
    needs: str = ""  # the import name of the package that does the work, where that is not ours
    mixed: bool = True
    deterministic: bool = True  # the same data give the same graph whatever the generator
    recovers: Literal["direction", "adjacencies", "nothing"] = "direction"  # on an easy sample; what checks expect
    family: Literal["constraint-based", "score-based", "functional", ""] = ""  # its kind of method, for comparisons
    missing: str = ""  # of a scorer: one of MISSING, then in words what is done; others refuse gaps
    interventions: Literal["observational rows or pool", "targets"] = "observational rows or pool"
    symmetric: bool = False  # its scores say nothing of direction: matrix[i, j] == matrix[j, i]
    curved: bool = False  # relations that are no lines, by its method or by a setting
    limits: tuple[str, ...] = ()  # where it was measured to fail
    needs_series: bool = False  # rows must be in time order
    lead: str = ""  # of a method built here: over whom, where it was measured, and where it was not found

    def __post_init__(self) -> None:
        object.__setattr__(self, "data", frozenset(self.data))
        if self.returns == "weighted" and not self.missing.startswith(MISSING):
            raise SettingError(
                f"'missing' of {self.title} must start with one of {listed(MISSING)}. A learner that is no scorer must "
                "have 'returns' and 'data' on its card instead."
            )

    def takes(self, table: Table) -> bool:
        """Whether the table's columns are of the kinds that the learner is made for."""
        kinds = {"discrete", "continuous"} if table.kind == "mixed" else {table.kind}
        return kinds <= self.data and (self.mixed or table.kind != "mixed")


class HasCard(Protocol):
    card: ClassVar[Card]


@runtime_checkable
class Learner(HasCard, Protocol):
    """The contract; `trueness check NAME` tests it."""

    def fit(self, data: TableLike, rng: Generator | None = None) -> Graph: ...


@runtime_checkable
class Batched(Learner, Protocol):
    """A learner that needs no copied rows, and no random choices, to fit resamples of one table.

    The same graphs as fit on data.rows(draw), in order and one at a time; None, or an error at the start, where only
    fit can tell what is wrong.
    """

    def fit_many(self, data: Table, draws: Draws) -> Iterator[Graph | None]: ...


def checked(data: TableLike, learner: HasCard) -> Table:
    """The first line of every fit: the data as a Table that this learner can use; DataError where it cannot."""
    table = rows_used(Table.of(data), learner)
    check_usable(table, handles_gaps(learner))
    counts = getattr(learner, "test", "") in COUNTS or getattr(learner, "score", "") == "bdeu"
    return fitting(table.read_ordered("discrete") if counts else table, learner.card)


def rows_used(table: Table, learner: HasCard) -> Table:
    """The rows that the learner takes of a table with experiments, by its setting."""
    if table.experiments is None or learner.card.interventions == "targets":
        return table
    plain = replace(table, experiments=None)
    if getattr(learner, "experiments", "observational") == "pool":
        return plain
    rows = np.flatnonzero(table.experiments.observational)
    if not len(rows):
        raise DataError(
            f"{table.source} must have observational rows for {learner.card.title}, got {table.n:,} under "
            "interventions alone. Use gies, which knows targets, or set experiments = 'pool' to take them as they are."
        )
    return plain.rows(rows)


def handles_gaps(learner: HasCard) -> bool:
    """Whether a table may have missing values: by the card, and by the setting `missing` where there is one."""
    return bool(learner.card.missing) and getattr(learner, "missing", "refuse") != "refuse"


def fitting(table: Table, card: Card) -> Table:
    """The table with columns of the kinds on the card; numeric levels become numbers where numbers are needed.

    Ordered columns are read as numbers; as categories where the card takes the table so alone.
    """
    as_categories, table = table.read_ordered("discrete"), table.read_ordered()
    for reading in (table, as_categories):
        if card.takes(reading):
            return reading
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


@dataclass(frozen=True)
class Checked:
    """Settings that are what their annotations say, or a SettingError of one line."""

    experiments: Rows = field(default="observational", kw_only=True, metadata={"later": True})

    def __new__(cls, *values: object, **settings: object) -> Self:
        """Of a name that is no setting Python's own error would say nothing more."""
        for name in settings:
            check_name(cls, name, cls._owner())
        return super().__new__(cls)

    @classmethod
    def _owner(cls) -> str:
        card = getattr(cls, "card", None)
        return card.title if isinstance(card, Card) else cls.__name__

    def __post_init__(self) -> None:
        owner = self._owner()
        settings = {f.name: getattr(self, f.name) for f in fields(self) if f.init}  # type: ignore[arg-type]
        for name, value in checked_settings(type(self), settings, owner).items():
            object.__setattr__(self, name, value)


def build(name: str, settings: Mapping[str, object] | None = None, where: str = "") -> Learner:
    """The learner of that name with its settings checked: unknown ones get the nearest known one."""
    learner: Learner = build_as("learner", "fit", name, settings, where)
    if learner.card.needs and not registry.is_installed(learner.card.needs):
        raise registry.missing(learner.card.needs, f"learner {name!r}")
    return learner


def build_as(kind: str, method: str, name: str, settings: Mapping[str, object] | None, where: str) -> registry.Loaded:
    """The thing of that kind and name, which must have a card and that method."""
    made, place = registry.resolve(kind, name), f"  ({where})" if where else ""
    if isinstance(made, type):
        chosen = checked_settings(made, settings or {}, name, place)
        try:
            made = made(**chosen)
        except TruenessError as error:
            raise type(error)(f"{error}{place}") from None
    elif settings:
        raise SettingError(f"{kind} {name!r} takes no settings, got {listed(settings)}.{place}")
    if not hasattr(made, "card") or not hasattr(made, method):
        raise TruenessError(f"{kind} {name!r} must have a 'card' and '{method}(data, rng)'. See docs/adding.md.{place}")
    return made


def learner(name: str, **settings: object) -> Learner:
    """The learner of that name, e.g. learner("causal-learn/pc", alpha=0.01)."""
    return build(name, settings)


def settings_of(learner: object) -> dict[str, Json]:
    """All settings with their values, defaults included: what identifies a fit.

    One that came later (metadata of its field) is left out at its default: fits of before are what they were. A field
    with `after` in its metadata stands behind that one: prompts of before list settings in that order.
    """
    if not is_dataclass(learner):
        return {}
    order = [f.name for f in fields(learner) if f.init]
    for f in fields(learner):
        if f.init and (before := f.metadata.get("after")):
            order.remove(f.name)
            order.insert(order.index(before) + 1, f.name)
    known = {name: getattr(learner, name) for name in order}
    later = {f.name for f in fields(learner) if f.metadata.get("later") and known.get(f.name) == f.default}
    return {name: value for name, value in known.items() if name not in later}


def check_answer(answer: object, card: Card, columns: Collection[str]) -> str:
    """Why an answer cannot be scored, or ''. Nonsense has a status; it is not scored as if it were a graph."""
    if not isinstance(answer, Graph):
        return f"fit must return a Graph, got {type(answer).__name__}"
    if set(answer.nodes) != set(columns):
        return f"the graph's nodes must be the columns, got {listed(sorted(set(answer.nodes) ^ set(columns)))}"
    if answer.kind != card.returns:
        return f"the graph must be a {card.returns} as the card says, got a {answer.kind}"
    return ""
