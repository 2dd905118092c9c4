"""Which column is what. Five forms of tables are read; what has another form is refused with the command that reads it.

    one row per run       model, condition, task, repeat by the usual names or by the options, and an outcome:
        pass_count, fail_count            failure = fail / (pass + fail)
        auto_score, scored_rules          failure = 1 - auto_score / scored_rules
        score, correct, accuracy ...      one column; else the one whose name says a measure
        *_pass, *_rate, *_verdict         failure = 1 - mean over the rules that were scored
    a long table          measure, value: one measure of it
    a wide table          --score a,b,c: one row per model, a column per task; or one per task, a column per model
    our own               study, task, item, variant, respondent, repeat, measure, value, status
    a log                 loading.py makes a long table, or one row per run

Counts come before stored rates: a rounded rate breaks ties, a count does not. Of several outcomes the first of this
list is taken. A column that is empty is not there. What was concluded without a usual name is said.
"""

from __future__ import annotations

import re
from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass, replace

import numpy as np
import pandas as pd
from pandas.api.types import is_numeric_dtype

from trueness.analyse.analysis_settings import AnalysisSettings, nearest
from trueness.analyse.measure_names import better_of, is_benchmark, is_measure_alone, measure_in, why_no_score
from trueness.analyse.run_scores import OF_PROTOCOL, OutcomeColumns, are_verdicts, as_shares, numbers_beside_words
from trueness.errors import DataError, listed
from trueness.texts import counted

USUAL_NAMES = {
    "model": (
        "model", "model_name", "model_id", "llm", "respondent", "system", "engine", "provider", "modell", "modelo",
        "modèle",
    ),
    "condition": (
        "condition", "variant", "treatment", "arm", "format", "formulation", "prompt", "prompt_id", "prompt_name",
        "strategy", "setting", "group", "experiment", "method",
    ),
    "task": (
        "task", "item", "task_id", "question", "question_id", "problem", "problem_id", "sample_id", "sample", "doc_id",
        "case", "test", "example", "example_id", "instance_id", "test_case", "testcase", "benchmark", "dataset",
        "subject", "input", "user_input", "utterance", "sentence", "aufgabe", "tarea", "tâche",
    ),
    "repeat": ("rep", "repeat", "repetition", "replicate", "epoch", "trial", "run", "attempt", "iteration", "seed"),
    "extraction": ("extraction_ok", "json_valid", "parse_ok", "parsed", "parsed_ok", "valid"),
}  # fmt: skip
OPTIONS = {"condition": "--condition", "model": "--unit", "task": "--unit, --cluster"}
LONG = ("item", "variant", "respondent", "measure", "value", "status")  # of a study of ours
MEASURES, MEASURED = ("measure", "metric", "metric_name"), ("value", "score", "metric_value", "result")
COUNTS = (OF_PROTOCOL[0], ("passed", "failed"), ("n_pass", "n_fail"), ("passes", "fails"))
ABSENT_COUNTS = ("absent_count", "absent", "n_absent", "skipped")
TOTALS = (
    OF_PROTOCOL[1], ("score", "max_score"), ("points", "max_points"), ("n_correct", "n_total"),
    ("correct", "total"), ("num_correct", "total"), ("num_correct", "num_total"), ("passed", "total"), ("correct", "n"),
    ("score", "out_of"), ("score", "total"), ("points", "total"), ("hits", "total"),
)  # fmt: skip  # but for the first they must be counts: some above 1, none above its total
FAILURES = ("failure_rate", "error_rate", "fail_rate")
SCORES = (
    "score", "pass_rate", "accuracy", "acc", "correct", "is_correct", "success", "passed", "pass", "exact_match",
    "reward", "value", "f1", "result", "outcome", "verdict",
)  # fmt: skip
RULE_ENDINGS = ("_pass", "_passed", "_verdict", "_rate", "_ok")
ALL = "(all)"  # the condition of a table that has none
PARTS = {"domain", "category", "subject", "topic", "section", "chapter", "subset", "split", "suite", "dataset",
         "source", "file", "document", "environment", "env", "repo", "project", "area", "field", "part"}  # fmt: skip
MOST_WAYS = 4  # commands that a refusal offers
MANY = 20  # values beyond which a column such as `prompt` holds items, not conditions
_SUMS = {"average", "avg", "overall", "total", "grand total", "macro avg", "micro avg", "weighted avg", "gesamt",
         "insgesamt", "durchschnitt", "mittelwert", "moyenne", "promedio"}  # fmt: skip
_PERHAPS = {"mean", "median", "sum", "summe", "std", "stdev", "sd"}
_IDS = ("id", "idx", "index", "nr", "number")
_OF_ANYTHING = {"", "accuracy", "score", "pass", "success", "rating", "reward"}  # shares of right answers, or points
MOST_ON_ONE_SCALE = 20.0  # between the greatest values of two columns of one table
Roles = dict[str, str | None]


@dataclass(frozen=True)
class Schema:
    """Columns by role; None where there is no such column."""

    condition: str
    model: str | None
    task: str | None
    repeat: str | None
    extraction: str | None
    rules: tuple[str, ...]  # columns with one verdict each
    outcome: OutcomeColumns
    guessed: tuple[str, ...] = ()  # what was concluded without a usual name, in words

    @property
    def roles(self) -> Roles:
        names = ("condition", "model", "task", "repeat", "extraction")
        return {name: getattr(self, name) for name in names}

    @property
    def words(self) -> str:
        """Which column was taken for what, and the option that changes it."""
        parts = [
            f"{role} = {column}{f' ({OPTIONS[role]})' if role in OPTIONS else ''}"
            for role, column in self.roles.items()
            if column
        ]
        option = "--measure" if self.outcome.kind == "long table" else "--score"
        return ", ".join([*parts, f"score = {' / '.join(self.outcome.columns[:2])} ({option})"])


def detect(frame: pd.DataFrame, settings: AnalysisSettings, domain: str) -> tuple[pd.DataFrame, Schema]:
    """The table, made long where it is wide, and its schema; DataError says what was looked for and what is there."""
    columns, notes = _columns_by_name(frame)
    if set(LONG) <= set(columns):
        return frame, _of_study(frame, columns, notes)
    roles = {role: _first(columns, names) for role, names in USUAL_NAMES.items()}
    said = settings.condition or settings.baseline or settings.treatment
    if roles["condition"] and not said and frame[roles["condition"]].nunique() > MANY:
        column = roles["condition"]  # `prompt` is a way of asking in one table and the question itself in another
        roles |= {"condition": None, "task": roles["task"] or column}
        notes.append(f"{column} has {frame[column].nunique()} values: items, not conditions (--condition {column})")
    frame = _without_sums(frame, roles, notes)
    rest = [c for c in columns.values() if c not in roles.values()]
    numbers, words = numbers_beside_words(frame, rest)
    texts, frame = frame[list(numbers)], frame.assign(**numbers)
    named = scores_named(frame, settings.score, domain) if settings.score else ()
    notes += [words[c] for c in named if c in words]
    if len(named) > 1:
        long, schema = _of_wide(frame, roles, rest, named, settings, domain)
        return long, replace(schema, guessed=(*notes, *schema.guessed))
    rules = tuple(c for plain, c in columns.items() if c in rest and _is_rule(plain))
    outcome = OutcomeColumns("column", named) if named else _outcome(frame, columns, rules, notes)
    if outcome is None:
        outcome = OutcomeColumns("column", (_only_measure(frame, roles, rest, settings, domain, notes),))
    frame = frame.assign(**texts.drop(columns=[*outcome.columns, *rules], errors="ignore"))  # names stay names
    notes += [words[c] for c in outcome.columns if c in words and not named]
    frame, condition = _condition(frame, roles, [c for c in rest if c not in outcome.columns], settings, domain, notes)
    model, task = (roles[role] if roles[role] != condition else None for role in ("model", "task"))
    measures = outcome.columns[1:2] if outcome.kind == "long table" else ()
    keys = [c for c in (condition, model, roles["repeat"], *measures) if c]
    free = [c for c in rest if c not in (condition, *outcome.columns, *rules)]
    if task is None and not settings.unit:
        task = next((c for c in free if _plain_name(c) in _IDS and not frame[c].is_unique), None)
    if task and not settings.unit and outcome.kind != "long table":
        _check_ids(frame, task, model, keys, free, settings, domain)
    keys += [task] if task else []
    again = int(frame.duplicated(keys).sum()) if len(keys) > 1 else 0
    notes += [f"{counted(again, 'row')} with the {listed(keys)} of another: counted as further runs"] if again else []
    taken = (roles["extraction"], *outcome.columns[:1])
    rules = tuple(column for column in rules if column not in taken or outcome.kind == "rules")
    return frame, Schema(condition, model, task, roles["repeat"], roles["extraction"], rules, outcome, tuple(notes))


def scores_named(frame: pd.DataFrame, names: str, domain: str) -> tuple[str, ...]:
    """The columns that --score names: one, or several by commas."""
    parts = [names] if names in frame.columns else [part.strip() for part in names.split(",")]
    return tuple(column_named(frame, part, "the score", domain) for part in parts)


def column_named(frame: pd.DataFrame, name: str, what: str, domain: str) -> str:
    """A column that a setting names."""
    if name in frame.columns:
        return name
    raise DataError(
        f"{what} {name!r} is not a column of {domain}.{nearest(name, map(str, frame.columns))} "
        f"It has: {listed(frame.columns, most=12)}."
    )


def _columns_by_name(frame: pd.DataFrame) -> tuple[dict[str, str], list[str]]:
    """Plain name -> column, without empty columns; and what is left out, in words."""
    blank = frame.isna().all().to_numpy()
    empty, filled = (list(map(str, frame.columns[mask])) for mask in (blank, ~blank))
    columns: dict[str, str] = {}
    for column in filled:
        columns.setdefault(_plain_name(column), column)
    others = [column for column in filled if columns[_plain_name(column)] != column]
    notes = [f"not read, beside columns of the same name: {listed(others, most=6)}"] if others else []
    return columns, notes + ([f"empty and left out: {listed(empty, most=6)}"] if empty else [])


def _plain_name(column: str) -> str:
    return re.sub(r"[\s-]+", "_", column.strip().lower())


def _first(columns: Mapping[str, str], names: Iterable[str]) -> str | None:
    return next((columns[name] for name in names if name in columns), None)


# ---- rows that are no runs


def _without_sums(frame: pd.DataFrame, roles: Roles, notes: list[str]) -> pd.DataFrame:
    """A row "Total" or "Average" is no run, nor is one of that name, or "Mean", without a model, condition or task."""
    names = [c for c in (roles["condition"], roles["model"], roles["task"]) if c]
    texts = frame[list(dict.fromkeys([str(frame.columns[0]), *names]))].select_dtypes(exclude="number")
    words = texts.apply(lambda column: column.astype("string").str.strip("*: ").str.casefold())
    perhaps = words.isin(_SUMS | _PERHAPS).any(axis=1) & frame[names].isna().any(axis=1)
    sums = perhaps | words.drop(columns=roles["condition"] or [], errors="ignore").isin(_SUMS).any(axis=1)
    if not sums.any() or sums.all():
        return frame
    labels = listed([str(label) for label in frame[sums].iloc[:, 0].fillna("(none)").unique()], most=4)
    notes.append(f"{counted(int(sums.sum()), 'row')} of sums or averages left out ({labels})")
    runs: pd.DataFrame = frame[~sums]
    return runs.reset_index(drop=True)


# ---- the score of a run


def _of_study(frame: pd.DataFrame, columns: Mapping[str, str], notes: Sequence[str]) -> Schema:
    """In a study's table the variants are compared, or where there is one only, the respondents."""
    several = frame[columns["variant"]].nunique(dropna=False) > 1
    condition, model = (columns["variant"], columns["respondent"]) if several else (columns["respondent"], None)
    outcome = OutcomeColumns("long table", (columns["value"], columns["measure"], columns["status"]))
    return Schema(condition, model, columns["item"], columns.get("repeat"), None, (), outcome, tuple(notes))


def _outcome(
    frame: pd.DataFrame, columns: Mapping[str, str], rules: tuple[str, ...], notes: list[str]
) -> OutcomeColumns | None:
    """The outcome by the usual names; None where there is none."""
    measure, value = _first(columns, MEASURES), _first(columns, MEASURED)
    if measure and value and is_numeric_dtype(frame[value]):
        return OutcomeColumns("long table", (value, measure, columns.get("status", "")))
    counts, totals = (
        [(columns[a], columns[b]) for a, b in pairs if a in columns and b in columns] for pairs in (COUNTS, TOTALS)
    )
    scores = [columns[name] for name in (*FAILURES, *SCORES) if name in columns]
    possible = [OutcomeColumns("counts", pair, _first(columns, ABSENT_COUNTS)) for pair in counts]
    totals = [pair for pair in totals if pair == TOTALS[0] or _are_counts(*(frame[column] for column in pair))]
    possible += [OutcomeColumns("score of rules", pair) for pair in totals]
    possible += [OutcomeColumns("column", (name,)) for name in scores[:1]]
    possible += [OutcomeColumns("rules", rules)] if rules else []
    if not possible:
        return None
    best = possible[0]
    if best.kind == "column" and scores[1:]:
        notes.append(f"scores that are not read (--score): {listed(scores[1:], most=6)}")
    return best


def _is_rule(name: str) -> bool:
    """A column of passes: no errors, no hallucinations, no settings."""
    ends = name.endswith(RULE_ENDINGS) and name not in (*FAILURES, *SCORES)
    return ends and better_of(name) != "lower" and not why_no_score(name)


def _are_counts(part: pd.Series, whole: pd.Series) -> bool:
    numbers = is_numeric_dtype(part) and is_numeric_dtype(whole)
    return numbers and bool(part.max() > 1 and not (part > whole).any())


def _only_measure(
    frame: pd.DataFrame, roles: Roles, rest: Sequence[str], settings: AnalysisSettings, domain: str, notes: list[str]
) -> str:
    """The one column whose name says a measure; where there is none, or several, the commands that name one."""
    reasons = {c: why_no_score(c) for c in rest if is_numeric_dtype(frame[c]) or are_verdicts(frame[c])}
    possible = [c for c, reason in reasons.items() if not reason]
    measures = [c for c in possible if measure_in(c)]
    of_runs = bool(roles["task"] and roles["model"])
    if len(measures) == 1 and (of_runs or len(possible) == 1 or is_measure_alone(measures[0])):
        others = [c for c in possible if c not in measures]
        notes += [f"no measure by their names, not read (--score): {listed(others)}"] if others else []
        return measures[0]
    groups: dict[str, list[str]] = {}  # by measure: two measures are never averaged
    for column in () if of_runs else possible:
        kind = "" if measure_in(column) in _OF_ANYTHING else measure_in(column)
        groups.setdefault(column if is_measure_alone(column) else kind, []).append(column)
    ways = [",".join(columns) for columns in groups.values()] or measures or possible
    ways = ways or sorted(reasons, key=lambda c: (reasons[c] == "an id", better_of(c) is None)) or ["COLUMN"]
    each = [f"{column} is {reason}" for column, reason in reasons.items() if reason]
    raise DataError(
        f"{domain} has no scores: looked for pass_count and fail_count, auto_score and scored_rules, "
        f"{listed((*FAILURES, *SCORES), most=5)}, columns ending in {', '.join(RULE_ENDINGS)}; "
        f"found {listed(frame.columns, most=12)}. {f'No scores: {listed(each, most=4)}. ' if each else ''}"
        f"Name the score{'' if measures else ', with --lower-is-better where it is'}: {_ways(settings, 'score', ways)}"
    )


def _ways(settings: AnalysisSettings, option: str, values: Iterable[object]) -> str:
    return "  or: ".join(settings.command(**{option: value}) for value in [*values][:MOST_WAYS])


def _of_wide(
    frame: pd.DataFrame, roles: Roles, rest: Sequence[str], scores: tuple[str, ...], settings: AnalysisSettings,
    domain: str,
) -> tuple[pd.DataFrame, Schema]:  # fmt: skip
    """A table whose columns are the tasks of its models, or the models of its tasks, made long."""
    if roles["model"] and roles["task"]:
        ways = _ways(settings, "score", scores)
        raise DataError(f"{domain} must have one score per model and task, got {listed(scores)}. Name one: {ways}")
    across, row, taken = "model", "task", roles["task"] or _row_names(frame, rest)
    if not roles["task"] and settings.condition in rest and not roles["model"]:  # the rows are what is compared
        across, row, taken, settings = "task", "model", settings.condition, replace(settings, condition=None)
    elif not roles["task"] and (roles["model"] or roles["condition"]):
        across, row, taken = "task", "model" if roles["model"] else "condition", roles["model"] or roles["condition"]
    if taken is None:
        raise DataError(f"{domain} must name its rows in a column, got none whose values differ. Add a column model.")
    parts = {c: frame[c] if is_numeric_dtype(frame[c]) else as_shares(frame[c], c)[0] for c in scores}
    values = pd.DataFrame(parts, frame.index).astype("float64")
    _check_one_scale(values.abs().max(), settings)
    kinds = {measure_in(c) for c in scores}
    kind = kinds.pop() if len(kinds) == 1 else ""
    value = kind or ("accuracy" if across == "task" and all(map(is_benchmark, scores)) else "score")
    kept = dict.fromkeys(c for c in (taken, *roles.values(), settings.condition) if c in frame)
    long = frame[list(kept)].rename(columns={taken: row})
    long = long.loc[long.index.repeat(len(scores))].reset_index(drop=True)
    names = np.tile(np.array(scores, dtype=object), len(frame))
    long = long.assign(**{across: names, value: values.to_numpy().ravel()})
    long, schema = detect(long, replace(settings, score=value), domain)
    others = [c for c in rest if c not in (*scores, taken)]
    notes = [f"wide table: {len(scores)} columns are {across}s ({listed(scores)}), one row a {row}"]
    notes += [f"no scores: {listed(others)}"] if others else []
    outcome = replace(schema.outcome, nameless=value == "score" != kind)
    return long, replace(schema, guessed=(*notes, *schema.guessed), outcome=outcome)


def _row_names(frame: pd.DataFrame, columns: Sequence[str]) -> str | None:
    """The column that names what each row is of: texts, or numbers under a usual name, none twice."""
    unique = [c for c in columns if frame[c].is_unique]
    return next((c for c in unique if not is_numeric_dtype(frame[c]) or why_no_score(c) == "an id"), None)


def _check_one_scale(greatest: pd.Series, settings: AnalysisSettings) -> None:
    low, high = greatest.min(), greatest.max()
    shares = low <= 1 < 1.5 <= high
    if low > 0 and (high > MOST_ON_ONE_SCALE * low or shares):
        near = greatest > 1 if shares else greatest * MOST_ON_ONE_SCALE > high
        ways = _ways(settings, "score", [",".join(greatest.index[side]) for side in (~near, near)])
        got = f"{greatest.idxmin()} up to {low:g} and {greatest.idxmax()} up to {high:g}"
        raise DataError(f"columns must be on one scale, got {got}. Name those of one: {ways}")


# ---- who is compared, on what


def _condition(
    frame: pd.DataFrame, roles: Roles, free: Sequence[str], settings: AnalysisSettings, domain: str, notes: list[str]
) -> tuple[pd.DataFrame, str]:
    """The column whose values are compared. Without conditions and models all runs are one, unless there is a column of
    few texts: then the user says."""
    if settings.condition:
        return frame, column_named(frame, settings.condition, "the condition", domain)
    condition, model = roles["condition"], roles["model"]
    if condition and (frame[condition].nunique() > 1 or not model):
        return frame, condition
    if model:
        notes += [f"no column of conditions: the values of {model} are compared"] if frame[model].nunique() > 1 else []
        return frame, model if not condition or frame[model].nunique() > 1 else condition
    roles["task"] = roles["task"] or (_row_names(frame, free) if len(frame) > 2 else None)
    texts = [c for c in free if not is_numeric_dtype(frame[c]) and not (roles["task"] and frame[c].is_unique)]
    few = [c for c in texts if 2 <= frame[c].nunique() <= MANY]
    if few:
        raise DataError(
            f"{domain} has no column of conditions: looked for {listed(USUAL_NAMES['condition'], most=5)}; "
            f"found {listed(frame.columns, most=12)}. Name it: {_ways(settings, 'condition', few)}"
        )
    return frame.assign(**{ALL: "all runs"}), ALL


def _check_ids(
    frame: pd.DataFrame, task: str, model: str | None, keys: Sequence[str], free: Sequence[str],
    settings: AnalysisSettings, domain: str,
) -> None:  # fmt: skip
    """Ids that start anew (1, 2, ... in each subject) name no task alone: a column with a usual name of parts completes
    them, or some stand more often than others, under each condition alike."""
    if not frame.duplicated([*keys, task]).any():
        return
    parts = [
        c
        for c in free
        if 2 <= frame[c].nunique() <= len(frame) / 4 and frame.groupby(task)[c].nunique().max() > 1
        if frame.groupby([*keys, c, task], dropna=False).size().nunique() == 1
    ]
    parts.sort(key=lambda c: _plain_name(c) not in PARTS)
    counts = frame.groupby([*keys, task], dropna=False).size().unstack(task, fill_value=0).to_numpy()
    if any(_plain_name(c) in PARTS for c in parts) or ((counts == counts[0]).all() and len(set(counts[0])) > 1):
        ways = [(*([model] if model else []), *more, task) for more in (*((c,) for c in parts[:1]), ())]
        raise DataError(
            f"{domain} must name each task once, got a {task} that starts anew. Name the column that tells them apart "
            f"domain, or say what is averaged: {_ways(settings, 'unit', ways)}"
        )
