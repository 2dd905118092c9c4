"""Which column is what: detected by usual names, said to the reader, overruled by settings.

    roles     model, condition, task, repeat, extraction
    outcome   what a run scored, the first of these that is there:
              pass_count, fail_count            failure = fail / (pass + fail)
              auto_score, scored_rules          failure = 1 - auto_score / scored_rules
              measure, value, status            the long table of an Trueness study
              failure_rate, score, correct ...  one column
              *_pass, *_rate, *_verdict         failure = 1 - mean over the rules that were scored

Counts come before stored rates: a rounded rate breaks ties, a count does not.
"""

from __future__ import annotations

from dataclasses import dataclass
from typing import Literal

import pandas as pd

from trueness.analyse.settings import Settings, nearest
from trueness.errors import DataError, listed

OutcomeKind = Literal["counts", "score of rules", "long table", "column", "rules"]

USUAL_NAMES = {
    "model": ("model", "model_name", "model_id", "llm", "respondent", "system", "engine", "provider"),
    "condition": (
        "condition", "variant", "treatment", "arm", "format", "formulation", "prompt", "prompt_id", "prompt_name",
        "strategy", "setting", "group", "experiment", "method",
    ),
    "task": (
        "task", "item", "task_id", "question", "question_id", "problem", "problem_id", "sample_id", "sample", "doc_id",
        "case", "test", "example", "example_id", "instance_id",
    ),
    "repeat": ("rep", "repeat", "repetition", "replicate", "epoch", "trial", "run", "attempt", "iteration", "seed"),
    "extraction": ("extraction_ok", "json_valid", "parse_ok", "parsed", "parsed_ok", "valid"),
}  # fmt: skip
LONG = ("item", "variant", "respondent", "measure", "value", "status")
COUNTS = (("pass_count", "fail_count"), ("passed", "failed"), ("n_pass", "n_fail"), ("passes", "fails"))
ABSENT_COUNTS = ("absent_count", "absent", "n_absent", "skipped")
TOTALS = (("auto_score", "scored_rules"), ("score", "max_score"), ("points", "max_points"), ("n_correct", "n_total"))
FAILURES = ("failure_rate", "error_rate", "fail_rate")
SCORES = (
    "score", "pass_rate", "accuracy", "acc", "correct", "is_correct", "success", "passed", "pass", "exact_match",
    "reward", "value", "f1", "result",
)  # fmt: skip
RULE_ENDINGS = ("_pass", "_passed", "_verdict", "_rate", "_ok")


@dataclass(frozen=True)
class Outcome:
    """Where a run's score comes from. `higher_is_better` is None for failures, which are shares."""

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


@dataclass(frozen=True)
class Schema:
    """Columns by role; None where there is no such column."""

    condition: str
    model: str | None
    task: str | None
    repeat: str | None
    extraction: str | None
    rules: tuple[str, ...]  # columns with one verdict each
    outcome: Outcome
    guessed: tuple[str, ...] = ()  # what was concluded without a usual name, in words

    @property
    def roles(self) -> dict[str, str | None]:
        return {
            "condition": self.condition,
            "model": self.model,
            "task": self.task,
            "repeat": self.repeat,
            "extraction": self.extraction,
        }


def detect(frame: pd.DataFrame, settings: Settings, domain: str) -> Schema:
    """The schema of one table; DataError says which names were looked for and which columns there are."""
    columns = {str(column).strip().lower(): str(column) for column in frame.columns}
    roles = {role: _first(columns, names) for role, names in USUAL_NAMES.items()}
    guessed: list[str] = []
    if all(name in columns for name in LONG):
        roles = _long_roles(frame, columns)
        outcome = Outcome("long table", (columns["value"], columns["measure"], columns["status"]))
        rules: tuple[str, ...] = ()
    else:
        rules = _rules(columns, roles)
        outcome = _outcome(frame, columns, rules, settings, domain)
    condition = _condition(frame, roles, settings, domain, guessed)
    model = roles["model"] if roles["model"] != condition else None
    task = roles["task"] if roles["task"] != condition else None
    rules = tuple(
        column
        for column in rules
        if column not in (roles["extraction"], *outcome.columns[:1]) or outcome.kind == "rules"
    )
    return Schema(condition, model, task, roles["repeat"], roles["extraction"], rules, outcome, tuple(guessed))


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


def _rules(columns: dict[str, str], roles: dict[str, str | None]) -> tuple[str, ...]:
    taken = {name for name in roles.values() if name}
    return tuple(
        column
        for lower, column in columns.items()
        if lower.endswith(RULE_ENDINGS) and column not in taken and lower not in (*FAILURES, *SCORES)
    )


def _outcome(
    frame: pd.DataFrame, columns: dict[str, str], rules: tuple[str, ...], settings: Settings, domain: str
) -> Outcome:
    if settings.score:
        return Outcome("column", (column_named(frame, settings.score, "the score", domain),))
    for passes, fails in COUNTS:
        if passes in columns and fails in columns:
            return Outcome("counts", (columns[passes], columns[fails]), _first(columns, ABSENT_COUNTS))
    for score, total in TOTALS:
        if score in columns and total in columns:
            return Outcome("score of rules", (columns[score], columns[total]))
    single = _first(columns, (*FAILURES, *SCORES))
    if single:
        return Outcome("column", (single,))
    if rules:
        return Outcome("rules", rules)
    raise DataError(
        f"{domain} has no scores: looked for pass_count and fail_count, auto_score and scored_rules, "
        f"{listed((*FAILURES, *SCORES), most=5)}, columns ending in {', '.join(RULE_ENDINGS)}; "
        f"found {listed(frame.columns, most=12)}. Name one with --score."
    )


def _condition(
    frame: pd.DataFrame, roles: dict[str, str | None], settings: Settings, domain: str, guessed: list[str]
) -> str:
    if settings.condition:
        return column_named(frame, settings.condition, "the condition", domain)
    if roles["condition"]:
        return roles["condition"]
    model = roles["model"]
    if model and frame[model].nunique() > 1:
        guessed.append(f"no column of conditions: the values of {model} are compared")
        return model
    raise DataError(
        f"{domain} has no column of conditions: looked for {listed(USUAL_NAMES['condition'], most=5)}; "
        f"found {listed(frame.columns, most=12)}. Name it with --condition."
    )
