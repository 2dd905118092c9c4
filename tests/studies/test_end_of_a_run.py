"""The end of a run: why models failed and the command that goes on are told, whatever becomes of the tables."""

from collections import Counter

import pytest

from tests.studies.test_asking import plan
from tests.studies.test_odd_models import FOUR, free_port, server_options
from trueness.cli import main
from trueness.models import services
from trueness.running import results, study_db
from trueness.showing.drawers import Drawers, NotDrawn
from trueness.studies.reporting import Report

pytestmark = pytest.mark.usefixtures("kept_lanes")

NAME = "openai-api/lab/m"


@pytest.fixture(autouse=True)
def _as_found(monkeypatch):
    """What a test allows is not allowed to those that follow."""
    monkeypatch.setattr(services, "_hosts", set())


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


def test_the_told_command_has_the_options_of_the_run(dead, tmp_path, monkeypatch, capsys):
    monkeypatch.setattr("trueness.studies.reporting.write_report", Report)
    monkeypatch.setattr("trueness.page.standalone.with_page", lambda report: report)
    given = ["--workers", "1", "--allow-host", "http://10.0.0.5:8000", "--allow-host", "llm.lab.example"]
    given = ["--folder", str(tmp_path / "a b"), *given]
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


def test_after_a_run_of_two_studies_at_most_15_lines_are_said(tmp_path, monkeypatch, capsys):
    monkeypatch.chdir(tmp_path)
    monkeypatch.setenv("COLUMNS", "80")
    (tmp_path / "two.toml").write_text(plan(models='["mock/overconfident", "mock/empty"]', top='folder = "out"'))
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
