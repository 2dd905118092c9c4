"""Truths and claims by hand for the tests of scores and references."""

import numpy as np
import pandas as pd

from trueness.studies.forecast.frames import CLAIM_COLUMNS, Truth, with_intervals


def bare(runs, measure="f1", dataset="asia", learner="pc", upper=None, resolution=None):
    """Without any interval, which takes a bootstrap."""
    values = np.asarray(runs, dtype=float)
    count = measure == "shd"
    return Truth(
        dataset, learner, measure, values, len(values), None, None,
        resolution or (1.0 if count else 1 / 8), upper or (28.0 if count else 1.0),
    )  # fmt: skip


def truth(runs, *arguments, **named):
    """With the interval of the mean and the range of the runs."""
    (found,) = with_intervals(truths(bare(runs, *arguments, **named)), rng=np.random.default_rng(0)).values()
    return found


def truths(*made):
    return {(t.dataset, t.learner, t.measure): t for t in made}


def claim(low=np.nan, high=np.nan, level=0.95, median=np.nan, status="ok", **other):
    return {
        "dataset": "asia", "learner": "pc", "measure": "f1", "formulation": "direct", "names": "named",
        "metadata": "full", "definition": "told", "target": "run", "respondent": "a/model", "repeat": 0,
        "level": level, "low": low, "high": high, "median": median, "status": status, "flags": "", **other,
    }  # fmt: skip


def claims(*rows):
    return pd.DataFrame(list(rows), columns=list(CLAIM_COLUMNS))
