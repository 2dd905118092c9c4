"""report.html: what is in the file, what is sampled, what cannot break out of it."""

import json
import re

import pytest

from tests.each import each
from trueness.errors import UnknownName
from trueness.page import standalone
from trueness.page.figures import chart_rows, python_line
from trueness.page.page import html_of, policy, script_json
from trueness.page.pages import StudyPage, path_of
from trueness.page.standalone import document_of, spread
from trueness.running.study_folder import StudyFolder

from .conftest import HOSTILE


def charts_of(folder):
    return chart_rows(folder, ("plots",), ("intervals_f1",))


@pytest.fixture(scope="module")
def study(small):
    with StudyFolder.reading(small) as opened:
        yield StudyPage(opened)


@pytest.fixture(scope="module")
def text(small):
    return (small / "report.html").read_text(encoding="utf-8")


def test_nothing_is_loaded_from_elsewhere(text):
    page = re.sub(r'<script type="application/json".*?</script>', "", text, flags=re.DOTALL)
    assert not re.search(r'(?:src|href)="(?!#|data:)', page)
    assert "@import" not in page and "connect-src &#x27;none&#x27;" in page


def test_what_a_model_wrote_cannot_leave_its_string(text):
    assert HOSTILE[:20] not in text and "</style></textarea>" not in text
    assert text.count("<script") == 2 and text.count("</script>") == 2
    assert text.isascii() or "\u202e" not in text


@each("value", ["</script><script>", "\u2028\u2029", "\ud800", "<!--", "&lt;", float("nan"), "\x00"])
def test_embedded_json_reads_back_and_holds_no_markup(value):
    found = script_json({"x": value})
    assert not set("<>&\u2028\u2029") & set(found) and found.isascii()
    assert json.loads(found)["x"] == (None if value != value else value)


def test_the_policy_names_our_script_and_style_alone(text):
    import base64
    import hashlib

    script = re.findall(r"<script>(.*?)</script>", text, flags=re.DOTALL)[0]
    digest = base64.b64encode(hashlib.sha256(script.encode()).digest()).decode()
    assert f"script-src 'sha256-{digest}'" in policy(served=False)
    assert "unsafe" not in policy(served=True)


def test_the_matrix_has_the_numbers_of_the_tables(study, small):
    from trueness.running.results import Results

    grid = study.get("grid/discovery")
    summaries = Results.read(small).summaries
    for place, cell in enumerate(summaries):
        mean, low, high, n = grid["values"]["f1"][place]
        found = cell.measures["f1"]
        assert (mean, low, high, n) == pytest.approx((found.mean, found.min, found.max, found.n), rel=1e-4)


def test_a_reference_stands_under_every_formulation(study):
    grid = study.get("grid/forecast")
    names = [one["name"] for one in grid["respondents"]]
    facets = {names[cell[1]]: set() for cell in grid["cells"]}
    for cell in grid["cells"]:
        facets[names[cell[1]]].add(cell[3])
    assert facets["baseline/heuristic"] == {-1} and facets["mock/overconfident"] == {0, 1}


def test_a_refusal_is_missing_and_never_a_number(study):
    grid = study.get("grid/forecast")
    place = next(k for k, cell in enumerate(grid["cells"]) if grid["respondents"][cell[1]]["name"] == "mock/refuses")
    assert all(values[place] is None for values in grid["values"].values())
    assert grid["statuses"][place] == {"refused": 1}


def test_a_large_study_keeps_a_stated_sample(study, monkeypatch):
    monkeypatch.setattr(standalone, "CELLS", 20_000)
    document = document_of(study)
    kept = [path for path in document["data"] if path.startswith("cell/")]
    said = re.search(rf"{len(kept)} of (\d+) cells", document["sample"])
    assert 0 < len(kept) < int(said[1])
    assert {path.split("/")[1] for path in kept} == {"discovery", "forecast"}
    assert said[0] in html_of(document)


@each("n", [0, 1, 2, 3, 10, 97, 100, 1000])
def test_a_sample_is_even_and_misses_nothing(n):
    paths = [str(k) for k in range(n)]
    found = list(spread(paths))
    assert sorted(found, key=int) == paths
    if n >= 10:
        first = sorted(int(k) for k in found[: n // 2])
        assert first[0] < n / 4 and first[-1] > 3 * n / 4


def test_the_intervals_of_a_cell_are_those_of_the_tables(study, small):
    from trueness.running.results import Results

    cell = study.get(path_of("cell", "discovery", "cancer", "clean", "pc"))
    table = next(block for block in cell["blocks"] if block.get("title") == "Measures")
    shown = [dict(zip(table["columns"], row, strict=True)) for row in table["rows"]]
    found = next(c for c in Results.read(small).summaries if (c.item, c.respondent) == ("cancer", "pc"))
    for row, summary in zip(shown, found.measures.values(), strict=True):
        assert row["CI"] == (None if summary.ci is None else [summary.ci.low, summary.ci.high])
        assert row["missing"] == ", ".join(f"{status} {n}" for status, n in summary.missing.items())


def test_every_chart_of_a_study_has_its_line_of_python(small):
    names = {figure["name"] for figure in charts_of(small)}
    assert names
    for name in (*names, "heatmap_covers_mean_respondent_dataset"):
        made = {}
        exec(python_line(name, small), made)
        assert made["figure"].name == name and len(made["figure"].frame)
    with pytest.raises(UnknownName, match="somebody_elses"):
        exec(python_line("somebody_elses", small), {})


def test_a_plan_that_was_replaced_leaves_no_numbers_behind(copy):
    """Units of an earlier plan stay in the store; they are not this study's."""
    import sqlite3

    db = sqlite3.connect(copy / "study.db")
    columns = "task, item, variant, respondent, 99, status, message, seconds, answer"
    db.execute(f"INSERT INTO runs SELECT NULL, 'old', {columns} FROM runs WHERE task = 'discovery' LIMIT 1")
    db.execute("INSERT INTO scores SELECT last_insert_rowid(), 'f1', 1000.0, 'ok'")
    db.commit()
    with StudyFolder.reading(copy) as opened:
        page = StudyPage(opened)
        assert all(values[2] <= 1 for values in page.get("grid/discovery")["values"]["f1"])
        assert page.get("progress")["tasks"][0]["done"] == 48
