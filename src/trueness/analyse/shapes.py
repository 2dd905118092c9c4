"""Tables as people have them, made into one row a run: numbers written as text, and wide tables.

    "85.3 %", "0,85", "71.2 ± 0.4", "71.2 (0.4)", "**71.2**"     numbers; a column is per cent throughout or nowhere
    model, mmlu, arc, ...              a column a benchmark: model, task, score
    task, gpt-x, llama, ...            a column a model: task, model, score

Columns that sum others up (average, rank) and those that describe a model or a task (parameters, date, seed) are no
scores, by their names (measure_names.py) or by their numbers; beside columns in per cent, nothing else is one. Scores
of one measure and one scale are put together, others never. Rows that sum others up (a last line "Total") are none.
What was done is said.
"""

from __future__ import annotations

import re
from collections import Counter
from collections.abc import Mapping, Sequence
from dataclasses import dataclass

import numpy as np
import pandas as pd
from pandas.api.types import is_bool_dtype, is_numeric_dtype

from trueness.analyse.analysis_settings import AnalysisSettings
from trueness.analyse.measure_names import is_average, is_benchmark, is_measure_alone, measure_in, why_no_score
from trueness.analyse.shares import ABSENT, DECIMALS, FAIL, PASS, Array, as_shares, decimals
from trueness.errors import DataError, listed
from trueness.texts import counted

_NUMBER = re.compile(
    r"(?P<value>[-+]?\d[\d.,]*(?:e[-+]?\d+)?)\s*(?P<percent>%)?(?:\s*(?:±|\+/?-)\s*[\d.,]+\s*%?|\s*\([\d.,]+\s*%?\))?$",
    re.I,
)
_MARKS = re.compile(r"[*†‡]")  # bold, and signs of footnotes
_THOUSANDS = re.compile(r"[-+]?[1-9]\d{0,2}(,\d{3})+(\.\d+)?")  # 0,853 and 12,5 are none
_SUMS = {"average", "avg", "overall", "total", "grand total", "macro avg", "micro avg", "weighted avg", "gesamt",
         "insgesamt", "durchschnitt", "mittelwert", "moyenne", "promedio"}  # fmt: skip
_PERHAPS_SUMS = {"mean", "median", "sum", "summe", "std", "stdev", "sd"}  # in a last line, or where a name is missing
ITEMS = re.compile(r"(id|idx|index|key|nr|no\.?|number|#|unnamed: 0)$", re.I)  # numbers that name rows
PER_CENT_COLUMNS = "per cent"  # in the attributes of a frame
MOST_ON_ONE_SCALE = 20.0  # between the greatest values of two columns of one table
MOST_IN_ORDER = 8  # rows from which whole numbers are no coincidence
MOST_BESIDE = 40  # columns of which one is looked for that is made of the others
_FLAGS = {"true", "false", "yes", "no", "y", "n"}
_OF_ANYTHING = {"", "accuracy", "score", "pass", "success", "rating", "reward"}  # shares of right answers, or points


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


def with_verdicts(frame: pd.DataFrame, columns: Sequence[str]) -> tuple[pd.DataFrame, tuple[str, ...]]:
    """Columns of passes (pass/fail, True/False) as 1 and 0; and those that may be flags: true or false of what?"""
    verdicts, flags = {}, []
    for name in columns:
        if is_numeric_dtype(frame[name].dtype) and not is_bool_dtype(frame[name].dtype):
            continue
        words = set(frame[name].dropna().astype("string").str.strip().str.casefold().unique()) - ABSENT
        if words and words <= PASS | FAIL:
            verdicts[name] = as_shares(frame[name], name)[0]
            flags += [name] if words <= _FLAGS and not measure_in(name) else []
    return frame.assign(**verdicts) if verdicts else frame, tuple(flags)


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


def without_groups(
    frame: pd.DataFrame, task: str, value: str, keys: Sequence[str]
) -> tuple[pd.DataFrame, tuple[str, ...]]:
    """The rows of single tasks: mmlu beside mmlu_stem and mmlu_law, between which it always lies, is their average.

    keys: the columns in which a task stands once or more for each value. Passes and fails are averages of nothing."""
    names = frame[task].astype("string").str.strip(" -|")
    numbers = is_numeric_dtype(frame[value].dtype) and not frame[value].dropna().isin((0, 1)).all()
    if is_numeric_dtype(frame[task].dtype) or not numbers:
        return frame, ()
    known = [str(name) for name in names.dropna().unique()]
    starts = Counter(name[: m.start()] for name in known for m in re.finditer(r"[\W_]+", name))
    step = 10.0 ** -(decimals(frame[value].to_numpy(dtype=np.float64)) or DECIMALS)
    table = frame.assign(**{task: names}).groupby([*keys, task], dropna=False)[value].mean().unstack(task)
    averages = []
    for name in (name for name in known if starts[name] > 1):
        parts = table[[other for other in known if re.match(re.escape(name) + r"[\W_]", other)]]
        between = (table[name] >= parts.min(axis=1) - step) & (table[name] <= parts.max(axis=1) + step)
        if (between | table[name].isna()).all():
            averages.append(name)
    if not averages:
        return frame, ()
    kept = frame[~names.isin(averages).to_numpy(dtype=bool)].reset_index(drop=True)
    return kept, (f"averages of others, left out: {listed(averages, most=6)}",)


@dataclass(frozen=True)
class Candidates:
    """Columns of numbers that can be scores, and what each of the others holds."""

    scores: tuple[str, ...]
    others: Mapping[str, str]

    @property
    def groups(self) -> dict[str, tuple[str, ...]]:
        """The scores by measure: several measures are never averaged, nor one of them compared with another."""
        groups: dict[str, list[str]] = {}
        for column in self.scores:
            kind = measure_in(column)
            key = column if is_measure_alone(column) else "" if kind in _OF_ANYTHING else kind
            groups.setdefault(key, []).append(column)
        averaged = {measure_in(c) for c in self.others if is_average(c) and measure_in(c) not in _OF_ANYTHING}
        if "" in groups and len(averaged) == 1:  # "Average WER" says what the others are of
            groups.setdefault(averaged.pop(), []).extend(groups.pop(""))
        return {key: tuple(columns) for key, columns in groups.items()}


def candidates(
    frame: pd.DataFrame, columns: Sequence[str], excluded: Sequence[str], keys: Sequence[str], flags: Sequence[str]
) -> Candidates:
    """Told by the names and by the numbers. keys: the columns whose values are compared, and the tasks."""
    numbers = set(frame.select_dtypes("number").columns)
    columns = [c for c in columns if c in numbers and c not in excluded]
    others: dict[str, str] = {}
    scores: list[str] = []
    filled = frame[columns].count()
    for c in columns:
        reason = why_no_score(c, tuple(columns)) or ("true or false" if c in flags and keys else "")
        if not reason and 2 * filled[c] <= len(frame):
            reason = "empty in most rows"
        if not reason and not measure_in(c) and keys:
            reason = _described(frame, c, keys)
        if reason:
            others[c] = reason
        else:
            scores.append(c)
    for c in _made_of_others(frame, scores):
        others[c] = "made of other columns"
    scores = [c for c in scores if c not in others]
    in_per_cent = [c for c in scores if c in frame.attrs.get(PER_CENT_COLUMNS, ())]
    others |= {c: "no per cent" for c in scores if in_per_cent and c not in in_per_cent}
    return Candidates(tuple(in_per_cent or scores), others)


def _described(frame: pd.DataFrame, column: str, keys: Sequence[str]) -> str:
    """What numbers without the name of a measure are by their structure; empty where they can be scores."""
    values = frame[column].dropna()
    whole = bool((values % 1 == 0).all())
    if len(values) > 1 and values.nunique() == 1:
        return "the same in every row"
    if whole and values.between(1900, 2100).all():
        return "a year"
    in_order = len(values) > 2 and bool((values.sort_values().diff().iloc[1:] == 1).all()) and values.min() in (0, 1)
    if whole and values.is_unique and (in_order or (len(values) >= MOST_IN_ORDER and values.max() > 100)):
        return "another number in every row"
    for key in keys:
        groups = frame.groupby(key)[column]
        if 1 < groups.ngroups < len(frame) and groups.count().min() > 1 and (groups.nunique() == 1).all():
            return f"one number for each {key}"
    by_cell = frame.groupby(list(keys))[column]
    cells = by_cell.agg(lambda cell: str(sorted(cell)))
    if len(cells) > 1 and cells.nunique() == 1 and by_cell.nunique().iloc[0] > 1:
        return "crossed with all others"
    return ""


def _made_of_others(frame: pd.DataFrame, scores: Sequence[str]) -> list[str]:
    """The column that is the difference of two before it, or the mean of the others, in each row as it is rounded;
    none where the others move together, since then any is made of any."""
    table = frame[list(scores)].to_numpy(dtype=np.float64, na_value=np.nan)
    parts = bool((table % 1 != 0).any())
    if len(table) < 4 or not 3 <= len(scores) <= MOST_BESIDE or not (parts or len(table) >= MOST_IN_ORDER):
        return []
    made = []
    for k, column in enumerate(scores):
        step = 10.0 ** -(decimals(table[:, k]) or 0) if decimals(table[:, k]) is not None else 1e-9
        mean = np.delete(table, k, axis=1).mean(axis=1)
        pairs = [(i, j) for i in range(k) for j in range(i) if _independent(table[:, [i, j]])]
        before = [np.abs(table[:, i] - table[:, j]) for i, j in pairs]
        varies = np.ptp(table[:, k]) > 2 * step
        differs = any(np.all(np.abs(np.abs(table[:, k]) - d) <= 1.01 * step) for d in before)
        averages = _independent(np.delete(table, k, axis=1)) and np.all(np.abs(table[:, k] - mean) <= step)
        if varies and (differs or averages):
            made.append(column)
    return made if len(made) == 1 else []


def _independent(table: Array) -> bool:
    return not np.isnan(table).any() and int(np.linalg.matrix_rank(table - table.mean(axis=0), tol=1e-6)) > 1


def names_of_rows(frame: pd.DataFrame, columns: Sequence[str]) -> str | None:
    """The column that names what each row is of: texts, or numbers under a usual name, none twice."""
    texts = [c for c in columns if not is_numeric_dtype(frame[c].dtype) and frame[c].nunique() > 1]
    named = [c for c in texts if frame[c].is_unique] or [
        c for c in columns if ITEMS.match(c.strip()) or why_no_score(c) == "an id"
    ]
    return next((c for c in named if frame[c].is_unique), None)


def check_one_scale(frame: pd.DataFrame, scores: Sequence[str], domain: str, settings: AnalysisSettings) -> None:
    greatest = frame[list(scores)].abs().max()
    low, high = str(greatest.idxmin()), str(greatest.idxmax())
    shares = greatest[low] <= 1 < 1.5 <= greatest[high] and measure_in(low) in _OF_ANYTHING
    far = greatest[high] > MOST_ON_ONE_SCALE * max(greatest[low], 1e-12)
    if greatest[low] > 0 and (far or (shares and bool((frame[low].dropna() % 1 != 0).any()))):
        near = [c for c in scores if greatest[c] * MOST_ON_ONE_SCALE > greatest[high] and (greatest[c] > 1) >= shares]
        rest = [c for c in scores if c not in near]
        ways = [settings.command(score=",".join(columns)) for columns in (rest, near) if len(columns) > 1]
        raise DataError(
            f"the columns of {domain} must be on one scale, got {low} up to {greatest[low]:g} and {high} up to "
            f"{greatest[high]:g}. Leave the others out: " + ("  or: ".join(ways) or f"--exclude task={high}")
        )


def melt(
    frame: pd.DataFrame, roles: dict[str, str | None], columns: Sequence[str], scores: Sequence[str], kind: str
) -> tuple[pd.DataFrame, str, tuple[str, ...]]:
    """A wide table as a long one, the column of its values, and what to say of it. columns: those without a role;
    kind: the measure of all these scores, or empty."""
    numbers = set(frame.select_dtypes("number").columns)
    across, row = ("task", "model" if roles["model"] else "condition") if not roles["task"] else ("model", "task")
    taken = str(roles[row])
    table = frame[list(scores)].to_numpy(dtype=np.float64, na_value=np.nan)
    others = [c for c in columns if c not in {*scores, taken}]
    described = others if frame[taken].is_unique else [c for c in others if c in numbers]  # a row's own licence, size
    gone = [c for c in frame.columns if c in numbers and c not in columns and c not in roles.values()]
    keep = frame.drop(columns={*scores, *described, *gone, across} - {taken}, errors="ignore")
    keep = keep.rename(columns={taken: row})
    long = keep.loc[keep.index.repeat(len(scores))].reset_index(drop=True)
    value = kind or ("accuracy" if across == "task" and all(map(is_benchmark, scores)) else "score")
    long = long.assign(**{across: np.tile(np.array(scores, dtype=object), len(frame)), value: table.ravel()})
    shown = listed(scores, most=6)
    turned = f" (--condition {taken} compares the rows)" if across == "model" else ""
    notes = [f"wide table: {len(scores)} columns are {across}s ({shown}), one row a {row}{turned}"]
    described.sort(key=lambda c: c not in numbers)
    notes += [f"no scores: {listed(described, most=6)}"] if described else []
    return long, value, tuple(notes)


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
