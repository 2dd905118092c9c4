"""Every learner keeps the contract; a learner that breaks it is found."""

import pytest

from assay import registry
from assay.learners import build
from assay.learners.contract import check_learner

FAILURES = {
    "Transposed": "finds a collider and its effect in the right direction",
    "Nonsense": "answers with a graph of its class over the columns",
    "Stranger": "answers with a graph of its class over the columns",
    "Raises": "leaves the data unchanged",
    "Outside": "refuses missing values",
    "TakesAll": "refuses kinds of columns that its card does not name",
    "OtherInABatch": "gives the same graphs in a batch as one by one",
}


@pytest.mark.parametrize("name", registry.names("learner"))
def test_every_built_in_learner_keeps_the_contract(name):
    broken = [check for check in check_learner(build(name)) if check.passed is False]
    assert broken == []


@pytest.mark.parametrize("name", FAILURES)
def test_a_learner_that_breaks_a_rule_is_found(name, outside):
    broken = [check.rule for check in check_learner(build(outside + name)) if check.passed is False]
    assert FAILURES[name] in broken
