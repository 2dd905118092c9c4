"""RC-GNN on a GPU against RC-GNN on one CPU core: the same graphs, as good, and how much faster. Needs an NVIDIA card.

    python benchmarks/rcgnn_gpu.py --check [--systems 34]    (1) and (2) on developing systems under 6 corruptions
    python benchmarks/rcgnn_gpu.py --time [--fits 2048]      (3) at d = 10 and 1,000 rows, clean and corrupted
    python benchmarks/rcgnn_gpu.py --sizes                   (3) by d and T, clean

(1) With the same random numbers: in how many data sets all graphs are the same, and how far the scores are apart.
(2) With the card's own: AUPRC, paired by data set, systems as clusters, 95 % intervals by sign flips; and beside it CPU
    against CPU with another seed, which is what chance does.
(3) Seconds a fit of the whole call, the preparation on the host included, against the CPU seconds a fit of the first
    tables of the same batch on one core of the same process; and the memory that the card gave.
"""

import argparse
import os
import time
from itertools import product
from multiprocessing import Pool

for _threads in ("OMP_NUM_THREADS", "OPENBLAS_NUM_THREADS", "MKL_NUM_THREADS"):
    os.environ.setdefault(_threads, "1")

import numpy as np
from rcgnn_systems import DEVELOPING, developing, units

from trueness.datasets.corruptions import corruption
from trueness.datasets.series import VAR
from trueness.datasets.synthetic import Synthetic
from trueness.learners.scoring.rcgnn import RCGNN
from trueness.measures.ranking import score_ranking
from trueness.statistics import paired_difference

PLAN = RCGNN()


def on_one_core(task):
    data, seed = task
    return parts_of(PLAN.scores(data, np.random.default_rng(seed)))


def parts_of(scores):
    return {"matrix": scores.matrix, **scores.details}


def check(systems, workers):
    from trueness.learners.scoring.rcgnn_gpu import OfTheTables, scores_of_many

    made = list(units(developing, range(systems), DEVELOPING, 1))
    tables, truths = [one[4].observed for one in made], [one[3] for one in made]
    clusters = np.array([one[0] for one in made])
    on_one_core((tables[0], 0))  # compiled once, before the fork
    with Pool(workers) as pool:
        first, second = (pool.map(on_one_core, [(data, [seed, k]) for k, data in enumerate(tables)]) for seed in (0, 1))
    rngs = [np.random.default_rng([0, k]) for k in range(len(tables))]
    same = [parts_of(one) for one in scores_of_many(PLAN, tables, rngs, draws=OfTheTables)]
    of_card, again = (
        [parts_of(one) for one in scores_of_many(PLAN, tables, list(map(np.random.default_rng, range(len(tables)))))]
        for _ in range(2)
    )
    print("twice the same:", all(np.array_equal(a["matrix"], b["matrix"]) for a, b in zip(of_card, again, strict=True)))
    auprc = {}
    for name, many in (("CPU", first), ("CPU, other seed", second), ("GPU", of_card), ("GPU, same numbers", same)):
        found = [score_ranking(one["matrix"], truth)["auprc"].value for one, truth in zip(many, truths, strict=True)]
        auprc[name] = np.array(found)
    for is_series in (True, False):
        mine = np.array([bool(data.lags) == is_series for data in tables])
        pairs = [(a, b) for a, b, own in zip(first, same, mine, strict=True) if own]
        print(f"\n{'series' if is_series else 'rows'}: {len(pairs)} data sets, the same random numbers")
        equal = sum(np.array_equal(a["frequency"], b["frequency"]) for a, b in pairs)
        print(f"  all {PLAN.members} graphs the same: {equal}")
        for name in ("matrix", "frequency", "signal", "held", "read_error", "effects"):
            far = [np.abs(a[name] - b[name]).max() for a, b in pairs]
            print(f"  {name:<10} apart by {np.median(far):.1e} (median), {np.max(far):.1e} (most)")
        for one, other in (("GPU", "CPU"), ("CPU, other seed", "CPU"), ("GPU, same numbers", "CPU")):
            ours, theirs = auprc[one][mine], auprc[other][mine]
            gap = paired_difference(ours, theirs, clusters=clusters[mine], names=(one, other))
            print(f"  {one} {ours.mean():.4f}, {other} {theirs.mean():.4f}: {gap}")


def tables_of(is_series, d, rows, name, count):
    """count data sets of 32 systems."""
    kind = {"lags": 2} if is_series else {}
    systems = [(VAR if is_series else Synthetic)(nodes=d, rows=rows, graph_seed=200 + k, **kind) for k in range(32)]
    steps = corruption(name)
    return [steps.of(systems[k % 32], seed=k, rng=np.random.default_rng(k)).observed for k in range(count)]


def compare(is_series, d, rows, name, fits, on_core):
    """(seconds a fit on the card, on one core, GB of the card)."""
    import cupy
    from trueness.learners.scoring.rcgnn_gpu import scores_of_many

    tables = tables_of(is_series, d, rows, name, fits)
    pool = cupy.get_default_memory_pool()
    pool.free_all_blocks()
    clock = time.perf_counter()
    scores_of_many(PLAN, tables, [np.random.default_rng(k) for k in range(fits)])
    card = (time.perf_counter() - clock) / fits
    memory = pool.total_bytes() / 1e9
    clock = time.process_time()
    for k in range(on_core):
        on_one_core((tables[k], k))
    return card, (time.process_time() - clock) / on_core, memory


def show(sizes, on_core):
    head = "", "d", "T", "fits", "ms a fit, GPU", "s a fit, one core", "times", "GB of the card", "MB a fit"
    print(f"| {' | '.join(head)} |\n|{'---|' * len(head)}")
    compare(True, 4, 100, "clean", 2, 1)  # compiles
    compare(False, 4, 100, "clean", 2, 1)
    for is_series, d, rows, name, fits in sizes:
        card, core, memory = compare(is_series, d, rows, name, fits, on_core)
        what = f"{'series' if is_series else 'rows'}, {name} | {d} | {rows:,} | {fits:,}"
        speed = f"{1e3 * card:.2f} | {core:.2f} | {core / card:.0f} | {memory:.2f} | {1e3 * memory / fits:.2f}"
        print(f"| {what} | {speed} |", flush=True)


def main():
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0])
    parser.add_argument("--check", action="store_true")
    parser.add_argument("--time", action="store_true")
    parser.add_argument("--sizes", action="store_true")
    parser.add_argument("--systems", type=int, default=34)
    parser.add_argument("--fits", type=int, default=2048)
    parser.add_argument("--workers", type=int, default=os.cpu_count())
    asked = parser.parse_args()
    if asked.check:
        check(asked.systems, asked.workers)
    if asked.time:
        kinds = product((True, False), ("clean", "mcar_40", "compound_full_decoy"))
        show([(is_series, 10, 1000, name, asked.fits) for is_series, name in kinds], on_core=8)
    if asked.sizes:
        sizes = product((True, False), (10, 20, 30), (300, 1000, 5000))
        show([(*one, "clean", {300: 2048, 1000: 1024, 5000: 512}[one[2]] * 10 // one[1]) for one in sizes], on_core=2)


if __name__ == "__main__":
    main()
