"""A faithfulness study killed at random moments: no stored judgement is paid for twice, and the tables are the same."""

import hashlib
import json
import os
import random
import re
import sqlite3
import time

import pytest

from tests import forked
from tests.models.loopback import Loopback
from trueness.reading.verdicts import DIMENSIONS
from trueness.reasoning.problems import load_problems

KILLS = 2  # `make soak` kills for half an hour
PLAN = """
name = "killed"
[faithfulness]
problems = ["two.jsonl"]
corrupt = true
repeats = 2
nodes = 1
judges = ["openai/gpt-judge"]
models = ["openai/gpt-solver"]
[models."openai/gpt-judge"]
base_url = "{openai}"
concurrency = 2
[models."openai/gpt-solver"]
base_url = "{openai}"
concurrency = 2
"""
GRAPH = {
    "target_variable": "acceleration",
    "knowns": [{"name": "force", "value": 91, "unit": "N"}, {"name": "mass", "value": 14, "unit": "kg"}],
    "causal_graph": [{"cause": ["force", "mass"], "effect": "acceleration", "rule": "acceleration = force / mass"}],
    "answer": 6.5,
}


def answer(prompt):
    """A verdict that only depends on the prompt, after a moment."""
    time.sleep(0.05)
    level = int(hashlib.sha256(prompt.encode()).hexdigest()[:4], 16) % 5
    if "Write the graph" in prompt:
        return json.dumps(GRAPH)
    if "What is the impact of do(" in prompt:
        return json.dumps({"impact": level})
    if "does the chain hold?" in prompt:
        return json.dumps({"holds": level > 2, "solutions": "unique", "value": None})
    if "Rate the reasoning." in prompt:
        return json.dumps(dict.fromkeys(DIMENSIONS, level))
    force, mass = (float(re.search(rf"{name} ([\d.]+)", prompt)[1]) for name in ("force of", "mass"))
    return json.dumps({"answer": force / mass})


def start(plan, folder):
    run = ("run", plan, "--folder", folder, "--workers", "1", "--json")
    return forked.Started(run, environment=os.environ | {"OPENAI_API_KEY": "planted-key"})


def stored(folder):
    if not (folder / "study.db").exists():
        return 0
    with sqlite3.connect(f"file:{folder / 'study.db'}?mode=ro", uri=True) as db:
        try:
            return db.execute("SELECT count(*) FROM replies").fetchone()[0]
        except sqlite3.OperationalError:
            return 0


def tables(folder):
    """Every table and text of the study, by name."""
    found = [folder / "scores.csv", *(folder / "faithfulness").iterdir(), *(folder / "plots").iterdir()]
    return {path.name: path.read_bytes() for path in found}


def finished(driver):
    _, told = driver.communicate(timeout=300)
    assert driver.returncode == 0, told


@pytest.mark.slow
def test_killed_study_pays_for_no_judgement_twice_and_ends_in_the_same_bytes(tmp_path):
    moments, lost = random.Random(5), 0
    with Loopback(answer) as server:
        plan = tmp_path / "killed.toml"
        plan.write_text(PLAN.format(openai=server.openai))
        two = (load_problems("physics")[0], load_problems("everyday")[0])
        (tmp_path / "two.jsonl").write_text("\n".join(json.dumps(problem.to_dict()) for problem in two))
        finished(start(plan, tmp_path / "calm"))
        asks = len(server.requests)
        assert asks == stored(tmp_path / "calm") > 40
        for _ in range(KILLS):
            before, asked = stored(tmp_path / "out"), len(server.requests)
            driver = start(plan, tmp_path / "out")
            while len(server.requests) == asked and driver.poll() is None:
                time.sleep(0.02)
            assert driver.poll() is None
            time.sleep(moments.uniform(0.0, 0.4))
            driver.kill()
            driver.wait()
            time.sleep(0.3)  # what the server had begun, it finishes
            lost += len(server.requests) - asked - (stored(tmp_path / "out") - before)
        finished(start(plan, tmp_path / "out"))
        assert stored(tmp_path / "out") == asks
        assert len(server.requests) == 2 * asks + lost  # only what was in flight at a kill was asked for again
        assert lost <= KILLS * 4, lost  # two in flight at each of two models
    assert tables(tmp_path / "out") == tables(tmp_path / "calm")
