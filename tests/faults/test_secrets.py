"""Keys stay where they are: nothing a run leaves behind or says contains one, not even where a provider echoes it."""

import os
import subprocess
import sys

import pytest

from tests.faults.places import DRIVER
from tests.models.loopback import Loopback, Turn

KEY = "sk-planted-7f3a9c51d2"
PLAN = """
name = "secret"
[discovery]
datasets = ["survey"]
learners = ["random"]
runs = 3
rows = 100
[forecast]
models = ["openai/gpt-4o", "anthropic/claude-x"]
formulations = ["direct"]
repeats = 2
[models."openai/gpt-4o"]
base_url = "{openai}"
retries = 1
delay = 0.1
[models."anthropic/claude-x"]
base_url = "{url}"
retries = 1
delay = 0.1
"""


def assay(*arguments, folder, charts=True, **environment):
    keyless = {name: value for name, value in os.environ.items() if not name.endswith("_API_KEY")}
    return subprocess.run(
        [sys.executable, *(["-m", "assay"] if charts else [str(DRIVER)]), *arguments],
        cwd=folder,
        capture_output=True,
        text=True,
        env=keyless | environment,
        timeout=300,
    )


@pytest.mark.slow
def test_a_planted_key_is_in_no_file_and_in_no_message(tmp_path):
    echo = f"Incorrect API key provided: {KEY}. You can find your API key at your account."
    with Loopback(lambda prompt: "Precision: [0.1, 0.9]") as server:
        server.then(*[Turn(code=401, error=echo)] * 3, *[Turn(code=500, error=echo)] * 2)
        (tmp_path / "secret.toml").write_text(PLAN.format(url=server.url, openai=server.openai))
        (tmp_path / ".env").write_text(f"OPENAI_API_KEY={KEY}\n")
        told = [
            assay(*command, folder=tmp_path, charts="--retry" in command, ANTHROPIC_API_KEY=KEY)
            for command in (
                ("plan", "secret.toml"),
                ("run", "secret.toml", "--json"),
                ("--debug", "run", "secret.toml", "--retry"),
                ("show",),
                ("check", "openai/gpt-4o"),
            )
        ]
        assert len(server.requests) > 4
        assert any(KEY in str(seen.headers) for seen in server.requests)  # the key was in use
    for result in told:
        assert KEY not in result.stdout + result.stderr
    files = [path for path in tmp_path.rglob("*") if path.is_file() and path.name != ".env"]
    assert any(path.name == "study.db" for path in files)
    assert [path for path in files if KEY.encode() in path.read_bytes()] == []


def test_the_repository_ignores_env_files(root):
    assert ".env" in (root / ".gitignore").read_text().split()
