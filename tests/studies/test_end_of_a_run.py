"""The end of a run: why models failed and the command that goes on are told, whatever becomes of the tables."""

import re
from collections import Counter

import pytest

from tests.studies.test_asking import plan
from tests.studies.test_odd_models import FOUR, free_port, server_options
from trueness.cli import main
from trueness.models import addresses
from trueness.running import results, study_db
from trueness.showing.drawers import Drawers, NotDrawn
from trueness.studies.reporting import Report
from trueness.terminal.end import checks_line, print_headlines

pytestmark = pytest.mark.usefixtures("kept_lanes")

NAME = "openai-api/lab/m"


@pytest.fixture(autouse=True)
def _as_found(monkeypatch):
    """What a test allows is not allowed to those that follow."""
    monkeypatch.setattr(addresses, "_hosts", set())
    monkeypatch.setattr(addresses, "_keys", set())


@pytest.fixture
def dead(tmp_path, monkeypatch):
    """A plan whose only model is not there, without a reference: not one claim will be made."""
    monkeypatch.chdir(tmp_path)
    more = server_options(NAME, f"http://127.0.0.1:{free_port()}/v1")
    text = plan(models=f'["{NAME}"]', forecast=f"references = []\n{FOUR}", top='folder = "out"', more=more)
    (tmp_path / "dead.toml").write_text(text)
    return "dead.toml"


def test_a_study_in_which_nobody_answers_ends_in_reasons_and_the_command(dead, capsys):
    assert main(["run", dead]) == 1
    told = capsys.readouterr().err
    assert "0 of 4 answered, 4 not asked" in told and "connection refused at" in told
    assert f"4 of 28 were not asked. Ask them with: trueness run {dead}" in told


def test_tables_that_cannot_be_written_hide_no_reason_and_ask_for_no_copy(dead, monkeypatch, capsys):
    def stumbles(study):
        raise ValueError("a mistake of ours")

    monkeypatch.setattr("trueness.studies.reporting.write_report", stumbles)
    assert main(["run", dead]) == 2
    told = capsys.readouterr().err
    assert "is stored, but its tables cannot be written (ValueError: a mistake of ours)" in told
    assert "connection refused at" in told and "Ask them with: trueness run" in told
    assert "Restore" not in told and "Traceback" not in told


def test_the_told_command_has_the_options_of_the_run(dead, tmp_path, monkeypatch, capsys):
    monkeypatch.setattr("trueness.studies.reporting.write_report", Report)
    monkeypatch.setattr("trueness.page.standalone.with_page", lambda report: report)
    given = ["--workers", "1", "--allow-host", "http://10.0.0.5:8000", "--allow-host", "llm.lab.example"]
    given = ["--folder", str(tmp_path / "a b"), *given, "--allow-key", "LAB_TOKEN"]
    main(["run", dead, *given, "--replan", "--retry"])
    told = capsys.readouterr().err
    words = " ".join(given).replace(str(tmp_path / "a b"), f"'{tmp_path}/a b'")
    assert f"Ask them with: trueness run {dead} {words}\n" in told


def test_a_run_checks_and_reads_its_store_once(tmp_path, monkeypatch):
    """Tables, charts, paper and page are made of what was read for scores.csv."""
    calls = Counter()

    def counted(where, name):
        made = getattr(where, name)
        monkeypatch.setattr(where, name, lambda *values, **named: calls.update([name]) or made(*values, **named))

    def not_drawn(*_):
        raise NotDrawn("no pictures here")

    monkeypatch.chdir(tmp_path)
    monkeypatch.setattr(Drawers, "begin", lambda *_: None)
    monkeypatch.setattr(Drawers, "take", not_drawn)
    counted(study_db, "_check")
    counted(study_db, "_connect")
    counted(results, "read_entry")
    text = '[discovery]\ndatasets = ["survey"]\nlearners = ["random", "correlation"]\nruns = 3\nrows = 200'
    (tmp_path / "small.toml").write_text(text)
    assert main(["run", "small.toml", "--workers", "1"]) == 0
    assert calls == {"_check": 1, "_connect": 2, "read_entry": 1}  # to write, then to read
    assert (tmp_path / "results" / "small" / "report.html").is_file()


def test_checks_fold_into_a_line_with_the_first_clause_of_what_fails():
    checks = [
        {"name": "runs", "passed": True, "sentence": "each of 4 cells rests on 100 runs or more."},
        {"name": "widths", "passed": False, "sentence": "1.5 % of truths have zero width (all alike), a/b, c/d."},
        {"name": "possible", "passed": None, "sentence": "no model gave a readable range."},
    ]
    told = "3 checks, 1 fails, 1 not checked: widths (1.5 % of truths have zero width (all alike))"
    assert checks_line(checks) == told
    assert checks_line(checks[:1]) == "1 check, all hold"


def test_a_single_respondent_has_its_number_and_interval_too(tmp_path, capsys):
    row = {"name": "lab/m", "value": 0.43, "low": 0.28, "high": 0.59}
    headline = {"sentence": "None covers as claimed.", "of": "share of runs; more", "rows": [row]}
    print_headlines(tmp_path, [{"task": "forecast", "checks": [], "headline": headline}], ())
    assert "lab/m .43 [.28, .59]" in " ".join(capsys.readouterr().out.split())


def test_after_a_run_of_two_studies_at_most_15_lines_are_said(tmp_path, monkeypatch, capsys):
    monkeypatch.chdir(tmp_path)
    monkeypatch.setenv("COLUMNS", "80")
    (tmp_path / "two.toml").write_text(plan(models='["mock/overconfident", "mock/truncated"]', top='folder = "out"'))
    assert main(["run", "two.toml", "--workers", "1"]) == 0
    told = capsys.readouterr()
    after = [line for line in told.err.splitlines() if "done in" not in line and " / " not in line]
    lines = [line for line in [*told.out.splitlines(), *after] if line.strip()]
    assert len(lines) <= 15 and any("page:" in line for line in lines), "\n".join(lines)
    assert "so few data sets cannot tell it of mock/overconfident" in " ".join(lines)  # 0 [0, 1] is not "as claimed"


def test_a_respondent_that_says_nothing_is_not_praised_and_every_failed_check_is_named(tmp_path, monkeypatch, capsys):
    monkeypatch.chdir(tmp_path)
    (tmp_path / "small.toml").write_text(
        '[discovery]\ndatasets = ["survey", "cancer"]\nlearners = ["random"]\nruns = 3\nrows = 100\n'
        '[forecast]\nmodels = ["mock/vacuous", "mock/overconfident"]\nformulations = ["direct"]\n'
    )
    assert main(["run", "small.toml", "--workers", "1"]) == 0
    told = capsys.readouterr().out
    (line,) = [line for line in told.splitlines() if line.startswith("forecast ")]
    failed = int(line.split(" fail")[0].split()[-1])
    named = [name for name in ("runs", "complete", "widths", "vacuous", "possible") if f"{name} (" in line]
    assert "vacuous" in named and len(named) == failed
    (headline,) = [line for line in told.splitlines() if line.startswith("Ranges that say")]
    assert "mock/vacuous answered the whole range everywhere, which says nothing" in headline
    assert "mock/vacuous" not in headline.split("mock/vacuous answered")[0]


def test_where_no_model_is_honest_the_headline_says_what_its_ranges_hold(tmp_path, monkeypatch, capsys):
    """`vacuous` holds every run: it is named apart, and the sentence is true of the table below it."""
    monkeypatch.chdir(tmp_path)
    (tmp_path / "f.toml").write_text(
        '[discovery]\ndatasets = ["asia", "survey", "sachs"]\nlearners = ["pc"]\nruns = 3\nrows = 200\n'
        '[forecast]\nmodels = ["mock/vacuous", "mock/overconfident"]\nformulations = ["direct"]\nreferences = []\n'
    )
    assert main(["run", "f.toml", "--workers", "1"]) == 0
    told = capsys.readouterr().out
    (value,) = re.findall(r"^ +mock/overconfident (\S+) \[", told, re.MULTILINE)
    held = f"those of mock/overconfident hold {100 * float(value):.0f} % of the runs; mock/vacuous answered the whole"
    assert f"No model's 95 % ranges are honest: {held}" in told


def test_the_seeds_and_graphs_that_plan_asks_for_are_checks_of_the_study(tmp_path, monkeypatch, capsys):
    monkeypatch.chdir(tmp_path)
    (tmp_path / "r.toml").write_text(
        '[robustness]\ndatasets = ["rows"]\ncorruptions = ["clean"]\nscorers = ["correlation", "lingam"]\nseeds = 2\n'
        'rows = 60\nchoose_k = []\n[datasets.rows]\nkind = "synthetic"\ngraphs = 2\nnodes = 4\n'
    )
    assert main(["run", "r.toml", "--workers", "1"]) == 0
    told = capsys.readouterr().out
    assert "3 checks, 2 fail: seeds (2 seeds a cell); graphs (2 graphs where 6 are needed)" in told


def test_a_value_that_never_varied_is_a_constant_wherever_it_is_shown(tmp_path, monkeypatch, capsys):
    monkeypatch.chdir(tmp_path)
    text = '[discovery]\ndatasets = ["survey"]\nlearners = ["pc"]\nruns = 4\nrows = 150\nvary = "permute"\n'
    (tmp_path / "small.toml").write_text(text)
    assert main(["run", "small.toml", "--workers", "1"]) == 0
    assert main(["show", "results/small"]) == 0
    told = capsys.readouterr().out
    assert told.count("(constant)") > 1 and not re.search(r"\[(-?[\d.]+), \1\]", told)


def test_an_expert_who_gave_no_range_is_no_respondent(tmp_path, monkeypatch, capsys):
    monkeypatch.chdir(tmp_path)
    (tmp_path / "small.toml").write_text(
        '[discovery]\ndatasets = ["survey"]\nlearners = ["random"]\nruns = 3\nrows = 100\n'
        '[forecast]\nmodels = ["mock/overconfident"]\nformulations = ["direct"]\nhumans = ["experts.csv"]\n'
    )
    assert main(["new", "human-sheet", "experts.csv", "--plan", "small.toml"]) == 0
    capsys.readouterr()
    assert main(["run", "small.toml", "--workers", "1"]) == 2
    told = capsys.readouterr().err
    assert "experts.csv must give at least one range, got none" in told and told.count("\n") == 1
