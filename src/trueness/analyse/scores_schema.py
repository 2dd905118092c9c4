"""Which column is what: detected by usual names, said to the reader, overruled by settings.

    roles     model, condition, task, repeat, extraction
    outcome   what a run scored: the one of these that most rows have, of equals the first
              pass_count, fail_count            failure = fail / (pass + fail)
              auto_score, scored_rules          failure = 1 - auto_score / scored_rules
              measure, value                    a long table: one measure of it
              failure_rate, score, correct ...  one column
              *_pass, *_rate, *_verdict         failure = 1 - mean over the rules that were scored

Counts come before stored rates: a rounded rate breaks ties, a count does not. A column that is empty is not there.
"""

from __future__ import annotations

import re
from dataclasses import dataclass, replace
from typing import Literal

import pandas as pd
from pandas.api.types import is_numeric_dtype

from trueness.analyse.analysis_settings import AnalysisSettings, nearest
from trueness.analyse.shapes import melt, only_score, with_verdicts, without_summaries
from trueness.errors import DataError, listed
from trueness.texts import counted

OutcomeKind = Literal["counts", "score of rules", "long table", "column", "rules"]

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
        "subject", "aufgabe", "tarea", "tâche",
    ),
    "repeat": ("rep", "repeat", "repetition", "replicate", "epoch", "trial", "run", "attempt", "iteration", "seed"),
    "extraction": ("extraction_ok", "json_valid", "parse_ok", "parsed", "parsed_ok", "valid"),
}  # fmt: skip
OPTIONS = {"condition": "--condition", "model": "--unit", "task": "--unit, --cluster"}
LONG = ("item", "variant", "respondent", "measure", "value", "status")  # of a study of ours
MEASURES, MEASURED = ("measure", "metric", "metric_name"), ("value", "score", "metric_value", "result")
COUNTS = (("pass_count", "fail_count"), ("passed", "failed"), ("n_pass", "n_fail"), ("passes", "fails"))
ABSENT_COUNTS = ("absent_count", "absent", "n_absent", "skipped")
TOTALS = (("auto_score", "scored_rules"), ("score", "max_score"), ("points", "max_points"), ("n_correct", "n_total"))
COUNTED = (
    ("correct", "total"), ("num_correct", "total"), ("num_correct", "num_total"), ("passed", "total"), ("correct", "n"),
    ("score", "out_of"), ("score", "total"), ("points", "total"), ("hits", "total"),
)  # fmt: skip  # where they are counts: some above 1, none above its total
FAILURES = ("failure_rate", "error_rate", "fail_rate")
SCORES = (
    "score", "pass_rate", "accuracy", "acc", "correct", "is_correct", "success", "passed", "pass", "exact_match",
    "reward", "value", "f1", "result",
)  # fmt: skip
CHOICES = ("winner", "preference", "preferred", "choice")  # of two answers, in one row
RULE_ENDINGS = ("_pass", "_passed", "_verdict", "_rate", "_ok")
ALL = "(all)"  # the condition of a table that has none
FEW = 6  # conditions whose pairs are all compared (roles.MOST_PAIRS)
_SETTING = re.compile(r"(temperature|top_?[pk]|.*shots?\b|num_fewshot|seed|max_tokens)$", re.I)  # names no items
MANY = 20  # values beyond which a column such as `prompt` holds items, not conditions


@dataclass(frozen=True)
class OutcomeColumns:
    """Where a run's score comes from."""

    kind: OutcomeKind
    columns: tuple[str, ...]
    absent: str | None = None  # the column that counts absent rules

    @property
    def formula(self) -> str:
        if self.kind == "counts":
            return f"{self.columns[1]} / ({self.columns[0]} + {self.columns[1]})"
        if self.kind == "score of rules":
            return f"1 - {self.columns[0]} / {self.columns[1]}"
        if self.kind == "rules":
            return f"1 - mean of {len(self.columns)} rules"
        return self.columns[0]

    @property
    def of_protocol(self) -> bool:
        """As the published protocol has it: failure rates, questions RQ1 and RQ2."""
        return self.columns[:2] in (COUNTS[0], TOTALS[0])

    @property
    def of_study(self) -> bool:
        """A long table with a status a row, as our studies write it: its measures are ours."""
        return self.kind == "long table" and bool(self.columns[2])


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
    dropped: tuple[str, ...] = ()  # columns of a wide table that the settings exclude

    @property
    def roles(self) -> dict[str, str | None]:
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
    blank = frame.isna().all().to_numpy()
    empty = [str(column) for column in frame.columns[blank]]
    columns: dict[str, str] = {}
    for column in map(str, frame.columns[~blank]):
        columns.setdefault(_plain_name(column), column)
    roles = {role: _first(columns, names) for role, names in USUAL_NAMES.items()}
    others = [column for column in map(str, frame.columns[~blank]) if columns[_plain_name(column)] != column]
    guessed = [f"not read, beside columns of the same name: {listed(others, most=6)}"] if others else []
    if roles["condition"] and not settings.condition:
        _items_for_conditions(frame, roles, settings, guessed)
    of_study = all(name in columns for name in LONG)
    if not of_study:
        frame, sums = without_summaries(frame, roles)
        guessed += sums
    if of_study:
        roles = _long_roles(frame, columns)
        outcome = OutcomeColumns("long table", (columns["value"], columns["measure"], columns["status"]))
        rules: tuple[str, ...] = ()
    else:
        rules = _rules(frame, columns, roles)
        choice = _outcome(frame, columns, rules, settings, domain, guessed)
        if choice is None:
            rest = [c for c in columns.values() if c not in roles.values()]
            excluded = [value for column, value in settings.exclusions if column in ("task", "model")]
            if settings.condition in rest and not roles["model"]:  # the rows of a wide table are what is compared
                roles, frame = {**roles, "model": "model"}, frame.rename(columns={settings.condition: "model"})
                settings, rest = replace(settings, condition=None), [c for c in rest if c != settings.condition]
            frame = with_verdicts(frame, rest)
            compared = roles["model"] or roles["condition"]
            is_long = compared and (roles["task"] or frame[compared].duplicated().any())  # not one row a model
            score = only_score(frame, rest) if is_long else None
            wide = melt(frame, roles, rest, excluded, domain) if score is None else None
            if wide is None and score is None:
                raise DataError(
                    f"{domain} has no scores: looked for pass_count and fail_count, auto_score and scored_rules, "
                    f"{listed((*FAILURES, *SCORES), most=5)}, columns ending in {', '.join(RULE_ENDINGS)}; "
                    f"found {listed(frame.columns, most=12)}. {_way_out(columns)}"
                )
            if wide is not None:
                long, schema = detect(wide[0], settings, domain)
                dropped = tuple(column for column in rest if column in excluded)
                return long, replace(schema, guessed=(*guessed, *wide[1], *schema.guessed), dropped=dropped)
            choice = OutcomeColumns("column", (str(score),))
            guessed.append(f"{score}, the only column that can be a score")
        outcome = choice
    guessed += [f"empty and left out: {listed(empty, most=6)}"] if empty else []
    free = [c for c in columns.values() if c not in (*roles.values(), *outcome.columns, *rules)]
    if not (settings.condition or roles["condition"] or roles["model"]):
        frame = _with_a_condition(frame, free, roles, guessed)
    condition = _condition(frame, roles, settings, domain, guessed)
    model = roles["model"] if roles["model"] != condition else None
    task = roles["task"] if roles["task"] != condition else None
    if task is None and not settings.unit:
        keys = [c for c in (condition, model, roles["repeat"], *outcome.columns[1:2]) if c]
        keys = keys if outcome.kind == "long table" else [c for c in keys if c not in outcome.columns]
        task = next((c for c in free if c not in keys and _names_items(frame, c, keys)), None)
        if task:
            guessed.append(f"{task} names the tasks: each of its values stands once under every condition")
    if not of_study:
        guessed += _repeated(frame, [c for c in (condition, model, task, roles["repeat"]) if c], bool(roles["repeat"]))
    taken = (roles["extraction"], *outcome.columns[:1])
    rules = tuple(column for column in rules if column not in taken or outcome.kind == "rules")
    return frame, Schema(condition, model, task, roles["repeat"], roles["extraction"], rules, outcome, tuple(guessed))


def column_named(frame: pd.DataFrame, name: str, what: str, domain: str) -> str:
    """A column that a setting names."""
    if name in frame.columns:
        return name
    raise DataError(
        f"{what} {name!r} is not a column of {domain}.{nearest(name, map(str, frame.columns))} "
        f"It has: {listed(frame.columns, most=12)}."
    )


def _first(columns: dict[str, str], names: tuple[str, ...]) -> str | None:
    return next((columns[name] for name in names if name in columns), None)


def _way_out(columns: dict[str, str]) -> str:
    choice = _first(columns, CHOICES)
    if choice is None:
        return "Name one with --score."
    return f"{choice} chooses between two: write a row for each of them, with a score of 1, 0, or 0.5 for a tie."


def _plain_name(column: str) -> str:
    return re.sub(r"[\s-]+", "_", column.strip().lower())


def _items_for_conditions(
    frame: pd.DataFrame, roles: dict[str, str | None], settings: AnalysisSettings, guessed: list[str]
) -> None:
    """`prompt` is a way of asking in one table and the question itself in another: many values are questions, and so
    are more than there are models, where no other column names one and each model met each once."""
    column, model = roles["condition"], roles["model"]
    if column is None or {settings.baseline, settings.treatment} & set(frame[column].map(str)):
        return
    values = frame[column].nunique()
    met = model is not None and roles["task"] is None and not frame.duplicated([model, column]).any()
    if values <= (max(FEW, frame[model].nunique()) if met else MANY):
        return
    roles["condition"] = None
    if roles["task"] is None:
        roles["task"] = column
    guessed.append(f"{column} has {values} values: items, not conditions (--condition {column})")


def _with_a_condition(
    frame: pd.DataFrame, free: list[str], roles: dict[str, str | None], guessed: list[str]
) -> pd.DataFrame:
    """Without conditions and models by name: a column whose few values each task has; else all runs are one, unless
    a column of few texts leaves it to the user."""
    task = roles["task"]
    few = [c for c in free if 2 <= frame[c].nunique() <= FEW]
    crossed = [c for c in few if task and (frame.groupby(task)[c].nunique() == frame[c].nunique()).all()]
    if len(crossed) == 1:
        roles["condition"] = crossed[0]
        guessed.append(f"no column of conditions: the values of {crossed[0]}, which every {task} has, are compared")
    elif not crossed and not any(
        not is_numeric_dtype(frame[c].dtype) and 2 <= frame[c].nunique() <= MANY for c in free
    ):
        frame = frame.assign(**{ALL: "all runs"})
        roles["condition"] = ALL
    return frame


def _names_items(frame: pd.DataFrame, column: str, keys: list[str]) -> bool:
    """Whether each value stands once under every condition (and model, and repeat): then cells can be paired by it."""
    whole = is_numeric_dtype(frame[column].dtype) and not (frame[column].dropna() % 1 == 0).all()
    levels = frame[column].nunique()
    if whole or levels < 3 or _SETTING.match(column.strip()) or frame[column].isna().any():
        return False
    groups = frame.groupby(keys, dropna=False)[column]
    return bool(groups.ngroups > 1 and (groups.nunique() == levels).all() and (groups.size() == levels).all())


def _repeated(frame: pd.DataFrame, keys: list[str], has_repeats: bool) -> list[str]:
    """Rows that stand for the same run twice: each that repeats a repeat; else a few, where the others stand once."""
    again = int(frame.duplicated(keys).sum()) if len(keys) > 1 else 0
    if not again or not (has_repeats or 10 * again < len(frame)):
        return []
    return [f"{counted(again, 'row')} with the {listed(keys)} of another: counted as further runs"]


def _long_roles(frame: pd.DataFrame, columns: dict[str, str]) -> dict[str, str | None]:
    """In a study's table the variants are compared, or where there is one only, the respondents."""
    several = frame[columns["variant"]].nunique(dropna=False) > 1
    return {
        "condition": columns["variant" if several else "respondent"],
        "model": columns["respondent"] if several else None,
        "task": columns["item"],
        "repeat": columns.get("repeat"),
        "extraction": None,
    }


def _rules(frame: pd.DataFrame, columns: dict[str, str], roles: dict[str, str | None]) -> tuple[str, ...]:
    taken = {name for name in roles.values() if name}
    return tuple(
        column
        for lower, column in columns.items()
        if lower.endswith(RULE_ENDINGS) and column not in taken and lower not in (*FAILURES, *SCORES)
    )


def _outcome(
    frame: pd.DataFrame,
    columns: dict[str, str],
    rules: tuple[str, ...],
    settings: AnalysisSettings,
    domain: str,
    guessed: list[str],
) -> OutcomeColumns | None:
    if settings.score:
        return OutcomeColumns("column", (column_named(frame, settings.score, "the score", domain),))
    candidates = [
        OutcomeColumns("counts", (columns[a], columns[b]), _first(columns, ABSENT_COUNTS))
        for a, b in COUNTS
        if a in columns and b in columns
    ]
    totals = [(columns[a], columns[b]) for a, b in TOTALS if {a, b} <= set(columns)]
    totals += [
        (columns[a], columns[b])
        for a, b in COUNTED
        if {a, b} <= set(columns) and _are_counts(frame, columns[a], columns[b])
    ]
    candidates += [OutcomeColumns("score of rules", pair) for pair in totals]
    measure, value = _first(columns, MEASURES), _first(columns, MEASURED)
    if measure and value and is_numeric_dtype(frame[value].dtype):
        return OutcomeColumns("long table", (value, measure, columns.get("status", "")))
    scores = [columns[name] for name in (*FAILURES, *SCORES) if name in columns]
    candidates += [OutcomeColumns("column", (name,)) for name in scores[:1]]
    candidates += [OutcomeColumns("rules", rules)] if rules else []
    if not candidates:
        return None
    covered = [_rows_with(frame, outcome) for outcome in candidates]
    best = covered.index(max(covered))
    if candidates[best].kind == "column" and scores[1:]:
        guessed.append(f"scores that are not read (--score): {listed(scores[1:], most=6)}")
    if covered[best] > covered[0]:
        guessed.append(
            f"{candidates[0].formula} is known for {covered[0]} of {len(frame)} rows, {candidates[best].formula} for "
            f"{covered[best]}: the latter is taken"
        )
    return candidates[best]


def _are_counts(frame: pd.DataFrame, part: str, whole: str) -> bool:
    if not (is_numeric_dtype(frame[part].dtype) and is_numeric_dtype(frame[whole].dtype)):
        return False
    return bool(
        frame[part].max() > 1 and not (frame[part] > frame[whole]).any() and (frame[part].dropna() % 1 == 0).all()
    )


def _rows_with(frame: pd.DataFrame, outcome: OutcomeColumns) -> int:
    there = frame[list(outcome.columns)].notna()
    return int((there.any(axis=1) if outcome.kind == "rules" else there.all(axis=1)).sum())


def _condition(
    frame: pd.DataFrame, roles: dict[str, str | None], settings: AnalysisSettings, domain: str, guessed: list[str]
) -> str:
    if settings.condition:
        return column_named(frame, settings.condition, "the condition", domain)
    if roles["condition"] and (frame[roles["condition"]].nunique() > 1 or not roles["model"]):
        return roles["condition"]
    model = roles["model"]
    if model and frame[model].nunique() > 1:
        guessed.append(f"no column of conditions: the values of {model} are compared")
        return model
    if roles["condition"] or model:
        return str(roles["condition"] or model)
    raise DataError(
        f"{domain} has no column of conditions: looked for {listed(USUAL_NAMES['condition'], most=5)}; "
        f"found {listed(frame.columns, most=12)}. Name it with --condition."
    )
