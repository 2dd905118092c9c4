"""Tables as people have them, made into one row a run: numbers written as text, and wide tables.

    "85.3 %", "0,85", "71.2 ± 0.4", "71.2 (0.4)", "**71.2**"     numbers; a column is per cent throughout or nowhere
    model, mmlu, arc, ...              a column a benchmark: model, task, score
    task, gpt-x, llama, ...            a column a model: task, model, score

Columns that sum others up (average, rank) and those that describe a model (parameters, licence, date) are no scores;
beside columns in per cent, nothing else is one. Rows that sum others up (a last line "Total") are no runs.
What was done is said.
"""

from __future__ import annotations

import re
import unicodedata
from collections.abc import Sequence

import numpy as np
import pandas as pd
from pandas.api.types import is_bool_dtype, is_numeric_dtype

from trueness.analyse.shares import ABSENT, FAIL, PASS, as_shares
from trueness.errors import DataError, listed
from trueness.texts import counted

_NUMBER = re.compile(
    r"(?P<value>[-+]?\d[\d.,]*(?:e[-+]?\d+)?)\s*(?P<percent>%)?(?:\s*(?:±|\+/?-)\s*[\d.,]+\s*%?|\s*\([\d.,]+\s*%?\))?$",
    re.I,
)
_MARKS = re.compile(r"[*†‡]")  # bold, and signs of footnotes
_THOUSANDS = re.compile(r"[-+]?[1-9]\d{0,2}(,\d{3})+(\.\d+)?")  # 0,853 and 12,5 are none
_SUMMARIES = re.compile(r"(average|avg|mean|overall|total|rank|position|place|score avg)\b|^#$", re.I)
_ABOUT = re.compile(
    r"(#?\s*params|parameters|size|licen[cs]e|date|released?|year|likes|downloads|votes?|cost|price|co2|latency|duration"
    r"|seconds|tokens|context|precision_bits|hub|type|link|url|notes?|(.*_)?id|index|unnamed.*|n|count|organi[sz]ation)\b",
    re.I,
)
_ACCURACIES = re.compile(
    r"(mmlu|arc|hellaswag|winogrande|truthfulqa|gsm8k|bbh|gpqa|ifeval|humaneval|mbpp|boolq|piqa|musr|openbookqa|lambada"
    r"|commonsense|math)\b",
    re.I,
)  # benchmarks whose scores are shares, in whatever unit a leaderboard writes them
_SUMS = {"average", "avg", "overall", "total", "grand total", "macro avg", "micro avg", "weighted avg", "gesamt",
         "insgesamt", "durchschnitt", "mittelwert", "moyenne", "promedio"}  # fmt: skip
_PERHAPS_SUMS = {"mean", "median", "sum", "summe", "std", "stdev", "sd"}  # in a last line, or where a name is missing
_ITEMS = re.compile(r"(id|idx|index|key|nr|no\.?|number|#|unnamed: 0)$", re.I)  # numbers that name rows
PER_CENT_COLUMNS = "per cent"  # in the attributes of a frame
MOST_ON_ONE_SCALE = 20.0  # between the greatest values of two columns of one table


def with_numbers(frame: pd.DataFrame) -> tuple[pd.DataFrame, tuple[str, ...]]:
    """Columns of numbers written as text as numbers; per cent as shares of 1."""
    parsed: dict[str, pd.Series] = {}
    ways: dict[str, list[str]] = {}
    for name in frame.select_dtypes(exclude=["number", "bool"]).columns:
        texts = frame[name].astype("string").str.strip()
        words = [word for word in texts.dropna().unique() if word.casefold() not in ABSENT]
        matches = {word: _NUMBER.match(_MARKS.sub("", word.replace("\u00a0", " ").replace("−", "-"))) for word in words}
        if not words or not all(matches.values()):
            continue
        plain = [word for word in words if is_float(word)]
        percent = [word for word, match in matches.items() if match and match["percent"]]
        if len(plain) == len(words):
            continue
        if percent and len(percent) < len(words):
            other = next(word for word in words if word not in percent)
            raise DataError(
                f"column {str(name)!r} must be per cent throughout or nowhere, got {percent[0]!r} and {other!r}. "
                "Write one way."
            )
        numbers = {word: match["value"] for word, match in matches.items() if match}
        grouped = all(_THOUSANDS.fullmatch(number) for number in numbers.values() if "," in number)
        comma = any("," in number for number in numbers.values())
        values = {word: _number(number, grouped) / (100 if percent else 1) for word, number in numbers.items()}
        if any(value != value for value in values.values()):
            continue
        parsed[str(name)] = texts.map(values).astype("float64")
        marks = "commas as thousands (1,234 is 1234)" if grouped else "decimal commas"
        way = "per cent as shares" if percent else marks if comma else "texts as numbers"
        ways.setdefault(way, []).append(str(name))
    notes = tuple(f"{way} in {listed(names, most=4)}" for way, names in ways.items())
    if parsed:
        frame = frame.assign(**parsed)
        frame.attrs[PER_CENT_COLUMNS] = ways.get("per cent as shares", [])
    return frame, notes


def with_verdicts(frame: pd.DataFrame, columns: Sequence[str]) -> pd.DataFrame:
    """Columns of passes (True/False, pass/fail) as 1 and 0."""
    verdicts = {}
    for name in columns:
        if is_numeric_dtype(frame[name].dtype) and not is_bool_dtype(frame[name].dtype):
            continue
        words = set(frame[name].dropna().astype("string").str.strip().str.casefold().unique()) - ABSENT
        if words and words <= PASS | FAIL:
            verdicts[name] = as_shares(frame[name], name)[0]
    return frame.assign(**verdicts) if verdicts else frame


def without_summaries(frame: pd.DataFrame, roles: dict[str, str | None]) -> tuple[pd.DataFrame, tuple[str, ...]]:
    """The rows that are runs; a line "Total" or "Average" below them is none."""
    names = [column for column in (roles["condition"], roles["model"], roles["task"]) if column]
    incomplete = frame[names].isna().any(axis=1).to_numpy() | (np.arange(len(frame)) == len(frame) - 1)
    sums = np.zeros(len(frame), dtype=bool)
    for column in dict.fromkeys([str(frame.columns[0]), *names]):
        if is_numeric_dtype(frame[column].dtype):
            continue
        words = frame[column].astype("string").str.strip("*: ").str.casefold()
        sums |= (words.isin(_PERHAPS_SUMS) & incomplete & ~words.duplicated(keep=False)).to_numpy(dtype=bool)
        sums |= words.isin(_SUMS).to_numpy(dtype=bool) & (incomplete | (column != roles["condition"]))
    if not sums.any() or sums.all():
        return frame, ()
    labels = listed([str(label) for label in frame[sums].iloc[:, 0].fillna("(none)").unique()], most=4)
    note = f"{counted(int(sums.sum()), 'row')} of sums or averages left out ({labels})"
    return frame[~sums].reset_index(drop=True), (note,)


def only_score(frame: pd.DataFrame, columns: Sequence[str]) -> str | None:
    """The one column of numbers that can be a score."""
    scores = _score_columns(frame, columns, ())
    return scores[0] if len(scores) == 1 else None


def _score_columns(frame: pd.DataFrame, columns: Sequence[str], excluded: Sequence[str]) -> list[str]:
    """Numbers that neither sum up others nor describe the row; where some are in per cent, those."""
    numbers = set(frame.select_dtypes("number").columns)
    plain = {c: unicodedata.normalize("NFKC", c).strip() for c in columns if c in numbers and c not in excluded}
    scores = [c for c, name in plain.items() if not _SUMMARIES.match(name) and not _ABOUT.match(name)]
    filled = frame[scores].count()
    scores = [c for c in scores if 2 * filled[c] > len(frame)]  # what few rows have is said of those
    return [c for c in scores if c in frame.attrs.get(PER_CENT_COLUMNS, ())] or scores


def melt(
    frame: pd.DataFrame, roles: dict[str, str | None], columns: Sequence[str], excluded: Sequence[str], name: str
) -> tuple[pd.DataFrame, tuple[str, ...]] | None:
    """A wide table as a long one; None where it is not wide. columns: those that no role has taken."""
    numbers = set(frame.select_dtypes("number").columns)
    scores = _score_columns(frame, columns, excluded)  # none is empty: see schema.detect
    model, task = roles["model"], roles["task"]
    if model is None and task is None:
        task = next((c for c in columns if c not in numbers and frame[c].nunique() > 1), None)
        task = task or next((c for c in columns if _ITEMS.match(c.strip()) and frame[c].is_unique), None)
    if (model is None and (task is None or len(scores) < 2)) or not scores or (model and task):
        return None
    table = frame[scores].to_numpy(dtype=np.float64, na_value=np.nan)
    greatest = dict(zip(scores, np.nanmax(np.abs(table), axis=0).tolist(), strict=True))
    low, high = min(greatest, key=lambda c: greatest[c]), max(greatest, key=lambda c: greatest[c])
    if greatest[high] > MOST_ON_ONE_SCALE * max(greatest[low], 1e-12) and greatest[low] > 0:
        raise DataError(
            f"the columns of {name} must be on one scale, got {low} up to {greatest[low]:g} and {high} up to "
            f"{greatest[high]:g}. Leave the others out: --exclude task={high}"
        )
    across, taken = ("task", model) if model else ("model", task)
    gone = {*scores, taken}
    others = [c for c in columns if c not in gone]
    described = others if frame[taken].is_unique else [c for c in others if c in numbers]  # a row's own licence, size
    keep = frame.drop(columns=[*scores, *described, across], errors="ignore")
    keep = keep.rename(columns={taken: "model" if model else "task"})
    long = keep.loc[keep.index.repeat(len(scores))].reset_index(drop=True)
    value = "accuracy" if model and all(_ACCURACIES.match(c.strip()) for c in scores) else "score"
    long = long.assign(**{across: np.tile(np.array(scores, dtype=object), len(frame)), value: table.ravel()})
    shown = listed(scores, most=6)
    turned = "" if model else f" (--condition {taken} compares the rows)"
    notes = [
        f"wide table: {len(scores)} columns are {across}s ({shown}), one row a {'model' if model else 'task'}{turned}"
    ]
    described.sort(key=lambda c: c not in numbers)
    notes += [f"no scores: {listed(described, most=6)}"] if described else []
    return long, tuple(notes)


def _number(text: str, grouped: bool) -> float:
    """1.234,5 and 1,234.5 and 0,85; NaN where it cannot be told. grouped: commas stand between thousands."""
    if "," in text and "." in text:
        thousands = "," if text.rfind(".") > text.rfind(",") else "."
        text = text.replace(thousands, "").replace(",", ".")
    elif grouped or text.count(",") == 1:
        text = text.replace(",", "" if grouped else ".")
    try:
        return float(text)
    except ValueError:
        return float("nan")


def is_float(word: str) -> bool:
    try:
        float(word)
    except ValueError:
        return False
    return True
