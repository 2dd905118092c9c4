"""Prefix reuse on the embedded model: prompt tokens evaluated over the 72 questions of the quickstart.

Six data sets x four learners x three formulations, in the order of the study. Without reuse a prompt is evaluated
whole, which is a count; that it is so is checked, and timed, on every twelfth question.
"""

import json
import statistics
import sys

import harness

from trueness.datasets import load
from trueness.learners import build as learner
from trueness.models import Settings, build
from trueness.studies.forecast.prompting import messages

DATASETS = {"asia": 10_000, "sachs": 853, "cancer": 5_000, "child": 5_000, "synthetic-12": 1_000, "synthetic-30": 1_000}
LEARNERS = ("pc", "lingam", "fci", "notears")
FORMULATIONS = ("direct", "steps", "interval")
ARMS = {"names": "named", "metadata": "full", "definition": "told", "target": "run"}
TARGET = 3.0
QUESTIONS = Settings(max_tokens=1, temperature=0.1, seed=0)  # one token: only the prompt is measured


def questions():
    """The prompts in the order in which a study asks them."""
    cards = {name: load(name) for name in DATASETS}
    learners = [learner(name) for name in LEARNERS]
    return [
        messages({"formulation": formulation, **ARMS}, cards[name], one, rows, "redraw", 100, structured=True)
        for formulation in FORMULATIONS
        for name, rows in DATASETS.items()
        for one in learners
    ]


def main():
    options = harness.options(__doc__, quick=True)
    asked = questions()[:: 6 if options.quick else 1]
    reusing, whole = build("embedded/smollm2"), build("embedded/smollm2", {"reuse": False})
    reusing.ask(asked[-1][:1], QUESTIONS)  # the weights are loaded before the clock starts
    replies = [reusing.ask(question, QUESTIONS) for question in asked]
    sample = [whole.ask(question, QUESTIONS) for question in asked[:: 4 if options.quick else 12]]
    assert all(not reply.cached_tokens for reply in sample)

    tokens = sum(reply.input_tokens for reply in replies)
    evaluated = sum(reply.input_tokens - (reply.cached_tokens or 0) for reply in replies)
    result = {
        "benchmark": "models",
        "calls": len(replies),
        "prompt_tokens": tokens,
        "evaluated_with_reuse": evaluated,
        "fewer": tokens / evaluated,
        "target": TARGET,
        "seconds_a_call_with_reuse": statistics.mean(reply.seconds for reply in replies),
        "seconds_a_call_without": statistics.mean(reply.seconds for reply in sample),
        "pass": tokens / evaluated >= TARGET,
    }
    print(json.dumps(result) if options.json else _table(result))
    sys.exit(not result["pass"])


def _table(result):
    return (
        f"models\n  prompt tokens over {result['calls']} questions  {result['prompt_tokens']:,}; evaluated with reuse "
        f"{result['evaluated_with_reuse']:,}: {result['fewer']:.1f} x fewer (target {result['target']:g} x)  "
        f"{'pass' if result['pass'] else 'SHORT'}\n"
        f"  prompt of a question  {result['seconds_a_call_with_reuse']:.2f} s with reuse, "
        f"{result['seconds_a_call_without']:.2f} s without"
    )


if __name__ == "__main__":
    main()
