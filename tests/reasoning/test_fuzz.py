"""Rules and graphs of up to 2,000 characters: none takes above half a second of processor time, none raises."""

import random
import time

from trueness.reading.reasoning_graph import read_reasoning
from trueness.reasoning import Program, graph_quality, sensitivity
from trueness.reasoning.execute import invert_all

SIGNS = (
    "a b |x_1|12|3.5e4| + |-|*|/|^|(|)|=|, |½|²|}|{|√|[|]|;|: |!|π|_|'|.|<|≤|%|\\frac{|\\sqrt{|°C|km/h |mass|sin |log("
)
WORDS = " where |with g = 9.8 m/s^2|the |sum of | and |times |divided by | if | then | else | minus | is the |twice "
PIECES = [*SIGNS.split("|"), *WORDS.split("|")]
NAMES = ["a", "b", "x_1", "mass", "force (N)", "Mass m (kg)", "rate (%)", "T (°C)", "[H+]", "P(A|B)"]
GRAPHS, MOST_SECONDS = 300, 0.5  # 20,000 were run once


def text(rng, length):
    """Pieces in any order, or one or two of them again and again with another one within."""
    if rng.random() < 0.5:
        return "".join(rng.choice(PIECES) for _ in range(length // 3))[:length]
    unit = rng.choice(PIECES) + rng.choice(["", *PIECES])
    repeated = unit * (length // len(unit) + 1)
    cut = rng.randrange(len(repeated))
    return (rng.choice(["", "y = "]) + repeated[:cut] + rng.choice(PIECES) + repeated[cut:])[:length]


def graph(rng):
    names = [rng.choice(NAMES) for _ in range(rng.randint(1, 4))] + [text(rng, 200)] * (rng.random() < 0.1)
    values = {name: rng.choice([2, 0, -1.5, "3 kg", "20 °C", "5 %", text(rng, rng.choice([5, 200]))]) for name in names}
    edges = []
    for _ in range(rng.randint(1, 2)):
        rule = text(rng, rng.choice([10, 40, 120, 300, 499, 800, 2000]))
        formula = {"formula": text(rng, 60)} if rng.random() < 0.3 else {}
        edges.append({"cause": names, "effect": rng.choice(["y", "total", "y (m/s)"]), "rule": rule} | formula)
    return {"target_variable": edges[-1]["effect"], "knowns": values, "causal_graph": edges}


def test_no_rule_and_no_graph_raises_or_takes_long():
    rng = random.Random(7)
    slowest = (0.0, None)
    for k in range(GRAPHS):
        written, began = graph(rng), time.process_time()
        program = Program(read_reasoning(written).graph)
        sensitivity(program)
        invert_all(program)
        graph_quality(program.graph)
        if k:  # the first one loads the units
            slowest = max(slowest, (time.process_time() - began, k))
    assert slowest[0] < MOST_SECONDS, slowest
