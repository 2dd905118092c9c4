"""GIES: equal to the package gies where that is installed; its class, its scores, and what other learners do with rows
under interventions."""

import numpy as np
import pandas as pd
import pytest

from tests.each import each
from tests.learners.laboratory import Laboratory
from trueness.datasets.experiments import Experiment, Experiments
from trueness.datasets.synthetic import Synthetic
from trueness.datasets.table import Table
from trueness.errors import DataError, SettingError
from trueness.graphs import Graph
from trueness.learners import learner
from trueness.learners.batches import fit_resamples
from trueness.learners.ges import GIES
from trueness.learners.pc import PC
from trueness.measures.graphs import score_graph

HOW = ("do", "shift", "soft")


def lab(seed, how="do", noise="gaussian"):
    rng = np.random.default_rng(seed)
    d = int(rng.integers(4, 8))
    system = Synthetic(nodes=d, edges_per_node=min(1.5, (d - 1) / 2), noise=noise, graph_seed=seed)
    targets = tuple(
        tuple(f"X{j}" for j in rng.choice(d, size=rng.integers(1, 3), replace=False)) for _ in range(rng.integers(1, 4))
    )
    return Laboratory(system, targets, how)


@each("seed", range(6))
def test_gies_is_the_package_gies(seed):
    gies = pytest.importorskip("gies")
    table = lab(seed, HOW[seed % 3]).draw(300, np.random.default_rng(seed))
    parts, kinds = table.experiments.rows, table.experiments.kinds
    data = [table.values[parts == e] for e in range(len(kinds))]
    theirs, score = gies.fit_bic(data, [[table.names.index(name) for name in kind.targets] for kind in kinds])
    ours = GIES(intercept="by experiment").fit_details(table)
    assert ((ours.graph.directed | ours.graph.undirected) == (theirs != 0)).all()
    assert ours.score == pytest.approx(score, abs=0.01)


@pytest.mark.parametrize("seed", [0, 1, 4])
def test_gies_finds_the_interventional_class_of_many_rows(seed):
    dataset = lab(seed)
    found = GIES().fit_details(dataset.draw(20_000, np.random.default_rng(0)))
    assert found.graph == dataset.truth.to_cpdag(dataset.targets)
    assert found.graph.problems(dataset.targets) == ()
    assert "10,000 observational" in found.note


@pytest.mark.parametrize(("how", "seed"), [("shift", 5), ("soft", 3)])
def test_shifted_and_weakened_targets_are_scored_apart(how, seed):
    """Their rows left out, another class has a higher score than the true one."""
    dataset = lab(seed, how)
    table = dataset.draw(20_000, np.random.default_rng(0))
    truth = dataset.truth.to_cpdag(dataset.targets)
    assert GIES().fit(table) != truth
    assert GIES(interventions="soft").fit(table) == truth


def test_gies_takes_levels_and_both_kinds():
    truth, targets = Graph.from_edges(["a -> b", "b -> c", "a -> d", "c -> e", "d -> e"]), ((), ("a",), ("b", "d"))
    rng = np.random.default_rng(0)
    rows = np.repeat([0, 0, 1, 2], 1000)
    values = np.zeros((4000, 5))
    for j, name in enumerate(truth.nodes):
        chance = 0.2 + 0.6 * values[:, [truth.index(cause) for cause in truth.parents(name)] or [j]].mean(axis=1)
        held = np.array([name in of for of in targets])[rows]
        values[:, j] = rng.random(4000) < np.where(held, 0.5, chance)
    kinds = tuple(Experiment(" + ".join(of) or "none", of) for of in targets)
    table = Table(truth.nodes, values, (("no", "yes"),) * 5, experiments=Experiments(kinds, rows))
    found = GIES().fit(table)
    assert found.problems(targets) == ()
    assert score_graph(found, truth, targets=targets)["f1"].value > 0.8
    values = table.values.copy()
    values[:, 0] += np.random.default_rng(1).normal(size=table.n)
    mixed = Table(table.names, values, (None, *table.levels[1:]), experiments=table.experiments)
    for how in ("hard", "soft"):
        assert GIES(interventions=how).fit(mixed).problems(targets) == ()
        assert GIES(interventions=how).fit(table).problems(targets) == ()


def test_gies_refuses_a_column_that_is_never_free():
    table = Table(
        ("a", "b"), np.random.default_rng(0).normal(size=(20, 2)), (None, None),
        experiments=Experiments((Experiment("e", ("a",)),), np.zeros(20, dtype=int)),
    )  # fmt: skip
    with pytest.raises(DataError, match="'a' of the data must have rows in which it is no target"):
        GIES().fit(table)
    with pytest.raises(SettingError, match="experiments"):
        GIES(experiments="pool")


# ---- the others


@each("name", ["pc", "fci", "ges", "notears", "boss", "random"])
def test_others_use_observational_rows_unless_told_to_pool(name):
    dataset = lab(1, noise="laplace")
    table = dataset.draw(400, np.random.default_rng(0))
    plain = Table(table.names, table.values, table.levels)
    seed = np.random.default_rng
    only = learner(name).fit(plain.rows(np.flatnonzero(table.experiments.observational)), seed(1))
    assert learner(name).fit(table, seed(1)) == only
    assert learner(name, experiments="pool").fit(table, seed(1)) == learner(name).fit(plain, seed(1))


def test_a_table_of_interventions_alone_is_an_error_for_a_learner_that_knows_no_targets():
    table = lab(1).draw(400, np.random.default_rng(0))
    held = table.rows(np.flatnonzero(~table.experiments.observational))
    with pytest.raises(DataError, match="must have observational rows for PC, got 200 under interventions alone"):
        PC().fit(held)


def test_resamples_of_a_table_with_experiments_are_those_of_plain_fits():
    table = lab(2).draw(300, np.random.default_rng(0))
    draws = np.random.default_rng(1).integers(table.n, size=(3, table.n))
    runs = fit_resamples(PC(), table, draws, [np.random.default_rng(0)] * 3)
    assert [run.answer for run in runs] == [PC().fit(table.rows(draw)) for draw in draws]
    assert list(PC().fit_many(table, draws)) == [None] * 3  # draws number rows that it does not use


def test_resamples_of_codes_with_gaps_are_those_of_plain_fits():
    """The batch once numbered the rows of the complete table, which has fewer: it read beyond its end."""
    rng = np.random.default_rng(0)
    frame = pd.DataFrame({"a": rng.integers(2, size=200), "c": rng.integers(2, size=200)})
    frame["b"] = (frame.a ^ (rng.random(200) < 0.2)).astype(float)
    frame.loc[:99, "b"] = np.nan
    table = Table.of(frame, discrete=["a", "b", "c"])
    draws = rng.integers(100, size=(3, 200)) + 100
    learner_ = PC(missing="complete")
    plain = [learner_.fit(table.rows(draw)) for draw in draws]
    assert [run.answer for run in fit_resamples(learner_, table, draws, [rng] * 3)] == plain
    assert all(one in (None, other) for one, other in zip(_answers(learner_, table, draws), plain, strict=True))


def _answers(learner_, table, draws):
    try:
        return list(learner_.fit_many(table, draws))
    except DataError:  # each plain fit will tell
        return [None] * len(draws)
