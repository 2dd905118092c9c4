"""Logs of other harnesses as scores tables: one row a sample, epoch and metric; metrics are never averaged.

    Inspect                  .eval (a zip: header.json, summaries.json), .json (version, eval, samples)
    lm-evaluation-harness    samples of any name (doc_id, target, filtered_resps), or samples_<task>_<time>.jsonl in a
                             folder named after the model; results_*.json, which has means and their errors alone
    HELM                     per_instance_stats.json in a folder scenario:...,model=...
    promptfoo                .json (results.results, one entry a prompt, provider, test and repeat), assertions: rules
    anything else            JSON lines, a JSON list of records, alone or under one key, or columns of equal keys

A sample that ended in an error, or that was never run, has `extraction_ok` False and no score: missing, not wrong.
A log without any score raises NoScores, which says why; no other column of it is ever a score.
"""

from __future__ import annotations

import json
import re
from collections.abc import Callable, Iterable, Iterator, Mapping
from pathlib import Path

import pandas as pd

from trueness.archives import open_archive
from trueness.errors import DataError, listed
from trueness.outside import MAX_RECORDS, NOT_READ, Json, check_values, json_of, json_records, one_line, size
from trueness.texts import counted

MOST_SAID = 120  # characters of an error or a word of a log
MAX_CELLS = 50_000_000  # of the table that a log makes
MAX_FILLED = 20_000_000  # of them with a value: a row is a dict until the table is made
Record = dict[str, Json]
_TAKEN = {"metric", "metric_name", "measure", "value", "status"}  # by which the table of a log is read
_SAMPLES = re.compile(r"samples_(?P<task>.+?)_\d{4}-\d{2}-\d{2}T[\d.:-]+$")
_LM_EVAL = {"doc_id", "target", "filtered_resps"}
_HELM = {"instance_id", "stats"}
_METRIC = "metric\x1f"  # in front of the name of a column that holds a metric
# Inspect's letters for correct, incorrect, partial, and no answer (value_to_float of inspect_ai.scorer)
_LETTERS = {"C": 1.0, "I": 0.0, "P": 0.5, "N": 0.0}


class NoScores(DataError):
    """A log without a score: beside others it is left out, with its reason."""

    def __init__(self, path: Path, why: str):
        super().__init__(f"{path.name} must hold scores of samples, got none: {why}. Score it, or run it again.")
        self.reason = f"{path.name} ({why})"


def read_json(path: Path) -> pd.DataFrame:
    """A .json or .jsonl file: which harness wrote it is told by its keys."""
    content = json_records(path)
    if isinstance(content, Mapping):
        if "eval" in content and "version" in content:
            return _inspect_log(path, content, content.get("samples") or [])
        results = content.get("results")
        if isinstance(results, Mapping) and ("config" in content or "versions" in content) and "results" not in results:
            frame = _frame(_lm_results, path, content)
            frame.attrs["groups"] = sorted(_groups(content))
            return frame
        if isinstance(results, Mapping) and isinstance(results.get("results"), list):
            return _scored(_frame(_promptfoo, path, results["results"]), path, "score")
        if isinstance(results, list) and results and isinstance(results[0], Mapping) and "provider" in results[0]:
            return _scored(_frame(_promptfoo, path, results), path, "score")
        return _of_object(content, path)
    if content and set(content[0]) >= _LM_EVAL:
        return _by_metric(_frame(_lm_eval, path, content), path, f"{counted(len(content), 'sample')} without a metric")
    if content and set(content[0]) >= _HELM:
        return _scored(_frame(_helm, path, content), path, "value")
    return _of_records(content, path)


def _of_object(content: Mapping[str, Json], path: Path) -> pd.DataFrame:
    """One list of records under any key, or columns: `DataFrame.to_json()`, {model: {task: score}}."""
    lists = [key for key, value in content.items() if isinstance(value, list) and value and isinstance(value[0], dict)]
    if len(lists) == 1:
        frame = _of_records(content[lists[0]], path)
        others = [key for key in content if key != lists[0]]
        frame.attrs["notes"] = (f"{path.name}: {lists[0]} read, not {listed(others, most=6)}",) if others else ()
        return frame
    parts = list(content.values())
    keys = list(parts[0]) if parts and isinstance(parts[0], Mapping) else []
    if keys and all(isinstance(part, Mapping) and list(part) == keys for part in parts):
        rows = ({"index": key} | {name: part[key] for name, part in content.items()} for key in keys)
        return _of_records(rows, path)
    raise DataError(
        f"{path.name} must be a log of Inspect, promptfoo or lm-evaluation-harness, a list of records, or columns of "
        f"equal keys, got an object with the keys {', '.join(list(content)[:6]) or 'none'}. Write it as CSV."
    )


def _of_records(records: Iterable[Record], path: Path) -> pd.DataFrame:
    """Records of any other origin: `scores` of several names are metrics, other records inside get dotted names."""
    frame = _frame(lambda records, path: map(_flatten, records), path, records)
    return _by_metric(frame, path) if any(str(name).startswith(_METRIC) for name in frame) else frame


def _flatten(record: Record) -> Record:
    row: Record = {}
    for key, value in record.items():
        if isinstance(value, Mapping) and value:
            front = _METRIC if key in ("scores", "metrics") and all(map(_is_number, value.values())) else f"{key}."
            row |= {f"{front}{name}": part for name, part in value.items()}
        else:
            row[key] = value
    return row


def _is_number(value: object) -> bool:
    return value is None or isinstance(value, int | float)


def inspect_archive(path: Path) -> pd.DataFrame:
    """An .eval file: of a run that was stopped the journal, else the summaries."""
    with open_archive(path, MAX_RECORDS, "a log of Inspect (.eval)") as archive:
        names = set(archive.names)
        wanted = ["header.json" if "header.json" in names else "_journal/start.json"]
        if "summaries.json" in names:
            wanted.append("summaries.json")
        else:
            wanted += sorted(n for n in names if n.startswith("_journal/summaries/"))
        texts = [archive.text(name) for name in wanted]
    check_values(",".join(texts), path.name)
    head, *parts = (json_of(text, f"{name} of {path.name}") for name, text in zip(wanted, texts, strict=True))
    if wanted[0] != "header.json":
        head = {"status": "started", **head}
    return _inspect_log(path, head, [sample for part in parts for sample in part])


def _inspect_log(path: Path, head: Mapping[str, Json], samples: list[Record]) -> pd.DataFrame:
    """How the run ended is said; a run that was done again has the same id in both logs (`run`)."""
    ended = _ended(head)
    errors = [sample["error"] for sample in samples if isinstance(sample, Mapping) and sample.get("error")]
    why = ended or (f"{counted(len(samples), 'sample')}, none was scored" if samples else "no samples")
    if errors and len(errors) == len(samples) and not ended:
        why = f"each sample ended in an error ({_message(errors[0])})"
    if not samples:
        raise NoScores(path, why)
    frame = _by_metric(_frame(_inspect, path, head["eval"], samples), path, why)
    if ended:
        scored = int(frame.groupby(["task", "repeat"])["value"].count().gt(0).sum())
        frame.attrs["notes"] = (*frame.attrs["notes"], f"{path.name} {ended}: {counted(scored, 'sample')} with a score")
    frame.attrs["run"] = (str(head["eval"].get("task_id") or ""), str(head["eval"].get("created") or ""))
    return frame


def _ended(head: Mapping[str, Json]) -> str:
    """How a run ended that did not end well, or nothing."""
    status = head.get("status", "success")
    words = {"success": "", "started": "has not ended", "cancelled": "was cancelled"}
    return words.get(status, f"ended in {status} ({_message(head.get('error'))})")


def _message(error: object) -> str:
    text = error.get("message") if isinstance(error, Mapping) else error
    return " ".join(str(text or "no message").split())[:MOST_SAID]


def _inspect(about: Mapping[str, Json], samples: Iterable[Mapping[str, Json]], path: Path) -> Iterator[Record]:
    """`about` is the log's eval spec; arguments of the task and metadata become columns of their own."""
    fixed: Record = {"domain": str(about.get("task", path.stem)), "model": str(about.get("model", ""))}
    if about.get("solver"):
        fixed["solver"] = about["solver"]
    for extra in (about.get("metadata"), about.get("task_args"), about.get("solver_args")):
        fixed |= {key: value for key, value in (extra or {}).items() if _flat(value) and key not in fixed}
    epochs = int((about.get("config") or {}).get("epochs") or 1)
    planned = (about.get("dataset") or {}).get("sample_ids") or []
    if epochs * len(planned) > MAX_FILLED:
        raise DataError(f"a log must plan at most {MAX_FILLED:,} samples, got {len(planned)} x {epochs} epochs.")
    left = {(str(name), epoch) for name in planned for epoch in range(1, epochs + 1)}
    for sample in samples:
        row = fixed | {"task": str(sample["id"]), "repeat": sample.get("epoch", 1)}
        left.discard((row["task"], row["repeat"]))
        row |= {k: v for k, v in (sample.get("metadata") or {}).items() if _flat(v) and k not in row}
        row["extraction_ok"] = not sample.get("error")
        for scorer, score in (sample.get("scores") or {}).items():
            row |= _inspect_scores(scorer, score.get("value"))
        yield row
    yield from (fixed | {"task": name, "repeat": epoch, "extraction_ok": False} for name, epoch in sorted(left))


def _inspect_scores(scorer: str, value: object) -> Record:
    if isinstance(value, Mapping):
        return {f"{_METRIC}{scorer}/{name}": _inspect_number(part) for name, part in value.items()}
    return {f"{_METRIC}{scorer}": _inspect_number(value)}


def _inspect_number(value: object) -> float | str | None:
    """A word that is no number stays a word: `_by_metric` says that it is no score."""
    if isinstance(value, str):
        if value in _LETTERS:
            return _LETTERS[value]
        value = {"yes": 1, "true": 1, "no": 0, "false": 0}.get(value.lower(), value)
    try:
        return float(value)  # type: ignore[arg-type]
    except (TypeError, ValueError):
        return None if value is None else str(value)[:MOST_SAID]


def _lm_eval(records: Iterable[Record], path: Path) -> Iterator[Record]:
    """`metrics` names the score columns of a sample; older files do not have it, there every 0..1 number counts.

    A file of another name is a model's, by that name, and its folder is the domain.
    """
    named, folder = _SAMPLES.match(path.stem), path.resolve().parent.name
    fixed = {"domain": named["task"], "model": folder} if named else {"domain": folder, "model": path.stem}
    about = {"doc_id", "doc", "target", "arguments", "resps", "filtered_resps", "filter", "metrics"}
    for record in records:
        names = record.get("metrics") or [
            key for key, value in record.items() if key not in about and isinstance(value, int | float)
        ]
        filtered = f",{record['filter']}" if record.get("filter") not in (None, "none") else ""
        scores = {f"{_METRIC}{name}{filtered}": record.get(name) for name in names}
        yield fixed | {"task": str(record["doc_id"])} | scores


def _lm_results(content: Mapping[str, Json], path: Path) -> Iterator[Record]:
    """`acc,none` beside `acc_stderr,none`: means of benchmarks, one row a model, benchmark and metric."""
    config = content.get("config") or {}
    model = content.get("model_name") or config.get("model_args") or path.resolve().parent.name
    for task, scores in content["results"].items():
        if task in _groups(content):
            continue
        filtered = any("," in key for key in scores)  # "acc,none": beside them stand counts such as sample_len
        for key, value in scores.items():
            name, _, kind = key.partition(",")
            if isinstance(value, int | float) and not name.endswith("_stderr") and (kind or not filtered):
                error = scores.get(f"{name}_stderr,{kind}", scores.get(f"{name}_stderr"))
                error = error if isinstance(error, int | float) else None
                metric = f"{name},{kind}" if kind not in ("", "none") else name
                row = {"domain": "benchmarks", "model": str(model), "task": str(task), "metric": metric}
                yield row | {"value": value, "stderr": error}


def _groups(content: Mapping[str, Json]) -> set[str]:
    """Benchmarks that are means of others in the same file (mmlu, of its subjects): beside them they count twice."""
    inside = content.get("group_subtasks") or {}
    return {name for name, parts in inside.items() if any(part in content["results"] for part in parts)}


def _helm(records: Iterable[Record], path: Path) -> Iterator[Record]:
    """The run's folder names scenario and model: mmlu:subject=anatomy,model=openai_gpt-x."""
    folder = path.resolve().parent.name
    scenario, _, rest = folder.partition(":")
    arguments = dict(part.partition("=")[::2] for part in rest.split(","))
    model = arguments.pop("model", folder)
    domain = ",".join([scenario, *(f"{key}={value}" for key, value in sorted(arguments.items()) if key)])
    for record in records:
        changed = (record.get("perturbation") or {}).get("name")  # the same instance, altered: another measure
        for stat in record["stats"]:
            metric = f"{stat['name']['name']},{changed}" if changed else stat["name"]["name"]
            yield {
                "domain": domain, "model": model, "task": str(record["instance_id"]),
                "repeat": record.get("train_trial_index", 0), "metric": metric, "value": stat.get("mean"),
            }  # fmt: skip


def _by_metric(frame: pd.DataFrame, path: Path, why: str = "no metric has a number") -> pd.DataFrame:
    """One row a metric: what a metric is called is a value, not a column. NoScores, and `why`, where none has a number.

    Columns of the log's own metadata that have the name of a column of ours are called log.NAME.
    """
    metrics = [name for name in map(str, frame) if name.startswith(_METRIC)]
    numbers = {name: pd.to_numeric(frame[name], errors="coerce").astype("float64") for name in metrics}
    words = {name: frame[name][numbers[name].isna() & frame[name].notna()].astype(str) for name in metrics}
    notes = tuple(
        f"{path.name}: words in {name.removeprefix(_METRIC)} are no scores ({listed(map(repr, each.unique()), most=3)})"
        for name, each in words.items()
        if len(each)
    )
    metrics = [name for name in metrics if numbers[name].notna().any()]
    if not metrics:
        values = list(dict.fromkeys(repr(word) for each in words.values() for word in each))
        raise NoScores(path, f"words as scores ({listed(values, most=3)})" if values else why)
    others = [name for name in map(str, frame) if not name.startswith(_METRIC)]
    clash = {name: f"log.{name}" for name in others if name.strip().lower() in _TAKEN}
    frame = frame[others].rename(columns=clash).assign(**{name: numbers[name] for name in metrics})
    long = frame.melt([name for name in frame if name not in metrics], metrics, "metric", "value")
    if "task" in long:
        there = long.groupby("task")["value"].transform("count") > 0  # another filter's row has none of this metric
        long = long[long["value"].notna() | ~there | long.get("extraction_ok", pd.Series(True, long.index)).eq(False)]
    long = long.assign(metric=long["metric"].str.removeprefix(_METRIC))
    long.attrs["notes"] = notes
    return long


def _scored(frame: pd.DataFrame, path: Path, column: str) -> pd.DataFrame:
    if not pd.to_numeric(frame[column], errors="coerce").notna().any():
        raise NoScores(path, f"{counted(len(frame), 'sample')}, none has a score")
    return frame


def _promptfoo(results: Iterable[Record], path: Path) -> Iterator[Record]:
    """The prompt's label is the condition; each assertion is a rule, by its metric or its type."""
    seen: dict[tuple[object, ...], int] = {}
    for result in results:
        provider, prompt, test = result.get("provider") or {}, result.get("prompt") or {}, result.get("testCase") or {}
        model = provider.get("label") or provider.get("id") if isinstance(provider, Mapping) else str(provider)
        condition = prompt.get("label") or f"prompt {result.get('promptIdx', '')}".strip()
        task = str(test.get("description") or result.get("testIdx", json.dumps(result.get("vars"), sort_keys=True)))
        key = (model, condition, task)
        seen[key] = seen.get(key, 0) + 1
        grading = result.get("gradingResult") or {}
        failed = bool(result.get("error")) and not grading.get("componentResults")
        row: Record = {"model": model, "condition": condition, "task": task, "repeat": seen[key]}
        row["extraction_ok"] = not failed
        row["score"] = None if failed else result.get("score")
        for k, part in enumerate(grading.get("componentResults") or ()):
            assertion = part.get("assertion") or {}
            name = assertion.get("metric") or f"{k + 1}_{assertion.get('type', 'assert')}"
            row[f"{name}_pass"] = part.get("pass")
        yield row


def _frame(rows_of: Callable[..., Iterable[Record]], path: Path, *content: object) -> pd.DataFrame:
    """The rows that a harness's log tells; a log of another shape than its own is told, not raised."""
    try:
        rows = list(_limit_cells(rows_of(*content, path), path))
    except NOT_READ as error:
        what = f"{type(error).__name__}: {one_line(error)}"
        raise DataError(f"{path.name} must be a log as its harness writes it, got {what}. Was it changed?") from None
    if not rows:
        raise NoScores(path, "no samples")
    names = len(set().union(*rows))
    if names * len(rows) > MAX_CELLS:
        raise DataError(
            f"{path.name} must make a table of at most {MAX_CELLS:,} cells, got {len(rows):,} samples with {names:,} "
            "different keys. Analyse a part of it."
        )
    return pd.DataFrame.from_records(rows)


def _limit_cells(rows: Iterable[Record], path: Path) -> Iterator[Record]:
    """What a log says once (metadata, a model's name) stands in every row: counted while the rows are made."""
    filled = text = 0
    for row in rows:
        filled += len(row)
        text += sum(len(value) for value in row.values() if isinstance(value, str))
        if filled > MAX_FILLED:
            raise DataError(f"{path.name} must fill at most {MAX_FILLED:,} cells, got more. Analyse a part of it.")
        if text > MAX_RECORDS:
            raise DataError(f"{path.name} must make at most {size(MAX_RECORDS)} of text, got more. Shorten its names.")
        yield row


def _flat(value: object) -> bool:
    return isinstance(value, str | int | float | bool)
