"""Whole reasoning graphs by authors who read no code: what executes has the value that a careful person computes.

Each list was run before anybody looked at it (docs/faithfulness.md has those figures); since then it is development.
"""

import json
from pathlib import Path

import pytest

from trueness.reasoning import Program, check_answer
from trueness.reasoning.schema import graph_from, quantity_of

LISTS = {"": 37, "second_": 28, "third_": 27, "fourth_": 32}  # graphs that execute to what they mean
WRONG_KINDS = {2046: "its formula gives no speed, and the unit says so"}
FOLDER = Path(__file__).parent


@pytest.mark.parametrize("which", LISTS)
def test_what_executes_has_the_value_that_the_rules_mean(which):
    lines = (FOLDER / f"graphs_of_a_{which}stranger.jsonl").read_text(encoding="utf-8").splitlines()
    right, wrong = 0, []
    for problem in map(json.loads, lines):
        graph, _ = graph_from(problem["graph"])
        program = None if graph is None else Program(graph)
        if program is None or program.base.target is None:
            continue
        check = check_answer(program, quantity_of(problem["answer"].strip("{} \n")))
        meant = problem["meant"]
        if meant is not None and check.executed is not None and abs(check.executed - meant) <= 0.006 * abs(meant):
            right += 1
        elif problem["id"] not in WRONG_KINDS:
            wrong.append(
                f"{problem['id']}: {check.executed} for {meant}, answer {problem['answer']!r}; {check.message}"
            )
    assert wrong == [] and right >= LISTS[which]
