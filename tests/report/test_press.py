"""Many pictures at once: whoever draws them, the files are the same, and none is lost."""

import io
from contextlib import ExitStack

import pandas as pd
import pypdf
import pytest

from assay.report import press as presses
from assay.report.press import ENOUGH, Press
from assay.report.saving import Drawing, Figure

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
    here = [path for figure in figures(ENOUGH) for path in figure.save(tmp_path / "here")]
    there = saved(tmp_path / "there", ENOUGH)
    assert [path.name for path in there] == [path.name for path in here]
    same = [path for path in here if path.suffix != ".pdf"]  # a PDF may name its parts in another order
    assert all(path.read_bytes() == (tmp_path / "there" / path.name).read_bytes() for path in same)
    assert all(path.read_bytes().startswith(b"%PDF") for path in there if path.suffix == ".pdf")


def test_few_pictures_start_no_process(tmp_path, monkeypatch):
    monkeypatch.setattr(presses, "local_executor", None)
    assert all(path.is_file() for path in saved(tmp_path, ENOUGH - 1))


def test_a_picture_that_no_process_drew_is_drawn_here(tmp_path, monkeypatch):
    monkeypatch.setattr(presses, "run_chunk", lambda chunk: [{"status": "failed", "message": "killed"}])
    assert all(path.is_file() for path in saved(tmp_path, ENOUGH))


def test_what_cannot_be_drawn_says_so(tmp_path):
    with ExitStack() as stack:
        press = Press(stack)
        press.save(Figure("broken", pd.DataFrame(), Drawing("<svg"), ""), tmp_path, "")
        with pytest.raises(RuntimeError):
            press.wait()


def test_pages_come_back_in_order():
    with ExitStack() as stack:
        pages = Press(stack).pdfs([SQUARE.format(n=n) for n in (30, 60)])
    first, second = (pypdf.PdfReader(io.BytesIO(page)).pages[0].mediabox.width for page in pages)
    assert second == 2 * first
