"""Evaluate a reasoning graph, or many, with a judge or without one.

    evaluate(dag, problem, reasoning, judge="openai/gpt-x").cf
    evaluate_batch([{"dag": ..., "problem_text": ..., "reasoning_trajectory": ...}, ...], judge=None)
    evaluate_intervention(dag, problem, judge=...)
    evaluate_behaviour(problem, model="openai/gpt-x").score

`judge`: a model's name, a Model, several of them, or None for what can be executed. Nothing in a graph, a reasoning or
a reply raises: what cannot be scored has a status and a sentence, and a batch goes on. The same prompt to the same
judge is asked once.
"""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterable, Iterator, Mapping, Sequence
from concurrent.futures import ThreadPoolExecutor
from contextlib import contextmanager
from dataclasses import dataclass, replace

import numpy as np

from trueness import models
from trueness.errors import DataError
from trueness.models import Model, Reply
from trueness.outside import Json
from trueness.printing import say
from trueness.reading.reasoning_graph import read_formulas, read_reasoning
from trueness.reasoning.graph import Problem, Quantity, ReasoningGraph
from trueness.reasoning.problems import id_of
from trueness.reasoning.rules import with_formulas
from trueness.reasoning.schema import quantity_of
from trueness.running.calling import CallerMistake, WatchedCall
from trueness.status import Status
from trueness.studies.faithfulness.batch import Batch
from trueness.studies.faithfulness.behaviour import (
    MOST_CHANGES,
    Behaviour,
    behaviour_of,
    questions_of_behaviour,
    read_own_graph,
)
from trueness.studies.faithfulness.judge_reliability import reliability
from trueness.studies.faithfulness.probes import (
    Asking,
    Judgement,
    Probe,
    ProbeQuestion,
    ask_about,
    questions_of,
    verdict_of,
)
from trueness.studies.faithfulness.right_answers import label_of
from trueness.studies.faithfulness.scores import (
    NODES,
    Component,
    Evaluation,
    Scoring,
    missing_evaluation,
    score_problem,
)

Entry = Mapping[str, Json]  # of a problem: dag, problem_text, reasoning_trajectory, answer, ...
Dag = Mapping[str, Json] | str | ReasoningGraph
Judge = str | Model | Sequence[str | Model] | None
_NO_GRAPH = ReasoningGraph("", {}, ())


def evaluate(
    dag: Dag,
    problem: str = "",
    reasoning: str = "",
    judge: Judge = None,
    *,
    answer: object = None,
    scoring: Scoring | None = None,
    asking: Asking | None = None,
    seed: int = 0,
    verbose: bool = False,
) -> Evaluation:
    """The faithfulness of one piece of reasoning. `answer`: what it gave as the result (10, "5 m/s^2")."""
    entry = {"dag": dag, "problem_text": problem, "reasoning_trajectory": reasoning, "answer": answer}
    return evaluate_batch([entry], judge, scoring=scoring, asking=asking, seed=seed, verbose=verbose).evaluations[0]


def evaluate_intervention(
    dag: Dag,
    problem: str = "",
    judge: Judge = None,
    *,
    scoring: Scoring | None = None,
    seed: int = 0,
    verbose: bool = False,
) -> Component:
    """Causal intervention alone."""
    asking = Asking(kinds=("intervention",))
    whole = evaluate(dag, problem, "", judge, scoring=scoring, asking=asking, seed=seed)
    for line in _component_lines(whole, "causal_intervention") if verbose else ():
        say(line)
    return whole.components["causal_intervention"]


def evaluate_behaviour(
    problem: str | Entry | Problem,
    model: str | Model,
    *,
    changes: int = MOST_CHANGES,
    asking: Asking | None = None,
) -> Behaviour:
    """The model solves the problem and writes its graph; then it is asked the problem fresh, as it is and with one
    number of its text changed, for so many knowns and two numbers that its graph calls irrelevant."""
    to_solve = _problem_to_solve(problem)
    with _asked(model, asking) as (asked,):
        (written,) = asked.replies([ask_about(to_solve, Probe("own_graph"))])
        solved = read_own_graph(written, to_solve)
        questions = [] if solved.problem is None else questions_of_behaviour(solved.problem, changes)
        replies = asked.replies(questions)
    read = {question.probe: (question.changed, reply) for question, reply in zip(questions, replies, strict=True)}
    return behaviour_of(solved, read, asked.name, 0, to_solve.id, changes)


def with_formulas_of(
    problems: Sequence[Entry | Problem], model: str | Model, *, asking: Asking | None = None
) -> tuple[list[Entry | Problem], list[Reply]]:
    """The problems with formulas that a model wrote beside their rules in words, one question a graph that has such
    rules, and the replies. A formula that leaves out what the words say is kept and not executed; an entry whose graph
    cannot be read stays as it is."""
    completed, read = list(problems), [problem_of(entry, place) for place, entry in enumerate(problems, start=1)]
    good = {place: one for place, one in enumerate(read) if isinstance(one, Problem)}
    questions = {place: ask_about(one, Probe("formulas")) for place, one in good.items()}
    questions = {place: question for place, question in questions.items() if question.messages}
    with _asked(model, asking) as (asked,):
        replies = asked.replies(questions.values())
    for place, reply in zip(questions, replies, strict=True):
        graph = with_formulas(good[place].graph, read_formulas(reply.text))
        completed[place] = replace(good[place], graph=graph)
    return completed, replies


def _problem_to_solve(problem: str | Entry | Problem) -> Problem:
    if isinstance(problem, Problem):
        return problem
    entry = {"problem_text": problem} if isinstance(problem, str) else problem
    text = str(entry.get("problem_text") or "")
    if not text.strip():
        raise DataError("a problem that a model is to solve must have a text, got none.")
    return Problem(id_of(entry, "problem"), "", text, _NO_GRAPH, _answer(entry))


def _answer(entry: Entry) -> Quantity:
    answer = entry.get("answer")
    return answer if isinstance(answer, Quantity) else Quantity(None) if answer is None else quantity_of(answer)


def evaluate_batch(
    problems: Sequence[Entry | Problem],
    judge: Judge = None,
    *,
    scoring: Scoring | None = None,
    asking: Asking | None = None,
    seed: int = 0,
    verbose: bool = False,
) -> Batch:
    """Problems of the package, or mappings with dag, problem_text, reasoning_trajectory and, if known, answer, id,
    method, source (its file) and whether the answer is right: `correct`, or what was `expected`.

    verbose: prints each.
    """
    scoring, asking = scoring or Scoring(), asking or Asking()
    read = [problem_of(entry, place, scoring) for place, entry in enumerate(problems, start=1)]
    good = [one for one in read if isinstance(one, Problem)]
    twice = next((name for name, count in Counter(problem.id for problem in good).items() if count > 1), None)
    if twice is not None:
        raise DataError(
            f"the ids of problems in a batch must be unique, got {twice!r} twice. Leave them out or rename one."
        )
    asked = [
        (problem, question)
        for place, problem in enumerate(good if judge is not None else ())
        for question in questions_of(problem, asking, np.random.default_rng([seed, place]))
    ]
    judgements: list[Judgement] = []
    with _asked(judge, asking) as judges:
        for one in judges:
            replies = iter(one.replies((question for _, question in asked if question.messages), asking.repeats))
            for problem, question in asked:
                for repeat in range(asking.repeats):
                    verdict = verdict_of(next(replies) if question.messages else None, problem, question.probe)
                    judgements.append(Judgement(problem.id, question.probe, one.name, repeat, verdict))
    by_problem: dict[str, list[Judgement]] = {problem.id: [] for problem in good}
    for judgement in judgements:
        by_problem[judgement.problem].append(judgement)
    evaluations = tuple(
        score_problem(one, by_problem[one.id], scoring) if isinstance(one, Problem) else one for one in read
    )
    for line in (line for evaluation in evaluations if verbose for line in _lines(evaluation)):
        say(line)
    trust = reliability(judgements, evaluations, level=scoring.level)
    return Batch(evaluations, tuple(judgements), trust if judgements else None, scoring.level)


def problem_of(entry: Entry | Problem, place: int = 1, scoring: Scoring | None = None) -> Problem | Evaluation:
    """A problem; where its graph cannot be read, the evaluation that says so."""
    if isinstance(entry, Problem):
        return entry
    answer, dag = _answer(entry), entry.get("dag")
    words = ("domain", "problem_text", "reasoning_trajectory", "method", "source")
    domain, text, reasoning, method, source = (str(entry.get(key) or "") for key in words)
    problem = Problem(
        id_of(entry, f"problem {place}"), domain, text, _NO_GRAPH, answer, reasoning,
        method=method, source=source, correct=label_of(entry, answer),
    )  # fmt: skip
    if isinstance(dag, ReasoningGraph):
        return replace(problem, graph=dag)
    reading = read_reasoning(dag)  # type: ignore[arg-type]
    status = reading.status
    if reading.graph is None or status in (Status.UNREADABLE, Status.REFUSED):
        return missing_evaluation(
            problem, status if status is not Status.OK else Status.UNREADABLE, reading.message, scoring
        )
    return replace(problem, graph=reading.graph)


# ---- asking


@dataclass(frozen=True)
class _Asked:
    """A model that is asked the same once. Whatever it does is a Reply (running/calling.py)."""

    model: Model
    asking: Asking

    @property
    def name(self) -> str:
        return self.model.name

    def replies(self, questions: Iterable[ProbeQuestion], repeats: int = 1) -> list[Reply]:
        """Question by question with its repeats; asked side by side, as many as the model takes."""
        asked = [(question, repeat) for question in questions for repeat in range(repeats)]
        keys = [(one.messages, str(self.asking.settings_of(one).to_dict()), repeat) for one, repeat in asked]
        once = {key: one for key, (one, _) in zip(keys, asked, strict=True)}
        with ThreadPoolExecutor(max(1, self.model.concurrency)) as pool:
            told = dict(zip(once, pool.map(self._ask, once.values()), strict=True))
        return [told[key] for key in keys]

    def _ask(self, question: ProbeQuestion) -> Reply:
        try:
            return WatchedCall(self.model, self.name, question.messages, self.asking.settings_of(question)).reply()
        except CallerMistake as mistake:  # what only the user can mend, in its own words
            raise mistake.__cause__ or mistake from None


@contextmanager
def _asked(judge: Judge, asking: Asking | None) -> Iterator[list[_Asked]]:
    """The models, each under its name once. Those that were made here are closed here."""
    judges = [] if judge is None else [judge] if isinstance(judge, str | Model) else list(judge)
    made: list[Model] = []
    asked: dict[str, _Asked] = {}
    try:
        for entry in judges:
            model = models.build(entry) if isinstance(entry, str) else entry
            if isinstance(entry, str):
                made.append(model)
            asked[model.name] = _Asked(model, asking or Asking())
        yield list(asked.values())
    finally:
        for model in made:
            model.close()


# ---- an evaluation in lines, for `verbose=True`


def _lines(evaluation: Evaluation) -> Iterator[str]:
    """One line for cf with its band, one per component, one per node."""
    low, high = evaluation.bounds
    band = f", {evaluation.band}" if evaluation.band else ""
    yield f"{evaluation.problem}: cf {_number(evaluation.cf)}{band} (between {low:.3f} and {high:.3f})"
    for name in evaluation.components:
        yield from _component_lines(evaluation, name)


def _component_lines(evaluation: Evaluation, name: str) -> Iterator[str]:
    part = evaluation.components[name]
    source = f" by {part.source}" if part.source else ""
    why = f": {part.message}" if part.message else ""
    yield f"  {name} {_number(part.value)} (n = {part.n}{source}){why}"
    for node in evaluation.nodes.get(NODES[name], ()) if name in NODES else ():
        found = node.report.get("intervention_effect") or node.report.get("reasoning") or node.message or node.status
        yield f"    {node.node} {_number(node.value)}: {found}"


def _number(value: float | None) -> str:
    return "no value" if value is None else f"{value:.3f}"
