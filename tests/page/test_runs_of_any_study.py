"""What is said of a study's runs is the same before its tables are made and after, and loses no variant."""

import io
from itertools import product

import pytest
from rich.console import Console

from trueness.page.pages import StudyPage
from trueness.running.cells import Cell
from trueness.running.study_folder import StudyFolder
from trueness.showing.chart_measured import measured_frame
from trueness.terminal.print_report import show_reading

from .made_by_hand import TASK, store_study


def cells_of(variants):
    return [
        Cell(item, variant, name, 3, {}, {"item": item, "variant": variant, "who": name})
        for item, variant, name in product(("i", "j"), variants, "ab")
    ]


@pytest.fixture(params=[("short", "long"), ("clean", "long"), ("short",)], ids=" ".join)
def folder(request, tmp_path):
    cells = cells_of(request.param)
    return store_study(tmp_path, stored=cells, planned=cells, measure="f1", about={"chance_f1": 0.2})


def test_the_page_says_the_same_before_and_after_reading(folder):
    pages = []
    for read in (False, True):
        with StudyFolder.reading(folder) as study:
            assert not read or study.readings[TASK]
            pages.append([StudyPage(study).get(name) for name in ("overview", "analysis")])
    assert pages[0] == pages[1]
    assert "Whether a respondent beats chance" in str(pages[0][0])


def test_every_variant_is_told(tmp_path):
    cells = cells_of(("short", "long"))
    folder = store_study(tmp_path, stored=cells, planned=cells)
    out = Console(file=io.StringIO(), width=200)
    with StudyFolder.reading(folder) as study:
        reading = study.readings[TASK]
        show_reading(reading, out, folder)
        findings = "\n".join(line for section in reading.summary().sections for line in section.sentences)
        pairs = str(StudyPage(study).get("analysis"))
        frame = measured_frame(reading.results)
    for name in ("a (short)", "a (long)", "b (short)", "b (long)"):
        for text in (out.file.getvalue(), findings, pairs):
            assert name in text, (name, text)
    assert frame["item"].nunique() == len(cells)
