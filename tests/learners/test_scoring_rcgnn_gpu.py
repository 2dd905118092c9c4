"""RC-GNN on a GPU: the same graphs as on the CPU. Without a card that is not checked here: benchmarks/rcgnn_gpu.py."""

import importlib.util
import re
from importlib.resources import files

import numpy as np
import pytest

from trueness.datasets.corruptions import corruption
from trueness.datasets.series import VAR
from trueness.datasets.synthetic import Synthetic
from trueness.errors import DataError, MissingExtra, SettingError
from trueness.learners.kernels import rcgnn as loops
from trueness.learners.scoring.rcgnn import RCGNN
from trueness.learners.scoring.rcgnn_gpu import OfTheTables, scores_of_many

QUICK = RCGNN(members=4, settling=2)
SYSTEMS = {
    "series": VAR(nodes=6, lags=2, contemporaneous=0.4, graph_seed=1, rows=300),
    "rows": Synthetic(nodes=6, graph_seed=1, rows=300),
}


@pytest.fixture
def card():
    cupy = pytest.importorskip("cupy", reason="cupy is not installed: the GPU form is not checked")
    if not cupy.is_available():
        pytest.skip("no NVIDIA card: the GPU form is not checked")


def generators(count):
    return [np.random.default_rng(seed) for seed in range(count)]


@pytest.mark.parametrize("kind", SYSTEMS)
def test_with_the_same_random_numbers_the_graphs_are_those_of_the_cpu(card, kind):
    """Regimes and gaps; tables of different numbers of regimes in one batch."""
    names = ("clean", "mcar_40", "regimes", "compound_full_decoy", "severe")
    tables = [corruption(name).of(SYSTEMS[kind], seed=0, rng=np.random.default_rng(0)).observed for name in names]
    many = scores_of_many(QUICK, tables, generators(5), draws=OfTheTables)
    for found, table, rng in zip(many, tables, generators(5), strict=True):
        expected = QUICK.scores(table, rng)
        assert np.array_equal(found.details["frequency"], expected.details["frequency"])
        assert found.matrix == pytest.approx(expected.matrix, abs=1e-8)
        for name in ("signal", "held", "read_error", "effects"):
            assert found.details[name] == pytest.approx(expected.details[name], abs=1e-8), name


def test_tables_of_other_shapes_come_back_in_their_order_and_twice_the_same(card):
    tables = [SYSTEMS[kind].draw(rows, np.random.default_rng(0)) for kind in SYSTEMS for rows in (200, 300)] * 2
    one, other = (scores_of_many(QUICK, tables, generators(8)) for _ in range(2))
    assert all(np.array_equal(a.matrix, b.matrix) for a, b in zip(one, other, strict=True))
    assert [len(found.details["signal"]) for found in one] == [200, 300, 200, 300] * 2
    assert not np.array_equal(one[0].matrix, one[4].matrix)  # the same table, another generator


def test_more_columns_than_a_mask_has_bits_are_refused(card):
    with pytest.raises(DataError, match="at most 64 columns"):
        scores_of_many(QUICK, [np.random.default_rng(0).standard_normal((90, 65))], generators(1))


def test_each_table_has_its_generator():
    with pytest.raises(SettingError, match="one a table, got 1 for 2"):
        scores_of_many(QUICK, [None, None], generators(1))


@pytest.mark.skipif(importlib.util.find_spec("cupy") is not None, reason="cupy is installed")
def test_without_cupy_the_message_says_what_to_install():
    with pytest.raises(MissingExtra, match=re.escape("pip install 'trueness[gpu]'")):
        scores_of_many(QUICK, [SYSTEMS["rows"].draw(50, np.random.default_rng(0))], generators(1))


def test_both_forms_have_the_same_constants():
    source = files("trueness.learners.kernels").joinpath("rcgnn.cu").read_text(encoding="utf-8")
    for name in ("K1", "K2", "GAUSSIAN_LOGCOSH", "NO_GAIN"):
        assert float(re.search(rf"\b{name} = ([-.e\d]+)", source)[1]) == getattr(loops, name)
