"""The page in a real browser: from disk and served, light and dark, with replies that want to be more than text."""

import json
import re
import shutil
import sqlite3
from contextlib import closing

import pytest

from trueness.page.standalone import write_page
from trueness.running.study_folder import StudyFolder

from .conftest import HOSTILE, MEGABYTE, RANGES

HOSTILE_CELL = "#cell?task=forecast&item=asia%2Fpc&variant=direct%2Fnamed%2Ffull%2Ftold%2Frun&respondent=mock%2Fhostile"
LONG_CELL = HOSTILE_CELL.replace("asia%2Fpc", "cancer%2Fpc")


def disk(folder):
    return (folder / "report.html").as_uri()


def opened(watched, url):
    watched.page.goto(url)
    watched.page.wait_for_selector("main h1")
    return watched.page


def reply_text(page):
    return page.locator(".exchange .said").nth(1).evaluate("node => node.textContent")


@pytest.mark.parametrize("how", ["disk", "served"])
def test_overview_to_cell_to_reply_in_three_clicks(small, serve, page, how):
    start = disk(small) if how == "disk" else serve(small).address
    found = opened(page, start)
    assert found.locator("h1").inner_text() == "small"
    assert found.locator(".checks li").count() >= 4
    found.click("nav a[data-tab=matrix]")
    found.click(".matrix td > a[aria-label^='asia/pc, mock/overconfident']")
    found.wait_for_selector("mark")
    assert found.locator("mark").all_text_contents() == ["[0.900, 0.901]"] * 3 + ["[2, 3]"]
    assert "measured" in found.locator("[data-measure=f1]").inner_text()
    assert found.locator("a.chip", has_text="interval").count() == 1  # the other formulation
    assert page.errors == [] and page.strangers() == []


def test_every_statistic_of_a_sentence_is_a_click_away_and_leaves_no_gap(small, page):
    found = opened(page, disk(small))
    assert found.locator(".standings").count() == 2  # a small table beside each headline
    items = found.locator(".sentences li", has=found.locator("button", has_text="how"))
    assert items.count() and not [
        text for text in items.all_inner_texts() if re.search(r" [;:.,]|\([^()]{48,}\)", text)
    ]
    items.first.locator("button").click()
    assert re.search(r" \([^()]{48,}\)", items.first.inner_text())


@pytest.mark.parametrize("how", ["disk", "served"])
def test_what_a_model_writes_is_shown_as_text(small, serve, page, how):
    base = disk(small) if how == "disk" else serve(small).address_of("study/")
    found = opened(page, base + HOSTILE_CELL)
    found.wait_for_selector("mark")
    assert reply_text(found) == HOSTILE + RANGES
    assert found.evaluate("window.hacked") is None
    assert found.locator("main script, main img, main style").count() == 0
    assert page.errors == [] and page.strangers() == []


def test_a_reply_of_a_megabyte_is_shown_whole_when_asked_for(small, serve, page):
    found = opened(page, serve(small).address_of("study/") + LONG_CELL)
    found.click("button:has-text('Show all')")
    assert reply_text(found) == RANGES + MEGABYTE
    assert found.locator("mark").count() == 4
    assert page.errors == []


def test_f1_and_shd_of_the_page_are_those_of_the_measures(small, page):
    from trueness.datasets import load
    from trueness.graphs import Graph
    from trueness.measures.graphs import Reference
    from trueness.studies.item_graphs import reverse_marks

    found = opened(page, disk(small) + "#graphs?item=asia&learner=pc&k=5")
    book = json.loads(found.locator("#document").evaluate("node => node.textContent"))
    graph = book["data"]["graph/discovery/asia"]
    nodes, kept = graph["nodes"], graph["learners"]["pc"]["edges"][:5]
    ends = [(nodes[j], reverse_marks(m), nodes[i]) if m == "<-" else (nodes[i], m, nodes[j]) for i, j, m, _ in kept]
    edges = [" ".join(end) for end in ends]
    scores = Reference(load("asia").truth).score(Graph.from_edges(edges, nodes, kind="cpdag"))
    assert found.locator("[data-score=F1]").inner_text() == f"{scores['f1'].value:.2f}"
    assert found.locator("[data-score=SHD]").inner_text() == f"{scores['shd'].value:g}"


def test_a_filter_is_still_there_after_a_reload(small, page):
    found = opened(page, disk(small) + "#matrix?task=forecast")
    all_rows = found.locator(".matrix tbody tr").count()
    found.fill("input[type=search]", "asia")
    found.select_option("select >> nth=1", label="runs covered")
    few = found.locator(".matrix tbody tr").count()
    found.reload()
    found.wait_for_selector(".matrix")
    assert found.locator(".matrix tbody tr").count() == few < all_rows
    assert found.input_value("input[type=search]") == "asia"
    assert "measure=coverage_runs" in found.url


def test_arrows_move_enter_opens_escape_comes_back(small, page):
    found = opened(page, disk(small) + "#matrix?task=discovery")
    found.locator(".matrix td > a").first.focus()
    for key in ("ArrowRight", "ArrowDown", "Enter"):
        found.keyboard.press(key)
    found.wait_for_selector("#back")
    assert found.locator("h1").inner_text() == "cancer" and "random" in found.locator("p.lead").inner_text()
    found.keyboard.press("Escape")
    found.wait_for_selector(".matrix")
    assert page.errors == []


@pytest.mark.parametrize(("scheme", "width"), [("light", 390), ("dark", 1280)])
@pytest.mark.parametrize("view", ["overview", "matrix", "graphs", "analysis", "figures"])
def test_every_view_opens_without_an_error_and_without_scrolling_sideways(small, browser, view, scheme, width):
    from .conftest import Watched

    context = browser.new_context(viewport={"width": width, "height": 800}, color_scheme=scheme)
    watched = Watched(context.new_page())
    found = opened(watched, f"{disk(small)}#{view}")
    assert found.evaluate("document.documentElement.scrollWidth") <= width + 1
    ground = found.evaluate("getComputedStyle(document.body).backgroundColor")
    assert (sum(map(int, re.findall(r"\d+", ground)[:3])) < 200) == (scheme == "dark")
    assert watched.errors == [] and watched.strangers() == []
    context.close()


def test_a_chart_brings_its_data_its_pdf_and_its_code(small, page, tmp_path, monkeypatch):
    found = opened(page, disk(small) + "#figures")
    figure = found.locator("#figure-intervals_f1")
    for label, start in (("Data (CSV)", b"kind,"), ("PDF", b"%PDF"), ("PNG", b"\x89PNG"), ("SVG", b"<svg")):
        with found.expect_download() as download:
            figure.locator(".actions > *", has_text=re.compile(f"^{re.escape(label)}$")).click()
        download.value.save_as(tmp_path / "file")
        assert (tmp_path / "file").read_bytes().startswith(start), label
    code = figure.locator("code").text_content()
    made = {}
    monkeypatch.chdir(small.parent)  # a file that is handed on names its folder, not where that lies
    exec(code, made)
    assert made["figure"].name == "intervals_f1"
    assert page.errors == []


def test_a_note_is_kept_and_a_misread_reply_becomes_a_test_case(copy, serve, page):
    found = opened(page, serve(copy).address_of("copy/") + HOSTILE_CELL)
    found.click("summary:has-text('Note or misread')")
    found.fill("textarea", "F1 is <b>wider</b>")
    found.check(".note input[type=checkbox]")
    found.click("button:has-text('Save note')")
    found.wait_for_selector(".saved p")
    found.reload()
    found.wait_for_selector(".saved p")
    assert "F1 is <b>wider</b>" in found.locator(".saved").inner_text()
    case = json.loads(found.request.get(found.url.split("#")[0] + "misread.jsonl").text())
    assert case["text"] == HOSTILE + RANGES and case["note"] == "F1 is <b>wider</b>"
    assert page.errors == []


def test_new_cells_appear_without_a_reload(copy, serve, page):
    """The last runs are taken away and come back while the page is open, as if another process wrote them."""
    db = sqlite3.connect(copy / "study.db")
    kept = db.execute("SELECT * FROM runs WHERE item = 'synthetic-8' AND respondent = 'random'").fetchall()
    db.execute("DELETE FROM runs WHERE item = 'synthetic-8' AND respondent = 'random'")
    db.commit()
    found = opened(page, serve(copy).address_of("copy/") + "#matrix?task=discovery")
    assert found.locator(".matrix a.missing").count() == 1
    found.evaluate("window.same = true")
    db.executemany(f"INSERT INTO runs VALUES ({', '.join('?' * len(kept[0]))})", kept)
    db.commit()
    found.wait_for_selector(".matrix a.missing", state="detached")
    assert found.evaluate("window.same") is True
    assert page.errors == []


def test_the_page_prints_light_and_without_controls(small, page):
    found = opened(page, disk(small) + "#matrix")
    found.emulate_media(media="print", color_scheme="dark")
    assert not found.locator("nav").is_visible() and not found.locator(".controls").is_visible()
    assert found.locator(".matrix").is_visible()
    assert found.pdf().startswith(b"%PDF")


def test_the_page_of_analyse_opens_and_escapes(page, tmp_path):
    import pandas as pd

    from trueness.analyse import analyse
    from trueness.analyse.reading import AnalysisReading
    from trueness.page.standalone import analysis_html

    name = "<img src=x onerror='window.hacked = 1'>"
    records = [
        {"condition": c, "task": t, "model": name, "rule_pass": (t + k) % 3 > 0}
        for k, c in enumerate(("none", "with"))
        for t in range(6)
    ]
    text = analysis_html(AnalysisReading(analyse({name: pd.DataFrame(records)})))
    (tmp_path / "analysis.html").write_text(text, encoding="utf-8")
    found = opened(page, (tmp_path / "analysis.html").as_uri())
    found.click("nav a[data-tab=analysis]")
    found.wait_for_selector("table")
    assert name in found.locator("main").inner_text() and found.evaluate("window.hacked") is None
    assert page.errors == [] and page.strangers() == []


def test_names_that_act_are_shown_and_do_not_act(small, page, tmp_path):
    """Marks of direction and codes in names stand as what they are; only replies are as they came."""
    folder = tmp_path / "study"
    shutil.copytree(small, folder)
    with closing(sqlite3.connect(folder / "study.db")) as db, db:
        (text,) = db.execute("SELECT value FROM meta WHERE key = 'study'").fetchone()
        name = "as\u202eia\x1b]0;x\x07\u2066 =1+1"
        renamed = text.replace('"item": "asia', f'"item": {json.dumps(name)[:-1]}').replace(
            '"asia":', f"{json.dumps(name)}:"
        )
        db.execute("UPDATE meta SET value = ? WHERE key = 'study'", (renamed,))
        db.execute("UPDATE runs SET item = replace(item, 'asia', ?)", (name,))
    with StudyFolder.reading(folder) as study:
        write_page(study)
    found = opened(page, disk(folder) + "#matrix?task=discovery")
    assert "as\\u202eia\\x1b]0;x\\x07\\u2066 =1+1" in found.locator(".matrix").inner_text()
    for view in ("overview", "matrix?task=discovery", "graphs", "analysis", "figures"):
        found.goto(disk(folder) + f"#{view}")
        found.wait_for_selector("main h1")
        assert not {"\u202e", "\x1b", "\u2066"} & set(found.locator("main").inner_text() + found.title())
    found.goto(disk(folder) + "#matrix?task=discovery")
    found.click(".matrix tbody tr:has-text('202eia') td > a >> nth=0")
    found.wait_for_selector("#back")
    assert "\\u202e" in found.locator("h1").inner_text()
    assert page.errors == []
