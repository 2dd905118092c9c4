"""A label made from what was expected is certain or it is none."""

import itertools

from tests.each import each
from trueness.studies.faithfulness.right_answers import certainly

SAME = [
    ("Evelyn", r"\text{Evelyn}", r"\(\text{Evelyn}\)", "evelyn."),
    (r"\((3, \frac{\pi}{2})\)", r"\left( 3, \frac{\pi}{2} \right)", r"(3,\dfrac{\pi}{2})", r"$(3, \frac{\pi}{2})$"),
    ("(A)", "A", r"\text{(A)}", "a", r"\boxed{A}"),
    ("p - q", "p-q", r"\(p - q\)", "{p - q}"),
    ("5 dollars", "$5", r"\$5", "5 USD", "5"),
    ("50%", 0.5, "0.5", r"50\%", "50 percent"),
    (r"\frac{14}{3}", r"\(\frac{14}{3}\)", "14/3", 4.6667),
    ("70000", r"\$70,000", 70000, {"value": 70000, "unit": "USD"}),
    (r"\(\frac{8}{3} \, \text{m/s}\) or approximately \(2.67 \, \text{m/s}\)", "2.667", "2.667 m/s"),
    ("6.04 m", "604 cm", {"value": 6.04, "unit": "m"}),
    ("x+y", "x + y"),
    ("yes", "Yes", r"\textbf{yes}"),
]
OTHER = [
    (6, 7), ("9", "25"), ("-0.0723 Hz", "0.0320"), ("30 degrees", "120"), ("Evelyn", r"\text{Briana}"),
    ("(A)", "B"),
    ("increase", "decrease"), ("5 m", "5 s"), ("5 dollars", "$6"), ("50%", "0.6"), ("5 m", "604 cm"),
    ("yes", "none"),
]  # fmt: skip
UNSURE = [
    ("left", 6), ("p - q", "q - p"), ("p - q", "-(q - p)"), ("1 km", "1000"), ("90 km/h", "25"), ("2 hours", "120"),
    ("increase", "increases"), ("Evelyn", "Evelyn Carter"), ("5 or 6", "6"), ("five", 5), ("x = 2 or x = 3", "2, 3"),
    ("a circle", "an ellipse"), ("3 apples", "3 pears"), (r"\sqrt{2}+1", r"1+\sqrt{2}"), ("", 5), (None, 5),
    ("(1, 2)", "(2, 1)"),
]  # fmt: skip


def both_ways(groups):
    return [pair for group in groups for pair in itertools.permutations(group, 2)]


@each("answer, expected", both_ways(SAME))
def test_typesetting_makes_no_wrong_answer(answer, expected):
    assert certainly(answer, expected) is True


@each("answer, expected", both_ways(OTHER))
def test_what_is_another_one_for_certain_is_wrong(answer, expected):
    assert certainly(answer, expected) is False


@each("answer, expected", both_ways(UNSURE))
def test_what_nobody_can_be_sure_of_has_no_label(answer, expected):
    assert certainly(answer, expected) is None
