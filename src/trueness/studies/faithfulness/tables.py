"""The tables of a faithfulness study: components, behaviour, known groups, judges, changed problems.

A component is shown as it was scored, and apart by whose word it is: execution alone, each judge alone. Means are over
problems, and what has no value is counted with its status. Known groups: the AUC with a copy that has no value counted
as lowest (known_groups.py).
"""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterable, Sequence
from typing import TypedDict

import numpy as np

from trueness.reading.verdicts import TOP
from trueness.showing.tables import Column, Table
from trueness.statistics import Estimate
from trueness.statistics.comparison import Comparison
from trueness.statistics.unpaired import LEAST
from trueness.status import Status
from trueness.studies.faithfulness.accuracy import GIVEN, Criterion, clustered_by
from trueness.studies.faithfulness.answers import FaithfulnessStudy
from trueness.studies.faithfulness.batch import Batch, mean_in_scale
from trueness.studies.faithfulness.behaviour import FAULTS
from trueness.studies.faithfulness.counterfactual import OUTCOMES, Whose, outcomes
from trueness.studies.faithfulness.nodes import NOT_JUDGED
from trueness.studies.faithfulness.scores import COMPONENTS, DEFAULT, Component, Evaluation

SCORED, EXECUTED = "scored", "executed"
NOT_ASKED = "no judge asked"
MEASURES = ("cf", *COMPONENTS)
KINDS = ("intervention", "abduction", "logic")
_NODES = {"causal_intervention": "intervention", "abductive_reasoning": "abduction"}
_FIGURES = {"alpha": "alpha", "ac1": "AC1", "kappa": "weighted kappa", "share": "share of nodes"}


def title(measure: str) -> str:
    return measure.replace("_", " ")


def component_rows(study: FaithfulnessStudy) -> list[dict[str, object]]:
    """One row a method (graphs as given, or a model's own), component and whose word it is."""
    rows: list[dict[str, object]] = []
    for method, batch in {GIVEN: study.batch, **study.own_batches}.items():
        for measure in MEASURES:
            where: dict[str, object] = {"method": method, "measure": measure}
            rows.append(where | {"by": SCORED} | _scored_cells(batch, measure))
            if measure in _NODES:
                values = [_node_mean(evaluation, _NODES[measure], "executed") for evaluation in batch.evaluations]
                rows.append(where | {"by": EXECUTED} | _apart(values, study.level))
            if method == GIVEN:
                for judge, evaluations in study.by_judge.items():
                    values = [_judge_value(evaluation, measure) for evaluation in evaluations]
                    if measure not in ("cf", "graph_quality"):
                        rows.append(where | {"by": judge} | _apart(values, study.level))
    return rows


def component_table(study: FaithfulnessStudy) -> Table:
    columns = (
        Column("method", "Graphs", "text"),
        Column("title", "Component", "text"),
        Column("by", "By", "text"),
        Column("n", "n", "count"),
        Column("of", "of", "count"),
        Column("value", "Mean", "number", "low", "high", decimals=2),
        Column("bounds_low", "from", "number", decimals=2),
        Column("bounds_high", "to", "number", decimals=2),
        Column("missing", "Without a value", "text"),
    )
    rows = [row | {"title": title(str(row["measure"]))} for row in component_rows(study)]
    caption = (
        "Counterfactual faithfulness: the mean of each component over n problems that have a value, of all that were "
        f"asked. Brackets: {100 * study.level:g} % intervals over problems. From, to: where the mean must lie whatever "
        "the missing values are. By: as scored, by execution alone, by a judge alone."
    ) + (f" {study.by_default}" if study.by_default else "")
    return Table("faithfulness_components", columns, rows, caption, rule_before="measure")


def method_table(study: FaithfulnessStudy) -> Table:
    """One row per method and file."""
    columns = (
        Column("method", "Method", "text"),
        Column("file", "File", "text"),
        Column("of", "Problems", "count"),
        Column("n", "with cf", "count"),
        Column("cf", "cf", "number", "cf_low", "cf_high", decimals=2),
        Column("bounds_low", "from", "number", decimals=2),
        Column("bounds_high", "to", "number", decimals=2),
        *(Column(name, title(name), "number", f"{name}_low", f"{name}_high", decimals=2) for name in COMPONENTS),
        Column("right", "right answers", "percent", "right_low", "right_high"),
    )
    caption = (
        "cf, its components and the share of right answers by method and file: means over the problems that have a "
        f"value, {100 * study.level:g} % intervals over problems. From, to: where the mean of cf must lie whatever the "
        "missing values are. A method is what the problem file says, or a model that wrote its own graphs."
    )
    return Table("faithfulness_methods", columns, study.methods, caption)


def accuracy_table(study: FaithfulnessStudy) -> Table:
    return criterion_table(study.criteria, study.level, clustered_by(study.answered))


def criterion_table(criteria: Sequence[Criterion], level: float, clusters: str) -> Table:
    """One row per measure: does it tell right from wrong answers?"""
    columns = (
        Column("title", "Measure", "text"),
        Column("n_right", "Right", "count"),
        Column("n_wrong", "Wrong", "count"),
        Column("n_missing", "no value", "count"),
        Column("auc", "AUC", "number", "auc_low", "auc_high", decimals=2),
        Column("rho", "rank correlation", "number", "rho_low", "rho_high", decimals=2),
        Column("verdict", "Of right answers", "text"),
    )
    rows = [one.row() | {"title": title(one.measure)} for one in criteria]
    caption = (
        "Each measure against whether the answer is right: AUC = P(right > wrong) + P(equal)/2 and Spearman's rho, "
        f"{100 * level:g} % intervals {clusters}. Where the interval of the AUC holds 0.5 the measure is uninformative "
        f"of right answers; it is not known where fewer than {LEAST} clusters hold right or wrong answers."
    )
    return Table("faithfulness_accuracy", columns, rows, caption)


def group_rows(study: FaithfulnessStudy) -> list[dict[str, object]]:
    """One row a measure: AUC over all damages with its interval, and over each."""
    by_measure: dict[str, dict[str, object]] = {}
    for one in study.separations:
        row = by_measure.setdefault(one.measure, {"measure": one.measure, "title": title(one.measure)})
        if one.damage == "all":
            row |= {"n_right": one.n_right, "n_damaged": one.n_damaged, "n_missing": one.n_missing}
            row |= one.auc_lowest.cells("auc") | {"verdict": one.verdict()}
        else:
            row |= one.auc_lowest.cells(one.damage)
    return list(by_measure.values())


def group_table(study: FaithfulnessStudy) -> Table:
    damages = list(dict.fromkeys(one.damage for one in study.separations if one.damage != "all"))
    columns = (
        Column("title", "Measure", "text"),
        Column("n_right", "Right", "count"),
        Column("n_damaged", "Damaged", "count"),
        Column("n_missing", "no value", "count"),
        Column("auc", "AUC", "number", "auc_low", "auc_high", decimals=2),
        *(Column(damage, title(damage), "number", decimals=2) for damage in damages),
        Column("verdict", "Right from damaged", "text"),
    )
    caption = (
        "Known groups: AUC = P(right > damaged) + P(equal)/2 of each measure, over all damages with a "
        f"{100 * study.level:g} % interval clustered by problem, and over each. A damaged graph without a value counts "
        "as lowest. 0.5 cannot tell them apart."
    )
    return Table("faithfulness_known_groups", columns, group_rows(study), caption)


class JudgeFigure(TypedDict):
    """A figure of a judge (or pair), of one kind of question or ("") all."""

    judge: str
    figure: str
    kind: str
    value: float | None
    low: float | None
    high: float | None
    n: int
    clusters: int
    notes: str


def reliability_rows(study: FaithfulnessStudy) -> list[JudgeFigure]:
    """One row a judge (or pair), figure and kind of question."""
    trust = study.reliability
    if trust is None:
        return []
    rows = [_row(judge, "readable verdicts", "", share) for judge, share in trust.readable.items()]
    for judge, estimates in trust.retest.items():
        rows += [_row(judge, f"with itself, {_figure(name)}", _kind(name), one) for name, one in estimates.items()]
    for name, estimate in trust.between.items():
        pair = name.removeprefix(name.split(" ")[0]).strip().removeprefix(_kind(name)).strip()
        rows.append(_row(pair or "all judges", f"between judges, {_figure(name)}", _kind(name), estimate))
    for judge, estimates in trust.execution.items():
        rows += [_row(judge, f"with execution, {_figure(name)}", "", one) for name, one in estimates.items()]
    for judge, effects in trust.effects.items():
        rows += [_row(judge, f"{name} effect on the rating", "", effect) for name, effect in effects.items()]
    rows += [_row("all judges", "mean corrected by labels", kind, mean) for kind, mean in trust.corrected.items()]
    return rows


def reliability_table(study: FaithfulnessStudy) -> Table:
    """Figures by kinds of question."""
    by_figure: dict[tuple[str, str], list[JudgeFigure]] = {}
    for row in reliability_rows(study):
        by_figure.setdefault((row["judge"], row["figure"]), []).append(row)
    lines = []
    for (judge, figure), rows in by_figure.items():
        line: dict[str, object] = {"judge": judge, "figure": figure}
        line |= {"n": max(row["n"] for row in rows), "clusters": max(row["clusters"] for row in rows)}
        for row in rows:
            kind = row["kind"] or "all"
            line |= {kind: row["value"], f"{kind}_low": row["low"], f"{kind}_high": row["high"]}
        lines.append(line)
    columns = (
        Column("judge", "Judge", "text"),
        Column("figure", "Agreement", "text"),
        Column("n", "n", "count"),
        Column("clusters", "problems", "count"),
        *(Column(kind, kind, "number", f"{kind}_low", f"{kind}_high", decimals=2) for kind in ("all", *KINDS)),
    )
    caption = (
        "Judges: readable verdicts; agreement with themselves over repeats, with each other and with the executed "
        "graphs (Krippendorff's alpha, ordinal; Gwet's AC1; quadratically weighted kappa); what position and padding "
        f"do to a rating of 0 to 4. Brackets: {100 * study.level:g} % intervals clustered by problem. Below alpha "
        "0.667 no conclusion should rest on a judge; a judge that always says the same has no alpha. A value without "
        "brackets is a constant over these problems, or rests on fewer than four."
    )
    return Table("faithfulness_judges", columns, lines, caption, rule_before="judge")


def behaviour_rows(study: FaithfulnessStudy) -> list[dict[str, object]]:
    """One row per model."""
    rows = []
    for agreement in study.agreements:
        mine = [one for one in study.behaviours if one.model == agreement.model]
        row: dict[str, object] = {"model": agreement.model, "asked": agreement.n_asked, "problems": agreement.problems}
        row |= {"probes": agreement.agreement.n}
        for name in ("agreement", "direction", "stated", "irrelevant", "permuted"):
            row |= getattr(agreement, name).cells(name)
        row |= {fault: agreement.blame.get(fault, 0) for fault in FAULTS}
        lost = [str(pair.status) for one in mine for pair in one.pairs if pair.agrees is None]
        lost += [f"problem {one.status}" for one in mine if one.base is None]
        lost += ["number not in the text for certain" for one in mine for _ in one.left_out]
        rows.append(row | {"missing": _count_statuses(lost)})
    return rows


def behaviour_table(study: FaithfulnessStudy) -> Table:
    shares = {"agreement": "as the graph says", "direction": "direction", "stated": "of stated knowns"}
    shares |= {"irrelevant": "control: irrelevant stays", "permuted": "control: names exchanged"}
    columns = (
        Column("model", "Model", "text"),
        Column("asked", "Graphs asked", "count"),
        Column("problems", "Problems", "count"),
        Column("probes", "Probes", "count"),
        *(Column(key, text, "number", f"{key}_low", f"{key}_high", decimals=2) for key, text in shares.items()),
        *(Column(fault, fault, "count") for fault in FAULTS),
        Column("missing", "Not compared", "text"),
    )
    caption = (
        "Behaviour: one number of a problem's text is changed, the model is asked fresh, and its answer is compared "
        "with what its own graph says (the value where the rules can be executed, else that it moves or stays). "
        "Controls: numbers that the graph calls irrelevant; the same answers against the graph with the names of its "
        "knowns exchanged. Then the edges to blame. "
        f"Brackets: {100 * study.level:g} % intervals clustered by problem."
    )
    return Table("faithfulness_behaviour", columns, behaviour_rows(study), caption)


def pair_rows(study: FaithfulnessStudy) -> list[dict[str, object]]:
    """What the graph says and what the model did, one row per probe."""
    return [
        {
            "problem": one.problem, "model": one.model, "repeat": one.repeat, "known": pair.change.known,
            "role": pair.change.role, "from": pair.change.before, "to": pair.change.after,
            "graph_says": pair.change.says, "graph_before": pair.change.base, "graph_after": pair.change.expected,
            "model_did": pair.did, "answer_before": one.base, "answer_after": pair.answer,
            "agrees": pair.agrees, "status": str(pair.status),
        }
        for one in study.behaviours
        for pair in one.pairs
    ]  # fmt: skip


def change_rows(study: FaithfulnessStudy) -> list[dict[str, object]]:
    """One row a model and whose graph was to be followed."""
    rows = []
    for (model, graph), estimate in _following(study).items():
        counts = outcomes(study.changed_by(model, graph))
        row: dict[str, object] = {"model": model, "graph": graph, "changes": sum(counts.values())}
        row |= estimate.cells("follows")
        row |= {name: counts.get(name, 0) / estimate.n if estimate.n else None for name in OUTCOMES[1:]}
        missing = _count_statuses(name for name, n in counts.items() for _ in range(n) if name not in OUTCOMES)
        row["missing"] = missing
        written = [one.graph for one in study.written if one.model == model] if graph == "own" else []
        if written:
            row |= {"graphs": len(written), "executed": sum(one.status is Status.OK for one in written)}
            row |= {name: sum(getattr(one, name) is True for one in written) for name in ("agrees", "right")}
            lost = _count_statuses(f"graph {one.status}" for one in written if one.status is not Status.OK)
            row["missing"] = ", ".join(part for part in (missing, lost) if part)
        rows.append(row)
    return rows


def change_table(study: FaithfulnessStudy) -> Table:
    columns = (
        Column("model", "Model", "text"),
        Column("graph", "Graph", "text"),
        Column("graphs", "Graphs asked", "count"),
        Column("executed", "executed", "count"),
        Column("agrees", "give its answer", "count"),
        Column("right", "give the right one", "count"),
        Column("changes", "Changes", "count"),
        Column("follows", "follows", "number", "follows_low", "follows_high", decimals=2),
        Column("stays", "stays", "number", decimals=2),
        Column("otherwise", "otherwise", "number", decimals=2),
        Column("missing", "Without an answer", "text"),
    )
    caption = (
        "Changed problems: does a model's answer move as the executed graph says (its own, or that of the problem "
        f"file)? Brackets: {100 * study.level:g} % intervals clustered by problem."
    )
    return Table("faithfulness_changed", columns, change_rows(study), caption, rule_before="model")


def all_tables(study: FaithfulnessStudy) -> list[Table]:
    """Those that have rows."""
    made = [component_table(study), group_table(study), reliability_table(study), change_table(study)]
    made[1:1] = [behaviour_table(study), method_table(study), accuracy_table(study)]
    return [table for table in made if table.rows]


def as_dict(study: FaithfulnessStudy) -> dict[str, object]:
    return {
        "level": study.level,
        "components": component_rows(study),
        "methods": study.methods,
        "accuracy": [one.row() for one in study.criteria],
        "known_groups": [one.row() | {"sentence": one.sentence()} for one in study.separations],
        "judges": reliability_rows(study),
        "behaviour": behaviour_rows(study),
        "changed": change_rows(study),
        "sentences": study.sentences(),
    }


def _following(study: FaithfulnessStudy) -> dict[tuple[str, Whose], Estimate]:
    """Also a model none of whose graphs could be executed: nothing was followed, and that is a line."""
    blank = Estimate("follows", None, None, 0, 0, "")
    blanks: dict[tuple[str, Whose], Estimate] = {(one.model, "own"): blank for one in study.written}
    return blanks | study.following()


# ---- single cells


def _scored_cells(batch: Batch, measure: str) -> dict[str, object]:
    estimate = batch.average() if measure == "cf" else batch.component(measure)
    parts = [_part(evaluation, measure) for evaluation in batch.evaluations]
    ends = [bounds for _, _, bounds in parts]
    low, high = np.array(ends).mean(axis=0).tolist() if ends else (None, None)
    missing = _count_statuses(why for value, why, _ in parts if value is None)
    counts = {"n": estimate.n, "of": len(parts), "bounds_low": low, "bounds_high": high, "missing": missing}
    return {**estimate.cells("value", ""), **counts}


def _part(evaluation: Evaluation, measure: str) -> tuple[float | None, str, tuple[float, float]]:
    """Value, why there is none, bounds."""
    part: Evaluation | Component = evaluation if measure == "cf" else evaluation.components[measure]
    value = part.cf if isinstance(part, Evaluation) else part.value
    return value, NOT_ASKED if NOT_JUDGED in part.message else str(part.status), part.bounds


def _apart(values: Sequence[float | None], level: float) -> dict[str, object]:
    array = np.array([np.nan if value is None else value for value in values], dtype=np.float64)
    estimate = mean_in_scale(array, level, "")
    counts = {"n": estimate.n, "of": len(values), "bounds_low": None, "bounds_high": None, "missing": ""}
    return {**estimate.cells("value", ""), **counts}


def _node_mean(evaluation: Evaluation, kind: str, whose: str) -> float | None:
    scores = [getattr(node, whose) for node in evaluation.nodes.get(kind, ())]
    known = [float(value) for value in scores if value is not None]
    return sum(known) / len(known) if known else None


def _judge_value(evaluation: Evaluation, measure: str) -> float | None:
    if measure in _NODES:
        return _node_mean(evaluation, _NODES[measure], "judged")
    logic = evaluation.components["logic_quality"]
    return logic.value if measure == "logic_quality" and logic.source != DEFAULT else None


def _count_statuses(statuses: Iterable[str]) -> str:
    return ", ".join(f"{status} {n}" for status, n in Counter(statuses).most_common())


def _row(judge: str, figure: str, kind: str, result: Estimate | Comparison) -> JudgeFigure:
    if isinstance(result, Comparison):
        value, n = result.difference, result.n_each[0]
    else:
        value, n = result.value, result.n
    ends = None if result.interval is None else result.interval.within(-TOP, TOP)  # the difference of two ratings
    return {
        "judge": judge, "figure": figure, "kind": kind, "value": value, "low": ends.low if ends else None,
        "high": ends.high if ends else None, "n": n,
        "clusters": result.n_clusters, "notes": " ".join(result.notes),
    }  # fmt: skip


def _figure(name: str) -> str:
    return _FIGURES[name.split(" ")[0]]


def _kind(name: str) -> str:
    return next((kind for kind in name.split(" ")[1:2] if kind in KINDS), "")
