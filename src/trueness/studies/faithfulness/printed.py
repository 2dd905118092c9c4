"""What the terminal shows of a faithfulness study: components, known groups, judges, changed problems, warnings."""

from __future__ import annotations

import math
from collections.abc import Sequence

from rich.padding import Padding

from trueness.showing.console import Console, plain
from trueness.showing.tables import Table as ReportTable
from trueness.studies.faithfulness import tables
from trueness.studies.faithfulness.answers import FaithfulnessStudy
from trueness.studies.faithfulness.behaviour import FAULTS
from trueness.studies.faithfulness.scores import BANDS


def print_faithfulness(out: Console, study: FaithfulnessStudy) -> None:
    copies = len(study.evaluations) - len(study.right)
    judgements = sum(judgement.verdict.status == "ok" for judgement in study.judgements)
    asked = f", {judgements:,} of {len(study.judgements):,} judgements read" if study.judgements else ", no judge asked"
    out.print(f"[bold]faithfulness[/]   {len(study.right)} problems, {copies} damaged copies{asked}")
    lone = () if study.own else ("method",)
    _print(out, tables.component_table(study), "", (*lone, "bounds_low", "bounds_high", "missing"), ("method", "title"))
    if study.methods:
        parts = ("bounds_low", "bounds_high", "n", "graph_quality", "logic_quality", "abductive_reasoning")
        _print(out, tables.method_table(study), "by method and file", (*parts, "causal_intervention"), ("method",))
    if study.criteria:
        _print(out, tables.accuracy_table(study), "right against wrong answers", ("n_missing", "rho"))
    if study.separations:
        damages = ("answer_wrong", "rule_swapped", "irrelevant_node", "parent_dropped", "edge_reversed")
        _print(out, tables.group_table(study), "right against damaged graphs", damages)
    if study.reliability is not None:
        kinds = ("clusters", "n", "abduction", "intervention", "logic")
        _print(out, tables.reliability_table(study), "can the judge be believed?", kinds, ("judge",))
    if study.behaviours:
        dropped = ("missing", "asked", "problems", "direction", "stated", *FAULTS)
        _print(out, tables.behaviour_table(study), "does its answer move as its own graph says?", dropped)
    if study.written or study.changed:
        counts = ("right", "agrees", "otherwise", "missing", "executed", "graphs")
        heading = "changed problems: does the answer follow the graph?"
        _print(out, tables.change_table(study), heading, counts, ("model",))
    for line in sentences(study):
        _print_line(out, line)
    for line in notes(study):
        _print_line(out, line, "dim")


def sentences(study: FaithfulnessStudy) -> list[str]:
    """What no table says: how far cf is believed, samples of nodes, warnings about judges."""
    main = [one for one in study.separations if one.damage == "all" and one.measure in ("cf", "executable")]
    said = [one.sentence() for one in main]
    said += study.sampling_sentences()
    return said + list(() if study.reliability is None else study.reliability.warnings)


def notes(study: FaithfulnessStudy) -> list[str]:
    level = f"{100 * study.level:g} %"
    said = [
        f"mean: of the n problems that have a value, {level} interval over problems.  from, to: where the mean lies "
        "whatever the missing values are.  cf needs all four components; nothing missing becomes 0.5.",
        "bands of cf: " + "; ".join(f"{word}{_from(least)}: {meaning}" for least, word, meaning in BANDS) + ".",
    ]
    if study.separations:
        said.append(
            "AUC: chance that a right graph scores above a damaged one; 0.5 cannot tell, a graph without a value "
            "counts as lowest.  graph checks: ours.  executable: mean of what execution checks.  cf lower: cf with "
            "the missing at 0."
        )
    if study.reliability is not None:
        said.append(
            "alpha: Krippendorff, ordinal, over repeats or judges; a dash where all ratings are the same or nothing "
            "can be compared.  with execution: a rating of 2 or more says that the node matters."
        )
    return said


def _from(least: float) -> str:
    return f" from {least:g}" if math.isfinite(least) else " below"


def _print_line(out: Console, line: str, style: str = "") -> None:
    """Between words on a terminal, one line for a file or a pipe."""
    if out.is_terminal:
        out.print(Padding(plain(line), (0, 0, 0, 2)), style=style)
    else:
        out.print(f"  {plain(line)}", style=style, soft_wrap=True)


def _print(out: Console, found: ReportTable, heading: str, drop: Sequence[str] = (), blank: Sequence[str] = ()) -> None:
    """`drop`: columns that go first where the terminal is narrow; a name that the line above has is not repeated."""
    cells = found.cells()
    shown = fitting(found, cells, out.width, drop)
    out.print(found.to_rich(heading, shown, blank))


def fitting(found: ReportTable, cells: Sequence[Sequence[str]], width: int, drop: Sequence[str]) -> list[int]:
    """The columns that fit, without those in which nobody has anything; all of them are in the CSV files."""
    used = [k for k in range(len(found.columns)) if any(row[k] != "-" for row in cells)]
    widths = {k: max(len(found.columns[k].title), *(len(row[k]) for row in cells)) + 1 for k in used}
    waiting = list(drop)
    while waiting and sum(widths[k] for k in used) > width:
        gone = waiting.pop(0)
        used = [k for k in used if found.columns[k].key != gone]
    return used
