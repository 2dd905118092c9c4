"""The baselines are not strawmen: on data made for them they find the graph."""

import numpy as np
import pytest

from trueness.datasets.series import VAR
from trueness.learners.scoring import scorer
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


def test_pcmci_plus_ranks_a_known_autoregression_nearly_perfectly():
    pytest.importorskip("tigramite")
    found = [auprc("pcmci+", VAR(nodes=6, lags=2, graph_seed=seed), seed) for seed in SEEDS[:2]]
    assert np.mean(found) >= 0.9


def test_granger_gives_statsmodels_own_f_and_p():
    from statsmodels.tsa.api import VAR as Autoregression

    data = VAR(nodes=4, lags=2).draw(300, np.random.default_rng(0))
    found = scorer("granger").scores(data, np.random.default_rng(0))
    test = Autoregression(data.values).fit(2).test_causality(3, 1, kind="f")  # 1 -> 3
    assert found.matrix[1, 3] == pytest.approx(test.test_statistic, rel=1e-6)
    assert found.details["p_values"][1, 3] == pytest.approx(test.pvalue, rel=1e-6)
