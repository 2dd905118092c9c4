"""report.pdf before it is drawn: nothing runs over an edge, a head is repeated, two charts do not share an id."""

import io
import re

import pypdf
import pytest

from trueness.showing import pdf
from trueness.showing.paper import Part, Picture
from trueness.showing.tables import Column, Table

CHART = (
    '<?xml version="1.0"?><svg xmlns="http://www.w3.org/2000/svg" width="{w}" height="{h}">'
    '<clipPath id="clip0"/><rect clip-path="url(#clip0)"/><use href="#clip0"/></svg>'
)


def long_table(rows, width=3):
    columns = tuple(Column(f"c{k}", f"Column {k}", "text") for k in range(width))
    return Table("t", columns, [{f"c{k}": f"cell {r}.{k}" for k in range(width)} for r in range(rows)], "A caption.")


def picture(name="chart", w=200, h=100, caption="What is drawn."):
    return Picture(name, caption, CHART.format(w=w, h=h), b"%PDF")


def pages_of(tmp_path, *parts, shared=()):
    """The SVG of every page."""
    laid_out = []

    def as_pdfs(svgs):
        laid_out.extend(svgs)
        writer = pypdf.PdfWriter()
        writer.add_blank_page(pdf.WIDE, pdf.TALL)
        file = io.BytesIO()
        writer.write(file)
        return [file.getvalue()] * len(svgs)

    path = pdf.write_pdf(tmp_path, "mine", parts, shared, as_pdfs)
    assert len(pypdf.PdfReader(path).pages) == len(laid_out)
    return laid_out


def part(**settings):
    return Part("discovery", "An abstract.", ["All of it ran."], ["Done so."], **settings)


def baselines(svg):
    return [float(y) for y in re.findall(r'<text x="[\d.]+" y="([\d.]+)"', svg)]


def test_every_line_of_every_page_is_on_the_page(tmp_path):
    said = [("Findings", [f"Sentence {k}: " + "words and words " * 20 for k in range(40)])]
    pages = pages_of(
        tmp_path, part(sections=said, tables=[long_table(150)], pictures=[picture(h=700), picture(w=2000)])
    )
    assert len(pages) > 4
    for svg in pages:
        assert all(pdf.MARGIN <= y <= pdf.TALL - pdf.MARGIN for y in baselines(svg)[:-1])  # the last is the foot
        assert max(float(x) for x in re.findall(r'<text x="([\d.]+)"', svg)) <= pdf.WIDE - pdf.MARGIN


def test_the_head_of_a_table_stands_on_each_of_its_pages(tmp_path):
    pages = pages_of(tmp_path, part(tables=[long_table(150)]))
    with_rows = [svg for svg in pages if ">cell " in svg]
    assert len(with_rows) > 1 and all(svg.count(">Column 0<") == 1 for svg in with_rows)
    shown = re.findall(r">cell (\d+)\.0<", "".join(pages))
    assert shown == [str(k) for k in range(150)]


def test_a_wide_table_stands_in_parts_at_reading_size_and_loses_no_column(tmp_path):
    svg = "".join(pages_of(tmp_path, part(tables=[long_table(2, width=30)])))
    sizes = [float(size) for size in re.findall(r'font-size="([\d.]+)"[^>]*>cell ', svg)]
    assert len(sizes) == 60 and set(sizes) == {pdf.SMALL}
    assert max(float(x) for x in re.findall(r'<text x="([\d.]+)"[^>]*>cell ', svg)) < pdf.WIDE - pdf.MARGIN


def test_two_charts_of_a_page_have_ids_of_their_own(tmp_path):
    (svg,) = pages_of(tmp_path, part(pictures=[picture("one"), picture("two")]))
    ids = re.findall(r' id="([^"]+)"', svg)
    assert len(ids) == len(set(ids)) == 2
    assert set(re.findall(r"url\(#([^)]+)\)", svg)) == set(re.findall(r'href="#([^"]+)"', svg)) == set(ids)


@pytest.mark.parametrize(("w", "h"), [(2000, 100), (100, 3000), (50, 50)])
def test_a_chart_keeps_its_shape_and_fits(tmp_path, w, h):
    svg = next(svg for svg in pages_of(tmp_path, part(pictures=[picture(w=w, h=h)])) if "clip0" in svg)
    inner = re.search(
        r'<svg x="([\d.]+)" y="([\d.]+)" width="([\d.]+)" height="([\d.]+)" viewBox="0 0 (\d+) (\d+)"', svg
    )
    x, y, wide, tall = map(float, inner.groups()[:4])
    assert (int(inner[5]), int(inner[6])) == (w, h) and wide / tall == pytest.approx(w / h, rel=0.01)
    assert x + wide <= pdf.WIDE - pdf.MARGIN + 0.01 and y + tall <= pdf.TALL - pdf.MARGIN and wide <= w + 0.01


def test_what_a_model_wrote_is_text_on_the_page(tmp_path):
    (svg,) = pages_of(tmp_path, part(sections=[("Findings", ["</text><script>alert(1)</script>\u202e"])]))
    assert "<script>" not in svg and "&lt;script&gt;" in svg and "\u202e" not in svg
