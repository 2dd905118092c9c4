"""Four lists of strangers: so many of their rules are right, and wrong are those that are told here and no other."""

import json
import math
from pathlib import Path
from typing import NamedTuple

import pytest

from trueness.reading.reasoning_graph import read_reasoning
from trueness.reasoning import Program, check_answer, execute
from trueness.reasoning.schema import graph_from, quantity_of

FOLDER = Path(__file__).parent


class Holds(NamedTuple):
    """What holds of a list: its rules, those of them with a value, how many are right at least, and which are wrong."""

    rules: int
    said: int
    right: int
    wrong: tuple[str, ...] = ()


LISTS = {
    # whole sentences of four strangers, school problems and sciences, and beside each the formula that a model wrote
    # who read no code and saw no values
    "formulas_beside_words": Holds(520, 440, 414),
    # LaTeX, g and 2g, 2L, indices, superscripts, by one who knew the reader, and 110 by one who did not
    "formulas_of_textbooks": Holds(170, 144, 139),
    # near misses by one who knew the reader. Left: what a letter means elsewhere, a mean of °C and K
    "formulas_that_mislead": Holds(813, 717, 548, ("f = μN", "h = v*t - 4.9*t^2")),
}


def lines_of(name):
    return [json.loads(line) for line in (FOLDER / f"{name}.jsonl").read_text(encoding="utf-8").splitlines()]


def told(one):
    """Whether a rule is right or wrong, None where it has no value; and what it gave."""
    edge = {"cause": list(one["causes"]), "effect": one["effect"], "rule": one["rule"]}
    edge |= {"formula": one["formula"]} if "formula" in one else {}
    others = one.get("knowns", {})
    edges = [edge, *({"cause": [name], "effect": f"{name}_again", "rule": f"{name}_again = {name}"} for name in others)]
    dag = {"target_variable": one["effect"], "knowns": one["causes"] | others, "causal_graph": edges}
    value = execute(read_reasoning(dag).graph).target
    right = value is not None and one["value"] is not None and math.isclose(value, one["value"], rel_tol=2e-3)
    return None if value is None else right, value


@pytest.mark.parametrize("name", LISTS)
def test_so_many_rules_of_a_list_are_right_and_no_other_wrong(name):
    holds, given = LISTS[name], lines_of(name)
    outcomes = [(one, *told(one)) for one in given]
    wrong = [(one["rule"], value, one["value"]) for one, is_right, value in outcomes if is_right is False]
    assert (len(given), sum(one["value"] is not None for one in given)) == (holds.rules, holds.said)
    assert sorted(rule for rule, _, _ in wrong) == sorted(holds.wrong), wrong
    left = [one["rule"] for one, is_right, _ in outcomes if is_right is None and one["value"] is not None]
    assert sum(is_right is True for _, is_right, _ in outcomes) >= holds.right, "\n".join(left)


def test_what_executes_of_whole_graphs_has_the_value_that_the_rules_mean():
    """60 reasoning graphs without formulas beside their words, with the value that a careful person computes."""
    right, wrong = 0, []
    for problem in lines_of("reasoning_graphs"):
        graph, _ = graph_from(problem["graph"])
        program = None if graph is None else Program(graph)
        if program is None or program.base.target is None:
            continue
        check = check_answer(program, quantity_of(problem["answer"].strip("{} \n")))
        meant = problem["meant"]
        if meant is not None and check.executed is not None and abs(check.executed - meant) <= 0.006 * abs(meant):
            right += 1
        else:
            wrong.append((problem["id"], check.executed, meant, check.message))
    assert wrong == [] and right >= 17
