"""Is an edge that a share f of RC-GNN's graphs have a true edge with probability f? And after the map of `probability`?

    python benchmarks/rcgnn_calibration.py --developing [--systems 96] [--save FILE]    the map, fitted; see CALIBRATION
    python benchmarks/rcgnn_calibration.py [--systems 40] [--save FILE]                 the claim: other kinds
    python benchmarks/rcgnn_calibration.py --report FILE [--developing]                 the tables of saved records

Pairs are the d (d - 1) ordered ones, systems weigh the same. The systems: benchmarks/rcgnn_systems.py.

    Brier = mean of (p - true)^2        ECE = sum over ten bins of p of  share of pairs |mean p - share true|

Brier's difference is paired by system, systems as clusters; intervals of ECE are percentiles over resampled systems.
"""

import argparse
import json
import os
import sys
import time
from multiprocessing import Pool
from pathlib import Path

for _threads in ("OMP_NUM_THREADS", "OPENBLAS_NUM_THREADS", "MKL_NUM_THREADS"):
    os.environ.setdefault(_threads, "1")

import numpy as np
from rcgnn_systems import CLAIMING, COMPOUND, DEVELOPING, FIRST_CLAIM, claiming, developing, units
from scipy import optimize

from trueness.learners.scoring import scorer
from trueness.learners.scoring.rcgnn import CALIBRATION, edge_probability
from trueness.measures.ranking import score_ranking
from trueness.statistics import paired_difference

MEMBERS = 24
LEVELS = np.arange(MEMBERS + 1) / MEMBERS  # every frequency that there can be
SHOWN = ((0, 0), (1, 5), (6, 11), (12, 17), (18, 23), (24, 24))  # graphs of 24


def judge(task):
    """The record of a unit."""
    ((number, name, seed, truth, corrupted),) = units(*task, 1)
    data = corrupted.observed
    clock = time.process_time()
    found = scorer("rc-gnn").scores(data, np.random.default_rng([number, seed]))
    seconds = time.process_time() - clock
    one = {"system": number, "corruption": name, "series": bool(data.lags), "d": data.d, "n": data.n}
    one |= {"auprc": score_ranking(found.matrix, truth)["auprc"].value, "seconds": seconds}
    return one | count_frequencies(found, truth)


def count_frequencies(found, truth):
    """How many pairs have each frequency, and how many of those are edges."""
    off = ~np.eye(len(found.names), dtype=bool)
    count = np.rint(found.details["frequency"][off] * MEMBERS).astype(int)
    pairs, true = (np.bincount(some, minlength=MEMBERS + 1) for some in (count, count[truth.directed[off]]))
    return {"pairs": pairs.tolist(), "true": true.tolist()}


def measure(made, numbers, kinds, workers, save):
    """One record a unit."""
    records, began = [], time.perf_counter()
    tasks = [(made, [number], [name]) for number in numbers for name in kinds]
    judge(tasks[0])  # compiled once, before the fork
    with Pool(workers) as pool:
        for record in pool.imap(judge, tasks):
            records.append(record)
            if len(records) % 20 == 0:
                print(f"  {len(records)} units, {time.perf_counter() - began:.0f} s", file=sys.stderr, flush=True)
    if save:
        Path(save).write_text(json.dumps(records))
    return records


def shares(records):
    """(pairs, true), each (units, 25): shares of a unit's pairs."""
    pairs, true = (np.array([one[key] for one in records], dtype=float) for key in ("pairs", "true"))
    return pairs / pairs.sum(axis=1, keepdims=True), true / pairs.sum(axis=1, keepdims=True)


def brier(records, p):
    """(units,): p (units, 25) is what each frequency is taken for."""
    pairs, true = shares(records)
    return (pairs * p**2 - 2 * true * p + true).sum(axis=1)


def calibration_error(records, p, resamples=2000):
    """ECE of p (units, 25) and its interval."""
    pairs, true = shares(records)
    bins = np.minimum((p * 10).astype(int), 9)
    gaps = np.stack([((bins == number) * (pairs * p - true)).sum(axis=1) for number in range(10)], axis=1)
    systems = np.array([one["system"] for one in records])
    names = np.unique(systems)
    of_system = np.stack([gaps[systems == name].mean(axis=0) for name in names])
    picks = np.random.default_rng(0).integers(0, len(names), (resamples, len(names)))
    drawn = np.abs(of_system[picks].mean(axis=1)).sum(axis=1)
    return np.abs(of_system.mean(axis=0)).sum(), *np.percentile(drawn, (2.5, 97.5))


def mapped(records, parameters):
    """(units, 25): the probability of each frequency."""
    return np.stack([edge_probability(LEVELS, MEMBERS, one["d"], parameters) for one in records])


def fitted(records):
    """(intercept, slope): the most likely ones, each system weighing the same."""
    pairs, true = shares(records)

    def cost(parameters):
        p = np.clip(mapped(records, parameters), 1e-12, 1 - 1e-12)
        return -(true * np.log(p) + (pairs - true) * np.log(1 - p)).sum()

    return optimize.minimize(cost, (-1.0, 1.0)).x


def show(records, kinds, maps):
    """maps: series or rows -> (intercept, slope)."""
    for is_series in (True, False):
        mine = [one for one in records if one["series"] == is_series]
        p = mapped(mine, maps[is_series])
        print("\nseries" if is_series else "\nrows")
        print(f"| graphs of 24 | share of pairs | true | probability |\n|{'---|' * 4}")
        pairs, true = shares(mine)
        for low, high in SHOWN:
            some = np.s_[:, low : high + 1]
            size = pairs[some].sum()
            print(f"| {low} to {high} | {size / pairs.sum():.3f} | {true[some].sum() / size:.3f} "
                  f"| {(pairs * p)[some].sum() / size:.3f} |")  # fmt: skip
        print(f"| | ECE, frequency | ECE, probability | Brier, frequency | Brier, probability |\n|{'---|' * 5}")
        groups = {kind: (kind,) for kind in kinds}
        for title, some in (groups | {"compound": COMPOUND, "all": kinds}).items():
            own = [one for one in mine if one["corruption"] in some]
            if own:
                raw, p = np.tile(LEVELS, (len(own), 1)), mapped(own, maps[is_series])
                errors = ["{:.3f} [{:.3f}, {:.3f}]".format(*calibration_error(own, q)) for q in (raw, p)]
                before, after = brier(own, raw), brier(own, p)
                print(f"| {title} | {' | '.join(errors)} | {before.mean():.4f} | {after.mean():.4f} |")
        systems = [one["system"] for one in own]
        gap = paired_difference(after, before, clusters=systems, names=("probability", "frequency"))
        print(gap, f"AUPRC {np.mean([one['auprc'] for one in own]):.3f}")


def cross_validated(records):
    """The Brier score of each system under the map of the others."""
    scores = []
    for system in {one["system"] for one in records}:
        own = [one for one in records if one["system"] == system]
        others = [one for one in records if one["system"] != system]
        scores += brier(own, mapped(own, fitted(others))).tolist()
    return np.mean(scores)


def main():
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0])
    parser.add_argument("--developing", action="store_true")
    parser.add_argument("--systems", type=int)
    parser.add_argument("--workers", type=int, default=2)
    parser.add_argument("--save")
    parser.add_argument("--report")
    asked = parser.parse_args()
    made, kinds, numbers = claiming, CLAIMING, FIRST_CLAIM
    if asked.developing:
        made, kinds, numbers = developing, DEVELOPING, range(96)
    if asked.report:
        records = json.loads(Path(asked.report).read_text())
    else:
        records = measure(made, numbers[: asked.systems], kinds, asked.workers, asked.save)
    maps = CALIBRATION
    if asked.developing:
        kept = {is_series: [one for one in records if one["series"] == is_series] for is_series in (True, False)}
        maps = {is_series: fitted(mine) for is_series, mine in kept.items()}
        for is_series, mine in kept.items():
            raw = brier(mine, np.tile(LEVELS, (len(mine), 1))).mean()
            print(f"series: {is_series}; intercept, slope {np.round(maps[is_series], 3)}; "
                  f"Brier of systems left out {cross_validated(mine):.4f}, of the frequency {raw:.4f}")  # fmt: skip
    show(records, kinds, maps)


if __name__ == "__main__":
    main()
