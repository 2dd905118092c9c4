"""Worked problems of our own: text, right graph, reasoning and answer. One JSONL file a domain.

Physics, finance and chemistry have formulas and an executed answer; the everyday stories have rules in words, and the
answer is the direction in which the target moves (increase or decrease). `read_problems` reads files of the same form.
"""

from __future__ import annotations

from collections import Counter
from collections.abc import Mapping
from functools import cache
from pathlib import Path
from typing import Any

from trueness.errors import DataError, UnknownName
from trueness.outside import json_of, text_of
from trueness.reasoning.checks import answers_agree
from trueness.reasoning.graph import Problem, Quantity
from trueness.reasoning.schema import graph_from, quantity_of, status_of
from trueness.status import Status

MAX_PROBLEMS = 100_000
DOMAINS = ("physics", "finance", "chemistry", "everyday")


def load_problems(domain: str | None = None) -> tuple[Problem, ...]:
    """All problems of the package, or those of one domain."""
    if domain is not None and domain not in DOMAINS:
        raise UnknownName("domain of problems", domain, DOMAINS)
    return tuple(problem for name in DOMAINS if domain in (None, name) for problem in _packaged(name))


@cache
def _packaged(domain: str) -> tuple[Problem, ...]:
    return read_problems(Path(__file__).with_name(f"{domain}.jsonl"))


def read_problems(path: Path) -> tuple[Problem, ...]:
    """Problems of a JSONL file; DataError with the line where one cannot be used."""
    lines = text_of(Path(path)).split("\n")
    if len(lines) > MAX_PROBLEMS:
        got = f"{len(lines):,} lines"
        raise DataError(f"{Path(path).name} must have at most {MAX_PROBLEMS:,} problems, got {got}. Take a part.")
    found = [
        _problem(line, f"{Path(path).name}, line {number}") for number, line in enumerate(lines, 1) if line.strip()
    ]
    twice = sorted(name for name, count in Counter(problem.id for problem in found).items() if count > 1)
    if twice:
        raise DataError(f"{Path(path).name}: ids of problems must be unique, got {twice[0]!r} twice. Rename one.")
    return tuple(found)


def _problem(line: str, where: str) -> Problem:
    given = json_of(line, where)
    if not isinstance(given, dict):
        raise DataError(f"{where}: a line must be one JSON object, got {type(given).__name__}.")
    return problem_from(given, where)


def problem_from(given: Mapping[str, Any], where: str = "problem") -> Problem:
    """A problem from its JSON object; `dag` may have what read_reasoning can keep, but must have target and edges."""
    graph, findings = graph_from(given.get("dag"))
    if graph is None or status_of(graph) is Status.UNREADABLE:
        raise DataError(f"{where}: 'dag' must be a reasoning graph. {findings[0].message}")
    text = given.get("problem_text")
    if not isinstance(text, str) or not text.strip():
        raise DataError(f"{where}: 'problem_text' must be the text of the problem, got {text!r:.60}.")
    said = given.get("answer")
    answer = quantity_of(said)
    if isinstance(said, Mapping) and answer.value is None:
        answer = quantity_of(said.get("text", ""), answer.unit)
    tolerance = given.get("tolerance", 0.01)
    if isinstance(tolerance, bool) or not isinstance(tolerance, int | float) or not 0 <= tolerance < 1:
        raise DataError(f"{where}: 'tolerance' must be in [0, 1), got {tolerance!r:.60}. Try 0.01.")
    return Problem(
        str(given.get("id") or where),
        str(given.get("domain") or ""),
        text,
        graph,
        answer,
        str(given.get("reasoning_trajectory") or ""),
        float(tolerance),
        str(given.get("method") or ""),
        str(given.get("source") or ""),
        correct_of(given, answer, float(tolerance)),
    )


def correct_of(given: Mapping[str, Any], answer: Quantity, tolerance: float = 0.01) -> bool | None:
    """Whether an answer is right: as `correct` says, or by `expected`; None where that cannot be known."""
    said, expected = given.get("correct"), given.get("expected", given.get("expected_answer"))
    if isinstance(said, bool):
        return said
    return None if expected is None else answers_agree(answer, quantity_of(expected), tolerance)
