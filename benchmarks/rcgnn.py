"""RC-GNN judged like any other scorer, on kinds of systems that it was not developed on; and what its parts gain.

    python benchmarks/rcgnn.py [--second] [--workers 2] [--save FILE]        the claim: 40 systems x 10 corruptions
    python benchmarks/rcgnn.py --parts [--systems 48] [--seeds 1]            without one part each, developing set
    python benchmarks/rcgnn.py --segments [--systems 48] [--seeds 1]         without segments, labels taken away
    python benchmarks/rcgnn.py --report FILE ...                             the tables of saved records, once more
    python benchmarks/rcgnn.py --cost                                        seconds and memory of a fit by d and T

The systems: benchmarks/rcgnn_systems.py. AUPRC over ordered pairs, and F1 at the K that each scorer chooses by its own
rule, without labels. RC-GNN is compared with the best baseline of each corruption, chosen by its mean on the very
systems of the table: that favours the baselines. Differences: paired by system and corruption, systems as clusters,
95 % intervals by sign flips. What a scorer could not score is counted, and its value there is what chance gets.
"""

import argparse
import json
import os
import sys
import time
import tracemalloc
from dataclasses import dataclass, replace
from functools import partial
from itertools import product
from multiprocessing import Pool
from pathlib import Path

for _threads in ("OMP_NUM_THREADS", "OPENBLAS_NUM_THREADS", "MKL_NUM_THREADS"):
    os.environ.setdefault(_threads, "1")  # one process a core

import numpy as np
from rcgnn_systems import CLAIMING, COMPOUND, DEVELOPING, FIRST_CLAIM, SECOND_CLAIM, claiming, developing, units
from rcgnn_calibration import brier, count_frequencies, fitted, mapped
from scipy import stats

import trueness.learners.kernels.rcgnn as kernels
from trueness.datasets.corruptions import corruption
from trueness.datasets.observed import plan_regimes
from trueness.datasets.series import VAR
from trueness.datasets.synthetic import Synthetic
from trueness.datasets.table import Table
from trueness.errors import TruenessError
from trueness.graphs import ARROW, TAIL
from trueness.learners import ges, lingam
from trueness.learners.scoring import scorer
from trueness.learners.scoring.edge_scores import Scorer, answer, as_observed, series
from trueness.learners.scoring.covariance import Transform, pairwise_correlations
from trueness.learners.scoring.covariance import interpolate
from trueness.learners.scoring.wrapped import _resample
from trueness.measures.ranking import area_under_roc, chance, score_ranking
from trueness.statistics import paired_difference

NAME = "rc-gnn"


def _shares(graph):
    """share[i, j]: how far the marks speak for i -> j: 1 directed, 1/2 undirected."""
    at_effect, at_cause = graph.marks, graph.marks.T
    return np.where((at_cause == TAIL) & (at_effect == ARROW), 1.0, np.where(at_cause == TAIL, 0.5, 0.0))


@dataclass(frozen=True)
class VARLiNGAM(Scorer):
    """Residuals u of a VAR with effects M_l; B_0 by DirectLiNGAM of u, B_l = M_l (I - B_0) (Hyvarinen et al. 2010)."""

    card = scorer("granger").card

    def scores(self, data, rng):
        seen, lags = series(data, self, None)
        values = interpolate(seen.values)
        z = (values - values.mean(axis=0)) / values.std(axis=0)
        past = np.hstack([z[lags - back : len(z) - back] for back in range(1, lags + 1)])
        effects = np.linalg.lstsq(past, z[lags:], rcond=None)[0]
        u = z[lags:] - past @ effects
        b = lingam.DirectLiNGAM().fit_details(Table(seen.names, u, (None,) * seen.d, "residuals")).graph.weights
        b = np.zeros((seen.d, seen.d)) if b is None else b
        by_lag = effects.reshape(lags, seen.d, seen.d) @ (np.eye(seen.d) - b)
        size = np.abs(np.concatenate((b[None], by_lag))).max(axis=0)
        return answer(self, seen, size, own_k=int(np.count_nonzero((size > 0.1) & ~np.eye(seen.d, dtype=bool))))


@dataclass(frozen=True)
class GES(Scorer):
    """How often GES finds an edge in 20 resamples, as scorer "pc" does for PC."""

    transform: Transform = "none"
    card = scorer("pc").card

    def scores(self, data, rng):
        seen = as_observed(data, self)
        samples = [pairwise_correlations(seen.rows(_resample(seen, rng)), self.transform) for _ in range(20)]
        share = np.mean([_shares(ges.GES(search="plain").fit(one.stand_in())) for one in samples], axis=0)
        return answer(self, seen, share, own_k=int(np.count_nonzero(share >= 0.5)))


RANKED = {"transform": "normal scores"}
SERIES = {
    "granger": lambda: scorer("granger"), "granger, ranked": lambda: scorer("granger", **RANKED),
    "pcmci+": lambda: scorer("pcmci+"), "varlingam": VARLiNGAM,
}  # fmt: skip
ROWS = {
    "pc": lambda: scorer("pc"), "pc, ranked": lambda: scorer("pc", **RANKED), "ges": GES,
    "ges, ranked": lambda: GES(**RANKED), "lingam": lambda: scorer("lingam"),
    "notears": lambda: scorer("notears"), "notears, ranked": lambda: scorer("notears", **RANKED),
    "dag-gnn": lambda: scorer("dag-gnn"),
}  # fmt: skip
PARTS = {
    "whole": {}, "no messages (readings for signals)": {"sweeps": 0}, "one round of messages": {"sweeps": 1},
    "ten rounds of messages": {"sweeps": 10}, "thin tails of readings": {"tails": 1000.0},
    "Gaussian likelihood": {"shape": 0.0}, "no regimes, no segments": {"held_cost": 1e6},
    "no segments": {"segments": 1}, "no bootstrap": {"resample": False}, "one member": {"members": 1},
    "plain BIC": {"edge_cost": 1.0},
}  # fmt: skip
SEGMENTS = {name: PARTS[name] for name in ("whole", "no segments")}
MOST_OF_PCMCI = 40  # d x lags beyond which PCMCI+ takes minutes a fit


def contenders(is_series, some=()):
    every = {NAME: lambda: scorer(NAME)} | (SERIES if is_series else ROWS)
    return {name: make for name, make in every.items() if name in some or not some}


def judge(task):
    """The records of one unit: one a contender."""
    made, number, name, seed, parts, some = task
    ((*_, truth, corrupted),) = [one for one in units(made, [number], [name], seed + 1) if one[2] == seed]
    data, rows = corrupted.observed, []
    if parts == SEGMENTS:  # regimes are there, and nobody says where
        data = replace(data, regimes=None)
    wanted = {part: partial(scorer, NAME, **less) for part, less in parts.items()}
    for contender, make in (wanted or contenders(bool(data.lags), some)).items():
        one = {"system": number, "corruption": name, "seed": seed, "series": bool(data.lags), "scorer": contender}
        one |= {"d": data.d, "n": data.n, "auprc": chance("auprc", truth), "f1": 0.0, "trouble": None}
        if contender == "pcmci+" and data.d * data.lags > MOST_OF_PCMCI:
            rows.append(one | {"auprc": None, "f1": None, "trouble": "not tried"})
            continue
        clock = time.process_time()
        try:
            found = make().scores(data, np.random.default_rng([number, seed]))
        except TruenessError as error:
            rows.append(one | {"trouble": str(error)})
            continue
        one |= {"seconds": time.process_time() - clock, "auprc": score_ranking(found.matrix, truth)["auprc"].value}
        kept = set(found.strongest(found.details["own_k"]))
        edges = {(truth.nodes[i], truth.nodes[j]) for i, j in np.argwhere(truth.directed)}
        one |= {"f1": 2 * len(kept & edges) / max(len(kept) + len(edges), 1), "k": len(kept), "edges": len(edges)}
        if "frequency" in found.details:
            one |= count_frequencies(found, truth)
        rows.append(one | (parts_against_the_truth(found, corrupted) if contender == NAME else {}))
    return rows


def parts_against_the_truth(found, corrupted):
    """What RC-GNN took for signal, noise and held, against the clean values and interventions of the simulation."""
    there, clean, values = ~corrupted.mask, corrupted.clean, corrupted.values
    if corrupted.regimes.any():  # the rows were run again under interventions: no clean values of them are kept
        step = corruption(corrupted.card.name).steps[0]
        blocks = plan_regimes(len(values), values.shape[1], int(step.strength), step.rng(corrupted.seed)).blocks
        held = np.zeros((len(blocks) + 1, values.shape[1]), dtype=bool)
        for number, block in enumerate(blocks, start=1):
            held[number, block.nodes] = True
        return {"held_auroc": area_under_roc(found.details["held"][1:].ravel(), held[1:].ravel()).value}
    signal, wide = found.details["signal"], np.nanstd(values, axis=0)
    report = {"signal_r": columns_mean(np.corrcoef, signal, clean, there)}
    report |= {"reading_r": columns_mean(np.corrcoef, values, clean, there)}
    if not there.all():
        report |= {"gap_r": columns_mean(np.corrcoef, signal, clean, ~there)}
        report |= {"interpolated_r": columns_mean(np.corrcoef, interpolate(values), clean, ~there)}
    error = np.abs(values - clean)
    if np.nanmax(error / wide) > 1e-6:
        report |= {"noise_rho": columns_mean(stats.spearmanr, np.abs(found.details["noise"]), error, there)}
    return report


def columns_mean(measure, one, other, where):
    """Mean over columns of a correlation, over the cells where both speak."""
    values = []
    for a, b, cells in zip(one.T, other.T, where.T, strict=True):
        if np.count_nonzero(cells) > 2 and a[cells].std() and b[cells].std():
            r = measure(a[cells], b[cells])
            values.append(r.statistic if hasattr(r, "statistic") else r[0, 1])
    return float(np.mean(values)) if values else None


def run(tasks, asked):
    """All records; those so far are saved after every 20 units."""
    records, began = [], time.perf_counter()
    for number in (0, 1):
        judge((developing, number, "clean", 0, {}, asked.scorers))  # compiled once, before the fork
    with Pool(asked.workers) as pool:
        for count, rows in enumerate(pool.imap_unordered(judge, tasks), start=1):
            records += rows
            if count % 20 == 0 or count == len(tasks):
                print(f"  {count} of {len(tasks)} units, {time.perf_counter() - began:.0f} s", file=sys.stderr)
                if asked.save:
                    Path(asked.save).write_text(json.dumps(records))
    return records


def mean(rows, key="auprc"):
    values = [row[key] for row in rows if row.get(key) is not None]
    return float(np.mean(values)) if values else float("nan")


def by_unit(rows, key="auprc"):
    return {(row["system"], row["corruption"], row["seed"]): row[key] for row in rows if row[key] is not None}


def show_claim(records):
    for is_series in (True, False):
        mine = [row for row in records if row["series"] == is_series]
        names = [one for one in contenders(is_series) if any(row["scorer"] == one for row in mine)]
        print(f"\n{'series' if is_series else 'rows'}: AUPRC by corruption (n = systems that it was tried on)")
        kinds = [kind for kind in CLAIMING if any(row["corruption"] == kind for row in mine)]
        print(f"| | {' | '.join(kinds)} | all | F1 at its K | s a fit |\n|{'---|' * (len(kinds) + 4)}")
        for name in names:
            own = [row for row in mine if row["scorer"] == name]
            cells = [f"{mean([r for r in own if r['corruption'] == kind]):.3f}" for kind in kinds]
            tried = len({row["system"] for row in own if row["auprc"] is not None})
            lost = sum(row["trouble"] not in (None, "not tried") for row in own)
            note = f" (n = {tried}{f', {lost} not scored' if lost else ''})"
            tail = f"{mean(own):.3f} | {mean(own, 'f1'):.3f} | {mean(own, 'seconds'):.2f}"
            print(f"| {name}{note} | {' | '.join(cells)} | {tail} |")
        systems = {row["system"] for row in mine}
        full = [
            n
            for n in names
            if len({r["system"] for r in mine if r["scorer"] == n and r["auprc"] is not None}) == len(systems)
        ]
        for measure in ("auprc", "f1") if NAME in full and len(full) > 1 else ():
            print(f"\n  {NAME} minus the best baseline of each corruption, {measure}")
            ours, theirs, clusters, groups = [], [], [], []
            for kind in kinds:
                here = {
                    n: by_unit([r for r in mine if r["scorer"] == n and r["corruption"] == kind], measure) for n in full
                }
                best = max((n for n in full if n != NAME), key=lambda n: np.mean(list(here[n].values())))
                for unit, value in here[NAME].items():
                    ours.append(value)
                    theirs.append(here[best][unit])
                    clusters.append(unit[0])
                    groups.append(kind)
                print(f"  {kind:<22} {best:<18} {gap(ours, theirs, clusters, np.array(groups) == kind)}")
            for title, some in (("compound", COMPOUND), ("all", tuple(kinds))):
                print(f"  {title:<41} {gap(ours, theirs, clusters, np.isin(groups, some))}")
        losses = {}
        for name in names:
            base = by_unit([r for r in mine if r["scorer"] == name and r["corruption"] == "clean"])
            lost = [
                base[s, "clean", e] - v
                for (s, c, e), v in by_unit(
                    [r for r in mine if r["scorer"] == name and r["corruption"] in COMPOUND]
                ).items()
            ]
            losses[name] = np.mean(lost) if lost else np.nan
        print("  lost from clean to compound:", ", ".join(f"{name} {value:.3f}" for name, value in losses.items()))
        if not is_series or len(systems) > 1:
            ours = [row for row in mine if row["scorer"] == NAME]
            for key in ("signal_r", "reading_r", "gap_r", "interpolated_r", "noise_rho", "held_auroc"):
                cells = {kind: mean([r for r in ours if r["corruption"] == kind], key) for kind in kinds}
                print(f"  {key:<15}", ", ".join(f"{k} {v:.3f}" for k, v in cells.items() if np.isfinite(v)))


def gap(ours, theirs, clusters, where, digits=3):
    ours, theirs, clusters = (np.array(part)[where] for part in (ours, theirs, clusters))
    found = paired_difference(ours, theirs, clusters=clusters, names=(NAME, "baseline"))
    low_high = () if found.interval is None else (found.interval.low, found.interval.high)
    ends = f"[{', '.join(f'{end:+.{digits}f}' for end in low_high)}]" if low_high else "no interval"
    p = "no p" if found.p is None else f"p = {found.p:.2g}"
    ahead = f"{found.n_clusters} systems, ahead in {np.mean(ours > theirs):.0%}"
    return f"{found.difference:+.{digits}f} {ends} ({p}, {ahead})"


def show_parts(records):
    for is_series in (True, False):
        mine = [row for row in records if row["series"] == is_series]
        kinds = [kind for kind in DEVELOPING if any(row["corruption"] == kind for row in mine)]
        for name in {row["scorer"] for row in mine} - {"one member"}:  # its own map of frequencies for each part
            own = [row for row in mine if row["scorer"] == name]
            for row, value in zip(own, brier(own, mapped(own, fitted(own))), strict=True):
                row["brier"] = value
        for measure in ("auprc", "f1", "brier") if mine else ():
            whole = by_unit([row for row in mine if row["scorer"] == "whole"], measure)
            print(f"\n{'series' if is_series else 'rows'}: {measure} without a part, and what the part gains")
            for name in dict.fromkeys(row["scorer"] for row in mine if measure in row):
                own = [row for row in mine if row["scorer"] == name]
                other = by_unit(own, measure)
                cells = [f"{kind} {mean([r for r in own if r['corruption'] == kind], measure):.3f}" for kind in kinds]
                gain = ""
                if name != "whole":
                    gain = gap([whole[k] for k in other], list(other.values()), [k[0] for k in other], slice(None), 4)
                shown = f"{mean(own, measure):.4f} | {' '.join(cells)} | {mean(own, 'seconds'):.2f} s"
                print(f"  {name:<36} {shown} | {gain}")


def cost():
    """CPU seconds and peak memory of a fit by d and T, each after a first one of its kind; and where the time goes."""
    print("| d | T | series, s | series, MB | rows, s | rows, MB |\n|---|---|---|---|---|---|")
    for d, rows in ((4, 100), *product((10, 20, 30), (300, 1000, 5000))):  # the first one compiles
        cells = []
        for system in (VAR(nodes=d, lags=2, graph_seed=200), Synthetic(nodes=d, graph_seed=200)):
            data = system.draw(rows, np.random.default_rng(0))
            tracemalloc.start()
            scorer(NAME).scores(data, np.random.default_rng(0))
            peak = tracemalloc.get_traced_memory()[1] / 1e6
            tracemalloc.stop()
            clock = time.process_time()
            scorer(NAME).scores(data, np.random.default_rng(0))
            cells += [f"{time.process_time() - clock:.2f}", f"{peak:.1f}"]
        if d > 4:
            print(f"| {d} | {rows:,} | {' | '.join(cells)} |", flush=True)
    for system in (VAR(nodes=10, lags=2, graph_seed=200), Synthetic(nodes=10, graph_seed=200)):
        print(type(system).__name__, where_time_goes(system.draw(1000, np.random.default_rng(0))))


def where_time_goes(data):
    """Shares of one fit's time in its two loops, and how many steps of them wait for the step before."""
    kept = {name: getattr(kernels, name) for name in ("search", "pass_messages")}
    spent, steps = dict.fromkeys(kept, 0.0), dict.fromkeys(kept, 0)

    def timed(name, *given):
        before, clock = given[0].copy(), time.process_time()
        kept[name](*given)
        spent[name] += time.process_time() - clock
        # moves of the search: at least as many as edges came or went; of a sweep: one for each value
        steps[name] += int(np.sum(before != given[0])) if name == "search" else before.size

    for name in kept:
        setattr(kernels, name, partial(timed, name))
    clock = time.process_time()
    scorer(NAME).scores(data, np.random.default_rng(0))
    whole = time.process_time() - clock
    for name, loop in kept.items():
        setattr(kernels, name, loop)
    shares = ", ".join(f"{name} {spent[name] / whole:.0%} ({steps[name]:,} steps in a row)" for name in kept)
    return f"d = {data.d}, T = {data.n}: {whole:.2f} s; {shares}; the rest in numpy"


def main():
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0])
    parser.add_argument("--systems", type=int)
    parser.add_argument("--seeds", type=int)
    parser.add_argument("--workers", type=int, default=2)
    parser.add_argument("--scorers", nargs="*", default=(), help="some of them only")
    parser.add_argument("--corruptions", nargs="*", help="some of them only")
    parser.add_argument("--save")
    parser.add_argument("--report", nargs="+")
    parser.add_argument("--parts", action="store_true")
    parser.add_argument("--segments", action="store_true")
    parser.add_argument("--second", action="store_true")
    parser.add_argument("--cost", action="store_true")
    asked = parser.parse_args()
    if asked.cost:
        return cost()
    if asked.report:
        records = [row for file in asked.report for row in json.loads(Path(file).read_text())]
        return (show_parts if any(row["scorer"] == "whole" for row in records) else show_claim)(records)
    made, kinds, parts = claiming, asked.corruptions or CLAIMING, {}
    numbers = SECOND_CLAIM if asked.second else FIRST_CLAIM
    if asked.parts:
        made, kinds, numbers, parts = developing, DEVELOPING, range(48), PARTS
    elif asked.segments:
        made, kinds, numbers, parts = developing, ("compound_full_decoy",), range(0, 96, 2), SEGMENTS  # series
    numbers, seeds = numbers[: asked.systems], range(asked.seeds or 1)
    tasks = [(made, n, kind, seed, parts, asked.scorers) for n in numbers for kind in kinds for seed in seeds]
    tasks.sort(key=lambda task: -made(task[1]).rows * made(task[1]).nodes ** 2)  # the longest first
    records = run(tasks, asked)
    return (show_parts if parts else show_claim)(records)


if __name__ == "__main__":
    main()
