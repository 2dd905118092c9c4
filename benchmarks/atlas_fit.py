"""The file of the atlas, from the rows of atlas.py: boosted trees and what remains of them on systems left out.

    python benchmarks/atlas_fit.py ROWS [ROWS ...]      writes src/trueness/atlas/atlas.npz, prints what it is worth

Four folds over systems: centre and spread of a fold's systems come from models of the other three, so that quantiles of
(score - centre) / spread are of systems that the models had not seen. The models of the file are of all systems.
"""

from __future__ import annotations

import sys
import warnings
from pathlib import Path

import numpy as np
from atlas import RUNS, read
from sklearn.ensemble import HistGradientBoostingRegressor

from trueness.atlas import LEARNERS, MEASURES, TARGETS, TAUS, standing
from trueness.studies.learn.plan import ANY_COLUMNS, NUMBERS

FILE = Path(__file__).resolve().parents[1] / "src/trueness/atlas/atlas.npz"
RUN = tuple(ANY_COLUMNS | NUMBERS)  # the learners that `trueness learn` runs
FOLDS, LEAST = 4, 0.02
SHAPE = {"max_iter": 150, "learning_rate": 0.06, "max_leaf_nodes": 8, "l2_regularization": 1.0, "early_stopping": False}


def values_of(rows: list[dict]) -> np.ndarray:
    """(systems, learners, measures, RUNS) with NaN where there is no run or no value."""
    made = np.full((len(rows), len(LEARNERS), len(MEASURES), RUNS), np.nan)
    for k, row in enumerate(rows):
        for a, learner in enumerate(LEARNERS):
            for r, run in enumerate(row["scores"].get(learner, ())[:RUNS]):
                if run is not None:
                    made[k, a, :, r] = [np.nan if value is None else value for value in run]
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


def fit(x: np.ndarray, rows: list[dict]) -> None:
    values = values_of(rows)
    mean = np.nanmean(values, axis=3)
    middle = np.nanmean(mean, axis=1)  # over learners: (systems, measures)
    apart = mean - middle[:, None]
    centre_of_all = np.stack([left_out(x, middle[:, b]) for b in range(len(MEASURES))], axis=1)
    centre, spread = np.empty((2, *mean.shape))
    quantiles = np.zeros((len(TARGETS), len(LEARNERS), len(MEASURES), len(TAUS)), np.float32)
    inside: dict[str, list[float]] = {target: [] for target in TARGETS}
    width: dict[str, list[float]] = {target: [] for target in TARGETS}
    sizes = np.empty(mean.shape)
    for a in range(len(LEARNERS)):
        for b, measure in enumerate(MEASURES):
            runs = values[:, a, b]
            centre[:, a, b] = centre_of_all[:, b] + left_out(x, apart[:, a, b])
            sizes[:, a, b] = np.nanmean(np.abs(runs - centre[:, a, b, None]), axis=1)
            spread[:, a, b] = np.maximum(left_out(x, sizes[:, a, b]), LEAST)
            for t, some in enumerate((runs, mean[:, a, b, None])):
                rest = (some - centre[:, a, b, None]) / spread[:, a, b, None]
                weight = np.where(np.isnan(rest), 0, 1) / np.maximum((~np.isnan(rest)).sum(axis=1, keepdims=True), 1)
                quantiles[t, a, b] = weighted(rest[~np.isnan(rest)], weight[~np.isnan(rest)], TAUS)
                if measure == "f1":
                    seen, unseen = rest[::2], rest[1::2]  # quantiles of one half of the systems tried on the other
                    half = weighted(seen[~np.isnan(seen)], weight[::2][~np.isnan(seen)], TAUS)
                    ends = np.interp((0.05, 0.95), TAUS, half)
                    inside[TARGETS[t]].append(
                        float(((unseen >= ends[0]) & (unseen <= ends[1]))[~np.isnan(unseen)].mean())
                    )
                    there = ~np.isnan(mean[:, a, b])
                    held = np.clip(centre[there, a, b, None] + spread[there, a, b, None] * ends, 0, 1)
                    width[TARGETS[t]].append(float(np.diff(held).mean()))
    models = [boost(x, middle[:, b]) for b in range(len(MEASURES))]
    models += [
        boost(x, of[:, a, b]) for of in (apart, sizes) for a in range(len(LEARNERS)) for b in range(len(MEASURES))
    ]
    np.savez_compressed(
        FILE, **trees_of(models), base=np.array([model._baseline_prediction.item() for model in models]),
        least=np.array(LEAST), quantiles=quantiles, range=np.array([x.min(axis=0), x.max(axis=0)]),
        systems=np.array(len(rows)), fits=np.array(sum(row["fits"] for row in rows)),
    )  # fmt: skip
    told, came = centre[:, :, 0], mean[:, :, 0]
    print(f"{len(rows)} systems on which a learner ran, {FILE.stat().st_size / 1e6:.2f} MB")
    plain = np.nanmean(np.abs(came - np.nanmean(came, axis=0)))
    print(f"mean error of a mean F1, systems left out: {np.nanmean(np.abs(came - told)):.3f}; of the mean: {plain:.3f}")
    for target in TARGETS:
        print(f"90 % of a {target}: holds {np.mean(inside[target]):.3f}, {np.mean(width[target]):.2f} wide")
    on_the_table = values[:, :, 0, 0]
    few = [list(LEARNERS).index(one) for one in RUN]
    told, came, on_the_table = (of[:, few] for of in (told, came, on_the_table))
    ahead = np.array([standing(one, 0.0) for one in RUN])
    print(f"of the learners that learn runs, the one put first: {short(told + ahead, came):.3f} short of the best")
    print(f"   the best of the table itself (needs the truth) {short(on_the_table, came):.3f}")
    kinds = np.array([row["kind"] for row in rows])
    across = np.full(told.shape, np.nan)  # with what the usual one goes ahead by
    for kind in sorted(set(kinds)):  # how it does on a kind that it has not seen
        other = kinds != kind
        for k, a in enumerate(few):
            if (~np.isnan(apart[other, a, 0])).sum() > 100:
                across[~other, k] = boost(x[other], apart[other, a, 0]).predict(x[~other]) + ahead[k]
    print(
        f"   with its kind left out {short(across, came):.3f}: "
        + ", ".join(f"{kind} {short(across[kinds == kind], came[kinds == kind]):.3f}" for kind in sorted(set(kinds)))
    )
    for k, one in enumerate(RUN):
        there = ~np.isnan(came[:, k])
        alone = np.where(np.arange(len(RUN)) == k, 1.0, 0.0) * np.ones((there.sum(), 1))
        print(f"   always {one:15} {short(alone, came[there]):.3f} (n = {there.sum()})")


def short(told: np.ndarray, came: np.ndarray) -> float:
    """Of the best learner, on average."""
    chosen = np.where(np.isnan(came) | np.isnan(told), -9.0, told).argmax(axis=1)
    return float(np.nanmean(np.nanmax(came, axis=1) - came[np.arange(len(came)), chosen]))


def main() -> None:
    warnings.simplefilter("ignore", RuntimeWarning)  # means of systems on which no run of a learner has a value
    rows = sorted(read([Path(one) for one in sys.argv[1:]]), key=lambda row: row["seed"])
    print(f"{len(rows)} systems, {sum(row['fits'] for row in rows):,} fits")
    rows = [row for row in rows if any(run is not None for runs in row["scores"].values() for run in runs)]
    x = np.array([row["features"] for row in rows]).astype(np.float32).astype(np.float64)
    fit(x, rows)


def weighted(values: np.ndarray, weights: np.ndarray, taus: np.ndarray) -> np.ndarray:
    """Quantiles, each with the one more system that a conformal interval counts."""
    order = np.argsort(values)
    below, above = (np.cumsum(weights[one]) / (weights.sum() + 1) for one in (order, order[::-1]))
    return np.where(taus < 0.5, np.interp(1 - taus, above, values[order[::-1]]), np.interp(taus, below, values[order]))


if __name__ == "__main__":
    main()
