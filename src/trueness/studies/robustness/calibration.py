"""The original's calibration: one K from the validation corruption, frozen for every method and corruption.

    K*         argmax_K F1 (metric = "shd": argmin_K SHD) of the matched scorer under the validation corruption, for
               K in [5, 3|E|] (k_range = "original") or all K; with its interval over seeds
    A_sparse   the K* largest |A|, 0 elsewhere
    verdict    max F1 - min F1 within K* +- 5:  < .1 ROBUST, .1 to .2 MODERATE, > .2 SENSITIVE   (summaries.py)
    main table SHD (fp + fn) and directed F1 of A_sparse, methods x corruptions, all at K*

K* saw the truth that it is scored against, and so did whoever is matched to it: an oracle, said wherever it is shown.
"""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from functools import lru_cache

import numpy as np
import pandas as pd

from trueness.studies.robustness.choose_k import MATCHED, ORACLE, KChoice
from trueness.studies.robustness.scores import RobustnessScores, ScorerAnswer
from trueness.studies.robustness.sensitivity import AROUND, Array, SensitivityCurve, original_range, sparsest
from trueness.studies.robustness.summaries import MEAN, UNTOLD, average, plateau_around

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
    """One row a group, scorer, corruption at full strength (those whose mask tells the graph too) and measure."""
    rows = evaluation.at_chosen_k
    method = np.where(rows["scorer"] == evaluation.match, ORACLE, f"{MATCHED}{ORACLE}")
    records = []
    for (group, scorer, corruption), fits in rows[rows["method"] == method].groupby(
        ["group", "scorer", "corruption"], sort=False
    ):
        where = {"group": group, "scorer": scorer, "corruption": corruption, "k": float(fits["k"].mean())}
        records += [where | {"measure": name} | average(fits, name, evaluation.level) for name in FROZEN]
    return pd.DataFrame(records, columns=["group", "scorer", "corruption", "k", "measure", *MEAN])


# ---- A_sparse


def sparse_answers(evaluation: RobustnessScores) -> Iterator[tuple[ScorerAnswer, int, Array]]:
    """Every answer at full strength that has scores, the frozen K of its graph, and its A_sparse."""
    for answer in evaluation.answers:
        choice = frozen_choice(evaluation, answer.dataset)
        if answer.matrix is not None and choice is not None and answer.corruption in evaluation.full_strength:
            if answer.scorer not in evaluation.sweeps:
                yield answer, choice.k, sparsest(answer.matrix, choice.k)


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
        for corruption in evaluation.full_strength:
            for scorer in evaluation.scorers_compared:
                curves = _curves(evaluation, dataset, corruption, scorer)
                if curves:
                    parts = [curve.between(*within) for curve in curves]
                    lists = {name: _mean(parts, key) for name, key in CURVE.items()}
                    place = by_dataset.setdefault(dataset, {}).setdefault(corruption, {})
                    place[scorer] = {"k": parts[0].k.tolist()} | lists
    return by_dataset


def calibration(evaluation: RobustnessScores, dataset: str) -> dict[str, object] | None:
    """K* of a graph, what it has there, F1 and SHD around it, and the verdict; None where there is no K*."""
    choice = frozen_choice(evaluation, dataset)
    if choice is None:
        return None
    curves = _curves(evaluation, dataset, evaluation.validation, evaluation.match)
    searched = curves[0].between(*within).k if (within := evaluation.within(dataset)) else curves[0].k
    around = [curve.between(choice.k - AROUND, choice.k + AROUND) for curve in curves]
    at = {name: float(np.mean([curve.at(choice.k)[key] for curve in curves])) for name, key in CURVE.items()}
    plateau = plateau_around(evaluation, {dataset: curves}, evaluation.match, ORACLE)
    assert plateau is not None  # there is a K and so a curve
    interval = [choice.interval.low, choice.interval.high] if choice.interval else None
    return {
        "validation_corruption": evaluation.validation,
        "scorer": evaluation.match,
        "metric": evaluation.metric,
        "optimal_k": choice.k,
        "k_interval": interval,
        "k_range": [int(searched[0]), int(searched[-1])],
        "curves": len(curves),
        "true_edges": evaluation.systems[dataset].truth.n_edges(),
        "at_optimal_k": at,
        "around": {"k": around[0].k.tolist(), "f1": _mean(around, "f1"), "shd": _mean(around, "shd_reversals_twice")},
        "f1_range": plateau.range.value,
        "f1_range_interval": [spread.low, spread.high] if (spread := plateau.range.interval) else None,
        "verdict": plateau.verdict or UNTOLD,
        "uses": choice.uses,
    }


def calibration_lines(evaluation: RobustnessScores, dataset: str) -> Iterator[str]:
    """In the document's words."""
    choice = frozen_choice(evaluation, dataset)
    k_star = calibration(evaluation, dataset)
    if choice is None or k_star is None:
        curves = _curves(evaluation, dataset, evaluation.validation, evaluation.match)
        all_equal = "are" if not any(curve.ranks for curve in curves) else "around the best K are"
        why = f"its scores {all_equal} all equal: they rank nothing" if curves else "it has no scores"
        yield f"No K from {evaluation.match} under {evaluation.validation}: {why}."
        return
    at, around, k_range = k_star["at_optimal_k"], k_star["around"], k_star["k_range"]
    assert isinstance(at, dict) and isinstance(around, dict) and isinstance(k_range, list)
    low, high = k_range
    ends = f" [{choice.interval.low:.0f}, {choice.interval.high:.0f}]" if choice.interval else ""
    sign = 1 if evaluation.metric == "f1" else -1
    merit = dict(zip(around["k"], (sign * value for value in around[evaluation.metric]), strict=True))
    best, at_end = max(merit, key=lambda k: merit[k]), choice.k in (low, high)
    title = "BEST K OF ITS RANGE" if at_end or merit[best] > merit[choice.k] else "OPTIMAL K FOUND"
    tried = f", the end of {low} to {high}" if at_end else f" of {low} to {high}"
    yield f"{title}: {choice.k}{ends}{tried}   ({k_star['true_edges']} true edges)"
    if merit[best] > merit[choice.k]:
        yield f"   Outside this range {evaluation.metric.upper()} is better still: at K={best}, for example."
    yield f"   F1-Score: {at['f1']:.4f}"
    yield f"   SHD: {at['shd']:g}"
    yield f"   Precision: {at['precision']:.4f}"
    yield f"   Recall: {at['recall']:.4f}"
    yield (
        f"K chosen on {evaluation.validation} by {evaluation.metric.upper()} of {evaluation.match} against the true "
        "graph (oracle), applied unchanged to all corruptions and methods"
    )
    yield f"F1 around it (K +- {AROUND}):"
    for k, f1, shd in zip(around["k"], around["f1"], around["shd"], strict=True):
        yield f"   {'>' if k == choice.k else ' '} K={k}: F1={f1:.4f}, SHD={shd:g}"
    yield VERDICT_TEXTS[str(k_star["verdict"])].format(k_star["f1_range"], AROUND)


def sparse_lines(evaluation: RobustnessScores) -> Iterator[str]:
    """`RC-GNN (sparse) | SHD=2 | Dir-F1=0.9231`, by corruption."""
    frame = frozen_means(evaluation)
    for corruption, rows in frame.groupby("corruption", sort=False):
        yield f"{corruption}:"
        for (group, scorer), cells in rows.groupby(["group", "scorer"], sort=False):
            value = cells.set_index("measure")["value"]
            where = f" | {group}" if len(evaluation.groups) > 1 else ""
            yield f"   {scorer} (sparse){where} | SHD={value['shd_reversals_twice']:g} | Dir-F1={value['f1']:.4f}"


def _curves(evaluation: RobustnessScores, dataset: str, corruption: str, scorer: str) -> list[SensitivityCurve]:
    return [curve for key, curve in evaluation.curves.items() if key[:3] == (dataset, corruption, scorer)]


def _mean(curves: Sequence[SensitivityCurve], name: str) -> list[float]:
    """NaN where every curve has none: 0 / 0."""
    return [float(value) for value in np.mean([getattr(curve, name) for curve in curves], axis=0)]
