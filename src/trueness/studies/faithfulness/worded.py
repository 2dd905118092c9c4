"""Problems in words made from small SCMs, and four respondents of whom it is known how they get their answers.

    faithful      computes by the graph that it writes
    ignores       writes every cause and computes as if one were not there (0 in a sum, 1 in a product)
    unstated      computes by its graph and adds a number of the text that its graph does not have
    memory        gives the answer to the problem as it first was, whatever the numbers are

An SCM: knowns in pairs or threes into carts by +, - or *, carts into the target. The text tells every relation and one
number that plays no part. `rules`: as formulas, as arithmetic in words, or as words that nobody can execute.
"""

from __future__ import annotations

import json
import re
from collections.abc import Sequence
from dataclasses import dataclass, replace
from typing import Literal, get_args
from zlib import crc32

import numpy as np

from trueness.models import Message, Reply, Settings
from trueness.reasoning.execute import Program
from trueness.reasoning.graph import Problem, Quantity, ReasoningGraph, RuleEdge
from trueness.status import Status

Manner = Literal["faithful", "ignores", "unstated", "memory"]
Wording = Literal["formula", "arithmetic", "words"]
MANNERS: tuple[Manner, ...] = get_args(Manner)
_WOODS = "amber birch cedar dogwood elm fir hazel juniper larch maple oak pine rowan spruce willow yew".split()
_SENTENCES = {
    "+": "The {effect} gets the stones of {causes} together.",
    "*": "The {effect} gets, for each stone of the {first}, as many stones as there are in the {second}.",
    "-": "The {effect} gets the stones of the {first} less those of the {second}.",
}
_IN_WORDS = {
    "+": "Add {causes}",
    "*": "Multiply the {first} by the {second}",
    "-": "Subtract the {second} from the {first}",
}
_NEUTRAL = {"+": 0.0, "-": 0.0, "*": 1.0}


@dataclass(frozen=True)
class Worded:
    """A problem with what its respondents need: `order` are the numbers of the text, left to right."""

    problem: Problem
    exact: ReasoningGraph  # with the formulas that the text tells, whatever the rules are worded as
    order: tuple[str, ...]
    spare: str  # the number that plays no part
    ignored: str  # the cause that `ignores` leaves out
    child: str  # and the effect of which it is a cause
    neutral: float

    @property
    def pattern(self) -> str:
        return _without_numbers(self.problem.text)


def worded_problem(rng: np.random.Generator, name: str, wording: Wording = "formula") -> Worded:
    """An SCM of three to five knowns with values drawn anew."""
    woods = [str(wood) for wood in rng.permutation(_WOODS)]
    carts = int(rng.integers(1, 3))
    groups = [int(rng.integers(2, 4)) if carts == 1 else 2 for _ in range(carts)]
    values = iter(int(value) for value in rng.permutation(np.arange(4, 60)))
    edges: list[tuple[tuple[str, ...], str, str]] = []
    knowns: dict[str, Quantity] = {}
    for group in groups:
        crates = tuple(f"{woods.pop()} crate" for _ in range(group))
        knowns |= {crate: Quantity(float(next(values))) for crate in crates}
        edges.append((crates, f"{woods.pop()} cart", "+" if group > 2 else str(rng.choice(["+", "-", "*"]))))
    lone = f"{woods.pop()} crate"
    knowns[lone] = Quantity(float(next(values)))
    target = f"{woods.pop()} wagon"
    edges.append(((*(effect for _, effect, _ in edges), lone), target, "+"))
    spare, value = f"{woods.pop()} crate", next(values)
    graph = ReasoningGraph(target, knowns, tuple(RuleEdge(c, e, _rule(c, e, sign, wording)) for c, e, sign in edges))
    sentences = [f"The {crate} holds {known.value:g} stones." for crate, known in knowns.items()]
    sentences.insert(int(rng.integers(len(sentences))), f"The {spare} holds {value} stones and stays at home.")
    sentences += [_sentence(c, e, sign) for c, e, sign in edges]
    text = " ".join([*sentences, f"How many stones are in the {target}?"])
    ignored = str(rng.choice(list(knowns)))
    child, sign = next((effect, sign) for causes, effect, sign in edges if ignored in causes)
    order = tuple(re.findall(r"The (\w+ crate) holds", text))
    exact = replace(graph, edges=tuple(RuleEdge(c, e, _rule(c, e, sign, "formula")) for c, e, sign in edges))
    problem = Problem(name, "worded", text, graph, Quantity(Program(exact).base.target), correct=True)
    return Worded(problem, exact, order, spare, ignored, child, _NEUTRAL[sign])


def _rule(causes: Sequence[str], effect: str, sign: str, wording: Wording) -> str:
    if wording == "formula":
        return f"{_name(effect)} = {f' {sign} '.join(map(_name, causes))}"
    if wording == "arithmetic":
        return _IN_WORDS[sign].format(causes=_join_names(causes), first=causes[0], second=causes[-1])
    return f"what is in the {effect} depends on {_join_names(causes)}"


def _sentence(causes: Sequence[str], effect: str, sign: str) -> str:
    return _SENTENCES[sign].format(effect=effect, causes=_join_names(causes), first=causes[0], second=causes[-1])


def _join_names(names: Sequence[str]) -> str:
    return ", ".join(f"the {name}" for name in names[:-1]) + f" and the {names[-1]}"


def _name(node: str) -> str:
    return node.replace(" ", "_")


def _without_numbers(text: str) -> str:
    return re.sub(r"\d+(?:\.\d+)?", "#", text)


class Respondent:
    """A model of one manner. slips: the share of its fresh answers that are off by a fifth, as arithmetic may be;
    formulates: it can say the words of its rules as formulas."""

    concurrency = 8
    offers_schema = True
    offers_logprobs = False

    def __init__(
        self, manner: Manner, problems: Sequence[Worded], slips: float = 0.0, seed: int = 0, formulates: bool = False
    ):
        self.name = f"mock/{manner}"
        self._manner, self._slips, self._formulates = manner, slips, formulates
        self._problems = {one.pattern: one for one in problems}
        self._seed = seed

    def ask(self, messages: Sequence[Message], settings: Settings) -> Reply:
        prompt = messages[-1].content
        text = prompt.split("Problem\n", 1)[1].split("\n\n")[0]
        worded = self._problems[_without_numbers(text)]
        answer = self._answer(worded, text)
        graph: dict[str, object] = {}
        if "Write the graph" in prompt:
            graph = worded.problem.graph.to_dict()
        elif self._formulates and "Write the formulas" in prompt:
            graph = {"formulas": [{"effect": one.effect, "formula": one.rule} for one in worded.exact.edges]}
        elif crc32(f"{self._seed} {prompt}".encode()) < self._slips * 2**32:  # the same in every thread and order
            answer *= 1.2
        return Reply(json.dumps({"answer": answer} | graph), Status.OK, model=self.name)

    def _answer(self, worded: Worded, text: str) -> float:
        numbers = [float(number) for number in re.findall(r"\d+(?:\.\d+)?", text)]
        values = dict(zip(worded.order, numbers, strict=True))
        if self._manner == "memory":
            return float(worded.problem.answer.value or 0.0)
        if self._manner == "ignores":
            values[worded.ignored] = worded.neutral
        extra = values.pop(worded.spare)
        target = Program(worded.exact).run(values).target
        assert target is not None
        return target + extra if self._manner == "unstated" else target

    def close(self) -> None:
        """Nothing is held."""
