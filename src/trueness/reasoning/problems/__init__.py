"""Worked problems of our own: text, right graph, reasoning and answer. One JSONL file a domain.

Physics, finance and chemistry have formulas and an executed answer; the everyday stories have rules in words, and the
answer is the direction in which the target moves (increase or decrease). `read_problems` reads files of the same form.
"""

from __future__ import annotations

from collections import Counter
from collections.abc import Mapping
from functools import cache
from pathlib import Path

from trueness.errors import DataError, UnknownName
from trueness.outside import json_of, text_of
from trueness.reasoning.checks import answers_agree
from trueness.reasoning.graph import Problem, Quantity
from trueness.reasoning.schema import graph_from, quantity_of, status_of
from trueness.status import Status

MAX_PROBLEMS = 100_000
DOMAINS = ("physics", "finance", "chemistry", "everyday")
_RIGHT, _WRONG = ("true", "yes", "1", "1.0", "right", "correct"), ("false", "no", "0", "0.0", "wrong", "incorrect")


def load_problems(domain: str | None = None) -> tuple[Problem, ...]:
    """All problems of the package, or those of one domain."""
    if domain is not None and domain not in DOMAINS:
        raise UnknownName("domain of problems", domain, DOMAINS)
    return tuple(problem for name in DOMAINS if domain in (None, name) for problem in _load_domain(name))


@cache
def _load_domain(domain: str) -> tuple[Problem, ...]:
    return read_problems(Path(__file__).with_name(f"{domain}.jsonl"))


def read_problems(path: Path) -> tuple[Problem, ...]:
    """Problems of a JSONL file; DataError with the line where one cannot be used."""
    lines = text_of(Path(path)).split("\n")
    if len(lines) > MAX_PROBLEMS:
        got = f"{len(lines):,} lines"
        raise DataError(f"{Path(path).name} must have at most {MAX_PROBLEMS:,} problems, got {got}. Take a part.")
    problems = [
        _problem(line, f"{Path(path).name}, line {number}") for number, line in enumerate(lines, 1) if line.strip()
    ]
    twice = sorted(name for name, count in Counter(problem.id for problem in problems).items() if count > 1)
    if twice:
        raise DataError(f"{Path(path).name}: ids of problems must be unique, got {twice[0]!r} twice. Rename one.")
    return tuple(problems)


def _problem(line: str, where: str) -> Problem:
    record = json_of(line, where)
    if not isinstance(record, dict):
        raise DataError(f"{where}: a line must be one JSON object, got {type(record).__name__}.")
    return problem_from(record, where)


def problem_from(record: Mapping[str, object], where: str = "problem") -> Problem:
    """A problem from its JSON object; `dag` or `graph` may have what read_reasoning can keep, but must have target and
    edges; `problem_text` may be called `problem`, as in a file of `faithfulness check`."""
    graph, findings = graph_from(record.get("dag", record.get("graph")))
    if graph is None or status_of(graph) is Status.UNREADABLE:
        raise DataError(f"{where}: 'dag' must be a reasoning graph. {findings[0].message}")
    text = record.get("problem_text", record.get("problem"))
    if not isinstance(text, str) or not text.strip():
        raise DataError(f"{where}: 'problem_text' must be the text of the problem, got {text!r:.60}.")
    stated = record.get("answer")
    answer = quantity_of(stated)
    if isinstance(stated, Mapping) and answer.value is None:
        answer = quantity_of(stated.get("text", ""), answer.unit)
    tolerance = record.get("tolerance", 0.01)
    if isinstance(tolerance, bool) or not isinstance(tolerance, int | float) or not 0 <= tolerance < 1:
        raise DataError(f"{where}: 'tolerance' must be in [0, 1), got {tolerance!r:.60}. Try 0.01.")
    return Problem(
        id_of(record, where),
        str(record.get("domain") or ""),
        text,
        graph,
        answer,
        str(record.get("reasoning_trajectory") or ""),
        float(tolerance),
        str(record.get("method") or ""),
        str(record.get("source") or ""),
        correct_of(record, answer, float(tolerance)),
    )


def id_of(record: Mapping[str, object], otherwise: str) -> str:
    """0 is an id."""
    stated = record.get("id")
    return otherwise if stated in (None, "") else str(stated)


def correct_of(record: Mapping[str, object], answer: Quantity, tolerance: float = 0.01) -> bool | None:
    """Whether an answer is right: as `correct` says, or by `expected`; None where that cannot be known."""
    stated, expected = record.get("correct"), record.get("expected", record.get("expected_answer"))
    word = str(stated).strip().lower()
    if word in _RIGHT or word in _WRONG:
        return word in _RIGHT
    return None if expected is None else answers_agree(answer, quantity_of(expected), tolerance)
