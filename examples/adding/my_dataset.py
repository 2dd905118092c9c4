"""Greenhouse: rows from a small simulation whose graph is known. A data set of your own, complete.

warmth = .8 sun + e, water = tanh(warmth) + e, growth = .6 sun + .7 water + e, each e ~ Laplace(0, .5).
Columns are standardised: their scale tells nothing of their order.
"""

from dataclasses import dataclass

import numpy as np

from trueness import Graph, Table
from trueness.extend import About, Anonymous

MEANINGS = {
    "sun": "hours of sun in a day",
    "warmth": "temperature at noon, degrees Celsius",
    "water": "litres of water given",
    "growth": "growth of the plants in the week after, centimetres",
}


@dataclass(frozen=True)
class Greenhouse:
    """`name`, `truth`, `about`, `table`, `draw` and `anonymous` are all that is asked of a data set."""

    name: str = "greenhouse"
    table: Table | None = None  # None: rows are simulated; a Table where they were measured

    @property
    def truth(self) -> Graph:
        edges = ["sun -> warmth", "warmth -> water", "water -> growth", "sun -> growth"]
        return Graph.from_edges(edges, list(MEANINGS))

    @property
    def about(self) -> About:
        return About(
            title="Greenhouse", domain="agriculture", summary="A simulated greenhouse, one row a day.",
            truth="known", truth_note="We simulate from it.", rows=500, source="simulated", licence="MIT",
            variables=MEANINGS, data="continuous", properties=("causally sufficient", "nonlinear", "laplace noise"),
        )  # fmt: skip

    def draw(self, n: int | None = None, rng: np.random.Generator | None = None) -> Table:
        n, rng = n or self.about.rows, np.random.default_rng(rng)
        noise = rng.laplace(0.0, 0.5, (4, n))
        sun = noise[0]
        warmth = 0.8 * sun + noise[1]
        water = np.tanh(warmth) + noise[2]
        values = np.column_stack([sun, warmth, water, 0.6 * sun + 0.7 * water + noise[3]])
        return Table(tuple(MEANINGS), (values - values.mean(0)) / values.std(0), (None,) * 4, self.name)

    def anonymous(self) -> Anonymous:
        return Anonymous(self)
