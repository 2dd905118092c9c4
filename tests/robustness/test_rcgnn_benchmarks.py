"""What benchmarks/rcgnn_air.py and rcgnn_calibration.py compute, against formulas written out."""

import importlib
import sys

import numpy as np
import pytest

from trueness.graphs import Graph
from trueness.learners.scoring.rcgnn import CALIBRATION, edge_probability
from trueness.measures.ranking import score_ranking

LEVELS = np.arange(25) / 24


@pytest.fixture(scope="module")
def benchmark(root):
    sys.path.insert(0, str(root / "benchmarks"))
    yield importlib.import_module
    sys.path.remove(str(root / "benchmarks"))


def record(system=0, d=11, **pairs_and_true):
    """pairs_and_true: of each number of graphs (g0, g24, ...) how many pairs there are, and how many are edges."""
    counts = {int(name[1:]): both for name, both in pairs_and_true.items()}
    pairs, true = ([counts.get(level, (0, 0))[part] for level in range(25)] for part in (0, 1))
    return {"system": system, "corruption": "clean", "series": True, "d": d, "pairs": pairs, "true": true}


@pytest.mark.parametrize("ties", [False, True])
def test_the_areas_of_many_matrices_are_those_of_the_measure(benchmark, ties):
    rng = np.random.default_rng(0)
    scores = rng.integers(0, 4, (5, 6, 6)).astype(float) if ties else rng.random((5, 6, 6))
    scores *= 1 - np.eye(6)
    edges = np.triu(rng.random((6, 6)) < 0.4, 1)
    truth = Graph.from_matrix(edges, tuple("ABCDEF"), direction="row to column")
    expected = [score_ranking(one, truth)["auprc"].value for one in scores]
    assert benchmark("rcgnn_air").auprc(scores, edges) == pytest.approx(expected)


def test_the_k_strongest_are_scored_and_nothing_kept_is_no_edge_found(benchmark):
    edges = np.zeros((3, 3), dtype=bool)
    edges[0, 1] = edges[1, 2] = True
    scores = np.array([[0, 3.0, 2.0], [0, 0, 1.0], [0, 0, 0]])
    at = benchmark("rcgnn_air").at
    assert at(scores, edges, 2) == pytest.approx((0.5, 2.0))  # one of two, so one missed and one too many
    assert at(scores, edges, 3) == pytest.approx((0.8, 1.0))
    assert at(scores, edges, 0) == at(0 * scores, edges, 3) == (0.0, 2.0)


def test_brier_and_calibration_error_by_hand(benchmark):
    """Ten pairs in no graph, one of them true; ten in all graphs, eight true."""
    module, one = benchmark("rcgnn_calibration"), record(g0=(10, 1), g24=(10, 8))
    raw = LEVELS[None]
    assert module.brier([one], raw) == pytest.approx([(1 + 2) / 20])
    assert module.calibration_error([one], raw)[0] == pytest.approx(0.5 * 0.1 + 0.5 * 0.2)
    right = np.where(LEVELS == 1, 0.8, 0.1)[None]
    assert module.calibration_error([one], right)[0] == pytest.approx(0.0)


def test_the_fit_finds_the_map_that_made_the_pairs(benchmark):
    module, made = benchmark("rcgnn_calibration"), (-1.2, 0.9)
    records = []
    for system, d in enumerate((6, 11, 31)):
        true = 1e4 * edge_probability(LEVELS, 24, d, made)
        records.append(record(system, d) | {"pairs": [1e4] * 25, "true": true.tolist()})
    assert module.fitted(records) == pytest.approx(made, abs=1e-3)
    assert module.mapped(records, CALIBRATION[True]).shape == (3, 25)
