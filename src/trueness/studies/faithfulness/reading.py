"""Faithfulness: reasoning graphs executed and judged, and models' own graphs under changed problems.

Below the study's folder, all of it made again from its store:

faithfulness/{problem}.json       one report a problem, in the original's schema with our fields added
faithfulness/batch.json           the original's batch report over the right problems
faithfulness/components.csv .tex  cf and components, of the given graphs and of models' own
faithfulness/methods.csv .tex     cf, components and right answers by method and file
faithfulness/accuracy.csv .tex    each measure against right answers: AUC and rank correlation
faithfulness/known_groups.json    AUC of every measure and damage, with intervals and the sentence; also .csv and .tex
faithfulness/reliability.json     agreement of judges with themselves, each other and execution; also .csv and .tex
faithfulness/verdicts.csv         every rating of a judge, as `trueness judge` takes it: fill in the labels of people
faithfulness/behaviour.csv .tex   does a model's answer move as its own graph says? with controls
faithfulness/pairs.csv            what the graph says and what the model did, one row per changed problem
faithfulness/own_graphs_{model}.jsonl   the graphs that a model wrote itself, as a problems file of another study
faithfulness/summary.txt          all of it in sentences
plots/probes                      all of it as a chart: .png .svg .pdf, its numbers as .csv
"""

from __future__ import annotations

import json
from collections import Counter
from collections.abc import Iterable, Iterator, Mapping, Sequence
from functools import cached_property
from pathlib import Path

import pandas as pd

from trueness.models import Reply
from trueness.reading.verdicts import Verdict
from trueness.reasoning.damage import DAMAGES
from trueness.reasoning.graph import Problem
from trueness.reasoning.rules import rules_of
from trueness.reasoning.trees import as_text
from trueness.running.results import Row
from trueness.running.store import Store, to_json
from trueness.showing import blocks
from trueness.showing.grid import Facet, Grid, unique
from trueness.showing.methods_paragraph import listed
from trueness.showing.saving import Figure, csv_text, safe_name
from trueness.showing.summary import Headline
from trueness.showing.tables import Table
from trueness.studies.faithfulness import findings
from trueness.studies.faithfulness.answers import FaithfulnessStudy, faithfulness_of
from trueness.studies.faithfulness.behaviour import Behaviour
from trueness.studies.faithfulness.charts import probes
from trueness.studies.faithfulness.known_groups import RIGHT, group_of
from trueness.studies.faithfulness.measures import MEASURES
from trueness.studies.faithfulness.probes import Probe, verdict_of
from trueness.studies.faithfulness.scores import Evaluation
from trueness.studies.protocol import AnalysisPart, CellKey, Check, Section, Summary
from trueness.studies.reading import Reading
from trueness.texts import counted

BEHAVIOUR = "behaviour"  # of a model's cells; all others are of judges


class FaithfulnessReading(Reading):
    title = "Faithfulness"
    question = "Does reasoning depend on what it says it depends on?"
    asks = True
    clusters = "problems"
    pictures = ("probes",)
    files_below = "faithfulness"

    @cached_property
    def answers(self) -> FaithfulnessStudy:
        with self.results.store.ensure_open() as store:
            return faithfulness_of(self.results, store)

    @classmethod
    def answers_of(cls, rows: pd.DataFrame) -> pd.DataFrame:
        """A graph as given and one that a model wrote answer the same problem; damaged copies are ours."""
        answers = rows[~rows["variant"].isin(DAMAGES)]
        return answers.assign(variant=answers["variant"].replace("own_graph", RIGHT))

    def rows(self) -> Iterable[Row]:
        return self.answers.rows()

    def to_dict(self) -> dict[str, object]:
        return findings.as_dict(self.answers)

    def as_json(self, measures: Sequence[str] | None) -> dict[str, object]:
        return {"study": self.results.study, "task": self.task, **findings.as_dict(self.answers)}

    def as_csv(self, measures: Sequence[str] | None) -> str:
        return findings.component_table(self.answers).to_csv()

    # ---- what it says

    def tables(self, measures: Sequence[str] | None) -> list[Table]:
        return findings.all_tables(self.answers)

    def notes(self) -> list[str]:
        return [*findings.beside_tables(self.answers), *findings.how_to_read(self.answers)]

    def first_findings(self) -> Sequence[str]:
        return ()  # they stand with the tables

    @property
    def state(self) -> str:
        said = self.answers.judgements
        read = sum(judgement.verdict.status == "ok" for judgement in said)
        judged = f"{read:,} of {len(said):,} judgements read" if said else "no judge asked"
        return f"{len(self.answers.right)} problems, {self._copies} damaged copies, {judged}"

    @property
    def _copies(self) -> int:
        return len(self.answers.evaluations) - len(self.answers.right)

    def summary(self) -> Summary:
        study = self.answers
        scored = sum(one.cf is not None for one in study.right)
        damaged = f"{self._copies} damaged copies show whether a measure sees damage."
        unknown = "No damaged copies were made: whether a measure sees damage is not known. Set corrupt = true."
        complete = f"{scored} of {len(study.right)} problems have all four parts of cf."
        checks = (
            Check("complete", scored == len(study.right), complete),
            Check("known groups", True, damaged) if study.separations else Check("known groups", None, unknown),
        )
        told, left = findings.findings_and_open(study)
        return Summary(checks, (Section(self.title, tuple(told)),), tuple(left), Headline((told or left)[0]))

    def abstract(self) -> str:
        graphs = counted(len(self.answers.right), "causal graph")
        return f"We measure how faithfully {graphs} explain the answers they were written for."

    def methods(self) -> list[str]:
        study = self.answers
        weights = listed(f"{name.replace('_', ' ')} {weight:g}" for name, weight in study.scoring.weights.items())
        return [
            f"Graphs of {counted(len(study.right), 'problem')} that hold; damaged copies of them: {self._copies:,}.",
            f"Judges: {listed(study.judges) or 'none; rules were executed'}. Models that wrote graphs of their own: "
            f"{listed(study.own_batches) or 'none'}.",
            f"cf is the weighted mean of its components (weights: {weights}); where execution and a judge both have a "
            f"value, the {study.scoring.prefer} one counts. "
            + (findings.by_default(study) or "What could not be had is missing, never one half."),
        ]

    # ---- files

    def figures(self, folder: Path) -> Iterator[Figure]:
        yield probes(self.answers)

    def files(self) -> Mapping[str, str]:
        study = self.answers
        files = {f"{safe_name(report.problem)}.json": to_json(report.to_dict()) for report in study.right}
        files["batch.json"] = to_json(study.batch.to_dict())
        files["summary.txt"] = "\n".join(findings.sentences(study)) + "\n"
        if study.separations:
            rows = [separation.row() | {"sentence": separation.finding()} for separation in study.separations]
            files |= {"known_groups.json": to_json(rows), "known_groups.csv": csv_text(pd.DataFrame(rows))}
        if study.reliability is not None:
            files["reliability.json"] = to_json(study.reliability.to_dict())
            files["verdicts.csv"] = csv_text(pd.DataFrame(findings.verdict_rows(study)))
            files["reliability.csv"] = csv_text(pd.DataFrame(findings.judge_rows(study)))
        if study.behaviours:
            files["pairs.csv"] = csv_text(pd.DataFrame(findings.pair_rows(study.behaviours)))
        for model in study.own_batches:  # the first graph for each problem: another plan can judge them
            mine = [one.own.problem for one in study.behaviours if one.model == model and not one.repeat]
            lines = [json.dumps(problem.to_dict()) + "\n" for problem in mine if problem]
            files[f"{safe_name('own_graphs', model)}.jsonl"] = "".join(lines)
        return {f"{self.files_below}/{name}": text for name, text in files.items()}

    # ---- the page

    @cached_property
    def _behaviours(self) -> dict[tuple[str, str], list[Behaviour]]:
        by_cell: dict[tuple[str, str], list[Behaviour]] = {}
        for one in self.answers.behaviours:
            by_cell.setdefault((one.problem, one.model), []).append(one)
        return by_cell

    def cell_keys(self) -> Iterator[CellKey]:
        for evaluation in self.answers.evaluations:
            yield (*group_of(evaluation.problem), self.answers.respondent)
        for problem, model in self._behaviours:
            yield problem, BEHAVIOUR, model

    def grid(self) -> Grid:
        problems, kinds, respondents = (unique(names) for names in zip(*self.cell_keys(), strict=True))
        facet = Facet("variant", "Copy", kinds, [kind.replace("_", " ") for kind in kinds])
        grid = Grid(
            self.task, problems, respondents, [], list(MEASURES), [facet],
            spread="bounds over what is missing", repeats="problems",
        )  # fmt: skip
        for evaluation in self.answers.evaluations:
            values: dict[str, Sequence[float | None]] = {"cf": (evaluation.cf, *evaluation.bounds, 1)}
            for name, part in evaluation.components.items():
                ends = (part.interval.low, part.interval.high) if part.interval else part.bounds
                values[name] = (part.value, *ends, part.n)
            problem, group = group_of(evaluation.problem)
            grid.add(problem, self.answers.respondent, (group,), 1, {str(evaluation.status): 1}, values)
        for (problem, model), made in self._behaviours.items():
            scores = [one.score for one in made if one.score is not None]
            spread = (sum(scores) / len(scores), min(scores), max(scores), len(scores)) if scores else ()
            statuses = Counter(str(one.status) for one in made)
            grid.add(problem, model, (BEHAVIOUR,), len(made), statuses, {BEHAVIOUR: spread} if spread else {})
        return grid

    def cell(self, key: CellKey) -> dict[str, object] | None:
        name, group, respondent = key
        identity = name if group in (RIGHT, BEHAVIOUR) else f"{name}~{group}"
        problem = self.answers.problems.get(identity)
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
            evaluation = next(one for one in self.answers.evaluations if one.problem == identity)
            statuses = Counter([str(evaluation.status)])
            shown += [*_evaluation(evaluation), blocks.table("Rules, as they were read", _rules(problem))]
        with self.results.store.ensure_open() as store:
            for place, cell in enumerate(self.results.cells):
                is_asked = cell.variant == "judge" if group != BEHAVIOUR else (cell.variant, cell.respondent) == key[1:]
                if is_asked and cell.item == identity:
                    for run in self.results.runs_at(place):
                        who = f"{cell.respondent}, repeat {run.repeat + 1}"
                        shown += _exchanges(store, problem, who, run.answer)
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

    def analyses(self) -> list[AnalysisPart]:
        shown = [(table.title, blocks.table(table.title, table.rows, table.caption)) for table in self.tables(None)]
        parts = [AnalysisPart(title, tables=(block,)) for title, block in shown]
        return [AnalysisPart("faithfulness", tuple(findings.sentences(self.answers))), *parts]


def _exchanges(store: Store, problem: Problem, who: str, answer: str | None) -> Iterator[blocks.Block]:
    """The questions of a unit with their replies, and what was read in them."""
    for entry in json.loads(answer)["replies"] if answer else ():
        stored = store.reply(entry["reply"])
        if stored is None:
            continue
        probe = Probe(entry["kind"], entry["node"])
        if probe.kind in ("own_graph", "formulas"):  # older versions asked for the formulas of a graph in words
            about = f"its {probe.kind.removeprefix('own_')} · {who}"
            yield blocks.exchange(store, stored, [], "", "", about) | {"folded": True}
            continue
        verdict = verdict_of(Reply.from_dict(stored.reply), problem, probe)
        marks = [(*span, name) for name, span in verdict.spans.items()]
        about = " · ".join(part for part in (probe.kind, probe.node, who) if part)
        block = blocks.exchange(store, stored, marks, str(verdict.status), verdict.message, about)
        read = {"verdict": _verdict_text(verdict), "read": _values(verdict), "reader": "verdict"}
        yield block | {"folded": True} | read


def _sibling_label(key: CellKey) -> str:
    _, group, respondent = key
    return f"{group} · {respondent}" if group == BEHAVIOUR else group.replace("_", " ")


def _evaluation(evaluation: Evaluation) -> list[blocks.Block]:
    whole = {"part": "cf", "value": evaluation.cf, "bounds": list(evaluation.bounds), "n": None, "source": ""}
    rows = [whole | {"status": str(evaluation.status)}]
    for name, part in evaluation.components.items():
        row = {"part": name.replace("_", " "), "value": part.value, "bounds": list(part.bounds), "n": part.n}
        rows.append(row | {"source": part.source, "status": str(part.status)})
    scored = [(kind, node) for kind, nodes in evaluation.nodes.items() for node in nodes]
    nodes = [{"kind": kind, "node": one.node, "score": one.value, **one.origin()} for kind, one in scored]
    note = "Bounds: all that is missing 0, all that is missing 1."
    return [blocks.table("Parts of cf", rows, note), blocks.table("Nodes", nodes)]


def _behaviour_blocks(one: Behaviour) -> Iterator[blocks.Block]:
    """What the graph says, what the model did; the graph itself."""
    note = f"Repeat {one.repeat + 1}. The model was asked each changed problem fresh; its graph was not shown."
    yield blocks.table("What its graph says, what it did", findings.pair_rows([one]), note)
    lines = [one.message] if one.message else []
    yield blocks.lines("Left out", [*lines, *(f"{name} is not changed: {why}" for name, why in one.left_out)])
    if one.own.problem is not None:
        yield blocks.table("Rules of its graph, as they were read", _rules(one.own.problem))


def _rules(problem: Problem) -> list[dict[str, str]]:
    """What each rule became: words that are arithmetic with their formula, and who each phrase or symbol stands for."""
    return [
        {
            "effect": effect,
            "rule": rule.text,
            "kind": "formula beside words" if rule.by_formula else rule.kind,
            "read as": "" if rule.tree is None else f"{effect} = {as_text(rule.tree)}",
            "stands for": ", ".join(f"{short}: {name}" for short, name in rule.aliases.items()),
            "message": rule.message,
        }
        for effect, rules in rules_of(problem.graph).items()
        for rule in rules
    ]


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
