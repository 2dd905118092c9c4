"""Logs of other harnesses as scores tables: one row a sample and epoch, one `<scorer>_pass` or `_rate` column a score.

    Inspect                  .eval (a zip: header.json, summaries.json), .json (version, eval, samples)
    lm-evaluation-harness    samples_<task>_<time>.jsonl in a folder named after the model
    promptfoo                .json (results.results, one entry a prompt, provider, test and repeat)
    anything else            JSON lines, or a JSON list of flat records

A sample that ended in an error has `extraction_ok` False and no score: missing, not wrong.
"""

from __future__ import annotations

import json
import re
from collections.abc import Iterable, Mapping
from pathlib import Path
from typing import Any

import pandas as pd

from assay.errors import DataError, MissingExtra

Record = dict[str, Any]
_SAMPLES = re.compile(r"samples_(?P<task>.+?)_\d{4}-\d{2}-\d{2}T[\d.:-]+$")
_LM_EVAL = {"doc_id", "target", "filtered_resps"}
# Inspect's letters for correct, incorrect, partial, and no answer (value_to_float of inspect_ai.scorer)
_LETTERS = {"C": 1.0, "I": 0.0, "P": 0.5, "N": 0.0}


def read_json(path: Path) -> pd.DataFrame:
    """A .json or .jsonl file: which harness wrote it is told by its keys."""
    content = _parsed(path)
    if isinstance(content, Mapping):
        if "eval" in content and "version" in content:
            return _inspect(content["eval"], content.get("samples") or [], path)
        results = content.get("results")
        if isinstance(results, Mapping) and isinstance(results.get("results"), list):
            return _promptfoo(results["results"], path)
        if isinstance(results, list) and results and "provider" in results[0]:
            return _promptfoo(results, path)
        raise DataError(
            f"{path.name} must be a log of Inspect or promptfoo, or a list of records, "
            f"got an object with the keys {', '.join(list(content)[:6]) or 'none'}."
        )
    if content and set(content[0]) >= _LM_EVAL:
        return _lm_eval(content, path)
    return pd.DataFrame.from_records(content)


def inspect_archive(path: Path) -> pd.DataFrame:
    """An .eval file. Newer ones are packed with zstandard, which Python before 3.14 reads with a package only."""
    import zipfile

    try:
        with zipfile.ZipFile(path) as archive:
            names = archive.namelist()
            head = json.loads(_member(archive, "header.json" if "header.json" in names else "_journal/start.json"))
            if "summaries.json" in names:
                samples = json.loads(_member(archive, "summaries.json"))
            else:  # a run that was stopped
                parts = sorted(n for n in names if n.startswith("_journal/summaries/"))
                samples = [sample for part in parts for sample in json.loads(_member(archive, part))]
    except (zipfile.BadZipFile, KeyError, json.JSONDecodeError) as error:
        raise DataError(f"{path.name} must be a log of Inspect (.eval), got: {error}.") from None
    return _inspect(head["eval"], samples, path)


def _member(archive: Any, name: str) -> bytes:
    try:
        return bytes(archive.read(name))
    except NotImplementedError:
        pass
    try:
        import zipfile_zstd  # noqa: F401  it teaches zipfile the method
    except ImportError:
        raise MissingExtra("this .eval log (packed with zstandard)", "inspect-ai", "providers") from None
    return bytes(archive.read(name))


def _inspect(about: Mapping[str, Any], samples: Iterable[Mapping[str, Any]], path: Path) -> pd.DataFrame:
    """`about` is the log's eval spec; arguments of the task and metadata become columns of their own."""
    fixed: Record = {"domain": about.get("task", path.stem), "model": about.get("model", "")}
    if about.get("solver"):
        fixed["solver"] = about["solver"]
    for extra in (about.get("metadata"), about.get("task_args"), about.get("solver_args")):
        fixed |= {key: value for key, value in (extra or {}).items() if _flat(value) and key not in fixed}
    rows = []
    for sample in samples:
        row = fixed | {"task": str(sample["id"]), "repeat": sample.get("epoch", 1)}
        row |= {k: v for k, v in (sample.get("metadata") or {}).items() if _flat(v) and k not in row}
        row["extraction_ok"] = not sample.get("error")
        for scorer, score in (sample.get("scores") or {}).items():
            row |= _inspect_scores(scorer, score.get("value"))
        rows.append(row)
    return _frame(rows, path)


def _inspect_scores(scorer: str, value: Any) -> Record:
    if isinstance(value, Mapping):
        return {f"{scorer}_{name}_rate": _inspect_number(part) for name, part in value.items()}
    return {f"{scorer}_rate": _inspect_number(value)}


def _inspect_number(value: Any) -> float | None:
    if isinstance(value, str):
        if value in _LETTERS:
            return _LETTERS[value]
        value = {"yes": 1, "true": 1, "no": 0, "false": 0}.get(value.lower(), value)
    try:
        return float(value)
    except (TypeError, ValueError):
        return None


def _lm_eval(records: Iterable[Record], path: Path) -> pd.DataFrame:
    """`metrics` names the score columns of a sample; older files do not have it, there every 0..1 number counts."""
    named = _SAMPLES.match(path.stem)
    fixed = {"domain": named["task"] if named else path.stem, "model": path.resolve().parent.name}
    about = {"doc_id", "doc", "target", "arguments", "resps", "filtered_resps", "filter", "metrics"}
    rows = []
    for record in records:
        names = record.get("metrics") or [
            key for key, value in record.items() if key not in about and isinstance(value, int | float)
        ]
        row = fixed | {"task": str(record["doc_id"])}
        if record.get("filter") not in (None, "none"):
            row["filter"] = record["filter"]
        rows.append(row | {f"{name}_rate": record.get(name) for name in names})
    return _frame(rows, path)


def _promptfoo(results: Iterable[Record], path: Path) -> pd.DataFrame:
    """The prompt's label is the condition; each assertion is a rule, by its metric or its type."""
    rows: list[Record] = []
    seen: dict[tuple[Any, ...], int] = {}
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
        rows.append(row)
    return _frame(rows, path)


def _frame(rows: list[Record], path: Path) -> pd.DataFrame:
    if not rows:
        raise DataError(f"{path.name} must hold at least one sample, got none. Did the run end before it began?")
    return pd.DataFrame.from_records(rows)


def _parsed(path: Path) -> Any:
    """One JSON value, or a list of the values of its lines."""
    try:
        text = path.read_text(encoding="utf-8-sig")
    except UnicodeDecodeError as error:
        raise DataError(f"{path.name} must be text in UTF-8, got: {error}.") from None
    if not text.strip():
        raise DataError(f"{path.name} must hold scores, got an empty file.")
    try:
        if path.suffix == ".json":
            content = json.loads(text)
        else:
            content = [json.loads(line) for line in text.splitlines() if line.strip()]
    except json.JSONDecodeError as error:
        raise DataError(f"{path.name} must be JSON, got: {error}.") from None
    records = content if isinstance(content, list) else [content]
    if not all(isinstance(record, Mapping) for record in records):
        raise DataError(f"{path.name} must hold records (JSON objects), got {type(records[0]).__name__}.")
    return content


def _flat(value: Any) -> bool:
    return isinstance(value, str | int | float | bool)
