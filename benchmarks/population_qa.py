"""qa with 24 orders of four options on the embedded model: prompt tokens evaluated against asking each order afresh.

Every order is a whole prompt of its own. Without reuse all of it is evaluated, which is a count; that it is so is
checked, and timed, on every eighth order.
"""

import json
import statistics
import sys

import harness
import numpy as np

from trueness.models import Message, build
from trueness.studies.population.elicitation import Form, Manner
from trueness.studies.population.modes import orders, qa_messages
from trueness.studies.population.questions import builtin_question
from trueness.studies.population.truth import truth_of

TASK = "gss_party_by_race"
TARGET = 5.0
MANNER = Manner(permutations=24)


def main():
    options = harness.options(__doc__, quick=True)
    truth = truth_of(builtin_question(TASK), np.random.default_rng(0), draws=10)
    forms = [Form.of(truth.question, condition) for condition in truth.conditions[: 1 if options.quick else None]]
    asked = [qa_messages(form, order) for form in forms for order in orders(4, 24, np.random.default_rng(0))]
    reusing, whole = build("embedded/smollm2"), build("embedded/smollm2", {"reuse": False})
    reusing.ask([Message("user", "Hello.")], MANNER.letter_settings())  # loads the weights; the question is not known
    replies = [reusing.ask(question, MANNER.letter_settings()) for question in asked]
    sample = [whole.ask(question, MANNER.letter_settings()) for question in asked[:: 12 if options.quick else 8]]
    assert all(not reply.cached_tokens for reply in sample)

    tokens = sum(reply.input_tokens for reply in replies)
    evaluated = sum(reply.input_tokens - (reply.cached_tokens or 0) for reply in replies)
    result = {
        "benchmark": "population_qa",
        "task": TASK,
        "conditions": len(forms),
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
    return 0 if result["pass"] else 1


def _table(result):
    return (
        f"orders asked                 {result['calls']:>8} ({result['conditions']} conditions of {result['task']})\n"
        f"prompt tokens                {result['prompt_tokens']:>8}\n"
        f"evaluated, with reuse        {result['evaluated_with_reuse']:>8}\n"
        f"fewer by                     {result['fewer']:>8.1f}  (at least {result['target']:g})\n"
        f"seconds a call               {result['seconds_a_call_with_reuse']:>8.2f}  "
        f"(without {result['seconds_a_call_without']:.2f})"
    )


if __name__ == "__main__":
    sys.exit(main())
