"""Random reasoning graphs that can be executed, and rule strings that mean harm."""

import random

from trueness.reasoning.graph import Quantity, ReasoningGraph, RuleEdge

SHAPES = {  # number of causes -> rules; values stay between about 0.1 and 100
    1: [
        "{0} * 3 + 7",
        "sqrt({0}) + 1",
        "20 / {0}",
        "{0}^2 / 9",
        "exp(-{0} / 40) * 5",
        "ln({0} + 2)",
        "abs({0} - 4) + 1",
    ],
    2: [
        "{0} + {1}",
        "{0} * {1} / 8",
        "{0} / {1} + 1",
        "max({0}, {1})",
        "({0} + 2*{1}) / 3",
        "sqrt({0}^2 + {1}^2)",
        "{0} * (1 + {1} / 50)",
    ],
    3: ["{0} + {1} * {2} / 9", "mean({0}, {1}, {2})", "({0} + {1}) / ({2} + 1)", "{0} * {1} / ({1} + {2})"],
}


def random_graph(rng: random.Random, nodes: int = 10, knowns: int = 4) -> ReasoningGraph:
    """Every node reaches the target: what nobody used yet is used first."""
    names = [f"x{i}" for i in range(nodes)]
    edges = []
    unused = names[:knowns]
    for place in range(knowns, nodes):
        left = nodes - place
        wanted = max(1, min(3, len(unused) - left + 1 if left == 1 else rng.randint(1, 3)))
        causes = unused[:wanted] if left == 1 or len(unused) >= wanted else list(unused)
        others = [name for name in names[:place] if name not in causes]
        rng.shuffle(others)
        causes = (causes + others)[:wanted]
        rule = rng.choice(SHAPES[len(causes)]).format(*causes)
        edges.append(RuleEdge(tuple(causes), names[place], f"{names[place]} = {rule}"))
        unused = [name for name in unused if name not in causes] + [names[place]]
    given = {name: Quantity(round(rng.uniform(0.5, 30), 2)) for name in names[:knowns]}
    return ReasoningGraph(names[-1], given, tuple(edges))


PIECES = [
    lambda n: "(" * n + "x" + ")" * n,
    lambda n: "sqrt(" * n + "x" + ")" * n,
    lambda n: "-" * n + "x",
    lambda n: "not " * n + "x",
    lambda n: "|" * n + "x" + "|" * n,
    lambda n: "x" + "^9" * n,
    lambda n: "9" + "**9" * n,
    lambda n: f"x^{10 ** min(n, 300)}",
    lambda n: f"10^10^{n}",
    lambda n: f"exp(exp(exp({n})))",
    lambda n: "9" * n,
    lambda n: "0." + "1" * n,
    lambda n: f"1e{'9' * min(n, 400)}",
    lambda n: f"1e{n}000000",
    lambda n: "x + " * n + "x",
    lambda n: "x = " * n + "x",
    lambda n: "max(" + "x," * n + "x)",
    lambda n: "().__class__.__bases__[0].__subclasses__()" + " " * n,
    lambda n: "__import__('os').system('true')" + "#" * n,
    lambda n: "x.real" + ".real" * n,
    lambda n: "(lambda x: x)(x)" * n,
    lambda n: "[x for x in (1,)]" * n,
    lambda n: "x[" * n + "0" + "]" * n,
    lambda n: "{" * n + "x" + "}" * n,
    lambda n: "\\frac{x}{" * n + "x" + "}" * n,
    lambda n: "x" + "²" * n,
    lambda n: "½" * n,
    lambda n: "open('/etc/passwd').read()" * n,
    lambda n: "eval(x)" + "+eval(x)" * n,
    lambda n: "f'{x!r:>" + "9" * n + "}'",
    lambda n: "'a' * " + "9" * n,
    lambda n: "x\x00" * n,
    lambda n: "％（）［］" * n,
    lambda n: "a b, " * n,
    lambda n: "a: b: = " * n,
    lambda n: "where " * n + "x = 1",
    lambda n: "x(" * n,
    lambda n: "factorial(" + "9" * n + ")",
    lambda n: "sum(" * n + "x",
    lambda n: "x % " * n + "x",
    lambda n: "x" * n,
    lambda n: "= " * n,
    lambda n: "import os;" * n,
    lambda n: "x!" + "!" * n,
    lambda n: f"round(x, {10 ** min(n, 30)})",
    lambda n: "x and " * n + "x",
    lambda n: "2(" * n + "x" + ")" * n,
]
SIZES = (1, 3, 10, 30, 39, 41, 80, 120, 499, 1_000, 20_000, 300_000)


def hostile_rules(count: int, seed: int) -> list[str]:
    """Strings that nest, grow, reach for attributes or are enormous; the first ones go through every piece and size."""
    rng = random.Random(seed)
    grid = [(piece, size) for size in SIZES for piece in PIECES]
    made = []
    for number in range(count):
        piece, size = grid[number] if number < len(grid) else (rng.choice(PIECES), rng.choice(SIZES[:-2]))
        text = piece(size)
        if number >= len(grid):
            text = spoiled(text, rng)
        made.append(text if rng.random() < 0.5 else f"y = {text}")
    return made


def spoiled(text: str, rng: random.Random) -> str:
    """A second string joined on, a character changed, or a cut."""
    choice = rng.randrange(3)
    if choice == 0:
        return text + rng.choice("+-*/^ =(.") + rng.choice(PIECES)(rng.choice(SIZES[:6]))
    at = rng.randrange(len(text))
    return text[:at] + (chr(rng.randrange(32, 0x3000)) if choice == 1 else "") + text[at + 1 :]
