"""Whole numbers with few values are ordered: how that is guessed, shown, said by hand, and what learners make of it."""

import json

import numpy as np
import pandas as pd
import pytest

import trueness
from tests.each import each
from trueness.cli import main
from trueness.datasets import Table
from trueness.errors import DataError, SettingError
from trueness.graphs import Graph

TRUTH = Graph.from_edges(("a -> c", "b -> c", "c -> d", "c -> e", "d -> f", "b -> g"), tuple("abcdefg"), "dag")


def answers(n=1500, levels=7):
    """Answers from 1 to 7, each moved by the answers that cause it."""
    rng = np.random.default_rng(3)
    frame = pd.DataFrame(index=range(n))
    for node in "abcdefg":
        causes = [c for c in TRUTH.nodes if TRUTH.directed[TRUTH.index(c), TRUTH.index(node)]]
        score = sum((0.4 * frame[c] for c in causes), np.zeros(n)) + rng.normal(size=n)
        frame[node] = np.searchsorted(np.quantile(score, np.arange(1, levels) / levels), score) + 1
    return frame


@pytest.fixture(scope="module")
def likert(tmp_path_factory):
    path = tmp_path_factory.mktemp("likert") / "answers.csv"
    answers().to_csv(path, index=False)
    return path


def f1(learner, table):
    graph = trueness.learner(learner).fit(table, np.random.default_rng(0))
    return trueness.score_graph(graph, TRUTH)["f1"].value


@each("learner", ["ges", "boss", "pc"])
def test_answers_are_read_as_numbers_and_not_as_categories(likert, learner):
    frame = pd.read_csv(likert)
    as_categories, as_numbers = (
        f1(learner, trueness.load(frame, {"kinds": dict.fromkeys(frame, kind)}).table)
        for kind in ("discrete", "continuous")
    )
    ordered = f1(learner, trueness.load(str(likert)).table)
    assert ordered == as_numbers
    if learner != "pc":
        assert ordered > as_categories + 0.1


def test_check_shows_what_is_ordered_and_how_to_change_it(likert, capsys):
    assert main(["check", str(likert)]) == 0
    printed = capsys.readouterr().out
    assert "7 ordered, read as numbers" in printed and "--kinds NAME=discrete takes one as a category" in printed
    assert main(["check", str(likert), "--json"]) == 0
    rows = [row for row in json.loads(capsys.readouterr().out) if "column" in row]
    assert [(row["kind"], row["levels"], row["why"]) for row in rows] == [
        ("ordered", 7, "whole numbers, 7 different")
    ] * 7


def test_codes_that_no_other_column_rises_or_falls_with_are_names(capsys, tmp_path):
    frame = answers()
    frame["region"] = np.random.default_rng(1).integers(1, 5, len(frame))
    for seed, name in enumerate(("a", "g")):
        moved = np.array([0, 1.5, -1.5, 0])[frame["region"] - 1] + np.random.default_rng(seed).normal(size=len(frame))
        frame[name] = np.searchsorted([-1, 0, 1], moved)
    frame.to_csv(tmp_path / "regions.csv", index=False)
    assert main(["check", str(tmp_path / "regions.csv"), "--json"]) == 0
    kinds = {row["column"]: row for row in json.loads(capsys.readouterr().out) if "column" in row}
    assert kinds["region"]["kind"] == "discrete"
    assert kinds["region"]["why"] == "whole numbers, 4 different, whose order does not go with a"
    assert all(kinds[name]["kind"] == "ordered" for name in "abcdefg")


def test_an_ordered_categorical_and_a_list_of_levels_keep_their_order():
    words = ["low", "middle", "high"]
    frame = pd.DataFrame({"mood": words * 30, "x": np.arange(90) / 7})
    typed = frame.assign(mood=pd.Categorical(frame["mood"], words, ordered=True))
    for table in (Table.of(typed), Table.of(frame, kinds={"mood": words})):
        assert table.levels[0] == tuple(words) and table.ordered.tolist() == [True, False]
        assert table.rows(np.arange(9)).as_numbers().values[:3, 0].tolist() == [0, 1, 2]
    with pytest.raises(DataError, match=r"'mood' .* must hold numbers to be ordered, got words .*the lowest first"):
        Table.of(frame, kinds={"mood": "ordered"})
    with pytest.raises(DataError, match="must hold the levels that 'kinds' says .*got high"):
        Table.of(frame, kinds={"mood": words[:2]})
    with pytest.raises(SettingError, match="the levels of 'mood' must be different words, the lowest first"):
        Table.of(frame, kinds={"mood": ["low", "low"]})


def test_learners_take_ordered_columns_beside_words_and_gaps_and_by_counts_where_asked():
    frame = answers(400)
    frame["site"] = np.where(np.random.default_rng(0).random(400) < 0.5, "north", "south")
    frame.loc[:40, "c"] = np.nan
    table = Table.of(frame)
    assert table.kind == "mixed" and table.ordered.sum() == 7
    rng = np.random.default_rng(0)
    assert trueness.learner("pc").fit_details(table).test == "degenerate-gaussian"
    for name, settings in (("ges", {}), ("pc", {"missing": "impute"}), ("boss", {"missing": "complete"})):
        assert set(trueness.learner(name, **settings).fit(table, rng).nodes) == set(table.names)
    whole = Table.of(answers(400))
    assert trueness.learner("pc").fit_details(whole).test == "fisher-z"
    assert trueness.learner("pc", test="chi2").fit_details(whole).test == "chi2"
    assert trueness.learner("ges", score="bdeu").fit(whole, rng).kind == "cpdag"
    assert trueness.learner("lingam").fit(whole, rng).nodes == whole.names
