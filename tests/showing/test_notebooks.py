"""What a notebook shows of each object: its numbers, and text as text."""

from trueness.graphs import Graph
from trueness.statistics import paired_difference
from trueness.studies import charts

from .learner_results import HOSTILE, learner_results


def test_a_statistic_shows_its_sentence_and_its_row():
    found = paired_difference([1.0, 2.0, 3.0], [0.5, 1.0, 2.0], ["a", "b", "c"], names=(HOSTILE, "other"))
    html = found._repr_html_()
    assert "<th>p</th>" in html and "&lt;script&gt;" in html and "<script" not in html


def test_a_graph_is_drawn_with_names_as_text():
    graph = Graph.from_edges(["a -> b"]).rename({"a": HOSTILE})
    assert graph._repr_svg_().startswith("<svg") and "<script" not in graph._repr_svg_()


def test_a_figure_shows_its_picture_and_its_caption():
    html = charts.measured(learner_results({"asia": {"pc": 0.9}}))._repr_html_()
    assert html.startswith('<figure><img alt="measured" src="data:image/svg+xml;base64,') and "Descriptive" in html
    assert "<script" not in html
