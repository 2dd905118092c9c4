"""Reasoning graphs: what an argument says it depends on, executed, intervened on, inverted."""

from trueness.reasoning.checks import (
    AnswerCheck,
    Component,
    GraphQuality,
    check_answer,
    executable_components,
    graph_quality,
    score_of,
)
from trueness.reasoning.damage import DAMAGES, Damaged, damage, damaged_copies
from trueness.reasoning.execute import (
    Execution,
    Inversion,
    NodeEffect,
    Program,
    execute,
    intervene,
    invert,
    invert_all,
    sensitivity,
)
from trueness.reasoning.graph import Finding, PlanStep, Problem, Quantity, ReasoningGraph, RuleEdge
from trueness.reasoning.problems import load_problems, read_problems
from trueness.reasoning.prompts import GRAPH_SCHEMA, extraction_prompt

__all__ = [
    "DAMAGES",
    "GRAPH_SCHEMA",
    "AnswerCheck",
    "Component",
    "Damaged",
    "Execution",
    "Finding",
    "GraphQuality",
    "Inversion",
    "NodeEffect",
    "PlanStep",
    "Problem",
    "Program",
    "Quantity",
    "ReasoningGraph",
    "RuleEdge",
    "check_answer",
    "damage",
    "damaged_copies",
    "execute",
    "executable_components",
    "extraction_prompt",
    "graph_quality",
    "intervene",
    "invert",
    "invert_all",
    "load_problems",
    "read_problems",
    "score_of",
    "sensitivity",
]
