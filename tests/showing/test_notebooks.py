"""What a notebook shows of each object: its numbers, and text as text."""

from trueness.graphs import Graph
from trueness.intervals import Distribution, Interval
from trueness.learners.stability import Stability
from trueness.statistics import paired_difference
from trueness.studies import charts

from .learner_results import HOSTILE, learner_results


def test_an_interval_shows_its_ends_its_level_and_what_it_is_of():
    assert Interval(0.1, 0.25, 0.95, "mean")._repr_html_() == "<b>[0.1, 0.25]</b> 95 % CI of the mean"


def test_a_distribution_shows_every_level():
    html = Distribution(("yes", HOSTILE), (0.25, 0.75), 8)._repr_html_()
    assert "25.0 %" in html and "n = 8" in html and "<script" not in html


def test_a_statistic_shows_its_sentence_and_its_row():
    found = paired_difference([1.0, 2.0, 3.0], [0.5, 1.0, 2.0], ["a", "b", "c"], names=(HOSTILE, "other"))
    html = found._repr_html_()
    assert "<th>p</th>" in html and "&lt;script&gt;" in html and "<script" not in html


def test_results_show_each_cell_with_n_and_interval_and_a_dash_for_nothing():
    html = learner_results({"asia": {HOSTILE: 0.9, "ges": None}})._repr_html_()
    assert "4 / 4" in html and "0.9 [" in html and "<td>0 / 4</td><td>-</td>" in html and "<script" not in html


def test_a_graph_and_a_stability_are_drawn_with_names_as_text():
    graph = Graph.from_edges(["a -> b"]).rename({"a": HOSTILE})
    assert graph._repr_svg_().startswith("<svg") and "<script" not in graph._repr_svg_()
    never = Stability("PC", graph.nodes, "dag", 5, {}, (), (), (), 0.5, 0.95)
    assert "&lt;script&gt;" in never._repr_svg_() and "<script" not in never._repr_svg_()


def test_a_figure_shows_its_picture_and_its_caption():
    html = charts.measured(learner_results({"asia": {"pc": 0.9}}))._repr_html_()
    assert html.startswith('<figure><img alt="measured" src="data:image/svg+xml;base64,') and "Descriptive" in html
    assert "<script" not in html
