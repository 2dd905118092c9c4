"""The simulated study of the docs and the tests: reproducible, whole, and of known quality."""

import numpy as np
import pytest

from tests.forecast.example import DATASETS, QUALITIES, example
from trueness.studies.forecast.frames import CLAIM_COLUMNS, REPLY_COLUMNS


@pytest.fixture(scope="module")
def study():
    return example(seed=3, datasets=["asia", "sachs"], repeats=2)


@pytest.mark.slow
def test_the_same_seed_gives_the_same_study(study):
    again = example(seed=3, datasets=["asia", "sachs"], repeats=2)
    assert study.claims.equals(again.claims) and study.scores.equals(again.scores)
    other = example(seed=4, datasets=["asia", "sachs"], repeats=2, references=[])
    assert not study.claims["low"].head(100).equals(other.claims["low"].head(100))


def test_the_tables_have_their_columns(study):
    assert list(study.claims.columns) == list(CLAIM_COLUMNS)
    assert list(study.replies.columns) == list(REPLY_COLUMNS)
    assert set(study.references) < set(study.claims["respondent"])


def test_every_question_was_asked(study):
    assert len(study.replies) == len(QUALITIES) * 2 * 4 * 4 * 2
    assert {"ok", "refused", "unreadable"} <= set(study.claims["status"])


def test_measures_of_a_run_belong_together(study):
    edges = DATASETS["asia"]["edges"]
    recall, shd = (study.truths["asia", "pc", measure].runs for measure in ("recall", "shd"))
    extra = shd - edges * (1 - recall)
    assert (extra > -1e-9).all() and np.allclose(extra, np.round(extra))


def test_arms_are_crossed():
    found = example(
        datasets=["asia"], learners=["pc"], respondents=["a", "b"], names=("named", "anonymised"), repeats=1
    )
    asked = found.claims[found.claims["formulation"] != "reference"]
    assert set(asked["names"]) == {"named", "anonymised"} and set(asked["respondent"]) == {"a", "b"}
