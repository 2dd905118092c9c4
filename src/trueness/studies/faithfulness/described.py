"""An evaluation in lines, for `verbose=True`: cf with its band, each component, each node with what was found."""

from __future__ import annotations

from collections.abc import Iterable

from trueness.printing import say
from trueness.studies.faithfulness.nodes import NodeScore
from trueness.studies.faithfulness.scores import Evaluation

_NODES = {"causal_intervention": "intervention", "abductive_reasoning": "abduction"}


def tell(lines: Iterable[str]) -> None:
    for line in lines:
        say(line)


def lines_of(evaluation: Evaluation) -> list[str]:
    """One line for cf, one per component, one per node."""
    low, high = evaluation.bounds
    band = f", {evaluation.band}" if evaluation.band else ""
    lines = [f"{evaluation.problem}: cf {_number(evaluation.cf)}{band} (between {low:.3f} and {high:.3f})"]
    return lines + [line for name in evaluation.components for line in component_lines(evaluation, name)]


def component_lines(evaluation: Evaluation, name: str) -> list[str]:
    part = evaluation.components[name]
    source = f" by {part.source}" if part.source else ""
    why = f": {part.message}" if part.message else ""
    nodes = evaluation.nodes.get(_NODES.get(name, ""), ())
    return [f"  {name} {_number(part.value)} (n = {part.n}{source}){why}", *map(_node_line, nodes)]


def _node_line(node: NodeScore) -> str:
    finding = node.report.get("intervention_effect") or node.report.get("reasoning") or node.message
    return f"    {node.node} {_number(node.value)}: {finding or node.status}"


def _number(value: float | None) -> str:
    return "no value" if value is None else f"{value:.3f}"
