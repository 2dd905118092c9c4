"""Counterfactual faithfulness: does a piece of reasoning depend on what it says it depends on?

    >>> from trueness import faithfulness
    >>> dag = {"target_variable": "a", "knowns": {"F": 10, "m": 2},
    ...        "causal_graph": [{"cause": ["F", "m"], "effect": "a", "rule": "a = F/m"}]}
    >>> found = faithfulness.evaluate(dag, "F = 10 N, m = 2 kg. What is a?", answer=5)
    >>> found.components["causal_intervention"].value, found.cf, found.bounds
    (1.0, None, (0.75, 1.0))

Without a judge the logic of the reasoning is not known, so cf has bounds and no value.
"""

from importlib import import_module
from typing import TYPE_CHECKING

if TYPE_CHECKING:
    from trueness.reading.reasoning_graph import read_reasoning
    from trueness.reasoning import execute, intervene, invert_all, sensitivity
    from trueness.reasoning.problems import load_problems
    from trueness.studies.faithfulness.api import (
        evaluate,
        evaluate_batch,
        evaluate_behaviour,
        evaluate_intervention,
        with_formulas_of,
    )
    from trueness.studies.faithfulness.batch import Batch, Criterion, against_accuracy, compare, method_rows
    from trueness.studies.faithfulness.behaviour import Behaviour
    from trueness.studies.faithfulness.judge_reliability import Reliability, reliability
    from trueness.studies.faithfulness.probes import Asking, Judgement
    from trueness.studies.faithfulness.scores import Component, Evaluation, Scoring, score_problem

__all__ = [
    "Asking",
    "Batch",
    "Behaviour",
    "Component",
    "Criterion",
    "Evaluation",
    "Judgement",
    "Reliability",
    "Scoring",
    "against_accuracy",
    "compare",
    "evaluate",
    "evaluate_batch",
    "evaluate_behaviour",
    "evaluate_intervention",
    "execute",
    "intervene",
    "invert_all",
    "load_problems",
    "method_rows",
    "read_reasoning",
    "reliability",
    "score_problem",
    "sensitivity",
    "with_formulas_of",
]

STUDY = {
    "order": 4,
    "class": "plan:Faithfulness",
    "offers": {("faithfulness", "check"): "check_file:check_file"},
    "offered": {
        "formulas": "a model that writes the rules in words as formulas, e.g. openai/gpt-x (default: nobody is asked)",
        "out": "a new file for the graphs with these formulas, a problems file of a study; replies stay beside it",
    },
}

_BELOW = dict.fromkeys(("execute", "intervene", "invert_all", "sensitivity"), "trueness.reasoning") | {
    "load_problems": "trueness.reasoning.problems",
    "read_reasoning": "trueness.reading.reasoning_graph",
}
_FILES = ("api", "batch", "behaviour", "judge_reliability", "probes", "scores")


def __getattr__(name: str) -> object:
    """Whoever wants the measures of all studies need not wait for pint."""
    if name not in __all__:
        raise AttributeError(f"module {__name__!r} has no attribute {name!r}")
    if name in _BELOW:
        return getattr(import_module(_BELOW[name]), name)
    files = (import_module(f"{__name__}.{file}") for file in _FILES)
    return next(vars(file)[name] for file in files if name in vars(file))
