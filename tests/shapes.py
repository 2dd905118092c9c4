"""The shapes that `trueness schema NAME` states, to hold what commands print and studies write against them."""

import json

from jsonschema import Draft202012Validator as Validator

from trueness.running.json_schemas import schemas

VALID = {name: Validator(schema.to_dict()) for name, schema in schemas().items()}


def faults(name, content):
    return [f"{name}: {fault.json_path} {fault.message:.200}" for fault in VALID[name].iter_errors(content)]


def shaped(name, text):
    """The content of a JSON text, which has that shape."""
    content = json.loads(text)
    assert faults(name, content) == []
    return content
