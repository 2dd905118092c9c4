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
from typing import TYPE_CHECKING, NamedTuple

import pandas as pd

from trueness import registry
from trueness.errors import DataError, did_you_mean, listed
from trueness.outside import MEGABYTE, is_there, size, text_of
from trueness.status import Status
from trueness.studies.forecast.forecast_frames import (
    CLAIM_COLUMNS,
    KEYS,
    MEASURES,
    REFERENCE,
    TARGETS,
    ClaimRow,
    DatasetAbout,
)
from trueness.texts import csv_row, csv_value

if TYPE_CHECKING:
    from _csv import Reader

Question = tuple[str, str, str]  # data set, learner, measure

_NEEDED = ("dataset", "learner", "measure", "low", "high")
MAX_SHEET = 16 * MEGABYTE  # 100,000 ranges have 6
MAX_EXPERTS = 100  # of a study: each is compared with every respondent
MAX_LEFT_OUT = 200_000  # questions that experts' sheets do not have, which are rows all the same
_LEVEL = 0.95
_TOLD = ("nodes", "rows", "data", "domain")  # of a data set, for the expert to see


class _SheetCell(NamedTuple):
    """Where a cell stands, for a message."""

    source: str
    row: int

    def __str__(self) -> str:
        return f"row {self.row} of {self.source}"


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
    head = ["dataset", "learner", "measure", "low", "high", "median", "level", "target", "expert", *_TOLD, "largest"]
    lines = csv.writer(written, lineterminator="\n")
    lines.writerow(csv_row(head))
    for (dataset, learner, measure), largest in questions(datasets, learners).items():
        about = [datasets[dataset].get(key, "") for key in _TOLD]
        question = [dataset, learner, measure, "", "", "", f"{level:g}", target, expert, *about, f"{largest:g}"]
        lines.writerow(csv_row(question))
    return written.getvalue()


def read_experts(
    path: Path | str, limits: Mapping[Question, float] | None = None, respondent: str | None = None
) -> pd.DataFrame:
    """Claims of the experts in a CSV. `limits`: the study's questions and largest values (see `questions`), or None.

    The respondent is human/<file name without .csv>; with a column `expert`, human/<file>/<expert> for each.
    """
    path = Path(path)
    if not is_there(path):
        raise DataError(f"the experts' file {path} must be a CSV that can be read. See 'trueness new human-sheet'.")
    text = text_of(path, MAX_SHEET)  # spreadsheets write a mark of the encoding first
    claims, wrote = _parse(text, path.name, limits, respondent or f"human/{path.stem}")
    for name, several in (wrote or {"": []}).items():
        if Status.OK not in several:
            who = f"{name.rpartition('/')[2]!r} of {path.name}" if len(wrote) > 1 else path.name
            raise DataError(
                f"{who} must give at least one range, got none. Fill in 'low' and 'high', or leave it out of 'humans'."
            )
    return claims


def parse_experts(
    text: str, source: str = "sheet", limits: Mapping[Question, float] | None = None, respondent: str = "human/sheet"
) -> pd.DataFrame:
    """As `read_experts`, from the text itself; who gave no range at all is no respondent."""
    return _parse(text, source, limits, respondent)[0]


def _parse(
    text: str, source: str, limits: Mapping[Question, float] | None, respondent: str
) -> tuple[pd.DataFrame, dict[str, list[str]]]:
    """The claims, and the statuses of what each expert wrote."""
    claims: list[ClaimRow] = []
    seen: dict[tuple[object, ...], int] = {}
    known = _allowed_names(limits)
    experts: set[str] = set()
    sheet_lines = list(_lines(text, source))
    named = any(cells.get("expert") for _, cells in sheet_lines)
    for place, cells in sheet_lines:
        claim = _claim(place, cells, limits, known, respondent)
        if named and not cells.get("expert"):  # nobody's: an empty row of the form, or a name that was forgotten
            if claim["status"] != Status.REFUSED:
                raise DataError(
                    f"{place}: 'expert' must be given, as in other rows, got an empty cell. Say whose it is."
                )
            continue
        experts.add(claim["respondent"])
        check_experts(experts, source)
        cell_of: Mapping[str, object] = claim
        key = tuple(cell_of[name] for name in (*KEYS, "level"))
        if key in seen:
            raise DataError(f"{place} must be a new question, got that of row {seen[key]} again. Keep one of them.")
        seen[key] = place.row
        claims.append(claim)
    wrote: dict[str, list[str]] = {}
    for claim in claims:
        wrote.setdefault(claim["respondent"], []).append(claim["status"])
    claims = [claim for claim in claims if Status.OK in wrote[claim["respondent"]]]
    for claim in _left_out(claims, limits or {}):
        claims.append(claim)
        if len(claims) > len(seen) + MAX_LEFT_OUT:
            raise DataError(
                f"{source} must leave at most {MAX_LEFT_OUT:,} questions of the study to its experts unanswered, got "
                "more. Give each a sheet with what was asked."
            )
    return pd.DataFrame(claims, columns=list(CLAIM_COLUMNS)), wrote


def check_experts(names: Collection[str], source: str) -> None:
    if len(names) > MAX_EXPERTS:
        raise DataError(f"{source} must have at most {MAX_EXPERTS} experts, got more. Divide it among several studies.")


def _lines(text: str, source: str) -> Iterator[tuple[_SheetCell, dict[str, str]]]:
    """Rows that are not empty, by lower-case column name; semicolons where the head has no comma."""
    head = text.partition("\n")[0]
    if len(text) > MAX_SHEET:
        raise DataError(f"{source} must have at most {size(MAX_SHEET)}, got more. Leave other columns out.")
    reader = csv.reader(io.StringIO(text, newline=""), delimiter="," if "," in head else ";")
    names = [name.strip().lower().replace("algorithm", "learner") for name in _next(reader, source) or ()]
    twice = [name for name in dict.fromkeys(names) if name and names.count(name) > 1]
    if twice:
        raise DataError(f"{source} must have each column once, got {twice[0]!r} more than once. Take one of them out.")
    absent = [name for name in _NEEDED if name not in names]
    if absent:
        raise DataError(
            f"{source} must have the columns {listed(_NEEDED)}, got {listed(names) or 'none'}. "
            f"Add {absent[0]!r}, or start from 'trueness new human-sheet'."
        )
    while (cells := _next(reader, source)) is not None:
        if any(cell.strip() for cell in cells):
            values = (csv_value(cell.strip()) for cell in cells)
            yield _SheetCell(source, reader.line_num), dict(zip(names, values, strict=False))


def _next(reader: Reader, source: str) -> list[str] | None:
    """The next row; None at the end."""
    try:
        row: list[str] | None = next(reader, None)
    except csv.Error as error:
        raise DataError(
            f"line {reader.line_num} of {source} must be CSV, got: {error}. Save it as CSV again."
        ) from None
    return row


def _claim(
    place: _SheetCell,
    cells: Mapping[str, str],
    limits: Mapping[Question, float] | None,
    known: Sequence[Collection[str] | None],
    respondent: str,
) -> ClaimRow:
    names = (cells.get("dataset", ""), cells.get("learner", ""), cells.get("measure", ""))
    dataset, learner, measure = (_as_in_study(name, of_study) for name, of_study in zip(names, known, strict=True))
    question = (dataset, learner, measure)
    _check_question(place, question, known)
    largest = (limits or {}).get(question, math.inf if question[2] == "shd" else 1.0)
    low, high, median = (_number(place, name, cells.get(name, ""), largest) for name in ("low", "high", "median"))
    level, target = _level(place, cells.get("level", "")), cells.get("target", "") or "run"
    if target not in TARGETS:
        raise DataError(f"{place}: 'target' must be run or mean, got {target!r}.")
    if low is not None and high is not None and low > high:
        raise DataError(f"{place}: 'low' must be <= 'high', got {low:g} and {high:g}. Swap them.")
    if low is not None and high is not None and median is not None and not low <= median <= high:
        raise DataError(f"{place}: 'median' must be from 'low' to 'high', got {median:g}. Mend one of the three.")
    if low is not None and high is not None:
        status, flags = Status.OK, ""
    elif low is None and high is None:
        status, flags = Status.REFUSED, "left empty"
    else:
        status, flags = Status.UNREADABLE, "only one end is given"
    ends = (low, high, median) if status == Status.OK else (None, None, None)
    expert = cells.get("expert", "")
    name = f"{respondent}/{expert}" if expert else respondent
    return _row(question, name, target, level, ends, status, flags)


def _allowed_names(limits: Mapping[Question, float] | None) -> tuple[Collection[str] | None, ...]:
    """The data sets, learners and measures that a row may name; None: any."""
    names = [None if limits is None else dict.fromkeys(sorted({key[k] for key in limits})) for k in range(2)]
    return (*names, MEASURES)


def _as_in_study(name: str, known: Collection[str] | None) -> str:
    """The study's name that this is but for capitals: an expert may write PC for pc."""
    known = registry.built_in("learner") if known is None else known
    alike = [name] if name in known else [other for other in known if other.lower() == name.lower()]
    return alike[0] if len(alike) == 1 else name


def _check_question(place: _SheetCell, question: Question, allowed: Sequence[Collection[str] | None]) -> None:
    for k, name in enumerate(("dataset", "learner", "measure")):
        known = allowed[k]
        if known is not None and question[k] not in known:
            near = did_you_mean(question[k], known) or f"It has: {listed(list(known))}."
            raise DataError(f"{place}: {name!r} must be one of the study's, got {question[k]!r}. {near}")
        if not question[k]:
            raise DataError(f"{place}: {name!r} must be given, got an empty cell.")


def _number(place: _SheetCell, name: str, cell: str, largest: float) -> float | None:
    if not cell:
        return None
    try:
        value = float(cell)
    except ValueError:
        value = math.nan
    if not math.isfinite(value):
        raise DataError(f"{place}: {name!r} must be a number, got {cell!r}. Write 0.6, or leave the cell empty.")
    if not 0 <= value <= largest:
        upto = "at least 0" if math.isinf(largest) else f"from 0 to {largest:g}"
        hint = " Write 0.6 for 60 %." if largest == 1 and value > 1 else ""
        raise DataError(f"{place}: {name!r} must be {upto}, got {cell}.{hint}")
    return value


def _level(place: _SheetCell, cell: str) -> float:
    try:
        level = float(cell or _LEVEL)
    except ValueError:
        level = math.nan
    if not 0 < level < 1:
        raise DataError(f"{place}: 'level' must be in (0, 1), got {cell!r}. Write 0.95 for 95 %.")
    return level


def _left_out(claims: Sequence[ClaimRow], limits: Mapping[Question, float]) -> Iterator[ClaimRow]:
    """The questions that an expert's sheet does not have, for each expert and target in it."""
    wrote: dict[tuple[str, str], set[Question]] = {}
    for claim in claims:
        key = (claim["respondent"], claim["target"])
        wrote.setdefault(key, set()).add((claim["dataset"], claim["learner"], claim["measure"]))
    for (name, target), there in wrote.items():
        for question in limits:
            if question not in there:
                none = (None, None, None)
                yield _row(question, name, target, _LEVEL, none, Status.REFUSED, "not in the sheet")


def _row(
    question: Question,
    respondent: str,
    target: str,
    level: float,
    ends: tuple[float | None, float | None, float | None],
    status: Status,
    flags: str,
) -> ClaimRow:
    low, high, median = (math.nan if end is None else end for end in ends)
    return {
        "dataset": question[0], "learner": question[1], "measure": question[2], "formulation": REFERENCE,
        "names": "-", "metadata": "-", "definition": "-", "target": target, "respondent": respondent, "repeat": 0,
        "level": level, "low": low, "high": high, "median": median, "status": str(status), "flags": flags,
    }  # fmt: skip
