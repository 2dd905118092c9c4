"""What a faithfulness study says in sentences: what was found, and what its design leaves open."""

from __future__ import annotations

import math

from trueness.showing.finding import Finding, finding, told_and_open
from trueness.status import Status
from trueness.studies.faithfulness.answers import FaithfulnessStudy
from trueness.studies.faithfulness.batch import HELD_OUT
from trueness.studies.faithfulness.scores import BANDS, COMPONENTS, DEFAULT, ORIGINAL_LOGIC


def sentences(study: FaithfulnessStudy) -> list[str]:
    """All that the study says, in the order in which it should be read."""
    average, bounds, of = study.batch.average(), study.batch.bounds(), len(study.right)
    lines: list[str] = [HELD_OUT, finding(average)]
    if bounds is not None and average.n < of:
        lines.append(
            f"{of - average.n} of {of} problems have no cf; whatever they are, the mean "
            f"lies in [{bounds[0]:.3f}, {bounds[1]:.3f}]."
        )
    lines += [finding(study.batch.component(name)) for name in COMPONENTS]
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
    """How to read the tables."""
    rule = "" if by_default(study) else "; nothing missing becomes 0.5"
    bands = (f"{word}{_from(least)}: {meaning}" for least, word, meaning in BANDS)
    lines = [
        f"mean: of the n problems that have a value, {100 * study.level:g} % interval over problems.  from, to: where "
        f"the mean lies whatever the missing values are.  cf needs all four components{rule}.",
        f"bands of cf: {'; '.join(bands)}.",
    ]
    if study.separations:
        lines.append(
            "AUC: chance that a right graph scores above a damaged one; 0.5 cannot tell, a graph without a value "
            "counts as lowest.  graph checks: ours.  executable: mean of what execution checks.  cf lower: cf with "
            "the missing at 0."
        )
    if study.reliability is not None:
        lines.append(
            "alpha: Krippendorff, ordinal, over repeats or judges; a dash where all ratings are the same or nothing "
            "can be compared.  with execution: a rating of 2 or more says that the node matters."
        )
    return lines


def _from(least: float) -> str:
    return f" from {least:g}" if math.isfinite(least) else " below"


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
    graphs = [one.graph for one in study.written if one.model == model]
    executed = sum(graph.status is Status.OK for graph in graphs)
    agree, right = sum(graph.agrees is True for graph in graphs), sum(graph.right is True for graph in graphs)
    return (
        f"{model} was asked for {len(graphs)} graphs of its own: {executed} can be executed, {agree} give "
        f"the answer that it gave, {right} the right one."
    )
