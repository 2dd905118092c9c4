"""Small studies written by hand: every claim and every run is in the test that uses them."""

import numpy as np
import pandas as pd

from trueness.studies.forecast.frames import ARMS, CLAIM_COLUMNS, REPLY_COLUMNS, Forecasts, Truth, with_intervals
from trueness.studies.forecast.scores import score_claims

ARM = {"formulation": "direct", "names": "named", "metadata": "full", "definition": "told", "target": "run"}
CARDS = {
    "pc": {"title": "PC", "assumes": ["causal sufficiency", "faithfulness", "acyclicity"]},
    "fci": {"title": "FCI", "assumes": ["faithfulness", "acyclicity"]},
    "lingam": {"title": "DirectLiNGAM", "assumes": ["linear relations", "non-Gaussian noise", "causal sufficiency"]},
    "notears": {"title": "NOTEARS", "assumes": ["linear relations", "equal noise variances or informative scale"]},
}


def claim(dataset="asia", learner="pc", measure="f1", low=0.2, high=0.8, respondent="m", repeat=0, **more):
    """One claim at .95; without ends it is unreadable."""
    ends = {"low": low, "high": high, "median": np.nan}
    ends["status"] = "ok" if low is not None else "unreadable"
    return {
        "dataset": dataset, "learner": learner, "measure": measure, **ARM, "respondent": respondent, "repeat": repeat,
        "level": 0.95, "flags": "", **ends, **more,
    }  # fmt: skip


def reply(text, dataset="asia", learner="pc", respondent="m", repeat=0, prompt="", **more):
    row = dict.fromkeys(REPLY_COLUMNS) | ARM
    return row | {
        "dataset": dataset, "learner": learner, "respondent": respondent, "repeat": repeat, "status": "ok",
        "text": text, "prompt": prompt, **more,
    }  # fmt: skip


def truth(runs, dataset="asia", learner="pc", measure="f1", planned=None, upper=None):
    runs = np.asarray(runs, dtype=float)
    upper = upper or (28.0 if measure == "shd" else 1.0)
    step = 1.0 if measure == "shd" else 1 / 8
    return Truth(dataset, learner, measure, runs, planned or len(runs), None, None, step, upper)


def study(claims, truths, references=(), replies=(), datasets=None, notes=None):
    """A study from claims and truths; about each data set only what is needed is made up."""
    bare = {(t.dataset, t.learner, t.measure): t for t in truths}
    found = with_intervals(bare, rng=np.random.default_rng(0), resamples=500)
    frame = pd.DataFrame(list(claims), columns=list(CLAIM_COLUMNS))
    frame[["low", "high", "median"]] = frame[["low", "high", "median"]].astype(float)
    names = list(dict.fromkeys([t.dataset for t in truths]))
    about = {name: {"nodes": 8 + k, "edges": 8, "rows": 1000, "density": 0.3} for k, name in enumerate(names)}
    return Forecasts(
        study="handmade",
        seed=0,
        level=0.95,
        truths=found,
        claims=frame,
        scores=score_claims(frame, found, references),
        replies=pd.DataFrame(list(replies), columns=list(REPLY_COLUMNS)),
        datasets=about | (datasets or {}),
        learners={t.learner: CARDS.get(t.learner, {"title": t.learner, "assumes": []}) for t in truths},
        references=tuple(references),
        notes=notes or {},
    )


def spread(centre, half=0.1, n=100):
    """n runs, evenly between centre - half and centre + half; their mean is the centre."""
    return np.linspace(centre - half, centre + half, n)


def over(datasets, low, high, **more):
    """The same claim about several data sets."""
    return [claim(dataset=name, low=low, high=high, **more) for name in datasets]


assert set(ARM) == set(ARMS)
