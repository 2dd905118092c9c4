"""A gate in a CI: who is asked, what was shown, and what cannot be judged."""

import json
import zipfile

import pytest

from tests.analyse.test_corpus import RISE, csv, inspect
from trueness.cli import main


@pytest.fixture()
def logs(tmp_path):
    for model in RISE:
        about = json.loads(inspect(model))
        with zipfile.ZipFile(tmp_path / f"{model}.eval", "w") as archive:
            archive.writestr("header.json", json.dumps({"version": 2, "eval": about["eval"]}))
            archive.writestr("summaries.json", json.dumps(about["samples"]))
    return tmp_path


def test_two_logs_are_compared_by_their_models(logs, capsys):
    assert main(["compare", str(logs / "tuned.eval"), str(logs / "base.eval")]) == 0
    out = capsys.readouterr().out
    assert "tuned and base are not told apart (tuned better by 42.9 points" in out and "exact McNemar p = 0.25" in out


WORSE = "worse by more than 2 points"


@pytest.mark.parametrize(
    ("sides", "gate", "code", "words"),
    [
        (("base", "--baseline", "tuned"), f"possibly {WORSE}", 1, "neither shown nor ruled out, 42.9 points worse ["),
        (("base", "--baseline", "tuned"), WORSE, 0, f"'possibly {WORSE}' would fail."),
        (("tuned", "--baseline", "base"), "worse by more than 20 points", 0, "sums: ruled out, 42.9 points better ["),
        (("--baseline", "tuned", "base"), f"possibly {WORSE}", 1, "base (candidate) against tuned (baseline)"),
    ],
)
def test_a_gate_ends_with_one_where_it_holds_and_says_who_is_asked(logs, capsys, sides, gate, code, words):
    names = [name if name.startswith("--") else str(logs / f"{name}.eval") for name in sides]
    assert main(["compare", *names, "--gate", gate, "--json"]) == code
    out, err = capsys.readouterr()
    assert words in err and len(err.splitlines()) == 1
    told = json.loads(out)["gate"]
    assert told["sentence"] == err.strip() and told["fails"] == bool(code)
    (verdict,) = told["verdicts"]
    assert {verdict["candidate"], verdict["baseline"]} == {"base", "tuned"}


def regression(folder):
    """Accuracy 87.5 % of 16 before, 50 % after: six answers that were right are wrong."""
    for name, right in (("old", 14), ("new", 8)):
        rows = "".join(f"{name},q{k},{int(k < right)}\n" for k in range(16))
        (folder / f"{name}.csv").write_text("model,task,correct\n" + rows)
    return str(folder / "old.csv"), str(folder / "new.csv")


def test_a_regression_fails_whichever_file_is_written_first(tmp_path, capsys, mistake):
    old, new = regression(tmp_path)
    gate = WORSE
    for names in ((new, "--baseline", old), ("--baseline", old, new)):
        assert main(["compare", *names, "--gate", gate]) == 1
        line = capsys.readouterr().err
        assert "gate fails (worse by more than 2 points): new (candidate) against old (baseline): " in line
        assert "shown, 37.5 points worse [" in line
    assert main(["compare", old, "--baseline", new, "--gate", gate]) == 0
    capsys.readouterr()
    refused = mistake("compare", old, new, "--gate", gate)
    assert "Write: trueness compare NEW --baseline OLD, and the gate asks about NEW." in refused
    assert "must be like 'worse by more than 2 points'" in mistake("compare", old, new, "--gate", f"new {gate}")
    assert "Write: trueness compare NEW --baseline OLD" in mistake("compare", new, "--gate", gate)


def test_a_gate_of_a_table_says_whom_it_asks_about_or_is_refused(tmp_path, capsys, mistake):
    rows = [(m, f"t{k}", 0.9 - 0.3 * (m == "new") + 0.001 * k) for m in ("mid", "new", "old") for k in range(12)]
    (tmp_path / "t.csv").write_text(csv("condition,task,accuracy", rows))
    command, gate = ["analyse", str(tmp_path / "t.csv")], WORSE
    assert "must say whom it asks about" in mistake(*command, "--gate", gate)
    assert main([*command, "--treatment", "new", "--gate", gate, "--json"]) == 1
    out, err = capsys.readouterr()
    assert [v["baseline"] for v in json.loads(out)["gate"]["verdicts"]] == ["mid", "old"]
    assert "new (candidate) against mid (baseline)" in err and "new (candidate) against old (baseline)" in err
    both = ["--baseline", "old", "--treatment", "new"]  # before, new was compared with mid alone
    assert "--exclude condition=mid" in mistake(*command, *both, "--gate", gate)
    assert main([*command, *both, "--exclude", "condition=mid", "--gate", gate]) == 1
    assert "new (candidate) against old (baseline)" in capsys.readouterr().err
    one = ["--exclude", "condition=mid", "--exclude", "condition=old"]
    assert "must have two sides to compare" in mistake(*command, *one, "--gate", gate)


def test_a_crash_has_an_exit_code_of_its_own_and_one_line(tmp_path, capsys, monkeypatch):
    monkeypatch.setattr("trueness.analyse.read_tables", lambda files: [][1])
    assert main(["analyse", "t.csv", "--gate", WORSE]) == 70
    told = capsys.readouterr().err
    assert len(told.splitlines()) == 1 and "a mistake of this program, IndexError: " in told and "--debug" in told


def two_files(folder, new, old, column="score"):
    for name, values in (("new", new), ("old", old)):
        (folder / f"{name}.csv").write_text(csv(f"task,{column}", [(f"t{k}", v) for k, v in enumerate(values)]))
    return ["compare", str(folder / "new.csv"), "--baseline", str(folder / "old.csv"), "--gate"]


def test_few_equal_pairs_do_not_rule_out_a_loss(tmp_path, capsys):
    for n, code in ((6, 1), (20, 1), (60, 1), (200, 0)):  # without a loss in n pairs, 3.8 / (n + 3.8) may be lost
        command = two_files(tmp_path, [k % 2 for k in range(n)], [k % 2 for k in range(n)])
        assert main([*command, f"possibly {WORSE}"]) == code
        assert f"[-{384.146 / (n + 3.84146):.1f}, " in capsys.readouterr().err
    command = two_files(tmp_path, [1] * 20, [0] + [1] * 19)  # one gain shows no more
    assert main([*command, f"possibly {WORSE}"]) == 1
    assert "neither shown nor ruled out, 5.0 points better [-11.9, 23.6]" in capsys.readouterr().err


def test_a_strict_gate_cannot_judge_runs_without_a_score_until_they_count_as_failed(tmp_path, capsys):
    right = [int(k % 5 > 0) for k in range(400)]
    lost = [value if k % 3 else "" for k, value in enumerate(right)]
    command = [*two_files(tmp_path, lost, right), f"possibly {WORSE}"]
    assert main(command) == 2
    assert "134 runs of new without a score" in (told := capsys.readouterr().err) and "--unscored failed" in told
    assert main([*command, "--unscored", "failed"]) == 1
    assert main([*two_files(tmp_path, right, lost), f"possibly {WORSE}"]) == 0  # those of the baseline do not matter


def test_a_gate_of_two_tasks_cannot_be_judged(tmp_path, capsys):
    command = two_files(tmp_path, [0.4, 0.4], [0.7, 0.7], "accuracy")
    for gate in (WORSE, f"possibly {WORSE}"):
        assert main([*command, gate]) == 2
        assert "gate cannot be judged (" in (told := capsys.readouterr().err) and "passes" not in told


def test_a_gate_beyond_the_scale_is_refused_since_it_could_never_hold(tmp_path, capsys):
    (tmp_path / "t.csv").write_text(csv("model,task,score", [(m, f"t{k}", k / 10) for k in range(9) for m in "ab"]))
    command = ["analyse", str(tmp_path / "t.csv"), "--condition", "model", "--baseline", "a", "--gate"]
    for gate, code in (("worse by more than .5 points", 0), ("worse by more than 99 points", 0)):
        assert main([*command, gate]) == code
    for gate in ("worse by more than 100 points", "possibly worse by more than 200"):
        capsys.readouterr()
        assert main([*command, gate]) == 2
        told = capsys.readouterr().err
        assert f"'gate' must name less than 100 points, the most that there can be, got '{gate}': it would" in told


def test_two_files_of_two_measures_are_refused(tmp_path, mistake):
    two_files(tmp_path, [0.5, 0.6, 0.7], [0.5, 0.6, 0.7], "accuracy")
    (tmp_path / "old.csv").write_text(csv("task,loss", [(f"t{k}", 0.3 + k / 10) for k in range(3)]))
    told = mistake("compare", tmp_path / "new.csv", "--baseline", tmp_path / "old.csv")
    assert "old has 0 runs with a value" in told
