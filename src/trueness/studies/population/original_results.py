"""A folder of the original's result files, read back and scored: `trueness show` and `report data/results/benchmark`.

    {model}_{task}.json     a list with one entry a condition: condition, true_vals, weights, model_vals, model_texts

`true_vals` are values of rows and `weights` theirs (or null), `model_vals` values that a model gave, null where none
was read: numbers where V1 is a number, else levels. Files that `trueness` writes itself (population/*.json) are
refused: their study can be shown. A name is cut at the underscore that divides all names of the folder best.

The files do not say which survey a task is of: all are one source, and no interval over sources is made of them.
"""

from __future__ import annotations

from collections import Counter
from collections.abc import Mapping, Sequence
from dataclasses import dataclass, replace
from pathlib import Path
from typing import Self

import numpy as np

from trueness.datasets.surveys import Microdata
from trueness.errors import DataError
from trueness.outside import MAX_RECORDS, MEGABYTE, Json, json_of, size, text_of
from trueness.reading.distribution import Answered
from trueness.running.cells import stream
from trueness.status import Status
from trueness.studies.population.answers import REFERENCES, AnswerKey, Populations, baseline_answers
from trueness.studies.population.elicitation import Answer, Form, Manner, drawn_answer
from trueness.studies.population.questions import Level, Question, Variable, texts
from trueness.studies.population.survey_rows import MOST_LEVELS
from trueness.studies.population.truth import PopulationTruth, truth_of

NEEDED = ("condition", "true_vals", "model_vals")
OURS = "n_eff"  # stands in the files of trueness alone
MODE = "sample"
MOST_FILE, MOST_VALUES = 32 * MEGABYTE, 5_000_000  # a value of a row takes 200 bytes while its task is summed up
LARGEST = 1e12  # a weight or a value beyond it is a mistake, and beyond what draws can count


@dataclass(frozen=True)
class Entry:
    """What a file says of one condition."""

    condition: str
    true_vals: list[Json]
    weights: list[float] | None
    model_vals: list[Json]
    texts: tuple[str, ...]

    @classmethod
    def of(cls, record: Json, where: str) -> Self:
        missing = [key for key in NEEDED if key not in record] if isinstance(record, Mapping) else list(NEEDED)
        if missing:
            raise DataError(f"{where} must have {', '.join(NEEDED)}, got no {missing[0]}.")
        if OURS in record or record.get("model_weights") is not None:
            raise DataError(f"{where} must be of the original, got one of trueness. Show the folder of its study.")
        true, weights, said, texts = (record.get(k) for k in ("true_vals", "weights", "model_vals", "model_texts"))
        fits = weights is None or (_numbers(weights) and min(weights, default=0) >= 0)
        if not isinstance(true, list) or not fits or (weights is not None and len(weights) != len(true)):
            raise DataError(
                f"'true_vals' and 'weights' of {where} must be lists of equal length, the second of numbers from "
                f"0 to {LARGEST:g}, got others."
            )
        if not isinstance(said, list):
            raise DataError(f"'model_vals' of {where} must be a list, got {said!r:.60}.")
        return cls(
            str(record["condition"]), true, weights, said, tuple(map(str, texts)) if isinstance(texts, list) else ()
        )

    @property
    def read_as(self) -> tuple[str, ...]:
        """What the file read in each of the texts, where there is one a draw."""
        if len(self.texts) != len(self.model_vals):
            return ()
        return tuple(f": read as {one!s:.60}" if one is not None else ": nothing was read" for one in self.model_vals)


def read_results(folder: Path | str, seed: int = 0) -> Populations:
    """All result files of a folder as the tables of one study."""
    folder = Path(folder)
    files = result_files(folder)
    names = split_names([file.stem for file in files])
    entries: dict[AnswerKey, dict[str, Entry]] = {}
    known: dict[str, dict[str, Entry]] = {}
    n_values = 0
    for file in files:
        document = json_of(text_of(file, MOST_FILE, DataError), file.name, DataError)
        for number, record in enumerate(document if isinstance(document, list) else [document], 1):
            entry = Entry.of(record, f"entry {number} of {file.name}")
            model, task = names[file.stem]
            key = AnswerKey(model, MODE, task, 0)
            first = known.setdefault(key.task, {}).setdefault(entry.condition, entry)
            if (first.true_vals, first.weights) != (entry.true_vals, entry.weights):
                raise DataError(
                    f"the truth of {entry.condition!r} of task {key.task!r} must be the same in the files of all "
                    f"models, got another of {key.respondent!r}. Keep files of one benchmark in a folder."
                )
            n_values += len(entry.model_vals) + len(entry.texts) + len(entry.true_vals) * (first is entry)
            if n_values > MOST_VALUES:
                raise DataError(_too_much(folder, f"{MOST_VALUES:,} values", f"more in {file.name}"))
            if entry.condition in entries.setdefault(key, {}):
                raise DataError(
                    f"condition {entry.condition!r} of {model!r} in task {key.task!r} must stand once, got it 2 times."
                )
            entries[key][entry.condition] = replace(entry, true_vals=first.true_vals, weights=first.weights)
    if not entries:
        raise DataError(f"{folder} must hold result files named MODEL_TASK.json, got none.")
    truths = {task: _truth(task, of, folder.name, stream(seed, f"truth {task}")) for task, of in known.items()}
    answers = {
        key: dict.fromkeys(known[key.task], Answer(None, Status.FAILED, {}, message="no entry in its files"))
        | {condition: _answer(entry, truths[key.task]) for condition, entry in some.items()}
        for key, some in entries.items()
    }
    draws = max((int(a.draws) for some in answers.values() for a in some.values() if a.draws), default=Manner().draws)
    for name in REFERENCES:
        for task, truth in truths.items():
            answers[AnswerKey(name, "", task, 0)] = baseline_answers(name, truth, draws, stream(seed, f"{name} {task}"))
    models = tuple(dict.fromkeys(key.respondent for key in entries))
    planned = sum(len(answers[key]) for key in entries)
    return Populations(folder.name, seed, 0.95, truths, answers, REFERENCES, models, Manner(draws), planned)


def result_files(folder: Path) -> list[Path]:
    """The JSON files of a folder, by name; all are read, so that their sum has an end."""
    files = sorted(file for file in folder.glob("*.json") if file.is_file())
    together = sum(file.stat().st_size for file in files)
    if together > MAX_RECORDS:
        raise DataError(_too_much(folder, size(MAX_RECORDS), size(together)))
    return files


def _too_much(folder: Path, most: str, got: str) -> str:
    where = f"the JSON files in {folder} must have at most {most} together"
    return f"{where}, got {got}. Move some of its tasks to a folder of their own."


def split_names(stems: Sequence[str]) -> dict[str, tuple[str, str]]:
    """File name -> model and task. With two models and two tasks the right cut repeats on both of its sides."""
    cuts = {
        stem: [(stem[:k], stem[k + 1 :]) for k, sign in enumerate(stem) if sign == "_" and 0 < k < len(stem) - 1]
        for stem in stems
    }
    before, behind = (Counter(cut[side] for some in cuts.values() for cut in some) for side in (0, 1))

    def worth(cut: tuple[str, str]) -> tuple[int, int, int]:
        models, tasks = behind[cut[1]], before[cut[0]]
        early = models > 1 or tasks == 1  # of equals, the shortest model; where there is one, what all names share
        return min(models, tasks), models * tasks, -len(cut[0]) if early else len(cut[0])

    return {stem: max(some, key=worth) if some else (stem, stem) for stem, some in cuts.items()}


def _numbers(values: object) -> bool:
    return isinstance(values, list) and all(type(one) in (int, float) and abs(one) <= LARGEST for one in values)


def _truth(task: str, entries: Mapping[str, Entry], folder: str, rng: np.random.Generator) -> PopulationTruth:
    import pandas as pd

    rows = [
        (condition, value, weight)
        for condition, entry in entries.items()
        for value, weight in zip(entry.true_vals, entry.weights or [1.0] * len(entry.true_vals), strict=True)
        if value is not None
    ]
    values = [value for _, value, _ in rows]
    numeric = _numbers(values) and len(set(values)) > MOST_LEVELS
    frame = pd.DataFrame({
        "condition": [row[0] for row in rows],
        "outcome": values if numeric else texts(values),
        "weight": [row[2] for row in rows],
    })  # fmt: skip
    levels = tuple(Level(name, (name,), (name,)) for name in entries)
    question = Question(
        name=task, source=folder, data=folder, prompt="{}", weight="weight",
        outcome=Variable("outcome", numeric=numeric), given=(Variable("condition", levels=levels),), least=1,
    )  # fmt: skip
    data = Microdata(task, tuple(frame.columns), lambda columns: frame[list(columns)])
    return truth_of(question, rng, data)


def _answer(entry: Entry, truth: PopulationTruth) -> Answer:
    """The distribution of the model's values; what is null or no level of the truth is unreadable, and counted."""
    names = {name.casefold(): name for name in truth.levels}

    def value_of(value: object) -> str | float | None:
        if truth.numeric:
            return float(value) if isinstance(value, int | float) and _numbers([value]) else None
        return None if value is None else names.get(texts([value])[0].casefold())

    read = [
        Answered(value, Status.UNREADABLE if value is None else Status.OK) for value in map(value_of, entry.model_vals)
    ]
    answer = drawn_answer(Form.of(truth.question, entry.condition), [(one, "") for one in read])
    status = Status.UNREADABLE if answer.distribution is None else answer.status
    return replace(answer, status=status, texts=entry.texts, read_as=entry.read_as)
