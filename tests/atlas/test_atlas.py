"""The atlas: what it sees of a table, what it answers, and that both follow what makes learning hard."""

import numpy as np
import pytest

from tests.each import each
from trueness.atlas import LEARNERS, entry_of, place_of
from trueness.atlas.features import FEATURES, features_of
from trueness.datasets import Table, load
from trueness.datasets.synthetic import Synthetic
from trueness.learners import build
from trueness.measures.graphs import Reference

TAUS = (0.025, 0.1, 0.25, 0.5, 0.75, 0.9, 0.975)


def seen(table):
    return dict(zip(FEATURES, features_of(table), strict=True))


def of(values, levels=None):
    names = tuple(f"c{j}" for j in range(values.shape[1]))
    return Table(names, values, levels or (None,) * values.shape[1])


@pytest.fixture(scope="module")
def asia():
    return load("asia").draw(500, np.random.default_rng(0))


def test_names_and_the_order_of_columns_do_not_matter(asia):
    order = np.random.default_rng(1).permutation(asia.d)
    other = Table(tuple(f"x{k}" for k in range(asia.d)), asia.values[:, order], tuple(asia.levels[k] for k in order))
    assert features_of(other) == pytest.approx(features_of(asia), abs=1e-9)


def test_features_against_worked_cases():
    rng = np.random.default_rng(0)
    x = rng.standard_normal(4000)
    y = x + rng.standard_normal(4000)
    found = seen(of(np.stack([x, y, rng.exponential(size=4000)], 1)))
    assert found["log_rows"] == np.log(4000) and found["log_columns"] == np.log(3)
    assert found["r2_most"] == pytest.approx(np.corrcoef(x, y)[0, 1] ** 2, abs=0.01)  # x on y; the third tells nothing
    assert found["marginal_share"] == pytest.approx(1 / 3) and found["partial_degree"] == pytest.approx(2 / 3)
    assert found["skewness"] == pytest.approx(2 / 3, abs=0.15)  # an exponential has 2
    two = np.repeat([[0, 0], [1, 1], [2, 2]], 50, axis=0).astype(float)
    assert seen(of(two, (("a", "b", "c"),) * 2))["marginal"] == pytest.approx(1)  # canonical correlations of 1


@pytest.mark.parametrize(
    ("feature", "made"),
    [
        ("bent", lambda x, z, e: np.sin(3 * x) + e),
        ("products", lambda x, z, e: x * z + e),
        ("fanning", lambda x, z, e: e * np.exp(x)),
    ],
)
def test_each_shape_is_seen_where_it_is(feature, made):
    """Beside a straight relation of the same columns, and a table of eight bins where nothing depends on anything."""
    rng = np.random.default_rng(3)
    x, z, e = rng.standard_normal((3, 2000))
    odd, straight, none = (seen(of(np.stack([x, z, y], 1)))[feature] for y in (made(x, z, e), x + z + e, e))
    assert odd > 2 * straight + 1 and odd > 2 * none + 1


@each("odd", ["constant", "gaps", "copy", "short", "wide"])
def test_odd_tables_have_a_place(odd):
    values = np.random.default_rng(3).standard_normal((60, 4))
    if odd == "constant":
        values[:, 1] = 5.0
    elif odd == "gaps":
        values[:, 1] = np.nan
    elif odd == "copy":
        values[:, 1] = values[:, 0]
    elif odd == "short":
        values = values[:3]
    else:
        values = np.random.default_rng(4).standard_normal((30, 90))
    place = place_of(of(values))
    assert np.isfinite(features_of(of(values))).all()
    for learner in LEARNERS:
        assert 0 <= place.expects(learner) <= 1
    assert ("log_columns" in place.beyond) == (odd == "wide")


def test_it_knows_that_lingam_needs_noise_that_is_not_gaussian():
    rng = np.random.default_rng(6)
    skewed, gaussian = (
        place_of(Synthetic(8, 1.2, noise=noise).draw(2000, rng)) for noise in ("exponential", "gaussian")
    )
    assert skewed.expects("lingam") > gaussian.expects("lingam") + 0.2


@pytest.mark.parametrize("learner", ["pc", "boss"])
def test_it_comes_nearer_than_one_number_for_all(learner):
    """On systems of its kind that it has not seen, each with another graph."""
    told, came = [], []
    for seed in range(12):
        system = Synthetic(6 + seed, 1.0 + 0.1 * seed, graph_seed=900 + seed, noise=["gaussian", "laplace"][seed % 2])
        rng = np.random.default_rng(seed)
        n = [100, 400, 1600][seed % 3]
        table = system.draw(n, rng)
        told.append(place_of(table).expects(learner))
        came.append(Reference(system.truth).score(build(learner, {}).fit(table, rng), ("f1",))["f1"].value or 0.0)
    told, came = np.array(told), np.array(came)
    assert np.corrcoef(told, came)[0, 1] > 0.4


def test_a_learner_is_known_by_base_and_settings():
    assert entry_of("pc", {}) == "pc" and entry_of("pc", {"alpha": 0.01}) == "pc (alpha .01)"
    assert entry_of("pc", {"alpha": 0.2}) is None and entry_of("score", {}) is None
    assert entry_of("notears", {}) == entry_of("notears", {"solver": "scaled"}) == "notears"
