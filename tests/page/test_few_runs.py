"""A range of few runs holds fewer new runs than its name says, and every place that shows one says so."""

import csv
import io
import json
import re

import pytest
from rich.console import Console

from trueness.page.pages import StudyPage
from trueness.running.results import Results
from trueness.running.study_folder import StudyFolder
from trueness.statistics.runs import expected_content
from trueness.studies.forecast.answers import read_forecasts
from trueness.studies.forecast.findings import comparison_texts
from trueness.studies.forecast.tables import main_results, rows
from trueness.studies.reading import as_csv
from trueness.terminal.print_report import show_reading

SHARE = pytest.approx(0.95 * 7 / 9)  # of 8 runs; one learner lost one, and 7 hold 71 %
TOLD = re.compile(
    r"(A range of 8 runs holds about 74|A range of 7 runs holds about 71|Ranges of 7 to 8 runs hold about 71 to 74)"
    " % of new runs, not 95 %\\."
)


def printed(show):
    out = Console(file=io.StringIO(), width=400)
    show(out)
    return out.file.getvalue()


def test_the_terminal_says_it(small):
    with StudyFolder.reading(small) as study:
        for reading in study.readings.values():
            assert TOLD.search(printed(lambda out, reading=reading: show_reading(reading, out, small)))


def test_tables_and_json_say_it(small):
    results = Results.read(small)
    for row in csv.DictReader(io.StringIO(as_csv(results, ["f1"]))):
        wanted = "" if row["degenerate"] == "True" else str(expected_content(int(row["n"])))
        assert row["run_content"] == wanted
    found = json.loads((small / "variance" / "synthetic-8_random_variance.json").read_text())
    assert found["measures"]["shd"]["run_content"] == SHARE
    assert found["convergence"]["shd"][-1]["run_content"] == SHARE
    forecasts = read_forecasts(small)
    text = comparison_texts(forecasts)
    name = next(name for name in text if "synthetic-8" in name and "random" in name)
    assert json.loads(text[name])["measured"]["shd"]["run_content"] == SHARE
    assert TOLD.search(main_results(forecasts, rows(forecasts)).caption)


def test_the_page_says_it(small):
    with StudyFolder.reading(small) as opened:
        page = StudyPage(opened)
        paths = list(page.cell_paths())
        for task in ("discovery", "forecast"):
            path = next(path for path in paths if task in path)
            assert TOLD.search(json.dumps(page.get(path))), path
        assert TOLD.search(json.dumps(page.get("overview")))
