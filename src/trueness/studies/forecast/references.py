"""Respondents that know no language: what a forecast must beat; and experts.

    baseline/random        two sorted uniforms on [0, 1] (SHD: on [0, d(d-1)/2]); scored in closed form (scores.py)
    baseline/heuristic     b = base + clip(.1 log10(n/1000), -.15, .15) + clip(-.015 d, -.20, 0), clipped to [.2, .9];
                           base: PC .55, LiNGAM .60, FCI .50, NOTEARS .58; precision, recall, F1: b -+ .10;
                           SHD: (1 - b) D/2 -+ .1 D, D = d(d-1)/2. As in the original; other learners have no base
    baseline/climatology   quantiles of the same measure over all other data sets and learners, each cell weighing alike
    baseline/atlas         what the atlas expects of a table that looks like this one (trueness.atlas), when planned;
                           it has seen none with at most 70 nodes, only random systems and parts of larger networks

SHD travels between data sets as a share of d(d-1)/2. Each gives intervals at .5, .8, .95 and a median, for each target:

    of a run    quantiles of runs ('linear'); the heuristic's -+ is taken for its .95, narrower by z for .5 and .8
    of a mean   climatology: quantiles of the cells' means; random, heuristic: as of a run, since they say nothing of a
                target; the atlas has both

A reference that cannot answer (no base, no other data set) has rows with the status `refused` and a flag that says why.

Experts' ranges from a CSV, as respondents beside the models: `human/experts.csv`.

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
from collections.abc import Callable, Collection, Iterable, Iterator, Mapping, Sequence
from pathlib import Path
from typing import NamedTuple

import numpy as np
import pandas as pd
from numpy.typing import NDArray
from scipy.special import ndtri

from trueness.errors import DataError, UnknownName, did_you_mean, listed
from trueness.measures.interval_scores import quantile_levels
from trueness.outside import MEGABYTE, Json, is_there, size, text_of
from trueness.status import Status
from trueness.studies.forecast.frames import (
    CLAIM_COLUMNS,
    KEYS,
    LEVELS,
    MEASURES,
    RANDOM,
    TARGETS,
    DatasetAbout,
    Question,
    Truth,
    Truths,
    reference_claim,
)
from trueness.texts import csv_row, csv_value

Array = NDArray[np.float64]
About = Mapping[str, DatasetAbout]

ATLAS = "baseline/atlas"
HEURISTIC_BASE = {"pc": 0.55, "lingam": 0.60, "fci": 0.50, "notears": 0.58}
GONE = ("baseline/nearest", "baseline/oracle")  # of studies that were stored when there were more references
MAX_TRUTHS = 10_000  # 2,500 cells: climatology looks at all others for each
MAX_CLAIMS = 200_000  # truths x references x targets
TAUS = quantile_levels(LEVELS, median=True)


class ReferenceQuantiles(NamedTuple):
    """Quantiles at TAUS in the units of the measure, or none and why."""

    quantiles: Array | None
    flags: str = ""


def reference_claims(
    truths: Truths, datasets: About, names: Sequence[str] | None = None, targets: Sequence[str] = ("run",)
) -> pd.DataFrame:
    """Claims of the references named, for every truth, in the columns of a claims frame; formulation "reference"."""
    names = REFERENCES if names is None else names
    _check_size(len(truths), names, targets)
    rows: list[dict[str, Json]] = []
    for name in names:
        if name.startswith("human/"):
            continue  # read from a sheet, below
        if name not in _ANSWERS:
            raise UnknownName("reference", name, _ANSWERS)
        for truth in truths.values():
            for target in targets:
                for answer in _ANSWERS[name](truth, truths, datasets, target):
                    rows.extend(_claims(name, truth, target, answer))
    return pd.DataFrame(rows, columns=list(CLAIM_COLUMNS))


def _check_size(truths: int, names: Sequence[str], targets: Sequence[str]) -> None:
    """Lists of a few kilobytes in a stored study must not become claims without end."""
    if len(set(names)) < len(names) or len(set(targets)) < len(targets):
        raise DataError("references and targets must name each once, got one twice. Was the study changed?")
    for what, most, got in (
        ("truths for references", MAX_TRUTHS, truths),
        ("claims of references", MAX_CLAIMS, truths * len(names) * len(targets)),
    ):
        if got > most:
            raise DataError(f"a forecast study must have at most {most:,} {what}, got {got:,}. Divide it into several.")


def heuristic_base(learner: str, rows: int, nodes: int) -> float | None:
    """The centre for precision, recall and F1; None for a learner without a base."""
    if learner not in HEURISTIC_BASE:
        return None
    for_rows = min(max(0.1 * math.log10(rows / 1000), -0.15), 0.15)
    for_nodes = max(-0.015 * nodes, -0.20)
    return min(max(HEURISTIC_BASE[learner] + for_rows + for_nodes, 0.2), 0.9)


def _random(truth: Truth, truths: Truths, datasets: About, target: str) -> Iterator[ReferenceQuantiles]:
    ends = np.where(TAUS < 0.5, 1 / 3, np.where(TAUS > 0.5, 2 / 3, 0.5))  # the expected ends; shown, not scored
    yield ReferenceQuantiles(ends * truth.upper, "closed form")


def _heuristic(truth: Truth, truths: Truths, datasets: About, target: str) -> Iterator[ReferenceQuantiles]:
    about = datasets[truth.dataset]
    base = heuristic_base(truth.learner, about["rows"], about["nodes"])
    if base is None:
        yield ReferenceQuantiles(None, f"no base for {truth.learner}")
        return
    pairs = about["nodes"] * (about["nodes"] - 1) / 2
    centre, half = ((1 - base) * pairs * 0.5, 0.1 * pairs) if truth.measure == "shd" else (base, 0.1)
    yield ReferenceQuantiles(np.clip(centre + half * ndtri(TAUS) / ndtri(TAUS[-1]), 0, truth.upper))


def _climatology(truth: Truth, truths: Truths, datasets: About, target: str) -> Iterator[ReferenceQuantiles]:
    cells = [
        other
        for other in truths.values()
        if other.measure == truth.measure and other.dataset != truth.dataset and len(other.runs)
    ]
    if not cells:
        yield ReferenceQuantiles(None, "no other data set")
        return
    means = np.array([cell.mean / cell.upper for cell in cells])
    shares = np.quantile(means if target == "mean" else np.concatenate([cell.spread for cell in cells]), TAUS)
    yield ReferenceQuantiles(np.clip(shares, 0, 1) * truth.upper)


def _atlas(truth: Truth, truths: Truths, datasets: About, target: str) -> Iterator[ReferenceQuantiles]:
    expected = datasets[truth.dataset].get("atlas")
    if expected is None:
        yield ReferenceQuantiles(None, "planned before there was an atlas")
        return
    try:
        shares = np.asarray(expected[truth.learner][truth.measure][target], dtype=np.float64)
    except KeyError:
        yield ReferenceQuantiles(None, f"no {truth.learner} with these settings in the atlas")
        return
    except (TypeError, ValueError):
        shares = np.zeros(0)
    if shares.shape != TAUS.shape or not ((shares >= 0) & (shares <= 1)).all():
        raise DataError(f"what the atlas expects must be {len(TAUS)} shares, got others. Was the study changed?")
    yield ReferenceQuantiles(np.sort(shares) * truth.upper)


def _claims(name: str, truth: Truth, target: str, answer: ReferenceQuantiles) -> Iterator[dict[str, Json]]:
    question, middle, q = (truth.dataset, truth.learner, truth.measure), len(TAUS) // 2, answer.quantiles
    status = Status.REFUSED if q is None else Status.OK
    for k, level in enumerate(LEVELS, start=1):
        ends = (None, None, None) if q is None else (q[middle - k], q[middle + k], q[middle])
        yield reference_claim(question, name, target, level, ends, status, answer.flags)


_ANSWERS: dict[str, Callable[[Truth, Truths, About, str], Iterator[ReferenceQuantiles]]] = {
    RANDOM: _random,
    "baseline/heuristic": _heuristic,
    "baseline/climatology": _climatology,
    ATLAS: _atlas,
}
REFERENCES = tuple(_ANSWERS)


# ---- experts' sheets

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
