"""Small populations made for the tests."""

from pathlib import Path

import numpy as np
import pandas as pd

from trueness.datasets.surveys import Microdata
from trueness.intervals import Distribution
from trueness.studies.population.answers import baseline_answers
from trueness.studies.population.elicitation import Answer
from trueness.studies.population.questions import Level, Question, TargetPopulation, Variable, bin_levels


def microdata(frame, name="people"):
    return Microdata(name, tuple(frame.columns), lambda columns: frame[list(columns)])


def levels(*names):
    return tuple(Level(name, (name,), (name,)) for name in names)


def question(**changes):
    """sex given age; age in two bins."""
    settings = {
        "name": "sex_by_age",
        "source": "made",
        "data": "people.csv",
        "outcome": Variable("sex", levels=levels("male", "female")),
        "given": (Variable("age", levels=bin_levels((18, 40)), bins=(18, 40), ordinal=True),),
        "prompt": "What is the sex of a person of {population} who is {} years old?",
        "population": TargetPopulation("adults", "Testland", "2020"),
        "least": 1,
    }
    return Question(**(settings | changes))


def people(n=2_000, seed=0, share=(0.3, 0.7)):
    """Rows with sex, age, a survey weight `w`, body mass in `weight`, and a cluster."""
    rng = np.random.default_rng(seed)
    age = rng.integers(18, 80, n)
    male = rng.random(n) < np.where(age < 40, *share)
    return pd.DataFrame(
        {
            "sex": np.where(male, "male", "female"),
            "age": age,
            "w": rng.gamma(2.0, 1.0, n) + 0.1,
            "weight": np.where(male, 85.0, 65.0) + rng.normal(0, 8, n),
            "cluster": rng.integers(0, 40, n),
        }
    )


def answers(truth, probs, draws=None):
    """One answer a condition; probs: (C, L)."""
    return {
        condition: Answer(Distribution(truth.levels, tuple(row / row.sum()), draws))
        for condition, row in zip(truth.conditions, np.asarray(probs, dtype=float), strict=True)
    }


def reference_answers(truth, name):
    """What a baseline answers, or `oracle`: the truth itself."""
    if name == "oracle":
        return answers(truth, truth.probs)
    return baseline_answers(f"baseline/{name}", truth, 128, np.random.default_rng(0))


def task_file(tmp_path, text, frame=None, name="tasks.toml"):
    (people() if frame is None else frame).to_csv(Path(tmp_path) / "people.csv", index=False)
    path = Path(tmp_path) / name
    path.write_text(text, encoding="utf-8")
    return path
