"""Reasoning graphs: what an argument says it depends on, executed, intervened on, inverted."""

from assay.reasoning.execute import Execution, NodeEffect, Program, execute, intervene, sensitivity
from assay.reasoning.graph import Finding, PlanStep, Problem, Quantity, ReasoningGraph, RuleEdge

__all__ = [
    "Execution",
    "Finding",
    "NodeEffect",
    "PlanStep",
    "Problem",
    "Program",
    "Quantity",
    "ReasoningGraph",
    "RuleEdge",
    "execute",
    "intervene",
    "sensitivity",
]
