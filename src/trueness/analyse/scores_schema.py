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
from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field, replace
from typing import Literal

import pandas as pd
from pandas.api.types import is_numeric_dtype

from trueness.analyse.analysis_settings import AnalysisSettings, nearest
from trueness.analyse.measure_names import better_of, is_average, measure_in, why_no_score
from trueness.analyse.shapes import (
    ITEMS,
    Candidates,
    candidates,
    check_one_scale,
    melt,
    names_of_rows,
    with_verdicts,
    without_summaries,
)
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
PARTS = {"domain", "category", "subject", "topic", "section", "chapter", "subset", "split", "suite", "dataset",
         "source", "file", "document", "environment", "env", "repo", "project", "area", "field", "part"}  # fmt: skip
MOST_WAYS = 4  # commands that a refusal offers
FEW = 6  # conditions whose pairs are all compared (roles.MOST_PAIRS)
_SETTING = re.compile(r"(temperature|top_?[pk]|.*shots?\b|num_fewshot|seed|max_tokens)$", re.I)  # names no items
MANY = 20  # values beyond which a column such as `prompt` holds items, not conditions


@dataclass(frozen=True)
class OutcomeColumns:
    """Where a run's score comes from."""

    kind: OutcomeKind
    columns: tuple[str, ...]
    absent: str | None = None  # the column that counts absent rules
    nameless: bool = False  # of a wide table whose columns name no measure

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
    apart: Mapping[str, str] = field(default_factory=dict)  # measures that are analysed apart -> --score of each

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
    named = () if settings.score is None else scores_named(frame, settings.score, domain)
    apart: Mapping[str, str] = {}
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
        by_rows = choice is not None and choice.kind == "column" and not named and _rows_are_compared(frame, roles)
        if choice is None or by_rows or len(named) > 1:
            rest = [c for c in columns.values() if c not in roles.values()]
            if settings.condition in rest and not roles["model"]:  # the rows of a wide table are what is compared
                roles, frame = {**roles, "model": "model"}, frame.rename(columns={settings.condition: "model"})
                settings, rest = replace(settings, condition=None), [c for c in rest if c != settings.condition]
            layout = _layout(frame, roles, rest, choice, named, settings, domain)
            apart = layout.apart
            guessed += layout.notes
            if layout.wide is not None:
                long, value, notes = layout.wide
                long, schema = detect(long, replace(settings, score=value), domain)
                dropped = tuple(column for column in rest if ("task", column) in settings.exclusions)
                dropped += tuple(column for column in rest if ("model", column) in settings.exclusions)
                outcome = replace(schema.outcome, nameless=layout.nameless)
                guessed = [*guessed, *notes, *schema.guessed]
                return long, replace(schema, guessed=tuple(guessed), dropped=dropped, apart=apart, outcome=outcome)
            frame, choice = layout.frame, OutcomeColumns("column", (layout.score,))
            settings = replace(settings, score=layout.score)
        outcome = choice
    guessed += [f"empty and left out: {listed(empty, most=6)}"] if empty else []
    free = [c for c in columns.values() if c not in (*roles.values(), *outcome.columns, *rules)]
    if settings.score and len(frame) > 2 and not (roles["condition"] or roles["model"] or roles["task"]):
        roles["task"] = None if settings.condition else names_of_rows(frame, free)
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
    if not of_study and not settings.unit and outcome.kind != "long table":
        keys = [c for c in (condition, model, roles["repeat"]) if c]
        frame, task = _with_whole_ids(frame, task, model, keys, free, settings, domain, guessed)
    if not of_study:
        keys = [c for c in (condition, model, task, roles["repeat"]) if c]
        measures = outcome.columns[1:2] if outcome.kind == "long table" else ()
        guessed += _repeated(frame, [*keys, *measures], bool(roles["repeat"]))
    taken = (roles["extraction"], *outcome.columns[:1])
    rules = tuple(column for column in rules if column not in taken or outcome.kind == "rules")
    return frame, Schema(
        condition, model, task, roles["repeat"], roles["extraction"], rules, outcome, tuple(guessed), apart=apart
    )


def scores_named(frame: pd.DataFrame, names: str, domain: str) -> tuple[str, ...]:
    """The columns that --score names: one, or several by commas."""
    parts = [names] if names in frame.columns else [part.strip() for part in names.split(",")]
    return tuple(column_named(frame, part, "the score", domain) for part in parts)


@dataclass(frozen=True)
class _Layout:
    """How a table is read whose score no usual name tells: `score` of one row a run, or `wide`, made long."""

    frame: pd.DataFrame
    score: str = ""
    wide: tuple[pd.DataFrame, str, tuple[str, ...]] | None = None
    nameless: bool = False
    apart: Mapping[str, str] = field(default_factory=dict)
    notes: tuple[str, ...] = ()


def _rows_are_compared(frame: pd.DataFrame, roles: dict[str, str | None]) -> bool:
    """One row a model or condition and no tasks: what is tested must lie in the columns."""
    keys = [c for c in (roles["model"], roles["condition"]) if c]
    return bool(keys) and not roles["task"] and len(frame) > 1 and not frame.duplicated(keys).any()


def _layout(
    frame: pd.DataFrame,
    roles: dict[str, str | None],
    rest: list[str],
    choice: OutcomeColumns | None,
    named: tuple[str, ...],
    settings: AnalysisSettings,
    domain: str,
) -> _Layout:
    excluded = [value for column, value in settings.exclusions if column in ("task", "model")]
    frame, flags = with_verdicts(frame, rest)
    keys = [c for c in (roles["model"] or roles["condition"], roles["task"]) if c]
    by_rows = _rows_are_compared(frame, roles)
    among_rows = [c for c in keys if c != roles["task"]]
    possible = candidates(frame, rest, excluded, among_rows and keys, flags)
    unread = set(possible.scores)
    if named:
        possible = Candidates(named, {c: "" for c in possible.others if is_average(c)})
    named_rows = None if among_rows else names_of_rows(frame, rest)
    groups = possible.groups if len(named) < 2 or not by_rows else {_shared_measure(named): named}
    scores, first = possible.scores, next(iter(possible.groups.values()), ())
    in_order = [",".join(columns) for columns in groups.values()]
    each = {key or "score": names for key, names in zip(groups, in_order, strict=True)}
    if choice is not None and not named and len(scores) < 2:
        return _Layout(frame, choice.columns[0])
    if not scores or (not keys and named_rows is None) or (roles["task"] and frame[roles["task"]].isna().any()):
        raise _no_score(frame, possible, settings, domain)
    if by_rows and max(map(len, groups.values())) < 2:
        if len(scores) > 1:
            check_one_scale(frame, scores, domain, settings)
            raise DataError(
                f"{domain} has one row a {keys[0]} and one value of each measure ({listed(scores)}): nothing can be "
                f"tested. Give a row for each task; or take them for tasks: {settings.command(score=','.join(scores))}"
            )
        return _Layout(frame, scores[0])
    if not by_rows and (among_rows or (len(scores) == 1 and measure_in(scores[0]))):
        measures = list(named) or [c for c in scores if measure_in(c)]
        wide = roles["model"] and not roles["task"] and len(groups) == 1 and len(scores) > 1
        if not wide:
            if not measures and len(scores) > 1 and not (roles["task"] and not roles["model"]):
                raise _several({c: c for c in scores}, settings, f"{domain} has several columns that can be it")
            if measures or len(scores) == 1:
                return _of_runs(frame, measures or list(scores), scores, settings, domain, bool(among_rows))
    if len(scores) < 2:
        raise _no_score(frame, possible, settings, domain)
    row = roles["task"] or named_rows
    if not by_rows and not among_rows and len(named) < 2:
        sizes = {key: len(columns) for key, columns in groups.items()}
        alone = [key for key, size in sizes.items() if size == 1 and measure_in(groups[key][0])]
        unknown = [key for key, size in sizes.items() if size == 1 and key not in alone]
        if len(alone) + len(unknown) == len(groups) and (len(alone) > 1 or not unknown):
            measures = [groups[key][0] for key in alone]
            return _of_runs(frame, measures, scores, settings, domain, compared=False)
        if alone or unknown:
            raise _several(each, settings, f"{domain} has scores of several kinds")
    columns = first if len(named) < 2 else named
    for group in groups.values():
        check_one_scale(frame, group, domain, settings)
    kind = next(iter(groups))
    known = kind if kind and len(columns) > 1 else _shared_measure(columns)
    roles = {**roles, "task": row} if row else roles
    apart = each if len(groups) > 1 else {}
    wide_table = melt(frame, roles, [c for c in rest if c not in unread - set(columns)], columns, known)
    return _Layout(frame, wide=wide_table, nameless=wide_table[1] == "score" and known != "score", apart=apart)


def _of_runs(
    frame: pd.DataFrame, measures: list[str], scores: Sequence[str], settings: AnalysisSettings, domain: str,
    compared: bool,
) -> _Layout:  # fmt: skip
    """One row a run: the measure, or each of several by itself."""
    score, values = measures[0], frame[measures[0]].dropna()
    if not (measure_in(score) or settings.score) and not (values.between(0, 100)).all():
        raise _no_score(frame, Candidates((), {score: "on a scale of its own"}), settings, domain)
    others = [c for c in scores if c not in measures]
    notes = [f"{score}, the only column that can be a score"] if compared and len(scores) == 1 else []
    notes += [f"scores that are not read (--score): {listed(others, most=6)}"] if others else []
    return _Layout(frame, score, apart={c: c for c in measures} if len(measures) > 1 else {}, notes=tuple(notes))


def _shared_measure(columns: Sequence[str]) -> str:
    kinds = {measure_in(c) for c in columns}
    return kinds.pop() if len(kinds) == 1 else ""


def _several(ways: Mapping[str, str], settings: AnalysisSettings, why: str) -> DataError:
    ways = dict(list(ways.items())[:MOST_WAYS])
    return DataError(f"{why}. Name the score: {'  or: '.join(settings.command(score=s) for s in ways.values())}")


def _no_score(frame: pd.DataFrame, possible: Candidates, settings: AnalysisSettings, domain: str) -> DataError:
    columns = {_plain_name(str(c)): str(c) for c in frame.columns}
    why = ""
    if possible.others:
        each = [f"{column} is {reason}" for column, reason in possible.others.items()]
        why = f" No scores: {listed(each, most=4)}; one is taken all the same by: "
        best = [c for c, reason in possible.others.items() if reason != "an id"] or list(possible.others)
        best = sorted(best, key=lambda column: better_of(column) is None)[:MOST_WAYS]
        why += "  or: ".join(settings.command(score=column) for column in best)
    return DataError(
        f"{domain} has no scores: looked for pass_count and fail_count, auto_score and scored_rules, "
        f"{listed((*FAILURES, *SCORES), most=5)}, columns ending in {', '.join(RULE_ENDINGS)}; "
        f"found {listed(frame.columns, most=12)}. {_way_out(columns, settings)}{why}"
    )


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


def _way_out(columns: dict[str, str], settings: AnalysisSettings) -> str:
    choice = _first(columns, CHOICES)
    if choice is None:
        return f"Name one: {settings.command(score='COLUMN')}."
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
        not is_numeric_dtype(frame[c].dtype) and 2 <= frame[c].nunique() <= MANY and not (task and frame[c].is_unique)
        for c in free
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


def _with_whole_ids(
    frame: pd.DataFrame, task: str | None, model: str | None, keys: list[str], free: list[str],
    settings: AnalysisSettings, domain: str, guessed: list[str],
) -> tuple[pd.DataFrame, str | None]:  # fmt: skip
    """Ids that start anew in each part of the table (1, 2, ... in each domain), completed by the column of the parts;
    refused where no column tells the parts apart."""
    for column in [task] if task else [c for c in free if ITEMS.match(c.strip())]:
        rows = frame.duplicated([*keys, column])
        number = _numbers_of_ids(frame[column])
        if not rows.any() or number is None:
            continue
        for part in (c for c in free if c != column and 2 <= frame[c].nunique() <= len(frame) / 4):
            sizes = frame.groupby([*keys, part, column], dropna=False).size()
            ids = number.groupby(frame[part]).agg(["min", "max", "nunique"])
            counted_up = (ids["max"] - ids["min"] + 1 == ids["nunique"]).all() and ids["min"].nunique() == 1
            uneven = ids["nunique"].nunique() > 1
            if sizes.nunique() > 1 or not ((counted_up and uneven) or _plain_name(part) in PARTS):
                continue
            whole = f"{part} / {column}"
            names = frame[part].astype("string") + " / " + frame[column].astype("string")
            guessed.append(f"{column} starts anew in each {part}: {names.nunique()} tasks named by both (--unit)")
            return frame.assign(**{whole: names}), whole
        if task and _start_anew(frame, number, keys):
            raise DataError(
                f"{domain} must name each task once, got a {task} that starts anew: low numbers stand more often than "
                f"high ones, in the same way for each {keys[0]}. Add the column that tells them apart; or average "
                f"equal numbers: {settings.command(unit=(*([model] if model else []), task))}"
            )
    return frame, task


def _numbers_of_ids(column: pd.Series) -> pd.Series | None:
    """The numbers of ids that count (7, q7, task_007); None where they are names."""
    parts = column.astype("string").str.extract(r"^(\D*)(\d+)$")
    if parts[1].isna().any() or parts[0].nunique() > 1 or parts[1].str.len().max() > 9:
        return None
    return parts[1].astype("int64")


def _start_anew(frame: pd.DataFrame, number: pd.Series, keys: list[str]) -> bool:
    """Without a column of repeats: some ids more often than others, the same ones under each condition, low first."""
    counts = frame.assign(**{ALL: number}).groupby([*keys, ALL]).size().unstack(ALL, fill_value=0).to_numpy()
    return bool((counts == counts[0]).all() and len(set(counts[0])) > 1 and (counts[0][1:] <= counts[0][:-1]).all())


def _repeated(frame: pd.DataFrame, keys: list[str], has_repeats: bool) -> list[str]:
    """Rows that stand for the same run twice: each that repeats a repeat; else a few, where the others stand once."""
    again = int(frame.duplicated(keys).sum()) if len(keys) > 1 else 0
    if again and not has_repeats and frame.groupby(keys, dropna=False).size().nunique() == 1:
        return [f"{again // (len(frame) - again) + 1} rows for each {', '.join(keys)}: counted as repeats"]
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
        if better_of(column) != "lower" and not why_no_score(column)  # no passes: errors, hallucinations, a setting
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
        return OutcomeColumns("column", scores_named(frame, settings.score, domain)[:1])
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
