"""Whole lists of rules: so many are right, and wrong are those that are told here and no other.

Most were written by authors who knew nothing of the reader, and run before anybody looked at them; what was right and
wrong at first try stands beside them (of those with a value, and of all). Since then they are development.
"""

import json
import math
import random
from pathlib import Path
from typing import NamedTuple

import pytest

from tests.reasoning.test_in_words import executed
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
    digits: float = 2e-3  # a stranger's values have six digits, or three


LISTS = {
    # 14 styles, by one who had not read the grammar: 54 % of 179 and 9 wrong; after tuning on half A, 88 % of half B
    # and 1 wrong (a percentage in a formula)
    "rules_in_words": Holds(200, 179, 162, digits=1e-9),
    # typeset, equations, units, programs, numbered steps, notes, by one who knew the grammar: 20 of 33, 2 of 40 (of
    # `2 x + 3 y = 12` the y for the one cause; of x^2 = y the positive root is taken by rule)
    "rules_of_other_styles": Holds(40, 33, 29, ("x^2 = y",), 1e-9),
    # each in one sitting, with most of the grammar read; six values left open then are given since
    "rules_of_changes_and_shares": Holds(40, 33, 33, digits=1e-9),  # reduced by, for every, per, share of: 14 of 33, 2
    "rules_that_mislead": Holds(94, 56, 50, digits=1e-9),  # half are girls, for the boys: 34 of 51, 4
    "rules_of_laws_and_prices": Holds(63, 44, 43, digits=1e-9),  # once those were mended: 27 of 42, 4
    "rules_with_units_and_steps": Holds(63, 41, 37, digits=1e-9),  # 30 of 40, 5 (four add 30 minutes to hours)
    "rules_of_groups_and_shares": Holds(40, 22, 20, digits=1e-9),  # 19 of 22, 6 (wages of all as wage plus number)
    # everyday and school problems, 20 of another effect than they speak of: 36 and 3; one of the right by chance (half
    # of the workers quit, for those who stay)
    "rules_of_what_is_left": Holds(60, 56, 35, digits=1e-6),
    # ten lists in one sitting each, each mended before the next was written. Four in ten have no value: something is
    # missing, or it is of something else. 76 of 122, 3 of 157; 79 of 91, 7 of 150; 72 of 91, 8 of 150; 78 of 95, 6 of
    # 149; 45 of 81, 6 of 130 (passive voice and idioms); 50 of 58, 5 of 117; 46 of 57, 3 of 90; 47 of 60, 1 of 90; 45
    # of 53, 4 of 75; 36 of 40, 2 of 55. One value and three rules were themselves wrong: mended, and left out
    "rules_of_many_genres": Holds(1163, 753, 726),
    # as models write them: 61 of 82, 3 of 100 (`F = ma` of the mass alone was the mass, `mgh, with g = 9.8 m/s²` was
    # 9.8 m / s², and 42 / 56 x 100 % was 0.75, which is 75 %)
    "rules_of_a_stranger": Holds(100, 82, 80),
    # 73 of 100, 2 of 120: `base pay plus commission on sales` was base pay plus sales; PE = mgh, with g = 9.81 m/s²
    "rules_of_a_second_stranger": Holds(120, 100, 100),
    "rules_of_a_third_stranger": Holds(130, 110, 91),  # on the reader before the lists above: 64 of 110, 1 of 130
    # after them: 84 of 110, 3 of 130 (twice as many as Jan minus 5; a semi-perimeter; the energy for the speed of
    # m v²/2 = E)
    "rules_of_a_fourth_stranger": Holds(130, 110, 99),
    # everyday school problems and science: 72 of 110, 2 of 130, and 71 of 110, 8 of 130: two things said that
    # contradict each other (half of the beads, so used = beads / 3), a clause that converts and was left out, `divided
    # by one minus`, `choose 2 out of n` as 2 / n
    "rules_of_a_fifth_stranger": Holds(130, 110, 105),
    "rules_of_a_sixth_stranger": Holds(130, 110, 101),
    # 80 of 110, 4 of 130: two clauses that define (where the area is the square of the side length), a third of those
    # who are not, liters of a volume in mL
    "rules_of_a_seventh_stranger": Holds(130, 110, 101),
    "rules_of_an_eighth_stranger": Holds(130, 110, 102),  # 76 of 110, none wrong
    # 78 of 110, 1 of 130: the sum of length·width, length·height and width·height was that of the three lengths
    "rules_of_a_ninth_stranger": Holds(130, 110, 102),
    # 80 of 110, 2 of 130: what stands behind the colon of `the ratio is 5:3`, and |A ∪ B|, one node with |A ∩ B|
    "rules_of_a_tenth_stranger": Holds(130, 110, 103),
    # 65 of 110, 2 of 130: `cost minus salvage value, spread evenly over the life` divided the last alone, and `length ×
    # width` took another field's perimeter for the width
    "rules_of_an_eleventh_stranger": Holds(130, 110, 101),
    # 87 of 110, 2 of 130: `the product of rows and seats per row, then remove the broken seats` took these for a third
    # factor, and `combine the two rates appropriately` added. These two are refused now; nothing else was mended on it
    "rules_of_a_twelfth_stranger": Holds(130, 110, 87),
    "rules_of_a_thirteenth_stranger": Holds(130, 110, 48),  # of many sciences, not looked at: 48 of 110, none wrong
    # school problems: 52 of 110, 2 of 130: `+ 1 at the given x` multiplied, and PV = nRT gave P
    "rules_of_a_fourteenth_stranger": Holds(130, 110, 55),
    # whole sentences of two more, school problems (fifteenth, seventeenth) and sciences: 57, 49, 35 and 39 of 110, 1,
    # 1, 3 and 0 of 130. Nothing was mended on them but these; one is left, where minus binds last by rule
    "rules_of_a_fifteenth_stranger": Holds(130, 110, 57),
    "rules_of_a_sixteenth_stranger": Holds(
        130, 110, 49,
        ("As the ambulance approaches, the observed frequency equals the siren frequency multiplied by the speed of "
         "sound and divided by the speed of sound minus the ambulance's speed",),
    ),
    "rules_of_a_seventeenth_stranger": Holds(130, 110, 35),
    "rules_of_an_eighteenth_stranger": Holds(130, 110, 39),
    # half of them formulas; short instructions; as four kinds of models say them: 102 of 120, 3 (N(t) = ... and nCr =
    # ... as products; metres and kilograms added, a mismatch of units, executed as it is written); 89 of 90; 71 of 90.
    # Only N(t), nCr and ROI (%) were mended, and a sentence with two changes that raised
    "rules_and_formulas_of_a_nineteenth_stranger": Holds(
        150, 120, 105, ("The total is the sum of the length and the mass.",)
    ),
    "rules_of_a_twentieth_stranger": Holds(110, 90, 89),
    "rules_of_a_twenty_first_stranger": Holds(110, 90, 72),
    # by one who knew the forms: neighbours that mislead, then lists run before they were looked at, each mended before
    # the next: 102 of 116, 6 of 135; 78 of 99, 4 of 120 (15 % off for the discount, people minus 2, an average that is
    # a sum, a change behind a comma); 58 of 83, 0 of 99; 37 of 41, 5 of 70 (price (5), where it is 6). Left: an energy
    "rules_beside_the_forms": Holds(503, 375, 341, ("F = q E",)),
    # by one who knew the reader: near misses, and 140 rules of other kinds: of these 82 of 129, 6 wrong as before
    "rules_beside_the_definitions": Holds(227, 157, 123),
    # the same: 137 near misses, and 172 rules of other kinds, of which two lists were run before they were looked at
    "rules_beside_the_arithmetic": Holds(309, 138, 118),
    # 54 of 95, 5 of 110: log as ln in pH, `m2*a` of two equations, 100 % as 1, P(D|+) as P(D). Left: a sine to invert
    "formulas_of_a_stranger": Holds(110, 95, 93),
    # by one who knew the reader: 158 wrong: mv^2 as (m v)^2, PV/RT as P V T / R, `x, capped at 5` as x. Left: what a
    # letter means elsewhere, a mean of °C and K
    "formulas_that_mislead": Holds(633, 581, 445, ("T_avg = (T1 + T2)/2", "f = μN", "h = v*t - 4.9*t^2")),
    # LaTeX, g and 2g, 2L, indices, superscripts, by one who had read the reader: 26 of 49, 14 of 60: v^2/2g was 98 for
    # 9.99, v_0t was v_0, (1+r)ⁿ was (1+r) n, and metres stood for masses
    "formulas_of_textbooks": Holds(60, 49, 49, digits=1e-6),
    # a formula for each rule of the fifteenth to eighteenth list by a model that read no code and saw no values. Words
    # alone: 180 of 440, 1 wrong. With formulas 418, none; two refusals of ours were mended (a root of a difference and
    # an angle cannot be compared at any point)
    "formulas_beside_four_lists": Holds(520, 440, 420),
}  # fmt: skip
GRAPHS = {"graphs_of_a_stranger": 37, "graphs_of_a_second_stranger": 28, "graphs_of_a_third_stranger": 27,
          "graphs_of_a_fourth_stranger": 32}  # fmt: skip
WRONG_KINDS = {2046: "its formula gives no speed, and the unit says so"}


def lines_of(name):
    return [json.loads(line) for line in (FOLDER / f"{name}.jsonl").read_text(encoding="utf-8").splitlines()]


def rules_of(name):
    """The rules of a list; where it holds formulas alone, they say to which rule of which other list they belong."""
    lines = lines_of(name)
    others = {line["list"]: lines_of(f"rules_of_{line['list']}_stranger") for line in lines if "line" in line}
    return [others[line["list"]][line["line"] - 1] | line if "line" in line else line for line in lines]


def told(one, digits):
    """Whether a rule is right or wrong, None where it has no value; and what it gave."""
    edge = {"cause": list(one["causes"]), "effect": one["effect"], "rule": one["rule"]}
    edge |= {"formula": one["formula"]} if "formula" in one else {}
    others = one.get("knowns", {})
    edges = [edge, *({"cause": [name], "effect": f"{name}_again", "rule": f"{name}_again = {name}"} for name in others)]
    dag = {"target_variable": one["effect"], "knowns": one["causes"] | others, "causal_graph": edges}
    dag |= {"units": {one["effect"]: one["unit"]}} if "unit" in one else {}
    graph, expected = read_reasoning(dag).graph, one["value"]
    value = execute(graph).target
    if "unit" in one:
        return check_answer(graph, quantity_of(f"{expected} {one['unit']}")).agrees, value
    right = value is not None and expected is not None and math.isclose(value, expected, rel_tol=digits)
    return None if value is None else right, value


@pytest.mark.parametrize("name", LISTS)
def test_so_many_rules_of_a_list_are_right_and_no_other_wrong(name):
    holds, given = LISTS[name], rules_of(name)
    outcomes = [(one, *told(one, holds.digits)) for one in given]
    wrong = [(one["rule"], value, one["value"]) for one, is_right, value in outcomes if is_right is False]
    said = sum(one["value"] is not None for one in given)
    assert (len(given), said) == (holds.rules, holds.said)
    assert sorted(rule for rule, _, _ in wrong) == sorted(holds.wrong), wrong
    left = [one["rule"] for one, is_right, _ in outcomes if is_right is None and one["value"] is not None]
    assert sum(is_right is True for _, is_right, _ in outcomes) >= holds.right, "\n".join(left)


def test_every_list_is_in_a_table():
    assert {path.stem for path in FOLDER.glob("*.jsonl")} == LISTS.keys() | GRAPHS.keys()


@pytest.mark.parametrize("name", GRAPHS)
def test_what_executes_has_the_value_that_the_rules_mean(name):
    """Whole reasoning graphs: what executes has the value that a careful person computes (docs/faithfulness.md has the
    figures of the first run)."""
    right, wrong = 0, []
    for problem in lines_of(name):
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
    assert wrong == [] and right >= GRAPHS[name]


def test_a_cause_exchanged_for_a_stranger_is_hardly_ever_taken():
    """The rules of rules_of_many_genres.jsonl with a value, each of their causes exchanged for one of another rule:
    what the words name is no longer there. With two more lists 95 of 1,501 were still executed before kinds, labels
    and general words were told apart, and 23 after; half of those name a thing by another name (mass, total mass)."""
    given = [one for one in lines_of("rules_of_many_genres") if one["value"] is not None]
    given = [one for one in given if not set("=*+") & set(one["rule"])]
    names, rng = [name for one in given for name in one["causes"]], random.Random(5)
    tried = taken = 0
    for one in given:
        for cause in one["causes"]:
            other = rng.choice(names)
            causes = {other if name == cause else name: value for name, value in one["causes"].items()}
            tried += other not in one["causes"]
            taken += other not in one["causes"] and executed(one["rule"], causes, one["effect"]) is not None
    assert tried > 1000 and taken < 0.025 * tried
