"""The file of the atlas, from the rows of atlas.py: boosted trees and what remains of them on systems left out.

    python benchmarks/atlas_fit.py ROWS [ROWS ...]      writes src/trueness/atlas/atlas.npz, prints what it is worth

Four folds over systems: centre and spread of a fold's systems come from models of the other four, so that quantiles of
(score - centre) / spread are of systems that the models had not seen. The models of the file are of all systems.
"""

from __future__ import annotations

import sys
from pathlib import Path

import numpy as np
from atlas import read
from sklearn.ensemble import HistGradientBoostingRegressor

from trueness.atlas import LEARNERS, MEASURES, TARGETS, TAUS
from trueness.atlas.features import FEATURES

FILE = Path(__file__).resolve().parents[1] / "src/trueness/atlas/atlas.npz"
FOLDS, RUNS, LEAST = 4, 10, 0.02
SHAPE = {"max_iter": 150, "learning_rate": 0.06, "max_leaf_nodes": 8, "l2_regularization": 1.0, "early_stopping": False}


def values_of(rows: list[dict], learner: str, measure: str) -> np.ndarray:
    """(systems, RUNS) with NaN where there is no run or no value."""
    made = np.full((len(rows), RUNS), np.nan)
    for k, row in enumerate(rows):
        runs = [one[MEASURES.index(measure)] for one in row["scores"].get(learner, ())[:RUNS] if one is not None]
        made[k, : len(runs)] = [np.nan if value is None else value for value in runs]
    return made


def boost(x: np.ndarray, y: np.ndarray) -> HistGradientBoostingRegressor:
    there = ~np.isnan(y)
    return HistGradientBoostingRegressor(**SHAPE).fit(x[there], y[there])


def left_out(x: np.ndarray, y: np.ndarray) -> np.ndarray:
    fold = np.arange(len(x)) % FOLDS
    made = np.empty(len(x))
    for k in range(FOLDS):
        made[fold == k] = boost(x[fold != k], y[fold != k]).predict(x[fold == k])
    return made


def trees_of(models: list[HistGradientBoostingRegressor]) -> dict[str, np.ndarray]:
    """(models, trees, nodes); a leaf has feature -1."""
    shape = (len(models), SHAPE["max_iter"], 2 * SHAPE["max_leaf_nodes"] - 1)
    made = {"feature": np.full(shape, -1, np.int8), "threshold": np.zeros(shape, np.float32)}
    made |= {
        "left": np.zeros(shape, np.uint8),
        "right": np.zeros(shape, np.uint8),
        "value": np.zeros(shape, np.float16),
    }
    for m, model in enumerate(models):
        for t, (tree,) in enumerate(model._predictors):
            nodes, own = tree.nodes, slice(0, len(tree.nodes))
            leaf = nodes["is_leaf"].astype(bool)
            made["feature"][m, t, own] = np.where(leaf, -1, nodes["feature_idx"])
            made["threshold"][m, t, own] = np.where(leaf, 0, nodes["num_threshold"])
            made["left"][m, t, own], made["right"][m, t, own] = nodes["left"], nodes["right"]
            made["value"][m, t, own] = np.where(leaf, nodes["value"], 0)
    return made


def main() -> None:
    rows = sorted(read([Path(one) for one in sys.argv[1:]]), key=lambda row: row["seed"])
    x = np.array([row["features"][: len(FEATURES)] for row in rows]).astype(np.float32).astype(np.float64)
    centres, spreads = [], []
    quantiles = np.zeros((len(TARGETS), len(LEARNERS), len(MEASURES), len(TAUS)), np.float32)
    inside: dict[str, list[float]] = {target: [] for target in TARGETS}
    width: dict[str, list[float]] = {target: [] for target in TARGETS}
    errors, plain = [], []
    held = {}
    for a, learner in enumerate(LEARNERS):
        for b, measure in enumerate(MEASURES):
            runs = values_of(rows, learner, measure)
            there = ~np.isnan(runs).all(axis=1)
            mean = np.full(len(rows), np.nan)
            mean[there] = np.nanmean(runs[there], axis=1)
            centre = left_out(x, mean)
            size = np.full(len(rows), np.nan)
            size[there] = np.nanmean(np.abs(runs - centre[:, None])[there], axis=1)
            spread = np.maximum(left_out(x, size), LEAST)
            for t, values in enumerate((runs, mean[:, None])):
                rest = (values - centre[:, None]) / spread[:, None]
                weight = np.where(np.isnan(rest), 0, 1) / np.maximum((~np.isnan(rest)).sum(axis=1, keepdims=True), 1)
                quantiles[t, a, b] = weighted(rest[~np.isnan(rest)], weight[~np.isnan(rest)], TAUS)
                if measure == "f1":
                    seen, unseen = rest[::2], rest[1::2]  # quantiles of one half of the systems tried on the other
                    some = weighted(seen[~np.isnan(seen)], weight[::2][~np.isnan(seen)], TAUS)
                    low, high = np.interp((0.05, 0.95), TAUS, some)
                    inside[TARGETS[t]].append(float(((unseen >= low) & (unseen <= high))[~np.isnan(unseen)].mean()))
                    ends = np.clip(centre[there, None] + spread[there, None] * [low, high], 0, 1)
                    width[TARGETS[t]].append(float(np.diff(ends).mean()))
            if measure == "f1":
                errors.append(np.nanmean(np.abs(mean - centre)))
                plain.append(np.nanmean(np.abs(mean - np.nanmean(mean))))
                held[learner] = (centre, mean)
            centres.append(boost(x, mean))
            spreads.append(boost(x, size))
    models = centres + spreads
    base = np.array([model._baseline_prediction.item() for model in models])
    np.savez_compressed(
        FILE, **trees_of(models), base=base, least=np.array(LEAST), quantiles=quantiles,
        range=np.array([x.min(axis=0), x.max(axis=0)]), systems=np.array(len(rows)),
        fits=np.array(sum(row["fits"] for row in rows)),
    )  # fmt: skip
    print(f"{len(rows)} systems, {sum(row['fits'] for row in rows):,} fits, {FILE.stat().st_size / 1e6:.2f} MB")
    print(f"mean error of a mean F1, systems left out: {np.mean(errors):.3f}; of the mean of all: {np.mean(plain):.3f}")
    for target in TARGETS:
        print(f"90 % of a {target}: holds {np.mean(inside[target]):.3f}, {np.mean(width[target]):.2f} wide")
    report_choice(held)


def report_choice(held: dict[str, tuple[np.ndarray, np.ndarray]]) -> None:
    told, came = (np.array([held[name][k] for name in held]) for k in range(2))
    told = np.where(np.isnan(came), -1.0, told)
    chosen = came[told.argmax(axis=0), np.arange(told.shape[1])]
    print(f"chosen by it: {np.mean(np.nanmax(came, axis=0) - chosen):.3f} short of the best")
    for name, own in zip(held, came, strict=True):
        there = ~np.isnan(own)
        print(f"   always {name:15} {np.mean(np.nanmax(came[:, there], axis=0) - own[there]):.3f} (n = {there.sum()})")


def weighted(values: np.ndarray, weights: np.ndarray, taus: np.ndarray) -> np.ndarray:
    """Quantiles, each with the one more system that a conformal interval counts."""
    order = np.argsort(values)
    below, above = (np.cumsum(weights[one]) / (weights.sum() + 1) for one in (order, order[::-1]))
    return np.where(taus < 0.5, np.interp(1 - taus, above, values[order[::-1]]), np.interp(taus, below, values[order]))


if __name__ == "__main__":
    main()
