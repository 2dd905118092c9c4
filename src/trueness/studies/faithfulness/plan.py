"""Faithfulness: does a piece of reasoning depend on what it says it depends on?

What can be executed is executed when the study is read (faithfulness_study.py); it costs no cell. Cells are what is
asked. An item is a problem, or a damaged copy of one (`corrupt = true`): physics-braking, physics-braking~rule_swapped.

    variant judge            a judge on one problem: every question about it (nodes, knowns, logic), one unit a repeat
    variant behaviour        a model under evaluation on one right problem: it solves it and writes its graph; then the
                             problem fresh: as it is, and with one number of its text changed at a time (behaviour.py);
                             behaviour = "given": the graph of the file

All replies are stored, and read and scored again from the store.
"""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass, field, replace
from functools import cached_property, partial
from pathlib import Path
from typing import Annotated

from trueness.errors import PlanError, SettingError, did_you_mean, listed
from trueness.models import Settings
from trueness.outside import Json, is_there
from trueness.reasoning.graph import Problem
from trueness.reasoning.problems import DOMAINS, load_problems, read_problems
from trueness.running.cells import Cell, PlanContext, hash_of, reply_key, stream
from trueness.running.stage import Ask, Outcome
from trueness.settings import Between, Names, OneOf, Positive, Temperature, Whole, temperature_to_send
from trueness.statistics.reach import Reach
from trueness.studies.faithfulness.behaviour import MOST_CHANGES, MOST_IRRELEVANT, questions_of_behaviour
from trueness.studies.faithfulness.judge_reliability import read_labels
from trueness.studies.faithfulness.known_groups import RIGHT, group_of, with_damaged
from trueness.studies.faithfulness.probes import (
    SCHEMAS,
    Asking,
    Manner,
    Probe,
    ProbeQuestion,
    ask_about,
    questions_of,
    settings_for,
    template,
)
from trueness.studies.faithfulness.right_answers import with_labels
from trueness.studies.faithfulness.scores import COMPONENTS, Scoring
from trueness.studies.faithfulness.work import perform
from trueness.texts import counted

VERSION = 1  # raise when the same plan would ask other questions
MANNERS: tuple[Manner, ...] = ("plain", "reversed", "padded")
GRAPHS = ("own", "given")


@dataclass(frozen=True)
class FaithfulnessSettings:
    """The [faithfulness] table of a plan; `weights`, `prefer`, `graph` and `logic` are those of Scoring."""

    problems: Names = ()
    judges: Names = ()
    models: Names = ()
    evaluated: Names = ()
    changes: Annotated[int, Between(0, 20, closed=True)] = MOST_CHANGES
    behaviour: Annotated[str, OneOf(GRAPHS)] = "own"
    corrupt: bool = False
    judged: Whole | Names | None = None
    manners: Annotated[Names, OneOf(MANNERS)] = ()
    nodes: Whole | None = None
    repeats: Whole = 1
    structured: bool = True
    temperature: Temperature = 0.1
    max_tokens: Whole = 512
    timeout: Positive = 120.0
    labels: str = ""
    weights: dict[str, float] = field(default_factory=dict)
    prefer: str = ""
    graph: str = ""
    logic: str = ""


@dataclass(frozen=True)
class Faithfulness:
    """The checked plan of a faithfulness study; `cells()` is what judges and models are asked."""

    sources: tuple[tuple[str, tuple[Problem, ...]], ...]  # a domain or a file, and its problems
    judges: tuple[str, ...]
    evaluated: tuple[str, ...]  # models whose reasoning this is; those in `solvers` are asked the changed problems
    solvers: tuple[str, ...]
    changes: int  # knowns of the graph that are changed in the problem's text
    behaviour: str  # own, given: whose graph says how the answer must move then
    models: dict[str, dict[str, Json]]  # name -> options, of judges and of those asked
    corrupt: bool
    judged: int | tuple[str, ...] | None  # problems of each source, or their ids, that judges and models see
    asking: Asking
    scoring: Scoring
    labels: str  # the text of the CSV, "" where there is none
    limit_usd: float | None
    seed: int

    name = "faithfulness"
    headline = ("cf", *COMPONENTS)
    measures = ("cf", *COMPONENTS)
    level = 0.95

    @classmethod
    def from_plan(cls, table: Mapping[str, Json], context: PlanContext) -> Faithfulness:
        """From the [faithfulness] table of a plan, beside its [models.*] tables."""
        where = f"{context.file}, [faithfulness]"
        options = context.settings_of("faithfulness", FaithfulnessSettings, table)
        task = cls(
            sources=tuple(_sources(options.problems, context.folder, where)),
            judges=options.judges,
            evaluated=tuple(dict.fromkeys((*options.evaluated, *options.models))),
            solvers=options.models,
            changes=options.changes,
            behaviour=options.behaviour,
            models=context.models_of(dict.fromkeys((*options.judges, *options.models))),
            corrupt=options.corrupt,
            judged=options.judged,
            asking=_asking(options, where),
            scoring=_scoring(table, where),
            labels=_labels(options.labels, context.folder, where),
            limit_usd=context.limit_usd,
            seed=context.seed,
        )
        known = [problem.id for _, problems in task.sources for problem in problems]
        for name in task.judged if isinstance(task.judged, tuple) else ():
            if name not in known:
                raise PlanError(
                    f"'judged' must be ids of problems, got {name!r}. {did_you_mean(name, known)}  ({where})"
                )
        return task

    @cached_property
    def problems(self) -> tuple[Problem, ...]:
        """All, each followed by its damaged copies."""
        right = [problem for _, problems in self.sources for problem in problems]
        return tuple(with_damaged(right, stream(self.seed, "damage")) if self.corrupt else right)

    def cells(self) -> list[Cell]:
        seen = [problem for problem in self.problems if group_of(problem.id)[0] in self._ids_asked_about]
        judging = [self._judge_cell(judge, problem) for judge in self.judges for problem in seen]
        right = [problem for problem in seen if group_of(problem.id)[1] == RIGHT and problem.answer.value is not None]
        probed = [self._behaviour_cell(model, one) for model in self.solvers for one in right]
        return [cell for cell in (*judging, *probed) if cell.common["calls"]]

    @property
    def _ids_asked_about(self) -> set[str]:
        """Ids of the problems that anybody is asked about; the rest is executed only."""
        if isinstance(self.judged, tuple):
            return set(self.judged)
        return {problem.id for _, problems in self.sources for problem in problems[: self.judged]}

    def _judge_cell(self, judge: str, problem: Problem) -> Cell:
        rng = stream(self.seed, f"nodes {problem.id}")
        return self._cell(judge, problem, "judge", questions_of(problem, self.asking, rng))

    def _behaviour_cell(self, model: str, problem: Problem) -> Cell:
        """How many questions there will be is known when the model has written its graph; `calls` is a guess."""
        if self.behaviour == "given":
            questions = questions_of_behaviour(problem, self.changes)
            return self._cell(model, problem, "behaviour", questions, changes=self.changes)
        later = 1 + min(self.changes, len(problem.graph.knowns)) + MOST_IRRELEVANT if self.changes else 0
        question = ask_about(problem, Probe("own_graph"))
        return self._cell(model, problem, "behaviour", [question], later, changes=self.changes)

    def _cell(
        self,
        model: str,
        problem: Problem,
        variant: str,
        questions: Sequence[ProbeQuestion],
        later: int = 0,
        **more: int,
    ) -> Cell:
        """later: calls that only the replies will tell."""
        to_ask = [question for question in questions if question.messages]
        longest = max(
            to_ask, key=lambda q: sum(len(m.content) for m in q.messages), default=ProbeQuestion(Probe("logic"))
        )
        common = {
            "problem": problem,
            "questions": to_ask,
            "left_out": [question.probe for question in questions if not question.messages],
            "calls": len(to_ask) + later,
            "messages": longest.messages,
            "settings": self._settings(model, longest),
        }
        keys = [reply_key(model, self.models[model], q.messages, self._settings(model, q), "") for q in to_ask]
        identity = {"task": self.name, "version": VERSION, "variant": variant, "questions": hash_of(" ".join(keys))}
        identity = {**identity, "problem": problem.id, **more}
        return Cell(problem.id, variant, model, self.asking.repeats, common, identity)

    def _settings(self, model: str, question: ProbeQuestion) -> Settings:
        options, base = self.models[model], self.asking.settings
        fixed = Settings(
            temperature=options.get("temperature", base.temperature),
            max_tokens=options.get("max_tokens", base.max_tokens),
            timeout=options.get("timeout", base.timeout),
        )
        return settings_for(question.probe.kind, fixed, self.asking.structured)

    def perform(self, cell: Cell, repeat: int, ask: Ask) -> Outcome:
        model = cell.respondent
        settings_of = partial(self._settings, model)
        return perform(cell, repeat, ask, self.models[model], settings_of, self.changes)

    def reach(self) -> list[str]:
        """Groups of graphs are compared; judges are held against one another by their agreement, without a test."""
        groups = len({group_of(problem.id)[1] for problem in self.problems})
        if groups < 2 or not self.judges:
            return []
        asked_about = len(self._ids_asked_about)
        return [
            f"Comparing cf of right graphs and {groups - 1} kinds of damaged ones in pairs over "
            f"{counted(asked_about, 'problem')} (the units): {Reach(asked_about, groups * (groups - 1) // 2)}"
        ]

    def describe(self, item: str, respondent: str) -> dict[str, Json]:
        problem, group = group_of(item)
        return {"problem": problem, "group": group}

    @property
    def notes(self) -> list[str]:
        """What a plan should say before anything is asked."""
        right = sum(len(problems) for _, problems in self.sources)
        copies = len(self.problems) - right
        notes = [
            f"{right} problems and {copies} damaged copies are executed, intervened on and inverted; no call needed."
        ]
        if not self.judges:
            notes.append("No judge is asked: logic is missing, and cf has bounds and no value.")
        elif self.asking.repeats == 1:
            notes.append("Each judge is asked once: how far it agrees with itself will not be known. Set repeats = 2.")
        if self.solvers and self.behaviour == "own":
            notes.append("How many calls models take is a guess: the graphs that they write decide it.")
        if self.judges and not self.corrupt:
            notes.append("Without corrupt = true nothing shows whether judges tell right from damaged graphs.")
        return notes

    def about(self) -> dict[str, Json]:
        """What the study needs beside its replies: the problems above all."""
        return {
            "problems": [problem.to_dict() for problem in self.problems],
            "judges": list(self.judges),
            "models": list(self.solvers),
            "changes": self.changes,
            "behaviour": self.behaviour,
            "evaluated": list(self.evaluated),
            "scoring": {
                "weights": dict(self.scoring.weights),
                "prefer": self.scoring.prefer,
                "graph": self.scoring.graph,
                "logic": self.scoring.logic,
                "level": self.scoring.level,
            },
            "labels": self.labels,
            "corrupt": self.corrupt,
            "prompts": {
                kind: {"version": template(kind)[0], "hash": hash_of("\n".join(template(kind)))} for kind in SCHEMAS
            },
        }


# ---- checking a plan


def _sources(sources: Sequence[str], folder: Path, where: str) -> Iterator[tuple[str, tuple[Problem, ...]]]:
    """Domains of the package, or JSONL files."""
    names = sources or DOMAINS
    seen: set[str] = set()
    for name in names:
        if name in DOMAINS:
            problems = load_problems(name)
        elif is_there(folder / name):
            problems = with_labels(read_problems(folder / name), folder / name)
        else:
            raise PlanError(
                f"'problems' must be of {', '.join(DOMAINS)}, or a JSONL file, got {name!r}, which is neither. "
                f"{did_you_mean(name, DOMAINS)}  ({where})"
            )
        twice = [problem.id for problem in problems if problem.id in seen]
        if twice:
            raise PlanError(f"the ids of problems must be unique, got {listed(twice)} twice.  ({where})")
        seen |= {problem.id for problem in problems}
        yield name, tuple(replace(problem, source=problem.source or name) for problem in problems)


def _asking(options: FaithfulnessSettings, where: str) -> Asking:
    manners = options.manners or ("plain",)
    if "plain" not in manners:
        raise PlanError(f"'manners' must hold 'plain', which is what is scored, got {listed(manners)}.  ({where})")
    temperature = temperature_to_send(options.temperature)
    return Asking(
        repeats=options.repeats,
        manners=tuple(manner for manner in MANNERS if manner in manners),
        nodes=options.nodes,
        structured=options.structured,
        settings=Settings(temperature=temperature, max_tokens=options.max_tokens, timeout=options.timeout),
    )


def _scoring(table: Mapping[str, Json], where: str) -> Scoring:
    settings = {name: table[name] for name in ("weights", "prefer", "graph", "logic") if name in table}
    try:
        return Scoring(**settings)
    except SettingError as error:
        raise PlanError(f"{error}  ({where})") from None


def _labels(name: str, folder: Path, where: str) -> str:
    if not name:
        return ""
    path = folder / name
    if not is_there(path):
        raise PlanError(f"'labels' must be a CSV file, got {name!r}, which is not there.  ({where})")
    read_labels(path)  # a mistake in it is said now
    return path.read_text(encoding="utf-8-sig")
