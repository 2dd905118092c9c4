"""Population: does a model know real distributions, P(V1 given V2 = v) in a stated population?

The truth is microdata (truth.py); a model is asked in one or several modes
(modes.py); the baselines `uniform`, `marginal` and `perfect` (draws from the truth: the ceiling) answer
without being asked.

A cell is one model on one condition in one mode:

    item = task/condition,  e.g. gss_party_by_sex/female         variant = mode, e.g. qa

Its unit of work asks as often as the mode needs (orders of options, draws, levels). All replies are stored, and read
and scored again from the store (answers.py).
"""

from __future__ import annotations

import json
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import asdict, dataclass, fields, replace
from fnmatch import fnmatchcase
from functools import cached_property
from pathlib import Path
from typing import Annotated

import numpy as np

from trueness.errors import PlanError, UnknownName, did_you_mean, listed
from trueness.models import Message, Reply, Settings
from trueness.outside import Json
from trueness.running.cells import Ask, Cell, Outcome, PlanContext, reply_key, stream
from trueness.settings import Between, Hint, Names, OneOf, Positive, SomeNames, Temperature, Whole, temperature_to_send
from trueness.statistics.reach import Reach
from trueness.studies.population.answers import REFERENCES
from trueness.studies.population.elicitation import Exchange, Form, Manner
from trueness.studies.population.modes import elicit, most_calls, opening, read_answer
from trueness.studies.population.questions import MODES, Question, builtin, read_questions
from trueness.studies.population.scores import MEASURES, Scales
from trueness.studies.population.truth import PopulationTruth, truth_of, truth_to_dict
from trueness.texts import counted

EXCERPT = 70  # characters of an unreadable reply that the terminal shows
VERSION = 1  # raise when the same plan would ask other questions


@dataclass(frozen=True)
class PopulationSettings:
    """The [population] table of a plan."""

    tasks: Annotated[SomeNames, Hint('Try ["gss_*"].')]
    models: Names = ()
    modes: Annotated[Names, OneOf(MODES)] = ()
    references: Names = REFERENCES
    repeats: Whole = 1
    draws: Whole = 128
    permutations: Whole = 128
    temperature: Temperature = 1.0
    claim_temperature: Temperature = 0.1
    top_logprobs: Annotated[int, Between(1, 1000, closed=True)] = 20
    max_tokens: Whole = 256
    timeout: Positive = 120.0

    def manner(self) -> Manner:
        stated = {one.name: getattr(self, one.name) for one in fields(Manner)}
        sent = {name: temperature_to_send(stated[name]) for name in ("temperature", "claim_temperature")}
        return Manner(**stated | sent)


@dataclass(frozen=True)
class Population:
    """The checked plan of a population study; `cells()` is what models are asked."""

    models: dict[str, dict[str, Json]]  # name -> options
    questions: tuple[Question, ...]  # with the modes in which each is asked
    references: tuple[str, ...]
    manner: Manner
    repeats: int
    limit_usd: float | None
    seed: int

    name = "population"
    headline = ("score", "skill_uniform", "skill_marginal", "tv")
    measures = MEASURES
    level = 0.95

    @classmethod
    def from_plan(cls, table: Mapping[str, Json], context: PlanContext) -> Population:
        """From the [population] table of a plan, beside its [models.*] tables."""
        settings = context.settings_of("population", PopulationSettings, table)
        study = cls(
            models=context.models_of(settings.models),
            questions=tuple(_questions(settings, context.folder, context.file)),
            references=_references(settings.references, context.file),
            manner=settings.manner(),
            repeats=settings.repeats,
            limit_usd=context.limit_usd,
            seed=context.seed,
        )
        for name in study.truths:  # a mistake in the data is said now
            for mode in study.question(name).modes:
                study.question(name).check_mode(mode)
        return study

    @cached_property
    def truths(self) -> dict[str, PopulationTruth]:
        """Task -> its truth, whose question has the levels that the data gave it."""
        return {q.name: truth_of(q, stream(self.seed, f"truth {q.name}")) for q in self.questions}

    def question(self, name: str) -> Question:
        return self.truths[name].question

    def cells(self) -> list[Cell]:
        """In an order that keeps shared text together: model, task, mode, condition."""
        return [
            self._cell(model, name, mode, condition)
            for model in self.models
            for name, truth in self.truths.items()
            for mode in truth.question.modes
            for condition in truth.conditions
        ]

    def _cell(self, model: str, task: str, mode: str, condition: str) -> Cell:
        question = self.question(task)
        form, manner = Form.of(question, condition), self._manner(model)
        messages, settings = opening(mode, form, manner)
        common = {
            "task": task,
            "condition": condition,
            "mode": mode,
            "form": form,
            "manner": manner,
            "messages": messages,
            "settings": settings,
            "calls": most_calls(mode, len(form.levels), manner),
        }
        question_key = reply_key(model, self.models[model], messages, settings, "")
        identity = {
            "task": self.name, "version": VERSION, "question": question_key, "mode": mode, "draws": manner.draws,
            "permutations": manner.permutations, "second_prompt": form.second_prompt, "seed": self.seed,
        }  # fmt: skip
        return Cell(f"{task}/{condition}", mode, model, self.repeats, common, identity)

    def _manner(self, model: str) -> Manner:
        """The plan's manner with what the options of a model fix."""
        options = self.models[model]
        fixed = {name: options[name] for name in ("temperature", "max_tokens", "timeout") if name in options}
        return replace(
            self.manner, **fixed, **({"claim_temperature": options["temperature"]} if "temperature" in options else {})
        )

    def reach(self) -> list[str]:
        """What this design can show: by its number of sources, and by its number of draws."""
        modes = {mode for question in self.questions for mode in question.modes}
        respondents = len(self.models) * len(modes) + len(self.references)
        sources, pairs = len({question.source for question in self.questions}), respondents * (respondents - 1) // 2
        sentences = [
            f"Comparing {respondents} respondents of population (a model in one mode is one) in pairs over "
            f"{counted(sources, 'source')} (the units): {Reach(sources, pairs)}"
        ] * (pairs > 0)
        few = [] if modes.isdisjoint({"sample", "story"}) else self._uninformative()
        if few:
            sentences.append(
                f"From {self.manner.draws} draws a perfect sampler cannot be told from a uniform one in {len(few)} of "
                f"{len(self.truths)} tasks ({listed(few)}): no score there in sample and story. More draws help."
            )
        return sentences

    def _uninformative(self) -> list[str]:
        """Tasks without a score at the planned number of draws."""
        scales = Scales(self.seed)
        return [
            name
            for name, truth in self.truths.items()
            if not scales.of(
                truth, np.arange(len(truth.conditions)), np.full(len(truth.conditions), float(self.manner.draws))
            ).informative
        ]

    def perform(self, cell: Cell, repeat: int, ask: Ask) -> Outcome:
        """Ask for one condition as often as its mode needs, and read the replies."""
        model, form, options = cell.respondent, cell.common["form"], self.models[cell.respondent]
        rng = stream(self.seed, f"{cell.item} {cell.variant} repeat {repeat}")

        def send(messages: Sequence[Message], settings: Settings, salt: str) -> tuple[str, Reply]:
            salt = f"repeat {repeat} {salt}".rstrip()
            return reply_key(model, options, messages, settings, salt), ask(model, messages, settings, salt)

        mode: str = cell.common["mode"]
        exchanges = elicit(mode, form, cell.common["manner"], send, rng)
        answer = read_answer(mode, form, exchanges)
        replies = [exchange.reply for exchange in exchanges]
        costs = [reply.cost for reply in replies if reply.cost is not None]
        return {
            "status": str(answer.status),
            "message": answer.message,
            "seconds": sum(reply.seconds for reply in replies),
            "answer": json.dumps(_record_of(mode, exchanges)),
            "scores": {},
            "cost": sum(costs) if costs else None,
            "excerpt": " ".join(replies[-1].text.split())[:EXCERPT] if replies else "",
        }

    def describe(self, item: str, respondent: str) -> dict[str, Json]:
        return dict(zip(("task", "condition"), item.split("/", 1), strict=True))

    def about(self) -> dict[str, Json]:
        """What the tables of a population study need beside its replies: the truths above all."""
        return {
            "truths": {name: truth_to_dict(truth) for name, truth in self.truths.items()},
            "references": list(self.references),
            "models": list(self.models),
            "manner": asdict(self.manner),
        }


def _record_of(mode: str, exchanges: Sequence[Exchange]) -> dict[str, object]:
    """Which stored replies answer a unit, and as what they are to be read."""
    return {
        "used": mode,
        "replies": [
            {"role": e.role, "key": e.key, **({"order": e.order} if e.order else {}), "about": e.about}
            for e in exchanges
        ],
    }


# ---- checking a plan


def _questions(settings: PopulationSettings, folder: Path, file: str) -> Iterator[Question]:
    """The tasks named: built-in names, patterns such as gss_*, or task files; with the modes they are asked in."""
    modes = settings.modes
    seen: set[str] = set()
    for question in (question for name in settings.tasks for question in _find_questions(name, folder)):
        if "/" in question.name:
            raise PlanError(f"the name of a population task must have no '/', got {question.name!r}.  ({file})")
        if question.name in seen:
            raise PlanError(f"'tasks' of [population] must name each task once, got {question.name!r} twice.  ({file})")
        seen.add(question.name)
        chosen = tuple(mode for mode in modes or question.modes if mode in question.modes)  # in the plan's order
        if not chosen:
            raise PlanError(
                f"task {question.name!r} must be made for one of {listed(modes)}, got {listed(question.modes)} in its "
                f"'modes'. Add one there, or leave the task out.  ({file}, [population])"
            )
        yield replace(question, modes=chosen)


def _find_questions(name: str, folder: Path) -> list[Question]:
    if name.endswith((".toml", ".json")):
        return list(read_questions(folder / name))
    questions = [question for question in builtin() if fnmatchcase(question.name, name)]
    if not questions:
        raise UnknownName("population task", name, [question.name for question in builtin()])
    return questions


def _references(references: Sequence[str], file: str) -> tuple[str, ...]:
    names = tuple(name if name.startswith("baseline/") else f"baseline/{name}" for name in references)
    for name in names:
        if name not in REFERENCES:
            raise PlanError(
                f"'references' must be of {listed(REFERENCES)}, got {name!r}. {did_you_mean(name, REFERENCES)}  "
                f"({file}, [population])"
            )
    return names
