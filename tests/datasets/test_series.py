"""Time series: stable processes with the summary graph they say, and recorded ones with their gaps."""

import os
from dataclasses import replace

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from trueness.datasets import load
from trueness.datasets.observed import Observed, check_lags, check_observed
from trueness.datasets.recorded import AIR_QUALITY, AIR_QUALITY_EDGES, air_quality, series_of_file
from trueness.datasets.series import VAR, stable_radius
from trueness.errors import DataError, SettingError, TruenessError


def rng(seed=0):
    return np.random.default_rng(seed)


# ---- simulated


@settings(max_examples=30)
@given(st.integers(2, 12), st.integers(1, 4), st.integers(0, 10**6), st.floats(0, 1))
def test_every_process_is_stable_and_its_summary_graph_is_acyclic(nodes, lags, seed, share):
    process = VAR(nodes=nodes, lags=lags, edges_per_node=(nodes - 1) / 2, graph_seed=seed, contemporaneous=share)
    assert stable_radius(process.coefficients) < 0.99
    assert process.truth.is_valid() and process.truth.n_edges() == round(nodes * (nodes - 1) / 2)


def test_rows_obey_the_equation():
    process = VAR(nodes=5, lags=3, contemporaneous=0.3, standardised=False, edges_per_node=2)
    x, a = process.draw(400, rng()).values, process.coefficients
    past = sum(x[3 - lag : 400 - lag] @ a[lag] for lag in range(4))
    residuals = x[3:] - past
    assert np.abs(np.corrcoef(residuals.T) - np.eye(5)).max() < 0.2  # the noise: independent, of variance 1
    np.testing.assert_allclose(residuals.std(axis=0), 1, atol=0.15)
    assert (x.std(axis=0) > 1.05).any()


def test_least_squares_finds_the_coefficients_again():
    process = VAR(nodes=4, lags=2, standardised=False, edges_per_node=1.0)
    x = process.draw(20_000, rng()).values
    design = np.concatenate([x[1:-1], x[:-2]], axis=1)
    found = np.linalg.lstsq(design, x[2:], rcond=None)[0].reshape(2, 4, 4)
    np.testing.assert_allclose(found, process.coefficients[1:], atol=0.04)


def test_an_edge_of_the_summary_graph_is_any_lag_of_another_variable():
    process = VAR(nodes=6, lags=3)
    for i, cause in enumerate(process.columns):
        for j, effect in enumerate(process.columns):
            enters = i != j and bool(process.coefficients[:, i, j].any())
            assert (cause in process.truth.parents(effect)) == enters


def test_column_order_tells_nothing_of_the_causal_order():
    later = [VAR(nodes=8, graph_seed=seed).truth.directed for seed in range(30)]
    share = np.mean([np.triu(edges).sum() / edges.sum() for edges in later])
    assert 0.35 < share < 0.65


def test_nonlinear_processes_stay_finite_and_differ_from_linear_ones():
    one, other = (VAR(relation=kind, edges_per_node=3).draw(5000, rng()).values for kind in ("linear", "nonlinear"))
    assert np.isfinite(other).all() and np.abs(other).max() < 20
    assert not np.allclose(one, other)


def test_a_draw_is_a_series_with_lags_and_regimes_where_there_are_some():
    plain, moved = VAR(rows=300).draw(rng=rng()), VAR(rows=300, regimes=3).draw(rng=rng())
    assert isinstance(plain, Observed) and plain.lags == 2 and plain.n == 300 and plain.regimes is None
    assert np.bincount(moved.regimes).tolist() == [100, 100, 100]


def test_the_same_seed_draws_the_same_rows():
    one, again, other = (VAR().draw(100, rng(seed)).values.tobytes() for seed in (0, 0, 1))
    assert one == again != other


def test_a_process_hides_its_names():
    hidden = VAR(nodes=3, edges_per_node=1).anonymous()
    drawn = hidden.draw(50, rng())
    assert hidden.truth.nodes == drawn.names == ("X1", "X2", "X3") and drawn.lags == 2


@pytest.mark.parametrize(
    ("settings_", "told"),
    [
        ({"lags": 0}, r"'lags' of var must be in \[1, 50\], got 0"),
        ({"relation": "cubic"}, "'relation' of var must be one of linear, nonlinear"),
        ({"autoregression": 1.0}, "'autoregression' of var must be in"),
        ({"weights": (0, 1)}, "'weights' of var must be"),
        ({"edges_per_node": 6}, "'edges_per_node' of var must be in"),
    ],
)
def test_settings_out_of_range_are_told(settings_, told):
    with pytest.raises(SettingError, match=told):
        VAR(**settings_)


# ---- what cannot be used


def test_a_series_shorter_than_its_lags_is_told():
    with pytest.raises(SettingError, match=r"must be at least 4 \(lags \+ 2\), got 3"):
        VAR().draw(3, rng())
    with pytest.raises(DataError, match="must have at least 107 rows for 5 lags of 20 variables, got 50"):
        check_lags(VAR(nodes=20).draw(50, rng()), 5)


def test_a_column_without_values_is_told():
    values = rng().standard_normal((30, 2))
    values[2:, 1] = np.nan
    with pytest.raises(DataError, match="column 'b' of x.csv must have at least 3 observed values, got 2 of 30"):
        check_observed(Observed(("a", "b"), values, (None, None), "x.csv"))


def test_gaps_are_allowed_and_rows_and_columns_keep_what_is_known():
    values = rng().standard_normal((30, 3))
    values[::4, 1] = np.nan
    data = Observed(("a", "b", "c"), values, (None,) * 3, "x", np.arange(30) // 10, 1)
    check_observed(data, 1)
    part = data.rows(np.arange(5, 15)).columns([1, 2])
    assert part.names == ("b", "c") and part.regimes.tolist() == [0] * 5 + [1] * 5 and part.lags == 1
    assert data.complete_rows().n == 22 and data.share_missing == pytest.approx(8 / 90)


# ---- recorded


@pytest.fixture(scope="session")
def air(root):
    folder = root.parent / "shared" / "golden"
    if "TRUENESS_GOLDEN" in os.environ:
        folder = type(root)(os.environ["TRUENESS_GOLDEN"])
    if not (folder / "rcgnn" / "AirQualityUCI.csv").is_file():
        pytest.skip(f"AirQualityUCI.csv is not in {folder} (set TRUENESS_GOLDEN)")
    return air_quality(folder / "rcgnn" / "AirQualityUCI.csv")


def test_air_quality_has_its_rows_gaps_and_assumed_edges(air):
    # UCI: 9,358 instances announced, 9,357 in the file; NMHC(GT) is there in 914 rows
    assert air.table.n == 9357 and air.table.names == tuple(AIR_QUALITY) and air.table.d == 13
    assert int((~air.table.missing[:, 2]).sum()) == 914
    assert np.nanmin(air.table.values) > -200
    assert air.truth.n_edges() == len(AIR_QUALITY_EDGES) == 13 and air.about.truth == "assumed"
    assert air.table.values[0, :4].tolist() == [2.6, 1360, 150, 11.9]  # the file's first line, decimal commas


def test_a_window_of_a_recorded_series_is_in_order(air):
    part = air.draw(500, rng())
    flat = air.table.values[:, 1]
    starts = [t for t in range(air.table.n - 499) if np.array_equal(flat[t : t + 500], part.values[:, 1], True)]
    assert len(starts) == 1 and air.draw() is air.table
    with pytest.raises(SettingError, match="a series is not resampled"):
        air.draw(10_000, rng())


def write(folder, text, graph="source,target\na,b\n"):
    (folder / "plant.csv").write_text(text)
    (folder / "plant.graph.csv").write_text(graph)
    return folder / "plant.csv"


def lines(gap="-9"):
    return "\n".join(f"2024-01-{t + 1:02},{t * t % 7}.5,{gap if t == 3 else t % 5}" for t in range(20))


def test_a_users_csv_keeps_its_gaps_and_leaves_out_its_time_stamp(tmp_path):
    path = write(tmp_path, "when,a,b\n" + lines())
    found = series_of_file(path, lags=2, missing=-9, drop=["when"])
    assert found.table.names == ("a", "b") and found.lags == 2 and found.about.truth == "assumed"
    assert np.flatnonzero(found.table.missing[:, 1]).tolist() == [3]
    assert [str(edge) for edge in found.truth.edges] == ["a -> b"]


@pytest.mark.parametrize(
    ("more", "told"),
    [
        ({}, "column 'when' of plant.csv"),
        ({"drop": ["wen"]}, "'wen' to drop is not a column of plant.csv. Did you mean 'when'"),
        ({"drop": ["when"], "lags": 0}, "'lags' of plant.csv must be at least 1"),
        ({"drop": ["when"], "lags": 7}, "must have at least 23 rows for 7 lags"),
    ],
)
def test_mistakes_in_a_users_csv_are_one_line(tmp_path, more, told):
    with pytest.raises(TruenessError, match=told) as caught:
        series_of_file(write(tmp_path, "when,a,b\n" + lines()), **more)
    assert "\n" not in str(caught.value)


def test_a_file_that_is_not_air_quality_is_told(tmp_path):
    with pytest.raises(DataError, match="must be AirQualityUCI.csv with its 13 variables"):
        air_quality(write(tmp_path, "when,a,b\n" + lines()))
    with pytest.raises(DataError, match="is not there"):
        air_quality(tmp_path / "AirQualityUCI.csv")


# ---- by name and from a plan


def test_a_series_is_loaded_by_name_and_by_the_settings_of_a_plan(tmp_path):
    assert load("var-7").draw(50, rng()).d == 7 and load("var-7").name == "var-7"
    simulated = load("mine", {"kind": "var", "nodes": 4, "lags": 3, "relation": "nonlinear"})
    assert (simulated.name, simulated.lags, simulated.relation) == ("mine", 3, "nonlinear")
    write(tmp_path, "when,a,b\n" + lines())
    own = load("log", {"kind": "series", "data": "plant.csv", "drop": ["when"], "missing": -9, "lags": 2}, tmp_path)
    assert own.name == "log" and own.table.missing.sum() == 1


@pytest.mark.parametrize(
    ("settings_", "told"),
    [
        ({"kind": "vra"}, "'kind' must be one of synthetic, var, series, air-quality, experiments, pair, got 'vra'"),
        ({"kind": "var", "lag": 2}, "'lag' is not a setting of var. Did you mean 'lags'"),
        ({"kind": "series"}, "must have 'data = \"file.csv\"' for kind 'series'"),
        ({"kind": "air-quality", "data": "x.csv", "missing": -200}, "'missing' is not a setting of air-quality"),
    ],
)
def test_mistakes_in_a_plan_are_one_line(settings_, told):
    with pytest.raises(TruenessError, match=told) as caught:
        load("mine", settings_)
    assert "\n" not in str(caught.value)


@pytest.mark.parametrize("n", [60, 300, 2000, 9000])
def test_a_window_of_any_length_has_values_in_every_column(air, n):
    """NMHC has none after row 1230; at 60 rows gaps of other columns matter too."""
    fitted, words = air.for_windows(n)
    for seed in range(5):
        window = fitted.draw(n, np.random.default_rng(seed))
        assert window.n == n and (~window.missing).sum(axis=0).min() >= 10
    gone = set(air.truth.nodes) - set(fitted.truth.nodes)
    assert fitted.table.names == fitted.truth.nodes
    if n < 9000:
        assert "NMHC(GT)" in gone and any("NMHC(GT) was left out with 2 edges" in line for line in words)
        assert fitted.truth.n_edges() == 11 and len(gone) == 1
    else:
        assert not gone and not words and fitted is air


def test_a_column_with_a_long_gap_is_left_out_with_a_word(tmp_path):
    rows = "\n".join(f"{k % 7},{k % 5},{k % 3 if k < 40 else ''}" for k in range(200))
    graph = "source,target\na,b\nb,c\n"
    whole = series_of_file(write(tmp_path, "a,b,c\n" + rows, graph))
    fitted, (word,) = whole.for_windows(50)
    assert fitted.table.names == ("a", "b") and [str(edge) for edge in fitted.truth.edges] == ["a -> b"]
    assert "c was left out with 1 edge of the truth" in word
    assert whole.for_windows(190) == (whole, [])  # every such window has the first rows
    with pytest.raises(DataError, match="Use more rows"):
        replace(whole, table=whole.table.columns([2]), truth=whole.truth).for_windows(50)
