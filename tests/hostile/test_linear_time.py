"""Every reader of text takes time in proportion to it: a megabyte of near-misses is read within the CPU limit.

The limit is ten times and more what each of them takes; what grows with the square of a megabyte takes hours. Figures
of each reader at 100 kB and 1 MB stand in docs/hostile.md.
"""

import pytest

from assay.datasets.bif import parse_bif
from assay.faithfulness.labels import parse_labels
from assay.faithfulness.redaction import Hidden
from assay.forecast.assumptions import mentions
from assay.forecast.failures import _PAIR
from assay.forecast.human import parse_experts
from assay.graphs.formats import from_bif, from_dot, from_graphml, from_json
from assay.models.env_file import parse_env
from assay.outside import json_of, toml_of
from assay.reading.distribution import read_distribution
from assay.reading.forecast import read_forecast
from assay.reading.level import read_level, read_share
from assay.reading.reasoning_graph import read_reasoning
from assay.reading.structured import recover_json
from assay.reading.verdicts import read_verdict
from assay.reasoning.graph import Quantity
from assay.reasoning.schema import quantity_of
from assay.reasoning.syntax import parse, symbol
from tests.hostile.attack import survives

SIZE = 1_000_000
LEVELS = {"male": ("man",), "female": ("woman",), "a": ("a",), "very good": ("very good",)}
REPLY = ["1", "1,1,", "a-a-a ", "**", "a\n", "answer: a ", "male: 5\n", "precision 0.5 ", "[0.1, ", '{"a": [', '"\\']
JSON = ["[[[[", '{"a":', '"\\', "1,1,", '{"a" ', "// ", "/*", "'", "1" * 100 + " ", "\u201c"]
GRAPH = ["a -> b; ", '"', '"\\', "{", "/*", "<", "<node ", "a [b=c] ", "variable a {", "probability ( a ) {", ",", "("]
BLANK = [" ", "\n", "\t", "1 "]

READERS = {
    "forecast": (lambda text: read_forecast(text, nodes=8), [*REPLY, *BLANK, "recall 0.5-0.6\n", "| a ", "~~", "<think>"]),
    "distribution": (lambda text: read_distribution(text, LEVELS), [*REPLY, *BLANK]),
    "level": (lambda text: read_level(text, LEVELS), [*REPLY, *BLANK, "very ", "answer"]),
    "level in bins": (lambda text: read_level(text, {"x": (), "y": ()}, bins=[0, 5]), ["1", "1,111", "1.", " \n", "1 "]),
    "share": (read_share, ["1", "1/2 ", "1-", "5% ", "1e", "."]),
    "verdict": (lambda text: read_verdict(text, "logic"), JSON),
    "json of a reply": (recover_json, [*JSON, *BLANK]),
    "reasoning graph": (read_reasoning, JSON),
    "redaction": (Hidden("x", Quantity(10.0)).redact, ["1", "10 ", "1 000 ", "one-", "10 x 10^", "1/", "a hundred ", " "]),
    "assumptions": (
        lambda text: mentions(text, ("pc",), ("fci",)),
        ["does not assume linear ", "no hidden confounders ", "equal varianc ", "without ", "not ", "gaussian", " "],
    ),
    "pairs of a prompt": (_PAIR.findall, ["[1", "1", "[ ", "(0.5,", "["]),
    "env": (parse_env, ["A=x ", " ", "export ", 'A="', "A='x' ", "#", "A=\n"]),
    "dot": (from_dot, GRAPH),
    "graphml": (from_graphml, GRAPH),
    "json": (from_json, GRAPH),
    "bif": (from_bif, GRAPH),
    "bif with tables": (parse_bif, [*GRAPH, "type discrete [ 2 ] { "]),
    "any json": (lambda text: json_of(text, "it"), JSON),
    "toml": (lambda text: toml_of(text, "it"), ["a.", "[", "[[a]]\n", "a=", '"', "'''", "a = {", "#", "\n", "x = 1e", "= "]),
    "labels": (lambda text: parse_labels(text, "l.csv"), ['"', ",", "a,", "\n", '",']),
    "experts": (parse_experts, ['"', ",", "a,", "\n", '",', ";"]),
    "rule": (parse, ["(", "-", "9^", "a", "1,000", " "]),
    "quantity": (quantity_of, ["1", "1,000", " ", "1 x 10"]),
    "symbol": (symbol, ["_", "a ", "\u0301", " "]),
}  # fmt: skip


@pytest.mark.parametrize("name", READERS)
def test_a_megabyte_of_near_misses_is_read_in_time(name):
    read, units = READERS[name]
    for unit in units:
        body = unit * (SIZE // len(unit))
        survives(read, body + "x")
        survives(read, '{"a": ' + body)


def test_a_level_named_a_hundred_thousand_times_is_counted_once():
    assert read_level("a " * 100_000, LEVELS).level == "a"
    assert "several levels" in read_level("a male " * 25_000, LEVELS).message


def test_blanks_without_end_do_not_hide_the_answer():
    assert read_level("male\n" + " " * 190_000, LEVELS).level == "male"
    assert parse_env("A=x" + " " * 500_000 + "y # note") == {"A": "x" + " " * 500_000 + "y"}
