"""Time series: stable processes with the summary graph they say, and recorded ones with their gaps."""

import os
from dataclasses import replace

import numpy as np
import pytest

from trueness.datasets.dataset import read_card
from trueness.datasets.series import VAR, air_quality, series_of_file
from trueness.errors import DataError, SettingError


def rng(seed=0):
    return np.random.default_rng(seed)


# ---- simulated


def test_rows_obey_the_equation():
    process = VAR(nodes=5, lags=3, contemporaneous=0.3, standardised=False, edges_per_node=2)
    x, a = process.draw(400, rng()).values, process.coefficients
    past = sum(x[3 - lag : 400 - lag] @ a[lag] for lag in range(4))
    residuals = x[3:] - past
    assert np.abs(np.corrcoef(residuals.T) - np.eye(5)).max() < 0.2  # the noise: independent, of variance 1
    np.testing.assert_allclose(residuals.std(axis=0), 1, atol=0.15)
    assert (x.std(axis=0) > 1.05).any()


def test_an_edge_of_the_summary_graph_is_any_lag_of_another_variable():
    process = VAR(nodes=6, lags=3)
    for i, cause in enumerate(process.columns):
        for j, effect in enumerate(process.columns):
            enters = i != j and bool(process.coefficients[:, i, j].any())
            assert (cause in process.truth.parents(effect)) == enters


@pytest.mark.parametrize(
    ("settings_", "told"),
    [
        ({"lags": 0}, r"'lags' of var must be a whole number in \[1, 50\], got 0"),
        ({"relation": "cubic"}, "'relation' of var must be one of linear, nonlinear"),
        ({"autoregression": 1.0}, "'autoregression' of var must be a number in"),
        ({"weights": (0, 1)}, "'weights' of var must be"),
        ({"edges_per_node": 6}, "'edges_per_node' of var must be in"),
    ],
)
def test_settings_out_of_range_are_told(settings_, told):
    with pytest.raises(SettingError, match=told):
        VAR(**settings_)


# ---- what cannot be used


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
    assert air.table.n == 9357 and air.table.names == tuple(read_card("air-quality")["variables"]) and air.table.d == 13
    assert int((~air.table.gaps[:, 2]).sum()) == 914
    assert np.nanmin(air.table.values) > -200
    assert air.truth.n_edges() == len(read_card("air-quality")["edges"]) == 13 and air.about.truth == "assumed"
    assert air.table.values[0, :4].tolist() == [2.6, 1360, 150, 11.9]  # the file's first line, decimal commas


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
    assert np.flatnonzero(found.table.gaps[:, 1]).tolist() == [3]
    assert [str(edge) for edge in found.truth.edges] == ["a -> b"]


# ---- by name and from a plan


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
