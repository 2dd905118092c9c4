"""How a model is asked for a distribution: one file a mode. They are different things and are reported apart.

    qa             next-token probabilities of option letters, over orders of the options      (a belief)
    sample         K answers at a temperature, each read into a level                          (simulated individuals)
    story          K stories, each followed by a question about it                             (simulated individuals)
    likelihood     how likely each level is, on a scale of 22 steps                            (a stated probability)
    distribution   one JSON object with all shares                                             (a stated distribution)

A mode asks (`elicit`) and, apart from it, reads what came back (`read_answers`): stored replies are read again by a
better reader without a new call. A model that gives no log-probabilities is asked by rule in another way, and the
answer says so: qa -> sample, likelihood -> the same question answered in words.
"""

from trueness.studies.population.elicitation.forms import Elicited, Exchange, Form, Manner, Send
from trueness.studies.population.elicitation.modes import VARIANTS, elicit, most_calls, read_answers

__all__ = ["VARIANTS", "Elicited", "Exchange", "Form", "Manner", "Send", "elicit", "most_calls", "read_answers"]
