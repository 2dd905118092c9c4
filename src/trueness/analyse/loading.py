"""Files of scores to tables: CSV, TSV, JSONL, parquet, the logs of other harnesses, and folders of them.

Every file becomes a frame with one row a run and a `domain`: its own column of that name, the task a log names, or
the file's name. `name=path` names a domain by hand. Frames of one domain are put together, so that a harness that
writes one log a model gives one table.

Of a folder the first kind of file that is there is read, and the others are said: logs of single samples come before
means, and logs before tables.
"""

from __future__ import annotations

import csv
import re
from collections import Counter
from collections.abc import Iterable
from pathlib import Path

import pandas as pd

from trueness.analyse import harness_logs
from trueness.analyse.shapes import is_float
from trueness.errors import DataError, listed
from trueness.outside import MAX_RECORDS, MEGABYTE, MISSING, NOT_READ, is_there, one_line, open_file
from trueness.parquet import flat_columns, parquet_columns, read_parquet
from trueness.texts import counted, csv_value

SEPARATORS = {".csv": None, ".tsv": "\t", ".txt": None}
DOMAIN = "domain"
MAX_COLUMNS = 10_000
MAX_FILES = 5_000
MOST_TOLD = 12  # files that were not read, each with its reason
MOST_ABOVE = 20  # lines of titles above the column names
_IN_FOLDERS = (
    "*.eval", "samples_*.jsonl", "results_*.json", "per_instance_stats.json", "scores.csv", "*.csv", "*.tsv",
    "*.parquet", "*.jsonl", "*.json",
)  # fmt: skip
_LONG = re.compile(r'"(?:[^"]|""){1000,}+"?|[^",;\t\r\n]{1000,}')  # a model's output in a cell
MAX_CELLS = harness_logs.MAX_CELLS
_PLAIN_NAMES = ("scores", "results", "result", "samples", "runs", "data", "output")


class Tables(dict[str, pd.DataFrame]):
    """Domain -> frame; `notes`: what was not read."""

    notes: tuple[str, ...] = ()
    left_out: tuple[str, ...] = ()  # files, by their count


def read_tables(files: Iterable[str | Path]) -> Tables:
    """Domain -> frame, in the order of the files."""
    parts: dict[str, list[pd.DataFrame]] = {}
    notes: list[str] = []
    left: list[str] = []
    for name, path, frame in _read_each(files, notes, left):
        for column in frame.select_dtypes(object).columns:  # a list in a cell of JSON is no name
            nested = frame[column].map(lambda cell: isinstance(cell, list | dict))
            if nested.any():
                frame[column] = frame[column].where(~nested, frame[column].map(str))
        notes += frame.attrs.get("notes", ())
        if set(frame.columns) >= {"metric", "value", "stderr"}:
            notes += _means_alone(frame, path)
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
    tables = Tables({domain: _together(frames) for domain, frames in parts.items()})
    tables.notes = tuple(dict.fromkeys(notes))
    tables.left_out = (counted(len(left), "file"),) if left else ()
    return tables


def _read_each(
    files: Iterable[str | Path], notes: list[str], left: list[str]
) -> list[tuple[str | None, Path, pd.DataFrame]]:
    """Name, path and frame of each file. A log without scores is left out and said, and so is what cannot be read in a
    folder; of logs of the same run, which was done again, the last is read. An error where nothing is left."""
    read: list[tuple[str | None, Path, pd.DataFrame]] = []
    first: DataError | None = None
    for file in map(str, files):
        in_folder = _split_name(file)[1].is_dir()
        for name, path in _each_file(file, notes):
            try:
                read.append((name, path, read_table(path)))
            except DataError as error:
                if not (in_folder or isinstance(error, harness_logs.NoScores)):
                    raise
                first = first or error
                left.append(error.reason if isinstance(error, harness_logs.NoScores) else str(error).rstrip("."))
    if first is not None and not read:
        raise first if len(left) == 1 else DataError(f"none of {len(left)} files has scores: {_first_of(left)}.")
    last = {frame.attrs["run"][0]: k for k, (*_, frame) in sorted(enumerate(read), key=_when) if _run_of(frame)}
    again = [k for k, (*_, frame) in enumerate(read) if _run_of(frame) and last[frame.attrs["run"][0]] != k]
    left += [f"{read[k][1].name} (run again: {read[last[read[k][2].attrs['run'][0]]][1].name})" for k in again]
    notes += [f"left out: {_first_of(left)}"] if left else []
    return [each for k, each in enumerate(read) if k not in again]


def _first_of(reasons: list[str]) -> str:
    return ", ".join(reasons[:MOST_TOLD]) + (f", ... ({len(reasons)} in all)" if len(reasons) > MOST_TOLD else "")


def _run_of(frame: pd.DataFrame) -> str:
    """The id of a run, which a log that goes on with it has too; empty where there is none."""
    return str(frame.attrs.get("run", ("", ""))[0])


def _when(numbered: tuple[int, tuple[str | None, Path, pd.DataFrame]]) -> str:
    return str(numbered[1][2].attrs.get("run", ("", ""))[1])


def _each_file(file: str, notes: list[str]) -> list[tuple[str | None, Path]]:
    """The file, or those of a folder that are read together."""
    name, path = _split_name(file)
    if not path.is_dir():
        return [(name, path)]
    for pattern in _IN_FOLDERS:
        chosen = sorted(p for p in path.rglob(pattern) if p.is_file() and not p.name.startswith("."))
        if len(chosen) > MAX_FILES:
            raise DataError(f"{path} must hold at most {MAX_FILES:,} files of scores, got more. Name a part of it.")
        if chosen:
            others = sum(p.is_file() and p.suffix in _ENDINGS for p in path.rglob("*")) - len(chosen)
            notes += [f"{path.name}: {len(chosen)} files {pattern} read, {others} others not"] if others else []
            return [(name, p) for p in chosen]
    raise DataError(f"{path} must hold files of scores ({listed(_ENDINGS, most=9)}), got none. Name a file.")


def _means_alone(frame: pd.DataFrame, path: Path) -> list[str]:
    """Of results without samples: each mean with its error, and how to have more."""
    errors = ["" if pd.isna(error) else f" +- {float(error):.2g}" for error in frame["stderr"]]
    means = [
        f"{row.model} {row.task} {row.metric} {float(str(row.value)):.3g}{error}"
        for row, error in zip(frame.itertuples(), errors, strict=True)
    ]
    groups = frame.attrs.get("groups", [])
    return [
        f"{path.name} has means and their standard errors alone ({listed(means, most=12)}); benchmarks are the units: "
        "with the samples (lm_eval --log_samples) the items would be",
        *([f"means of groups whose benchmarks are there are not read: {listed(groups, most=6)}"] if groups else []),
    ]


def read_table(path: Path) -> pd.DataFrame:
    """One file, by its ending."""
    if not is_there(path):
        raise DataError(f"{path} is not there. Give a file of scores: {listed(_ENDINGS, most=9)}.")
    if path.suffix == ".parquet":  # columns of lists (messages, log probabilities) are left out
        return read_parquet(path, MAX_CELLS, flat_columns(path, parquet_columns(path, MAX_COLUMNS)))
    if path.suffix == ".eval":
        return harness_logs.inspect_archive(path)
    if path.suffix in (".json", ".jsonl", ".ndjson"):
        return harness_logs.read_json(path)
    if path.suffix in SEPARATORS:
        return _csv(path, SEPARATORS[path.suffix])
    raise DataError(f"{path.name} must end in one of {listed(_ENDINGS, most=9)}, got {path.suffix or 'no ending'!r}.")


_ENDINGS = (*SEPARATORS, ".parquet", ".jsonl", ".json", ".eval")


def _csv(path: Path, separator: str | None) -> pd.DataFrame:
    try:
        with open_file(path, MAX_RECORDS) as file:
            lines = [file.readline(MEGABYTE).decode("utf-8-sig" if k == 0 else "utf-8") for k in range(MOST_ABOVE + 2)]
    except (UnicodeDecodeError, OSError) as error:
        raise _not_utf8(path, error) from None
    if not "".join(lines).strip("\0 \t\r\n\ufeff"):
        raise DataError(f"{path.name} must have a line of column names, got an empty file.")
    try:
        rows = [_cells(line, separator) for line in lines]
    except csv.Error as error:
        raise DataError(f"{path.name} must be a table, got: {one_line(error)}.") from None
    above = _lines_above(lines, rows)
    head = lines[above]
    separator = separator or _separator(head)
    if head.count(separator) >= MAX_COLUMNS:
        got = f"{head.count(separator) + 1:,}"
        raise DataError(f"{path.name} must have at most {MAX_COLUMNS:,} columns, got {got}. Keep those you need.")
    twice = [name for name, count in Counter(filter(None, rows[above])).items() if count > 1]
    if twice:
        raise DataError(f"{path.name} must name each column once, got {twice[0]!r} more than once. Rename or drop one.")
    most = MAX_CELLS // (head.count(separator) + 1)
    try:
        with open_file(path, MAX_RECORDS) as file:
            frame = pd.read_csv(
                file, sep=separator, encoding="utf-8-sig", low_memory=False, skipinitialspace=True, nrows=most + 1,
                skiprows=above, keep_default_na=False, na_values=MISSING,
            )  # fmt: skip
    except UnicodeDecodeError as error:
        raise _not_utf8(path, error) from None
    except NOT_READ as error:
        raise DataError(f"{path.name} must be a table, got: {one_line(error)}.") from None
    if len(frame) > most:
        raise DataError(f"{path.name} must have at most {MAX_CELLS:,} cells, got more. Analyse a part of it.")
    frame = csv_values(_with_none_missing(frame.dropna(how="all")))
    if above:
        frame.attrs["notes"] = (f"{path.name}: {counted(above, 'line')} above the column names not read",)
    return frame


def _separator(line: str) -> str:
    return max((",", ";", "\t"), key=line.count)


def _cells(line: str, separator: str | None) -> list[str]:
    """The cells of a line; one that is longer than the csv module takes is cut to two words."""
    if len(line) > csv.field_size_limit():
        line = _LONG.sub('"long text"', line)
    return next(csv.reader([line], delimiter=separator or _separator(line), skipinitialspace=True), [])


def _lines_above(lines: list[str], rows: list[list[str]]) -> int:
    """Titles and blank lines above the column names: one cell or none, or fewer cells than a line of names right
    below, which holds no number while the line under it does."""
    cells = [[cell for cell in row if cell.strip()] for row in rows]
    for k in range(MOST_ABOVE):
        names, values = cells[k + 1], cells[k + 2] if k + 2 < len(cells) else []
        titled = len(cells[k]) < len(names) == len(values) and any(map(is_float, values))
        if lines[k].count('"') % 2 or (len(cells[k]) > 1 and not (titled and not any(map(is_float, names)))):
            return k
    return 0  # a table of one column


def _with_none_missing(frame: pd.DataFrame) -> pd.DataFrame:
    """ "None" is a name among names (a prompt without examples) and no value among numbers."""
    texts = [name for name in frame.select_dtypes(exclude="number") if (frame[name] == "None").any()]
    words = {name: frame[name].dropna()[lambda column: column != "None"].unique() for name in texts}
    numbers = [name for name in texts if all(is_float(str(word)) for word in words[name])]
    filled = {str(name): pd.to_numeric(frame[name].where(frame[name] != "None")) for name in numbers}
    return frame.assign(**filled) if filled else frame


def _not_utf8(path: Path, error: Exception) -> DataError:
    return DataError(f"{path.name} must be text in UTF-8, got: {one_line(error)}. Save it again as UTF-8.")


def csv_values(frame: pd.DataFrame) -> pd.DataFrame:
    """Texts as they were before a writer of ours put an apostrophe in front of them (texts.csv_cell)."""
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
    for part in (path.stem, *(parent.name for parent in path.parents)):
        if part and part.lower() not in _PLAIN_NAMES:
            return part
    return path.stem


def _together(frames: list[pd.DataFrame]) -> pd.DataFrame:
    if len(frames) == 1:
        return frames[0].reset_index(drop=True)
    return pd.concat(frames, ignore_index=True, sort=False)
