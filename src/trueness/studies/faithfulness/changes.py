"""A problem with one number of its text changed, and what a graph says will become of the answer.

    stated       a known from which a path leads to the target: the answer moves, up or down, to t(x') where the rules
                 can be executed; where they are words the way that they say (directions.py), else it only moves.
                 A positive target is not taken to 0 or below: it may be a number of children
    irrelevant   a known without such a path, or a number of the text that the graph does not have: the answer stays

The number is found by its span: in any spelling and unit, and where it stands several times by the words of the known
beside it. What cannot be found for certain is not changed, and `left_out` says why.
"""

from __future__ import annotations

import re
from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from typing import Literal, NamedTuple

from trueness.patterns import late
from trueness.reasoning.directions import direction_to_target
from trueness.reasoning.execute import Program
from trueness.reasoning.graph import Problem
from trueness.reasoning.names import tokens
from trueness.running.cells import hash_of
from trueness.studies.faithfulness.redaction import Hidden, numbers_spelled

Direction = Literal["up", "down", "moves", "stays"]
Role = Literal["stated", "irrelevant"]
MOVED = 0.005  # relative: an answer that differs by less is the same one, rounded
MOST_IRRELEVANT = 2
NOT_THERE = "its value does not stand in the text."
_FACTORS = (1.5, 0.5)  # the second where the first would take a positive target to 0 or below
_FORMULA = late(r"\$[^$]*\$|\\\(.*?\\\)|\S*[\\^_{}=]\S*")  # numbers of a formula belong to it
_DIGITS = late(r"(?<![\w.,^])\d+(?:\.\d+)?(?![\w.,]*\d|\w|[ -]?(?:th|st|nd|rd)\b)")
_NEAR = 5  # words on each side of a number that may name it


class LeftOut(NamedTuple):
    """A known whose number is not changed."""

    known: str
    why: str


@dataclass(frozen=True)
class Change:
    """One changed problem. `before`, `after`: the known's value; `base`, `expected`: the target's, by the graph."""

    known: str
    role: Role
    before: float
    after: float
    text: str
    says: Direction
    base: float | None = None
    expected: float | None = None

    @property
    def factor(self) -> float:
        return self.after / self.before if self.before else 1.0


def direction_of(before: float, after: float) -> Direction:
    """Whole numbers that differ have moved; others where they differ by more than a rounding."""
    whole = before.is_integer() and after.is_integer() and max(abs(before), abs(after)) < 1e7
    if abs(after - before) <= (0.0 if whole else MOVED * max(abs(before), abs(after), 1e-12)):
        return "stays"
    return "up" if after > before else "down"


def changes_of(problem: Problem, most: int) -> tuple[list[Change], list[LeftOut]]:
    """At most so many stated knowns, drawn by their names, and up to two that the graph calls irrelevant."""
    graph, program = problem.graph, Program(problem.graph)
    drawn = sorted(graph.knowns, key=lambda name: hash_of(f"{problem.id} {name}"))
    reach = {name: bool(graph.path_to_target(name)) for name in drawn}
    changes: list[Change] = []
    left: list[LeftOut] = []
    for name in [name for name in drawn if reach[name]] + [name for name in drawn if not reach[name]]:
        role: Role = "stated" if reach[name] else "irrelevant"
        if sum(one.role == role for one in changes) >= (most if reach[name] else MOST_IRRELEVANT):
            continue
        made = _change(problem, program, name, role)
        if isinstance(made, LeftOut):
            left.append(made)
        else:
            changes.append(made)
    lacking = MOST_IRRELEVANT - sum(one.role == "irrelevant" for one in changes)
    if all(one.why != NOT_THERE for one in left):  # else a number of the text may be that known in another form
        changes += list(_other_numbers(problem))[: max(0, lacking)]
    return changes, left


def says_of(program: Program, known: str, factor: float) -> tuple[Direction, float | None]:
    """What a graph says of the target where a known is multiplied."""
    graph, base = program.graph, program.base.target
    value = graph.knowns[known].value
    if not graph.path_to_target(known):
        return "stays", base
    expected = None if base is None or value is None else program.run({known: value * factor if value else 1.0}).target
    if base is None or expected is None:
        sign = direction_to_target(program, known) if value else None
        return ("moves" if not sign else "up" if sign * (value or 0.0) * (factor - 1) > 0 else "down"), None
    return direction_of(base, expected), expected


def _change(problem: Problem, program: Program, name: str, role: Role) -> Change | LeftOut:
    known = problem.graph.knowns[name]
    if known.value is None:
        return LeftOut(name, "it is no number.")
    place = _place(problem, name)
    if isinstance(place, str):
        return LeftOut(name, place)
    start, end, shown = place
    base, expected = program.base.target, None
    for factor in _FACTORS:
        written = _other_value(shown, problem.text[start:end], problem.text[end : end + 10], factor)
        after = known.value * (float(written) / shown) if shown else float(written)
        says, expected = says_of(program, name, after / known.value if known.value else 1.0)
        if after and not impossible(base, expected):
            text = problem.text[:start] + written + problem.text[end:]
            return Change(name, role, known.value, after, text, says, base, expected)
    return LeftOut(
        name, f"the graph takes a target of {base:.6g} to {expected:.6g} by it, and there may be none below 0."
    )


def impossible(base: float | None, expected: float | None) -> bool:
    """-6 children: a positive target that a change takes to 0 or below. Who answers otherwise may be right."""
    return base is not None and expected is not None and base > 0 >= expected


def _place(problem: Problem, name: str) -> tuple[int, int, float] | str:
    """Where the value of a known stands: its span and the number that is written there; else why it is not known."""
    text, graph = problem.text, problem.graph
    places = Hidden(name, graph.knowns[name]).places(text)
    if not places:
        return NOT_THERE
    best = _best(text, places, name)
    rivals = [
        other for other in graph.knowns if other != name and best in Hidden(other, graph.knowns[other]).places(text)
    ]
    if best is None or any(_best(text, places, other) == best for other in rivals):
        return "its value stands in the text several times, and the words beside it do not tell which."
    spelled = [one for one in numbers_spelled(text) if best[0] <= one.start and one.end <= best[1]]
    longest = max(spelled, key=lambda one: one.end - one.start)
    if text[best[0] : best[1]].lower() in ("half", "third", "quarter", "twice", "double", "dozen", "triple"):
        return "its value is a word of comparison."
    return (*best, longest.value)


def _best(text: str, places: Sequence[tuple[int, int]], name: str) -> tuple[int, int] | None:
    """The one place, or the one beside which most words of the name stand, the nearer the more; None for a tie."""
    if len(places) == 1:
        return places[0]
    wanted = tokens(name)

    def nearness(place: tuple[int, int]) -> float:
        after = re.findall(r"[^\W\d_]+", re.split(r"[.;!?]\s", text[place[1] :])[0])[:_NEAR]
        ahead = re.findall(r"[^\W\d_]+", re.split(r"[.;!?]\s", text[: place[0]])[-1])[::-1][:_NEAR]
        sides = ((after, 1.0), (ahead, 0.4))  # a number counts what follows it
        return sum(w / (k + 1) for words, w in sides for k, word in enumerate(words) if tokens(word) & wanted)

    scored = sorted(((nearness(place), place) for place in places), reverse=True)
    return scored[0][1] if scored[0][0] > scored[1][0] + 0.05 else None


def _other_value(shown: float, written: str, behind: str, factor: float = _FACTORS[0]) -> str:
    """Half as much again, as a number that could stand there: whole where it was whole, at most 100 in per cent."""
    factor = 0.5 if behind.lstrip()[:1] in ("%", "p") and shown * factor > 100 else factor
    if float(shown).is_integer():
        changed = float(round(shown * factor))
        return f"{int(changed if changed != shown else shown + 1)}"
    decimals = len(written.partition(".")[2]) if re.fullmatch(r"\d*\.\d+", written) else 3
    return f"{shown * factor:.{max(decimals, 2)}f}" if abs(shown) >= 0.01 else f"{shown * factor:.4g}"


def _other_numbers(problem: Problem) -> Iterator[Change]:
    """Numbers of the text that are no known and stand in no rule: by the graph they do not matter."""
    graph, program = problem.graph, Program(problem.graph)
    rules = " ".join((*(edge.rule for edge in graph.edges), *(step.description for step in graph.plan)))
    used = {one.value for one in numbers_spelled(rules)}
    taken = [span for name in graph.knowns for span in Hidden(name, graph.knowns[name]).places(problem.text)]
    taken += [match.span() for match in _FORMULA.finditer(problem.text)]
    for match in _DIGITS.finditer(problem.text):
        start, end, value = match.start(), match.end(), float(match[0])
        if value in used or any(low < end and start < high for low, high in taken):
            continue
        written = _other_value(value, match[0], problem.text[end : end + 10])
        beside = re.match(r"\s*[^\W\d_]+", problem.text[end:])
        label = f"{match[0]}{beside[0] if beside else ''} (in the text only)"
        text = problem.text[:start] + written + problem.text[end:]
        base = program.base.target
        yield Change(label, "irrelevant", value, float(written), text, "stays", base, base)
