"""JSON schemas of every `--json` and of every table and JSON file that a study writes: `trueness schema NAME`.

Each room says its shapes in schemas.toml, with the command (`of`) or the file (`file`) that has them:

    int number text bool null any     [T] a list     T | U either     T & U both     = NAME  another shape
    {a, b: T; c?: U; *: V}            a record with a and b, perhaps c; * is every other key
    @ module:Class                    the fields of a dataclass, NamedTuple or TypedDict

A record may have more keys than its shape says. A key that goes, or changes its meaning, raises `version`.
A CSV file is a list of records, one a row; an empty cell is null.
"""

from __future__ import annotations

import dataclasses
import re
import types
from functools import cache
from importlib import import_module, resources
from typing import Literal, NamedTuple, Union, get_args, get_origin, get_type_hints, is_typeddict

from trueness import registry
from trueness.errors import UnknownName
from trueness.outside import Json, toml_of

DIALECT = "https://json-schema.org/draft/2020-12/schema"
_WORDS: dict[str, dict[str, Json]] = {
    "int": {"type": "integer"}, "number": {"type": "number"}, "text": {"type": "string"}, "bool": {"type": "boolean"},
    "null": {"type": "null"}, "any": {},
}  # fmt: skip
_TYPES = {int: "int", float: "number", str: "text", bool: "bool", types.NoneType: "null"}
_TOKEN = re.compile(r"\s*([][{}|&;:,=@?]|[^][{}|&;:,=@?\n]*[^][{}|&;:,=@?\s])")


class JsonSchema(NamedTuple):
    """A shape and what has it."""

    name: str
    version: int
    of: str  # a command
    file: str  # or a pattern of files below a study's folder
    shape: str

    def to_dict(self) -> dict[str, Json]:
        head = {"$schema": DIALECT, "$id": f"trueness/{self.name}/{self.version}", "title": self.of or self.file}
        return head | _Shape(self.shape).read()


@cache
def schemas() -> dict[str, JsonSchema]:
    """By name, in the order of the rooms."""
    rooms = [
        "trueness.running",
        "trueness.analyse",
        *(f"trueness.studies.{name}" for name in registry.built_in("task")),
    ]
    files = {room: resources.files(room) / "schemas.toml" for room in rooms}
    texts = {room: file.read_text(encoding="utf-8") for room, file in files.items() if file.is_file()}
    entries = {name: entry for room, text in texts.items() for name, entry in toml_of(text, room).items()}
    return {
        name: JsonSchema(name, entry.get("version", 1), entry.get("of", ""), entry.get("file", ""), entry["shape"])
        for name, entry in entries.items()
    }


def schema(name: str) -> JsonSchema:
    if name not in schemas():
        raise UnknownName("schema", name, list(schemas()))
    return schemas()[name]


class _Shape:
    """Reads the notation, from left to right."""

    def __init__(self, text: str):
        self.rest = _TOKEN.findall(text)

    def read(self) -> dict[str, Json]:
        options = [self._all()]
        while self._took("|"):
            options.append(self._all())
        return options[0] if len(options) == 1 else {"anyOf": options}

    def _all(self) -> dict[str, Json]:
        parts = [self._one()]
        while self._took("&"):
            parts.append(self._one())
        return parts[0] if len(parts) == 1 else {"allOf": parts}

    def _one(self) -> dict[str, Json]:
        token = self.rest.pop(0)
        if token == "[":
            inner = self.read()
            self._take("]")
            return {"type": "array", "items": inner}
        if token == "{":
            return self._record()
        if token == "=":
            return _Shape(schema(self.rest.pop(0)).shape).read()
        if token == "@":
            module, _, name = (self.rest.pop(0) for _ in range(3))
            return of_type(getattr(import_module(module), name))
        return _WORDS[token]

    def _record(self) -> dict[str, Json]:
        known: dict[str, Json] = {}
        optional, others = set(), None
        while not self._took("}"):
            names = []
            while True:
                names.append(self.rest.pop(0))
                if self._took("?"):
                    optional.add(names[-1])
                if not self._took(","):
                    break
            self._take(":")
            shape = self.read()
            others = shape if names == ["*"] else others
            known |= {name: shape for name in names if name != "*"}
            self._took(";")
        record: dict[str, Json] = {"type": "object", "properties": known}
        record["required"] = [name for name in known if name not in optional]
        return record if others is None else record | {"additionalProperties": others}

    def _took(self, token: str) -> bool:
        is_next = bool(self.rest) and self.rest[0] == token
        if is_next:
            self.rest.pop(0)
        return is_next

    def _take(self, token: str) -> None:
        if not self._took(token):
            raise ValueError(f"a shape must have {token!r} before {' '.join(self.rest[:6])!r}")


def of_type(kind: object) -> dict[str, Json]:
    """The schema of a type: of its fields where it has any."""
    origin, parts = get_origin(kind), get_args(kind)
    if kind in _TYPES:
        return dict(_WORDS[_TYPES[kind]])  # type: ignore[index]
    if origin in (Union, types.UnionType):
        return {"anyOf": [of_type(part) for part in parts]}
    if origin is Literal:
        return {"enum": list(parts)}
    if origin in (list, tuple):
        items = [of_type(part) for part in parts if part is not ...]
        return {"type": "array", "items": items[0] if all(item == items[0] for item in items) else {"anyOf": items}}
    if origin is dict:
        return {"type": "object", "additionalProperties": of_type(parts[1])}
    if isinstance(kind, type) and (dataclasses.is_dataclass(kind) or is_typeddict(kind) or hasattr(kind, "_fields")):
        fields = {name: of_type(hint) for name, hint in get_type_hints(kind).items()}
        return {"type": "object", "properties": fields, "required": list(fields)}
    return {"type": "string"} if isinstance(kind, type) and issubclass(kind, str) else {}
