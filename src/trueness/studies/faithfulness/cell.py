"""The faithfulness part: a problem, what execution and judges say of its reasoning, and every question and verdict."""

from __future__ import annotations

import json
from collections import Counter
from collections.abc import Callable, Iterator, Sequence
from functools import cached_property

from trueness.models import Reply
from trueness.reading.verdicts import Verdict
from trueness.reasoning.graph import Problem
from trueness.reasoning.rule import Rule
from trueness.reasoning.rules import rules_of
from trueness.reasoning.trees import as_text
from trueness.showing import blocks
from trueness.showing.grid import Facet, Grid, unique
from trueness.showing.headline import Headline
from trueness.studies.faithfulness.answers import FaithfulnessStudy
from trueness.studies.faithfulness.behaviour import Behaviour
from trueness.studies.faithfulness.findings import findings_and_open, sentences
from trueness.studies.faithfulness.known_groups import RIGHT, group_of
from trueness.studies.faithfulness.measures import MEASURES
from trueness.studies.faithfulness.own_graph import GRAPH_KINDS
from trueness.studies.faithfulness.probes import Probe, verdict_of
from trueness.studies.faithfulness.scores import COMPONENTS, Evaluation
from trueness.studies.protocol import AnalysisPart, CellKey, Check, PagePlace, Section, Summary

BEHAVIOUR = "behaviour"  # of a model's cells; all others are of judges


class FaithfulnessPart:
    task = "faithfulness"

    def __init__(self, place: PagePlace, read: Callable[[], FaithfulnessStudy]):
        self._task = place.task
        self._store = place.store
        self._read = read

    @cached_property
    def tables(self) -> FaithfulnessStudy:
        return self._read()

    @cached_property
    def _behaviours(self) -> dict[tuple[str, str], list[Behaviour]]:
        by_cell: dict[tuple[str, str], list[Behaviour]] = {}
        for one in self.tables.behaviours:
            by_cell.setdefault((one.problem, one.model), []).append(one)
        return by_cell

    def cell_keys(self) -> Iterator[CellKey]:
        for evaluation in self.tables.evaluations:
            yield (*group_of(evaluation.problem), self.tables.respondent)
        for problem, model in self._behaviours:
            yield problem, BEHAVIOUR, model

    def grid(self) -> Grid:
        problems, kinds, respondents = (unique(names) for names in zip(*self.cell_keys(), strict=True))
        facet = Facet("variant", "Copy", kinds, [kind.replace("_", " ") for kind in kinds])
        grid = Grid(
            self.task, problems, respondents, [], list(MEASURES), [facet],
            spread="bounds over what is missing", repeats="problems",
        )  # fmt: skip
        for evaluation in self.tables.evaluations:
            values: dict[str, Sequence[float | None]] = {"cf": (evaluation.cf, *evaluation.bounds, 1)}
            for name, part in evaluation.components.items():
                ends = (part.interval.low, part.interval.high) if part.interval else part.bounds
                values[name] = (part.value, *ends, part.n)
            problem, group = group_of(evaluation.problem)
            grid.add(problem, self.tables.respondent, (group,), 1, {str(evaluation.status): 1}, values)
        for (problem, model), made in self._behaviours.items():
            scores = [one.score for one in made if one.score is not None]
            spread = (sum(scores) / len(scores), min(scores), max(scores), len(scores)) if scores else ()
            statuses = Counter(str(one.status) for one in made)
            grid.add(problem, model, (BEHAVIOUR,), len(made), statuses, {BEHAVIOUR: spread} if spread else {})
        return grid

    def cell(self, key: CellKey) -> dict[str, object] | None:
        name, group, respondent = key
        identity = name if group in (RIGHT, BEHAVIOUR) else f"{name}~{group}"
        problem = self.tables.problems.get(identity)
        if problem is None or key not in set(self.cell_keys()):
            return None
        shown = [
            blocks.text("Problem", problem.text),
            blocks.text("Reasoning", problem.reasoning),
            blocks.lines("Answer", [_answer(problem)]),
        ]
        if group == BEHAVIOUR:
            behaviours = self._behaviours[name, respondent]
            statuses = Counter(str(one.status) for one in behaviours)
            shown += [block for one in behaviours for block in _behaviour_blocks(one)]
        else:
            evaluation = next(one for one in self.tables.evaluations if one.problem == identity)
            statuses = Counter([str(evaluation.status)])
            shown += [*_evaluation(evaluation), blocks.table("Rules, as they were read", _rules(problem))]
        for place, cell in enumerate(self._task.cells):
            is_of_cell = cell.respondent == respondent if group == BEHAVIOUR else cell.variant == "judge"
            if is_of_cell and cell.item == identity and (cell.variant == BEHAVIOUR) == (group == BEHAVIOUR):
                for run in self._task.runs_at(place):
                    shown += self._exchanges(problem, cell.respondent, run.answer, run.repeat)
        siblings = [other for other in self.cell_keys() if other[0] == name and other != key]
        return {
            "statuses": dict(statuses),
            "siblings": [
                {"key": list(other), "label": _sibling_label(other), "group": "Copies of this problem"}
                for other in siblings
            ],
            "graph": "",
            "blocks": shown,
        }

    def _exchanges(self, problem: Problem, respondent: str, answer: str | None, repeat: int) -> Iterator[blocks.Block]:
        for entry in json.loads(answer)["replies"] if answer else ():
            stored = self._store.reply(entry["reply"])
            if stored is None:
                continue
            probe, who = Probe(entry["kind"], entry["node"], entry["manner"]), f"{respondent}, repeat {repeat + 1}"
            if probe.kind in GRAPH_KINDS:
                what = "graph" if probe.kind == "own_graph" else "formulas"
                yield blocks.exchange(self._store, stored, [], "", "", f"its {what} · {who}") | {"folded": True}
                continue
            verdict = verdict_of(Reply.from_dict(stored.reply), problem, probe)
            marks = [(*span, name) for name, span in verdict.spans.items()]
            manner = "" if probe.manner == "plain" else probe.manner
            about = " · ".join(part for part in (probe.kind, probe.node, manner, who) if part)
            block = blocks.exchange(self._store, stored, marks, str(verdict.status), verdict.message, about)
            read = {"verdict": _verdict_text(verdict), "read": _values(verdict), "reader": "verdict"}
            yield block | {"folded": True} | read

    # ---- what it says

    def summary(self) -> Summary:
        study = self.tables
        scored, copies = sum(one.cf is not None for one in study.right), len(study.evaluations) - len(study.right)
        complete = f"{scored} of {len(study.right)} problems have all four parts of cf."
        damaged = (
            f"{copies} damaged copies show whether a measure sees damage."
            if study.separations
            else "No damaged copies were made: whether a measure sees damage is not known. Set corrupt = true."
        )
        checks = (
            Check("complete", scored == len(study.right), complete),
            Check("known groups", True if study.separations else None, damaged),
        )
        findings, left = findings_and_open(study)
        headline = Headline((findings or left)[0])
        return Summary(checks, (Section("Faithfulness", tuple(findings)),), tuple(left), headline)

    def graph(self, item: str) -> dict[str, object] | None:
        return None

    def analyses(self) -> list[AnalysisPart]:
        study = self.tables
        parts = [AnalysisPart("faithfulness", tuple(sentences(study)))]
        if study.separations:
            separated = [separation.row() for separation in study.separations]
            told = tuple(separation.finding() for separation in study.separations)
            parts.append(AnalysisPart("known groups", told, tables=(blocks.table("Can damage be seen?", separated),)))
        if study.reliability is not None:
            parts.append(AnalysisPart("reliability", tuple(study.reliability.sentences())))
        rows: list[dict[str, object]] = []
        for one in study.evaluations:
            ends = {"low": one.bounds[0], "high": one.bounds[1]}
            parted = {name: one.value(name) for name in COMPONENTS}
            rows.append({"problem": one.problem, "cf": one.cf, **ends, **parted, "status": str(one.status)})
        return [*parts, AnalysisPart("problems", tables=(blocks.table("Every problem and copy", rows),))]


def _sibling_label(key: CellKey) -> str:
    _, group, respondent = key
    return f"{group} · {respondent}" if group == BEHAVIOUR else group.replace("_", " ")


def _evaluation(evaluation: Evaluation) -> list[blocks.Block]:
    whole = {"part": "cf", "value": evaluation.cf, "bounds": list(evaluation.bounds), "n": None, "source": ""}
    rows = [whole | {"status": str(evaluation.status)}]
    for name, part in evaluation.components.items():
        row = {"part": name.replace("_", " "), "value": part.value, "bounds": list(part.bounds), "n": part.n}
        rows.append(row | {"source": part.source, "status": str(part.status)})
    nodes = [
        {
            "kind": kind, "node": n.node, "score": n.value, "source": n.source, "executed": n.executed,
            "judged": n.judged, "status": str(n.status), "message": n.message,
        }
        for kind, scored in evaluation.nodes.items()
        for n in scored
    ]  # fmt: skip
    note = "Bounds: all that is missing 0, all that is missing 1."
    return [blocks.table("Parts of cf", rows, note), blocks.table("Nodes", nodes)]


def _behaviour_blocks(one: Behaviour) -> Iterator[blocks.Block]:
    """What the graph says, what the model did; the edges to blame; the graph itself."""
    rows = [
        {
            "known": pair.change.known, "role": pair.change.role,
            "changed": f"{pair.change.before:g} to {pair.change.after:g}",
            "graph says": _move_text(pair.change.says, pair.change.base, pair.change.expected),
            "model did": _move_text(pair.did or "", one.base, pair.answer),
            "agrees": pair.agrees, "status": str(pair.status),
        }
        for pair in one.pairs
    ]  # fmt: skip
    note = f"Repeat {one.repeat + 1}. The model was asked each changed problem fresh; its graph was not shown."
    yield blocks.table("What its graph says, what it did", rows, note)
    lines = [str(blame) for blame in one.blame] or (["no edge is to blame"] if one.pairs else [])
    lines += [one.message] if one.message else []
    yield blocks.lines("Edges to blame", [*lines, *(f"{name} is not changed: {why}" for name, why in one.left_out)])
    if one.own.problem is not None:
        yield blocks.table("Rules of its graph, as they were read", _rules(one.own.problem))


def _move_text(way: str, before: float | None, after: float | None) -> str:
    return way if before is None or after is None else f"{way} ({before:g} to {after:g})"


def _rules(problem: Problem) -> list[dict[str, str]]:
    """What each rule became: words that are arithmetic with their formula, and who each phrase or symbol stands for."""
    return [
        {
            "effect": effect,
            "rule": rule.text,
            "kind": _source(rule),
            "read as": rule.read_as or ("" if rule.tree is None else f"{effect} = {as_text(rule.tree)}"),
            "stands for": ", ".join(f"{short}: {name}" for short, name in rule.aliases.items()),
            "message": rule.message,
        }
        for effect, rules in rules_of(problem.graph).items()
        for rule in rules
    ]


def _source(rule: Rule) -> str:
    """Where what is executed comes from."""
    if rule.by_plan:
        return "step of the plan"
    return "formula beside words" if rule.by_formula else "arithmetic in words" if rule.read_as else rule.kind


def _answer(problem: Problem) -> str:
    answer = problem.answer
    return answer.text if answer.value is None else f"{answer.value:g} {answer.unit}".strip()


def _values(verdict: Verdict) -> dict[str, float | str | None]:
    """What was read, one value a name; a person who sees a misreading puts the right one there."""
    record = verdict.to_dict()
    values = {name: record[name] for name in ("rating", "holds", "value", "words") if name in record}
    return {name: str(value).lower() if isinstance(value, bool) else value for name, value in values.items()}  # type: ignore[misc]


def _verdict_text(verdict: Verdict) -> str:
    record, names = verdict.to_dict(), ("rating", "ratings", "holds", "solutions", "value", "words")
    return ", ".join(f"{name} {record[name]}" for name in names if name in record)
