"""What a task file may say: every setting of a task, a variable, a population and a card, and the kind it must have.

A value of another kind is one line that names the file and the table; JSON's null is a setting that was not given.
"""

from __future__ import annotations

import math
from collections.abc import Callable, Mapping
from typing import Any, NamedTuple

from trueness.errors import PlanError, did_you_mean

RENAMED = {"dataset": "data", "wgh_col": "weight", "mode": "modes"}  # the original's words


class Kind(NamedTuple):
    """What a value must be, in words and as a test."""

    must_be: str
    holds: Callable[[Any], bool]


def _is_number(value: Any) -> bool:
    if isinstance(value, bool) or not isinstance(value, int | float):
        return False
    return abs(value) < 1e300 if isinstance(value, int) else math.isfinite(value)  # isfinite raises for 10**400


def _is_texts(value: Any) -> bool:
    return isinstance(value, list | tuple) and all(isinstance(entry, str) for entry in value)


TEXT = Kind("a text", lambda value: isinstance(value, str))
YES_NO = Kind("true or false", lambda value: isinstance(value, bool))
TABLE = Kind("a table", lambda value: isinstance(value, Mapping))
LIST = Kind("a list", lambda value: isinstance(value, list | tuple))
TEXTS = Kind("a list of texts", _is_texts)
NUMBER = Kind("a number", _is_number)
NUMBERS = Kind("a list of numbers", lambda value: isinstance(value, list | tuple) and all(map(_is_number, value)))
TEXT_OR_NUMBER = Kind("a text or a number", lambda value: isinstance(value, str) or _is_number(value))
COUNT = Kind("a whole number of at least 1", lambda value: type(value) is int and value >= 1)
COLUMN = Kind("the name of a column, or absent", lambda value: isinstance(value, str) or value is False)
MODE = Kind("a mode or a list of modes", lambda value: bool(value) and (isinstance(value, str | list | tuple)))
TWO_COLUMNS = Kind("[V1, V2], different columns", lambda value: _is_texts(value) and len(set(value)) == len(value) > 1)
REPLICATES = Kind(
    "a list of columns or {prefix, count}",
    lambda value: _is_texts(value) or (isinstance(value, Mapping) and set(value) == {"prefix", "count"}
                                       and TEXT.holds(value["prefix"]) and COUNT.holds(value["count"])),
)  # fmt: skip

TASK = {
    "name": TEXT_OR_NUMBER, "source": TEXT, "data": TEXT, "variables": TWO_COLUMNS, "modes": MODE, "weight": COLUMN,
    "strata": TEXT, "clusters": TEXT, "replicate_weights": REPLICATES,
    "replicate_scale": Kind("a number above 0", lambda value: _is_number(value) and value > 0),
    "population": TABLE, "card": TABLE, "prompt": TEXT, "second_prompt": TEXT, "levels": LIST, "given_levels": LIST,
    "ordinal": TEXTS, "bins": TABLE, "least": COUNT, "high_dimensional": YES_NO,
}  # fmt: skip
VARIABLE = {
    "title": TEXT, "ordinal": YES_NO, "levels": LIST, "bins": NUMBERS, "labels": TEXTS, "top": NUMBER, "only": YES_NO,
}  # fmt: skip
POPULATION = {
    "who": TEXT, "country": TEXT, "year": TEXT_OR_NUMBER, "age_column": TEXT, "year_column": TEXT, "where": TABLE,
    "ages": Kind("[low, high], or [low] for no upper end", lambda value: NUMBERS.holds(value) and len(value) in (1, 2)),
}  # fmt: skip
CARD = dict.fromkeys(("title", "source", "licence", "year", "population", "url", "notes"), TEXT_OR_NUMBER)


def stated(table: Mapping[str, Any]) -> dict[str, Any]:
    """The settings that the file states, in our words."""
    return {RENAMED.get(key, key): value for key, value in table.items() if value is not None}


def checked(table: Mapping[str, Any], kinds: Mapping[str, Kind], of: str, where: str) -> None:
    """One line for the first setting that is unknown or of the wrong kind; `where`: its file and table."""
    for key, value in table.items():
        if key not in kinds:
            raise PlanError(f"{key!r} is not a setting of {of}. {did_you_mean(key, kinds)}  {where}")
        if not kinds[key].holds(value):
            raise PlanError(f"{key!r} of {of} must be {kinds[key].must_be}, got {value!r:.60}.  {where}")
