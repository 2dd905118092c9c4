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


@pytest.mark.parametrize(
    ("name", "package"), [("pcmci+", "tigramite"), ("lpcmci", "tigramite"), ("varlingam", "lingam")]
)
def test_those_of_other_packages_rank_a_known_autoregression_nearly_perfectly(name, package):
    pytest.importorskip(package)
    nodes, lags = (4, 1) if name == "lpcmci" else (6, 2)  # it takes long
    found = [auprc(name, VAR(nodes=nodes, lags=lags, graph_seed=seed), seed) for seed in SEEDS[:2]]
    assert np.mean(found) >= 0.9


def test_granger_gives_statsmodels_own_f_and_p():
    from statsmodels.tsa.api import VAR as Autoregression

    data = VAR(nodes=4, lags=2).draw(300, np.random.default_rng(0))
    found = scorer("granger").scores(data, np.random.default_rng(0))
    test = Autoregression(data.values).fit(2).test_causality(3, 1, kind="f")  # 1 -> 3
    assert found.matrix[1, 3] == pytest.approx(test.test_statistic, rel=1e-6)
    assert found.details["p_values"][1, 3] == pytest.approx(test.pvalue, rel=1e-6)


def test_dynotears_ranks_a_known_autoregression_nearly_perfectly():
    made = [VAR(nodes=6, lags=2, graph_seed=seed) for seed in SEEDS]
    assert np.mean([auprc("dynotears", system, seed) for seed, system in enumerate(made)]) >= 0.9


def test_dynotears_reaches_the_objective_of_its_formula():
    """The problem written out in numpy and given to scipy's L-BFGS-B: rho at its end, where W is acyclic enough."""
    from scipy.optimize import minimize

    from tests.learners.exponential import expm

    penalty, d, lags = 0.05, 3, 1
    system = VAR(nodes=d, lags=lags, edges_per_node=1.0, contemporaneous=0.5, graph_seed=3)
    data = system.draw(400, np.random.default_rng(0))
    found = scorer("dynotears", lambda1=penalty).scores(data, None).details
    stacked = np.hstack((data.values[1:], data.values[:-1]))
    x, y = np.split((stacked - stacked.mean(axis=0)) / stacked.std(axis=0), 2, axis=1)

    def objective(w, a):
        return np.sum((x - x @ w - y @ a) ** 2) / (2 * len(x)) + penalty * (np.abs(w).sum() + np.abs(a).sum())

    def h(w):
        return np.trace(expm(w * w)) - d

    def penalised(parts, rho):
        w, a = (parts[: 2 * d * d] - parts[2 * d * d :]).reshape(2, d, d)
        return objective(w, a) + rho * h(w)

    w, a = found["effects"]
    assert found["objective"] == pytest.approx(objective(w, a), rel=1e-6) and abs(h(w)) < 1e-7
    held = [(0, 0) if i == j and block == 0 else (0, None) for block in (0, 1) for i in range(d) for j in range(d)]
    parts = np.zeros(4 * d * d)
    for rho in (0.1, 1.0, 10.0, 100.0):
        parts = minimize(penalised, parts, args=(rho,), method="L-BFGS-B", bounds=held * 2).x
    theirs_w, theirs_a = (parts[: 2 * d * d] - parts[2 * d * d :]).reshape(2, d, d)
    assert h(theirs_w) < 1e-3
    assert found["objective"] <= objective(theirs_w, theirs_a) * 1.01
