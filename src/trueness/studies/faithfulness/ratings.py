"""What judges said as a table of ratings: item -> (judge, repeat) -> 0..4.

An item is one question: (problem, probe, node), and for logic one of its five dimensions. `holds` is 0 or 4.
"""

from __future__ import annotations

from collections.abc import Iterable
from typing import NamedTuple

import numpy as np

from trueness.reading.verdicts import TOP
from trueness.studies.faithfulness.judging import Judgement
from trueness.studies.faithfulness.known_groups import group_of
from trueness.studies.faithfulness.probes import Manner
from trueness.studies.faithfulness.scores import Evaluation


class Item(NamedTuple):
    problem: str
    kind: str
    node: str
    dimension: str = ""


Table = dict[Item, dict[tuple[str, int], float]]  # item -> (judge, repeat) -> rating


def ratings(judgements: Iterable[Judgement], manner: Manner) -> Table:
    """Every readable rating: item -> (judge, repeat) -> 0..4."""
    table: Table = {}
    for judgement in judgements:
        if judgement.probe.manner != manner:
            continue
        verdict, probe = judgement.verdict, judgement.probe
        values = {dimension: value for dimension, value in verdict.ratings.items()} if verdict.status == "ok" else {}
        if verdict.rating is not None:
            values[""] = verdict.rating
        if verdict.holds is not None:
            values[""] = TOP * float(verdict.holds)
        for dimension, value in values.items():
            item = Item(judgement.problem, probe.kind, probe.node, dimension)
            table.setdefault(item, {})[judgement.judge, judgement.repeat] = value
    return table


def executed_answers(evaluations: Iterable[Evaluation]) -> dict[Item, bool]:
    """What execution says of each node: does it matter to the target (medium or high), is the known recovered."""
    return {
        Item(evaluation.problem, kind, node.node): node.executed >= 0.5
        for evaluation in evaluations
        for kind, nodes in evaluation.nodes.items()
        for node in nodes
        if node.executed is not None
    }


def rounded_means(table: Table, judge: str) -> dict[Item, float]:
    """The mean over repeats, as a rating."""
    means = {}
    for item, values in table.items():
        of_judge = [value for (name, _), value in values.items() if name == judge]
        if of_judge:
            means[item] = float(np.rint(sum(of_judge) / len(of_judge)))
    return means


def averages(table: Table) -> dict[Item, float]:
    return {item: sum(values.values()) / len(values) for item, values in table.items()}


def clusters_of(table: Iterable[Item]) -> list[str]:
    """Clusters: a problem and its damaged copies are one."""
    return [group_of(item.problem)[0] for item in table]
