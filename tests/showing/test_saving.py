"""Files of figures: names that act, numbers that read back, pictures that say what they show."""

import csv
import io
import json
import re
from datetime import UTC, datetime

import altair as alt
import numpy as np
import pandas as pd
import pytest
from hypothesis import given
from hypothesis import strategies as st

from trueness.showing import saving
from trueness.showing.drawers import NotDrawn
from trueness.showing.rendering import pictures_of
from trueness.showing.saving import Drawing, Figure, csv_text, plain, plain_records, plain_rows, safe_name, source_of

SQUARE = '<svg xmlns="http://www.w3.org/2000/svg" width="9" height="9"><rect width="9" height="9"/></svg>'
FRAME = pd.DataFrame({"x": [1.0]})


@given(st.lists(st.floats(allow_nan=False), max_size=8))
def test_numbers_of_a_csv_read_back_exactly(values):
    rows = list(csv.DictReader(io.StringIO(csv_text(pd.DataFrame({"x": values}, dtype=float)))))
    assert [float(row["x"]) for row in rows] == values


def test_a_missing_number_is_an_empty_cell_and_a_formula_is_text():
    text = csv_text(pd.DataFrame({"=a": [1.5, None], "name": ["=1+1", "-2"]}))
    rows = list(csv.reader(io.StringIO(text)))
    assert rows[2][0] == "" and rows[1][0] == "1.5"
    assert not rows[0][0].startswith("=") and not rows[1][1].startswith("=")


@given(st.text(max_size=300), st.text(max_size=20))
def test_a_file_name_names_a_file_of_its_folder(first, second):
    name = safe_name(first, second)
    assert "/" not in name and "\\" not in name and "\0" not in name and not name.startswith(".")
    assert name == safe_name(first, second) and 0 < len(name.encode()) <= 255


def test_two_names_have_two_files():
    assert len({safe_name(name) for name in ("a b*", "a b?", "a b", "x" * 300, "x" * 301)}) == 5


@pytest.mark.parametrize(
    ("value", "as_json"),
    [
        (np.float64(0.5), 0.5), (np.int64(3), 3), (np.bool_(True), True), (float("nan"), None), (np.inf, None),
        (pd.NA, None), (None, None), ("text", "text"), ((1, np.nan), [1, None]), ({1: np.float32(0.5)}, {"1": 0.5}),
        (datetime(2026, 1, 2, tzinfo=UTC), "2026-01-02 00:00:00+00:00"),
    ],
)  # fmt: skip
def test_every_value_becomes_one_that_json_can_hold(value, as_json):
    assert plain(value) == as_json
    json.dumps(plain(value), allow_nan=False)


def test_rows_and_records_hold_nothing_for_what_is_missing():
    frame = pd.DataFrame({"x": [0.5, np.nan], "name": ["a", None]})
    assert plain_records(frame) == plain_rows(frame) == [{"x": 0.5, "name": "a"}, {"x": None, "name": None}]
    assert plain_records(frame.iloc[:0]) == []


def chart():
    made = alt.Chart(alt.NamedData(name="marks")).mark_point().encode(x="x:Q")
    made.datasets = {"marks": [{"x": 1, "name": "a\u202eb"}]}
    return made


def test_a_chart_is_described_once_and_stays_as_it_was():
    made = chart()
    source = source_of(made)
    assert source["datasets"]["marks"][0]["x"] == 1 and "\u202e" not in json.dumps(source, ensure_ascii=False)
    assert made.datasets == {"marks": [{"x": 1, "name": "a\u202eb"}]}


def test_a_saved_picture_says_what_it_shows(tmp_path):
    written = Figure("square", FRAME, Drawing(SQUARE), 'A "square" <b>').save(tmp_path, ("svg",))
    assert [path.name for path in written] == ["square.svg", "square.csv"]
    assert "<desc>A &quot;square&quot; &lt;b&gt;</desc>" in written[0].read_text()
    assert written[1].read_text() == "x\n1.0\n"


def test_numbers_are_written_where_no_picture_can_be(tmp_path, monkeypatch):
    def no_picture(source, formats):
        raise NotDrawn("no room")

    monkeypatch.setattr(saving, "pictures", no_picture)
    figure = Figure("square", FRAME, Drawing(SQUARE), "A square")
    with pytest.raises(NotDrawn):
        figure.save(tmp_path)
    assert [path.name for path in tmp_path.iterdir()] == ["square.csv"]
    assert "No picture: no room" in figure._repr_html_() and "A square" in figure._repr_html_()


def test_a_png_is_at_least_1200_pixels_wide():
    for points in (100, 486, 900):
        svg = f'<svg xmlns="http://www.w3.org/2000/svg" width="{points}" height="10" viewBox="0 0 {points} 10"></svg>'
        png = pictures_of(svg, ("png",))["png"]
        assert 1200 <= int.from_bytes(png[16:20], "big") <= max(1205, 2 * points)


def test_a_picture_does_not_hang_on_what_was_drawn_before():
    """The renderer numbers its clips and gradients on; in any process, a chart's bytes are its own."""
    frame = pd.DataFrame({"x": [0, 1, 2], "y": [0.0, 1.0, 2.0]})
    chart = alt.Chart(frame).mark_area(clip=True).encode(x="x:Q", y="y:Q")
    heat = alt.Chart(frame).mark_rect().encode(x="x:O", color="y:Q")
    sources = [source_of(chart), source_of(heat)]
    first, again = ([pictures_of(source, ["svg"])["svg"] for source in sources] for _ in range(2))
    assert first == again and all(b'id="part0_' in svg for svg in first)
    assert not set(re.findall(rb'id="(part\w+)"', first[0])) & set(re.findall(rb'id="(part\w+)"', first[1]))
