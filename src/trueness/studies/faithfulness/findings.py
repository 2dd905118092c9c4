"""What a faithfulness study says: sentences, and tables of components, behaviour, known groups and judges.

Means are over problems, and what has no value is counted with its status. Known groups: the AUC with a copy that has no
value counted as lowest (known_groups.py).
"""

from __future__ import annotations

import math
from collections import Counter
from collections.abc import Iterable, Mapping, Sequence

from trueness.showing.summary import Finding, finding, told_and_open
from trueness.showing.tables import Column, Table
from trueness.statistics.result import interval_cells
from trueness.statistics.unpaired import LEAST
from trueness.status import Status
from trueness.studies.faithfulness.answers import FaithfulnessStudy
from trueness.studies.faithfulness.batch import GIVEN, HELD_OUT, Batch, Criterion, clustered_by
from trueness.studies.faithfulness.behaviour import Behaviour
from trueness.studies.faithfulness.judge_reliability import ratings
from trueness.studies.faithfulness.known_groups import group_of
from trueness.studies.faithfulness.scores import BANDS, COMPONENTS, DEFAULT, NOT_JUDGED, ORIGINAL_LOGIC

NOT_ASKED = "no judge asked"
MEASURES = ("cf", *COMPONENTS)
Rows = list[dict[str, object]]
_FIGURES = {"": "", "alpha": "alpha", "ac1": "AC1", "kappa": "weighted kappa", "share": "share of nodes"}
_GROUPS = {
    "readable": "readable verdicts", "retest": "with itself, ", "between": "between judges, ",
    "execution": "with execution, ",
}  # fmt: skip


def title(measure: str) -> str:
    return measure.replace("_", " ")


def _texts(**titles: str) -> list[Column]:
    return [Column(key, text, "text") for key, text in titles.items()]


def _counts(**titles: str) -> list[Column]:
    return [Column(key, text, "count") for key, text in titles.items()]


def _numbers(titles: Mapping[str, str], ends: bool = True) -> list[Column]:
    """Columns of two decimals, with their intervals."""
    return [
        Column(key, text, "number", f"{key}_low" if ends else None, f"{key}_high" if ends else None, decimals=2)
        for key, text in titles.items()
    ]


_BOUNDS = {"bounds_low": "from", "bounds_high": "to"}


def component_rows(study: FaithfulnessStudy) -> Rows:
    """One row per method (graphs as given, or a model's own) and component."""
    batches = {GIVEN: study.batch, **study.own_batches}
    return [
        {"method": method, "measure": measure} | _scored(batch, measure)
        for method, batch in batches.items()
        for measure in MEASURES
    ]


def _scored(batch: Batch, measure: str) -> dict[str, object]:
    estimate, (low, high) = batch.mean_of(measure), batch.bounds(measure) or (None, None)
    lost = [one if measure == "cf" else one.components[measure] for one in batch.evaluations
            if one.value(measure) is None]  # fmt: skip
    missing = _count_statuses(NOT_ASKED if NOT_JUDGED in part.message else str(part.status) for part in lost)
    row: dict[str, object] = {**estimate.cells("value", ""), "n": estimate.n, "of": len(batch.evaluations)}
    return row | {"bounds_low": low, "bounds_high": high, "missing": missing}


def component_table(study: FaithfulnessStudy) -> Table:
    columns = (
        *_texts(method="Graphs", title="Component"),
        *_counts(n="n", of="of"),
        Column("value", "Mean", "number", "low", "high", decimals=2),
        *_numbers(_BOUNDS, ends=False),
        *_texts(missing="Without a value"),
    )
    rows = [row | {"title": title(str(row["measure"]))} for row in component_rows(study)]
    caption = (
        "Counterfactual faithfulness: the mean of each component over n problems that have a value, of all that were "
        f"asked. Brackets: {100 * study.level:g} % intervals over problems. From, to: where the mean must lie whatever "
        "the missing values are."
    ) + (f" {by_default(study)}" if by_default(study) else "")
    drop = [*([] if study.own_batches else [("method",)]), ("bounds_low", "bounds_high"), ("missing",)]
    return Table(
        "faithfulness_components", columns, rows, caption, rule_before="measure", title="cf and its parts", drop=drop,
        once=("method",),
    )  # fmt: skip


def method_table(study: FaithfulnessStudy) -> Table:
    """One row per method and file."""
    columns = (
        *_texts(method="Method", file="File"),
        *_counts(of="Problems", n="with cf"),
        *_numbers({"cf": "cf"}),
        *_numbers(_BOUNDS, ends=False),
        *_numbers({name: title(name) for name in COMPONENTS}),
        Column("right", "right answers", "percent", "right_low", "right_high"),
    )
    caption = (
        "cf, its components and the share of right answers by method and file: means over the problems that have a "
        f"value, {100 * study.level:g} % intervals over problems. From, to: where the mean of cf must lie whatever the "
        "missing values are. A method is what the problem file says, or a model that wrote its own graphs."
    )
    return Table(
        "faithfulness_methods", columns, study.methods, caption, title="by method and file",
        drop=[("bounds_low", "bounds_high"), ("n",), *((name,) for name in reversed(COMPONENTS))], once=("method",),
    )  # fmt: skip


def accuracy_table(study: FaithfulnessStudy) -> Table:
    return criterion_table(study.criteria, study.level, clustered_by(study.answered))


def criterion_table(criteria: Sequence[Criterion], level: float, clusters: str) -> Table:
    """One row per measure: does it tell right from wrong answers?"""
    columns = (
        *_texts(title="Measure"),
        *_counts(n_right="Right", n_wrong="Wrong", n_missing="no value"),
        *_numbers({"auc": "AUC", "rho": "rank correlation"}),
        *_texts(verdict="Of right answers"),
    )
    rows = [one.row() | {"title": title(one.measure)} for one in criteria]
    caption = (
        "Each measure against whether the answer is right: AUC = P(right > wrong) + P(equal)/2 and Spearman's rho, "
        f"{100 * level:g} % intervals {clusters}. Where the interval of the AUC holds 0.5 the measure is uninformative "
        f"of right answers; it is not known where fewer than {LEAST} clusters hold right or wrong answers."
    )
    name, heading = "faithfulness_accuracy", "right against wrong answers"
    return Table(name, columns, rows, caption, title=heading, drop=[("n_missing",), ("rho",)])


def group_rows(study: FaithfulnessStudy) -> Rows:
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
    damages = {one.damage: title(one.damage) for one in study.separations if one.damage != "all"}
    columns = (
        *_texts(title="Measure"),
        *_counts(n_right="Right", n_damaged="Damaged", n_missing="no value"),
        *_numbers({"auc": "AUC"}),
        *_numbers(damages, ends=False),
        *_texts(verdict="Right from damaged"),
    )
    caption = (
        "Known groups: AUC = P(right > damaged) + P(equal)/2 of each measure, over all damages with a "
        f"{100 * study.level:g} % interval clustered by problem, and over each. A damaged graph without a value counts "
        "as lowest. 0.5 cannot tell them apart."
    )
    name, heading = "faithfulness_known_groups", "right against damaged graphs"
    return Table(name, columns, group_rows(study), caption, title=heading, drop=[(one,) for one in reversed(damages)])


def judge_rows(study: FaithfulnessStudy) -> Rows:
    """One row a judge (or pair) and figure."""
    rows: Rows = []
    for one in () if study.reliability is None else study.reliability.figures:
        estimate, figure = one.estimate, _GROUPS[one.group] + _FIGURES[one.name]
        row = {"judge": one.judge or "all judges", "figure": figure, "value": estimate.value}
        counts = {"n": estimate.n, "clusters": estimate.n_clusters, "notes": " ".join(estimate.notes)}
        rows.append({**row, **interval_cells(estimate.interval), **counts})
    return rows


def reliability_table(study: FaithfulnessStudy) -> Table:
    columns = (
        *_texts(judge="Judge", figure="Agreement"),
        *_counts(n="n", clusters="problems"),
        Column("value", "Value", "number", "low", "high", decimals=2),
    )
    caption = (
        "Judges: readable verdicts; agreement with themselves over repeats, with each other and with the executed "
        "graphs (Krippendorff's alpha, ordinal; Gwet's AC1; quadratically weighted kappa). "
        f"Brackets: {100 * study.level:g} % intervals clustered by problem. Below alpha "
        "0.667 no conclusion should rest on a judge; a judge that always says the same has no alpha. A value without "
        "brackets is a constant over these problems, or rests on fewer than four."
    )
    return Table(
        "faithfulness_reliability", columns, judge_rows(study), caption, rule_before="judge",
        title="can the judge be believed?", drop=[("clusters",), ("n",)], once=("judge",),
    )  # fmt: skip


def verdict_rows(study: FaithfulnessStudy) -> Rows:
    """What `trueness judge` takes: one row per rating, 0 to 4; a column `label` is for what people say of the item."""
    return [
        {"item": " ".join(filter(None, item)), "judge": judge, "verdict": value, "repeat": repeat}
        | {"cluster": group_of(item.problem)[0], "kind": item.kind, "label": None}
        for item, said in ratings(study.judgements).items()
        for (judge, repeat), value in said.items()
    ]


def behaviour_rows(study: FaithfulnessStudy) -> Rows:
    """One row per model."""
    rows = []
    for agreement in study.agreements:
        mine = [one for one in study.behaviours if one.model == agreement.model]
        row: dict[str, object] = {"model": agreement.model, "asked": agreement.n_asked, "problems": agreement.problems}
        row |= {"executed": sum(one.own.status is Status.OK for one in mine)}
        row |= {name: sum(getattr(one.own, name) is True for one in mine) for name in _OF_GRAPHS}
        row |= {"probes": agreement.agreement.n}
        row |= agreement.agreement.cells("agreement")
        lost = [str(pair.status) for one in mine for pair in one.pairs if pair.agrees is None]
        lost += [f"problem {one.status}" for one in mine if one.base is None]
        lost += ["number not in the text for certain" for one in mine for _ in one.left_out]
        rows.append(row | {"missing": _count_statuses(lost)})
    return rows


_OF_GRAPHS = {"agrees": "give its answer", "right": "give the right one"}


def behaviour_table(study: FaithfulnessStudy) -> Table:
    columns = (
        *_texts(model="Model"),
        *_counts(asked="Graphs asked", executed="executed", **_OF_GRAPHS, problems="Problems", probes="Probes"),
        *_numbers({"agreement": "as the graph says"}),
        *_texts(missing="Not compared"),
    )
    caption = (
        "Behaviour: one number of a problem's text is changed, the model is asked fresh, and its answer is compared "
        "with what its own graph says (the value where the rules can be executed, else that it moves or stays). "
        f"Brackets: {100 * study.level:g} % intervals clustered by problem."
    )
    counts = ("right", "agrees", "executed", "missing", "asked", "problems")
    return Table(
        "faithfulness_behaviour", columns, behaviour_rows(study), caption,
        title="does its answer move as its own graph says?", drop=[(name,) for name in counts],
    )  # fmt: skip


def pair_rows(behaviours: Iterable[Behaviour]) -> Rows:
    """What the graph says and what the model did, one row per probe."""
    return [
        {
            "problem": one.problem, "model": one.model, "repeat": one.repeat, "known": pair.change.known,
            "role": pair.change.role, "from": pair.change.before, "to": pair.change.after,
            "graph_says": pair.change.says, "graph_before": pair.change.base, "graph_after": pair.change.expected,
            "model_did": pair.did, "answer_before": one.base, "answer_after": pair.answer,
            "agrees": pair.agrees, "status": str(pair.status),
        }
        for one in behaviours
        for pair in one.pairs
    ]  # fmt: skip


def all_tables(study: FaithfulnessStudy) -> list[Table]:
    """Those that have rows."""
    makers = (
        component_table, behaviour_table, method_table, accuracy_table, group_table, reliability_table,
    )  # fmt: skip
    return [table for table in (maker(study) for maker in makers) if table.rows]


def as_dict(study: FaithfulnessStudy) -> dict[str, object]:
    return {
        "level": study.level,
        "components": component_rows(study),
        "methods": study.methods,
        "accuracy": [one.row() for one in study.criteria],
        "known_groups": [one.row() | {"sentence": one.finding()} for one in study.separations],
        "judges": judge_rows(study),
        "behaviour": behaviour_rows(study),
        "sentences": sentences(study),
    }


def _count_statuses(statuses: Iterable[str]) -> str:
    return ", ".join(f"{status} {n}" for status, n in Counter(statuses).most_common())


# ---- sentences


def sentences(study: FaithfulnessStudy) -> list[str]:
    """All that the study says, in the order in which it should be read."""
    average, bounds, of = study.batch.average(), study.batch.bounds(), len(study.right)
    lines: list[str] = [HELD_OUT, finding(average)]
    if bounds is not None and average.n < of:
        lines.append(
            f"{of - average.n} of {of} problems have no cf; whatever they are, the mean "
            f"lies in [{bounds[0]:.3f}, {bounds[1]:.3f}]."
        )
    lines += [finding(study.batch.mean_of(name)) for name in COMPONENTS]
    lines += [by_default(study)] if by_default(study) else []
    lines += sampling(study)
    lines += [separation.finding() for separation in study.separations if separation.damage == "all"]
    lines += [criterion.finding() for criterion in study.criteria]
    lines += [] if study.reliability is None else study.reliability.sentences()
    lines += [line for agreement in study.agreements for line in agreement.findings()]
    return lines + [_written(study, model) for model in study.own_batches]


def findings_and_open(study: FaithfulnessStudy) -> tuple[list[str], list[str]]:
    findings, left = told_and_open(sentences(study))
    if not study.criteria:
        left.append("No answer is labelled right or wrong: whether cf and its parts tell them apart is not checked.")
    return findings, [*left, "Problems were written or chosen by people: cf of other problems may be another one."]


def beside_tables(study: FaithfulnessStudy) -> list[str]:
    """What no table says: how far the executed checks and cf are believed, samples of nodes, warnings about judges."""
    main = [one for one in study.separations if one.damage == "all" and one.measure in ("cf", "executable")]
    lines = [str(HELD_OUT), *(one.finding() for one in main)]
    lines += [by_default(study)] if by_default(study) else []
    return [*lines, *sampling(study), *(() if study.reliability is None else study.reliability.warnings)]


def how_to_read(study: FaithfulnessStudy) -> list[str]:
    """The captions of the tables, and what the bands of cf mean."""
    ends = ((f" from {least:g}" if math.isfinite(least) else " below", word, meaning) for least, word, meaning in BANDS)
    bands = "; ".join(f"{word}{end}: {meaning}" for end, word, meaning in ends)
    return [*(table.caption for table in all_tables(study)), f"Bands of cf: {bands}."]


def by_default(study: FaithfulnessStudy) -> str:
    """In how many problems logic_quality is the original's .5."""
    number = sum(one.components["logic_quality"].source == DEFAULT for one in study.answered)
    if not number:
        return ""
    return (
        f"logic_quality is the original's {ORIGINAL_LOGIC} in {number} of {len(study.answered)} graphs, where no "
        'readable judgement of a reasoning is there (logic = "original"). cf counts it, and its bounds do not.'
    )


def sampling(study: FaithfulnessStudy) -> list[str]:
    """Where judges saw a sample of nodes: how far a component of one problem may be off by that."""
    lines: list[str] = []
    for name in COMPONENTS[:2]:
        parts = [evaluation.components[name] for evaluation in study.right]
        drawn = [part.details["sampling"] for part in parts if part.value is not None and "sampling" in part.details]
        errors = [one["standard_error"] for one in drawn if one["standard_error"] is not None]
        if drawn:
            nodes = f"{sum(one['asked'] for one in drawn)} of {sum(one['of'] for one in drawn)} nodes"
            where = f"{len(drawn)} problem{'s' if len(drawn) > 1 else ''}"
            error = f"{sum(errors) / len(errors):.2f} on average" if errors else "not known, one node a problem"
            sentence = (
                f"{name}: judges were asked about {nodes} in {where}; the standard error that this "
                f"leaves in the value of one problem is {error}."
            )
            lines.append(Finding(sentence, open=not errors))
    return lines


def _written(study: FaithfulnessStudy, model: str) -> str:
    graphs = [one.own for one in study.behaviours if one.model == model]
    executed = sum(graph.status is Status.OK for graph in graphs)
    agree, right = sum(graph.agrees is True for graph in graphs), sum(graph.right is True for graph in graphs)
    return (
        f"{model} was asked for {len(graphs)} graphs of its own: {executed} can be executed, {agree} give "
        f"the answer that it gave, {right} the right one."
    )
