"""Charts are written as plain tables; they are charts all the same, by Vega-Lite's own schema."""

import json

import pytest

from tests.net.studies import KINDS
from trueness.running.study_folder import StudyFolder
from trueness.showing.vega import Chart, channel, constant, layer


@pytest.mark.slow
@pytest.mark.parametrize("kind", KINDS)
def test_who_asks_a_figure_for_its_chart_is_given_altairs_of_what_was_drawn(kind, small_study):
    checked = 0
    with StudyFolder.reading(small_study(kind)) as study:
        for reading in study.readings.values():
            for figure in reading.figures(study.path):
                if isinstance(figure.drawn, Chart):
                    made = figure.chart.to_dict()  # Altair checks it against the schema
                    assert made.pop("$schema").startswith("https://vega.github.io/schema/vega-lite/")
                    assert made == json.loads(json.dumps(figure.drawn)), figure.name
                    checked += 1
    assert checked


def test_a_channel_is_read_as_altair_reads_it():
    assert channel("share:Q", axis=None) == {"field": "share", "type": "quantitative", "axis": None}
    assert channel("mean(share):Q") == {"aggregate": "mean", "field": "share", "type": "quantitative"}
    assert channel("level") == {"field": "level"}


def test_a_step_leaves_the_chart_it_is_made_from_as_it_was():
    base = Chart({"name": "marks"}).transform_filter("datum.x > 0").encode(x="x:Q")
    point, rule = base.mark("point"), base.transform_filter("datum.y > 0").mark("rule").encode(x2="y:Q", y=constant(3))
    assert point == {**base, "mark": {"type": "point"}} and len(base["transform"]) == 1
    assert rule["encoding"] == {"x": channel("x:Q"), "x2": {"field": "y"}, "y": {"value": 3}}
    both = layer(point, rule)
    assert both["data"] == {"name": "marks"} and "data" not in both["layer"][0] and "data" in point
