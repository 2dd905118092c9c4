"""What a user declares about an analysis: on the command line, or as a small TOML with the same words.

    files = ["chart.csv", "sql.csv"]
    condition = "condition"        baseline = "none"        treatment = "pseudocode"
    exclude = ["model=glm-4.7-flash"]        strip_prefix = "zai-coding-plan/"        one_sided = true

What is not declared is detected and said. A direction is never detected: one-sided needs both ends named.
"""

from __future__ import annotations

import shlex
from collections.abc import Iterable, Mapping
from dataclasses import dataclass, fields, replace
from pathlib import Path
from typing import Literal, get_args

from trueness.analyse.gate import gate_of
from trueness.errors import SettingError, did_you_mean
from trueness.outside import MAX_PLAN, text_of, toml_of
from trueness.statistics.result import Alternative

Adjust = Literal["holm", "bh"]
Unscored = Literal["failed", "missing"]
MeanInterval = Literal["percentile", "bca"]
MAX_RESAMPLES = 1_000_000
LISTS = ("files", "unit", "exclude", "families")


@dataclass(frozen=True)
class AnalysisSettings:
    """`None` means: find out and say so."""

    files: tuple[str, ...] = ()
    condition: str | None = None  # the column whose values are compared
    baseline: str | None = None  # the condition without treatment (RQ1)
    treatment: str | None = None  # the condition that is hoped to be better (RQ2)
    score: str | None = None  # the column with the score of a run; several by commas: those of a wide table
    lower_is_better: bool = False  # of `score`, where it is no share of passes
    measure: str | None = None  # which measure of a long table
    unit: tuple[str, ...] = ()  # columns whose cells are paired
    cluster: str | None = None  # column whose values were drawn independently
    exclude: tuple[str, ...] = ()  # "model=name": shown with and without
    strip_prefix: str = ""  # of the names of models
    one_sided: bool = False  # declared beforehand: the treatment is better
    adjust: Adjust = "bh"
    unscored: Unscored | None = None  # a run without a score; None: 0 of 0 rules is failed, a blank is missing
    families: tuple[str, ...] = ()  # "claude=haiku+opus": models that belong together; others go by their names
    interval: MeanInterval = "percentile"  # of the mean over runs; bca: as scipy's bootstrap with the seed 42
    gate: str | None = None  # "worse by more than 2 points": what makes the command end with 1
    level: float = 0.95
    resamples: int = 10_000
    seed: int = 1

    def __post_init__(self) -> None:
        _one_of("adjust", self.adjust, get_args(Adjust))
        _one_of("unscored", self.unscored, (*get_args(Unscored), None))
        _one_of("interval", self.interval, get_args(MeanInterval))
        if not 0 < self.level < 1:
            raise SettingError(f"'level' must be in (0, 1), got {self.level}. Try 0.95.")
        if not 100 <= self.resamples <= MAX_RESAMPLES:
            raise SettingError(f"'resamples' must be in [100, {MAX_RESAMPLES:,}], got {self.resamples}. Try 10000.")
        if self.gate is not None:
            gate_of(self.gate)
        for entry in self.exclude:
            if not all(part.strip() for part in entry.partition("=")):
                raise SettingError(f"'exclude' must be COLUMN=VALUE, got {entry!r}. Try model={entry.strip('=')}.")

    @property
    def exclusions(self) -> tuple[tuple[str, str], ...]:
        """(column, value) pairs."""
        return tuple((column.strip(), value.strip()) for column, _, value in (e.partition("=") for e in self.exclude))

    def command(self, **changes: object) -> str:
        """The command line that declares the same and these changes: to be copied."""
        words = ["trueness", "analyse", *(self.files or ("FILE",))]
        for field in fields(self)[1:]:
            value = changes.get(field.name, getattr(self, field.name))
            if value is True:
                words.append(f"--{field.name.replace('_', '-')}")
            elif value not in (field.default, ()) and field.name not in ("level", "resamples", "seed"):
                option, values = f"--{field.name.replace('_', '-')}", value if isinstance(value, tuple) else (value,)
                joined = [",".join(map(str, values))] if field.name != "exclude" else list(map(str, values))
                words += [word for one in joined for word in (option, one)]
        return " ".join(map(shlex.quote, words))

    @property
    def alternative(self) -> Alternative:
        return "greater" if self.one_sided else "two-sided"

    @property
    def alpha(self) -> float:
        return 1 - self.level

    @classmethod
    def read(cls, path: Path) -> AnalysisSettings:
        """A TOML file; its files are found from where it lies."""
        settings = cls().with_values(toml_of(text_of(path, MAX_PLAN, SettingError), path.name, SettingError), path.name)
        return replace(settings, files=tuple(_beside(path, file) for file in settings.files))

    def with_values(self, values: Mapping[str, object], where: str = "command line") -> AnalysisSettings:
        """These settings with others in place; `None` leaves a setting as it is."""
        known = {field.name: field for field in fields(self)}
        checked: dict[str, object] = {}
        for name, value in values.items():
            if name not in known:
                raise SettingError(f"{name!r} is not a setting of analyse.{nearest(name, known)}  ({where})")
            if value is not None:
                checked[name] = _as_list(value) if name in LISTS else _check(name, value, getattr(self, name), where)
        return replace(self, **checked)  # type: ignore[arg-type]


def nearest(name: str, known: Iterable[str]) -> str:
    """The offer of the nearest known name, to be put behind a full stop; empty where none is near."""
    offer = did_you_mean(name, known)
    return f" {offer}" if offer else ""


def _as_list(value: object) -> tuple[str, ...]:
    parts = value.split(",") if isinstance(value, str) else value if isinstance(value, list | tuple) else [value]
    return tuple(str(part).strip() for part in parts if str(part).strip())


def _check(name: str, value: object, default: object, where: str) -> object:
    """Text, flags and numbers as their default is; a number may stand for a name (`baseline = 0`)."""
    if isinstance(default, bool):
        wanted: type | tuple[type, ...] = bool
    elif isinstance(default, int | float):
        wanted = (int, float)
    else:
        return str(value)
    if not isinstance(value, wanted) or (isinstance(value, bool) and wanted is not bool):
        kind = "true or false" if wanted is bool else "a number"
        raise SettingError(f"{name!r} must be {kind}, got {value!r}.  ({where})")
    return value


def _beside(plan: Path, file: str) -> str:
    """The file of a plan, from the plan's folder; `name=path` keeps its name."""
    name, equals, path = file.rpartition("=")
    return f"{name}{equals}{plan.parent / path}"


def _one_of(name: str, value: object, allowed: tuple[str | None, ...]) -> None:
    if value not in allowed:
        raise SettingError(f"{name!r} must be one of {', '.join(filter(None, allowed))}, got {value!r}.")
