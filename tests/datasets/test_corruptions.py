"""Corruptions: the published ones by their numbers, standard units, masks that tell and masks that do not."""

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from tests.each import each
from trueness.datasets import load
from trueness.datasets.corruptions import PRESETS, STAGES, STEPS, Corruption, Step, corruption, corruptions
from trueness.datasets.observed import Observed
from trueness.datasets.regimes import plan_regimes
from trueness.datasets.series import VAR
from trueness.datasets.table import Table, check_usable
from trueness.errors import DataError, SettingError, TruenessError, UnknownName
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


def standard(found):
    """What was added, in sd of the clean column."""
    return (found.values - found.clean) / found.clean.std(axis=0)


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


def test_every_named_corruption_of_the_protocol_is_there():
    named = {"noise_0.1", "noise_0.3", "noise_0.5", "mcar_20", "mcar_30", "mnar_self", "mnar_threshold",
             "mnar_structural", "bias_additive", "bias_multiplicative", "regimes", "sensor_failure", "mild", "moderate",
             "severe"}  # fmt: skip
    assert named <= set(PRESETS)


@each("name", PRESETS)
def test_every_corruption_runs_on_a_simulated_system(name):
    found = corruption(name).of(load("synthetic-12"), 300, seed=1, rng=np.random.default_rng(0))
    assert found.values.shape == found.mask.shape == found.clean.shape == (300, 12)
    assert (np.isnan(found.values) == found.mask).all()
    assert found.regimes.max() + 1 == {"extreme": 5, "extreme_decoy": 5}.get(name, 3 if found.card.needs_system else 1)


def test_clean_changes_nothing():
    found = corrupt("clean")
    np.testing.assert_allclose(found.values, found.clean, rtol=1e-12)
    assert not found.mask.any()


# ---- what each step does


def test_noise_is_measured_in_sd_of_the_column_and_not_in_its_units():
    np.testing.assert_allclose(standard(corrupt("noise_0.3")).std(axis=0), 0.3, rtol=0.05)


def test_heteroscedastic_noise_grows_with_the_value():
    found = corrupt(Corruption("mine", (Step("heteroscedastic_noise", 0.3),)), table(40_000))
    z = (found.clean - found.clean.mean(axis=0)) / found.clean.std(axis=0)
    small, large = np.abs(z) < 0.1, np.abs(np.abs(z) - 2) < 0.1
    assert standard(found)[small].std() == pytest.approx(0.3 * 1.05, rel=0.05)
    assert standard(found)[large].std() == pytest.approx(0.3 * 3, rel=0.05)


def test_outliers_have_their_share_and_size():
    moved = standard(corrupt(Corruption("mine", (Step("outliers", 0.03, {"size": 5}),))))
    hit = np.abs(moved) > 1
    assert hit.mean() == pytest.approx(0.03, abs=0.005)
    assert np.median(np.abs(moved[hit])) == pytest.approx(5)


def test_drift_is_slow():
    moved = standard(corrupt(Corruption("mine", (Step("drift", 0.01),))))
    step = np.diff(moved, axis=0)
    assert step.std() == pytest.approx(0.01, rel=0.05)
    assert moved.std() > 5 * step.std()


def test_an_additive_bias_is_one_offset_a_column():
    moved = standard(corrupt("bias_additive"))
    assert np.ptp(moved, axis=0).max() < 1e-9
    assert (np.abs(moved[0]) <= 0.5).all() and len(set(moved[0].round(6))) == 4


def test_a_multiplicative_bias_is_one_factor_a_column():
    found = corrupt("bias_multiplicative")
    factor = standard_units(found) / (found.clean - found.clean.mean(axis=0)) * found.clean.std(axis=0)
    assert np.ptp(factor, axis=0).max() < 1e-6
    assert (np.abs(factor[0] - 1) <= 0.3).all() and len(set(factor[0].round(6))) == 4


@each("name", [card.name for card in STEPS.values() if card.stage == "mask"])
@each("share", [0.1, 0.4])
def test_a_mask_takes_the_share_it_says(name, share):
    found = corrupt(Corruption("mine", (Step(name, share),)), table(20_000))
    assert found.mask.mean() == pytest.approx(share, abs=0.06 if name == "sensor_failure" else 0.02)


def test_sensor_failure_comes_in_stretches():
    mask = corrupt("sensor_failure").mask
    starts = (mask[1:] & ~mask[:-1]).sum()
    assert mask.sum() / starts > 20  # rows a stretch, of 4000


def test_mnar_self_hides_large_values_and_mcar_does_not():
    means = {name: np.nanmean(standard_units(corrupt(name))) for name in ("mnar_self", "mcar_30")}
    assert means["mnar_self"] < -0.2 and abs(means["mcar_30"]) < 0.05


def standard_units(found):
    return (found.values - found.clean.mean(axis=0)) / found.clean.std(axis=0)


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


def test_a_mask_that_needs_the_graph_asks_for_it():
    with pytest.raises(DataError, match="must be given one .truth=.*mnar_decoy"):
        corruption("mnar_structural").apply(table(), seed=1)


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


@pytest.mark.parametrize("system", [load("synthetic-12"), VAR(nodes=12)])
def test_a_held_node_has_the_value_it_is_given_whatever_its_parents(system):
    plan = plan_regimes(900, 12, 3, np.random.default_rng(3))
    _, under = system.draw_regimes(plan, 900, np.random.default_rng(0))
    for block in plan.blocks:
        np.testing.assert_allclose(under.values[block.start : block.stop, block.nodes], block.values, atol=1e-9)


def descendants(graph, nodes):
    found = set(nodes)
    for node in graph.topological_order():
        if found & set(graph.parents(node)):
            found.add(node)
    return found


def test_rows_of_a_table_refuse_interventions_unless_told():
    with pytest.raises(DataError, match="cannot be run on recorded rows.*overwrite_regimes=True"):
        corrupt("compound_full")


def test_overwritten_regimes_are_labelled():
    found = corrupt("regimes", overwrite_regimes=True)
    assert any("overwrite" in label for label in found.card.labels)
    assert 1 <= (found.values != found.clean)[found.regimes == 1].any(axis=0).sum() <= 4


# ---- seeds


def test_the_same_seed_gives_the_same_bytes_and_another_does_not():
    one, again, other = (corrupt("severe", seed=seed).values.tobytes() for seed in (1, 1, 2))
    assert one == again != other


def test_a_further_step_leaves_the_others_as_they_are():
    noisy = corrupt(Corruption("one", (Step("noise", 0.3),)))
    both = corrupt(Corruption("two", (Step("noise", 0.3), Step("mcar", 0.2))))
    np.testing.assert_array_equal(both.values[~both.mask], noisy.values[~both.mask])


def test_two_strengths_of_one_seed_are_paired():
    weak, strong = (standard(corrupt(corruption("noise_0.5").scaled(factor))) for factor in (0.2, 1.0))
    np.testing.assert_allclose(strong, 5 * weak, atol=1e-5)


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


@settings(max_examples=20)
@given(st.floats(0.001, 1000), st.floats(-1000, 1000))
def test_units_do_not_matter(scale, offset):
    plain = table(100, scale=(1, 1, 1, 1))
    moved = Table(NAMES, plain.values * scale + offset, plain.levels)
    one, other = (standard(corrupt("severe", data)) for data in (plain, moved))
    np.testing.assert_allclose(one, other, atol=1e-6)


# ---- what a learner gets


def test_observed_holds_no_clean_values_and_no_truth():
    seen = corrupt("mcar_40").observed
    assert isinstance(seen, Observed) and seen.missing.mean() == pytest.approx(0.4, abs=0.02)
    assert not {"clean", "truth", "card"} & set(vars(seen))
    with pytest.raises(DataError, match="must have no missing values"):
        check_usable(seen)


def test_gaps_of_the_data_stay_gaps():
    data = table(200)
    values = data.values.copy()
    values[:50, 1] = np.nan
    found = corrupt("severe", Table(NAMES, values, data.levels))
    assert found.mask[:50, 1].all() and not found.mask.all(axis=0).any()


def test_the_frame_of_the_chart_has_clean_beside_corrupted():
    frame = corrupt("mild").frame(rows=10, columns=2)
    assert list(frame.columns) == ["row", "column", "clean", "corrupted", "missing", "regime"] and len(frame) == 20
    assert frame["corrupted"].isna().equals(frame["missing"])


# ---- lists and mistakes


def test_the_list_says_of_each_whether_its_mask_uses_the_graph():
    rows = {row["name"]: row for row in corruptions()}
    assert rows["compound_full"]["uses the graph"] == "yes" and rows["compound_full_decoy"]["uses the graph"] == "no"
    assert all(row["summary"] and row["steps"] for row in rows.values())


def test_a_single_step_with_its_strength_is_a_name():
    assert corruption("noise 0.2").steps == (Step("noise", 0.2),)


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
        (lambda: corrupt("noise_0.1", load("asia").draw(50, np.random.default_rng(0))), "continuous columns"),
    ],
)  # fmt: skip
def test_mistakes_are_one_line(make, told):
    with pytest.raises(TruenessError, match=told) as caught:
        make()
    assert isinstance(caught.value, (SettingError, DataError)) and "\n" not in str(caught.value)


def test_an_unknown_corruption_gets_the_nearest_name():
    with pytest.raises(UnknownName, match="Did you mean 'mcar_40'"):
        corruption("mcar40")
