"""Keys stay where they are: nothing a run leaves behind or says contains one, not even where a provider echoes it; and
none goes to an address that came from another place, unless the user says so on the command line."""

import json
import os
from base64 import b64encode
from html import escape
from itertools import cycle
from urllib.parse import quote

import pytest

from tests import forked
from tests.models.loopback import Loopback, Turn

KEY = "sk-planted/7f3a+9c51&d2"
RANGES = "Precision: [0.1, 0.9]\nRecall: [0.1, 0.9]\nF1: [0.1, 0.9]\nSHD: [1, 4]"
ECHOES = [  # how a reply, or an error, gives a key back
    KEY,
    repr(f"{KEY}\r"),
    quote(KEY, safe=""),
    quote(KEY).lower(),
    json.dumps({"authorization": f"Bearer {KEY}"}),
    *(b64encode(f"{before}{KEY}:x".encode()).decode() for before in ("", "u", "us", "Bearer ")),
    escape(KEY),
]
PLAN = """
name = "secret"
[discovery]
datasets = ["survey", "asia"]
learners = ["random", "correlation"]
runs = 3
rows = 100
[forecast]
models = ["openai/gpt-4o", "anthropic/claude-x"]
formulations = ["direct"]
repeats = 3
[models."openai/gpt-4o"]
retries = 1
delay = 0.1
[models."anthropic/claude-x"]
retries = 1
delay = 0.1
"""
SMALL = """
name = "small"
[discovery]
datasets = ["survey"]
learners = ["random"]
runs = 3
rows = 100
[forecast]
models = ["openai/gpt-4o"]
formulations = ["direct"]
repeats = 2
"""


def trueness(*arguments, folder, charts=True, **environment):
    ours = ("_API_KEY", "_BASE_URL")
    bare = {name: value for name, value in os.environ.items() if not name.endswith(ours)}
    return forked.run(arguments, folder, bare | environment, charts)


def traces():
    """What must be nowhere: the key as anything above writes it, and of base64 the letters that are the key's alone."""
    found = {KEY, quote(KEY, safe=""), quote(KEY).lower(), escape(KEY), json.dumps(KEY)[1:-1]}
    for before in range(3):
        packed = b64encode(b"\0" * before + KEY.encode()).decode().rstrip("=")
        found.add(packed[4:-4])
    return [trace.encode() for trace in found]


@pytest.mark.slow
def test_a_planted_key_is_in_no_file_and_in_no_message(tmp_path):
    echoes = cycle(ECHOES)
    with Loopback(lambda prompt: f"{RANGES}\nYour key is {next(echoes)}.") as server:
        errors = [
            Turn(code=code, error=f"Incorrect API key provided: {echo}.") for code in (401, 500) for echo in ECHOES
        ]
        unread = [Turn(text=f"{echo} is all I have to say") for echo in ECHOES[:4]]
        server.then(*errors[::3], *unread)
        (tmp_path / "secret.toml").write_text(PLAN)
        user = {
            "OPENAI_API_KEY": f"{KEY} ",
            "OPENAI_BASE_URL": server.openai,
            "ANTHROPIC_API_KEY": f"{KEY}\r\n",
            "ANTHROPIC_BASE_URL": server.url,
        }
        told = [
            trueness(*command, folder=tmp_path, charts="--retry" in command, **user)
            for command in (
                ("plan", "secret.toml"),
                ("run", "secret.toml", "--json"),
                ("--debug", "run", "secret.toml", "--retry"),
                ("show",),
                ("check", "openai/gpt-4o"),
            )
        ]
    for result in told:
        assert [trace for trace in traces() if trace in (result.stdout + result.stderr).encode()] == []
    files = {path: path.read_bytes() for path in tmp_path.rglob("*") if path.is_file()}
    assert {"study.db", "runtime.csv", "report.html"} <= {path.name for path in files}, told[2].stderr
    assert [(path.name, trace) for path, held in files.items() for trace in traces() if trace in held] == []
    assert len(server.requests) > 20
    for model in ("gpt-4o", "claude-x"):  # the key was in use, as it is
        assert any(f"Bearer {KEY}" in seen.headers.values() for seen in server.requests if seen.body["model"] == model)
    database = next(held for path, held in files.items() if path.name == "study.db")
    assert database.count(b"Your key is ***") > 5  # the echoes did arrive


@pytest.mark.slow
def test_a_plan_that_sends_a_key_elsewhere_is_refused_in_one_line_that_names_the_option(tmp_path):
    options, allow = 'base_url = "http://other.invalid/v1"', "--allow-host http://other.invalid"
    (tmp_path / "small.toml").write_text(f'{SMALL}[models."openai/gpt-4o"]\nretries = 0\n{options}\n')
    refused = trueness("run", "small.toml", folder=tmp_path, charts=False, OPENAI_API_KEY=KEY)
    assert refused.returncode == 2
    assert refused.stderr.strip().splitlines()[-1].startswith("trueness: ") and allow in refused.stderr
    assert KEY not in refused.stdout + refused.stderr


LEARNER = """
import os
from trueness.learners import Card

class Tells:
    card = Card(title="Tells", summary="x", returns="dag", data={"discrete"}, assumes=(), paper="none", recovers="x")

    def fit(self, data, rng):
        raise RuntimeError("401 for key " + os.environ["LAB_API_KEY"])
"""


def test_what_a_learner_says_puts_no_key_into_a_file(tmp_path):
    """No model is in this plan: it is the store that keeps keys out."""
    (tmp_path / "tells.py").write_text(LEARNER)
    (tmp_path / "small.toml").write_text(SMALL.split("[forecast]")[0].replace('"random"', '"tells.py:Tells"'))
    result = trueness("run", "small.toml", folder=tmp_path, charts=False, LAB_API_KEY=KEY)
    assert result.returncode == 1 and KEY not in result.stdout + result.stderr, result.stderr
    files = {path.name: path.read_bytes() for path in (tmp_path / "results").rglob("*") if path.is_file()}
    assert b"401 for key ***" in files["study.db"] and b"401 for key ***" in files["runtime.csv"]
    assert [name for name, held in files.items() if KEY.encode() in held] == []


def test_the_repository_ignores_env_files(root):
    assert ".env" in (root / ".gitignore").read_text().split()
