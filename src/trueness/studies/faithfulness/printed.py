"""What the terminal shows of a faithfulness study: behaviour, components, known groups, judges, changes, warnings."""

from __future__ import annotations

import math
from functools import partial

from rich.padding import Padding

from trueness.showing.console import Console, plain
from trueness.showing.sheet import one_by_one, print_table
from trueness.studies.faithfulness import tables
from trueness.studies.faithfulness.accuracy import HELD_OUT
from trueness.studies.faithfulness.answers import FaithfulnessStudy
from trueness.studies.faithfulness.behaviour import FAULTS
from trueness.studies.faithfulness.scores import BANDS


def print_faithfulness(out: Console, study: FaithfulnessStudy) -> None:
    copies = len(study.evaluations) - len(study.right)
    judgements = sum(judgement.verdict.status == "ok" for judgement in study.judgements)
    judged = f"{judgements:,} of {len(study.judgements):,} judgements read" if study.judgements else "no judge asked"
    out.print(f"[bold]faithfulness[/]   {len(study.right)} problems, {copies} damaged copies, {judged}")
    tell = partial(print_table, out, place="the CSV files in faithfulness/")
    lone, bounds = [] if study.own_batches else [("method",)], ("bounds_low", "bounds_high")
    if study.behaviours:
        dropped = one_by_one(["missing", "asked", "problems", "direction", "stated", *FAULTS])
        tell("does its answer move as its own graph says?", tables.behaviour_table(study), drop=dropped)
    tell("", tables.component_table(study), drop=[*lone, bounds, ("missing",)], once=("method", "title"))
    if study.methods:
        parts = one_by_one(["n", "graph_quality", "logic_quality", "abductive_reasoning", "causal_intervention"])
        tell("by method and file", tables.method_table(study), drop=[bounds, *parts], once=("method",))
    if study.criteria:
        tell("right against wrong answers", tables.accuracy_table(study), drop=one_by_one(["n_missing", "rho"]))
    if study.separations:
        damages = ["answer_wrong", "rule_swapped", "irrelevant_node", "parent_dropped", "edge_reversed"]
        tell("right against damaged graphs", tables.group_table(study), drop=one_by_one(damages))
    if study.reliability is not None:
        kinds = one_by_one(["clusters", "n", "abduction", "intervention", "logic"])
        tell("can the judge be believed?", tables.reliability_table(study), drop=kinds, once=("judge",))
    if study.written or study.changed:
        counts = one_by_one(["right", "agrees", "otherwise", "missing", "executed", "graphs"])
        heading = "changed problems: does the answer follow the graph?"
        tell(heading, tables.change_table(study), drop=counts, once=("model",))
    for line in sentences(study):
        _print_line(out, line)
    for line in notes(study):
        _print_line(out, line, "dim")


def sentences(study: FaithfulnessStudy) -> list[str]:
    """What no table says: how far the executed checks and cf are believed, samples of nodes, warnings about judges."""
    main = [one for one in study.separations if one.damage == "all" and one.measure in ("cf", "executable")]
    lines = [str(HELD_OUT), *(one.sentence() for one in main)]
    lines += [study.by_default] if study.by_default else []
    lines += study.sampling_sentences()
    return lines + list(() if study.reliability is None else study.reliability.warnings)


def notes(study: FaithfulnessStudy) -> list[str]:
    level = f"{100 * study.level:g} %"
    rule = "" if study.by_default else "; nothing missing becomes 0.5"
    lines = [
        f"mean: of the n problems that have a value, {level} interval over problems.  from, to: where the mean lies "
        f"whatever the missing values are.  cf needs all four components{rule}.",
        "bands of cf: " + "; ".join(f"{word}{_from(least)}: {meaning}" for least, word, meaning in BANDS) + ".",
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


def _print_line(out: Console, line: str, style: str = "") -> None:
    """Between words on a terminal, one line for a file or a pipe."""
    if out.is_terminal:
        out.print(Padding(plain(line), (0, 0, 0, 2)), style=style)
    else:
        out.print(f"  {plain(line)}", style=style, soft_wrap=True)
