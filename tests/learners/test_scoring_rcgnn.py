"""RC-GNN: the parts of its model, what it finds on easy data, and what it must not depend on."""

import numpy as np
import pytest

from trueness.datasets.observed import Observed
from trueness.datasets.series import VAR
from trueness.errors import DataError
from trueness.learners.scoring.rcgnn import RCGNN
from trueness.measures.ranking import score_ranking

torch = pytest.importorskip("torch")
from trueness.learners.scoring import rcgnn_model as model  # noqa: E402

SIZES = model.Sizes(d=4, lags=1, signal=3, corruption=2, hidden=4, slow=3, regimes=2)
QUICK = RCGNN(steps=20, batch=32, device="cpu")


def parameters(seed=0):
    return model.first_parameters(SIZES, np.random.default_rng(seed))


def rows(seed=0, n=32):
    rng = np.random.default_rng(seed)
    part = lambda *shape: torch.from_numpy(rng.standard_normal(shape)).float()  # noqa: E731
    regime = torch.eye(2)[torch.arange(n) % 2]
    return model.Rows(part(n, 2, 4), torch.ones(n, 2, 4), part(n, 4, 3), regime)


def test_the_two_directions_of_a_pair_compete():
    p = parameters()
    p["gate"][0, 1] = 30.0  # the gate is wide open: what is left to share is 1
    p["direction"][0, 1] = 2.0
    a = model.structure(p)
    assert a[0, 1] + a[1, 0] == pytest.approx(1.0, abs=1e-5)
    assert a[0, 1] > 0.85 and not a.diagonal().any()


def test_a_variable_is_not_predicted_from_itself():
    """Only its own past and its slow level speak for it."""
    p, some = parameters(), rows()
    moved = some._replace(filled=some.filled.clone())
    moved.filled[:, 0, 2] += 5.0
    assert torch.equal(model.predict(p, some).mean[:, 2], model.predict(p, moved).mean[:, 2])
    assert not torch.equal(model.predict(p, some).mean[:, 1], model.predict(p, moved).mean[:, 1])


def test_the_likelihood_is_scipys_student_t():
    from scipy import stats

    p, some = parameters(), rows()
    found = model.predict(p, some)
    got = model.surprise(p, some, some.filled[:, 0], found)
    df = 2 + np.log1p(np.exp(1.0))
    expected = -stats.t.logpdf(some.filled[:, 0].numpy(), df, found.mean.detach(), np.exp(found.log_scale.detach()))
    assert np.allclose(got.detach().numpy(), expected, atol=1e-4)


def test_missing_values_have_no_part_in_the_loss():
    p, some = parameters(), rows()
    some.there[:5, 0, 1] = 0.0
    weights = model.Weights(0.0, 0.0, 0.0, 0.0, 5.0)
    values = some.filled[:, 0].clone()
    one = model.loss(p, some, values, torch.tensor(0.0), weights)
    values[:5, 1] = 1e3
    assert torch.equal(one, model.loss(p, some, values, torch.tensor(0.0), weights))


def test_a_part_shares_everything_with_itself_and_little_with_noise():
    rng = np.random.default_rng(0)
    one, other = (torch.from_numpy(rng.standard_normal((200, 3, 2))).float() for _ in range(2))
    assert float(model.shared(one, one, most=200)) == pytest.approx(1.0, abs=1e-3)
    assert float(model.shared(one, other, most=200)) < 0.2


def test_acyclicity_is_zero_for_a_dag_and_positive_for_a_cycle():
    p = parameters()
    weights = model.Weights(0.0, 1.0, 0.0, 0.0, 5.0)
    some = rows()

    def cycles(directions):
        for name in ("gate", "direction", "weights"):
            p[name].zero_()
        p["gate"].fill_(-30.0)
        for i, j in directions:
            p["gate"][i, j] = 60.0
            p["direction"][i, j] = 20.0
            p["weights"][0, i, 0, j] = 1.0
        with_it, without = (model.loss(p, some, some.filled[:, 0], torch.tensor(x), weights) for x in (1.0, 0.0))
        return float(with_it - without)

    assert cycles([(0, 1), (1, 2)]) == pytest.approx(0.0, abs=1e-4)
    assert cycles([(0, 1), (1, 2), (2, 0)]) > 0.1


def test_it_finds_an_autoregression():
    system = VAR(nodes=5, lags=1, graph_seed=111, noise="laplace")
    found = RCGNN(steps=150, batch=64, device="cpu").scores(
        system.draw(600, np.random.default_rng(0)), np.random.default_rng(1)
    )
    assert score_ranking(found.matrix, system.truth)["auprc"].value >= 0.9


def test_another_seed_gives_other_scores_and_torchs_own_seed_has_no_say():
    data = VAR(nodes=4, lags=1).draw(200, np.random.default_rng(0))
    torch.manual_seed(1)
    one = QUICK.scores(data, np.random.default_rng(0)).matrix
    torch.manual_seed(2)
    assert QUICK.scores(data, np.random.default_rng(0)).matrix.tobytes() == one.tobytes()
    assert not np.array_equal(one, QUICK.scores(data, np.random.default_rng(1)).matrix)


def test_many_at_a_time_are_as_each_alone():
    data = [VAR(nodes=4, lags=1, graph_seed=seed).draw(200, np.random.default_rng(seed)) for seed in range(3)]
    together = QUICK.scores_of_many(data, [np.random.default_rng(seed) for seed in range(3)])
    for seed, (one, found) in enumerate(zip(data, together, strict=True)):
        alone = QUICK.scores(one, np.random.default_rng(seed))
        assert np.allclose(found.matrix, alone.matrix, atol=2e-3)


def test_data_sets_of_different_shapes_are_refused_together():
    data = [VAR(nodes=4, lags=1).draw(n, np.random.default_rng(0)) for n in (100, 120)]
    with pytest.raises(DataError, match="one shape"):
        QUICK.scores_of_many(data, [np.random.default_rng(0)] * 2)


def test_parts_and_their_independence_are_handed_back():
    data = VAR(nodes=4, lags=1).draw(200, np.random.default_rng(0))
    details = QUICK.scores(data, np.random.default_rng(0)).details
    assert details["signal"].shape == (200, 4, QUICK.signal)
    assert details["corruption"].shape == (200, 4, QUICK.corruption)
    assert 0 <= details["disentanglement"] <= 1
    assert (details["df"] > 2).all() and np.isfinite(details["held_out"])


def test_rows_without_order_and_with_regimes_will_do():
    rng = np.random.default_rng(0)
    x = rng.standard_normal((150, 3))
    x[rng.random(x.shape) < 0.2] = np.nan
    data = Observed(("a", "b", "c"), x, (None,) * 3, "rows", np.arange(150) % 3, 0)
    assert QUICK.scores(data, rng).details["effects_by_lag"].shape == (1, 3, 3)
