"""Tree: the tree that joins all columns by their strongest dependences. A learner of your own, complete.

Edges of the maximum spanning tree over |r| (Chow & Liu 1968, with correlation for mutual information);
a tree has no direction that data could tell, unless columns collide, so all its edges are undirected.
"""

from dataclasses import dataclass
from typing import ClassVar

import networkx as nx
import numpy as np

from trueness import Card, Graph
from trueness.extend import checked


@dataclass(frozen=True)
class Tree:
    """Settings are fields; `weakest` leaves out edges below it."""

    weakest: float = 0.0

    card: ClassVar[Card] = Card(
        title="Spanning tree",
        summary="Joins all columns in the tree of their strongest correlations.",
        returns="cpdag",
        data={"continuous"},
        assumes=("linear relations", "the true graph is a tree"),
        paper="after Chow & Liu 1968",
        recovers="adjacencies",
    )

    def fit(self, data, rng=None):
        table = checked(data, self)
        strength = np.abs(np.corrcoef(table.values.T))
        tree = nx.maximum_spanning_tree(nx.from_numpy_array(strength))
        kept = [(i, j) for i, j in tree.edges if i != j and strength[i, j] >= self.weakest]
        edges = [f"{table.names[i]} -- {table.names[j]}" for i, j in kept]
        return Graph.from_edges(edges, table.names, "cpdag")
