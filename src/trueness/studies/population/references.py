"""Baselines of a population study: they answer the question itself, and are not asked.

baseline/uniform    1/L for every level: the score's 0
baseline/marginal   P(V1) whatever the condition: base rates without dependence, skill 0 against the marginal
baseline/perfect    K draws from the truth: what a respondent that knew everything would get, the ceiling
"""

from __future__ import annotations

import numpy as np

from trueness.errors import DataError, listed
from trueness.intervals import Distribution
from trueness.studies.population.elicitation.forms import Answer
from trueness.studies.population.truth import Array, PopulationTruth

REFERENCES = ("baseline/uniform", "baseline/marginal", "baseline/perfect")


def baseline_answers(name: str, truth: PopulationTruth, draws: int, rng: np.random.Generator) -> dict[str, Answer]:
    """Condition -> what the baseline answers."""
    if name == "baseline/perfect":
        return perfect_answers(truth, draws, rng)
    return reference_answers(truth, name.removeprefix("baseline/"))


def perfect_answers(truth: PopulationTruth, draws: int, rng: np.random.Generator) -> dict[str, Answer]:
    counts = rng.multinomial(draws, truth.probs)
    return {
        condition: Answer(Distribution(truth.levels, tuple((row / draws).tolist()), draws))
        for condition, row in zip(truth.conditions, counts, strict=True)
    }


def reference_answers(truth: PopulationTruth, name: str) -> dict[str, Answer]:
    """What `uniform`, `marginal` and `oracle` (the truth itself) would answer: claims, without draws."""
    rows: dict[str, Array] = {
        "uniform": np.full_like(truth.probs, 1 / len(truth.levels)),
        "marginal": np.broadcast_to(truth.marginal, truth.probs.shape),
        "oracle": truth.probs,
    }
    if name not in rows:
        raise DataError(f"a reference of a population study must be one of {listed(rows)}, got {name!r}.")
    return {
        condition: Answer(Distribution(truth.levels, tuple((row / row.sum()).tolist())))
        for condition, row in zip(truth.conditions, rows[name], strict=True)
    }
