"""What comes out: terminal, JSON, CSV, LaTeX, a page, a folder."""

import csv
import io
import json
import re
from dataclasses import replace

import pandas as pd
import pytest

from trueness.analyse import AnalysisSettings, analyse
from trueness.analyse.analysis_charts import figures
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


def test_every_comparison_carries_all_of_its_numbers(example):
    for row in AnalysisReading(example).as_json()["domains"][0]["contrasts"]:
        for key in ("none%", "ratio", "U", "p", "delta", "magnitude", "p_levene", "variance_ratio"):
            assert row[key] is not None, key
        for key in ("diff", "diff_low", "diff_high", "p_paired", "n_units", "n_clusters", "q", "adjustment"):
            assert row[key] is not None, key


def test_json_has_no_nan(example):
    json.loads(json.dumps(AnalysisReading(example).as_json(), allow_nan=False))


def test_a_sentence_has_estimate_interval_n_test_and_adjustment(example):
    told = next(text for text in AnalysisReading(example).as_json()["findings"] if text.startswith("letters, RQ1"))
    for part in (
        "points [",
        "97.5 % CI",  # the interval of the verdict: one of two is rejected
        "21 model x task cells in 7 tasks",
        "sign-flip p =",
        "BH over 2 comparisons",
        "for these 3 models",
    ):
        assert part in told
    assert "Mann-Whitney U =" in told and "Cliff's delta" in told and "Levene" in told


def test_all_five_flags_are_told_raised_or_not(example):
    names = [flag["name"] for flag in AnalysisReading(example).as_json()["domains"][0]["red_flags"]]
    assert names == [
        "missing scores", "averaged over", "correlated rules", "ceiling", "extraction", "direction within models",
        "rules that get worse",
    ]  # fmt: skip
    assert all(flag["evidence"] for flag in AnalysisReading(example).as_json()["domains"][0]["red_flags"])


def test_rules_and_models_add_up_to_what_pandas_says(example, root):
    frame = pd.read_csv(root / "examples" / "scores.csv")
    frame = frame[frame["task"] != "letter"]
    shares = 100 * frame.groupby("condition")["rule_title_pass"].mean()
    row = next(
        r
        for r in AnalysisReading(example).as_json()["domains"][0]["by_rule"]
        if r["rule"] == "rule_title" and r["question"] == "RQ2"
    )
    assert row["delta"] == pytest.approx(shares["examples"] - shares["checklist"])
    assert row["flagged"] == (abs(row["delta"]) > 10)
    model = next(r for r in AnalysisReading(example).as_json()["domains"][0]["by_model"] if r["model"] == "ada")
    ada = frame[(frame["model"] == "north/ada") & (frame["condition"] == "checklist")]
    assert model["mean checklist"] == pytest.approx(100 * (1 - (ada["auto_score"] / ada["scored_rules"]).mean()))


def test_latex_has_a_table_of_means_and_one_per_question(example):
    means, rq1, rq2, *_ = AnalysisReading(example).tables()
    assert "40.5 [31.5, 49.5]" in means.to_latex()
    for table in (means, rq1, rq2):
        text = table.to_latex()
        assert text.count(r"\toprule") == text.count(r"\bottomrule") >= 1 and table.title in table.caption + "Means"


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


def test_a_folder_holds_table_latex_findings_page_and_charts(root, tmp_path, capsys):
    out = tmp_path / "out"
    assert main(["analyse", str(root / "examples" / "analyse.toml"), "--out", str(out)]) == 0
    found = {str(path.relative_to(out)) for path in out.rglob("*") if path.is_file()}
    charts = {f"charts/{name}.csv" for name in ("means", "differences", "readings", "rules", "models")}
    charts |= {f"charts/{name}.{form}" for name in ("means", "differences") for form in ("png", "svg", "pdf")}
    assert found == {"table.csv", "table.tex", "findings.txt", "report.html"} | charts
    frame = pd.read_csv(out / "charts" / "differences.csv")
    assert list(frame["question"]) == ["RQ1", "RQ2"] and (frame["diff_low"] <= frame["diff"]).all()
    assert "15 files written" in capsys.readouterr().err


def test_families_have_a_picture_too(example, root):
    settings = replace(example.settings, families=("x=ada+bob", "y=cyd"))
    frame = read_table(root / "examples" / "scores.csv")
    chart = figures(AnalysisReading(analyse({"letters": frame}, settings)))[-1]
    assert chart.name == "families" and list(chart.frame["row"]) == ["letters: x against y"]
    assert "exploratory" in chart.caption and "interval of q" in chart.caption


def test_a_check_that_was_not_made_is_called_so_on_the_page(example):
    page = analysis_html(AnalysisReading(example))
    assert 'null: ["not checked"' in page and "not yet" not in page


def test_questions_of_the_protocol_are_named_in_its_own_tables_alone(example):
    frame = pd.DataFrame(
        [(m, c, t, (t + len(c)) % 3 / 2) for m in "ab" for c in ("none", "new", "other") for t in range(7)],
        columns=["model", "condition", "task", "score"],
    )
    other = analyse({"d": frame}, AnalysisSettings(treatment="new"))
    assert not re.search(r"RQ\d", everything(other))
    assert {row["question"] for row in AnalysisReading(example).as_json()["domains"][0]["contrasts"]} == {"RQ1", "RQ2"}


def test_csv_has_one_line_a_reading(root, capsys):
    assert main(["analyse", str(root / "examples" / "analyse.toml"), "--csv"]) == 0
    rows = list(csv.DictReader(io.StringIO(capsys.readouterr().out)))
    assert [row["reading"] for row in rows] == [
        "as analysed", "as analysed", "unscored runs missing", "nothing excluded",
    ]  # fmt: skip


def test_the_text_begins_with_the_line_format(example):
    block = AnalysisReading(example).as_text().split("\n\n")[1].splitlines()
    assert block[1].split()[:7] == ["Domain", "None%", "checklist%", "examples%", "delta", "mag.", "p"]


def test_the_terminal_is_short_and_details_are_all(root, capsys):
    path = str(root / "examples" / "analyse.toml")
    assert main(["analyse", path]) == 0
    brief = capsys.readouterr().out
    assert main(["analyse", path, "--details"]) == 0
    full = capsys.readouterr().out
    assert len(brief.splitlines()) < 50
    assert "Mann-Whitney U =" in full and "Mann-Whitney U =" not in brief
    for name in ("rule_title", "rule_total", "rule_currency", "rule_source", "rule_short"):
        assert name in full


def test_the_same_table_gives_the_same_bytes(example, root):
    again = analyse({"letters": read_table(root / "examples" / "scores.csv")}, example.settings)
    assert json.dumps(AnalysisReading(again).as_json()) == json.dumps(AnalysisReading(example).as_json())


def test_a_narrow_terminal_shows_fewer_columns_and_cuts_none(tmp_path, capsys, monkeypatch):
    rows = [(c, f"t{k}", r, "" if (k, r) == (0, 0) else (k + r * (c[0] == "n" and k > 2)) % 2)
            for c in ("old-model", "new-model") for k in range(8) for r in range(2)]  # fmt: skip
    pd.DataFrame(rows, columns=["condition", "task", "rep", "correct"]).to_csv(tmp_path / "sums.csv", index=False)
    monkeypatch.setattr("trueness.terminal.analyse.console", lambda: Console(width=80))
    assert main(["analyse", str(tmp_path / "sums.csv"), "--treatment", "new-model"]) == 0
    out = capsys.readouterr().out
    block = out[out.index("Read otherwise") :]
    assert "blank runs" in block and "verdict" in block and "…" not in block
    assert max(len(line) for line in block.splitlines() if not line.startswith("  ")) <= 80
    assert "every pair" not in out and "q_beyond" not in out
    assert "of the verdict (at least 95 %)" in " ".join(out.split())  # an exact test of 8 tasks


def test_runs_in_other_ways_are_no_repeats():
    """pass^k is of repeats: two numbers of shots are none."""
    rows = [(c, f"t{k}", s, k % 2) for c in "ab" for k in range(6) for s in (0, 5)]
    part = analyse({"t": pd.DataFrame(rows, columns=["condition", "task", "shots", "correct"])}).domains[0]
    assert [factor.name for factor in part.domain.factors] == ["shots"] and {one.k for one in part.summaries} == {0}


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
            print_analysis(analysis, details=True, out=out)
            pages.append(out.file.getvalue())
        assert "\N{HORIZONTAL ELLIPSIS}" not in pages[0]
        numbers = [set(re.findall(r"[+-]?\d+\.\d+", page)) for page in pages]
        assert numbers[0] <= numbers[1]  # columns may be left out; what is shown is whole
