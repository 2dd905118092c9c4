"""JSON schemas of every `--json` and of every table and JSON file that a study writes: `trueness schema NAME`.

Each room keeps its own in schemas.json: name -> {"of": a command, or "file": a pattern of files, "schema": the shape}.
A record may have more keys than its schema says. A key that goes, or changes its meaning, raises "version". A CSV file
is a list of records, one a row; an empty cell is null.
"""

from __future__ import annotations

import json
from dataclasses import dataclass
from functools import cache
from importlib import resources

from trueness import registry
from trueness.errors import UnknownName
from trueness.outside import Json

DIALECT = "https://json-schema.org/draft/2020-12/schema"


@dataclass(frozen=True)
class JsonSchema:
    """A shape and what has it: a command, or files below a study's folder."""

    name: str
    schema: dict[str, Json]
    version: int = 1
    of: str = ""
    file: str = ""

    def to_dict(self) -> dict[str, Json]:
        head = {"$schema": DIALECT, "$id": f"trueness/{self.name}/{self.version}", "title": self.of or self.file}
        return head | self.schema


@cache
def schemas() -> dict[str, JsonSchema]:
    """By name, in the order of the rooms."""
    studies = (f"trueness.studies.{name}" for name in registry.built_in("task"))
    files = [resources.files(room) / "schemas.json" for room in ("trueness.running", "trueness.analyse", *studies)]
    rooms = [json.loads(file.read_text(encoding="utf-8")) for file in files if file.is_file()]
    return {name: JsonSchema(name, **entry) for room in rooms for name, entry in room.items()}


def schema(name: str) -> JsonSchema:
    if name not in schemas():
        raise UnknownName("schema", name, list(schemas()))
    return schemas()[name]
