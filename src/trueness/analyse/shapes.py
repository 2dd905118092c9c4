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
_THOUSANDS = re.compile(r"[-+]?[1-9]\d{0,2}(,\d{3})+(\.\d+)?")  # 0,853 and 12,5 are none
_SUMMARIES = re.compile(r"(average|avg|mean|overall|total|rank|position|place|score avg)\b|^#$", re.I)
_ABOUT = re.compile(
    r"(#?\s*params|parameters|size|licen[cs]e|date|released?|year|likes|downloads|votes?|cost|price|co2|latency|duration"
    r"|seconds|tokens|context|precision_bits|hub|type|link|url|notes?|id|index|unnamed.*|n|count|organi[sz]ation)\b",
    re.I,
)
_ACCURACIES = re.compile(
    r"(mmlu|arc|hellaswag|winogrande|truthfulqa|gsm8k|bbh|gpqa|ifeval|humaneval|mbpp|boolq|piqa|musr|openbookqa|lambada"
    r"|commonsense|math)\b",
    re.I,
)  # benchmarks whose scores are shares, in whatever unit a leaderboard writes them
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
    value = "accuracy" if model and all(_ACCURACIES.match(c.strip()) for c in scores) else "score"
    long = long.assign(**{across: np.tile(np.array(scores, dtype=object), len(frame)), value: table.ravel()})
    shown = listed(scores, most=6)
    turned = "" if model else f" (--condition {taken} compares the rows)"
    notes = [
        f"wide table: {len(scores)} columns are {across}s ({shown}), one row a {'model' if model else 'task'}{turned}"
    ]
    dropped = [c for c in numeric if c not in greatest]
    notes += [f"no scores: {listed(dropped, most=6)}"] if dropped else []
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


def _is_float(word: str) -> bool:
    try:
        float(word)
    except ValueError:
        return False
    return True
