"""Faithfulness: does a piece of reasoning depend on what it says it depends on?

What can be executed is executed when the study is read (faithfulness_study.py); it costs no cell. Cells are what is
asked. An item is a problem, or a damaged copy of one (`corrupt = true`): physics-braking, physics-braking~rule_swapped.

    variant judge            a judge on one problem: every question about it (nodes, knowns, logic), one unit a repeat
    variant behaviour        a model under evaluation on one right problem: it solves it and writes its graph; then the
                             problem fresh: as it is, and with one number of its text changed at a time (behaviour.py)

All replies are stored, and read and scored again from the store.
"""

from __future__ import annotations

import json
from collections import Counter
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import asdict, dataclass, field, replace
from functools import cached_property
from pathlib import Path
from typing import Annotated

from trueness.errors import PlanError, SettingError, did_you_mean, listed
from trueness.models import Reply, Settings
from trueness.outside import Json, is_there
from trueness.reading.verdicts import Verdict
from trueness.reasoning.graph import Problem
from trueness.reasoning.problems import DOMAINS, load_problems, read_problems
from trueness.running.cells import Ask, Cell, Outcome, PlanContext, hash_of, reply_key, stream
from trueness.settings import Between, Names, Positive, Temperature, Whole, temperature_to_send
from trueness.statistics.reach import Reach
from trueness.status import Status
from trueness.studies.faithfulness.behaviour import (
    MOST_CHANGES,
    MOST_IRRELEVANT,
    OwnGraph,
    questions_of_behaviour,
    read_own_graph,
)
from trueness.studies.faithfulness.known_groups import RIGHT, group_of, with_damaged
from trueness.studies.faithfulness.probes import (
    SCHEMAS,
    Asking,
    Probe,
    ProbeQuestion,
    ask_about,
    questions_of,
    settings_for,
    template,
    verdict_of,
)
from trueness.studies.faithfulness.right_answers import with_labels
from trueness.studies.faithfulness.scores import COMPONENTS, Scoring
from trueness.texts import counted

VERSION = 1  # raise when the same plan would ask other questions
EXCERPT = 70  # characters of an unreadable reply that the terminal shows


@dataclass(frozen=True)
class FaithfulnessSettings:
    """The [faithfulness] table of a plan; `weights`, `prefer`, `graph` and `logic` are those of Scoring."""

    problems: Names = ()
    judges: Names = ()
    models: Names = ()
    changes: Annotated[int, Between(0, 20, closed=True)] = MOST_CHANGES
    corrupt: bool = False
    judged: Whole | Names | None = None
    nodes: Whole | None = None
    repeats: Whole = 1
    structured: bool = True
    temperature: Temperature = 0.1
    max_tokens: Whole = 512
    timeout: Positive = 120.0
    weights: dict[str, float] = field(default_factory=dict)
    prefer: str = ""
    graph: str = ""
    logic: str = ""


@dataclass(frozen=True)
class Faithfulness:
    """The checked plan of a faithfulness study; `cells()` is what judges and models are asked."""

    options: FaithfulnessSettings
    sources: tuple[tuple[str, tuple[Problem, ...]], ...]  # a domain or a file, and its problems
    models: dict[str, dict[str, Json]]  # name -> options, of judges and of those asked
    asking: Asking
    scoring: Scoring
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
        sources = tuple(_sources(options.problems, context.folder, where))
        models = context.models_of(dict.fromkeys((*options.judges, *options.models)))
        known = [problem.id for _, problems in sources for problem in problems]
        for name in options.judged if isinstance(options.judged, tuple) else ():
            if name not in known:
                hint = did_you_mean(name, known)
                raise PlanError(f"'judged' must be ids of problems, got {name!r}. {hint}  ({where})")
        asking, scoring = _asking(options), _scoring(table, where)
        return cls(options, sources, models, asking, scoring, context.limit_usd, context.seed)

    @cached_property
    def problems(self) -> tuple[Problem, ...]:
        """All, each followed by its damaged copies."""
        right = [problem for _, problems in self.sources for problem in problems]
        return tuple(with_damaged(right, stream(self.seed, "damage")) if self.options.corrupt else right)

    def cells(self) -> list[Cell]:
        seen = [problem for problem in self.problems if group_of(problem.id)[0] in self._ids_asked_about]
        judging = [self._judge_cell(judge, problem) for judge in self.options.judges for problem in seen]
        right = [problem for problem in seen if group_of(problem.id)[1] == RIGHT and problem.answer.value is not None]
        probed = [self._behaviour_cell(model, one) for model in self.options.models for one in right]
        return [cell for cell in (*judging, *probed) if cell.common["calls"]]

    @property
    def _ids_asked_about(self) -> set[str]:
        """Ids of the problems that anybody is asked about; the rest is executed only."""
        judged = self.options.judged
        if isinstance(judged, tuple):
            return set(judged)
        return {problem.id for _, problems in self.sources for problem in problems[:judged]}

    def _judge_cell(self, judge: str, problem: Problem) -> Cell:
        rng = stream(self.seed, f"nodes {problem.id}")
        return self._cell(judge, problem, "judge", questions_of(problem, self.asking, rng))

    def _behaviour_cell(self, model: str, problem: Problem) -> Cell:
        """How many questions there will be is known when the model has written its graph; `calls` is a guess."""
        changes = self.options.changes
        later = 1 + min(changes, len(problem.graph.knowns)) + MOST_IRRELEVANT if changes else 0
        return self._cell(model, problem, "behaviour", [ask_about(problem, Probe("own_graph"))], later, changes=changes)

    def _cell(
        self, model: str, problem: Problem, variant: str, questions: Sequence[ProbeQuestion], later: int = 0,
        **more: int,
    ) -> Cell:  # fmt: skip
        """later: calls that only the replies will tell."""
        to_ask = [question for question in questions if question.messages]
        longest = max(to_ask, key=ProbeQuestion.length, default=ProbeQuestion(Probe("logic")))
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
        """Ask all questions of a cell; the unit is ok where every one of them has a verdict."""
        model, problem, salt = cell.respondent, cell.common["problem"], f"repeat {repeat}"
        record: list[dict[str, object]] = [{**probe._asdict(), "reply": None} for probe in cell.common["left_out"]]
        replies: list[Reply] = []
        lost: list[tuple[Reply, OwnGraph | Verdict]] = []
        waiting = list(cell.common["questions"])
        while waiting:
            question = waiting.pop(0)
            settings = self._settings(model, question)
            reply = ask(model, question.messages, settings, salt)
            key = reply_key(model, self.models[model], question.messages, settings, salt)
            record.append({**question.probe._asdict(), "reply": key, "changed": question.changed})
            replies.append(reply)
            reading: OwnGraph | Verdict
            if question.probe.kind == "own_graph":
                reading = read_own_graph(reply, problem)
                if reading.problem is not None:
                    waiting = questions_of_behaviour(reading.problem, self.options.changes)
            else:
                reading = verdict_of(reply, problem, question.probe)
            if reading.status is not Status.OK:
                lost.append((reply, reading))
        costs = [reply.cost for reply in replies if reply.cost is not None]
        status, message, excerpt = str(Status.OK), "", ""
        if lost:
            (status, _), *_ = Counter(str(reading.status) for _, reading in lost).most_common(1)
            message = f"{len(lost)} of {len(replies)} questions without a verdict: {lost[0][1].message}"
            excerpt = " ".join(lost[0][0].text.split())[:EXCERPT]
        return {
            "status": status, "message": message, "seconds": sum(reply.seconds for reply in replies),
            "answer": json.dumps({"replies": record}), "scores": {}, "cost": sum(costs) if costs else None,
            "excerpt": excerpt,
        }  # fmt: skip

    def reach(self) -> list[str]:
        """Groups of graphs are compared; judges are held against one another by their agreement, without a test."""
        groups = len({group_of(problem.id)[1] for problem in self.problems})
        if groups < 2 or not self.options.judges:
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
        free = f"{right} problems and {copies} damaged copies are executed, intervened on and inverted; no call needed."
        notes, options = [free], self.options
        if not options.judges:
            notes.append("No judge is asked: logic is missing, and cf has bounds and no value.")
        elif options.repeats == 1:
            notes.append("Each judge is asked once: how far it agrees with itself will not be known. Set repeats = 2.")
        if options.models:
            notes.append("How many calls models take is a guess: the graphs that they write decide it.")
        if options.judges and not options.corrupt:
            notes.append("Without corrupt = true nothing shows whether judges tell right from damaged graphs.")
        return notes

    def about(self) -> dict[str, Json]:
        """What the study needs beside its replies: the problems above all."""
        options = self.options
        return {
            "problems": [problem.to_dict() for problem in self.problems],
            "judges": list(options.judges),
            "models": list(options.models),
            "changes": options.changes,
            "scoring": asdict(self.scoring),
            "corrupt": options.corrupt,
            "prompts": {
                kind: {"version": template(kind)[0], "hash": hash_of("\n".join(template(kind)))} for kind in SCHEMAS
            },
        }


# ---- checking a plan


def _sources(sources: Sequence[str], folder: Path, where: str) -> Iterator[tuple[str, tuple[Problem, ...]]]:
    """Domains of the package, or JSONL files."""
    seen: set[str] = set()
    for name in sources or DOMAINS:
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


def _asking(options: FaithfulnessSettings) -> Asking:
    temperature = temperature_to_send(options.temperature)
    return Asking(
        repeats=options.repeats,
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
