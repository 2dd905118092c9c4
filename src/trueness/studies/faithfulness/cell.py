"""The faithfulness part: a problem, what execution and judges say of its reasoning, and every question and verdict."""

from __future__ import annotations

import json
from collections import Counter
from collections.abc import Callable, Iterator, Sequence
from functools import cached_property

from trueness.models import Reply
from trueness.reading.verdicts import Verdict
from trueness.reasoning.graph import Problem
from trueness.reasoning.rules import Rule, rules_of
from trueness.reasoning.trees import as_text
from trueness.running.results import Results
from trueness.showing import blocks
from trueness.showing.grid import Facet, Grid, unique
from trueness.showing.headline import Headline
from trueness.studies.faithfulness.answers import FaithfulnessStudy
from trueness.studies.faithfulness.behaviour import Behaviour
from trueness.studies.faithfulness.counterfactual import GRAPH_KINDS, Changed
from trueness.studies.faithfulness.findings import told_and_open
from trueness.studies.faithfulness.judging import verdict_of
from trueness.studies.faithfulness.known_groups import RIGHT, group_of
from trueness.studies.faithfulness.measures import MEASURES
from trueness.studies.faithfulness.probes import Probe
from trueness.studies.faithfulness.scores import COMPONENTS, Evaluation
from trueness.studies.protocol import AnalysisPart, CellKey, Check, Section, Summary

CHANGED, BEHAVIOUR = "counterfactual", "behaviour"
_VARIANTS = {CHANGED: ("own_graph", CHANGED), BEHAVIOUR: (BEHAVIOUR,)}  # of a model's cells; all others are of judges


class FaithfulnessPart:
    task = "faithfulness"

    def __init__(self, results: Results, read: Callable[[], FaithfulnessStudy]):
        self._task, self._store = results, results.store
        self._read = read

    @cached_property
    def tables(self) -> FaithfulnessStudy:
        return self._read()

    @property
    def _changed_by_cell(self) -> dict[tuple[str, str], list[Changed]]:
        by_cell: dict[tuple[str, str], list[Changed]] = {}
        for changed in self.tables.changed:
            by_cell.setdefault((changed.problem, changed.model), []).append(changed)
        return by_cell

    def cell_keys(self) -> Iterator[CellKey]:
        for evaluation in self.tables.evaluations:
            yield (*group_of(evaluation.problem), self.tables.respondent)
        for problem, model in self._changed_by_cell:
            yield problem, CHANGED, model
        for problem, model in dict.fromkeys((one.problem, one.model) for one in self.tables.behaviours):
            yield problem, BEHAVIOUR, model

    def _behaviours(self, problem: str, model: str) -> list[Behaviour]:
        return [one for one in self.tables.behaviours if (one.problem, one.model) == (problem, model)]

    def grid(self) -> Grid:
        keys = list(self.cell_keys())
        kinds = unique(kind for _, kind, _ in keys)
        grid = Grid(
            "faithfulness",
            unique(k[0] for k in keys),
            unique(k[2] for k in keys),
            [],
            list(MEASURES),
            [Facet("variant", "Copy", kinds, [kind.replace("_", " ") for kind in kinds])],
            spread="bounds over what is missing",
            repeats="problems",
        )
        for evaluation in self.tables.evaluations:
            values: dict[str, Sequence[float | None]] = {"cf": (evaluation.cf, *evaluation.bounds, 1)}
            for name, part in evaluation.components.items():
                ends = (part.interval.low, part.interval.high) if part.interval else part.bounds
                values[name] = (part.value, *ends, part.n)
            problem, group = group_of(evaluation.problem)
            grid.add(problem, self.tables.respondent, (group,), 1, {str(evaluation.status): 1}, values)
        for (problem, model), all_changed in self._changed_by_cell.items():
            follows = [float(c.outcome == "follows") for c in all_changed if c.outcome]
            values = {"follows": _spread(follows)} if follows else {}
            counts: dict[str, int] = {}
            for changed in all_changed:
                counts[str(changed.status)] = counts.get(str(changed.status), 0) + 1
            grid.add(problem, model, (CHANGED,), len(all_changed), counts, values)
        for problem, group, model in keys:
            if group == BEHAVIOUR:
                made = self._behaviours(problem, model)
                scores = [one.score for one in made if one.score is not None]
                shares = {BEHAVIOUR: _spread(scores)} if scores else {}
                grid.add(problem, model, (BEHAVIOUR,), len(made), Counter(str(one.status) for one in made), shares)
        return grid

    def cell(self, key: CellKey) -> dict[str, object] | None:
        name, group, respondent = key
        identity = name if group in (RIGHT, *_VARIANTS) else f"{name}~{group}"
        problem = self.tables.problems.get(identity)
        if problem is None or key not in set(self.cell_keys()):
            return None
        evaluation = next(evaluation for evaluation in self.tables.evaluations if evaluation.problem == identity)
        shown = [
            blocks.text("Problem", problem.text),
            blocks.text("Reasoning", problem.reasoning),
            blocks.lines("Answer", [_answer(problem)]),
        ]
        statuses = Counter([str(evaluation.status)])
        if group == BEHAVIOUR:
            behaviours = self._behaviours(name, respondent)
            statuses = Counter(str(one.status) for one in behaviours)
            shown += _behaviour_blocks(behaviours)
        elif group == CHANGED:
            all_changed = self._changed_by_cell[name, respondent]
            statuses = Counter(str(changed.status) for changed in all_changed)
            rows = [
                {
                    "known": c.known,
                    "graph": c.graph,
                    "repeat": c.repeat + 1,
                    "answer": c.answer,
                    "expected": c.expected,
                    "outcome": c.outcome,
                    "status": str(c.status),
                }
                for c in all_changed
            ]
            shown.append(blocks.table("Changed problems", rows))
        else:
            shown += [*_evaluation(evaluation), blocks.table("Rules, as they were read", _rules(problem))]
        variants = _VARIANTS.get(group, ("judge",))
        for place, cell in enumerate(self._task.cells):
            is_of_cell = group not in _VARIANTS or cell.respondent == respondent
            if is_of_cell and cell.item == identity and cell.variant in variants:
                for run in self._task.runs_at(place):
                    shown += self._exchanges(identity, cell.respondent, run.answer, run.repeat)
        return {
            "statuses": dict(statuses),
            "siblings": [
                {"key": list(other), "label": _sibling_label(other), "group": "Copies of this problem"}
                for other in self.cell_keys()
                if other[0] == name and other != key
            ],
            "graph": "",
            "blocks": shown,
        }

    def _exchanges(self, identity: str, respondent: str, answer: str | None, repeat: int) -> Iterator[blocks.Block]:
        problem = self.tables.problems[identity]
        for entry in json.loads(answer)["replies"] if answer else ():
            stored = self._store.reply(entry["reply"])
            if stored is None:
                continue
            probe = Probe(entry["kind"], entry["node"], entry["manner"])
            if probe.kind in GRAPH_KINDS:
                what = "graph" if probe.kind == "own_graph" else "formulas"
                about = f"its {what} · {respondent}, repeat {repeat + 1}"
                yield blocks.exchange(self._store, stored, [], "", "", about) | {"folded": True}
                continue
            verdict = verdict_of(Reply.from_dict(stored.reply), problem, probe)
            marks = [(*span, name) for name, span in verdict.spans.items()]
            about = " · ".join(
                part
                for part in (
                    probe.kind,
                    probe.node,
                    "" if probe.manner == "plain" else probe.manner,
                    f"{respondent}, repeat {repeat + 1}",
                )
                if part
            )
            block = blocks.exchange(self._store, stored, marks, str(verdict.status), verdict.message, about)
            block |= {"folded": True, "verdict": _verdict_text(verdict), "read": _values(verdict), "reader": "verdict"}
            yield block

    # ---- what it says

    def summary(self) -> Summary:
        study = self.tables
        scored = sum(report.cf is not None for report in study.right)
        checks = [
            Check(
                "complete",
                scored == len(study.right),
                f"{scored} of {len(study.right)} problems have all four parts of cf.",
            ),
        ]
        if study.separations:
            checks.append(
                Check(
                    "known groups",
                    True,
                    f"{len(study.evaluations) - len(study.right)} damaged copies show whether a measure sees damage.",
                )
            )
        else:
            checks.append(
                Check(
                    "known groups",
                    None,
                    "No damaged copies were made: whether a measure sees damage is not known. Set corrupt = true.",
                )
            )
        findings, left = told_and_open(study)
        headline = Headline(findings[0] if findings else left[0]) if findings or left else None
        return Summary(tuple(checks), (Section("Faithfulness", tuple(findings)),), tuple(left), headline)

    def graph(self, item: str) -> dict[str, object] | None:
        return None

    def analyses(self) -> list[AnalysisPart]:
        study = self.tables
        parts = [AnalysisPart("faithfulness", tuple(study.sentences()))]
        if study.separations:
            rows = [separation.row() for separation in study.separations]
            sentences = tuple(separation.sentence() for separation in study.separations)
            parts.append(AnalysisPart("known groups", sentences, tables=(blocks.table("Can damage be seen?", rows),)))
        if study.reliability is not None:
            parts.append(AnalysisPart("reliability", tuple(study.reliability.sentences())))
        rows = [
            {
                "problem": r.problem,
                "cf": r.cf,
                "low": r.bounds[0],
                "high": r.bounds[1],
                **{n: r.components[n].value for n in COMPONENTS},
                "status": str(r.status),
            }
            for r in study.evaluations
        ]
        return [*parts, AnalysisPart("problems", tables=(blocks.table("Every problem and copy", rows),))]


def _sibling_label(key: CellKey) -> str:
    _, group, respondent = key
    return f"{group} · {respondent}" if group in _VARIANTS else group.replace("_", " ")


def _spread(values: Sequence[float]) -> tuple[float, float, float, int]:
    return sum(values) / len(values), min(values), max(values), len(values)


def _evaluation(evaluation: Evaluation) -> list[blocks.Block]:
    rows = [
        {
            "part": "cf",
            "value": evaluation.cf,
            "bounds": list(evaluation.bounds),
            "n": None,
            "source": "",
            "status": str(evaluation.status),
        }
    ]
    for name, part in evaluation.components.items():
        row = {"part": name.replace("_", " "), "value": part.value, "bounds": list(part.bounds), "n": part.n}
        rows.append(row | {"source": part.source, "status": str(part.status)})
    nodes = [
        {
            "kind": kind,
            "node": n.node,
            "score": n.value,
            "source": n.source,
            "executed": n.executed,
            "judged": n.judged,
            "status": str(n.status),
            "message": n.message,
        }
        for kind, scored in evaluation.nodes.items()
        for n in scored
    ]
    return [
        blocks.table("Parts of cf", rows, "Bounds: all that is missing 0, all that is missing 1."),
        blocks.table("Nodes", nodes),
    ]


def _behaviour_blocks(behaviours: Sequence[Behaviour]) -> Iterator[blocks.Block]:
    """What the graph says, what the model did; the edges to blame; the graph itself."""
    for one in behaviours:
        yield blocks.table(
            "What its graph says, what it did",
            [
                {
                    "known": pair.change.known,
                    "role": pair.change.role,
                    "changed": f"{pair.change.before:g} to {pair.change.after:g}",
                    "graph says": _move_text(pair.change.says, pair.change.base, pair.change.expected),
                    "model did": _move_text(pair.did or "", one.base, pair.answer),
                    "agrees": pair.agrees,
                    "status": str(pair.status),
                }
                for pair in one.pairs
            ],
            f"Repeat {one.repeat + 1}. The model was asked each changed problem fresh; its graph was not shown.",
        )
        lines = [str(blame) for blame in one.blame] or (["no edge is to blame"] if one.pairs else [])
        lines += [one.message] if one.message else []
        lines += [f"{left.known} is not changed: {left.why}" for left in one.left_out]
        yield blocks.lines("Edges to blame", lines)
        if one.own.problem is not None:
            yield blocks.table("Rules of its graph, as they were read", _rules(one.own.problem))


def _move_text(way: str, before: float | None, after: float | None) -> str:
    numbers = "" if before is None or after is None else f" ({before:g} to {after:g})"
    return f"{way}{numbers}"


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
    return "formula beside words" if rule.by_formula else "arithmetic in words" if rule.read_as else rule.kind


def _answer(problem: Problem) -> str:
    answer = problem.answer
    return answer.text if answer.value is None else f"{answer.value:g} {answer.unit}".strip()


def _values(verdict: Verdict) -> dict[str, float | str | None]:
    """What was read, one value a name; a person who sees a misreading puts the right one there."""
    record = verdict.to_dict()
    names = [name for name in ("rating", "holds", "value", "words") if name in record]
    plain = {name: value if isinstance(value := record[name], int | float | str) else None for name in names}
    return {name: str(value).lower() if isinstance(value, bool) else value for name, value in plain.items()}


def _verdict_text(verdict: Verdict) -> str:
    record = verdict.to_dict()
    kept = {
        name: record[name] for name in ("rating", "ratings", "holds", "solutions", "value", "words") if name in record
    }
    return ", ".join(f"{name} {value}" for name, value in kept.items())
