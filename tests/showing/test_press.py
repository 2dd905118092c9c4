"""Many pictures at once: whoever draws them, the files are the same; one that cannot be drawn costs no other file."""

import io
from contextlib import ExitStack

import pandas as pd
import pypdf
import pytest

from trueness.showing import drawers
from trueness.showing.drawers import NotDrawn
from trueness.showing.press import Press
from trueness.showing.saving import Drawing, Figure

pytestmark = pytest.mark.usefixtures("new_drawers")
SQUARE = (
    '<svg xmlns="http://www.w3.org/2000/svg" width="{n}" height="9"><rect width="{n}" height="9" fill="red"/></svg>'
)


def figures(n):
    frame = pd.DataFrame({"x": [1]})
    return [Figure(f"square_{k}", frame, Drawing(SQUARE.format(n=k + 5)), f"Square {k}.") for k in range(n)]


def saved(folder, n):
    with ExitStack() as stack:
        press = Press(stack, processes=2)
        written = [path for figure in figures(n) for path in press.save(figure, folder, "")]
        press.wait()
    return written


def test_other_processes_write_what_is_drawn_here(tmp_path):
    here = [path for figure in figures(8) for path in figure.save(tmp_path / "here")]
    there = saved(tmp_path / "there", 8)
    assert [path.name for path in there] == [path.name for path in here]
    same = [path for path in here if path.suffix != ".pdf"]  # a PDF may name its parts in another order
    assert all(path.read_bytes() == (tmp_path / "there" / path.name).read_bytes() for path in same)
    assert all(path.read_bytes().startswith(b"%PDF") for path in there if path.suffix == ".pdf")


def test_a_picture_that_cannot_be_drawn_costs_no_other(tmp_path):
    """Its numbers are there, its older picture is not, and one line says why."""
    one, two = figures(2)
    with ExitStack() as stack:
        press = Press(stack)
        (tmp_path / "broken.svg").write_text("of an earlier report")
        told = press.save(Figure("broken", one.frame, Drawing("<svg"), ""), tmp_path, "")
        fine = press.save(two, tmp_path, "")
        press.wait()
    assert (
        {path.name for path in told if path.exists()} == {"broken.csv"} == {p.name for p in set(told) - press.missing}
    )
    assert all(path.is_file() for path in fine)
    (note,) = press.notes()
    assert note.startswith("1 chart was left out") and "\n" not in note


ENDS = """
import os
os.kill(os.getpid(), 6)
"""


def test_a_renderer_that_ends_its_process_is_told_and_not_tried_for_ever(tmp_path, monkeypatch):
    """As under `ulimit -v`: the empty picture that is drawn first does not come back either."""
    (tmp_path / "vl_convert.py").write_text(ENDS)
    monkeypatch.setenv("PYTHONPATH", str(tmp_path))
    begun = []
    run = drawers.run_chunk
    monkeypatch.setattr(drawers, "run_chunk", lambda chunk: begun.append(chunk) or run(chunk))
    with ExitStack() as stack:
        press = Press(stack, processes=1)
        told = [path for figure in figures(20) for path in press.save(figure, tmp_path / "out", "")]
        press.wait()
        with pytest.raises(NotDrawn, match="died"):
            press.pdfs([SQUARE.format(n=9)])
    assert {path.suffix for path in told if path.exists()} == {".csv"}
    assert press.notes()[0].startswith("20 charts were left out") and len(begun) < 9


def test_pages_come_back_in_order():
    with ExitStack() as stack:
        pages = Press(stack).pdfs([SQUARE.format(n=n) for n in (30, 60)])
    first, second = (pypdf.PdfReader(io.BytesIO(page)).pages[0].mediabox.width for page in pages)
    assert second == 2 * first
