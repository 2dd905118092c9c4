"""Files of strangers at the doors of `evaluate`, `show FOLDER`, logs and wordings: one line each, and nothing waits."""

import json
import os

import numpy as np
import pytest

from trueness.analyse.loading import read_tables
from trueness.cli import main
from trueness.errors import TruenessError
from trueness.outside import inside, open_file
from trueness.reading.reasoning_graph import read_reasoning
from trueness.reasoning import execute

ENTRY = {"condition": "c1", "true_vals": ["a", "b", "a"], "model_vals": ["a", "b", "a"]}
LOG = {
    "version": 2,
    "eval": {"task": "t", "model": "m", "config": {"epochs": 10**9}, "dataset": {"sample_ids": ["a"]}},
    "samples": [{"id": "a", "epoch": 1, "scores": {"s": {"value": "C"}}}],
}


def ends_well_or_in_one_line(capsys, *arguments):
    code = main([str(argument) for argument in arguments])
    err = capsys.readouterr().err
    assert code in (0, 1, 2) and "Traceback" not in err
    return code, err


@pytest.mark.parametrize("name", ["/etc/hostname", "../secret.txt", "link.md"])
def test_a_wording_outside_of_the_plans_folder_is_sent_to_nobody(tmp_path, name):
    (tmp_path / "secret.txt").write_text("TOP SECRET")
    folder = tmp_path / "in"
    folder.mkdir()
    (folder / "link.md").symlink_to(tmp_path / "secret.txt")
    with pytest.raises(TruenessError, match="must be a file in the plan's folder"):
        inside(folder, name, "a wording")
    truth = '[discovery]\ndatasets = ["cancer"]\nlearners = ["pc"]\n'
    asks = f'[forecast]\nmodels = ["mock/vacuous"]\nformulations = ["{name}"]\n'
    (folder / "p.toml").write_text(truth + asks)
    assert main(["plan", str(folder / "p.toml")]) == 2


def test_a_pipe_is_refused_and_not_waited_for(tmp_path, capsys):
    os.mkfifo(tmp_path / "m_t.json")
    with pytest.raises(TruenessError, match="must be a file"):
        open_file(tmp_path / "m_t.json")
    assert ends_well_or_in_one_line(capsys, "show", tmp_path)[0] == 2
    np.save(tmp_path / "m.npy", np.zeros((3, 3)))
    os.mkfifo(tmp_path / "A_true.csv")
    assert ends_well_or_in_one_line(capsys, "evaluate", tmp_path)[0] == 2


def test_a_log_that_plans_a_billion_samples_is_refused_at_once(tmp_path):
    (tmp_path / "log.json").write_text(json.dumps(LOG))
    with pytest.raises(TruenessError, match="must plan at most"):
        read_tables([str(tmp_path / "log.json")])


@pytest.mark.parametrize(
    "odd",
    [
        {"model_texts": 5},
        {"status": [], "model_vals": [None]},
        {"weights": [10**30, 1, 1]},
        {"weights": [1e308, 1, 1]},
        {"true_vals": [10**400, 1, 2]},
        {"model_vals": [10**401], "true_vals": list(range(600))},
        {"model_weights": [-1, 3, 0]},
    ],
)
def test_odd_entries_of_result_files_are_read_or_refused(tmp_path, capsys, odd):
    (tmp_path / "m1_t1.json").write_text(json.dumps([ENTRY | odd, ENTRY | {"condition": "c2"}]))
    ends_well_or_in_one_line(capsys, "show", tmp_path)


@pytest.mark.parametrize("truth", [[[0, 1], [float("nan"), 0]], [["x", "y"], ["z", "w"]], [[0, 1j], [0, 0]]])
def test_a_truth_that_is_none_is_refused(tmp_path, capsys, truth):
    np.save(tmp_path / "A_true.npy", np.array(truth))
    np.save(tmp_path / "a**.npy", np.ones((2, 2)))
    code, err = ends_well_or_in_one_line(capsys, "evaluate", tmp_path, "--data", tmp_path)
    assert code == 2 and "A_true.npy must" in err


def test_numbers_without_end_and_lists_for_names_are_one_line(tmp_path, capsys):
    huge = {"config": {}, "model_name": "m", "results": {"arc": {"acc,none": 10**400}}}
    (tmp_path / "huge.json").write_text(json.dumps(huge))
    ends_well_or_in_one_line(capsys, "analyse", tmp_path / "huge.json")
    rows = [{"model": "a", "task": f"t{k}", "condition": ["a", k % 2], "score": 0.1 * k} for k in range(6)]
    (tmp_path / "rows.json").write_text(json.dumps(rows))
    ends_well_or_in_one_line(capsys, "analyse", tmp_path / "rows.json")


@pytest.mark.parametrize(
    ("rule", "known", "value"),
    [
        ("tip = 15 % of bill", "bill", 12.0),
        ("total = 3½ * bill", "bill", 280.0),
        ("Multiply bill by 1,500", "bill", 120_000.0),
        ("Multiply bill by 1,5", "bill", None),  # a half or thousands: never a guess
        ("tip = 5 % bill", "bill", None),  # a share or a remainder
        ("tip = \u03a2 + bill", "bill", None),  # a letter that has no name
    ],
)
def test_a_rule_is_read_right_or_not_at_all(rule, known, value):
    effect = rule.split(" = ")[0] if " = " in rule else "total"
    edges = [{"cause": [known], "effect": effect, "rule": rule}]
    graph = {"target_variable": effect, "knowns": [{"name": known, "value": 80}], "causal_graph": edges, "answer": 1}
    assert execute(read_reasoning(json.dumps(graph)).graph).target == value
