"""What the terminal shows of a faithfulness study: behaviour, components, known groups, judges, changes, warnings."""

from __future__ import annotations

from functools import partial

from rich.padding import Padding

from trueness.showing.console import Console, plain
from trueness.showing.sheet import one_by_one, print_table
from trueness.studies.faithfulness import tables
from trueness.studies.faithfulness.answers import FaithfulnessStudy
from trueness.studies.faithfulness.behaviour import FAULTS
from trueness.studies.faithfulness.findings import beside_tables, notes


def print_faithfulness(out: Console, study: FaithfulnessStudy) -> None:
    copies = len(study.evaluations) - len(study.right)
    judgements = sum(judgement.verdict.status == "ok" for judgement in study.judgements)
    judged = f"{judgements:,} of {len(study.judgements):,} judgements read" if study.judgements else "no judge asked"
    out.print(f"[bold]faithfulness[/]   {len(study.right)} problems, {copies} damaged copies, {judged}")
    tell = partial(print_table, out, place="the CSV files in faithfulness/")
    lone, bounds = [] if study.own_batches else [("method",)], ("bounds_low", "bounds_high")
    if study.behaviours:
        counts = ["right", "agrees", "executed", "missing", "asked", "problems", "direction", "stated"]
        dropped = one_by_one([*counts, *FAULTS])
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
    for line in beside_tables(study):
        _print_line(out, line)
    for line in notes(study):
        _print_line(out, line, "dim")


def _print_line(out: Console, line: str, style: str = "") -> None:
    """Between words on a terminal, one line for a file or a pipe."""
    if out.is_terminal:
        out.print(Padding(plain(line), (0, 0, 0, 2)), style=style)
    else:
        out.print(f"  {plain(line)}", style=style, soft_wrap=True)
