"""What comes out: terminal, JSON, CSV, LaTeX, a page, a folder."""

import io
import json
import re

import pandas as pd
import pytest

from trueness.analyse import AnalysisSettings, analyse
from trueness.analyse.loading import read_table
from trueness.analyse.reading import AnalysisReading
from trueness.cli import main
from trueness.page.standalone import analysis_html
from trueness.showing.console import Console
from trueness.terminal.analyse import print_analysis


@pytest.fixture(scope="module")
def example(root):
    settings = AnalysisSettings(baseline="none", treatment="examples", exclude=("task=letter",), strip_prefix="north/")
    return analyse({"letters": read_table(root / "examples" / "scores.csv")}, settings)


def test_rules_and_models_add_up_to_what_pandas_says(example, root):
    frame = pd.read_csv(root / "examples" / "scores.csv")
    frame = frame[frame["task"] != "letter"]
    shares = 100 * frame.groupby("condition")["rule_title_pass"].mean()
    (part,) = AnalysisReading(example).as_json()["domains"]
    row = next(r for r in part["by_rule"] if (r["rule"], r["question"]) == ("rule_title", "RQ2"))
    assert row["gain"] == pytest.approx(shares["examples"] - shares["checklist"])
    assert row["flagged"] == (abs(row["gain"]) > 10)
    model = next(r for r in part["by_model"] if r["model"] == "ada")
    ada = frame[(frame["model"] == "north/ada") & (frame["condition"] == "checklist")]
    assert model["checklist%"] == pytest.approx(100 * (1 - (ada["auto_score"] / ada["scored_rules"]).mean()))


def test_text_of_the_data_cannot_become_markup():
    name = "<script>alert(1)</script> & [bold]"
    records = [
        {"condition": c, "task": t, "model": name, f"{name}_pass": (t + k) % 3 > 0}
        for k, c in enumerate(("none", name))
        for t in range(6)
    ]
    found = analyse({name: pd.DataFrame.from_records(records)})
    page = analysis_html(AnalysisReading(found))
    assert page.count("<script") == page.count("</script>") == 2  # the data and the page's own
    assert "<script>alert" not in page and "\\u003cscript\\u003ealert(1)" in page
    assert r"\&" in AnalysisReading(found).tables()[0].to_latex()


def test_a_folder_holds_table_latex_findings_breakdowns_and_page(root, tmp_path, capsys):
    out = tmp_path / "out"
    assert main(["analyse", str(root / "examples" / "analyse.toml"), "--out", str(out)]) == 0
    found = {path.name for path in out.iterdir()}
    assert found == {"table.csv", "table.tex", "findings.txt", "by_rule.csv", "by_model.csv", "report.html"}
    frame = pd.read_csv(out / "table.csv")
    assert list(frame["question"][:2]) == ["RQ1", "RQ2"] and (frame["diff_low"] <= frame["diff"]).all()
    assert "6 files written" in capsys.readouterr().err


def everything(analysis):
    """All forms one after the other."""
    reading = AnalysisReading(analysis)
    forms = [form for table in reading.tables() for form in (table.to_latex(), table.to_markdown())]
    return "".join([json.dumps(reading.as_json()), reading.as_csv(), reading.as_text(), analysis_html(reading), *forms])


@pytest.fixture(scope="module")
def beyond_twenty():
    values = [
        (m, c, f"t{t}", (t * 7 % 25 + (c == "new") * (t % 4)) / 40)
        for m in "ab"
        for c in ("none", "new")
        for t in range(25)
    ]
    frame = pd.DataFrame(values, columns=["model", "condition", "task", "score"])
    return analyse({"d": frame}, AnalysisSettings(adjust="holm"))


def test_a_drawn_p_is_called_so_in_every_form(beyond_twenty):
    out = Console(width=200, file=io.StringIO())
    print_analysis(beyond_twenty, out=out)
    for text in (everything(beyond_twenty), out.file.getvalue()):
        assert "10,000 drawn sign flips" in text
    assert "Holm p: " in out.file.getvalue() and " q: " not in out.file.getvalue()  # the legend names the column


def test_no_number_is_cut_in_a_narrow_terminal(beyond_twenty, example):
    for analysis in (beyond_twenty, example):
        pages = []
        for width in (40, 200):
            out = Console(width=width, file=io.StringIO())
            print_analysis(analysis, out=out)
            pages.append(out.file.getvalue())
        assert "\N{HORIZONTAL ELLIPSIS}" not in pages[0]
        numbers = [set(re.findall(r"[+-]?\d+\.\d+", page)) for page in pages]
        assert numbers[0] <= numbers[1]  # columns may be left out; what is shown is whole
