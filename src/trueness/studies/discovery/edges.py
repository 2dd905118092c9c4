"""Edges of data sets whose graph nobody knows: how often each learner found them, which is all there is to say.

    frequency = runs with the edge / runs that gave a graph, with Wilson's interval

Of each pair the marks that were found most often. It is no probability that an edge is true.
"""

from __future__ import annotations

from collections.abc import Iterator
from typing import NamedTuple

from trueness.running.results import Results
from trueness.statistics.proportions import wilson
from trueness.studies.item_graphs import count_edges

OFTEN = 0.5  # of the graphs: what the terminal shows


class FoundEdge(NamedTuple):
    dataset: str
    learner: str
    source: str
    marks: str
    target: str
    times: int
    graphs: int
    frequency: float
    low: float
    high: float

    def __str__(self) -> str:
        share = f"{100 * self.frequency:.0f} % [{100 * self.low:.0f}, {100 * self.high:.0f}]"
        return f"{self.source} {self.marks} {self.target}  {share}"


def found_edges(results: Results) -> Iterator[FoundEdge]:
    """Of all cells without a truth, most frequent first within a cell."""
    for place, cell in enumerate(results.cells):
        if results.abouts[place].get("truth") != "none":
            continue
        counted = count_edges(results.answers_at(place))
        for source, marks, target, times in counted.edges:
            share = wilson(times, counted.graphs, results.level)
            edge = (source, marks, target, times, counted.graphs, times / counted.graphs)
            yield FoundEdge(cell.item, cell.respondent, *edge, share.low, share.high)
