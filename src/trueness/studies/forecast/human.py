"""Experts' ranges from a CSV, as respondents beside the models: `human/experts.csv`.

    dataset,learner,measure,low,high[,level,median,expert,target]

One row a range; `algorithm` is read as `learner`, capitals do not matter; other columns are not read. level .95 and
target `run` unless said.
Where some rows name an expert, an empty row without one is nobody's and not read. Any other empty range stays a row:
`refused` (left empty), or `unreadable` where only one end is there. A question of the study that the sheet does not
have is `refused` too, so that every expert has every question. A cell that holds something wrong stops with one line
that names the file and the row, before anything is scored.
`sheet` writes the empty form (`trueness new human-sheet`).
"""

from __future__ import annotations

import csv
import io
import math
from collections.abc import Collection, Iterable, Iterator, Mapping, Sequence
from pathlib import Path

import pandas as pd

from trueness import registry
from trueness.errors import DataError, did_you_mean, listed
from trueness.outside import MEGABYTE, Json, is_there, size, text_of
from trueness.status import Status
from trueness.studies.forecast.frames import (
    CLAIM_COLUMNS,
    KEYS,
    MEASURES,
    TARGETS,
    DatasetAbout,
    Question,
    reference_claim,
)
from trueness.texts import csv_row, csv_value

Limits = Mapping[Question, float]  # the study's questions and the largest value of each
Row = dict[str, Json]

_NEEDED = ("dataset", "learner", "measure", "low", "high")
MAX_SHEET = 16 * MEGABYTE  # 100,000 ranges have 6
MAX_EXPERTS = 100  # of a study: each is compared with every respondent
MAX_LEFT_OUT = 200_000  # questions that experts' sheets do not have, which are rows all the same
_LEVEL = 0.95
_TOLD = ("nodes", "rows", "data", "domain")  # of a data set, for the expert to see


def questions(datasets: Mapping[str, DatasetAbout], learners: Iterable[str]) -> dict[Question, float]:
    """Every question of a study and the largest value that its answer can have."""
    learners = list(learners)
    return {
        (name, learner, measure): about["nodes"] * (about["nodes"] - 1) / 2 if measure == "shd" else 1.0
        for name, about in datasets.items()
        for learner in learners
        for measure in MEASURES
    }


def sheet(
    datasets: Mapping[str, DatasetAbout],
    learners: Sequence[str],
    *,
    level: float = _LEVEL,
    target: str = "run",
    expert: str = "",
) -> str:
    """The CSV to fill: a row for each question, what is known of the data set, and empty `low`, `high`, `median`."""
    written = io.StringIO()
    lines = csv.writer(written, lineterminator="\n")
    lines.writerow([*_NEEDED, "median", "level", "target", "expert", *_TOLD, "largest"])
    for question, largest in questions(datasets, learners).items():
        about = [datasets[question[0]].get(key, "") for key in _TOLD]
        lines.writerow(csv_row([*question, "", "", "", f"{level:g}", target, expert, *about, f"{largest:g}"]))
    return written.getvalue()


def read_experts(path: Path | str, limits: Limits | None = None, respondent: str | None = None) -> pd.DataFrame:
    """Claims of the experts in a CSV.

    The respondent is human/<file name without .csv>; with a column `expert`, human/<file>/<expert> for each.
    """
    path = Path(path)
    if not is_there(path):
        raise DataError(f"the experts' file {path} must be a CSV that can be read. See 'trueness new human-sheet'.")
    text = text_of(path, MAX_SHEET)  # spreadsheets write a mark of the encoding first
    claims = _claims(text, path.name, limits, respondent or f"human/{path.stem}")
    silent, several = _silent(claims), len({claim["respondent"] for claim in claims}) > 1
    if silent or not claims:
        who = f"{silent[0].rpartition('/')[2]!r} of {path.name}" if several else path.name
        raise DataError(
            f"{who} must give at least one range, got none. Fill in 'low' and 'high', or leave it out of 'humans'."
        )
    return _with_left_out(claims, path.name, limits)


def parse_experts(
    text: str, source: str = "sheet", limits: Limits | None = None, respondent: str = "human/sheet"
) -> pd.DataFrame:
    """As `read_experts`, from the text itself; who gave no range at all is no respondent."""
    claims = _claims(text, source, limits, respondent)
    silent = _silent(claims)
    return _with_left_out([claim for claim in claims if claim["respondent"] not in silent], source, limits)


def check_experts(names: Collection[str], source: str) -> None:
    if len(names) > MAX_EXPERTS:
        raise DataError(f"{source} must have at most {MAX_EXPERTS} experts, got more. Divide it among several studies.")


def _silent(claims: Sequence[Row]) -> list[str]:
    """Who gave no range."""
    spoke = {claim["respondent"] for claim in claims if claim["status"] == Status.OK}
    return list(dict.fromkeys(claim["respondent"] for claim in claims if claim["respondent"] not in spoke))


def _claims(text: str, source: str, limits: Limits | None, respondent: str) -> list[Row]:
    claims: list[Row] = []
    seen: dict[tuple[Json, ...], int] = {}
    names = [None if limits is None else sorted({question[k] for question in limits}) for k in range(2)]
    experts: set[str] = set()
    rows = list(_rows(text, source))
    named = any(cells.get("expert") for _, cells in rows)
    for number, cells in rows:
        place = f"row {number} of {source}"
        claim = _claim(place, cells, limits, (*names, MEASURES), respondent)
        if named and not cells.get("expert"):  # nobody's: an empty row of the form, or a name that was forgotten
            if claim["status"] != Status.REFUSED:
                raise DataError(
                    f"{place}: 'expert' must be given, as in other rows, got an empty cell. Say whose it is."
                )
            continue
        experts.add(claim["respondent"])
        check_experts(experts, source)
        key = tuple(claim[name] for name in (*KEYS, "level"))
        if key in seen:
            raise DataError(f"{place} must be a new question, got that of row {seen[key]} again. Keep one of them.")
        seen[key] = number
        claims.append(claim)
    return claims


def _with_left_out(claims: list[Row], source: str, limits: Limits | None) -> pd.DataFrame:
    """The claims, and the questions that an expert's sheet does not have, for each expert and target in it."""
    wrote: dict[tuple[str, str], set[Question]] = {}
    for claim in claims:
        question = (claim["dataset"], claim["learner"], claim["measure"])
        wrote.setdefault((claim["respondent"], claim["target"]), set()).add(question)
    absent = [(question, *who) for who, there in wrote.items() for question in limits or () if question not in there]
    if len(absent) > MAX_LEFT_OUT:
        raise DataError(
            f"{source} must leave at most {MAX_LEFT_OUT:,} questions of the study to its experts unanswered, got "
            "more. Give each a sheet with what was asked."
        )
    none = (None, None, None)
    left_out = [reference_claim(*asked, _LEVEL, none, Status.REFUSED, "not in the sheet") for asked in absent]
    return pd.DataFrame([*claims, *left_out], columns=list(CLAIM_COLUMNS))


def _rows(text: str, source: str) -> Iterator[tuple[int, dict[str, str]]]:
    """Rows that are not empty, by lower-case column name; semicolons where the head has no comma."""
    if len(text) > MAX_SHEET:
        raise DataError(f"{source} must have at most {size(MAX_SHEET)}, got more. Leave other columns out.")
    reader = csv.reader(io.StringIO(text, newline=""), delimiter="," if "," in text.partition("\n")[0] else ";")
    names: list[str] | None = None
    try:
        for row in reader:
            if names is None:
                names = _columns(row, source)
            elif any(cell.strip() for cell in row):
                yield reader.line_num, dict(zip(names, (csv_value(cell.strip()) for cell in row), strict=False))
    except csv.Error as error:
        raise DataError(
            f"line {reader.line_num} of {source} must be CSV, got: {error}. Save it as CSV again."
        ) from None
    if names is None:
        _columns([], source)


def _columns(row: list[str], source: str) -> list[str]:
    names = [name.strip().lower().replace("algorithm", "learner") for name in row]
    twice = [name for name in dict.fromkeys(names) if name and names.count(name) > 1]
    if twice:
        raise DataError(f"{source} must have each column once, got {twice[0]!r} more than once. Take one of them out.")
    absent = [name for name in _NEEDED if name not in names]
    if absent:
        raise DataError(
            f"{source} must have the columns {listed(_NEEDED)}, got {listed(names) or 'none'}. "
            f"Add {absent[0]!r}, or start from 'trueness new human-sheet'."
        )
    return names


def _claim(
    place: str,
    cells: Mapping[str, str],
    limits: Limits | None,
    known: Sequence[Collection[str] | None],
    respondent: str,
) -> Row:
    question = tuple(
        _name(place, column, cells.get(column, ""), names)
        for column, names in zip(("dataset", "learner", "measure"), known, strict=True)
    )
    largest = (limits or {}).get(question, math.inf if question[2] == "shd" else 1.0)  # type: ignore[arg-type]
    low, high, median = (_number(place, name, cells.get(name, ""), largest) for name in ("low", "high", "median"))
    level, target = _level(place, cells.get("level", "")), cells.get("target", "") or "run"
    if target not in TARGETS:
        raise DataError(f"{place}: 'target' must be run or mean, got {target!r}.")
    if low is not None and high is not None:
        if low > high:
            raise DataError(f"{place}: 'low' must be <= 'high', got {low:g} and {high:g}. Swap them.")
        if median is not None and not low <= median <= high:
            raise DataError(f"{place}: 'median' must be from 'low' to 'high', got {median:g}. Mend one of the three.")
        status, flags = Status.OK, ""
    elif low is None and high is None:
        status, flags = Status.REFUSED, "left empty"
    else:
        status, flags = Status.UNREADABLE, "only one end is given"
    ends = (low, high, median) if status == Status.OK else (None, None, None)
    name = f"{respondent}/{cells['expert']}" if cells.get("expert") else respondent
    return reference_claim(question, name, target, level, ends, status, flags)


def _name(place: str, column: str, written: str, known: Collection[str] | None) -> str:
    """The study's name that this is but for capitals: an expert may write PC for pc."""
    names = registry.built_in("learner") if known is None else known
    alike = [written] if written in names else [other for other in names if other.lower() == written.lower()]
    name = alike[0] if len(alike) == 1 else written
    if known is not None and name not in known:
        near = did_you_mean(name, known) or f"It has: {listed(list(known))}."
        raise DataError(f"{place}: {column!r} must be one of the study's, got {name!r}. {near}")
    if not name:
        raise DataError(f"{place}: {column!r} must be given, got an empty cell.")
    return name


def _number(place: str, name: str, cell: str, largest: float) -> float | None:
    if not cell:
        return None
    value = _float(cell)
    if not math.isfinite(value):
        raise DataError(f"{place}: {name!r} must be a number, got {cell!r}. Write 0.6, or leave the cell empty.")
    if not 0 <= value <= largest:
        upto = "at least 0" if math.isinf(largest) else f"from 0 to {largest:g}"
        hint = " Write 0.6 for 60 %." if largest == 1 and value > 1 else ""
        raise DataError(f"{place}: {name!r} must be {upto}, got {cell}.{hint}")
    return value


def _level(place: str, cell: str) -> float:
    level = _float(cell or str(_LEVEL))
    if not 0 < level < 1:
        raise DataError(f"{place}: 'level' must be in (0, 1), got {cell!r}. Write 0.95 for 95 %.")
    return level


def _float(cell: str) -> float:
    try:
        return float(cell)
    except ValueError:
        return math.nan
