"""Reasoning graphs: what an argument says it depends on, executed, intervened on, inverted."""

from assay.reasoning.checks import (
    AnswerCheck,
    Component,
    check_answer,
    executable_components,
    executable_score,
    score_of,
)
from assay.reasoning.damage import DAMAGES, Damaged, damage, damaged_copies
from assay.reasoning.execute import Execution, NodeEffect, Program, execute, intervene, sensitivity
from assay.reasoning.graph import Finding, PlanStep, Problem, Quantity, ReasoningGraph, RuleEdge
from assay.reasoning.invert import Inversion, invert, invert_all
from assay.reasoning.problems import load_problems, read_problems
from assay.reasoning.prompts import GRAPH_SCHEMA, extraction_prompt
from assay.reasoning.quality import GraphQuality, graph_quality

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
    "executable_score",
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
