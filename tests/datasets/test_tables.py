"""Real tables and users' own files: what is understood, and what is refused."""

import numpy as np
import pandas as pd
import pytest

from tests.each import each
from trueness.datasets import Table, check_usable, load
from trueness.errors import TruenessError

SIZES = {"sachs": (853, 11, 20), "sachs-pooled": (7466, 11, 20), "titanic": (1045, 7, 5), "credit": (653, 16, 7),
         "wine": (1599, 12, 11)}  # fmt: skip


@each("name", SIZES)
def test_real_tables_are_complete_and_say_what_their_truth_is(name):
    dataset = load(name)
    assert (dataset.table.n, dataset.table.d, dataset.truth.n_edges()) == SIZES[name]
    assert dataset.about.truth == ("consensus" if name.startswith("sachs") else "assumed")
    check_usable(dataset.table)


def test_published_figures_of_the_tables_hold():
    wine = pd.DataFrame(load("wine").table.values, columns=load("wine").table.names)
    assert wine["quality"].mean() == pytest.approx(5.6360, abs=5e-5)  # UCI 186, red wine
    titanic = load("titanic").table
    assert titanic.values[:, titanic.names.index("survived")].sum() == 427  # titanic3, complete cases


@pytest.mark.parametrize("name", ["asia", "sachs", "titanic", "synthetic-12"])
def test_anonymous_data_are_the_same_data_without_a_word_of_it(name):
    plain, hidden = load(name), load(name).anonymous()
    first, second = (dataset.draw(50, np.random.default_rng(1)) for dataset in (plain, hidden))
    assert (first.values == second.values).all()
    assert (hidden.truth.marks == plain.truth.marks).all()
    shown = " ".join([*second.names, *hidden.truth.nodes, str(hidden.about), *(str(k) for k in second.levels)])
    if name != "synthetic-12":  # its own names are X0, X1, ... already
        for word in (*plain.truth.nodes, plain.about.title, plain.about.source):
            assert word not in shown.split(), word


# ---- a user's own CSV


@pytest.fixture()
def plant(tmp_path):
    rng = np.random.default_rng(0)
    heat = rng.normal(size=60)
    frame = pd.DataFrame(
        {"heat": heat, "pressure": heat + rng.normal(size=60), "valve": rng.choice(["open", "shut"], 60)}
    )
    frame.to_csv(tmp_path / "plant.csv", index=False)
    (tmp_path / "plant.dot").write_text("digraph { heat -> pressure; valve -> pressure }")
    return tmp_path / "plant.csv", frame


def test_a_csv_with_a_graph_beside_it_works_like_a_name(plant):
    path, frame = plant
    dataset = load(str(path))
    assert {str(edge) for edge in dataset.truth.edges} == {"heat -> pressure", "valve -> pressure"}
    assert dataset.table.levels == (None, None, ("open", "shut"))
    np.testing.assert_allclose(dataset.table.values[:, 0], frame["heat"])
    assert dataset.about.truth == "assumed"


def test_an_edge_list_and_isolated_columns_work(plant):
    path, _ = plant
    (path.parent / "edges.csv").write_text("source,target\nheat,pressure\n")
    dataset = load(f"{path}:{path.parent / 'edges.csv'}")
    assert dataset.truth.nodes == ("heat", "pressure", "valve")
    assert dataset.truth.n_edges() == 1


@pytest.mark.parametrize(
    ("spoil", "message"),
    [
        (lambda f: f.assign(heat=3.2), r"'heat' of plant.csv must vary, got a constant \(all 3.2\)"),
        (
            lambda f: f.assign(heat=f.heat.astype(object).where(f.index != 4, "broken")),
            "'heat' of plant.csv must hold numbers, got 'broken' in row 5",
        ),
        (lambda f: f.head(2), "at least as many rows as columns, got 2 rows and 3 columns"),
        (lambda f: f.rename(columns={"valve": "heat"}), "must be unique, got heat twice"),
        (lambda f: f.rename(columns={"valve": ""}), "column 3 of plant.csv must have a name"),
        (lambda f: f.assign(valve=[f"id{k}" for k in f.index]), "is a node of plant.dot and must be a"),
        (lambda f: f.drop(columns="valve"), "nodes of plant.dot must be columns of plant.csv, got valve"),
    ],
)  # fmt: skip
def test_a_csv_that_cannot_be_used_is_told_in_one_line(plant, spoil, message):
    path, frame = plant
    spoil(frame).to_csv(path, index=False)
    with pytest.raises(TruenessError, match=message) as caught:
        load(str(path))
    assert "\n" not in str(caught.value)


def test_a_table_cannot_be_changed_through_the_array_it_was_made_from():
    array = np.arange(12.0).reshape(4, 3)
    table = Table.of(array)
    array[0, 0] = 99
    assert table.values[0, 0] == 0
    with pytest.raises(ValueError, match="read-only"):
        table.values[0, 0] = 1


# ---- cause-effect pairs
