"""DAG-GNN: its constraint and its bound by hand, a chain found, and one line where torch is not installed."""

import numpy as np
import pytest

from trueness import registry
from trueness.datasets.observed import Observed
from trueness.errors import MissingExtra
from trueness.learners.scoring.daggnn import DAGGNN, acyclicity, evidence_bound
from trueness.measures.ranking import score_ranking

QUICK = DAGGNN(steps=60, rounds=4, rate=0.02)


def test_without_torch_it_says_what_to_install():
    if registry.is_installed("torch"):
        pytest.skip("torch is installed")
    table = Observed(("a", "b"), np.random.default_rng(0).standard_normal((50, 2)), (None, None), "rows")
    with pytest.raises(MissingExtra, match="trueness\\[torch\\]"):
        QUICK.scores(table, np.random.default_rng(0))


def test_the_constraint_is_0_for_a_dag_and_not_for_a_cycle():
    torch = pytest.importorskip("torch", reason="torch is not installed")
    dag = torch.tensor(np.triu(np.ones((4, 4)), 1))
    assert float(acyclicity(dag)) == pytest.approx(0, abs=1e-9)
    assert float(acyclicity(dag + dag.T)) > 1
    assert float(acyclicity(torch.eye(3))) == pytest.approx(0)  # a variable is no cause of itself


def test_the_bound_is_its_formula():
    torch = pytest.importorskip("torch", reason="torch is not installed")
    rng = np.random.default_rng(0)
    shapes = {"a": (3, 3)} | {f"{n} {p}": s for n in ("encoder", "decoder") for p, s in
                              (("in", (1, 4)), ("bias", (4,)), ("out", (4, 1)))}  # fmt: skip
    parts = {name: rng.standard_normal(shape) for name, shape in shapes.items()}
    x = rng.standard_normal((5, 3))
    net = lambda n, v: (np.maximum(v[..., None] @ parts[f"{n} in"] + parts[f"{n} bias"], 0) @ parts[f"{n} out"])[..., 0]  # noqa: E731
    mixing = np.eye(3) - parts["a"] * (1 - np.eye(3))
    z = net("encoder", x) @ mixing
    lost = net("decoder", z @ np.linalg.inv(mixing)) - x
    expected = ((lost**2).sum() + (z**2).sum()) / 10
    found = evidence_bound({name: torch.tensor(part) for name, part in parts.items()}, torch.tensor(x))
    assert float(found) == pytest.approx(expected)


def test_it_ranks_the_edges_of_a_chain_above_chance_and_the_same_each_time():
    pytest.importorskip("torch", reason="torch is not installed")
    from trueness.graphs import Graph

    truth = Graph.from_edges(["a -> b", "b -> c", "c -> d"], tuple("abcd"), "dag")
    rng = np.random.default_rng(0)
    x = rng.standard_normal((600, 4))
    for j in (1, 2, 3):
        x[:, j] += 1.5 * x[:, j - 1]
    table = Observed(tuple("abcd"), x, (None,) * 4, "a chain")
    once, again = (QUICK.scores(table, np.random.default_rng(3)) for _ in range(2))
    assert np.array_equal(once.matrix, again.matrix) and once.details["own_k"] >= 0
    assert score_ranking(once.matrix, truth)["skeleton_auprc"].value > 0.8
