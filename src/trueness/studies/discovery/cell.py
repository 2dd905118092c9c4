"""The discovery part of a page: its runs, and the graphs that learners found in them."""

from __future__ import annotations

from trueness.outside import Json
from trueness.studies.item_graphs import graph_of, name_of
from trueness.studies.protocol import CellKey, PagePlace
from trueness.studies.run_findings import LEARNERS
from trueness.studies.run_page import RunsPart


class DiscoveryPart(RunsPart):
    words = LEARNERS

    def __init__(self, place: PagePlace):
        super().__init__(place)
        self._folder = place.folder

    def _graph_name(self, key: CellKey) -> str:
        return name_of(*key[1:])

    def graph(self, item: str) -> dict[str, Json] | None:
        return graph_of(self._folder, self._task, item)
