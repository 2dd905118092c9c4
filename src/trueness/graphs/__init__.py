"""Graphs with named nodes and end marks, their equivalence classes, formats and drawing."""

from trueness.graphs.equivalence import ARROW, CIRCLE, NONE, TAIL
from trueness.graphs.graph import Graph
from trueness.graphs.marked import Direction, Edge, Kind

__all__ = ["ARROW", "CIRCLE", "NONE", "TAIL", "Direction", "Edge", "Graph", "Kind"]
