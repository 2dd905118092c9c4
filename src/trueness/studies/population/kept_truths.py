"""Fitted truths, kept in the study's folder: what took long to fit is fitted once, not at every plan, run and resume.

    truths/{task}_{key}.json,     key = hash(rows and their weights, variables with their levels, settings of the fit,
                                             state of the random stream, version of scikit-learn)

The rows are read and checked every time, so a changed survey has another key. A file that is missing, half written or
of another key is as good as none: the truth is fitted again, and comes out the same.
"""

from __future__ import annotations

import hashlib
import json
from contextlib import suppress
from dataclasses import asdict, replace
from importlib import metadata
from pathlib import Path

import numpy as np

from trueness import registry
from trueness.datasets.surveys import open_microdata
from trueness.errors import StoreError, TruenessError
from trueness.files import read_text, write_atomically
from trueness.outside import NOT_READ, json_of
from trueness.studies.population import high_dimensional
from trueness.studies.population.cells import Rows, rows_of
from trueness.studies.population.estimates import DRAWS, truth_of
from trueness.studies.population.questions import Question
from trueness.studies.population.records import truth_from_dict, truth_to_dict
from trueness.studies.population.truth import Truth

VERSION = 1  # raise when the same rows and settings would be fitted otherwise


def kept_truth(question: Question, rng: np.random.Generator, folder: Path | None) -> Truth:
    """As `truth_of`; one that has to be fitted is looked for in the study's folder, and left there."""
    if not question.high_dimensional or folder is None or not registry.is_installed("sklearn"):
        return truth_of(question, rng)
    rows = rows_of(question, open_microdata(question.data, question.folder))
    name = f"truths/{_file_name(question.name)}_{_key(rows, rng)}.json"
    found = _read(folder, name, rows)
    if found is None:
        found = high_dimensional.boosted_truth(rows, rng, DRAWS)
        _write(folder, name, found)
    return found


def _read(folder: Path, name: str, rows: Rows) -> Truth | None:
    try:
        found = truth_from_dict(json_of(read_text(folder, name), name))
    except (TruenessError, *NOT_READ):
        return None
    return replace(found, question=rows.question)  # the prompt and the modes may have changed since


def _write(folder: Path, name: str, truth: Truth) -> None:
    with suppress(StoreError):  # a folder that cannot be written is said when the study is run
        write_atomically(folder, name, json.dumps(truth_to_dict(truth)))


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
