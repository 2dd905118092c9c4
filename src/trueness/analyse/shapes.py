"""Tables as people have them, made into one row a run: numbers written as text, and wide tables.

    "85.3 %", "0,85", "71.2 ± 0.4"     numbers; a column is per cent throughout or nowhere
    model, mmlu, arc, ...              a column a benchmark: model, task, score
    task, gpt-x, llama, ...            a column a model: task, model, score

Columns that sum others up (average, rank) and those that describe a model (parameters, licence, date) are no scores.
What was done is said.
"""

from __future__ import annotations

import re
from collections.abc import Sequence

import numpy as np
import pandas as pd

from trueness.analyse.shares import ABSENT
from trueness.errors import DataError, listed

_NUMBER = re.compile(
    r"(?P<value>[-+]?\d[\d.,]*(?:e[-+]?\d+)?)\s*(?P<percent>%)?(?:\s*(?:±|\+/?-)\s*[\d.,]+\s*%?)?$", re.I
)
_SUMMARIES = re.compile(r"(average|avg|mean|overall|total|rank|position|place|score avg)\b|^#$", re.I)
_ABOUT = re.compile(
    r"(#?\s*params|parameters|size|licen[cs]e|date|released?|year|likes|downloads|votes?|cost|price|co2|latency|duration"
    r"|seconds|tokens|context|precision_bits|hub|type|link|url|notes?|id|index|unnamed.*|n|count|organi[sz]ation)\b",
    re.I,
)
MOST_ON_ONE_SCALE = 20.0  # between the greatest values of two columns of one table


def with_numbers(frame: pd.DataFrame) -> tuple[pd.DataFrame, tuple[str, ...]]:
    """Columns of numbers written as text as numbers; per cent as shares of 1."""
    parsed: dict[str, pd.Series] = {}
    ways: dict[str, list[str]] = {}
    for name in frame.select_dtypes(exclude=["number", "bool"]).columns:
        texts = frame[name].astype("string").str.strip()
        words = [word for word in texts.dropna().unique() if word.casefold() not in ABSENT]
        matches = {word: _NUMBER.match(word.replace("\u00a0", " ").replace("−", "-")) for word in words}
        if not words or not all(matches.values()):
            continue
        plain = [word for word in words if _is_float(word)]
        percent = [word for word, match in matches.items() if match and match["percent"]]
        if len(plain) == len(words):
            continue
        if percent and len(percent) < len(words):
            other = next(word for word in words if word not in percent)
            raise DataError(
                f"column {str(name)!r} must be per cent throughout or nowhere, got {percent[0]!r} and {other!r}. "
                "Write one way."
            )
        comma = any("," in match["value"] for match in matches.values() if match)
        values = {
            word: _number(match["value"], comma) / (100 if percent else 1) for word, match in matches.items() if match
        }
        if any(value != value for value in values.values()):
            continue
        parsed[str(name)] = texts.map(values).astype("float64")
        way = "per cent as shares" if percent else "decimal commas" if comma else "texts as numbers"
        ways.setdefault(way, []).append(str(name))
    notes = tuple(f"{way} in {listed(names, most=4)}" for way, names in ways.items())
    return (frame.assign(**parsed) if parsed else frame), notes


def melted(
    frame: pd.DataFrame, roles: dict[str, str | None], columns: Sequence[str], excluded: Sequence[str], name: str
) -> tuple[pd.DataFrame, tuple[str, ...]] | None:
    """A wide table as a long one; None where it is not wide. columns: those that no role has taken."""
    numbers = set(frame.select_dtypes("number").columns)
    numeric = [c for c in columns if c in numbers]
    sums = {c for c in numeric if _SUMMARIES.match(c.strip()) or c in excluded}
    scores = [c for c in numeric if c not in sums and not _ABOUT.match(c.strip())]  # none is empty: see schema.detect
    model, task = roles["model"], roles["task"]
    if model is None and task is None:
        task = next((c for c in columns if c not in numbers and frame[c].nunique() > 1), None)
    if (model is None and (task is None or len(scores) < 2)) or not scores or (model and task and len(scores) > 1):
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
    keep = frame.drop(columns=[*scores, *sums, across], errors="ignore")
    keep = keep.rename(columns={taken: "model" if model else "task"})
    long = keep.loc[keep.index.repeat(len(scores))].reset_index(drop=True)
    long = long.assign(**{across: np.tile(np.array(scores, dtype=object), len(frame)), "score": table.ravel()})
    shown = listed(scores, most=6)
    notes = [f"wide table: {len(scores)} columns are {across}s ({shown}), one row a {'model' if model else 'task'}"]
    dropped = [c for c in numeric if c not in greatest]
    notes += [f"no scores: {listed(dropped, most=6)}"] if dropped else []
    return long, tuple(notes)


def _number(text: str, comma: bool) -> float:
    """1.234,5 and 1,234.5 and 0,85; NaN where it cannot be told."""
    if "," in text and "." in text:
        thousands = "," if text.rfind(".") > text.rfind(",") else "."
        text = text.replace(thousands, "").replace(",", ".")
    elif text.count(",") == 1 and comma:
        text = text.replace(",", ".")
    try:
        return float(text)
    except ValueError:
        return float("nan")


def _is_float(word: str) -> bool:
    try:
        float(word)
    except ValueError:
        return False
    return True
