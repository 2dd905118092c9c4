"""A batch of resamples gives the graphs of plain fits; one run's trouble is its own."""

from dataclasses import dataclass
from typing import ClassVar

import numpy as np
import pytest

from tests.each import each
from trueness import registry
from trueness.datasets import load
from trueness.datasets.table import Table
from trueness.errors import DataError
from trueness.learners import Batched, Card, build
from trueness.learners.batches import fit_resamples
from trueness.learners.contract import COLLIDER, binary_sample, continuous_sample

SETTINGS = (
    ("pc", {}),
    ("pc", {"search": "exhaustive", "df": "textbook", "colliders": "max-p"}),
    ("pc", {"ridge": 1e-3, "tiers": (("X0", "X1"), ("X2", "X3"))}),
    ("fci", {}),
    ("rfci", {}),
)


def rng(seed=0):
    return np.random.default_rng(seed)


def draws_of(table, runs, seed=1, size=None):
    return rng(seed).integers(table.n, size=(runs, size or table.n))


def fitted(learner, table, draws):
    return [run.answer for run in fit_resamples(learner, table, draws, [rng(9) for _ in draws])]


def plain(learner, table, draw):
    try:
        return learner.fit(table.rows(draw), rng(9))
    except DataError as error:
        return str(error)


def told(answer):
    return str(answer) if isinstance(answer, Exception) else answer


def numbers(n):
    """A network's structure in numbers, on scales far apart and away from 0."""
    table = load("synthetic-12").draw(n, rng(2))
    return Table(table.names, 7.0 + table.values * np.logspace(-3, 3, table.d), table.levels)


def renamed(table):
    names = tuple(f"X{j}" for j in range(table.d))
    return Table(names, table.values, table.levels, table.source)


TABLES = {
    "numbers": lambda: renamed(numbers(200)),
    "few distinct rows": lambda: renamed(load("asia").draw(1500, rng(3))),
    "many distinct rows": lambda: renamed(load("child").draw(120, rng(3))),
    "a collider of categories": lambda: binary_sample(COLLIDER, rng(4), 60),
}


@pytest.mark.parametrize("name", TABLES)
@pytest.mark.parametrize(("learner", "settings"), SETTINGS)
def test_a_batch_gives_the_graphs_of_plain_fits(learner, settings, name):
    table, learner = TABLES[name](), build(learner, settings)
    draws = draws_of(table, 12)
    assert any(graph is not None for graph in learner.fit_many(table, draws))  # else nothing is tested here
    assert [told(answer) for answer in fitted(learner, table, draws)] == [plain(learner, table, draw) for draw in draws]


def test_every_batched_learner_is_tested_here():
    offered = {name for name in registry.names("learner") if isinstance(build(name), Batched)}
    assert offered == {name for name, _ in SETTINGS}


@pytest.mark.parametrize("learner", ["pc", "ges"])
def test_draws_may_have_another_size_than_the_table(learner):
    table, learner = continuous_sample(COLLIDER, rng(), 300), build(learner)
    draws = draws_of(table, 6, size=90)
    assert fitted(learner, table, draws) == [plain(learner, table, draw) for draw in draws]


@each("learner", ["pc", "fci", "ges"])
@each("discrete", [True, False])
def test_a_run_with_a_constant_column_fails_alone_and_in_the_words_of_fit(learner, discrete):
    sample = (binary_sample if discrete else continuous_sample)(COLLIDER, rng(), 100)
    values = sample.values.copy()
    values[:, 1] = np.arange(100) == 0  # one row differs: 37 % of the resamples miss it
    table, learner = Table(sample.names, values, sample.levels), build(learner)
    draws = draws_of(table, 30)
    found = [told(answer) for answer in fitted(learner, table, draws)]
    assert found == [plain(learner, table, draw) for draw in draws]
    failed = [answer for answer in found if isinstance(answer, str)]
    assert 0 < len(failed) < 30 and all("must vary, got a constant" in message for message in failed)


def test_a_run_with_singular_correlations_fails_alone_and_in_the_words_of_fit():
    sample = continuous_sample(COLLIDER, rng(), 100)
    values = sample.values.copy()
    values[:, 3] = values[:, 0] + values[:, 1]
    values[0, 3] += 1.0  # a linear combination wherever row 0 is not drawn
    table, learner = Table(sample.names, values, sample.levels), build("pc")
    draws = draws_of(table, 30)
    found = [told(answer) for answer in fitted(learner, table, draws)]
    assert found == [plain(learner, table, draw) for draw in draws]
    assert 0 < sum(isinstance(answer, str) and "linear combination" in answer for answer in found) < 30


@dataclass(frozen=True)
class Faulty:
    """A learner whose batch leaves out its second run and breaks at its fourth."""

    card: ClassVar[Card] = Card(title="A test", summary="For tests.", returns="dag", assumes=(), paper="none")

    def fit(self, data, rng):
        return "alone"

    def fit_many(self, data, draws):
        yield "batch"
        yield None
        yield "batch"
        raise ValueError("no more")


def test_a_batch_that_breaks_costs_nothing_but_time():
    table = continuous_sample(COLLIDER, rng(), 20)
    assert fitted(Faulty(), table, draws_of(table, 6)) == ["batch", "alone", "batch", "alone", "alone", "alone"]
