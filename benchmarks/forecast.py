"""Scoring and analysing 10 models x 11 data sets x 4 learners x 4 formulations x 5 repeats (limit: 20 s together).

The study is simulated (tests/forecast/example.py): 8,800 replies, 52,800 claims of the models against 44 cells x
4 measures x 100 runs, and five references. Timed are the scores, the long table of scores.csv, and every
analysis; making the study is not. A small study is run twice beside it: the second time no model may be asked.
The reader's numbers are in reading.py, prefix reuse in models.py; they are run after this one unless --quick is given.
"""

import harness  # first: it sets the number of threads
import subprocess
import sys
import tempfile
from pathlib import Path

sys.path.insert(0, str(Path(__file__).resolve().parents[1]))

from trueness.running.engine import local_executor
from tests.forecast.example import DATASETS, example
from trueness.studies.forecast.findings import Findings
from trueness.studies.forecast.scores import long, score_claims
from trueness.models.mock import Mock
from trueness.running.study import Plan, Study

MODELS, REPEATS, LIMIT = 10, 5, 20.0


PLAN = """
[discovery]
datasets = ["survey", "cancer"]
learners = ["correlation", "random"]
runs = 5
[forecast]
models = ["mock/overconfident"]
repeats = 5
"""


def calls_of_two_runs():
    """How many questions a study asks when it is run, and when it is run again."""
    asked = []
    ask = Mock.ask
    Mock.ask = lambda self, *question: asked.append(1) or ask(self, *question)
    try:
        with tempfile.TemporaryDirectory() as folder, local_executor(1) as (executor, slots):
            counts = []
            for _ in range(2):
                Study(Plan.parse(PLAN, "twice.toml", folder=folder)).run(executor, slots)
                counts.append(len(asked) - sum(counts))
    finally:
        Mock.ask = ask
    return counts


def main():
    options = harness.options(__doc__, quick=True)
    first, again = calls_of_two_runs()
    assert (first, again) == (60, 0), (first, again)
    names = [f"mock/model-{k}" for k in range(MODELS)]
    study = example(datasets=list(DATASETS), respondents=names, repeats=REPEATS)
    scoring = harness.median_seconds(
        lambda: score_claims(study.claims, study.truths, study.references), options.repeats
    )
    table = harness.median_seconds(lambda: long(study.scores), max(1, options.repeats // 2))
    analysing = harness.cpu_seconds(lambda: list(Findings(study).analyses()))  # once: it is cold in a study too
    lines = [
        harness.Line(f"scores of {len(study.claims):,} claims", scoring, None),
        harness.Line("the long table", table, None),
        harness.Line("all analyses", analysing, None),
        harness.Line("together", scoring + table + analysing, LIMIT, limit=True),
    ]
    others = []
    if not options.quick:
        folder = Path(__file__).parent
        others = [subprocess.run([sys.executable, folder / file]).returncode for file in ("reading.py", "models.py")]
    notes = (f"{len(study.replies):,} replies", f"calls of a study: {first}; of the same study run again: {again}")
    try:
        harness.finish("forecast", lines, notes, options.json)
    finally:
        if any(others):
            sys.exit(1)


if __name__ == "__main__":
    main()
