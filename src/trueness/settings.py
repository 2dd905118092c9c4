"""Settings of plans, learners, models and task files: a dataclass says what there is, and one checker reads it.

    runs: Whole = 100                                'runs' of discovery must be a whole number of at least 1, got 0.
    level: Share = 0.95                              ... must be a number in (0, 1), got 2.
    names: Annotated[Names, OneOf(("a", "b"))] = ()  ... must be of a, b, got 'c'. Did you mean 'a'?

A list becomes a tuple, a whole number a float where one is asked for; a truth value is no number. A key that is none of
the fields gets the nearest one. `place` ends every message: where the value stands.
"""

from __future__ import annotations

import math
import typing
from collections.abc import Mapping, Sequence
from dataclasses import MISSING, dataclass, fields, is_dataclass
from functools import cache
from pathlib import Path
from typing import Annotated, Literal, TypeVar, get_args, get_origin

from trueness.errors import SettingError, TruenessError, did_you_mean, listed

Made = TypeVar("Made")


@dataclass(frozen=True)
class Between:
    """A number from `low` to `high`; the ends count where `closed`."""

    low: float
    high: float = math.inf
    closed: bool = False

    def wrong(self, value: float) -> str:
        inside = self.low <= value <= self.high if self.closed else self.low < value < self.high
        return "" if inside and abs(value) < math.inf else self.must_be

    @property
    def must_be(self) -> str:
        if self.high == math.inf:
            return f"of at least {self.low:g}" if self.closed else f"above {self.low:g}"
        return f"in [{self.low:g}, {self.high:g}]" if self.closed else f"in ({self.low:g}, {self.high:g})"


@dataclass(frozen=True)
class OneOf:
    """A word, or a list of words, of those that are known."""

    known: Sequence[str]

    def wrong(self, value: str | Sequence[str]) -> str:
        for word in [value] if isinstance(value, str) else value:
            if word not in self.known:
                return f"be of {listed(self.known, 20)}, got {word!r}. {did_you_mean(str(word), self.known)}".rstrip()
        return ""


class EachOnce:
    """A list that names nothing twice."""

    def wrong(self, value: Sequence[str]) -> str:
        twice = sorted({word for word in value if list(value).count(word) > 1})
        return f"name each once, got {listed(twice)} twice." if twice else ""


class NotEmpty:
    def wrong(self, value: object) -> str:
        return "" if value else "name at least one, got none."


@dataclass(frozen=True)
class Hint:
    """What to do, told with whatever is wrong."""

    text: str

    def wrong(self, value: object) -> str:
        return ""


Rule = Between | OneOf | EachOnce | NotEmpty | Hint
Whole = Annotated[int, Between(1, closed=True)]
Positive = Annotated[float, Between(0)]
Share = Annotated[float, Between(0, 1)]
Names = Annotated[tuple[str, ...], EachOnce()]
SomeNames = Annotated[tuple[str, ...], NotEmpty(), EachOnce()]
Temperature = Annotated[float, Between(0, 2, closed=True)] | Literal["none"]  # "none": the model's own


def temperature_to_send(value: Temperature) -> float | None:
    return None if value == "none" else value


def read_settings(
    made: type[Made], table: Mapping[str, object], name: str, place: str = "", error: type[TruenessError] = SettingError
) -> Made:
    """The table as the dataclass `made`."""
    return made(**checked_settings(made, table, name, f"  ({place})" if place else "", error))


def checked_settings(
    made: type, settings: Mapping[str, object], name: str, place: str = "", error: type[TruenessError] = SettingError
) -> dict[str, object]:
    """The values as the dataclass takes them; one line for the first that is unknown or cannot be."""
    known = hints_of(made)
    values = {}
    for key, value in settings.items():
        check_name(made, key, name, place, error)
        if problem := _problem(value, known[key]):
            nearest = did_you_mean(value, _words_of(known[key])) if isinstance(value, str) else ""
            words = problem if ", got " in problem else f"be {problem}, got {value!r:.80}. {nearest}".rstrip()
            raise error(f"{key!r} of {name} must {words}{_hint(known[key])}{place}")
        values[key] = _convert(value, known[key])
    for key in _required_fields(made):
        if key not in values:
            raise error(f"{key!r} of {name} must be {_describe(known[key])}, got none.{_hint(known[key])}{place}")
    return values


def check_name(made: type, key: str, name: str, place: str = "", error: type[TruenessError] = SettingError) -> None:
    """One line that offers the nearest setting, where the dataclass has none of that name."""
    known = hints_of(made)
    if key not in known:
        nearest = did_you_mean(key, known) or f"It has: {listed(known, 30) or 'none'}."
        raise error(f"{key!r} is not a setting of {name}. {nearest}{place}")


def flat_settings(settings: Mapping[str, object], prefix: str = "") -> dict[str, object]:
    """Those of tables within tables under one name each: discovery.pc.alpha."""
    flat: dict[str, object] = {}
    for key, value in settings.items():
        flat |= flat_settings(value, f"{prefix}{key}.") if isinstance(value, dict) else {f"{prefix}{key}": value}
    return flat


def difference_of(old: Mapping[str, object], new: Mapping[str, object]) -> str:
    """The first settings that differ, e.g. 'alpha 0.01, now 0.05'."""
    old, new = flat_settings(old), flat_settings(new)
    keys = [key for key in {**old, **new} if old.get(key) != new.get(key)]
    return listed((f"{key} {old.get(key, 'not set')}, now {new.get(key, 'not set')}" for key in keys), most=2)


def _required_fields(made: type) -> list[str]:
    """Fields without a default."""
    made_fields = fields(made) if is_dataclass(made) else ()
    return [f.name for f in made_fields if f.init and f.default is MISSING and f.default_factory is MISSING]


def _hint(hint: object) -> str:
    return "".join(f" {rule.text}" for rule in _rules(hint) if isinstance(rule, Hint))


@cache
def hints_of(made: type) -> dict[str, object]:
    if not is_dataclass(made):
        return {}
    hints = typing.get_type_hints(made, include_extras=True)
    return {f.name: hints[f.name] for f in fields(made) if f.init}


def _rules(hint: object) -> tuple[Rule, ...]:
    return get_args(hint)[1:] if get_origin(hint) is Annotated else ()


def _plain(hint: object) -> object:
    return _plain(get_args(hint)[0]) if get_origin(hint) is Annotated else hint


def _words_of(hint: object) -> list[str]:
    """The words that a value may be."""
    if get_origin(hint) is Literal:
        return [word for word in get_args(hint) if isinstance(word, str)]
    return [word for part in get_args(hint) if _is_union(hint) or part is get_args(hint)[0] for word in _words_of(part)]


def _is_union(hint: object) -> bool:
    return get_origin(hint) is typing.Union or str(get_origin(hint)) == "<class 'types.UnionType'>"


def _problem(value: object, hint: object) -> str:
    """What a value must be and is not; '' where it fits."""
    if _is_union(hint):
        return "" if any(not _problem(value, option) for option in get_args(hint)) else _describe(hint)
    if get_origin(hint) is Annotated:
        inner, *rules = get_args(hint)
        if problem := _problem(value, inner):
            return problem if ", got " in problem else _describe(hint)
        words = next(filter(None, (rule.wrong(value) for rule in rules)), "")
        return f"{_describe(_plain(hint))} {words}" if words and isinstance(value, int | float) else words
    return "" if _fits(value, hint) else _describe(hint)


def _fits(value: object, hint: object) -> bool:
    origin = get_origin(hint)
    if origin is Literal:
        return value in get_args(hint) and type(value) is type(get_args(hint)[0])
    if hint in (float, int):
        if isinstance(value, bool) or not isinstance(value, (int, float) if hint is float else int):
            return False
        return hint is int or isinstance(value, float) or abs(value) < 1e300
    if origin is tuple:
        entry = get_args(hint)[0]
        return isinstance(value, list | tuple) and all(not _problem(one, entry) for one in value)
    if origin is not None:
        return isinstance(value, origin)
    return isinstance(value, hint) if isinstance(hint, type) else True


def _convert(value: object, hint: object) -> object:
    if isinstance(value, list):
        return tuple(value)
    wants_float = any(_plain(one) is float for one in (get_args(hint) if _is_union(hint) else (hint,)))
    if wants_float and isinstance(value, int) and not isinstance(value, bool):
        return float(value)
    return value


def _describe(hint: object) -> str:
    plain = _plain(hint)
    if _is_union(plain):
        return " or ".join(_describe(option) for option in get_args(plain) if option is not type(None))
    if get_origin(plain) is Literal:
        known = get_args(plain)
        return "one of " + listed(known) if len(known) > 1 else f'"{known[0]}"'
    if get_origin(plain) is tuple:
        entries = {str: "a list of names", float: "a list of numbers"}
        return entries.get(get_args(plain)[0], "a list") if get_args(plain) else "a list"
    words: dict[object, str] = {float: "a number", int: "a whole number", bool: "true or false", str: "text"}
    words |= {dict: "a table", Path: "a path"}
    name = words.get(get_origin(plain) or plain, str(plain))
    ranges = [rule.must_be for rule in _rules(hint) if isinstance(rule, Between)]
    return " ".join([name, *ranges])
