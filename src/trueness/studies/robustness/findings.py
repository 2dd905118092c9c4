"""What a robustness study says, in sentences: each with its estimate, interval, n and test, an oracle named as one."""

from __future__ import annotations

from collections.abc import Mapping, Sequence

import pandas as pd

from trueness.errors import listed
from trueness.intervals import fixed, value_text
from trueness.showing.marks import spread_of
from trueness.statistics import Comparison, Reach
from trueness.studies.robustness.calibration import disentanglement, expected_edges, invariance
from trueness.studies.robustness.scores import RobustnessScores
from trueness.studies.robustness.summaries import differences, optimism


def findings(evaluation: RobustnessScores, expected: Mapping[str, Sequence[str]] | None = None) -> dict[str, list[str]]:
    """Heading -> sentences, in the order in which they should be read."""
    return {
        "differences": [pair.sentence() for group in differences(evaluation).values() for pair in _first(group)],
        "oracle_k against k_from_other_graphs": _optimism(evaluation),
        "invariance": _invariance(evaluation),
        "signal and corruption": _disentanglement(evaluation),
        "expected edges": _expected(evaluation, expected or {}),
    }


def _first(pairs: Sequence[Comparison]) -> list[Comparison]:
    """Of many pairs those of the best scorer against each other one; all are in differences.csv."""
    if not pairs:
        return []
    wins = pd.Series([pair.names[0] for pair in pairs if pair.difference is not None]).value_counts()
    best = str(wins.index[0]) if len(wins) else pairs[0].names[0]
    return [pair for pair in pairs if pair.names[0] == best]


def _optimism(evaluation: RobustnessScores) -> list[str]:
    """What the oracle's K gains over one from other graphs, a scorer at a time."""
    sentences = [f"{group.capitalize()}: {gap.sentence()}" for (_, group, _), gap in optimism(evaluation).items()]
    return sentences or ["There is no other graph in any group: what the oracle gains cannot be measured."]


def _invariance(evaluation: RobustnessScores) -> list[str]:
    return [
        f"{str(group).capitalize()}: kept edges agree between {listed(evaluation.compared, 12)} (mean "
        "pairwise Jaccard at one K): "
        + "; ".join(f"{row.scorer} {_value(row)} (chance {row.chance:.2f})" for row in rows.itertuples())
        + f" {_grounds(evaluation, rows)}."
        for group, rows in invariance(evaluation).groupby("group", sort=False)
    ]


def _disentanglement(evaluation: RobustnessScores) -> list[str]:
    return [
        f"{str(group).capitalize()}: with the uncorrupted values {scorer}'s signal has a correlation greater than that "
        "of the readings by: "
        + "; ".join(
            f"{row.corruption} {_value(row)} ({row.signal:z.2f} - {row.readings:z.2f})" for row in rows.itertuples()
        )
        + f" {_grounds(evaluation, rows)}."
        for (group, scorer), rows in disentanglement(evaluation).groupby(["group", "scorer"], sort=False)
    ]


def _expected(evaluation: RobustnessScores, expected: Mapping[str, Sequence[str]]) -> list[str]:
    frame = expected_edges(evaluation, expected)
    return [
        f"{dataset}, {scorer}: kept of {edges} {kind} edges at K = {k}, where chance keeps {chance:.1f}: "
        + "; ".join(f"{row.corruption} {row.found:.3g}" for row in rows.itertuples())
        + f" (n = {spread_of(rows['seeds'])} fits each; no interval; no test)."
        for (dataset, scorer, kind, edges, k, chance), rows in frame.groupby(
            ["dataset", "scorer", "kind", "edges", "k", "chance"], sort=False
        )
    ]


def _grounds(evaluation: RobustnessScores, rows: pd.DataFrame) -> str:
    """What the intervals are and what they rest on. units: what was drawn independently, graphs or seeds of one."""
    return f"({evaluation.intervals(tuple(dict.fromkeys(rows['group'])))}; n = {spread_of(rows['n'])} fits; no test)"


def _value(row: object, *names: str) -> str:
    value, *ends = (getattr(row, name) for name in names or ("value", "low", "high"))
    constant = not names and bool(getattr(row, "constant", False))
    none = " (no interval)" if not constant and pd.isna(ends[0]) else ""
    return value_text(value, (ends[0], ends[1]), fixed(2), constant) + none


def open_sentences(notes: Sequence[str], evaluation: RobustnessScores) -> list[str]:
    """What the study cannot tell: its own notes, how small a p so few graphs allow, and where nobody looked."""
    sentences = list(notes)
    pairs = len(evaluation.scorers_compared) * (len(evaluation.scorers_compared) - 1) // 2
    for group in evaluation.groups:
        graphs = evaluation.n_graphs(group)
        sentences.append(f"{group.capitalize()}: {Reach(graphs, max(pairs, 1))}")
    sentences.append("Nothing is known of corruptions, or strengths of them, that were not planned.")
    return sentences
