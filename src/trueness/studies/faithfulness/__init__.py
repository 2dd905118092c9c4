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
    from trueness.reasoning.problems import load_problems
    from trueness.studies.faithfulness.accuracy import Criterion, against_accuracy, method_rows
    from trueness.studies.faithfulness.api import (
        evaluate,
        evaluate_batch,
        evaluate_behaviour,
        evaluate_counterfactual,
        evaluate_intervention,
        with_formulas_of,
    )
    from trueness.studies.faithfulness.batch import Batch, compare
    from trueness.studies.faithfulness.behaviour import Behaviour
    from trueness.studies.faithfulness.counterfactual import Following
    from trueness.studies.faithfulness.human_labels import read_labels
    from trueness.studies.faithfulness.judge_reliability import Reliability, reliability
    from trueness.studies.faithfulness.judging import Asking, Judgement
    from trueness.studies.faithfulness.scores import Component, Evaluation, Scoring, score_problem

__all__ = [
    "Asking",
    "Batch",
    "Behaviour",
    "Component",
    "Criterion",
    "Evaluation",
    "Following",
    "Judgement",
    "Reliability",
    "Scoring",
    "against_accuracy",
    "compare",
    "evaluate",
    "evaluate_batch",
    "evaluate_behaviour",
    "evaluate_counterfactual",
    "evaluate_intervention",
    "load_problems",
    "method_rows",
    "read_labels",
    "reliability",
    "score_problem",
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

_ROOMS = {  # where each name lies: whoever wants the measures of all studies need not wait for sympy and pint
    "accuracy": ("Criterion", "against_accuracy", "method_rows"),
    "api": (
        "evaluate",
        "evaluate_batch",
        "evaluate_behaviour",
        "evaluate_counterfactual",
        "evaluate_intervention",
        "with_formulas_of",
    ),
    "batch": ("Batch", "compare"),
    "behaviour": ("Behaviour",),
    "counterfactual": ("Following",),
    "human_labels": ("read_labels",),
    "judging": ("Asking", "Judgement"),
    "judge_reliability": ("Reliability", "reliability"),
    "scores": ("Component", "Evaluation", "Scoring", "score_problem"),
}
_PLACES = {name: f"{__name__}.{room}" for room, names in _ROOMS.items() for name in names}
_PLACES["load_problems"] = "trueness.reasoning.problems"


def __getattr__(name: str) -> object:
    if name not in _PLACES:
        raise AttributeError(f"module {__name__!r} has no attribute {name!r}")
    return getattr(import_module(_PLACES[name]), name)
