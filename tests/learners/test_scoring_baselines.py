"""The baselines are not strawmen: on data made for them they find the graph."""

import numpy as np
import pytest

from trueness.datasets.series import VAR
from trueness.datasets.synthetic import Synthetic
from trueness.learners.scoring import scorer
from trueness.learners.scoring.wrapped import PC
from trueness.measures.ranking import score_ranking

SEEDS = range(5)


def auprc(name, system, seed, **settings):
    data = system.draw(1000, np.random.default_rng(seed))
    return score_ranking(scorer(name, **settings).scores(data, np.random.default_rng(0)).matrix, system.truth)[
        "auprc"
    ].value


def test_granger_ranks_a_known_autoregression_nearly_perfectly():
    found = [auprc("granger", VAR(nodes=8, lags=2, graph_seed=seed), seed) for seed in SEEDS]
    assert np.mean(found) >= 0.8 and min(found) >= 0.8


@pytest.mark.parametrize(
    ("name", "package"), [("pcmci+", "tigramite"), ("lpcmci", "tigramite"), ("varlingam", "lingam")]
)
def test_those_of_other_packages_rank_a_known_autoregression_nearly_perfectly(name, package):
    pytest.importorskip(package)
    nodes, lags = (4, 1) if name == "lpcmci" else (6, 2)  # it takes long
    found = [auprc(name, VAR(nodes=nodes, lags=lags, graph_seed=seed), seed) for seed in SEEDS[:2]]
    assert np.mean(found) >= 0.9


def test_pc_finds_the_skeleton_of_clean_linear_data():
    """Directed scores by p; the skeleton at PC's own operating point."""
    f1 = []
    for seed in SEEDS:
        system = Synthetic(nodes=10, edges_per_node=1.2, noise="gaussian", graph_seed=seed)
        graph = (
            PC(alpha=0.01, score="-log10 p")
            .scores(system.draw(2000, np.random.default_rng(seed)), np.random.default_rng(0))
            .details["graph"]
        )
        found, true = graph.adjacent, system.truth.adjacent
        f1.append(2 * (found & true).sum() / (found.sum() + true.sum()))
    assert np.mean(f1) >= 0.9


def test_lingam_directs_linear_data_with_laplace_noise():
    found = [auprc("lingam", Synthetic(nodes=8, edges_per_node=1.2, graph_seed=seed), seed) for seed in SEEDS]
    assert np.mean(found) >= 0.8


def test_granger_gives_statsmodels_own_f_and_p():
    from statsmodels.tsa.api import VAR as Autoregression

    data = VAR(nodes=4, lags=2).draw(300, np.random.default_rng(0))
    found = scorer("granger").scores(data, np.random.default_rng(0))
    test = Autoregression(data.values).fit(2).test_causality(3, 1, kind="f")  # 1 -> 3
    assert found.matrix[1, 3] == pytest.approx(test.test_statistic, rel=1e-6)
    assert found.details["p_values"][1, 3] == pytest.approx(test.pvalue, rel=1e-6)


def test_pcs_stability_is_a_frequency():
    system = Synthetic(nodes=5, graph_seed=1)
    found = scorer("pc", score="stability", repeats=10).scores(
        system.draw(500, np.random.default_rng(0)), np.random.default_rng(0)
    )
    assert found.matrix.max() <= 1 and (found.matrix + found.matrix.T).max() <= 1 + 1e-12
    assert np.isin(np.round(found.matrix * 20), range(21)).all()


def test_an_arrow_gives_its_whole_score_to_one_direction():
    rng = np.random.default_rng(0)
    a, b = rng.standard_normal((2, 2000))
    c = a + b + 0.5 * rng.standard_normal(2000)
    found = scorer("pc", score="-log10 p").scores(np.column_stack((a, b, c)), rng).matrix
    assert found[0, 2] > 0 and found[1, 2] > 0 and found[2, 0] == found[2, 1] == 0
