"""Networks: their graphs are those of the literature, and draws follow their tables."""

import numpy as np
import pytest
from scipy import stats

from tests.each import each
from trueness.datasets import load
from trueness.datasets.networks import network_of_file
from trueness.errors import TruenessError

# edges and reversible edges of the CPDAG: bnlearn repository; reversible counts from causal-learn's dag2cpdag
EDGES = {
    "asia": (8, 8, 3), "cancer": (5, 4, 0), "earthquake": (5, 4, 0), "survey": (6, 6, None), "child": (20, 25, 12),
    "alarm": (37, 46, 4), "insurance": (27, 52, 18), "hailfinder": (56, 66, None), "hepar2": (70, 123, None),
    "sachs-17": (11, 17, 17), "andes": (223, 338, None), "barley": (48, 84, None), "diabetes": (413, 602, None),
    "link": (724, 1125, None), "mildew": (35, 46, None), "munin": (1041, 1397, None), "munin1": (186, 273, None),
    "munin2": (1003, 1244, None), "munin3": (1041, 1306, None), "munin4": (1038, 1388, None),
    "pathfinder": (109, 195, None), "pigs": (441, 592, None), "water": (32, 66, None), "win95pts": (76, 112, None),
    "ecoli70": (46, 70, None), "magic-niab": (44, 66, None), "magic-irri": (64, 102, None), "arth150": (107, 150, None),
}  # fmt: skip


@each("name", EDGES)
def test_networks_have_the_published_size(name):
    nodes, edges, reversible = EDGES[name]
    truth = load(name).truth
    assert (len(truth), truth.n_edges()) == (nodes, edges)
    if reversible is not None:
        assert int(truth.to_cpdag().undirected.sum()) // 2 == reversible


@pytest.mark.slow
@pytest.mark.parametrize("name", ["asia", "child", "insurance"])
def test_draws_follow_every_table(name):
    """chi2 of each child given each combination of its parents, against the table; no p too small over all of them."""
    network = load(name)
    table = network.draw(200_000, np.random.default_rng(3))
    codes = table.values.astype(int)
    position = {variable.name: j for j, variable in enumerate(network.variables)}
    worst, tests = 1.0, 0
    for variable in network.variables:
        parents = [position[parent] for parent in variable.parents]
        for combination in np.ndindex(variable.table.shape[:-1]):
            rows = (codes[:, parents] == combination).all(axis=1)
            seen = np.bincount(codes[rows, position[variable.name]], minlength=len(variable.levels))
            expected = variable.table[combination] * rows.sum()
            assert (seen[expected == 0] == 0).all()
            if rows.sum() >= 50 and (expected[expected > 0] >= 5).all() and (expected > 0).sum() > 1:
                worst = min(worst, stats.chisquare(seen[expected > 0], expected[expected > 0]).pvalue)
                tests += 1
    assert worst > 0.01 / tests


@pytest.mark.parametrize("name", ["ecoli70", "magic-niab"])
def test_gaussian_networks_draw_their_mean_and_covariance(name):
    network = load(name)
    values = network.draw(50_000, np.random.default_rng(0)).values
    through = np.linalg.inv(np.eye(len(network.nodes)) - network.weights)  # x = (a + e) through
    covariance = through.T @ np.diag(network.variances) @ through
    scale = np.sqrt(covariance.diagonal())
    assert np.abs((values.mean(axis=0) - network.intercepts @ through) / scale).max() < 0.02
    assert np.abs((np.cov(values.T) - covariance) / np.outer(scale, scale)).max() < 0.03


def test_a_users_own_network_works_like_a_built_in_one(tmp_path):
    path = tmp_path / "wet.bif"
    path.write_text(
        "network wet {}\n"
        "variable rain { type discrete [ 2 ] { yes, no }; }\n"
        "variable wet { type discrete [ 3 ] { dry, damp, soaked }; }\n"
        "probability ( rain ) { table 0.25, 0.75; }\n"
        "probability ( wet | rain ) { (yes) 0, 0.5, 0.5; (no) 0.9, 0.1, 0; }\n"
    )
    network = network_of_file(path)
    assert [str(edge) for edge in network.truth.edges] == ["rain -> wet"]
    rows = network.draw(4000, np.random.default_rng(0)).values
    assert abs((rows[:, 0] == 0).mean() - 0.25) < 0.03
    assert not ((rows[:, 0] == 0) & (rows[:, 1] == 0)).any()
    assert load(str(path)).truth == network.truth


@pytest.mark.parametrize(
    ("old", "new", "message"),
    [
        ("(no) 0.9, 0.1", "", "a row for every combination"),
        ("0.9, 0.1", "0.9, 0.3", "sum to 1"),
        ("0.9, 0.1", "0.9", "must have 2 numbers here, got 1"),
        ("0.9, 0.1", "0.9, x", "must hold numbers"),
        ("(no)", "(maybe)", "must name a level"),
        ("[ 2 ]", "[ 3 ]", "different levels"),
        ("wet | rain", "wet | rian", "is not a variable. Did you mean 'rain'"),
        ("( rain ) { table", "( wet | rain ) { table", "probability block"),
    ],
)
def test_a_wrong_bif_is_told_in_one_line(tmp_path, old, new, message):
    text = (
        "network n {}\nvariable rain { type discrete [ 2 ] { yes, no }; }\n"
        "variable wet { type discrete [ 2 ] { dry, wet }; }\n"
        "probability ( rain ) { table 0.25, 0.75; }\nprobability ( wet | rain ) { (yes) 0, 1; (no) 0.9, 0.1; }\n"
    )
    path = tmp_path / "bad.bif"
    path.write_text(text.replace(old, new))
    with pytest.raises(TruenessError, match=message) as caught:
        network_of_file(path)
    assert "\n" not in str(caught.value)
