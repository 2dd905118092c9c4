"""The systems and corruptions that RC-GNN is developed on, and those that it is judged on: other kinds of systems.

                 developing                          claiming
    noise        Gaussian, Laplace                   uniform, exponential, Student-t
    relations    linear                              linear and nonlinear
    lags         1, 2                                1, 2, 3
    graphs       Erdos-Renyi, 1.2 edges a node       Erdos-Renyi and (rows) scale-free, .8 to 2 edges a node
    d, n         8 to 12, 600 to 1,000               6 to 30, 300 to 5,000
    corruptions  DEVELOPING                          CLAIMING; no mask is built from the graph

Every second system is a series, the others are rows without order. Fixed before the method was changed; `severe` came
to the developing corruptions later, before anything was run on the claiming systems. SECOND_CLAIM: the 40 kinds of the
FIRST_CLAIM with other graphs, effects and rows, to see whether it comes out again; RC-GNN is the same in both.
"""

import numpy as np

from trueness.datasets.corruptions import corruption
from trueness.datasets.series import VAR
from trueness.datasets.synthetic import Synthetic

DEVELOPING = ("clean", "noise 0.3", "mcar_30", "regimes", "compound_full_decoy", "severe")
CLAIMING = (
    "clean", "noise_0.5", "mcar_40", "mnar_self", "sensor_failure", "regimes", "moderate", "severe",
    "compound_full_decoy", "extreme_decoy",
)  # fmt: skip
FIRST_CLAIM, SECOND_CLAIM = range(40), range(80, 120)
COMPOUND = ("moderate", "severe", "compound_full_decoy", "extreme_decoy")


def developing(number):
    half = number // 2
    common = {
        "nodes": (8, 12)[half % 2], "rows": (1000, 600)[half // 2 % 2], "noise": ("laplace", "gaussian")[half % 2],
        "edges_per_node": 1.2, "graph_seed": 100 + number,
    }  # fmt: skip
    if number % 2:
        return Synthetic(**common)
    return VAR(lags=1 + half % 2, contemporaneous=(0.0, 0.4)[half // 2 % 2], **common)


def claiming(number):
    half = number % 40 // 2
    common = {
        "nodes": (6, 10, 15, 20, 30)[half % 5], "rows": (300, 600, 1000, 2000, 5000)[half * 3 % 5 - half // 5 % 5],
        "noise": ("uniform", "exponential", "student-t")[half % 3], "relation": ("linear", "nonlinear")[half % 2],
        "edges_per_node": (0.8, 1.5, 2.0)[(half + half // 3) % 3], "graph_seed": 500 + number,
    }  # fmt: skip
    if number % 2:
        return Synthetic(graph=("erdos-renyi", "scale-free")[half // 2 % 2], **common)
    return VAR(lags=1 + half // 2 % 3, contemporaneous=(0.0, 0.3)[half // 3 % 2], **common)


def units(made, numbers, corruptions, seeds):
    """(system number, corruption, seed, truth, Corrupted) of each unit."""
    for number in numbers:
        system = made(number)
        for name in corruptions:
            for seed in range(seeds):
                rng = np.random.default_rng([number, seed])
                yield number, name, seed, system.truth, corruption(name).of(system, seed=seed, rng=rng)
