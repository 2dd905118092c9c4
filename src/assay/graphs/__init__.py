"""Graphs with named nodes and end marks, their equivalence classes, formats and drawing."""

from assay.graphs.equivalence import ARROW, CIRCLE, NONE, TAIL
from assay.graphs.graph import Graph
from assay.graphs.marked import Direction, Edge, Kind

__all__ = ["ARROW", "CIRCLE", "NONE", "TAIL", "Direction", "Edge", "Graph", "Kind"]
