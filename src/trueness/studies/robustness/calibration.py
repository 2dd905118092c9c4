"""One K frozen for all: the original's calibration, what the edges kept at it are, and whether they stay the same.

    K*         argmax_K F1 (metric = "shd": argmin_K SHD) of the matched scorer under the validation corruption, for
               K in [5, 3|E|] (k_range = "original") or all K; with its interval over seeds
    A_sparse   the K* largest |A|, 0 elsewhere
    verdict    max F1 - min F1 within K* +- 5:  < .1 ROBUST, .1 to .2 MODERATE, > .2 SENSITIVE   (summaries.py)
    main       SHD (fp + fn) and directed F1 of A_sparse, methods x corruptions, all at K*
K* saw the truth that it is scored against, and so did whoever is matched to it: an oracle, said wherever it is shown.

    invariance       mean over pairs of corruptions of J(top K under one, top K under the other), same rows and seed
                     J = sum min(a, b) / sum max(a, b),  a_ij in [0, 1]: how far i -> j is among the K (Jaccard);
                     of m tied pairs for r places each is in by r / m: the order of columns has no say
    chance           of two random sets of K of m pairs, about K / (2 m - K)
    expected edges   required edges among the top K, forbidden ones too; chance K / m each
    disentanglement  r(signal, clean) - r(readings, clean), mean over columns, where there is a reading: of scorers that
                     give details["signal"], as RC-GNN does; above 0 the signal is nearer to the uncorrupted values
Here K is one number a scorer and graph: k_from_other_graphs, or one edge a node where there is no other graph.
Invariance is no merit alone: a scorer that ignores the rows has 1. Read it beside AUPRC.
"""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass
from functools import lru_cache
from itertools import combinations
from typing import Any

import numpy as np
import pandas as pd

from trueness.errors import listed
from trueness.intervals import fixed, value_text
from trueness.showing.marks import spread_of
from trueness.statistics import Comparison
from trueness.studies.robustness.choose_k import MATCHED, ORACLE, OTHERS, KChoice
from trueness.studies.robustness.scores import RobustnessScores, ScorerAnswer
from trueness.studies.robustness.sensitivity import AROUND, Array, SensitivityCurve, original_range, sparsest
from trueness.studies.robustness.summaries import MEAN, UNTOLD, average, differences, optimism, plateau_around

FROZEN = {"shd_reversals_twice": "SHD", "f1": "F1"}
CURVE = {"f1": "f1", "shd": "shd_reversals_twice", "precision": "precision", "recall": "recall", "edges": "edges"}
VERDICT_TEXTS = {
    "stable": "ROBUST: F1 varies only {:.4f} within K +- {} (highly stable)",
    "moderate": "MODERATE: F1 varies {:.4f} within K +- {} (some sensitivity)",
    "sensitive": "SENSITIVE: F1 varies {:.4f} within K +- {} (threshold-dependent)",
    UNTOLD: "F1 varies {:.4f} within K +- {}: its interval over seeds spans more than one verdict",
}


def frozen_choice(evaluation: RobustnessScores, dataset: str) -> KChoice | None:
    """K* of a graph; None where the matched scorer has no scores under the validation corruption."""
    return evaluation.by_truths.get((dataset, evaluation.match), {}).get(ORACLE)


@lru_cache(maxsize=4)
def frozen_means(evaluation: RobustnessScores) -> pd.DataFrame:
    """One row a group, scorer, corruption (those whose mask tells the graph too) and measure."""
    rows = evaluation.at_chosen_k
    method = np.where(rows["scorer"] == evaluation.match, ORACLE, f"{MATCHED}{ORACLE}")
    keys, records = ["group", "scorer", "corruption"], []
    for place, fits in rows[rows["method"] == method].groupby(keys, sort=False):
        where = dict(zip(keys, place, strict=True)) | {"k": float(fits["k"].mean())}
        records += [where | {"measure": name} | average(fits, name, evaluation.level) for name in FROZEN]
    return pd.DataFrame(records, columns=[*keys, "k", "measure", *MEAN])


def sparse_answers(evaluation: RobustnessScores) -> Iterator[tuple[ScorerAnswer, int, Array]]:
    """Every answer that has scores, the frozen K of its graph, and its A_sparse."""
    for answer, matrix in evaluation.scored(evaluation.corruptions):
        choice = frozen_choice(evaluation, answer.dataset)
        if choice is not None:
            yield answer, choice.k, sparsest(matrix, choice.k)


def sparse_frame(evaluation: RobustnessScores) -> pd.DataFrame:
    """One row a kept edge: a_sparse.csv."""
    rows = []
    for answer, k, sparse in sparse_answers(evaluation):
        nodes = evaluation.systems[answer.dataset].truth.nodes
        where = {"dataset": answer.dataset, "corruption": answer.corruption, "scorer": answer.scorer}
        where |= {"seed": str(answer.seed), "k": str(k)}
        rows += [where | {"cause": nodes[i], "effect": nodes[j], "score": sparse[i, j]} for i, j in np.argwhere(sparse)]
    return pd.DataFrame(rows, columns=["dataset", "corruption", "scorer", "seed", "k", "cause", "effect", "score"])


# ---- curves, K and the verdict, as the document prints them


def curve_lists(evaluation: RobustnessScores) -> dict[str, dict[str, dict[str, dict[str, list[float]]]]]:
    """Data set -> corruption -> scorer -> K in [5, 3|E|] and the measures there, means over seeds."""
    by_dataset: dict[str, dict[str, dict[str, dict[str, list[float]]]]] = {}
    for dataset, system in evaluation.systems.items():
        within = original_range(system.truth.n_edges(), len(system.truth))
        for corruption in evaluation.corruptions:
            for scorer in evaluation.scorers_compared:
                parts = [curve.between(*within) for curve in _curves(evaluation, dataset, corruption, scorer)]
                if parts:
                    place = by_dataset.setdefault(dataset, {}).setdefault(corruption, {})
                    place[scorer] = {"k": parts[0].k.tolist()} | {n: _mean(parts, key) for n, key in CURVE.items()}
    return by_dataset


@dataclass(frozen=True)
class Calibration:
    """K* of a graph, what it has there, F1 and SHD around it, and the verdict: a part of evaluation_report.json."""

    scorer: str
    metric: str
    optimal_k: int
    k_interval: tuple[float, float] | None
    k_range: tuple[int, int]
    true_edges: int
    at_optimal_k: dict[str, float]
    around: dict[str, list[float]]
    f1_range: float | None
    f1_range_interval: tuple[float, float] | None
    verdict: str


def calibration(evaluation: RobustnessScores, dataset: str) -> Calibration | None:
    """None where there is no K*."""
    choice = frozen_choice(evaluation, dataset)
    if choice is None:
        return None
    curves = _curves(evaluation, dataset, evaluation.validation, evaluation.match)
    searched = curves[0].between(*within).k if (within := evaluation.within(dataset)) else curves[0].k
    around = [curve.between(choice.k - AROUND, choice.k + AROUND) for curve in curves]
    plateau = plateau_around(evaluation, {dataset: curves}, evaluation.match, ORACLE)
    assert plateau is not None  # there is a K and so a curve
    return Calibration(
        scorer=evaluation.match,
        metric=evaluation.metric,
        optimal_k=choice.k,
        k_interval=(choice.interval.low, choice.interval.high) if choice.interval else None,
        k_range=(int(searched[0]), int(searched[-1])),
        true_edges=evaluation.systems[dataset].truth.n_edges(),
        at_optimal_k={n: float(np.mean([curve.at(choice.k)[key] for curve in curves])) for n, key in CURVE.items()},
        around={"k": around[0].k.tolist(), "f1": _mean(around, "f1"), "shd": _mean(around, "shd_reversals_twice")},
        f1_range=plateau.range.value,
        f1_range_interval=(spread.low, spread.high) if (spread := plateau.range.interval) else None,
        verdict=plateau.verdict or UNTOLD,
    )


def calibration_lines(evaluation: RobustnessScores, dataset: str) -> Iterator[str]:
    """In the document's words."""
    found = calibration(evaluation, dataset)
    if found is None:
        curves = _curves(evaluation, dataset, evaluation.validation, evaluation.match)
        all_equal = "are" if not any(curve.ranks for curve in curves) else "around the best K are"
        why = f"its scores {all_equal} all equal: they rank nothing" if curves else "it has no scores"
        yield f"No K from {evaluation.match} under {evaluation.validation}: {why}."
        return
    k, at, around, (low, high), metric = found.optimal_k, found.at_optimal_k, found.around, found.k_range, found.metric
    ends = "" if found.k_interval is None else " [{:.0f}, {:.0f}]".format(*found.k_interval)
    sign = 1 if metric == "f1" else -1
    merit = dict(zip(around["k"], (sign * value for value in around[metric]), strict=True))
    best, at_end = max(merit, key=lambda k: merit[k]), k in (low, high)
    title = "BEST K OF ITS RANGE" if at_end or merit[best] > merit[k] else "OPTIMAL K FOUND"
    tried = f", the end of {low} to {high}" if at_end else f" of {low} to {high}"
    yield f"{title}: {k}{ends}{tried}   ({found.true_edges} true edges)"
    if merit[best] > merit[k]:
        yield f"   Outside this range {metric.upper()} is better still: at K={best}, for example."
    yield f"   F1-Score: {at['f1']:.4f}"
    yield f"   SHD: {at['shd']:g}"
    yield f"   Precision: {at['precision']:.4f}"
    yield f"   Recall: {at['recall']:.4f}"
    yield (
        f"K chosen on {evaluation.validation} by {metric.upper()} of {evaluation.match} against the true "
        "graph (oracle), applied unchanged to all corruptions and methods"
    )
    yield f"F1 around it (K +- {AROUND}):"
    for near, f1, shd in zip(around["k"], around["f1"], around["shd"], strict=True):
        yield f"   {'>' if near == k else ' '} K={near}: F1={f1:.4f}, SHD={shd:g}"
    yield VERDICT_TEXTS[found.verdict].format(found.f1_range, AROUND)


def sparse_lines(evaluation: RobustnessScores) -> Iterator[str]:
    """`RC-GNN (sparse) | SHD=2 | Dir-F1=0.9231`, by corruption."""
    for corruption, rows in frozen_means(evaluation).groupby("corruption", sort=False):
        yield f"{corruption}:"
        for scorer, cells in rows.groupby("scorer", sort=False):
            value = cells.set_index("measure")["value"]
            yield f"   {scorer} (sparse) | SHD={value['shd_reversals_twice']:g} | Dir-F1={value['f1']:.4f}"


def _curves(evaluation: RobustnessScores, dataset: str, corruption: str, scorer: str) -> list[SensitivityCurve]:
    return [curve for key, curve in evaluation.curves.items() if key[:3] == (dataset, corruption, scorer)]


def _mean(curves: Sequence[SensitivityCurve], name: str) -> list[float]:
    """NaN where every curve has none: 0 / 0."""
    return [float(value) for value in np.mean([getattr(curve, name) for curve in curves], axis=0)]


# ---- do kept edges stay the same, are they those an expert expects, are signal and corruption told apart?


def membership(matrix: Array, k: int) -> Array:
    """(d, d): how far each pair is among the k of largest |score|; a score of 0 is never in."""
    size = np.abs(np.array(matrix, dtype=np.float64))
    np.fill_diagonal(size, 0.0)
    there = np.sort(size[size > 0])[::-1]
    if not len(there) or k < 1:
        return np.zeros_like(size)
    bound = there[min(k, len(there)) - 1]
    above, tied = int(np.count_nonzero(size > bound)), int(np.count_nonzero(size == bound))
    return np.where(size > bound, 1.0, np.where(size == bound, min(1.0, (k - above) / tied), 0.0))


def jaccard(one: Array, other: Array) -> float:
    """Of two memberships; 1 where both keep nothing."""
    union = np.maximum(one, other).sum()
    return float(np.minimum(one, other).sum() / union) if union else 1.0


def _k_of(evaluation: RobustnessScores, dataset: str, scorer: str) -> int:
    """The same K under every corruption."""
    choice = evaluation.by_truths.get((dataset, scorer), {}).get(OTHERS)
    return choice.k if choice is not None else len(evaluation.systems[dataset].truth)


@lru_cache(maxsize=4)
def invariance(evaluation: RobustnessScores) -> pd.DataFrame:
    """One row a group and scorer."""
    kept: dict[tuple[str, str, int], list[Array]] = {}
    for answer, matrix in evaluation.scored(evaluation.compared):
        if evaluation.curves[answer.dataset, answer.corruption, answer.scorer, answer.seed].ranks:
            key = (answer.scorer, answer.dataset, answer.seed)  # one tie of all pairs keeps no edge rather than another
            kept.setdefault(key, []).append(membership(matrix, _k_of(evaluation, answer.dataset, answer.scorer)))
    rows = []
    for (scorer, dataset, seed), several in kept.items():
        if len(several) > 1:
            k, pairs = _k_of(evaluation, dataset, scorer), several[0].size - len(several[0])
            agreed = float(np.mean([jaccard(one, other) for one, other in combinations(several, 2)]))
            row = {"group": evaluation.systems[dataset].group, "scorer": scorer, "dataset": dataset, "seed": seed}
            rows.append(row | {"jaccard": agreed, "k": k, "chance": k / (2 * pairs - k)})
    frame = pd.DataFrame(rows, columns=["group", "scorer", "dataset", "seed", "jaccard", "k", "chance"])
    means = [
        {"group": group, "scorer": scorer}
        | average(fits, "jaccard", evaluation.level)
        | {"k": float(fits["k"].mean()), "chance": float(fits["chance"].mean())}
        for (group, scorer), fits in frame.groupby(["group", "scorer"], sort=False)
    ]
    return pd.DataFrame(means, columns=["group", "scorer", *MEAN, "k", "chance"])


@lru_cache(maxsize=4)
def disentanglement(evaluation: RobustnessScores) -> pd.DataFrame:
    """One row a group, scorer and corruption, of scorers that say what is signal; `value` is the gain."""
    keys = ["group", "scorer", "corruption"]
    rows = [
        (evaluation.systems[a.dataset].group, a.scorer, a.corruption, a.dataset, a.seed, *apart, apart[0] - apart[1])
        for a, _ in evaluation.scored(evaluation.corruptions)
        if (apart := a.disentanglement) is not None
    ]
    frame = pd.DataFrame(rows, columns=[*keys, "dataset", "seed", "signal", "readings", "gain"])
    means = [
        dict(zip(keys, where, strict=True))
        | {name: float(fits[name].mean()) for name in ("signal", "readings")}
        | average(fits, "gain", evaluation.level, (-2.0, 2.0))
        for where, fits in frame.groupby(keys, sort=False)
    ]
    return pd.DataFrame(means, columns=[*keys, "signal", "readings", *MEAN])


def expected_edges(evaluation: RobustnessScores, edges: Mapping[str, Sequence[str]]) -> pd.DataFrame:
    """One row a data set, scorer and corruption: how many of the user's required and forbidden edges are kept."""
    rows = []
    for answer, matrix in evaluation.scored(evaluation.corruptions):
        nodes = evaluation.systems[answer.dataset].truth.nodes
        k, pairs = _k_of(evaluation, answer.dataset, answer.scorer), len(nodes) * (len(nodes) - 1)
        top = membership(matrix, k)
        for kind, named in edges.items():
            ends = [edge.split(" -> ") for edge in named]
            places = [(nodes.index(a), nodes.index(b)) for a, b, *_ in ends if a in nodes and b in nodes]
            if places:
                found, chance = float(sum(top[place] for place in places)), len(places) * k / pairs
                where = (answer.dataset, answer.scorer, answer.corruption, kind)
                rows.append((*where, len(places), k, chance, found, answer.seed))
    keys = ["dataset", "scorer", "corruption", "kind"]
    frame = pd.DataFrame(rows, columns=[*keys, "edges", "k", "chance", "found", "seed"])
    return frame.groupby(keys, sort=False, as_index=False).agg(
        edges=("edges", "first"), k=("k", "first"), chance=("chance", "first"), found=("found", "mean"),
        seeds=("seed", "nunique"),
    )  # fmt: skip


# ---- what a study says, in sentences: each with its estimate, interval, n and test, an oracle named as one


def findings(evaluation: RobustnessScores, expected: Mapping[str, Sequence[str]]) -> dict[str, list[str]]:
    """Heading -> sentences, in the order in which they should be read."""
    gains = [f"{group.capitalize()}: {gap.sentence()}" for (_, group, _), gap in optimism(evaluation).items()]
    return {
        "differences": [pair.sentence() for group in differences(evaluation).values() for pair in _first(group)],
        "oracle_k against k_from_other_graphs": gains
        or ["There is no other graph in any group: what the oracle gains cannot be measured."],
        "invariance": [
            f"{str(group).capitalize()}: kept edges agree between {listed(evaluation.compared, 12)} (mean "
            "pairwise Jaccard at one K): "
            + "; ".join(f"{row.scorer} {_value(row)} (chance {row.chance:.2f})" for row in rows.itertuples())
            + _grounds(evaluation, rows)
            for group, rows in invariance(evaluation).groupby("group", sort=False)
        ],
        "signal and corruption": [
            f"{str(group).capitalize()}: with the uncorrupted values {scorer}'s signal has a correlation greater than "
            "that of the readings by: "
            + "; ".join(
                f"{row.corruption} {_value(row)} ({row.signal:z.2f} - {row.readings:z.2f})" for row in rows.itertuples()
            )
            + _grounds(evaluation, rows)
            for (group, scorer), rows in disentanglement(evaluation).groupby(["group", "scorer"], sort=False)
        ],
        "expected edges": [
            f"{dataset}, {scorer}: kept of {edges} {kind} edges at K = {k}, where chance keeps {chance:.1f}: "
            + "; ".join(f"{row.corruption} {row.found:.3g}" for row in rows.itertuples())
            + f" (n = {spread_of(rows['seeds'])} fits each; no interval; no test)."
            for (dataset, scorer, kind, edges, k, chance), rows in expected_edges(evaluation, expected).groupby(
                ["dataset", "scorer", "kind", "edges", "k", "chance"], sort=False
            )
        ],
    }


def _first(pairs: Sequence[Comparison]) -> list[Comparison]:
    """Of many pairs those of the best scorer against each other one; all are in differences.csv."""
    if not pairs:
        return []
    wins = pd.Series([pair.names[0] for pair in pairs if pair.difference is not None]).value_counts()
    best = str(wins.index[0]) if len(wins) else pairs[0].names[0]
    return [pair for pair in pairs if pair.names[0] == best]


def _grounds(evaluation: RobustnessScores, rows: pd.DataFrame) -> str:
    """What the intervals are and what they rest on."""
    return f" ({evaluation.intervals(tuple(dict.fromkeys(rows['group'])))}; n = {spread_of(rows['n'])} fits; no test)."


def _value(row: Any) -> str:
    none = " (no interval)" if not row.constant and pd.isna(row.low) else ""
    return value_text(row.value, (row.low, row.high), fixed(2), row.constant) + none
