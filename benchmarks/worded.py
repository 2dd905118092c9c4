"""Problems in words made from small SCMs, and four respondents of whom it is known how they get their answers.

    faithful      computes by the graph that it writes
    ignores       writes every cause and computes as if one were not there (0 in a sum, 1 in a product)
    unstated      computes by its graph and adds a number of the text that its graph does not have
    memory        gives the answer to the problem as it first was, whatever the numbers are

The text tells every relation and one number that plays no part. `words`: the rules are not formulas.
"""

import json
import re
from dataclasses import dataclass, replace
from zlib import crc32

import numpy as np

from trueness.models import Reply
from trueness.reasoning.execute import Program
from trueness.reasoning.graph import Problem, Quantity, ReasoningGraph, RuleEdge
from trueness.status import Status

MANNERS = ("faithful", "ignores", "unstated", "memory")
WOODS = "amber birch cedar dogwood elm fir hazel juniper larch maple oak pine rowan spruce willow yew".split()
SENTENCES = {
    "+": "The {effect} gets the stones of {causes} together.",
    "*": "The {effect} gets, for each stone of the {first}, as many stones as there are in the {second}.",
    "-": "The {effect} gets the stones of the {first} less those of the {second}.",
}


@dataclass(frozen=True)
class Worded:
    """A problem; `order` are the numbers of its text, `spare` plays no part, `ignored` is what `ignores` leaves out."""

    problem: Problem
    exact: ReasoningGraph
    order: tuple
    spare: str
    ignored: str
    child: str
    neutral: float


def worded_problem(rng, name, wording="formula"):
    """An SCM of three to five knowns with values drawn anew."""
    woods = [str(wood) for wood in rng.permutation(WOODS)]
    carts = int(rng.integers(1, 3))
    groups = [int(rng.integers(2, 4)) if carts == 1 else 2 for _ in range(carts)]
    values = iter(int(value) for value in rng.permutation(np.arange(4, 60)))
    edges, knowns = [], {}
    for group in groups:
        crates = tuple(f"{woods.pop()} crate" for _ in range(group))
        knowns |= {crate: Quantity(float(next(values))) for crate in crates}
        edges.append((crates, f"{woods.pop()} cart", "+" if group > 2 else str(rng.choice(["+", "-", "*"]))))
    lone = f"{woods.pop()} crate"
    knowns[lone] = Quantity(float(next(values)))
    target = f"{woods.pop()} wagon"
    edges.append(((*(effect for _, effect, _ in edges), lone), target, "+"))
    spare, value = f"{woods.pop()} crate", next(values)
    exact = ReasoningGraph(target, knowns, tuple(RuleEdge(c, e, formula(c, e, sign)) for c, e, sign in edges))
    vague = tuple(RuleEdge(c, e, f"what is in the {e} depends on {listed(c)}") for c, e, _ in edges)
    sentences = [f"The {crate} holds {known.value:g} stones." for crate, known in knowns.items()]
    sentences.insert(int(rng.integers(len(sentences))), f"The {spare} holds {value} stones and stays at home.")
    sentences += [SENTENCES[sign].format(effect=e, causes=listed(c), first=c[0], second=c[-1]) for c, e, sign in edges]
    text = " ".join([*sentences, f"How many stones are in the {target}?"])
    ignored = str(rng.choice(list(knowns)))
    child, sign = next((effect, sign) for causes, effect, sign in edges if ignored in causes)
    order = tuple(re.findall(r"The (\w+ crate) holds", text))
    graph = exact if wording == "formula" else replace(exact, edges=vague)
    problem = Problem(name, "worded", text, graph, Quantity(Program(exact).base.target), correct=True)
    return Worded(problem, exact, order, spare, ignored, child, float(sign == "*"))


def formula(causes, effect, sign):
    left, *rights = (name.replace(" ", "_") for name in (effect, *causes))
    return f"{left} = {f' {sign} '.join(rights)}"


def listed(names):
    return ", ".join(f"the {name}" for name in names[:-1]) + f" and the {names[-1]}"


def without_numbers(text):
    return re.sub(r"\d+(?:\.\d+)?", "#", text)


class Respondent:
    """A model of one manner. slips: the share of its fresh answers that are off by a fifth, as arithmetic may be."""

    concurrency, offers_schema, offers_logprobs = 8, True, False

    def __init__(self, manner, problems, slips=0.0, seed=0):
        self.name, self.manner = f"mock/{manner}", manner
        self.slips, self.seed = slips, seed
        self.problems = {without_numbers(one.problem.text): one for one in problems}

    def ask(self, messages, settings):
        prompt = messages[-1].content
        text = prompt.split("Problem\n", 1)[1].split("\n\n")[0]
        worded = self.problems[without_numbers(text)]
        answer, graph = self.answer(worded, text), {}
        if "Write the graph" in prompt:
            graph = worded.problem.graph.to_dict()
        elif crc32(f"{self.seed} {prompt}".encode()) < self.slips * 2**32:  # the same in every thread and order
            answer *= 1.2
        return Reply(json.dumps({"answer": answer} | graph), Status.OK, model=self.name)

    def answer(self, worded, text):
        if self.manner == "memory":
            return worded.problem.answer.value
        numbers = [float(number) for number in re.findall(r"\d+(?:\.\d+)?", text)]
        values = dict(zip(worded.order, numbers, strict=True))
        if self.manner == "ignores":
            values[worded.ignored] = worded.neutral
        extra = values.pop(worded.spare)
        return Program(worded.exact).run(values).target + (extra if self.manner == "unstated" else 0)

    def close(self):
        pass
