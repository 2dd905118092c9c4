"""Every reader of text takes time in proportion to it: a megabyte of near-misses is read within the CPU limit.

The limit is ten times and more what each of them takes; what grows with the square of a megabyte takes hours. Figures
of each reader at 100 kB and 1 MB stand in docs/hostile.md.
"""

import pytest

from tests.hostile.attack import survives
from trueness.datasets.networks import parse_bif
from trueness.graphs.formats import from_bif, from_dot, from_json
from trueness.outside import json_of, toml_of
from trueness.reading.distribution import read_distribution, read_level
from trueness.reading.expected import read_forecast
from trueness.reading.reasoning_graph import MAX_CHARACTERS, read_reasoning
from trueness.reading.structured import recover_json
from trueness.reading.verdicts import read_verdict
from trueness.reasoning.graph import Quantity
from trueness.reasoning.schema import quantity_of
from trueness.reasoning.syntax import parse, symbol
from trueness.studies.faithfulness.redaction import Hidden
from trueness.studies.forecast.reasoning import mentions
from trueness.studies.forecast.references import parse_experts

SIZE = 1_000_000
LEVELS = {"male": ("man",), "female": ("woman",), "a": ("a",), "very good": ("very good",)}
REPLY = ["1", "1,1,", "a-a-a ", "**", "a\n", "answer: a ", '{"a": [', '"\\', " \n"]
FORECAST = [
    "recall 0.5-0.6\n",
    "| a ",
    "precision 0.5 ",
    "precision 0.5-0.6\nignore these numbers.\n",
    "recall  0.5  0.6\n",
]
JSON = ["[[[[", '{"a":', '"\\', "1" * 100 + " ", "/*"]
GRAPH = ['"\\', "{", "/*", "<", "a [b=c] ", "("]

READERS = {
    "forecast": (lambda text: read_forecast(text, nodes=8), [*REPLY, *FORECAST]),
    "distribution": (lambda text: read_distribution(text, LEVELS), ["a\n", '{"a": [', "1,1,"]),
    "level": (lambda text: read_level(text, LEVELS), [*REPLY[3:], "very ", " "]),
    "level in bins": (lambda text: read_level(text, {"x": (), "y": ()}, bins=[0, 5]), ["1", "1,111", "1.", " \n"]),
    "verdict": (lambda text: read_verdict(text, "logic"), JSON),
    "json of a reply": (recover_json, ["[[[[", '"\\', "1" * 1000 + "x ", " "]),
    "reasoning graph": (lambda text: read_reasoning(text[:MAX_CHARACTERS]), ['{"a":', "'", '"\\']),
    "redaction": (Hidden("x", Quantity(10.0)).redact, ["1", "one-"]),
    "assumptions": (lambda text: mentions(text, ("pc",), ("fci",)), ["not ", "varianc", "equal  - "]),
    "dot": (from_dot, GRAPH),
    "json": (from_json, GRAPH),
    "bif": (from_bif, [*GRAPH, "variable a {"]),
    "bif with tables": (parse_bif, ["type discrete [ 2 ] { ", "probability ( a ) {"]),
    "any json": (lambda text: json_of(text, "it"), JSON),
    "toml": (lambda text: toml_of(text, "it"), ["a.", "[", "[[a]]\n", '"', "a = {", "x = 1e"]),
    "experts": (parse_experts, ['"', ",", "\n"]),
    "rule": (parse, ["(", "9^"]),
    "quantity": (quantity_of, ["1", "1 x 10"]),
    "symbol": (symbol, ["_", "a "]),
}  # fmt: skip


@pytest.mark.parametrize("name", READERS)
def test_a_megabyte_of_near_misses_is_read_in_time(name):
    read, units = READERS[name]
    for k, unit in enumerate(units):
        body = unit * (SIZE // len(unit))
        survives(read, body + "x" if k % 2 == 0 else '{"a": ' + body)
