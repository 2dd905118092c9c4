"""Charts about learners and about consistency: the frame has the numbers of the runs, missing stays missing."""

import pandas as pd
import pytest
from hypothesis import given
from hypothesis import strategies as st

from trueness.graphs import Graph
from trueness.showing.saving import save_figure
from trueness.studies import charts
from trueness.studies.discovery.reading import DiscoveryReading

from .learner_results import HOSTILE, MEANS, learner_results

TRUTH = Graph.from_edges(["a -> b", "c -> b"])


@pytest.fixture(scope="module")
def results():
    return learner_results()


def marks_of(frame, kind):
    return frame[frame["kind"] == kind]


# ---- ranks


def test_mean_ranks_are_the_means_of_the_drawn_ranks(results):
    frame = charts.ranks_of_learners(results).frame
    means = marks_of(frame, "mean").set_index("respondent")["rank"]
    pd.testing.assert_series_equal(
        means, marks_of(frame, "one").groupby("respondent")["rank"].mean()[means.index].astype(float),
        check_dtype=False,
    )  # fmt: skip
    assert list(means.index) == ["pc", "ges", "random"] and means["pc"] == pytest.approx(4 / 3)


def test_a_data_set_with_a_missing_score_ranks_nobody_and_is_counted(results):
    figure = charts.ranks_of_learners(results)
    assert set(marks_of(figure.frame, "one")["dataset"]) == {"asia", "cancer", "child"}
    assert "1 data sets with a missing score are left out" in figure.caption and "over 3 data sets" in figure.caption


def test_the_caption_says_what_so_few_data_sets_cannot_show(results):
    caption = charts.ranks_of_learners(results).caption
    assert "Friedman" in caption and "Holm" in caption and "no difference can reach 0.05" in caption


# ---- runtime and measured


def test_runtime_has_the_median_and_the_range_of_the_fits(results):
    row = charts.runtime_frame(results).set_index(["dataset", "respondent"]).loc[("asia", "pc")]
    assert (row["median"], row["n"], row["planned"]) == (pytest.approx(0.25), 4, 4)
    assert (row["low"], row["high"]) == (pytest.approx(0.115), pytest.approx(0.385))


# ---- dag


def test_an_edge_of_most_graphs_is_in_the_majority_and_one_of_half_is_not():
    often, half = ("a", "->", "b"), ("b", "->", "c")
    found = charts.majority(["a", "b", "c"], [[often, half], [often, half], [often], []], "dag")
    assert [str(edge) for edge in found.graph.edges] == ["a -> b"]
    assert found.share[frozenset("ab")] == 0.75 and found.n == 4


def test_a_pair_has_the_marks_it_has_most_often():
    found = charts.majority(["a", "b"], [[("a", "--", "b")], [("b", "--", "a")], [("a", "->", "b")]], "cpdag")
    assert [str(edge) for edge in found.graph.edges] == ["a -- b"] and found.share[frozenset("ab")] == 1.0


@given(st.lists(st.permutations("abcd"), min_size=1, max_size=9))
def test_the_majority_of_dags_is_a_dag(orders):
    graphs = [[(o[i], "->", o[j]) for i in range(4) for j in range(i + 1, 4)] for o in orders]
    assert charts.majority("abcd", graphs, "dag").graph.is_valid()


def test_dag_names_each_edge_correct_reversed_extra_or_missing():
    graphs = [[("b", "->", "a"), ("a", "->", "c")]]
    frame = charts.dag_frame(TRUTH, {"pc": charts.majority("abc", graphs, "dag")}, "toy")
    told = {frozenset((r.source, r.target)): r.verdict for r in frame[frame["learner"] == "pc"].itertuples()}
    assert told == {frozenset("ab"): "wrong mark", frozenset("ac"): "extra", frozenset("bc"): "missing"}
    assert (frame["verdict"] == "true").sum() == 2


def test_a_name_in_a_drawing_is_text():
    truth = Graph.from_edges(["a -> b"]).rename({"a": HOSTILE})
    svg = charts.dag_chart(truth, {HOSTILE: charts.majority(truth.nodes, [[]], "dag")}).svg
    assert "<script" not in svg and "&lt;script&gt;" in svg


# ---- consistency


def test_a_discovery_study_draws_its_charts_and_saves_their_numbers(results, tmp_path):
    written = DiscoveryReading(learner_results({item: MEANS[item] for item in ("asia", "cancer")})).write_files(
        tmp_path, save_figure
    )
    names = {path.name for path in written}
    for stem in ("measured", "runtime", "ranks_learners", "dag_asia", "dag_cancer"):
        assert {f"{stem}.{form}" for form in ("png", "svg", "pdf", "csv")} <= names
    assert {f"results_summary.{form}" for form in ("csv", "tex", "md")} <= names
    assert all(path.stat().st_size > 60 for path in written)
