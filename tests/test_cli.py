"""The command line as a user meets it: every command, its JSON, and one line for every mistake."""

import json

import pytest

from trueness import __version__
from trueness.cli import main
from trueness.models import embedded, mock
from trueness.running import study as plans

pytestmark = pytest.mark.usefixtures("kept_lanes")

PLAN = """
name = "small"
[discovery]
datasets = ["survey"]
learners = ["random", "correlation"]
runs = 4
rows = 400
"""


def told(capsys):
    captured = capsys.readouterr()
    return captured.out, captured.err


def mistake(capsys, *arguments):
    """The one line that a mistake prints; asserts exit code 2 and no traceback."""
    try:
        code = main(list(arguments))
    except SystemExit as end:
        code = end.code
    out, err = told(capsys)
    assert code == 2, (out, err)
    assert err.startswith("trueness: ")
    assert len(err.strip().splitlines()) == 1, err
    assert "Traceback" not in err
    return err


@pytest.fixture()
def study(in_tmp, capsys):
    (in_tmp / "small.toml").write_text(PLAN)
    assert main(["run", "small.toml", "--workers", "1"]) == 0
    told(capsys)
    return in_tmp


def test_version_and_help(capsys):
    for flag in ("--version", "--help"):
        with pytest.raises(SystemExit) as end:
            main([flag])
        assert end.value.code == 0
    out, _ = told(capsys)
    assert __version__ in out
    for command in ("new", "plan", "run", "show", "list", "check"):
        assert command in out


def test_new_writes_a_plan_that_can_be_planned(in_tmp, capsys):
    assert main(["new", "discovery", "mine.toml"]) == 0
    assert "trueness plan mine.toml" in told(capsys)[0]
    text = (in_tmp / "mine.toml").read_text()
    (in_tmp / "mine.toml").write_text(text.replace("runs = 100", "runs = 2").replace('"sachs", ', ""))
    assert main(["plan", "mine.toml", "--json", "--workers", "1"]) == 0
    found = json.loads(told(capsys)[0])
    assert (found["cells"], found["fits"]) == (6, 12)
    assert found["expected_seconds"] > 0
    assert any("no difference can reach 0.05" in note for note in found["what_it_can_show"])
    assert not (in_tmp / "results").exists()
    assert "is there already" in mistake(capsys, "new", "discovery", "mine.toml")


def test_run_ends_with_a_table_and_its_files(study, capsys):
    assert {path.name for path in (study / "results" / "small").iterdir()} >= {
        "study.toml", "provenance.json", "study.db", "scores.csv", "variance",
    }  # fmt: skip
    assert main(["run", "small.toml", "--json"]) == 0
    found = json.loads(told(capsys)[0])
    assert (found["total"], found["done"], found["failed"]) == (8, 8, 0)
    assert found["completeness"][0] == {"item": "survey", "respondent": "random", "planned": 4, "ok": 4}


def test_show_in_every_form(study, capsys):
    assert main(["show"]) == 0
    out, _ = told(capsys)
    assert "survey" in out and "8 of 8 runs ok" in out and "correlation" in out
    assert main(["show", "results/small", "--json", "--measure", "skeleton_f1"]) == 0
    found = json.loads(told(capsys)[0])
    assert [row["measure"] for row in found["rows"]] == ["skeleton_f1"] * 2
    assert found["rows"][0]["ci_lower"] <= found["rows"][0]["mean"] <= found["rows"][0]["ci_upper"]
    assert main(["show", "results/small", "--measure", "dag_f1", "--measure", "dag_shd"]) == 0
    assert "perfect dag_f1" in told(capsys)[0]
    assert main(["show", "results/small", "--svg", "shown.svg"]) == 0
    assert (study / "shown.svg").read_text().startswith("<svg")
    assert main(["show", "results/small", "--csv"]) == 0
    assert (
        told(capsys)[0]
        .splitlines()[0]
        .startswith("item,respondent,returns,truth,vary,measure,n,n_missing,mean,std,ci_lower")
    )
    assert main(["show", "results/small", "--tex"]) == 0
    assert r"\toprule" in told(capsys)[0]


@pytest.mark.parametrize("kind", ["learners", "datasets", "measures", "tasks"])
def test_list_in_words_and_json(kind, capsys):
    assert main(["list", kind]) == 0
    assert told(capsys)[0].strip()
    assert main(["list", kind, "--json"]) == 0
    rows = json.loads(told(capsys)[0])
    assert main(["list", kind, rows[0]["name"], "--json"]) == 0
    assert json.loads(told(capsys)[0])["name"] == rows[0]["name"]


def test_check_passes_and_fails_with_its_exit_code(outside, capsys):
    assert main(["check", "correlation"]) == 0
    assert main(["check", outside + "Transposed", "--json"]) == 1
    told(capsys)
    assert main(["check", "asia"]) == 0
    assert "8 edges" in told(capsys)[0]


def test_one_bad_cell_gives_exit_code_1_and_a_completeness_matrix(in_tmp, outside, capsys):
    names = ["Crashes", "Hangs", "Nonsense"]
    tables = "".join(f'[discovery.{name}]\nlearner = "{outside}{name}"\n' for name in names)
    (in_tmp / "bad.toml").write_text(
        '[discovery]\ndatasets = ["survey", "synthetic-6"]\n'
        'learners = ["random", "Crashes", "Hangs", "Nonsense", "correlation"]\n'
        f"runs = 2\nrows = 400\ntime_limit = 1\n{tables}"
    )
    assert main(["run", "bad.toml"]) == 1
    assert (
        "2 checks, 2 fail: complete (8 of 20 runs gave a result (failed 4, timed_out 4, unreadable 4))"
        in told(capsys)[0]
    )
    assert main(["show"]) == 0
    out, _ = told(capsys)
    assert all(out.count(f" {ended} 2 ") >= 2 for ended in ("timed_out", "failed", "unreadable"))
    assert "8 of 20 runs ok" in out


# ---- mistakes: one line, exit code 2


@pytest.mark.parametrize(
    ("arguments", "message"),
    [
        (["rnu"], "'rnu' is not a command. Did you mean 'run'"),
        (["run", "missing.toml"], "missing.toml is not there. Write one with: trueness new discovery missing.toml"),
        (["run", "small.toml", "--workers", "0"], "'workers' must be at least 1"),
        (["run", "--wrokers", "2"], "unrecognized arguments: --wrokers"),
        (["new", "discvery"], "'discvery' is not a task. Did you mean 'discovery'"),
        (["new", "discovery", "a/b/c.toml"], "the folder a/b is not there"),
        (["list", "lerners"], "'lerners' cannot be listed. Did you mean 'learners'"),
        (["list", "datasets", "asai"], "'asai' is not a dataset. Did you mean 'asia'"),
        (["list", "learners", "causal-learn/pcc"], "Did you mean 'causal-learn/pc'"),
        (["check", "corelation"], "'corelation' is not a learner, scorer or dataset. Did you mean 'correlation'"),
        (["show", "nowhere"], "must be a study folder"),
        (["show"], "there is no study under results/"),
        (["show", "results/x", "--measure", "f2"], "must be a study folder"),
    ],
)
def test_a_mistake_is_one_line(in_tmp, capsys, arguments, message):
    (in_tmp / "small.toml").write_text(PLAN)
    assert message in mistake(capsys, *arguments)


@pytest.mark.parametrize(
    ("old", "new", "message"),
    [
        ('"survey"', '"survye"', "'survye' is not a dataset. Did you mean 'survey'"),
        ('"random"', '"randon"', "'randon' is not a learner. Did you mean 'random'"),
        ("runs", "rusn", "'rusn' is not a setting of discovery. Did you mean 'runs'"),
        ('"survey"', '"plant.csv"', "plant.csv is not there"),
        ('["survey"]\nlearners = ["random"', '["plant.csv"]\nlearners = ["randon"', "'randon' is not a learner"),
        ("rows = 400", "[discovery.correlation]\nalpha = 1.5", "must be a number in (0, 1), got 1.5"),
    ],
)
def test_a_mistake_in_a_plan_is_one_line(in_tmp, capsys, old, new, message):
    (in_tmp / "small.toml").write_text(PLAN.replace(old, new))
    assert message in mistake(capsys, "run", "small.toml")
    assert not (in_tmp / "results").exists()


def test_the_quickstart_goes_without_a_model_that_is_not_installed_and_with_it_later(in_tmp, capsys, monkeypatch):
    text = PLAN + '[forecast]\nmodels = ["embedded/smollm2"]\nformulations = ["direct"]\n'
    (in_tmp / "kept").mkdir()
    (in_tmp / "kept" / "quickstart.toml").write_text(text)
    files = plans.resources.files
    monkeypatch.setattr(
        plans.resources, "files", lambda name: in_tmp / "kept" if name == "trueness.running" else files(name)
    )
    with monkeypatch.context() as absence:
        absence.setattr(embedded, "is_installed", lambda package: False)
        absence.setattr(embedded.importlib.util, "find_spec", lambda package: None)
        assert main(["run", "--workers", "1", "--json"]) == 0
    out, err = told(capsys)
    assert json.loads(out)["total"] == 8
    (line,) = (line for line in err.splitlines() if line.startswith("trueness: "))
    assert line.startswith("trueness: forecast is left out: ") and "pip install 'trueness[embedded]'" in line
    monkeypatch.setattr(embedded, "Embedded", lambda name, options: mock.Mock("mock/vacuous"))  # now it is there
    assert main(["run", "--workers", "1", "--json"]) == 0
    out, err = told(capsys)
    assert json.loads(out)["total"] > 8 and "left out" not in err


def test_the_command_alone_is_the_help_with_the_commonest_lines_in_80_columns(capsys, monkeypatch):
    monkeypatch.setenv("COLUMNS", "80")
    assert main([]) == 0
    text = capsys.readouterr().out
    assert "the three commonest:" in text and max(map(len, text.splitlines())) <= 80
