"""Files of strangers at the doors of `evaluate`, `show FOLDER`, logs and wordings: one line each, and nothing waits."""

import json

import pytest

from trueness.analyse.loading import read_tables
from trueness.cli import main
from trueness.errors import TruenessError
from trueness.outside import inside

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


def test_a_log_that_plans_a_billion_samples_is_refused_at_once(tmp_path):
    (tmp_path / "log.json").write_text(json.dumps(LOG))
    with pytest.raises(TruenessError, match="must plan at most"):
        read_tables([str(tmp_path / "log.json")])
