"""Scoring and analysing 10 models x 11 data sets x 4 learners x 4 formulations x 5 repeats (limit: 20 s together).

The study is simulated (assay.forecast.example): 8,800 replies, 52,800 claims of the models against 44 cells x 4
measures x 100 runs, and five references. Timed are the scores, the long table of scores.csv, and every
analysis; making the study is not.
"""

import harness  # first: it sets the number of threads
import time

from assay.forecast.example import DATASETS, example
from assay.forecast.findings import findings
from assay.forecast.scores import long, score_claims

MODELS, REPEATS, LIMIT = 10, 5, 20.0


def timed(call):
    began = time.perf_counter()
    call()
    return time.perf_counter() - began


def main():
    options = harness.options(__doc__)
    names = [f"mock/model-{k}" for k in range(MODELS)]
    study = example(datasets=list(DATASETS), respondents=names, repeats=REPEATS)
    scoring = harness.median_seconds(
        lambda: score_claims(study.claims, study.truths, study.references), options.repeats
    )
    table = harness.median_seconds(lambda: long(study.scores), max(1, options.repeats // 2))
    analysing = timed(lambda: findings(study))  # once: it is cold in a study too
    lines = [
        harness.Line(f"scores of {len(study.claims):,} claims", scoring, None),
        harness.Line("the long table", table, None),
        harness.Line("all analyses", analysing, None),
        harness.Line("together", scoring + table + analysing, LIMIT, limit=True),
    ]
    harness.finish("forecast", lines, (f"{len(study.replies):,} replies",), options.json)


if __name__ == "__main__":
    main()
