"""Cells and units of work, and their keys.

A cell is one respondent on one item; a unit is one repeat of it. A unit's key is a hash of everything that decides
its result, and its random streams come from the key: the result does not depend on order, workers or machines.

One study of a plan as the driver sees it: what every study must say, and what it may.

    must   name, level, measures, headline, cells(), describe(item, respondent)
    fits   function = "module:perform" (what a worker calls with a unit), time_limit
    asks   models (name -> options), limit_usd, perform(cell, repeat, ask) -> outcome
    may    about(), notes, references, datasets, and for `plan`: units(), cautions(), reach(), calibration(), alike()

A study is a class with from_plan(table, context), built in or not; this is the one place that asks what it has.
"""

from __future__ import annotations

import hashlib
import json
from collections.abc import Callable, Iterable, Mapping, Sequence
from dataclasses import dataclass, field, fields
from functools import cached_property
from pathlib import Path
from typing import Any, Protocol, TypeVar

from numpy.random import Generator, SeedSequence, default_rng

from trueness.errors import PlanError
from trueness.measure import Measure
from trueness.models import Message, Reply, Settings
from trueness.models.base import FixedOptions, stated_price
from trueness.outside import Json
from trueness.running.outcomes import Outcome as Outcome
from trueness.settings import Positive, read_settings

Made = TypeVar("Made")
NOT_DECISIVE = ("concurrency", "price", "retries", "delay", "timeout")


@dataclass(frozen=True)
class PlanContext:
    """What a task may know of the plan it stands in: `tasks` are those made before it, `folder` starts its paths."""

    settings: Mapping[str, Json]
    seed: int
    folder: Path
    file: str
    tasks: Mapping[str, Any] = field(default_factory=dict)

    def settings_of(self, study: str, made: type[Made], table: Mapping[str, Json]) -> Made:
        """The [STUDY] table of the plan, checked."""
        return read_settings(made, table, study, f"{self.file}, [{study}]", PlanError)

    def models_of(self, names: Iterable[str]) -> dict[str, dict[str, Json]]:
        """Name -> options, from the plan's [models.NAME]; a mock's script lies beside the plan, and a price is known
        where there is a limit."""
        stated, options = self.settings.get("models", {}), {}
        for name in names:
            table = stated.get(name, {})
            options[name] = dict(table)
            if isinstance(table.get("script"), str):
                options[name]["script"] = str(self.folder / table["script"])
            # what every study asks with: a mistake in it, or in a price, is said now
            fixed = {one.name: table[one.name] for one in fields(FixedOptions) if one.name in table}
            fixed = read_settings(FixedOptions, fixed, f"model {name}", self.file, PlanError).fixed_settings
            options[name] |= {option: value for option, value in fixed.items() if value is None}
            price = stated_price(table.get("price"), name)
            if self.limit_usd is not None and price is None:
                raise PlanError(
                    f"'limit_usd' must know the price of {name}, got none in the price list. Say it: "
                    f'[models."{name}"] price = {{input = 1.0, output = 4.0}} (USD per million tokens).  ({self.file})'
                )
        return options

    @property
    def limit_usd(self) -> float | None:
        table = {"limit_usd": self.settings["limit_usd"]} if "limit_usd" in self.settings else {}
        return read_settings(_Budget, table, "a plan", self.file, PlanError).limit_usd


@dataclass(frozen=True)
class _Budget:
    limit_usd: Positive | None = None


@dataclass(frozen=True)
class Cell:
    """All repeats of one respondent on one item. `common` travels to the worker; `identity` enters the keys."""

    item: str
    variant: str
    respondent: str
    repeats: int
    common: dict[str, Json]
    identity: dict[str, Json]

    @property
    def keys(self) -> tuple[str, ...]:
        """All of them; how many there are may be a stranger's number: work goes by the `key` of one repeat."""
        return tuple(self.key(repeat) for repeat in range(self.repeats))

    def key(self, repeat: int) -> str:
        """hash_of(f"{start} repeat {repeat}"), without hashing the start again."""
        made = self._hash.copy()
        made.update(b"%d" % repeat)
        return str(made.hexdigest()[:32])

    @cached_property
    def _hash(self) -> hashlib._Hash:
        return hashlib.sha256(f"{self.start} repeat ".encode())

    @cached_property
    def start(self) -> str:
        """What keys are made of; cells that ask the same under two names share their units."""
        return json.dumps(self.identity, sort_keys=True, default=str)

    def unit(self, repeat: int) -> dict[str, Json]:
        return {"key": self.key(repeat), "repeat": repeat}

    def settled(self, repeat: int, outcome: Outcome) -> Outcome:
        """What is stored of an outcome; a study may measure what its workers must not know."""
        return outcome


def placeless(settings: Mapping[str, Json]) -> dict[str, Json]:
    """Settings for an identity: of a full path the file's name alone, so that results do not hang on where it lies."""
    full = {name for name, value in settings.items() if isinstance(value, str) and Path(value).is_absolute()}
    return {name: Path(value).name if name in full else value for name, value in settings.items()}


def portable(name: str) -> str:
    """A name for an identity; of a user's own file a hash of it: changed code is new work, a moved file is not."""
    file, _, attribute = name.rpartition(":")
    return f"{file_digest(Path(file))}:{attribute}" if file.endswith(".py") else name


def file_digest(path: Path) -> str:
    with path.open("rb") as file:
        return hashlib.file_digest(file, "sha256").hexdigest()


def hash_of(text: str) -> str:
    return hashlib.sha256(text.encode("utf-8")).hexdigest()[:32]


def reply_key(model: str, options: Mapping[str, Json], messages: Sequence[Message], asks: Settings, salt: str) -> str:
    """The key of a reply: what makes two calls the same. How many run at a time, or their price, does not."""
    decisive = {name: value for name, value in options.items() if name not in NOT_DECISIVE}
    settings = {name: value for name, value in asks.to_dict().items() if name not in NOT_DECISIVE}
    return hash_of(json.dumps([model, decisive, [m.to_dict() for m in messages], settings, salt], sort_keys=True))


def stream(seed: int, name: str) -> Generator:
    """The random stream of that name in a study with that seed."""
    return default_rng(SeedSequence([seed, int(hash_of(name), 16)]))


Ask = Callable[[str, Sequence[Message], Settings, str], Reply]


class PlannedStudy(Protocol):
    """What every study says of itself."""

    name: str
    measures: Sequence[str | Measure]
    headline: Sequence[str | Measure]

    @property
    def level(self) -> float: ...

    def cells(self) -> list[Cell]: ...

    def describe(self, item: str, respondent: str) -> dict[str, Json]: ...


_MAY: dict[str, Any] = {  # what a study may say, as a value or a method -> what holds where it does not
    "function": "",  # of a worker; nothing where models are asked from the driver
    "time_limit": 300.0,  # seconds of a fit
    "models": {},
    "perform": None,  # (cell, repeat, ask) -> outcome, of one whose units are questions to models
    "judges": None,
    "limit_usd": None,
    "datasets": {},
    "references": (),
    "notes": (),
    "cautions": list,  # what its design cannot show
    "reach": lambda: None,  # what its own tests could show; None where respondents are compared in pairs
    "calibration": lambda cell: {0: 1.0},  # which repeats of a cell to time, and each one's share
    "alike": lambda cell: cell.key(0),  # cells with the same value take the same time
}


@dataclass(frozen=True, eq=False)
class Stage:
    """A study of a plan and its cells; what the study may say is asked of the stage."""

    study: PlannedStudy
    cells: list[Cell]

    def __getattr__(self, name: str) -> Any:
        if name not in _MAY:
            raise AttributeError(name)
        return getattr(self.study, name, _MAY[name])

    @property
    def name(self) -> str:
        return self.study.name

    @property
    def planned(self) -> int:
        return sum(cell.repeats for cell in self.cells)

    @property
    def is_fitted(self) -> bool:
        return bool(self.function)

    @cached_property
    def about(self) -> dict[str, Json]:
        """What a reader of the store must know of the study as a whole."""
        return getattr(self.study, "about", dict)()

    def units(self) -> tuple[int, str]:
        """What was drawn independently, and so counts in a test; of a study that does not say it, its items."""
        items = {cell.item for cell in self.cells}
        return getattr(self.study, "units", lambda: (len(items), "items"))()
