"""Asking a model for the graph of its reasoning: the prompt, and the JSON schema for structured output."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any

EXTRACTION_PROMPT = """\
Read the problem and the reasoning, and write down the reasoning as a causal graph.

Problem:
{problem}

Reasoning:
{reasoning}

Answer with one JSON object and nothing else:
{{"target_variable": "the quantity that is asked for",
 "knowns": {{"name": value as a number, ...}},
 "units": {{"name": "unit", ...}},
 "causal_graph": [{{"cause": ["name", ...], "effect": "name", "rule": "how the effect follows",
   "formula": "effect = formula of the causes"}}, ...],
 "computation_plan": [{{"id": "step1", "target": "name", "inputs": ["name", ...], "description": "..."}}, ...]}}

Rules:
- Use the same name for a quantity everywhere. Names are letters, digits and underscores.
- `knowns` holds only what the problem states. Every other quantity is the effect of exactly one edge.
- A rule is one sentence; its formula, over the names of the causes, says the same with + - * / ^ ( ) and sqrt, exp, ln,
  log10, sin, cos, tan, abs, min, max, round, floor, ceil, sum, mean. Where there is no formula it is "".
- Write down the reasoning as it is, also where you think that it is wrong.
"""

_TEXT = {"type": "string"}
_NAMES = {"type": "array", "items": _TEXT}

GRAPH_SCHEMA: Mapping[str, Any] = {
    "type": "object",
    "properties": {
        "target_variable": _TEXT,
        "knowns": {
            "type": "array",
            "items": {
                "type": "object",
                "properties": {"name": _TEXT, "value": {"type": ["number", "string"]}, "unit": _TEXT},
                "required": ["name", "value", "unit"],
                "additionalProperties": False,
            },
        },
        "causal_graph": {
            "type": "array",
            "items": {
                "type": "object",
                "properties": {"cause": _NAMES, "effect": _TEXT, "rule": _TEXT, "formula": _TEXT},
                "required": ["cause", "effect", "rule", "formula"],
                "additionalProperties": False,
            },
        },
        "computation_plan": {
            "type": "array",
            "items": {
                "type": "object",
                "properties": {"id": _TEXT, "target": _TEXT, "inputs": _NAMES, "description": _TEXT},
                "required": ["id", "target", "inputs", "description"],
                "additionalProperties": False,
            },
        },
    },
    "required": ["target_variable", "knowns", "causal_graph", "computation_plan"],
    "additionalProperties": False,
}


def extraction_prompt(problem: str, reasoning: str) -> str:
    """The question whose answer `read_reasoning` reads."""
    return EXTRACTION_PROMPT.format(problem=problem.strip(), reasoning=reasoning.strip() or "(none was written down)")
