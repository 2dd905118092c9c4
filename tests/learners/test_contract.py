"""Every learner keeps the contract; a learner that breaks it is found."""

import warnings
from dataclasses import fields

import numpy as np
import pytest
from numpy.random import default_rng

from tests.each import each
from trueness import registry
from trueness.datasets.observed import Observed
from trueness.errors import DataError, SettingError
from trueness.learners import build
from trueness.learners.contract import check_learner
from trueness.learners.scoring import build_scorer

FAILURES = {
    "Transposed": "finds a collider and its effect in the right direction",
    "Nonsense": "answers with a graph of its class over the columns",
    "Stranger": "answers with a graph of its class over the columns",
    "Raises": "leaves the data unchanged",
    "Outside": "refuses missing values, or takes them as its card says",
    "Correlates": "refuses numbers whose squares vanish (1e-308), or is right",
    "DropsColumns": "refuses a category of a million levels, or is right",
    "TakesAll": "refuses kinds of columns that its card does not name",
    "OtherInABatch": "gives the same graphs in a batch as one by one",
}


VARIANTS = [
    ("pc", {"search": "exhaustive"}),
    ("fci", {"search": "exhaustive"}),
    ("ges", {"search": "plain"}),
]


@pytest.mark.parametrize(("name", "settings"), [*((name, {}) for name in registry.names("learner")), *VARIANTS])
def test_every_built_in_learner_keeps_the_contract(name, settings):
    broken = [check for check in check_learner(build(name, settings)) if check.passed is False]
    assert broken == []


@pytest.mark.parametrize("name", FAILURES)
def test_a_learner_that_breaks_a_rule_is_found(name, outside):
    broken = [check.rule for check in check_learner(build(outside + name)) if check.passed is False]
    assert FAILURES[name] in broken


@each("kind, name", [(kind, name) for kind in ("learner", "scorer") for name in registry.names(kind)])
def test_a_misspelt_setting_in_python_is_told_as_in_a_plan(kind, name):
    """By the class itself, and by `learner(name, ...)`: the nearest setting, never Python's own error alone."""
    made = registry.resolve(kind, name)
    with pytest.raises(SettingError, match="'experimnets' is not a setting of .* Did you mean 'experiments'?"):
        made(experimnets="pool")
    with pytest.raises(SettingError, match="must be .*, got 'pol'"):
        made(experiments="pol")


LATER = {
    "experiments": "observational",
    "missing": "testwise",
    "transform": "none",
    "colliders": "separating set",  # of RFCI, which has no other
}


@each("kind, name", [(kind, name) for kind in ("learner", "scorer") for name in registry.names(kind)])
def test_a_setting_that_is_left_out_of_keys_at_its_default_keeps_it(kind, name):
    """Fits of before it was there have a key without it: with another default they would pass for fits by that one.
    Who changes a default takes `later` from its field, as was done for `search` of GES."""
    defaults = LATER | ({"experiments": "targets", "missing": "complete"} if name == "gies" else {})
    for field in fields(registry.resolve(kind, name)):
        if field.metadata.get("later"):
            assert field.default == defaults[field.name], field.name


# ---- tables that no learner can use, for every learner and scorer there is


NAMES = ("a", "b", "c", "d")


def values_of(size=1.0, column=None):
    """300 rows of four columns in time order, all of one size, or one column."""
    rng = default_rng(3)
    rows = np.zeros((300, 4))
    for t in range(1, 300):
        rows[t] = 0.5 * rows[t - 1] + rng.laplace(size=4) + [0, 0, 0.8 * rows[t - 1, 0], 0]
    which = slice(None) if column is None else column
    rows[:, which] *= size / np.abs(rows[:, which]).max()
    return rows


UNUSABLE = {
    "no columns": Observed((), np.empty((300, 0)), (), "the data", None, 1),
    "one column": Observed(("a",), values_of()[:, :1], (None,), "the data", None, 1),
    "1e-308": Observed(NAMES, values_of(1e-308), (None,) * 4, "the data", None, 1),
    "1e-308 in one column": Observed(NAMES, values_of(1e-308, 1), (None,) * 4, "the data", None, 1),
    "1e308": Observed(NAMES, values_of(1e308), (None,) * 4, "the data", None, 1),
    "1e308 in one column": Observed(NAMES, values_of(1e308, 1), (None,) * 4, "the data", None, 1),
    "a million levels": Observed(
        ("a", "b"),
        default_rng(3).integers(10**6, size=(300, 2)).astype(float),
        (tuple(map(str, range(10**6))),) * 2,
        "the data",
        None,
        1,
    ),
}


def refused(act):
    """One line, without a warning on the way."""
    with warnings.catch_warnings(), pytest.raises(DataError) as told:
        warnings.simplefilter("error")
        act()
    assert "\n" not in str(told.value)
    return str(told.value)


@each("what", UNUSABLE)
@each("name", registry.names("learner"))
def test_every_learner_refuses_what_nobody_can_compute_with(name, what):
    assert " of the data must " in f" of {refused(lambda: build(name).fit(UNUSABLE[what], default_rng(0)))}"


@each("what", UNUSABLE)
@each("name", registry.names("scorer"))
def test_every_scorer_refuses_what_nobody_can_compute_with(name, what):
    scorer = build_scorer(name)
    if scorer.card.needs:
        pytest.importorskip(scorer.card.needs)
    refused(lambda: scorer.scores(UNUSABLE[what], default_rng(0)))
