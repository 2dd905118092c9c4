"""Population studies: summarising a survey of ACS size, and scoring the original's 169 tasks for 10 models.

The survey is made here: 3 million rows, 30 columns (text, codes, numbers, weights), as parquet. Summarising is the way
from the file to a weighted truth with 2,000 bootstrap draws, in a process of its own whose peak memory is told.
Scoring is 169 tasks of the shapes of the built-in ones (2 to 10 conditions, 2 to 10 levels) x 10 models (five with 128
draws a condition, five with claims), all measures with their intervals from 2,000 draws. Times are processor time on
one thread, whatever else the machine does.
"""

import resource
import subprocess
import sys
import tempfile
import time
from pathlib import Path

import harness
import numpy as np

from trueness.intervals import Distribution
from trueness.studies.population.elicitation import Answer
from trueness.studies.population.questions import Level, Question, Variable
from trueness.studies.population.scores import Scales, score_answers
from trueness.studies.population.tables import compare_respondents, respondent_means
from trueness.studies.population.truth import PopulationTruth
from trueness.studies.population.truth import truth_of

ROWS = 3_000_000
SUMMARY_S, SUMMARY_MIB, SCORING_S = 5.0, 1024, 30.0
TASKS, MODELS, DRAWS, SAMPLES = 169, 10, 2_000, 128


def write_survey(path, rows):
    """In batches: the benchmark itself must not need the memory that it measures."""
    import pyarrow as pa
    import pyarrow.parquet as parquet

    rng = np.random.default_rng(0)
    states = pa.array([f"state {k}" for k in range(51)])
    jobs = pa.array(["employed", "unemployed", "not in labor force", "armed forces"])
    writer = None
    for start in range(0, rows, 500_000):
        n = min(500_000, rows - start)
        columns = {
            "state": pa.DictionaryArray.from_arrays(pa.array(rng.integers(0, 51, n)), states).cast(pa.string()),
            "employment": pa.DictionaryArray.from_arrays(pa.array(rng.integers(0, 4, n)), jobs).cast(pa.string()),
            "age": pa.array(rng.integers(0, 95, n)),
            "sex": pa.array(rng.integers(1, 3, n)),
            "salary": pa.array(rng.lognormal(10, 1, n)),
            "PWGTP": pa.array(rng.integers(1, 300, n)),
            **{f"PWGTP{r}": pa.array(rng.integers(1, 300, n)) for r in range(1, 25)},
        }
        table = pa.table(columns)
        writer = writer or parquet.ParquetWriter(path, table.schema)
        writer.write_table(table)
    writer.close()


def summarise(path):
    """Employment by age, and salary by state, both weighted."""
    jobs = ("employed", "unemployed", "not in labor force", "armed forces")
    employment = Variable("employment", levels=tuple(Level(job, (job,), (job,)) for job in jobs))
    age = Variable("age", bins=(16, 25, 35, 45, 55, 65), ordinal=True)
    salary = Variable("salary", bins=(0, 10_000, 20_000, 40_000, 80_000), ordinal=True)
    for name, outcome, given in (
        ("employment_by_age", employment, age),
        ("salary_by_state", salary, Variable("state")),
    ):
        question = Question(
            name=name, source="ACS", data=path.name, outcome=outcome, given=(given,), prompt="{}", weight="PWGTP",
            folder=path.parent,
        )  # fmt: skip
        truth = truth_of(question, np.random.default_rng(0))
        assert truth.draws.shape[0] == DRAWS


def measured_summary(path):
    """(seconds, peak MiB) of two questions in a fresh process, imports included."""
    command = [sys.executable, __file__, "--summarise", str(path)]
    told = subprocess.run(command, capture_output=True, text=True, check=True).stdout
    seconds, peak = told.split()
    return float(seconds), float(peak)


def made_truth(number, rng):
    conditions, levels = int(rng.integers(2, 11)), int(rng.integers(2, 11))
    names = [tuple(Level(f"{word} {k}") for k in range(n)) for word, n in (("v", levels), ("c", conditions))]
    outcome, given = Variable("v1", levels=names[0], ordinal=number % 2 == 0), Variable("v2", levels=names[1])
    question = Question(
        name=f"task {number}", source=f"survey {number % 10}", data="made", outcome=outcome, given=(given,), prompt="{}"
    )
    probs = rng.dirichlet(np.full(levels, 2.0), size=conditions)
    n = rng.integers(200, 5_000, conditions).astype(float)
    drawn = rng.poisson(probs * n[:, None], size=(DRAWS, conditions, levels)) + 1e-9
    drawn /= drawn.sum(axis=-1, keepdims=True)
    weights = rng.dirichlet(np.full(conditions, 5.0))
    return PopulationTruth(question, question.conditions, probs, weights, n, n, n, drawn, "cells")


def made_answers(truth, model, rng):
    probs = np.array([rng.dirichlet(40 * row + 0.5) for row in truth.probs])
    k = SAMPLES if model < MODELS / 2 else None
    if k:
        probs = np.array([rng.multinomial(k, row) / k for row in probs])
    return {
        condition: Answer(Distribution(truth.levels, tuple(row / row.sum()), k))
        for condition, row in zip(truth.conditions, probs, strict=True)
    }


def scoring_seconds(tasks):
    rng = np.random.default_rng(1)
    truths = [made_truth(number, rng) for number in range(tasks)]
    given = [[made_answers(truth, model, rng) for model in range(MODELS)] for truth in truths]
    scales = Scales(0)
    began = time.process_time()
    scores = [
        score_answers(truth, answers, rng=rng, scales=scales, respondent=f"model {model}")
        for truth, row in zip(truths, given, strict=True)
        for model, answers in enumerate(row)
    ]
    respondent_means(scores)
    compare_respondents(scores)
    return time.process_time() - began


def main():
    if "--summarise" in sys.argv:
        summarise(Path(sys.argv[-1]))
        print(time.process_time(), resource.getrusage(resource.RUSAGE_SELF).ru_maxrss / 1024)
        return
    options = harness.options(__doc__, quick=True)
    rows, tasks = (300_000, 17) if options.quick else (ROWS, TASKS)
    with tempfile.TemporaryDirectory() as folder:
        path = Path(folder) / "survey.parquet"
        write_survey(path, rows)
        seconds, peak = measured_summary(path)
    lines = [
        harness.Line(f"two truths of {rows:,} rows", seconds, SUMMARY_S, limit=True),
        harness.Line(f"peak memory of that in GiB ({peak:,.0f} MiB)", peak / 1024, SUMMARY_MIB / 1024, limit=True),
        harness.Line(
            f"score {tasks} tasks x {MODELS} models, {DRAWS:,} draws", scoring_seconds(tasks), SCORING_S, limit=True
        ),
    ]
    harness.finish("population", lines, as_json=options.json)


if __name__ == "__main__":
    main()
