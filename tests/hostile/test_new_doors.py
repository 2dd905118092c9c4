"""Files of strangers at the doors of `evaluate`, `show FOLDER`, logs and wordings: one line each, and nothing waits."""

import pytest

from trueness.cli import main
from trueness.errors import TruenessError
from trueness.outside import inside

ENTRY = {"condition": "c1", "true_vals": ["a", "b", "a"], "model_vals": ["a", "b", "a"]}


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
