"""Do kept edges stay the same, are they those an expert expects, are signal and corruption told apart?

    invariance       mean over pairs of corruptions of J(top K under one, top K under the other), same rows and seed
                     J = sum min(a, b) / sum max(a, b),  a_ij in [0, 1]: how far i -> j is among the K (Jaccard);
                     of m tied pairs for r places each is in by r / m: the order of columns has no say
    chance           of two random sets of K of m pairs, about K / (2 m - K)
    expected edges   required edges among the top K, forbidden ones too; chance K / m each
    disentanglement  r(signal, clean) - r(readings, clean), mean over columns, where there is a reading: of scorers that
                     give details["signal"], as RC-GNN does; above 0 the signal is nearer to the uncorrupted values

K is one number a scorer and graph for all corruptions: k_from_other_graphs, or one edge a node where there is no other.
Invariance is no merit alone: a scorer that ignores the rows has 1. Read it beside AUPRC.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from functools import lru_cache
from itertools import combinations

import numpy as np
import pandas as pd
from numpy.typing import NDArray

from trueness.studies.robustness.choose_k import OTHERS
from trueness.studies.robustness.scores import RobustnessScores, ScorerAnswer
from trueness.studies.robustness.summaries import MEAN, average

Array = NDArray[np.float64]


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


def frozen_k(evaluation: RobustnessScores, dataset: str, scorer: str) -> int:
    """The same K under every corruption."""
    choice = evaluation.by_truths.get((dataset, scorer), {}).get(OTHERS)
    return choice.k if choice is not None else len(evaluation.systems[dataset].truth)


@lru_cache(maxsize=4)
def invariance(evaluation: RobustnessScores) -> pd.DataFrame:
    """One row a group and scorer."""
    kept: dict[tuple[str, str, int], list[Array]] = {}
    for answer in _scored_answers(evaluation, evaluation.compared):
        assert answer.matrix is not None
        if not evaluation.curves[answer.dataset, answer.corruption, answer.scorer, answer.seed].ranks:
            continue  # one tie of all pairs keeps no edge rather than another
        top = membership(answer.matrix, frozen_k(evaluation, answer.dataset, answer.scorer))
        kept.setdefault((answer.scorer, answer.dataset, answer.seed), []).append(top)
    rows = []
    for (scorer, dataset, seed), several in kept.items():
        if len(several) > 1:
            k, pairs = frozen_k(evaluation, dataset, scorer), several[0].size - len(several[0])
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
    rows = [
        {
            "group": evaluation.systems[a.dataset].group, "dataset": a.dataset, "seed": a.seed, "scorer": a.scorer,
            "corruption": a.corruption, "signal": a.disentanglement[0], "readings": a.disentanglement[1],
            "gain": a.disentanglement[0] - a.disentanglement[1],
        }
        for a in _scored_answers(evaluation, evaluation.full_strength)
        if a.disentanglement is not None
    ]  # fmt: skip
    keys = ["group", "scorer", "corruption"]
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
    rows: list[dict[str, object]] = []
    for answer in _scored_answers(evaluation, evaluation.full_strength):
        truth = evaluation.systems[answer.dataset].truth
        k, pairs = frozen_k(evaluation, answer.dataset, answer.scorer), len(truth) * (len(truth) - 1)
        assert answer.matrix is not None
        top = membership(answer.matrix, k)
        for kind, named in edges.items():
            places = [(truth.nodes.index(a), truth.nodes.index(b)) for a, b in _edges_among(named, truth.nodes)]
            if places:
                row: dict[str, object] = {"dataset": answer.dataset, "scorer": answer.scorer}
                row |= {
                    "corruption": answer.corruption,
                    "kind": kind,
                    "edges": len(places),
                    "k": k,
                    "chance": len(places) * k / pairs,
                }
                rows.append(row | {"found": float(sum(top[place] for place in places)), "seed": answer.seed})
    columns = ["dataset", "scorer", "corruption", "kind", "edges", "k", "chance", "found", "seed"]
    frame = pd.DataFrame(rows, columns=columns)
    keys = ["dataset", "scorer", "corruption", "kind"]
    return frame.groupby(keys, sort=False, as_index=False).agg(
        edges=("edges", "first"), k=("k", "first"), chance=("chance", "first"), found=("found", "mean"),
        seeds=("seed", "nunique"),
    )  # fmt: skip


def _edges_among(edges: Sequence[str], nodes: Sequence[str]) -> list[tuple[str, str]]:
    pairs = [(edge.split(" -> ")[0], edge.split(" -> ")[1]) for edge in edges]
    return [(a, b) for a, b in pairs if a in nodes and b in nodes]


def _scored_answers(evaluation: RobustnessScores, corruptions: Sequence[str]) -> list[ScorerAnswer]:
    return [
        answer
        for answer in evaluation.answers
        if answer.matrix is not None and answer.scorer not in evaluation.sweeps and answer.corruption in corruptions
    ]
