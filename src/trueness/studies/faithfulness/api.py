"""Evaluate a reasoning graph, or many, with a judge or without one.

    evaluate(dag, problem, reasoning, judge="openai/gpt-x").cf
    evaluate_batch([{"dag": ..., "problem_text": ..., "reasoning_trajectory": ...}, ...], judge=None)
    evaluate_intervention(dag, problem, judge=...)
    evaluate_counterfactual(problem, model="openai/gpt-x").share()
    evaluate_behaviour(problem, model="openai/gpt-x").score

`judge`: a model's name, a Model, several of them, or None for what can be executed. Nothing in a graph, a reasoning or
a reply raises: what cannot be scored has a status and a sentence, and a batch goes on. The same prompt to the same
judge is asked once.
"""

from __future__ import annotations

import threading
from collections import Counter
from collections.abc import Callable, Iterator, Mapping, Sequence
from concurrent.futures import Future, ThreadPoolExecutor
from contextlib import contextmanager
from dataclasses import replace

import numpy as np

from trueness import models
from trueness.errors import DataError
from trueness.models import Message, Model, Reply, Settings
from trueness.outside import Json
from trueness.reading.reasoning_graph import read_formulas, read_reasoning
from trueness.reasoning.graph import Problem, Quantity, ReasoningGraph
from trueness.reasoning.problems import id_of
from trueness.reasoning.rules import with_formulas
from trueness.reasoning.schema import quantity_of
from trueness.running.calling import CallerMistake, WatchedCall
from trueness.status import Status
from trueness.studies.faithfulness.batch import Batch
from trueness.studies.faithfulness.behaviour import MOST_CHANGES, Behaviour, behaviour_of, questions_of_behaviour
from trueness.studies.faithfulness.counterfactual import (
    Following,
    OwnGraph,
    Whose,
    changed_of,
    given_graph,
    question_of_formulas,
    read_own_graph,
    with_own_formulas,
)
from trueness.studies.faithfulness.described import component_lines, lines_of, tell
from trueness.studies.faithfulness.judge_reliability import reliability
from trueness.studies.faithfulness.judging import Asking, Judgement, Send, ask_judge, of_problem, questions_of
from trueness.studies.faithfulness.probes import Probe, ProbeQuestion, ask_about, settings_for
from trueness.studies.faithfulness.ratings import Item
from trueness.studies.faithfulness.right_answers import label_of
from trueness.studies.faithfulness.scores import COMPONENTS, Component, Evaluation, Scoring, combine, score_problem

Entry = Mapping[str, Json]  # of a problem: dag, problem_text, reasoning_trajectory, answer, ...
Dag = Mapping[str, Json] | str | ReasoningGraph
Judge = str | Model | Sequence[str | Model] | None
Job = tuple[Problem, ProbeQuestion, int]  # and the repeat
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
    if verbose:
        tell(component_lines(whole, "causal_intervention"))
    return whole.components["causal_intervention"]


def evaluate_counterfactual(
    problem: str | Entry | Problem,
    model: str | Model,
    *,
    nodes: int | None = None,
    asking: Asking | None = None,
) -> Following:
    """The model solves the problem, writes its graph, and is asked the problem with each known of its graph changed.

    nodes: at most so many changes. Of a text alone whether the graph is right is not known.
    """
    to_solve = _problem_to_solve(problem)
    asking = asking or Asking()
    with _senders(model) as senders:
        ((name, (send, at_once)),) = senders.items()

        def ask(question: ProbeQuestion) -> Reply:
            return send(question.messages, settings_for(question.probe.kind, asking.settings, asking.structured), "")

        graph = _written_graph(to_solve, ask)
        questions = graph.questions(nodes)
        with ThreadPoolExecutor(max(1, at_once)) as pool:
            replies = list(pool.map(ask, questions))
    if graph.problem is None:
        return Following(graph)
    pairs = zip(questions, replies, strict=True)
    return Following(graph, tuple(changed_of(graph.problem, one, name, 0, reply, "own") for one, reply in pairs))


def evaluate_behaviour(
    problem: str | Entry | Problem,
    model: str | Model,
    *,
    changes: int = MOST_CHANGES,
    graph: Whose = "own",
    asking: Asking | None = None,
) -> Behaviour:
    """The model solves the problem and writes its graph; then it is asked the problem fresh, as it is and with one
    number of its text changed, for so many knowns and two numbers that its graph calls irrelevant. graph="given": the
    graph of the problem speaks for it, as for a model that can write none."""
    to_solve = _problem_to_solve(problem)
    asking = asking or Asking()
    with _senders(model) as senders:
        ((name, (send, at_once)),) = senders.items()

        def ask(question: ProbeQuestion) -> Reply:
            return send(question.messages, settings_for(question.probe.kind, asking.settings, asking.structured), "")

        if graph == "given":
            solved = given_graph(to_solve)
        else:
            solved = _written_graph(to_solve, ask)
        questions = [] if solved.problem is None else questions_of_behaviour(solved.problem, changes)
        with ThreadPoolExecutor(max(1, at_once)) as pool:
            replies = list(pool.map(ask, questions))
    read = {question.probe: (question.changed, reply) for question, reply in zip(questions, replies, strict=True)}
    return behaviour_of(solved, read, name, 0, to_solve.id, changes)


def _written_graph(problem: Problem, ask: Callable[[ProbeQuestion], Reply]) -> OwnGraph:
    own = read_own_graph(ask(ask_about(problem, Probe("own_graph"))), problem)
    further = question_of_formulas(own)
    return own if further is None else with_own_formulas(own, ask(further), problem)


def with_formulas_of(
    problems: Sequence[Entry | Problem], model: str | Model, *, asking: Asking | None = None
) -> tuple[list[Entry | Problem], list[Reply]]:
    """The problems with formulas that a model wrote beside their rules in words, one question a graph that has such
    rules, and the replies. A formula that leaves out what the words say is kept and not executed; an entry whose graph
    cannot be read stays as it is."""
    asking, completed = asking or Asking(), list(problems)
    read = [problem_of(entry, place) for place, entry in enumerate(problems, start=1)]
    good = {place: one for place, one in enumerate(read) if isinstance(one, Problem)}
    questions = {place: ask_about(one, Probe("formulas")) for place, one in good.items()}
    questions = {place: question for place, question in questions.items() if question.messages}
    settings = settings_for("formulas", asking.settings, asking.structured)
    with _senders(model) as senders:
        ((send, at_once),) = senders.values()
        with ThreadPoolExecutor(max(1, at_once)) as pool:
            replies = list(pool.map(lambda question: send(question.messages, settings, ""), questions.values()))
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
    evaluated: Sequence[str] = (),
    labels: Mapping[Item, float] | None = None,
    seed: int = 0,
    verbose: bool = False,
) -> Batch:
    """Problems of the package, or mappings with dag, problem_text, reasoning_trajectory and, if known, answer, id,
    method, source (its file) and whether the answer is right: `correct`, or what was `expected`.

    evaluated: names of the models whose reasoning this is. labels: see reliability.read_labels. verbose: prints each.
    """
    scoring, asking = scoring or Scoring(), asking or Asking()
    read = [problem_of(entry, place, scoring) for place, entry in enumerate(problems, start=1)]
    good = [one for one in read if isinstance(one, Problem)]
    twice = next((name for name, count in Counter(problem.id for problem in good).items() if count > 1), None)
    if twice is not None:
        raise DataError(
            f"the ids of problems in a batch must be unique, got {twice!r} twice. Leave them out or rename one."
        )
    jobs: list[Job] = (
        []
        if judge is None
        else [
            (problem, question, repeat)
            for place, problem in enumerate(good)
            for question in questions_of(problem, asking, np.random.default_rng([seed, place]))
            for repeat in range(asking.repeats)
        ]
    )
    with _senders(judge) as senders:
        judgements = [j for name, (send, at_once) in senders.items() for j in _ask(jobs, name, send, at_once, asking)]
    evaluations = tuple(
        score_problem(one, of_problem(judgements, one.id), scoring) if isinstance(one, Problem) else one for one in read
    )
    for evaluation in evaluations if verbose else ():
        tell(lines_of(evaluation))
    trust = reliability(judgements, evaluations, evaluated=evaluated, labels=labels, level=scoring.level)
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


def missing_evaluation(problem: Problem, status: Status, message: str, scoring: Scoring | None = None) -> Evaluation:
    """Of a problem that has no graph: nothing has a value."""
    parts = {name: Component(name, None, (0.0, 1.0), status, 0, 1, None, message) for name in COMPONENTS}
    return replace(combine(problem, parts, scoring or Scoring(), {}, {}), message=message)


def _ask(jobs: Sequence[Job], name: str, send: Send, at_once: int, asking: Asking) -> Iterator[Judgement]:
    """Side by side, as many as the model takes; the order of the result does not depend on it."""
    with ThreadPoolExecutor(max(1, at_once)) as pool:
        yield from pool.map(lambda job: ask_judge(job[0], job[1], name, job[2], send, asking), jobs)


@contextmanager
def _senders(judge: Judge) -> Iterator[dict[str, tuple[Send, int]]]:
    """Name -> how to ask it. Models that were made here are closed here."""
    judges = [] if judge is None else [judge] if isinstance(judge, str | Model) else list(judge)
    made: list[Model] = []
    senders: dict[str, tuple[Send, int]] = {}
    try:
        for entry in judges:
            model = models.build(entry) if isinstance(entry, str) else entry
            if isinstance(entry, str):
                made.append(model)
            senders[model.name] = (_Remembering(model).ask, model.concurrency)
        yield senders
    finally:
        for model in made:
            model.close()


class _Remembering:
    """A model that is asked the same once: a thread that asks what is being asked waits for that reply. Whatever the
    model does is a Reply (running/calling.py)."""

    def __init__(self, model: Model):
        self.model = model
        self._replies: dict[tuple[tuple[Message, ...], str, str], Future[Reply]] = {}
        self._lock = threading.Lock()

    def ask(self, messages: Sequence[Message], settings: Settings, salt: str) -> Reply:
        key = (tuple(messages), str(settings.to_dict()), salt)
        with self._lock:
            known = self._replies.get(key)
            mine: Future[Reply] = Future()
            if known is None:
                self._replies[key] = mine
        if known is not None:
            return known.result()
        try:
            mine.set_result(WatchedCall(self.model, self.model.name, messages, settings).reply())
        except CallerMistake as mistake:  # what only the user can mend, in its own words
            mine.set_exception(mistake.__cause__ or mistake)
        except BaseException as error:
            mine.set_exception(error)
        return mine.result()
