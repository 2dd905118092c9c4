"""Files of scores to tables: CSV, TSV, JSONL, parquet, logs of other harnesses, and folders of them.

    Inspect                  .eval (a zip: header.json, summaries.json), .json (version, eval, samples)
    lm-evaluation-harness    samples (doc_id, target, filtered_resps): samples_<task>_<time>.jsonl in a folder named
                             after the model, or a file that is named so
    HELM                     per_instance_stats.json in a folder scenario:...,model=...
    promptfoo                .json (results.results, one entry a prompt, provider, test and repeat), assertions: rules
    anything else            JSON lines, a JSON list of records, alone or under one key

Every file becomes a frame with one row a run and a `domain`: its own column of that name, the task a log names, or
the file's name. `name=path` names a domain by hand. Frames of one domain are put together, so that a harness that
writes one log a model gives one table. Of a folder the first kind of file that is there is read, and the others are
said: logs of samples before tables.

Of a log each sample, epoch and metric is a row; metrics are never averaged. A sample that ended in an error, or that
was never run, has `extraction_ok` False and no score: missing, not wrong. A log without any score is left out beside
others, with its reason; no other column of it is ever a score.
"""

from __future__ import annotations

import json
import re
from collections import Counter
from collections.abc import Iterable, Iterator, Mapping
from pathlib import Path

import pandas as pd
from pandas.api.types import is_numeric_dtype

from trueness.datasets.frames import layout_of, read_text, with_numbers
from trueness.errors import DataError, listed
from trueness.outside import (
    MAX_RECORDS,
    NOT_READ,
    Json,
    check_values,
    is_there,
    json_of,
    json_records,
    one_line,
    size,
)
from trueness.packed import flat_columns, open_archive, parquet_columns, read_parquet
from trueness.texts import counted, csv_value

DOMAIN = "domain"
MAX_COLUMNS = 10_000
MAX_FILES = 5_000
MAX_CELLS = 50_000_000  # of a table
MAX_FILLED = 20_000_000  # of them with a value in a log: a row is a dict until the table is made
MOST_TOLD = 12  # files that were not read, each with its reason
MOST_SAID = 120  # characters of an error or a word of a log
_ENDINGS = (".csv", ".tsv", ".txt", ".parquet", ".jsonl", ".json", ".eval")
_IN_FOLDERS = (
    "*.eval", "samples_*.jsonl", "per_instance_stats.json", "scores.csv", "*.csv", "*.tsv", "*.parquet", "*.jsonl",
    "*.json",
)  # fmt: skip
_PLAIN_NAMES = ("scores", "results", "result", "samples", "runs", "data", "output")
_OURS = {"metric", "metric_name", "measure", "value", "status"}  # by which the table of a log is read
_SAMPLES = re.compile(r"samples_(?P<task>.+?)_\d{4}-\d{2}-\d{2}T[\d.:-]+$")
_METRIC = "metric\x1f"  # in front of the name of a column that holds a metric
# Inspect's letters for correct, incorrect, partial, and no answer (value_to_float of inspect_ai.scorer)
_WORDS = {"C": 1.0, "I": 0.0, "P": 0.5, "N": 0.0, "yes": 1.0, "true": 1.0, "no": 0.0, "false": 0.0}
Record = dict[str, Json]
Read = tuple[str | None, Path, pd.DataFrame]


class Tables(dict[str, pd.DataFrame]):
    """Domain -> frame; `notes`: what was not read."""

    notes: tuple[str, ...] = ()


class NoScores(DataError):
    """A log without a score: beside others it is left out, with its reason."""

    def __init__(self, path: Path, why: str):
        super().__init__(f"{path.name} must hold scores of samples, got none: {why}. Score it, or run it again.")
        self.reason = f"{path.name} ({why})"


def read_tables(files: Iterable[str | Path]) -> Tables:
    """Domain -> frame, in the order of the files."""
    parts: dict[str, list[pd.DataFrame]] = {}
    notes: list[str] = []
    read, left = _read_each(files, notes)
    notes += [f"left out: {listed(left, MOST_TOLD)}"] if left else []
    for name, path, frame in read:
        notes += frame.attrs.get("notes", ())
        if frame.empty:
            raise DataError(f"{path.name} must have at least one row of scores, got none. Check the file.")
        if name is None and DOMAIN in frame:
            for domain, rows in frame.groupby(frame[DOMAIN].fillna("(none)").map(str), sort=False):
                parts.setdefault(str(domain), []).append(rows.drop(columns=DOMAIN))
        else:
            several = name is not None and DOMAIN in frame and frame[DOMAIN].nunique() > 1
            # the ids of several domains may start anew in each: then the column stays
            rest = frame if several else frame.drop(columns=DOMAIN, errors="ignore")
            parts.setdefault(name or _domain_of(path), []).append(rest)
    if not parts:
        raise DataError(
            "there is nothing to analyse: name at least one file of scores, e.g. trueness analyse scores.csv"
        )
    tables = Tables({domain: pd.concat(each, ignore_index=True, sort=False) for domain, each in parts.items()})
    tables.notes = tuple(dict.fromkeys(notes))
    return tables


def _read_each(files: Iterable[str | Path], notes: list[str]) -> tuple[list[Read], list[str]]:
    """What was read, and what was left out with its reason: a log without scores, what cannot be read in a folder, and
    of logs of one run all but the last. An error where nothing is left."""
    read: list[Read] = []
    left: list[str] = []
    errors: list[DataError] = []
    for file in map(str, files):
        name, named = _split_name(file)
        for path in _each_file(named, notes):
            try:
                read.append((name, path, read_table(path)))
            except DataError as error:
                if not (named.is_dir() or isinstance(error, NoScores)):
                    raise
                errors.append(error)
                left.append(getattr(error, "reason", str(error).rstrip(".")))
    if errors and not read:
        several = f"none of {len(left)} files has scores: {listed(left, MOST_TOLD)}."
        raise errors[0] if len(left) == 1 else DataError(several)
    last: dict[str, Path] = {}
    for _, path, frame in sorted(read, key=lambda one: str(one[2].attrs.get("run", ("", ""))[1])):
        last[_run_of(frame, path)] = path
    again = [(path, last[_run_of(frame, path)]) for _, path, frame in read if last[_run_of(frame, path)] != path]
    left += [f"{path.name} (run again: {by.name})" for path, by in again]
    return [one for one in read if last[_run_of(one[2], one[1])] == one[1]], left


def _run_of(frame: pd.DataFrame, path: Path) -> str:
    """The id of a run, which a log that goes on with it has too; else the file is its own."""
    return str(frame.attrs.get("run", ("", ""))[0]) or f"file {path}"


def _each_file(path: Path, notes: list[str]) -> list[Path]:
    """The file, or those of a folder that are read together."""
    if not path.is_dir():
        return [path]
    for pattern in _IN_FOLDERS:
        chosen = sorted(p for p in path.rglob(pattern) if p.is_file() and not p.name.startswith("."))
        if len(chosen) > MAX_FILES:
            raise DataError(f"{path} must hold at most {MAX_FILES:,} files of scores, got more. Name a part of it.")
        if chosen:
            others = sum(p.is_file() and p.suffix in _ENDINGS for p in path.rglob("*")) - len(chosen)
            notes += [f"{path.name}: {len(chosen)} files {pattern} read, {others} others not"] if others else []
            return chosen
    raise DataError(f"{path} must hold files of scores ({listed(_ENDINGS, most=9)}), got none. Name a file.")


def read_table(path: Path) -> pd.DataFrame:
    """One file, by its ending."""
    if not is_there(path):
        raise DataError(f"{path} is not there. Give a file of scores: {listed(_ENDINGS, most=9)}.")
    if path.suffix == ".parquet":  # columns of lists (messages, log probabilities) are left out
        return read_parquet(path, MAX_CELLS, flat_columns(path, parquet_columns(path, MAX_COLUMNS)))
    if path.suffix == ".eval":
        return inspect_archive(path)
    if path.suffix in (".json", ".jsonl", ".ndjson"):
        return read_json(path)
    if path.suffix in _ENDINGS:
        return _csv(path)
    raise DataError(f"{path.name} must end in one of {listed(_ENDINGS, most=9)}, got {path.suffix or 'no ending'!r}.")


def _csv(path: Path) -> pd.DataFrame:
    """Also with decimal commas, signs of per cent and marks of thousands, which is said: 1,234 alone is 1234."""
    try:
        layout = layout_of(path, MAX_COLUMNS, decimal="point")
        if layout.names_rows or layout.separator == " ":
            raise DataError(
                f"{path.name} must begin with as many names as a row has cells, between commas, semicolons or tabs, "
                "got others. Delete what is above the names; name each column."
            )
        options = {"nrows": MAX_CELLS // layout.columns + 1, "index_col": False}
        frame, layout = read_text(path, layout, MAX_RECORDS, **options)
    except NOT_READ as error:
        raise DataError(f"{path.name} must be a table, got: {one_line(error)}.") from None
    if len(frame) == options["nrows"]:
        raise DataError(f"{path.name} must have at most {MAX_CELLS:,} cells, got more. Analyse a part of it.")
    texts = frame.select_dtypes(exclude=["number", "bool"])
    per_cent = [name for name in texts if texts[name].dropna().astype(str).str.strip().str.endswith("%").all()]
    frame, notes = with_numbers(frame.dropna(how="all"), layout, path, MAX_RECORDS, **options)
    shares = {str(name): frame[name] / 100 for name in per_cent if is_numeric_dtype(frame[name].dtype)}
    frame = csv_values(frame.assign(**shares) if shares else frame)
    frame.attrs["notes"] = tuple(notes)
    return frame


def csv_values(frame: pd.DataFrame) -> pd.DataFrame:
    """Texts as they were before a writer of ours put an apostrophe in front of them (texts.csv_row)."""
    texts = frame.select_dtypes(exclude="number")
    marked = [name for name in texts if any(csv_value(value) is not value for value in texts[name].unique())]
    return frame.assign(**{str(name): frame[name].map(csv_value) for name in marked}).rename(columns=csv_value)


def _split_name(file: str) -> tuple[str | None, Path]:
    """`chart=path/scores.csv` names its domain; a path that exists is a path, whatever signs it holds."""
    name, equals, path = file.partition("=")
    if equals and name and "/" not in name and not Path(file).exists():
        return name, Path(path)
    return None, Path(file)


def _domain_of(path: Path) -> str:
    """chart.csv -> chart; domains/chart/results/scores.csv -> chart."""
    names = (path.stem, *(parent.name for parent in path.parents))
    return next((name for name in names if name and name.lower() not in _PLAIN_NAMES), path.stem)


# ---- JSON


def read_json(path: Path) -> pd.DataFrame:
    """A .json or .jsonl file: which harness wrote it is told by its keys."""
    content = json_records(path)
    if isinstance(content, Mapping):
        return _of_object(content, path)
    if content and set(content[0]) >= {"doc_id", "target", "filtered_resps"}:
        return _by_metric(_frame(_lm_eval(content, path), path), path, f"{counted(len(content), 'sample')} unscored")
    if content and set(content[0]) >= {"instance_id", "stats"}:
        return _scored(_frame(_helm(content, path), path), path, "value")
    return _frame(map(_flatten, content), path)


def _of_object(content: Mapping[str, Json], path: Path) -> pd.DataFrame:
    """A log of Inspect or promptfoo, or one list of records under any key."""
    results = content.get("results")
    if "eval" in content and "version" in content:
        return _inspect_log(path, content, content.get("samples") or [])
    if isinstance(results, Mapping) and ("config" in content or "versions" in content) and "results" not in results:
        raise NoScores(path, "means alone, and a test needs the samples: lm_eval --log_samples")
    inside = results.get("results") if isinstance(results, Mapping) else results
    if isinstance(inside, list) and inside and isinstance(inside[0], Mapping) and "provider" in inside[0]:
        return _scored(_frame(_promptfoo(inside), path), path, "score")
    lists = [key for key, value in content.items() if isinstance(value, list) and value and isinstance(value[0], dict)]
    if len(lists) != 1:
        raise DataError(
            f"{path.name} must be a log of Inspect, promptfoo or lm-evaluation-harness, or a list of records, got an "
            f"object with the keys {', '.join(list(content)[:6]) or 'none'}. Write it as CSV."
        )
    frame = _frame(map(_flatten, content[lists[0]]), path)
    others = [key for key in content if key != lists[0]]
    frame.attrs["notes"] = (f"{path.name}: {lists[0]} read, not {listed(others, most=6)}",) if others else ()
    return frame


def _flatten(record: Record) -> Record:
    """Records inside get dotted names; a list or a record in a cell is a text."""
    row: Record = {}
    for key, value in record.items():
        parts = {f"{key}.{name}": part for name, part in value.items()} if isinstance(value, dict) else {key: value}
        row |= {name: str(part) if isinstance(part, list | dict) else part for name, part in parts.items()}
    return row


# ---- Inspect


def inspect_archive(path: Path) -> pd.DataFrame:
    """An .eval file: of a run that was stopped the journal, else the summaries."""
    with open_archive(path, MAX_RECORDS, "a log of Inspect (.eval)") as archive:
        names = set(archive.names)
        wanted = ["header.json" if "header.json" in names else "_journal/start.json"]
        parts = sorted(n for n in names if n.startswith("_journal/summaries/"))
        wanted += ["summaries.json"] if "summaries.json" in names else parts
        texts = [archive.text(name) for name in wanted]
    check_values(",".join(texts), path.name)
    head, *samples = (json_of(text, f"{name} of {path.name}") for name, text in zip(wanted, texts, strict=True))
    stopped = {} if wanted[0] == "header.json" else {"status": "started"}
    return _inspect_log(path, stopped | head, [sample for part in samples for sample in part])


def _inspect_log(path: Path, head: Mapping[str, Json], samples: list[Record]) -> pd.DataFrame:
    """How the run ended is said; a run that was done again has the same id in both logs (`run`)."""
    status = head.get("status", "success")
    ended = {"success": "", "started": "has not ended", "cancelled": "was cancelled"}.get(
        status, f"ended in {status} ({_message(head.get('error'))})"
    )
    errors = [sample["error"] for sample in samples if isinstance(sample, Mapping) and sample.get("error")]
    why = ended or (f"{counted(len(samples), 'sample')}, none was scored" if samples else "no samples")
    if errors and len(errors) == len(samples) and not ended:
        why = f"each sample ended in an error ({_message(errors[0])})"
    if not samples:
        raise NoScores(path, why)
    frame = _by_metric(_frame(_inspect(head["eval"], samples, path), path), path, why)
    if ended:
        scored = int(frame.groupby(["task", "repeat"])["value"].count().gt(0).sum())
        frame.attrs["notes"] = (*frame.attrs["notes"], f"{path.name} {ended}: {counted(scored, 'sample')} with a score")
    frame.attrs["run"] = (str(head["eval"].get("task_id") or ""), str(head["eval"].get("created") or ""))
    return frame


def _message(error: object) -> str:
    text = error.get("message") if isinstance(error, Mapping) else error
    return " ".join(str(text or "no message").split())[:MOST_SAID]


def _inspect(about: Mapping[str, Json], samples: Iterable[Mapping[str, Json]], path: Path) -> Iterator[Record]:
    """`about` is the log's eval spec; arguments of the task and metadata become columns of their own."""
    fixed: Record = {"domain": str(about.get("task", path.stem)), "model": str(about.get("model", ""))}
    fixed |= {"solver": about["solver"]} if about.get("solver") else {}
    for extra in ("metadata", "task_args", "solver_args"):
        fixed |= _new_values(about.get(extra), fixed)
    epochs = int((about.get("config") or {}).get("epochs") or 1)
    planned = (about.get("dataset") or {}).get("sample_ids") or []
    if epochs * len(planned) > MAX_FILLED:
        raise DataError(f"a log must plan at most {MAX_FILLED:,} samples, got {len(planned)} x {epochs} epochs.")
    left = {(str(name), epoch) for name in planned for epoch in range(1, epochs + 1)}
    for sample in samples:
        row = fixed | {"task": str(sample["id"]), "repeat": sample.get("epoch", 1)}
        left.discard((row["task"], row["repeat"]))
        row |= _new_values(sample.get("metadata"), row) | {"extraction_ok": not sample.get("error")}
        for scorer, score in (sample.get("scores") or {}).items():
            value = score.get("value")
            parts = {f"/{name}": part for name, part in value.items()} if isinstance(value, Mapping) else {"": value}
            row |= {f"{_METRIC}{scorer}{name}": _inspect_number(part) for name, part in parts.items()}
        yield row
    yield from (fixed | {"task": name, "repeat": epoch, "extraction_ok": False} for name, epoch in sorted(left))


def _new_values(record: Mapping[str, Json] | None, known: Record) -> Record:
    single = {key: value for key, value in (record or {}).items() if isinstance(value, str | int | float | bool)}
    return {key: value for key, value in single.items() if key not in known}


def _inspect_number(value: object) -> float | str | None:
    """A word that is no number stays a word: `_by_metric` says that it is no score."""
    if isinstance(value, str):
        value = _WORDS.get(value, _WORDS.get(value.lower(), value) if len(value) > 1 else value)
    try:
        return float(value)  # type: ignore[arg-type]
    except (TypeError, ValueError):
        return None if value is None else str(value)[:MOST_SAID]


# ---- lm-evaluation-harness, HELM, promptfoo


def _lm_eval(records: Iterable[Record], path: Path) -> Iterator[Record]:
    """`metrics` names the score columns of a sample; older files do not have it, there every 0..1 number counts.

    A file of another name is a model's, by that name, and its folder is the domain.
    """
    named, folder = _SAMPLES.match(path.stem), path.resolve().parent.name
    fixed = {"domain": named["task"], "model": folder} if named else {"domain": folder, "model": path.stem}
    for record in records:
        numbers = [key for key, value in record.items() if key != "doc_id" and isinstance(value, int | float)]
        kind = f",{record['filter']}" if record.get("filter") not in (None, "none") else ""
        scores = {f"{_METRIC}{name}{kind}": record.get(name) for name in record.get("metrics") or numbers}
        yield fixed | {"task": str(record["doc_id"])} | scores


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
            yield {
                "domain": domain, "model": model, "task": str(record["instance_id"]),
                "repeat": record.get("train_trial_index", 0),
                "metric": ",".join(filter(None, (stat["name"]["name"], changed))), "value": stat.get("mean"),
            }  # fmt: skip


def _promptfoo(results: Iterable[Record]) -> Iterator[Record]:
    """The prompt's label is the condition; each assertion is a rule, by its metric or its type."""
    seen: Counter[tuple[str, ...]] = Counter()
    for result in results:
        provider, prompt, test = result.get("provider") or {}, result.get("prompt") or {}, result.get("testCase") or {}
        model = provider.get("label") or provider.get("id") if isinstance(provider, Mapping) else str(provider)
        condition = prompt.get("label") or f"prompt {result.get('promptIdx', '')}".strip()
        task = str(test.get("description") or result.get("testIdx", json.dumps(result.get("vars"), sort_keys=True)))
        seen[str(model), condition, task] += 1
        parts = (result.get("gradingResult") or {}).get("componentResults") or ()
        failed = bool(result.get("error")) and not parts
        row: Record = {"model": model, "condition": condition, "task": task}
        row["repeat"] = seen[str(model), condition, task]
        row |= {"extraction_ok": not failed, "score": None if failed else result.get("score")}
        for k, part in enumerate(parts, 1):
            assertion = part.get("assertion") or {}
            rule = assertion.get("metric") or f"{k}_{assertion.get('type', 'assert')}"
            row[f"{rule}_pass"] = part.get("pass")
        yield row


# ---- rows to a frame


def _by_metric(frame: pd.DataFrame, path: Path, why: str = "no metric has a number") -> pd.DataFrame:
    """One row a metric: what a metric is called is a value, not a column. NoScores, and `why`, where none has a number.

    Columns of the log's own metadata that have the name of a column of ours are called log.NAME.
    """
    metrics = [name for name in map(str, frame) if name.startswith(_METRIC)]
    numbers = {name: pd.to_numeric(frame[name], errors="coerce").astype("float64") for name in metrics}
    words = {name: frame[name][numbers[name].isna() & frame[name].notna()].astype(str).unique() for name in metrics}
    notes = tuple(
        f"{path.name}: words in {name.removeprefix(_METRIC)} are no scores ({listed(map(repr, each), most=3)})"
        for name, each in words.items()
        if len(each)
    )
    metrics = [name for name in metrics if numbers[name].notna().any()]
    if not metrics:
        values = list(dict.fromkeys(repr(word) for each in words.values() for word in each))
        raise NoScores(path, f"words as scores ({listed(values, most=3)})" if values else why)
    others = [name for name in map(str, frame) if not name.startswith(_METRIC)]
    clash = {name: f"log.{name}" for name in others if name.strip().lower() in _OURS}
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


def _frame(told: Iterable[Record], path: Path) -> pd.DataFrame:
    """The rows that a log tells, within limits: what it says once (a model's name) stands in every row. A log of
    another shape than its harness writes is told, not raised."""
    rows: list[Record] = []
    filled = text = 0
    try:
        for row in told:
            filled += len(row)
            text += sum(len(value) for value in row.values() if isinstance(value, str))
            if filled > MAX_FILLED:
                raise DataError(f"{path.name} must fill at most {MAX_FILLED:,} cells, got more. Analyse a part of it.")
            if text > MAX_RECORDS:
                raise DataError(f"{path.name} must make at most {size(MAX_RECORDS)} of text, got more. Shorten names.")
            rows.append(row)
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
