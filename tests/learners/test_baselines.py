"""The baselines do what their names say, and settings are checked."""

import numpy as np
import pytest
from scipy import stats

from trueness.datasets import load
from trueness.errors import MissingExtra
from trueness.learners import build


def test_correlation_finds_what_scipy_finds():
    table = load("synthetic-12").draw(300, np.random.default_rng(0))
    graph = build("correlation").fit(table, None)
    for i in range(12):
        for j in range(i):
            p = stats.pearsonr(table.values[:, i], table.values[:, j]).pvalue
            assert graph.adjacent[i, j] == (p < 0.05)


def test_correlation_of_categories_is_the_chi2_test():
    table = load("asia").draw(1000, np.random.default_rng(0))
    graph = build("correlation", {"alpha": 0.01}).fit(table, None)
    for i in range(8):
        for j in range(i):
            counts = np.zeros((2, 2))
            np.add.at(counts, (table.values[:, i].astype(int), table.values[:, j].astype(int)), 1)
            p = stats.chi2_contingency(counts, correction=False).pvalue
            assert graph.adjacent[i, j] == (p < 0.01)


def test_sortnregress_lives_on_the_scale():
    from trueness.datasets.synthetic import Synthetic
    from trueness.measures.graphs import score_graph

    raw, standard = Synthetic(nodes=12, standardised=False), Synthetic(nodes=12)
    scores = []
    for dataset in (raw, standard):
        found = build("sortnregress").fit(dataset.draw(1000, np.random.default_rng(1)), None)
        scores.append(score_graph(found, dataset.truth)["f1"].value)
    assert scores[0] > 0.85 > scores[1]


def test_a_missing_package_is_one_line_with_the_command(monkeypatch):
    monkeypatch.setattr("trueness.registry.is_installed", lambda package: False)
    with pytest.raises(
        MissingExtra, match=r"needs causal-learn, which is not installed.  pip install 'trueness\[bench\]'"
    ):
        build("causal-learn/pc")
