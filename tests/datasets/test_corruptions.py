"""Corruptions: the published ones by their numbers, standard units, masks that tell and masks that do not."""

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from tests.each import each
from trueness.datasets import load
from trueness.datasets.corruptions import PRESETS, STAGES, STEPS, Corruption, Step, corruption
from trueness.datasets.observed import plan_regimes
from trueness.datasets.series import VAR
from trueness.datasets.table import Table
from trueness.errors import DataError, SettingError, TruenessError
from trueness.graphs import Graph

N = 4000
NAMES = ("a", "b", "c", "d")
TRUTH = Graph.from_edges(["a -> b", "b -> c"], NAMES, "dag")


def table(n=N, scale=(1.0, 100.0, 0.01, 1.0), seed=0):
    values = np.random.default_rng(seed).standard_normal((n, 4)) * scale + [0.0, 1000.0, 5.0, -3.0]
    return Table(NAMES, values, (None,) * 4, "plant.csv")


def corrupt(name, data=None, seed=1, **more):
    made = corruption(name) if isinstance(name, str) else name
    return made.apply(table() if data is None else data, seed=seed, truth=TRUTH, **more)


# ---- the published corruptions


@pytest.mark.parametrize(
    ("name", "steps"),
    [  # the original protocol's numbers
        ("compound_full", "regimes 3; multiplicative_bias 0.15; heteroscedastic_noise 0.3; outliers 0.03, size 5; "
         "drift 0.01; mnar_structural 0.25"),
        ("compound_mnar_bias", "multiplicative_bias 0.2; mnar_structural 0.25"),
        ("mcar_40", "mcar 0.4"),
        ("extreme", "regimes 5; cubic_bias 0.2; noise 0.5; outliers 0.1, size 10; drift 0.05; mnar_structural 0.4"),
        ("clean", "nothing"),
    ],
)  # fmt: skip
def test_the_originals_corruptions_have_its_numbers(name, steps):
    assert corruption(name).card.row()["steps"] == steps


@each("name", PRESETS)
def test_every_corruption_runs_on_a_simulated_system(name):
    found = corruption(name).of(load("synthetic-12"), 300, seed=1, rng=np.random.default_rng(0))
    assert found.values.shape == found.mask.shape == found.clean.shape == (300, 12)
    assert (np.isnan(found.values) == found.mask).all()
    assert found.regimes.max() + 1 == {"extreme": 5, "extreme_decoy": 5}.get(name, 3 if found.card.needs_system else 1)


# ---- what each step does


@each("name", [name for name, card in STEPS.items() if card.stage == "mask"])
@each("share", [0.1, 0.4])
def test_a_mask_takes_the_share_it_says(name, share):
    found = corrupt(Corruption("mine", (Step(name, share),)), table(20_000))
    assert found.mask.mean() == pytest.approx(share, abs=0.06 if name == "sensor_failure" else 0.02)


# ---- masks and the graph


def drivers(found):
    """|correlation| of i's clean values with j's mask."""
    both = np.corrcoef(found.clean.T, found.mask.T)[:4, 4:]
    return np.abs(both)


def test_the_structural_mask_reveals_the_true_parents_and_is_labelled():
    found = corrupt("mnar_structural")
    assert (drivers(found) > 0.2).tolist() == TRUTH.directed.tolist()
    assert found.card.uses_graph and "the mask is built from the true graph" in found.card.labels


@each("name", [n for n, made in PRESETS.items() if not made.card.uses_graph])
def test_what_is_not_labelled_does_not_change_with_the_graph(name):
    turned = Graph.from_edges(["d -> a", "c -> a", "b -> d"], NAMES, "dag")
    one, other = (
        corruption(name).apply(table(200), seed=3, truth=dag, overwrite_regimes=True) for dag in (TRUTH, turned)
    )
    assert one.values.tobytes() == other.values.tobytes()


def test_the_decoy_mask_is_as_strong_and_tells_other_edges():
    strong = [drivers(corrupt("mnar_decoy", seed=seed)) > 0.15 for seed in range(10)]
    assert all((found.sum(axis=0) == 2).all() for found in strong)
    assert len({found.tobytes() for found in strong}) > 5


# ---- regimes


@pytest.mark.parametrize("system", [load("synthetic-12"), VAR(nodes=12), VAR(nodes=12, relation="nonlinear")])
def test_an_intervention_reaches_descendants_and_nobody_else(system):
    found = corruption("regimes").of(system, 900, seed=5, rng=np.random.default_rng(2))
    plan = plan_regimes(900, 12, 3, Step("regimes", 3).rng(5))
    moved = np.abs(found.values - found.clean) > 1e-9
    held = [{system.truth.nodes[j] for j in block.nodes} for block in plan.blocks]
    lingering = held[0] | held[1] if isinstance(system, VAR) else held[1]  # the state of a series outlives a regime
    for regime, nodes in enumerate((set(), held[0], lingering)):
        changed = {system.truth.nodes[j] for j in np.flatnonzero(moved[found.regimes == regime].any(axis=0))}
        assert changed == descendants(system.truth, nodes)


def descendants(graph, nodes):
    found = set(nodes)
    for node in graph.topological_order():
        if found & set(graph.parents(node)):
            found.add(node)
    return found


# ---- seeds


def test_the_same_seed_gives_the_same_bytes_and_another_does_not():
    one, again, other = (corrupt("severe", seed=seed).values.tobytes() for seed in (1, 1, 2))
    assert one == again != other


@settings(max_examples=25)
@given(st.integers(0, 2**32), st.sampled_from(sorted(PRESETS)), st.integers(40, 200))
def test_the_data_are_never_changed_and_missing_is_nan_alone(seed, name, n):
    data = table(n)
    before = data.values.copy()
    try:
        found = corrupt(name, data, seed=seed, overwrite_regimes=True)
    except DataError as error:
        assert "must leave" in str(error)
        return
    assert (data.values == before).all() and (found.clean == before).all()
    assert (np.isnan(found.values) == found.mask).all()
    assert not np.isinf(found.values).any()


# ---- what a learner gets


# ---- lists and mistakes


@pytest.mark.parametrize(
    ("make", "told"),
    [
        (lambda: corruption("mcar 1.5"), r"'strength' of mcar must be in \[0, 0.95\] .share of the cells.*got 1.5"),
        (lambda: Step("noise", -0.1), r"must be in \[0, 10\]"),
        (lambda: Step("noise", float("nan")), "got nan"),
        (lambda: Step("regimes", 2.5), "must be a whole number"),
        (lambda: Step("niose", 0.1), "Did you mean 'noise'"),
        (lambda: Step("noise", 0.1, {"size": 3}), "'size' is not a setting of noise"),
        (lambda: Corruption("x", (Step("mcar", 0.1), Step("noise", 0.1))), "in the order " + " -> ".join(STAGES)),
        (lambda: corruption("mcar_40").scaled(3), "must be in"),
        (lambda: corrupt("mcar 0.9", table(6)), "must leave 3 values in every column, got . of 6 in '.'"),
        (lambda: corrupt("noise 0.1", load("asia").draw(50, np.random.default_rng(0))), "continuous columns"),
    ],
)  # fmt: skip
def test_mistakes_are_one_line(make, told):
    with pytest.raises(TruenessError, match=told) as caught:
        make()
    assert isinstance(caught.value, (SettingError, DataError)) and "\n" not in str(caught.value)
