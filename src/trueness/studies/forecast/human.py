"""Experts' ranges from a CSV, as respondents beside the models: `human/experts.csv`.

    dataset,learner,measure,low,high[,level,median,expert,target]

One row a range; `algorithm` is read as `learner`, capitals do not matter, other columns are not read; level .95 and
target `run` unless said. A row with one end is `unreadable`. A question of the study whose row is empty or missing is
`refused`, so that every expert has every question. A cell that holds something wrong stops with one line that names the
file and the row, before anything is scored. `trueness new human-sheet` writes the empty form of a plan.
"""

from __future__ import annotations

import csv
import io
import math
from collections import Counter
from collections.abc import Collection, Iterable, Iterator, Mapping, Sequence
from pathlib import Path

import pandas as pd

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

_NEEDED = ("dataset", "learner", "measure", "low", "high")
_LEVEL = 0.95
_TOLD = ("nodes", "rows", "data", "domain")  # of a data set, for the expert to see
MAX_SHEET = 16 * MEGABYTE  # 100,000 ranges have 6
MAX_EXPERTS = 100  # of a study: each is compared with every respondent
MAX_LEFT_OUT = 200_000  # questions that experts' sheets do not have, which are rows all the same


def questions(datasets: Mapping[str, DatasetAbout], learners: Iterable[str]) -> dict[Question, float]:
    """Every question of a study and the largest value that its answer can have."""
    learners = list(learners)
    return {
        (name, learner, measure): about["nodes"] * (about["nodes"] - 1) / 2 if measure == "shd" else 1.0
        for name, about in datasets.items()
        for learner in learners
        for measure in MEASURES
    }


def sheet(datasets: Mapping[str, DatasetAbout], learners: Sequence[str], level: float = _LEVEL) -> str:
    """The CSV to fill: a row for each question, what is known of the data set, and empty `low`, `high`, `median`."""
    written = io.StringIO()
    lines = csv.writer(written, lineterminator="\n")
    lines.writerow([*_NEEDED, "median", "level", "target", "expert", *_TOLD, "largest"])
    for question, largest in questions(datasets, learners).items():
        about = [datasets[question[0]].get(key, "") for key in _TOLD]
        lines.writerow(csv_row([*question, "", "", "", f"{level:g}", "run", "", *about, f"{largest:g}"]))
    return written.getvalue()


def read_experts(path: Path | str, limits: Limits | None = None) -> pd.DataFrame:
    """Claims of the experts in a CSV, of whom one at least must have given a range."""
    path = Path(path)
    if not is_there(path):
        raise DataError(f"the experts' file {path} must be a CSV that can be read. See 'trueness new human-sheet'.")
    claims = parse_experts(text_of(path, MAX_SHEET), path.name, limits, f"human/{path.stem}")
    if not (claims["status"] == Status.OK).any():
        raise DataError(
            f"{path.name} must give at least one range, got none. Fill in 'low' and 'high', or take it out of 'humans'."
        )
    return claims


def parse_experts(
    text: str, source: str = "sheet", limits: Limits | None = None, respondent: str = "human/sheet"
) -> pd.DataFrame:
    """Claims from the text itself. The respondent is that of the sheet, or <respondent>/<expert> where a row names one;
    who gave no range at all is none."""
    claims: list[dict[str, Json]] = []
    seen: dict[tuple[Json, ...], int] = {}
    known = [dict.fromkeys(names) for names in (zip(*limits, strict=True) if limits else ((), (), MEASURES))]
    for number, cells in _rows(text, source):
        place = f"row {number} of {source}"
        claim = _claim(place, cells, known, limits or {}, respondent)
        key = tuple(claim[name] for name in (*KEYS, "level"))
        if key in seen:
            raise DataError(f"{place} must be a new question, got that of row {seen[key]} again. Keep one of them.")
        seen[key] = number
        claims.append(claim)
    spoke = {claim["respondent"] for claim in claims if claim["status"] == Status.OK}
    check_experts(spoke, source)
    claims = [claim for claim in claims if claim["respondent"] in spoke]
    return pd.DataFrame([*claims, *_left_out(claims, source, limits or {})], columns=list(CLAIM_COLUMNS))


def check_experts(names: Collection[str], source: str) -> None:
    if len(names) > MAX_EXPERTS:
        raise DataError(f"{source} must have at most {MAX_EXPERTS} experts, got more. Divide it among several studies.")


def _left_out(claims: Sequence[dict[str, Json]], source: str, limits: Limits) -> list[dict[str, Json]]:
    """The questions that an expert did not answer, for each target that it did."""
    wrote: dict[tuple[str, str], set[Question]] = {}
    for claim in claims:
        question = (claim["dataset"], claim["learner"], claim["measure"])
        wrote.setdefault((claim["respondent"], claim["target"]), set()).add(question)
    absent = [(question, *who) for who, there in wrote.items() for question in limits if question not in there]
    if len(absent) > MAX_LEFT_OUT:
        raise DataError(
            f"{source} must leave at most {MAX_LEFT_OUT:,} questions of the study to its experts unanswered, got "
            "more. Give each a sheet with what was asked."
        )
    return [reference_claim(*asked, _LEVEL, (None,) * 3, Status.REFUSED, "left empty") for asked in absent]


def _rows(text: str, source: str) -> Iterator[tuple[int, dict[str, str]]]:
    """Rows with at least one end, by lower-case column name; semicolons where the head has no comma."""
    if len(text) > MAX_SHEET:
        raise DataError(f"{source} must have at most {size(MAX_SHEET)}, got more. Leave other columns out.")
    reader = csv.reader(io.StringIO(text, newline=""), delimiter="," if "," in text.partition("\n")[0] else ";")
    try:
        names = [name.strip().lower().replace("algorithm", "learner") for name in next(reader, [])]
        twice = [name for name, times in Counter(names).items() if name and times > 1]
        wrong = twice + [name for name in _NEEDED if name not in names]
        if wrong:
            raise DataError(
                f"{source} must have the columns {listed(_NEEDED)}, each once, got {listed(names) or 'none'}. Mend "
                f"{wrong[0]!r}, or start from 'trueness new human-sheet'."
            )
        for row in reader:
            cells = dict.fromkeys(names, "") | dict(zip(names, (csv_value(cell.strip()) for cell in row), strict=False))
            if cells["low"] or cells["high"]:
                yield reader.line_num, cells
    except csv.Error as error:
        raise DataError(
            f"line {reader.line_num} of {source} must be CSV, got: {error}. Save it as CSV again."
        ) from None


def _claim(
    place: str, cells: Mapping[str, str], known: Sequence[Collection[str]], limits: Limits, respondent: str
) -> dict[str, Json]:
    dataset, learner, measure = (
        _name(place, column, cells[column], names) for column, names in zip(_NEEDED, known, strict=False)
    )
    question = (dataset, learner, measure)
    largest = limits.get(question, math.inf if measure == "shd" else 1.0)
    low, high, median = (_number(place, name, cells.get(name, ""), largest) for name in ("low", "high", "median"))
    level, target = _number(place, "level", cells.get("level") or str(_LEVEL), 1.0), cells.get("target") or "run"
    if target not in TARGETS:
        raise DataError(f"{place}: 'target' must be run or mean, got {target!r}.")
    if level is None or not 0 < level < 1:
        raise DataError(f"{place}: 'level' must be in (0, 1), got {level:g}. Write 0.95 for 95 %.")
    name = f"{respondent}/{cells['expert']}" if cells.get("expert") else respondent
    if low is None or high is None:
        one_end = "only one end is given"
        return reference_claim(question, name, target, level, (None,) * 3, Status.UNREADABLE, one_end)
    if not low <= (low if median is None else median) <= high:
        raise DataError(
            f"{place} must have 'low' <= 'median' <= 'high', got {low:g}, {cells.get('median') or 'none'} and "
            f"{high:g}. Swap them."
        )
    return reference_claim(question, name, target, level, (low, high, median), Status.OK)


def _name(place: str, column: str, written: str, known: Collection[str]) -> str:
    """The study's name that this is but for capitals: an expert may write PC for pc. Nothing known: as it is."""
    alike = [written] if written in known else [other for other in known if other.lower() == written.lower()]
    if len(alike) == 1:
        return alike[0]
    if known or not written:
        near = did_you_mean(written, known) or f"It has: {listed(list(known))}."
        raise DataError(f"{place}: {column!r} must be one of the study's, got {written!r}. {near}")
    return written


def _number(place: str, name: str, cell: str, largest: float) -> float | None:
    """A number from 0 to `largest`; None of an empty cell."""
    if not cell:
        return None
    try:
        value = float(cell)
    except ValueError:
        value = math.nan
    if not (0 <= value <= largest and math.isfinite(value)):
        upto = "of at least 0" if math.isinf(largest) else f"from 0 to {largest:g}"
        hint = " Write 0.6 for 60 %." if largest == 1 else ""
        raise DataError(f"{place}: {name!r} must be a number {upto}, got {cell!r}.{hint}")
    return value
