"""What twins promise and what comes true: of random systems, whose graphs are known, each learner's F1 on twins of one
table beside its F1 on that table.

    python benchmarks/learn_calibration.py --count 640          goes on where it stopped; rows in --rows FILE
    python benchmarks/learn_calibration.py --fit                writes src/trueness/studies/learn/promises.json

    F1 = a + b (mean F1 on twins) + c (F1 that the atlas expects)      by kind of columns; a of each learner, drawn
                                                                       towards that of all

Twins have the graphs that learners find, which flatters those that find them again. The systems are those of
random_systems.py, of the atlas' kinds with other seeds, at most 25 columns and 3,000 rows; `learn.py` claims on others.
"""

from __future__ import annotations

import argparse
import contextlib
import json
import warnings
from functools import cache
from pathlib import Path

import numpy as np
from random_systems import atlas_system

from trueness.atlas import Place, place_of
from trueness.datasets.twins import Twin
from trueness.graphs import Graph
from trueness.learners import build, handles_gaps
from trueness.measures.graphs import Reference
from trueness.studies.learn.plan import ANY_COLUMNS, NUMBERS
from trueness.studies.learn.work import dag_of

ROOT = Path(__file__).resolve().parents[1]
SYSTEMS = range(60_000, 64_000)
MEASURES = ("f1", "precision", "recall")
PRIOR = 20  # systems' worth by which a learner's line is drawn towards that of all
ENDS = (0.025, 0.975)  # of what remains; how much these hold of systems that the lines were not fitted to is printed


def try_one(seed: int) -> dict | None:
    system = atlas_system(seed)
    if system.nodes > 25 or system.rows > 3000:
        return None
    rng = np.random.default_rng([seed, 11])
    table, reference = system.draw(system.rows, rng), Reference(system.truth)
    learners = {}
    for name, (base, settings) in (ANY_COLUMNS | NUMBERS).items():
        learner = build(base, settings)
        if learner.card.takes(table) and (handles_gaps(learner) or not table.has_gaps):
            learners[name] = learner
    actual: dict[str, dict[str, float | None]] = {}
    twins = []
    for name, learner in learners.items():
        try:
            graph = learner.fit(table, rng).reorder(table.names)
        except Exception:  # a column that does not vary
            return None
        actual[name] = scores(reference, graph)
        twins.append(Twin(table, dag_of(graph)))
    promised: dict[str, list[dict[str, float | None]]] = {name: [] for name in learners}
    for twin in twins:
        drawn, truth = twin.draw(system.rows, rng), Reference(twin.truth)
        for name, learner in learners.items():
            with contextlib.suppress(Exception):  # the same
                promised[name].append(scores(truth, learner.fit(drawn, rng)))
    facts = {"seed": seed, "kind": table.kind, "relation": system.kind, "n": system.rows, "d": table.d}
    return facts | {"gaps": system.gaps, "actual": actual, "promised": promised}


def scores(truth: Reference, graph: Graph) -> dict[str, float | None]:
    return {name: score.value for name, score in truth.score(graph, MEASURES).items()}


@cache
def place(seed: int) -> Place:
    system = atlas_system(seed)
    return place_of(system.draw(system.rows, np.random.default_rng([seed, 11])))


def facts_of(rows: list[dict], name: str, measure: str) -> np.ndarray:
    """1, mean on twins, what the atlas expects, what came true: a row for each system"""
    made = []
    for row in rows:
        twins = [one[measure] for one in row["promised"].get(name, ()) if one[measure] is not None]
        came = row["actual"].get(name, {}).get(measure)
        if twins and came is not None:
            made.append((1.0, float(np.mean(twins)), place(row["seed"]).expects(name, measure), came))
    return np.array(made).reshape(-1, 4)


def fit(rows: list[dict]) -> dict:
    """Kind of columns -> measure -> learner: a, b, c, the ends (ENDS) of what remains, systems; and "apart"."""
    made: dict = {}
    for kind in ("continuous", "discrete", "mixed"):
        own = [row for row in rows if row["kind"] == kind]
        for measure in MEASURES if own else ():
            facts = {name: facts_of(own, name, measure) for name in ANY_COLUMNS | NUMBERS}
            together = np.concatenate(list(facts.values()))
            lines = made.setdefault(kind, {}).setdefault(measure, {})
            for title, columns in (("without the atlas", [0, 1]), ("any", [0, 1, 2])):
                line = np.zeros(3)
                line[columns] = np.linalg.lstsq(together[:, columns], together[:, 3], rcond=None)[0]
                rest_of_all = together[:, 3] - together[:, :3] @ line
                lines[title] = [*line, *np.quantile(rest_of_all, ENDS), len(own)]
            for name, one in facts.items():
                if len(one) > 1:
                    rest = one[:, 3] - one[:, :3] @ line
                    shift = float(rest.sum() / (len(rest) + PRIOR))
                    some = np.concatenate([rest - shift, np.random.default_rng(1).choice(rest_of_all, PRIOR)])
                    lines[name] = [line[0] + shift, *line[1:], *np.quantile(some, ENDS), len(one)]
            if measure == "f1":
                made[kind]["apart"] = {"f1": apart(own, lines)}
            made[kind][measure] = {who: [round(float(one), 4) for one in line] for who, line in lines.items()}
    return made


def apart(rows: list[dict], lines: dict) -> list[float]:
    """Twenty quantiles of |what remains of one learner - what remains of another|, on the same table."""
    made: list[float] = []
    for row in rows:
        facts = {name: facts_of([row], name, "f1") for name in row["actual"]}
        rest = [float(one[0, 3] - one[0, :3] @ lines[name][:3]) for name, one in facts.items() if len(one)]
        made += [abs(a - b) for k, a in enumerate(rest) for b in rest[:k]]
    return [round(float(q), 4) for q in np.quantile(made, np.arange(1, 21) / 20)]


def report(rows: list[dict], lines: dict) -> None:
    for title, use in (("twins", [0, 1, 0]), ("the atlas", [0, 0, 1]), ("by the lines", None)):
        errors, short, gain, inside, width = [], [], [], [], []
        for row in rows:
            told, came = {}, {}
            for name in row["actual"]:
                for fact in facts_of([row], name, "f1"):
                    *line, low, high, _ = lines[row["kind"]]["f1"][name]
                    told[name], came[name] = float(fact[:3] @ (use or line)), fact[3]
                    ends = np.clip((told[name] + low, told[name] + high), 0, 1)
                    inside.append(ends[0] <= came[name] <= ends[1])
                    width.append(ends[1] - ends[0])
            errors += [abs(told[name] - came[name]) for name in told]
            chosen = max(told, key=lambda name: told[name])
            short.append(max(came.values()) - came[chosen])
            gain.append(came[chosen] - came.get("pc", 0.0))
        print(f"{title:13} mean error of F1 {np.mean(errors):.3f}; short of the best {np.mean(short):.3f};")
        print(f"{'':13} over pc {np.mean(gain):+.3f}; inside {np.mean(inside):.3f}, {np.mean(width):.2f} wide")
    for name in ANY_COLUMNS | NUMBERS:
        best = [max(one["f1"] or 0.0 for one in row["actual"].values()) for row in rows if name in row["actual"]]
        own = [row["actual"][name]["f1"] or 0.0 for row in rows if name in row["actual"]]
        print(f"   always {name:15} short of the best {np.mean(np.array(best) - own):.3f} (n = {len(own)})")


def main() -> None:
    parser = argparse.ArgumentParser()
    parser.add_argument("--count", type=int, default=0)
    parser.add_argument("--fit", action="store_true")
    parser.add_argument("--rows", type=Path, default=Path("learn_calibration.jsonl"))
    options = parser.parse_args()
    warnings.simplefilter("ignore")
    rows = [json.loads(line) for line in options.rows.read_text().splitlines()] if options.rows.exists() else []
    done = {row["seed"] for row in rows}
    for seed in SYSTEMS:
        if len(rows) >= options.count:
            break
        row = try_one(seed) if seed not in done else None
        if row is not None:
            rows.append(row)
            with options.rows.open("a") as file:
                file.write(json.dumps(row) + "\n")
    half = fit(rows[::2])
    print("lines of one half on the other:")
    report(rows[1::2], half)
    if options.fit:
        (ROOT / "src/trueness/studies/learn/promises.json").write_text(json.dumps(fit(rows), indent=1) + "\n")


if __name__ == "__main__":
    main()
