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
from typing import Annotated, Literal

from trueness.analyse.gate import gate_of
from trueness.errors import SettingError, did_you_mean
from trueness.outside import MAX_PLAN, text_of, toml_of
from trueness.settings import Between, Share, checked_settings
from trueness.statistics.result import Alternative

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
    adjust: Literal["holm", "bh"] = "bh"
    unscored: Literal["failed", "missing"] | None = None  # a run without a score; None: 0 of 0 rules is failed
    families: tuple[str, ...] = ()  # "claude=haiku+opus": models that belong together; others go by their names
    interval: Literal["percentile", "bca"] = "percentile"  # of the mean over runs; bca: as scipy's with the seed 42
    gate: str | None = None  # "worse by more than 2 points": what makes the command end with 1
    level: Share = 0.95
    resamples: Annotated[int, Between(100, 1_000_000, closed=True)] = 10_000
    seed: int = 1

    def __post_init__(self) -> None:
        checked_settings(AnalysisSettings, {f.name: getattr(self, f.name) for f in fields(self)}, "analyse")
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
            value, option = changes.get(field.name, getattr(self, field.name)), f"--{field.name.replace('_', '-')}"
            if value is True:
                words.append(option)
            elif value not in (field.default, ()) and field.name not in ("level", "resamples", "seed"):
                values = [str(one) for one in value] if isinstance(value, tuple) else [str(value)]
                joined = values if field.name == "exclude" else [",".join(values)]
                words += [word for one in joined for word in (option, one)]
        return shlex.join(words)

    @property
    def alternative(self) -> Alternative:
        return "greater" if self.one_sided else "two-sided"

    @property
    def alpha(self) -> float:
        return 1 - self.level

    @classmethod
    def read(cls, path: Path) -> AnalysisSettings:
        """A TOML file; its files are found from where it lies, and `name=path` keeps its name."""
        settings = cls().with_values(toml_of(text_of(path, MAX_PLAN, SettingError), path.name, SettingError), path.name)
        parts = [file.rpartition("=") for file in settings.files]
        return replace(settings, files=tuple(f"{name}{equals}{path.parent / file}" for name, equals, file in parts))

    def with_values(self, values: Mapping[str, object], where: str = "command line") -> AnalysisSettings:
        """These settings with others in place; `None` leaves a setting as it is, and a number may stand for a name."""
        said = {name: value for name, value in values.items() if value is not None}
        for name, value in said.items():
            if name in LISTS:
                parts = (
                    value.split(",")
                    if isinstance(value, str)
                    else value
                    if isinstance(value, list | tuple)
                    else [value]
                )
                said[name] = tuple(str(part).strip() for part in parts if str(part).strip())
            elif name in ("condition", "baseline", "treatment", "score", "measure", "cluster", "strip_prefix", "gate"):
                said[name] = str(value)
        return replace(self, **checked_settings(AnalysisSettings, said, "analyse", f"  ({where})"))  # type: ignore[arg-type]


def nearest(name: str, known: Iterable[str]) -> str:
    """The offer of the nearest known name, to be put behind a full stop; empty where none is near."""
    offer = did_you_mean(name, known)
    return f" {offer}" if offer else ""
