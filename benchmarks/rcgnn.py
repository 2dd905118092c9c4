"""RC-GNN judged like any other scorer: AUPRC on systems with known graphs, paired against every baseline; and its time.

    python benchmarks/rcgnn.py [--systems 20] [--corruptions NAME ...] [--seeds 10] [--rows 1000] [--nodes 8] [--lags 2]
                               [--together 50] [--set steps=600] [--device auto] [--save scores.csv] [--json]
    python benchmarks/rcgnn.py --speed          d = 13, T = 9,000: under 3 minutes; on a GPU too where there is one

Systems: half are vector autoregressions (every second one nonlinear, every third with effects within a row), half rows
without order (every second one nonlinear); Laplace noise; graph seeds 0, 1, 2, ... RC-GNN's settings were chosen on
graph seeds 100 to 102, which are in no table. No corruption here builds its mask from the graph.
A difference is over units (system, corruption, seed) that both could score, with systems as clusters and an interval at
95 % by sign flips. What a scorer could not score is counted. Granger and PCMCI+ are for series alone.
"""

import argparse
import csv
import json
import sys
import time
from pathlib import Path

import numpy as np

from trueness import registry
from trueness.datasets.corruptions import corruption
from trueness.datasets.series import VAR
from trueness.datasets.synthetic import Synthetic
from trueness.errors import TruenessError
from trueness.learners.scoring import scorer
from trueness.measures.ranking import score_ranking
from trueness.statistics import paired_difference

CORRUPTIONS = (
    "clean", "noise_0.3", "mcar_40", "mnar_self", "mnar_decoy", "bias_multiplicative", "regimes", "sensor_failure",
    "compound_full_decoy", "extreme_decoy",
)  # fmt: skip
NAME = "rc-gnn"


def system(number, asked):
    """Even numbers are series, odd ones rows without order."""
    shape = "nonlinear" if number % 4 >= 2 else "linear"
    common = {"nodes": asked.nodes, "rows": asked.rows, "graph_seed": number, "noise": "laplace", "relation": shape}
    if number % 2:
        return Synthetic(edges_per_node=1.2, **common)
    return VAR(lags=asked.lags, contemporaneous=0.4 if number % 3 == 0 else 0.0, **common)


def units(asked):
    """(system number, corruption, seed, truth, data) of each unit."""
    for number in range(asked.systems):
        made = system(number, asked)
        for name in asked.corruptions:
            for seed in range(asked.seeds):
                rng = np.random.default_rng([number, seed])
                yield number, name, seed, made.truth, corruption(name).of(made, seed=seed, rng=rng).observed


def generator(unit):
    return np.random.default_rng([unit[0], CORRUPTIONS.index(unit[1]) if unit[1] in CORRUPTIONS else 99, unit[2]])


def auprc(unit, found):
    return float(score_ranking(found.matrix, unit[3])["auprc"].value)


def of_baseline(name, all_units):
    known, values, lost = scorer(name), [], []
    for unit in all_units:
        if known.card.needs_series and not unit[4].lags:
            values.append(np.nan)
            continue
        try:
            values.append(auprc(unit, known.scores(unit[4], generator(unit))))
        except TruenessError as error:
            values.append(np.nan)
            lost.append(str(error))
    return np.array(values), lost


def of_rcgnn(all_units, settings, together):
    """Series and rows apart, `together` fits at a time."""
    known, values = scorer(NAME, **settings), np.full(len(all_units), np.nan)
    for series in (True, False):
        places = [place for place, unit in enumerate(all_units) if bool(unit[4].lags) == series]
        for start in range(0, len(places), together):
            some = places[start : start + together]
            found = known.scores_of_many(
                [all_units[place][4] for place in some], [generator(all_units[place]) for place in some]
            )
            values[some] = [auprc(all_units[place], one) for place, one in zip(some, found, strict=True)]
            print(f"  {NAME} {'series' if series else 'rows'} {start + len(some)} of {len(places)}", file=sys.stderr)
    return values


def compare(asked):
    began, all_units = time.process_time(), list(units(asked))
    clusters = np.array([unit[0] for unit in all_units])
    series = np.array([bool(unit[4].lags) for unit in all_units])
    values, lost, seconds = {}, {}, {}
    for name in (*[known for known in registry.names("scorer") if known != NAME], NAME):
        clock = time.process_time()
        if name == NAME:
            values[name] = of_rcgnn(all_units, asked.settings, asked.together)
        else:
            values[name], lost[name] = of_baseline(name, all_units)
        seconds[name] = (time.process_time() - clock) / len(all_units)
        print(f"{name}: {seconds[name]:.3f} CPU s a unit", file=sys.stderr)
    lines = []
    for kind, mask in (("series", series), ("rows", ~series)):
        for name in registry.names("scorer"):
            mine, theirs = values[NAME][mask], values[name][mask]
            line = {"data": kind, "scorer": name, "mean": nanmean(theirs), "n": int(np.isfinite(theirs).sum())}
            line |= {"mean_by_corruption": by_corruption(all_units, mask, theirs)}
            if name != NAME and np.isfinite(theirs).any():
                line |= difference(mine, theirs, clusters[mask])
            lines.append(line)
    report = {
        "benchmark": "rcgnn", "systems": asked.systems, "corruptions": list(asked.corruptions), "seeds": asked.seeds,
        "rows": asked.rows, "nodes": asked.nodes, "lags": asked.lags, "settings": asked.settings, "lines": lines,
        "not scored": {name: len(errors) for name, errors in lost.items() if errors},
        "cpu_seconds_a_unit": seconds, "cpu_seconds": time.process_time() - began,
    }  # fmt: skip
    if asked.save:
        save(asked.save, all_units, values)
    return report


def nanmean(values):
    return float(np.nanmean(values)) if np.isfinite(values).any() else None


def by_corruption(all_units, mask, values):
    names = np.array([unit[1] for unit in all_units])[mask]
    return {str(name): nanmean(values[names == name]) for name in dict.fromkeys(names)}


def difference(mine, theirs, clusters):
    found = paired_difference(mine, theirs, clusters=clusters, names=(NAME, "baseline"))
    ends = None if found.interval is None else (found.interval.low, found.interval.high)
    return {"difference": found.difference, "interval": ends, "p": found.p, "systems": found.n_clusters}


def save(path, all_units, values):
    with Path(path).open("w", newline="") as file:
        writer = csv.writer(file)
        writer.writerow(("system", "data", "corruption", "seed", "scorer", "auprc"))
        for place, unit in enumerate(all_units):
            for name, found in values.items():
                writer.writerow((unit[0], "series" if unit[4].lags else "rows", *unit[1:3], name, found[place]))


def show(report):
    print(
        f"AUPRC over {report['systems']} systems x {len(report['corruptions'])} corruptions x {report['seeds']} seeds, "
        f"d = {report['nodes']}, {report['rows']} rows; {report['cpu_seconds']:.0f} CPU s"
    )
    for line in report["lines"]:
        if line["mean"] is None:
            continue
        gap = ""
        if "difference" in line:
            ends = "no interval" if line["interval"] is None else "[{:+.3f}, {:+.3f}]".format(*line["interval"])
            gap = f"  {NAME} - it: {line['difference']:+.3f} {ends} (p = {line['p']:.3g}, {line['systems']} systems)"
        print(f"  {line['data']:<7} {line['scorer']:<20} {line['mean']:.3f}  n = {line['n']}{gap}")
    for kind in ("series", "rows"):
        print(f"\n  {kind}: AUPRC by corruption")
        for line in report["lines"]:
            if line["data"] == kind and line["mean"] is not None:
                cells = " ".join(f"{value:.2f}" for value in line["mean_by_corruption"].values())
                print(f"    {line['scorer']:<20} {cells}")
        print(f"    in the order {', '.join(report['corruptions'])}")
    for name, count in report["not scored"].items():
        print(f"  {name} could not score {count} units")


def speed(asked):
    import torch

    data = VAR(nodes=13, lags=2, rows=9000, graph_seed=200).draw(9000, np.random.default_rng(0))
    devices = ["cpu", *(["cuda"] if torch.cuda.is_available() else [])]
    report = {"benchmark": "rcgnn speed", "d": 13, "T": 9000, "threads": torch.get_num_threads(), "limit_s": 180}
    for device in devices:
        known = scorer(NAME, **{**asked.settings, "device": device})
        if device == "cuda":  # its start is no part of the fit
            scorer(NAME, steps=10, device=device).scores(data, np.random.default_rng(0))
        wall, clock = time.perf_counter(), time.process_time()
        known.scores(data, np.random.default_rng(0))
        report[device] = {"wall_s": time.perf_counter() - wall, "cpu_s": time.process_time() - clock}
    if "cuda" in report:
        report["cpu_to_cuda"] = report["cpu"]["wall_s"] / report["cuda"]["wall_s"]
    report["pass"] = report["cpu"]["wall_s"] <= report["limit_s"]
    return report


def setting(text):
    name, _, value = text.partition("=")
    return name, float(value) if "." in value or "e" in value else int(value)


def main():
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0])
    for name, default in (("systems", 20), ("seeds", 10), ("rows", 1000), ("nodes", 8), ("lags", 2), ("together", 50)):
        parser.add_argument(f"--{name}", type=int, default=default)
    parser.add_argument("--corruptions", nargs="+", default=CORRUPTIONS)
    parser.add_argument("--set", nargs="*", type=setting, default=[], help="settings of RC-GNN")
    parser.add_argument("--device", default="auto")
    parser.add_argument("--save")
    parser.add_argument("--speed", action="store_true")
    parser.add_argument("--json", action="store_true")
    asked = parser.parse_args()
    asked.settings = {**dict(asked.set), "device": asked.device}
    report = speed(asked) if asked.speed else compare(asked)
    if asked.json or asked.speed:
        print(json.dumps(report))
    else:
        show(report)
    sys.exit(not report.get("pass", True))


if __name__ == "__main__":
    main()
