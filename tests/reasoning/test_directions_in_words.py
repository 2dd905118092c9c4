"""Which way an effect goes, by words: said rightly, or not at all."""

import pytest

from trueness.reading.reasoning_graph import read_reasoning
from trueness.reasoning.directions import direction_to_target, word_signs
from trueness.reasoning.execute import Program


@pytest.mark.parametrize(
    ("text", "causes", "effect", "signs"),
    [
        ("The pressure increases with temperature", ("temperature",), "pressure", {"temperature": 1}),
        ("Pressure rises with the temperature", ("gas temperature",), "pressure", {"gas temperature": 1}),
        ("inversely proportional to the square of the distance", ("distance",), "force", {"distance": -1}),
        ("f' is inversely proportional to L", ("L",), "f'", {"L": -1}),
        ("proportional to field strength, charge, and speed", ("charge", "speed", "field strength"), "force",
         {"charge": 1, "speed": 1, "field strength": 1}),
        ("The more rain, the higher the river level", ("rain",), "river level", {"rain": 1}),
        ("The longer the wire, the smaller the current", ("length of wire",), "current", {"length of wire": -1}),
        ("Demand decreases as the price increases", ("price",), "demand", {"price": -1}),
        ("Friction reduces the final speed", ("friction", "initial speed"), "final speed", {"friction": -1}),
    ],
)  # fmt: skip
def test_words_say_which_way(text, causes, effect, signs):
    assert word_signs(text, causes, effect) == signs


@pytest.mark.parametrize(
    "text",
    [
        "The speed does not increase with mass",
        "The speed increases with mass up to a point",
        "The speed first increases, then decreases with mass",
        "The speed increases with mass or length",
        "The speed may increase with mass",
        "The speed depends on the mass",
        "The height increases with the mass",  # of another effect
        "The speed increases with the temperature",  # no cause
        "The speed increases if the mass increases",
        "The speed rises with mass and falls with length",  # two statements
        "Current is proportional to the ratio of mass to length",
        "The speed is proportional to the difference between mass and length",
        "The speed increases with the mass, which decreases with the length",
        "The speed is maximal when the mass increases",
        "",
    ],
)
def test_what_words_leave_open_stays_open(text):
    assert word_signs(text, ("mass", "length"), "speed") == {}


def test_signs_multiply_along_a_path_and_paths_must_agree():
    edges = [
        {"cause": "load", "effect": "friction", "rule": "friction increases with load"},
        {"cause": ["friction", "push"], "effect": "speed", "rule": "speed = push - friction"},
    ]
    dag = {"target_variable": "speed", "knowns": {"load": 3, "push": 9}, "causal_graph": edges}
    program = Program(read_reasoning(dag).graph)
    assert [direction_to_target(program, known) for known in ("load", "push")] == [-1, 1]
    edges.append({"cause": "load", "effect": "push", "rule": "push is proportional to load"})
    del dag["knowns"]["push"]
    assert direction_to_target(Program(read_reasoning(dag).graph), "load") is None
