"""Which way is better: one table for every measure that stands in the long table of a study (scores.csv).

    direction("tv")                  lower
    direction("f1@oracle_k")         as f1: behind @ is how K was chosen
    direction("coverage_runs_50")    as coverage_runs: behind the last _ is the level of a claim
    direction("change")              None: 1 is best, neither more nor less

No direction is guessed from words in a name: `tv` has none and is a distance. Whoever compares, ranks, or writes
"better" asks here. A measure that is not in the table has no direction, and two values of it are higher and lower.
"""

from __future__ import annotations

import re
from typing import Literal

Better = Literal["higher", "lower"]

_GRAPHS = "precision recall f1 auprc auroc"  # of graphs and rankings; also with a part in front, skeleton_f1
_FORECAST = "interval_score wis pinball crps"  # losses
_HIGHER = (
    *(f"{part}{name}" for part in ("", "dag_", "skeleton_", "arrowhead_") for name in _GRAPHS.split()),
    "covers_mean", "coverage_runs", "calibrated_coverage", "hit",
    *(f"{name}_{truth}" for name in ("overlaps", "covers", "iou", "fraction") for truth in ("mean_ci", "runs")),
    "score", "score_raw", "score_w1", "score_original", "direction",
    "cf", "causal_intervention", "abductive_reasoning", "logic_quality", "graph_quality", "follows",
)  # fmt: skip
_LOWER = (
    "shd", "dag_shd", "shd_normalised", "shd_reversals_twice", "parent_aid", "ancestor_aid", "oset_aid", "sid",
    *_FORECAST.split(), *(f"{name}_scaled" for name in _FORECAST.split()),
    "tv", "js", "w1", "d2",
)  # fmt: skip
_NEITHER = (  # 0, 1 or the truth's own width is best
    "width", "width_scaled", "bias", "bias_scaled", "pit", "change", "calibration_slope",
    *(f"{name}_{truth}" for name in ("inside", "calibration", "log_width_ratio") for truth in ("mean_ci", "runs")),
)  # fmt: skip
_DIRECTIONS: dict[str, Better | None] = {
    **dict.fromkeys(_HIGHER, "higher"),
    **dict.fromkeys(_LOWER, "lower"),
    **dict.fromkeys(_NEITHER, None),
}
_LEVEL = re.compile(r"_\d+(\.\d+)?$")


def direction(measure: str) -> Better | None:
    """Which way is better; None where neither is, and for a measure that is none of ours."""
    return "higher" if measure.startswith("skill_") else _DIRECTIONS.get(_plain(measure))


def is_of_a_study(measure: str) -> bool:
    """Whether the table knows it."""
    return measure.startswith("skill_") or _plain(measure) in _DIRECTIONS


def _plain(measure: str) -> str:
    name = measure.partition("@")[0]
    return name if name in _DIRECTIONS else _LEVEL.sub("", name)
