"""The baselines do what their names say, and settings are checked."""

import numpy as np
import pytest
from scipy import stats

from trueness.datasets import Table, load
from trueness.errors import DataError, MissingExtra, SettingError, TruenessError
from trueness.learners import build, learner


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


def test_random_has_the_edges_it_was_asked_for_on_average():
    table = load("synthetic-12").draw(50, np.random.default_rng(0))
    sizes = [build("random").fit(table, np.random.default_rng(seed)).n_edges() for seed in range(300)]
    assert np.mean(sizes) == pytest.approx(18, abs=0.7)


def test_sortnregress_lives_on_the_scale():
    from trueness.datasets.synthetic import Synthetic
    from trueness.measures.graphs import score_graph

    raw, standard = Synthetic(nodes=12, standardised=False), Synthetic(nodes=12)
    scores = []
    for dataset in (raw, standard):
        found = build("sortnregress").fit(dataset.draw(1000, np.random.default_rng(1)), None)
        scores.append(score_graph(found, dataset.truth)["f1"].value)
    assert scores[0] > 0.85 > scores[1]


def test_settings_are_checked_by_name_type_and_range():
    with pytest.raises(SettingError, match="'aplha' is not a setting of correlation. Did you mean 'alpha'"):
        build("correlation", {"aplha": 0.1})
    with pytest.raises(SettingError, match=r"'alpha' of correlation must be a number in \(0, 1\), got 'x'"):
        build("correlation", {"alpha": "x"})
    with pytest.raises(SettingError, match="'by' of sortnregress must be one of variance, r2"):
        build("sortnregress", {"by": "size"})
    for alpha in (0, 1, 5, -1):
        with pytest.raises(SettingError, match=r"must be a number in \(0, 1\)"):
            learner("causal-learn/pc", alpha=alpha)


def test_an_unknown_learner_gets_the_nearest_name():
    with pytest.raises(TruenessError, match="'corelation' is not a learner. Did you mean 'correlation'"):
        build("corelation")
    with pytest.raises(TruenessError, match="the file nowhere.py is not there"):
        build("nowhere.py:Thing")


def test_a_missing_package_is_one_line_with_the_command(monkeypatch):
    monkeypatch.setattr("trueness.registry.is_installed", lambda package: False)
    with pytest.raises(
        MissingExtra, match=r"needs causal-learn, which is not installed.  pip install 'trueness\[bench\]'"
    ):
        build("causal-learn/pc")


def test_a_learner_of_numbers_refuses_words():
    table = load("titanic").table
    with pytest.raises(
        DataError, match=r"titanic must hold numbers for sortnregress, got text in column 'sex' \(female, male\)"
    ):
        build("sortnregress").fit(table, None)
    with pytest.raises(DataError, match="must hold one kind for PC"):
        build("causal-learn/pc").fit(table, None)
    assert build("sortnregress").fit(table.as_numbers(), None).kind == "dag"


def test_an_array_and_a_frame_are_accepted_as_data():
    import pandas as pd

    values = load("synthetic-12").draw(200, np.random.default_rng(0)).values
    from_array = build("correlation").fit(values, None)
    from_frame = build("correlation").fit(pd.DataFrame(values, columns=[f"X{j}" for j in range(12)]), None)
    assert from_array == from_frame == build("correlation").fit(Table.of(values), None)
