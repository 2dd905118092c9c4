"""A folder of the original's result files, read back and scored: `trueness show` and `report data/results/benchmark`.

    {model}_{task}.json     a list with one entry a condition: condition, true_vals, weights, model_vals, model_texts

`true_vals` are values of rows and `weights` theirs (or null), `model_vals` values that a model gave, null where none
was read: numbers where V1 is a number, else levels. Files that `trueness` writes itself (population/*.json) hold more:
model, task, mode, source, status, and of the truth its levels with their shares and `n_eff`. Where an entry names no
model, the file does: the underscore that divides all names of the folder best into models and tasks.

The files do not say which survey a task is of: all are one source, and no interval over sources is made of them.
"""

from __future__ import annotations

from collections import Counter
from collections.abc import Mapping, Sequence
from dataclasses import replace
from pathlib import Path

import numpy as np

from trueness.datasets.survey_files import Microdata
from trueness.errors import DataError
from trueness.intervals import Distribution
from trueness.outside import MAX_RECORDS, MEGABYTE, Json, json_of, size, text_of
from trueness.running.cells import stream
from trueness.status import Status
from trueness.studies.population.answers import AnswerKey, Populations
from trueness.studies.population.elicitation import Form, Manner
from trueness.studies.population.elicitation.forms import Answer
from trueness.studies.population.questions import Level, Question, Variable
from trueness.studies.population.references import REFERENCES, baseline_answers
from trueness.studies.population.survey_estimates import DRAWS, cell_draws, truth_of
from trueness.studies.population.survey_rows import MOST_LEVELS, texts
from trueness.studies.population.truth import PopulationTruth

OURS = ("n_eff", "rows", "condition_weight")
NEEDED = ("condition", "true_vals", "model_vals")
KEYS = ("model", "task")
TRUTH = ("true_vals", "weights")
KEPT = (
    "condition", *TRUTH, "model_vals", "model_weights", "model_texts", "mode", "elicited_by", "status", "message",
    "source", "prompt", *OURS,
)  # fmt: skip
MOST_FILE, MOST_VALUES = 32 * MEGABYTE, 5_000_000  # a value of a row takes 200 bytes while its task is summed up
DRAWN = ("sample", "story")
NO_PROMPT = "{}"  # the condition alone, where an entry does not say what was asked
LARGEST = 1e12  # a weight or a value beyond it is a mistake, and beyond what draws can count
Entry = Mapping[str, Json]  # of a JSON file


def read_results(folder: Path | str, seed: int = 0) -> Populations:
    """All result files of a folder as the tables of one study."""
    folder = Path(folder)
    files = result_files(folder)
    names = split_names([file.stem for file in files])
    entries: dict[AnswerKey, list[Entry]] = {}
    known: dict[str, dict[str, Entry]] = {}
    n_values = 0
    for file in files:
        for entry in _entries(file):
            model, task = (str(entry.get(field) or name) for field, name in zip(KEYS, names[file.stem], strict=True))
            repeat = entry["repeat"] if type(entry.get("repeat")) is int else 0
            key = AnswerKey(model, str(entry.get("mode") or "sample"), task.replace("/", "-"), repeat)
            kept = {field: entry[field] for field in KEPT if field in entry}
            first = known.setdefault(key.task, {}).setdefault(str(entry["condition"]), kept)
            if any(first.get(field) != kept.get(field) for field in TRUTH):
                raise DataError(
                    f"the truth of {str(entry['condition'])!r} of task {key.task!r} must be the same in the files of "
                    f"all models, got another of {key.respondent!r}. Keep files of one benchmark in a folder."
                )
            lists = ["model_vals", "model_texts", *(["true_vals"] if first is kept else [])]
            n_values += sum(len(kept[field]) for field in lists if isinstance(kept.get(field), list))
            if n_values > MOST_VALUES:
                raise DataError(_too_much(folder, f"{MOST_VALUES:,} values", f"more in {file.name}"))
            entries.setdefault(key, []).append(kept | {field: first.get(field) for field in TRUTH})  # the rows once
    if not entries:
        raise DataError(f"{folder} must hold result files named MODEL_TASK.json, got none.")
    for key, some in entries.items():
        _check_once(key, [str(entry["condition"]) for entry in some])
    truths = {task: _truth(task, of, folder.name, stream(seed, f"truth {task}")) for task, of in known.items()}
    answers = {
        key: dict.fromkeys(known[key.task], Answer(None, Status.FAILED, {}, message="no entry in its files"))
        | {str(entry["condition"]): _with_texts(_answer(entry, truths[key.task]), entry) for entry in some}
        for key, some in entries.items()
    }
    draws = max((int(a.draws) for some in answers.values() for a in some.values() if a.draws), default=Manner().draws)
    for name in REFERENCES:
        for task, truth in truths.items():
            answers[AnswerKey(name, "", task, 0)] = baseline_answers(name, truth, draws, stream(seed, f"{name} {task}"))
    models = tuple(dict.fromkeys(key.respondent for key in entries))
    planned = sum(len(answers[key]) for key in entries)
    return Populations(folder.name, seed, 0.95, truths, answers, REFERENCES, models, Manner(draws), {}, planned)


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


def _check_once(key: AnswerKey, conditions: Sequence[str]) -> None:
    twice = [name for name, n in Counter(conditions).items() if n > 1]
    if twice:
        raise DataError(
            f"condition {twice[0]!r} of {key.respondent!r} in task {key.task!r} must stand once, got it "
            f'{conditions.count(twice[0])} times. Number the entries: "repeat": 0, 1, ...'
        )


def _entries(file: Path) -> list[Entry]:
    document = json_of(text_of(file, MOST_FILE, DataError), file.name, DataError)
    entries = document if isinstance(document, list) else [document]
    for k, entry in enumerate(entries):
        missing = [key for key in NEEDED if key not in entry] if isinstance(entry, Mapping) else list(NEEDED)
        if missing:
            raise DataError(f"entry {k + 1} of {file.name} must have {', '.join(NEEDED)}, got no {missing[0]}.")
        for values, weights in (("true_vals", "weights"), ("model_vals", "model_weights")):
            there, beside = entry[values], entry.get(weights)
            if not isinstance(there, list) or (
                beside is not None and (not _numbers(beside) or min(beside, default=0) < 0 or len(beside) != len(there))
            ):
                raise DataError(
                    f"{values!r} and {weights!r} of entry {k + 1} of {file.name} must be lists of equal length, the "
                    f"second of numbers from 0 to {LARGEST:g}, got others."
                )
    return entries


def _numbers(values: object) -> bool:
    return isinstance(values, list) and all(type(one) in (int, float) and abs(one) <= LARGEST for one in values)


def _truth(task: str, entries: Mapping[str, Entry], folder: str, rng: np.random.Generator) -> PopulationTruth:
    import pandas as pd

    ours = all(_numbers([entry.get(key) for key in OURS]) for entry in entries.values())
    rows = [
        (condition, value, weight * (entry["condition_weight"] if ours else 1.0))
        for condition, entry in entries.items()
        for value, weight in zip(
            entry["true_vals"], entry.get("weights") or [1.0] * len(entry["true_vals"]), strict=True
        )
        if value is not None
    ]
    values = [value for _, value, _ in rows]
    numeric = _numbers(values) and (ours or len(set(values)) > MOST_LEVELS)
    frame = pd.DataFrame({
        "condition": [row[0] for row in rows],
        "outcome": values if numeric else texts(values),
        "weight": [row[2] for row in rows],
    })  # fmt: skip
    first = next(iter(entries.values()))
    levels = tuple(Level(name, (name,), (name,)) for name in entries)
    question = Question(
        name=task, source=str(first.get("source") or folder), data=folder,
        outcome=Variable("outcome", numeric=numeric), given=(Variable("condition", levels=levels),), weight="weight",
        least=1, prompt=str(first.get("prompt") or NO_PROMPT),
    )  # fmt: skip
    data = Microdata(task, tuple(frame.columns), lambda columns: frame[list(columns)])
    truth = truth_of(question, rng, data)
    if not ours:
        return truth
    n_eff, n = (np.clip([float(entries[c][key]) for c in truth.conditions], 2.0, 1e9) for key in ("n_eff", "rows"))
    counts = n_eff[:, None] * truth.probs
    draws = cell_draws(counts, counts, truth.probs, DRAWS, rng)
    return replace(truth, n_eff=n_eff, kish=n_eff, rows=n, draws=draws)


def _answer(entry: Entry, truth: PopulationTruth) -> Answer:
    """The distribution of the model's values; what is null or no level of the truth is unreadable, and counted."""
    message, mode = str(entry.get("message") or ""), str(entry.get("elicited_by") or entry.get("mode") or "")
    form = Form.of(truth.question, str(entry["condition"]))
    values, weights = entry["model_vals"], entry.get("model_weights")
    names = {name.casefold(): name for name in truth.levels}

    def value_of(value: object) -> str | float | None:
        if truth.numeric:
            return float(value) if isinstance(value, int | float) and _numbers([value]) else None
        return None if value is None else names.get(texts([value])[0].casefold())

    read = list(map(value_of, values))
    counts = {Status.OK: len(read) - read.count(None), Status.UNREADABLE: read.count(None)}
    counts = {status: n for status, n in counts.items() if n}
    kept = [value for value in read if value is not None]
    if not kept:
        known = {str(status): status for status in Status if status != Status.OK}
        status = known.get(str(entry.get("status")), Status.UNREADABLE)
        return Answer(None, status, counts, message=message, mode=mode)
    stated = weights is not None and mode not in DRAWN
    if truth.numeric:
        numbers = tuple(value for value in kept if isinstance(value, float))
        cells = form.histogram(numbers, None if stated else len(numbers))
        return Answer(cells, Status.OK, counts, numbers=numbers, message=message, mode=mode)
    shares = dict.fromkeys(truth.levels, 0.0)
    for value, weight in zip(read, weights or [1.0] * len(read), strict=True):
        if isinstance(value, str):
            shares[value] += weight
    total = sum(shares.values())
    if total <= 0:
        return Answer(None, Status.UNREADABLE, counts, message="the weights sum to 0.", mode=mode)
    claimed = Distribution(
        truth.levels, tuple(share / total for share in shares.values()), None if stated else len(kept)
    )
    levels = () if stated else tuple(value for value in kept if isinstance(value, str))
    return Answer(claimed, Status.OK, counts, values=levels, message=message, mode=mode)


def _with_texts(answer: Answer, entry: Entry) -> Answer:
    """With the raw replies; where there is one a draw, beside what the file read in it."""
    if not isinstance(entry.get("model_texts"), list):
        return answer
    shown, values = tuple(map(str, entry["model_texts"])), entry["model_vals"]
    is_one_a_draw = len(shown) == len(values) and entry.get("model_weights") is None
    read_as = [": nothing was read" if value is None else f": read as {value!s:.60}" for value in values]
    return replace(answer, texts=shown, read_as=tuple(read_as) if is_one_a_draw else ())
