"""The atlas: what learners do on random systems whose graphs are known, and what a table of each looks like.

    python benchmarks/atlas.py [--count 3500] [--from 46000] --rows FILE [--part 0/2]     goes on where it stopped

A row is a system: its settings, the features of its first table, and each learner's scores on every draw (None: the
run failed). Draws: more where they are cheap, at least 2, at most 10. `atlas_fit.py` makes the file of the package.
"""

from __future__ import annotations

import argparse
import dataclasses
import json
import warnings
from pathlib import Path
from typing import Any

import numpy as np
from network_parts import PARTS, Part, part_of
from random_systems import System, atlas_system

from trueness.atlas import LEARNERS, MEASURES
from trueness.atlas.features import features_of
from trueness.datasets.table import Table
from trueness.errors import TruenessError
from trueness.graphs import Graph
from trueness.learners import Learner, build, handles_gaps
from trueness.measures.graphs import Reference

FIRST_SEED = 40_000
RUNS = 10  # of a system, at most


def draws_of(system: System | Part) -> int:
    cost = (system.nodes / 8) ** 1.5 * (system.rows / 500) ** 0.5 * (5 if system.gaps else 1)
    return int(np.clip(20 / cost, 2, RUNS))


def try_one(seed: int) -> dict[str, Any]:
    system = part_of(seed) if seed in PARTS else atlas_system(seed)
    reference, pairs = Reference(system.truth), system.nodes * (system.nodes - 1) / 2
    row: dict[str, Any] = dataclasses.asdict(system) | {"nodes": system.nodes, "scores": {}, "fits": 0}
    for k in range(draws_of(system)):
        rng = np.random.default_rng([seed, 5, k])
        table = system.draw(system.rows, rng)
        if not k:
            row["features"] = [round(float(one), 5) for one in features_of(table)]
        for name, (base, settings) in LEARNERS.items():
            learner = build(base, settings)
            if learner.card.takes(table) and (handles_gaps(learner) or not table.has_gaps):
                graph = _fitted(learner, table, rng)
                row["scores"].setdefault(name, []).append(graph and _scores(graph, reference, pairs))
                row["fits"] += 1
    return row


def _fitted(learner: Learner, table: Table, rng: np.random.Generator) -> Graph | None:
    try:
        return learner.fit(table, rng)
    except TruenessError:  # a column that does not vary in this draw, categories with gaps
        return None


def _scores(graph: Graph, reference: Reference, pairs: float) -> list[float | None]:
    """By MEASURES; SHD as a share of all pairs."""
    made = reference.score(graph, MEASURES)
    values = [made[name].value for name in MEASURES]
    return [
        None if v is None else round(v / (pairs if name == "shd" else 1), 4)
        for name, v in zip(MEASURES, values, strict=True)
    ]


def read(paths: list[Path]) -> list[dict[str, Any]]:
    return [json.loads(line) for path in paths if path.exists() for line in path.read_text().splitlines()]


def main() -> None:
    parser = argparse.ArgumentParser()
    parser.add_argument("--count", type=int, default=3500)
    parser.add_argument(
        "--from", dest="first", type=int, default=FIRST_SEED, help="46000: the additive kind; 50000: parts of networks"
    )
    parser.add_argument("--rows", type=Path, default=Path("atlas.jsonl"))
    parser.add_argument("--part", default="0/1", help="of the seeds, for a process beside others, each with its --rows")
    parser.add_argument(
        "--skip", type=int, nargs="*", default=[], help="seeds whose fits do not end in a sensible time"
    )
    options = parser.parse_args()
    warnings.simplefilter("ignore")
    done = {row["seed"] for row in read([options.rows])} | set(options.skip)
    part, parts = map(int, options.part.split("/"))
    with options.rows.open("a") as file:
        for seed in range(options.first + part, options.first + options.count, parts):
            if seed not in done:
                file.write(json.dumps(try_one(seed)) + "\n")
                file.flush()


if __name__ == "__main__":
    main()
