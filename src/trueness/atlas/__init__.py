"""The atlas: what learners did on thousands of random systems, to say in a second what they will do on a table.

    y = mu(x) + s(x) e      mu(x) = m(x) + d(x),  m: the mean over learners, d: how far the learner is from it;
                            m, d, s: boosted trees, of each measure and (d, s) learner
                            x: features of the table (features.py)
    interval at a level     mu + s q,  q: quantiles of e on systems that mu and s were not fitted to (conformal;
                            Papadopoulos et al. 2002, Lei et al. 2018), of a run and of the mean over runs

SHD is a share of all d(d-1)/2 pairs. The systems are those of benchmarks/random_systems.py; atlas.npz is made by
benchmarks/atlas.py and atlas_fit.py. Beyond these kinds of systems nothing is promised: docs/atlas.md measures it.
"""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass
from functools import cache
from importlib import resources
from typing import Literal

import numpy as np
from numpy.typing import NDArray

from trueness.atlas.features import FEATURES, features_of
from trueness.datasets.table import Table

Array = NDArray[np.float64]
Target = Literal["run", "mean"]
ANY_COLUMNS: dict[str, tuple[str, dict[str, object]]] = {
    "pc": ("pc", {}),
    "pc (alpha .01)": ("pc", {"alpha": 0.01}),
    "pc (separating set)": ("pc", {"colliders": "separating set", "conflicts": "first"}),
    "fci": ("fci", {}),
    "ges": ("ges", {}),
    "ges (plain)": ("ges", {"search": "plain"}),
    "boss": ("boss", {}),
}
NUMBERS: dict[str, tuple[str, dict[str, object]]] = {
    "lingam": ("lingam", {}),
    "dagma": ("dagma", {}),
    "notears": ("notears", {}),
}
LEARNERS = ANY_COLUMNS | NUMBERS
ROWS = (*ANY_COLUMNS, "hill-climbing", *NUMBERS)  # of atlas.npz: hill climbing was a learner when it was made
MEASURES = ("f1", "precision", "recall", "shd")
TAUS = np.arange(1, 100) / 100
TARGETS: tuple[Target, ...] = ("run", "mean")
USUAL, TIE = "ges", 0.06  # it goes before one that is expected to be less than TIE better; docs/atlas.md


@dataclass(frozen=True)
class Place:
    """Of one table: centre and spread of every learner and measure, (learner, measure) each."""

    centre: Array
    spread: Array
    quantiles: Array  # (target, learner, measure, tau) of what remains
    beyond: tuple[str, ...]  # features outside what the systems had

    def expects(self, learner: str, measure: str = "f1") -> float:
        return float(np.clip(self.centre[_at(learner, measure)], 0.0, 1.0))

    def at(self, learner: str, measure: str, taus: Array | tuple[float, ...], target: Target = "run") -> Array:
        """Quantiles of the measure of one run, or of its mean over runs."""
        place = _at(learner, measure)
        rest = np.interp(np.asarray(taus), TAUS, self.quantiles[(TARGETS.index(target), *place)])
        return np.asarray(np.clip(self.centre[place] + self.spread[place] * rest, 0, 1))


def place_of(table: Table) -> Place:
    """Where a table lies in the atlas."""
    made, x = _file(), features_of(table)
    predicted, of_each = made["base"] + _sum_of_trees(made, x), len(ROWS) * len(MEASURES)
    middle, apart, spread = np.split(predicted, (len(MEASURES), len(MEASURES) + of_each))
    low, high = made["range"]
    beyond = tuple(name for name, out in zip(FEATURES, (x < low) | (x > high), strict=True) if out)
    centre, spread = middle + apart.reshape(len(ROWS), -1), spread.reshape(len(ROWS), -1)
    return Place(centre, np.maximum(spread, made["least"]), made["quantiles"].astype(np.float64), beyond)


def entry_of(base: str, settings: Mapping[str, object]) -> str | None:
    """The atlas's name for a learner with just these settings, whatever its solver; None where it has none."""
    wanted = (base, {key: value for key, value in settings.items() if key != "solver"})
    known = {
        name: (one, {key: v for key, v in fixed.items() if key != "solver"}) for name, (one, fixed) in LEARNERS.items()
    }
    return next((name for name, one in known.items() if one == wanted), None)


def standing(learner: str, f1: float) -> float:
    """What learners are ranked by: the F1 to expect, and TIE more for the usual one."""
    return f1 + TIE * (learner == USUAL)


def systems() -> int:
    """On how many the atlas rests."""
    return int(_file()["systems"])


def _at(learner: str, measure: str) -> tuple[int, int]:
    return ROWS.index(learner), MEASURES.index(measure)


def _sum_of_trees(made: Mapping[str, Array], x: Array) -> Array:
    """Sum of the leaves of all trees, by model: (models, trees, nodes) walked down at once."""
    models, trees, _ = made["feature"].shape
    one, two = np.ogrid[:models, :trees]
    node: NDArray[np.intp] = np.zeros((models, trees), dtype=np.intp)
    while True:
        feature = made["feature"][one, two, node]
        inner = feature >= 0
        if not inner.any():
            return np.asarray(made["value"][one, two, node].sum(axis=1, dtype=np.float64))
        left = x[np.maximum(feature, 0)] <= made["threshold"][one, two, node]
        step = np.where(left, made["left"][one, two, node], made["right"][one, two, node])
        node = np.where(inner, step, node)


@cache
def _file() -> dict[str, Array]:
    with (resources.files("trueness.atlas") / "atlas.npz").open("rb") as file:
        return dict(np.load(file, allow_pickle=False))
