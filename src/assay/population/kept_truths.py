"""Fitted truths, kept in the study's folder: what took long to fit is fitted once, not at every plan, run and resume.

    truths/{task}_{key}.json,     key = hash(rows and their weights, variables with their levels, settings of the fit,
                                             state of the random stream, version of scikit-learn)

The rows are read and checked every time, so a changed survey has another key. A file that is missing, half written or
of another key is as good as none: the truth is fitted again, and comes out the same.
"""

from __future__ import annotations

import hashlib
import json
from dataclasses import asdict, replace
from importlib import metadata
from pathlib import Path

import numpy as np

from assay import registry
from assay.datasets.microdata import open_microdata
from assay.population import high_dimensional
from assay.population.cells import Rows, rows_of
from assay.population.questions import Question
from assay.population.records import truth_from_dict, truth_to_dict
from assay.population.truth import DRAWS, Truth, truth_of

VERSION = 1  # raise when the same rows and settings would be fitted otherwise


def kept_truth(question: Question, rng: np.random.Generator, folder: Path | None) -> Truth:
    """As `truth_of`; one that has to be fitted is looked for in `folder`, and left there."""
    if not question.high_dimensional or folder is None or not registry.is_installed("sklearn"):
        return truth_of(question, rng)
    rows = rows_of(question, open_microdata(question.data, question.folder))
    path = folder / f"{_file_name(question.name)}_{_key(rows, rng)}.json"
    found = _read(path, rows)
    if found is None:
        found = high_dimensional.boosted_truth(rows, rng, DRAWS)
        _write(path, found)
    return found


def _read(path: Path, rows: Rows) -> Truth | None:
    try:
        found = truth_from_dict(json.loads(path.read_text(encoding="utf-8")))
    except (OSError, ValueError, KeyError, TypeError):
        return None
    return replace(found, question=rows.question)  # the prompt and the modes may have changed since


def _write(path: Path, truth: Truth) -> None:
    try:
        path.parent.mkdir(parents=True, exist_ok=True)
        path.write_text(json.dumps(truth_to_dict(truth)), encoding="utf-8")
    except OSError:
        return  # a folder that cannot be written is said when the study is run


def _key(rows: Rows, rng: np.random.Generator) -> str:
    settings = {
        "version": VERSION,
        "variables": [asdict(variable) for variable in rows.question.variables],
        "fit": [high_dimensional.PROFILES, high_dimensional.FOLDS, high_dimensional.REPEATS,
                high_dimensional.MOST_ROWS, DRAWS],
        "stream": rng.bit_generator.state,
        "scikit-learn": metadata.version("scikit-learn"),
    }  # fmt: skip
    digest = hashlib.sha256(json.dumps(settings, sort_keys=True, default=str).encode())
    digest.update(rows.cell.tobytes())
    digest.update(b"" if rows.weight is None else rows.weight.tobytes())
    return digest.hexdigest()[:16]


def _file_name(task: str) -> str:
    return "".join(sign if sign.isalnum() or sign in "-_" else "-" for sign in task)
