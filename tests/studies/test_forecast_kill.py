"""A forecast over three providers' SDKs, killed at random moments: nothing stored is asked for again."""

import hashlib
import os
import random
import signal
import sqlite3
import time

import pytest

from tests import forked
from tests.models.loopback import Loopback

KILLS = 2  # `make soak` kills for half an hour
PLAN = """
name = "killed"
[discovery]
datasets = ["survey", "cancer", "synthetic-5"]
learners = ["correlation", "random"]
runs = 5
rows = 300
[forecast]
models = ["openai/gpt-4o", "anthropic/claude-x", "google/gemini-x"]
repeats = 3
[models."openai/gpt-4o"]
base_url = "{openai}"
concurrency = 2
[models."anthropic/claude-x"]
base_url = "{url}"
concurrency = 2
[models."google/gemini-x"]
base_url = "{url}"
concurrency = 2
"""
ASKS = 3 * 6 * 3 * 3  # models x cells x formulations x repeats


def answer(prompt):
    """Ranges that only depend on the prompt, after a moment."""
    time.sleep(0.05)
    low = int(hashlib.sha256(prompt.encode()).hexdigest()[:4], 16) % 60 / 100
    return f"Precision: [{low}, {low + 0.3}]\nRecall: [{low}, {low + 0.2}]\nF1: [{low}, {low + 0.25}]\nSHD: [1, 4]"


def start(plan, folder):
    keys = {f"{name}_API_KEY": "planted-key" for name in ("OPENAI", "ANTHROPIC", "GOOGLE")}
    run = ("run", plan, "--folder", folder, "--workers", "1", "--json")
    return forked.Started(run, environment=os.environ | keys, charts=False)


def stored(folder):
    """How often each prompt has a stored reply."""
    if not (folder / "study.db").exists():
        return {}
    with sqlite3.connect(f"file:{folder / 'study.db'}?mode=ro", uri=True) as db:
        try:
            return dict(db.execute("SELECT key, respondent FROM replies"))
        except sqlite3.OperationalError:
            return {}


@pytest.fixture(scope="module")
def calm(tmp_path_factory):
    folder = tmp_path_factory.mktemp("calm")
    with Loopback(answer) as server:
        plan = folder / "killed.toml"
        plan.write_text(PLAN.format(url=server.url, openai=server.openai))
        driver = start(plan, folder / "out")
        _, told = driver.communicate(timeout=300)
        assert driver.returncode == 0, told
        assert len(server.requests) == ASKS
    return (folder / "out" / "scores.csv").read_bytes()


@pytest.mark.slow
def test_killed_forecast_pays_for_no_stored_reply_twice_and_ends_in_the_same_bytes(tmp_path, calm):
    moments, kills, lost = random.Random(11), 0, 0
    with Loopback(answer) as server:
        plan = tmp_path / "killed.toml"
        plan.write_text(PLAN.format(url=server.url, openai=server.openai))
        while True:
            before = stored(tmp_path / "out")
            asked = len(server.requests)
            driver = start(plan, tmp_path / "out")
            while kills < KILLS and len(server.requests) == asked and driver.poll() is None:
                time.sleep(0.02)  # until this start asks something
            if kills < KILLS and driver.poll() is None:
                time.sleep(moments.uniform(0.0, 0.25))
                driver.kill()
                driver.wait()
                kills += 1
                time.sleep(0.3)  # what the server had begun, it finishes
                lost += len(server.requests) - asked - (len(stored(tmp_path / "out")) - len(before))
                continue
            _, told = driver.communicate(timeout=300)
            assert driver.returncode == 0, told
            break
        after = stored(tmp_path / "out")
        assert (kills, len(after)) == (KILLS, ASKS)
        assert len(server.requests) == ASKS + lost  # only what was in flight at a kill was asked for again
        assert lost <= KILLS * 6, lost  # two in flight at each of three models
    assert (tmp_path / "out" / "scores.csv").read_bytes() == calm


def test_an_ended_forecast_loses_no_reply_at_all(tmp_path, calm):
    """SIGTERM, as a scheduler sends it: what is in flight is finished and stored."""
    with Loopback(answer) as server:
        plan = tmp_path / "killed.toml"
        plan.write_text(PLAN.format(url=server.url, openai=server.openai))
        codes = []
        for _ in range(3):
            driver = start(plan, tmp_path / "out")
            asked = len(server.requests)
            while not codes and len(server.requests) == asked and driver.poll() is None:
                time.sleep(0.02)
            if not codes:
                driver.send_signal(signal.SIGTERM)
            _, told = driver.communicate(timeout=300)
            codes.append(driver.returncode)
            assert "Traceback" not in told
            assert "planted-key" not in told
            if driver.returncode == 0:
                break
        assert codes == [130, 0]
        assert len(server.requests) == ASKS
    assert (tmp_path / "out" / "scores.csv").read_bytes() == calm
