"""The tables of a population study: one line a respondent and mode, and tasks by respondents.

A respondent is a model in one mode: sampling, verbalised and next-token answers are different things and are never
averaged. Tasks of one survey share its respondents, its year and its wording: they are one cluster. Two intervals
answer two questions, and both are given wherever a mean is:

    over sources           t clustered by source, C - 1 degrees of freedom or fewer: what other surveys would show.
                           Of two or three surveys it leaves nearly everything open (t is 12.7 with one degree, 4.3
                           with two), because they cannot tell.
    given these sources    t over tasks: what other tasks of these same surveys would show. With the sources fixed it
                           errs on the long side, since differences between them count as noise of tasks.

The mean of `score` leaves out the uninformative tasks and says how many; the means of the skills are over raw values,
those below 0 included, and that against the marginal over the tasks that have a dependence to know.
"""

from __future__ import annotations

from collections import Counter
from collections.abc import Sequence

import numpy as np
import pandas as pd

from trueness.errors import listed
from trueness.measure import direction
from trueness.outside import Json
from trueness.reading.distribution import OFF_SUM
from trueness.showing import theme
from trueness.showing.tables import Column, Table
from trueness.statistics import Comparison, Estimate, mean
from trueness.statistics.multiplicity import differences_in_pairs
from trueness.statistics.reach import Reach
from trueness.statistics.result import interval_cells
from trueness.status import Status
from trueness.studies.population.answers import Populations
from trueness.studies.population.scores import MEASURES, POSSIBLE, TaskScore
from trueness.texts import counted

FEW_SOURCES = 6  # below it an interval over sources is of little use, and its level not held (statistics/estimates.py)
_NEEDS_DEPENDENCE = ("skill_marginal", "skill_d2_marginal", "direction", "change")
MEANS = ("score", "score_original", "score_document", "skill_uniform", "skill_marginal", "tv")


def label(respondent: str, mode: str) -> str:
    """Who it is in a table: a model in one mode."""
    return f"{respondent} ({mode})" if mode else respondent


def respondent_means(
    scores: Sequence[TaskScore], measure: str = "score", given_sources: bool = False
) -> dict[str, Estimate]:
    """Respondent -> its mean over the tasks, with the interval over sources, or over tasks given these sources."""
    values: dict[str, tuple[list[float], list[str]]] = {}
    for score in scores:
        numbers, sources = values.setdefault(label(score.respondent, score.mode), ([], []))
        numbers.append(_score_value(score, measure))
        sources.append(score.source)
    return {
        name: mean(numbers, clusters=None if given_sources else sources, name=measure, bounds=POSSIBLE[measure])
        for name, (numbers, sources) in values.items()
    }


def compare_respondents(
    scores: Sequence[TaskScore], measure: str = "score", given_sources: bool = False
) -> list[Comparison]:
    """All pairs of respondents on the tasks both have a value on, Holm-adjusted; clustered by source, or over the tasks
    of these sources, which says nothing of other surveys."""
    values = {(label(one.respondent, one.mode), one.task): _score_value(one, measure) for one in scores}
    names, source_of = dict.fromkeys(name for name, _ in values), {one.task: one.source for one in scores}
    columns = {name: [values.get((name, task), np.nan) for task in source_of] for name in names}
    sources = None if given_sources else list(source_of.values())
    pairs = differences_in_pairs(columns, sources, bounds=POSSIBLE[measure])
    better = direction(measure)
    return [pair.described(measure=measure, units="tasks", clusters="sources", better=better) for pair in pairs]


def _score_value(score: TaskScore, measure: str) -> float:
    if measure in _NEEDS_DEPENDENCE and score.flat:
        return float("nan")
    return round(score.value(measure), 12)  # a skill of 1e-17 is one of 0: by rounding alone it would vary


def respondents(populations: Populations) -> list[tuple[str, str]]:
    """(respondent, mode) in the order of the plan; baselines last."""
    pairs = dict.fromkeys((score.respondent, score.mode) for score in populations.scores)
    order = {name: k for k, name in enumerate((*populations.models, *populations.references))}
    return sorted(pairs, key=lambda pair: order.get(pair[0], len(order)))


def summary_rows(populations: Populations) -> list[dict[str, Json]]:
    """One row a respondent and mode: what it answered, how well, and in which other way it had to be asked."""
    scores = populations.scores
    means = {measure: respondent_means(scores, measure) for measure in MEANS}
    within_sources = {measure: respondent_means(scores, measure, given_sources=True) for measure in MEANS}
    rows = []
    for respondent, mode in respondents(populations):
        theirs = [score for score in scores if (score.respondent, score.mode) == (respondent, mode)]
        replies = populations.replies_by_status(respondent, mode)
        row: dict[str, Json] = {
            "respondent": respondent,
            "mode": mode,
            "kind": "reference" if respondent in populations.references else "model",
            "tasks": len(theirs),
            "answered": sum(score.status == Status.OK for score in theirs),
            "informative": sum(score.informative for score in theirs),
            "replies": sum(replies.values()),
            **{str(status): replies[status] for status in Status if status != Status.DEGENERATE},
            "mass": _mean([score.mass for score in theirs]),
            "error": _most(populations, respondent, mode),
            "fell_back": _fallback(populations, respondent, mode),
        }
        for measure in MEANS:
            name = label(respondent, mode)
            row |= _cells(measure, means[measure][name]) | _cells(f"{measure}_given", within_sources[measure][name])
        rows.append(row)
    return rows


def main_table(populations: Populations) -> Table:
    names = theme.labels((*populations.models, *populations.references), longest=30)
    rows = [
        row | {"name": names[row["respondent"]], "contends": row["kind"] == "model"}
        for row in summary_rows(populations)
    ]
    for row in rows:
        row["mode"] = f"{row['mode']} (by {row['fell_back']})" if row["fell_back"] else row["mode"]
    columns = (
        Column("name", "Respondent", "text"),
        Column("mode", "Mode", "text"),
        Column("answered", "Tasks", "count"),
        Column("informative", "informative", "count"),
        Column("score", "Score", "number", "score_low", "score_high", "higher", 0),
        Column("score_given", "given these sources", "number", "score_given_low", "score_given_high", None, 0),
        Column("score_original", "Original score", "number", decimals=0),
        Column("score_document", "Document's score", "number", decimals=0),
        Column("skill_uniform", "Skill (uniform)", "number", "skill_uniform_low", "skill_uniform_high", "higher", 2),
        Column(
            "skill_marginal", "Skill (marginal)", "number", "skill_marginal_low", "skill_marginal_high", "higher", 2
        ),
        Column("tv", "TV", "number", "tv_low", "tv_high", "lower", 2),
        Column("mass", "Letter mass, %", "percent", decimals=0),
    )
    sources = len({truth.question.source for truth in populations.truths.values()})
    caption = (
        "Answers against the population's distributions. Score: 100 cannot be told from the truth, 0 no better than "
        "uniform, over informative tasks; skill: 1 - distance / distance of the baseline, not clipped; TV: total "
        f"variation. Brackets: {100 * populations.level:g} % intervals, clustered by {counted(sources, 'source')}; "
        "none where the value is the same in every task, or cannot be bounded; given these "
        "sources: the same mean with an interval over the tasks of these sources alone. Letter mass: probability on "
        "option letters before it was divided by itself. Modes are different questions and are not averaged."
    )
    return Table("population_main", columns, rows, caption, contends="contends", rule_before="kind")


def task_table(populations: Populations, measure: str = "score") -> Table:
    """Tasks by respondents, each with its own interval."""
    pairs = respondents(populations)
    shown = theme.labels((*populations.models, *populations.references), longest=24)
    scores = {(s.task, s.respondent, s.mode): s for s in populations.scores}
    rows = [_task_row(populations, task, pairs, scores, measure) for task in populations.truths]
    columns = [Column("task", "Task", "text"), Column("source", "Source", "text")]
    for respondent, mode in pairs:
        key = label(respondent, mode)
        low, high = (None, None) if respondent in populations.references else (f"{key} low", f"{key} high")
        columns.append(
            Column(key, label(shown[respondent], mode), "number", low, high, decimals=0 if "score" in measure else 2)
        )
    caption = (
        f"The {measure.replace('_', ' ')} of every task, with {100 * populations.level:g} % bootstrap intervals "
        "(truth and draws). A dash: no answer, or a task where a perfect sampler of so many draws cannot be told from "
        "a uniform one."
    )
    return Table(f"population_{measure}", tuple(columns), rows, caption, rule_before="source")


def scores_frame(populations: Populations) -> pd.DataFrame:
    """Every repeat, task, respondent, mode and measure with its interval: the numbers behind all tables."""
    rows = [
        {
            "task": key.task,
            "source": score.source,
            "respondent": key.respondent,
            "mode": key.mode or "reference",
            "repeat": key.repeat,
            "measure": name,
            "value": score.measures[name].value,
            **interval_cells(score.measures[name].interval),
            "status": str(score.measures[name].status),
            "answered": score.answered,
            "draws": score.draws,
            "informative": score.informative,
            "mass": score.mass,
        }
        for key, score in populations.score_by_key.items()
        for name in MEASURES
    ]
    return pd.DataFrame(rows)


def comparisons_frame(populations: Populations) -> pd.DataFrame:
    """All pairs of models in their modes, and of models and baselines, by score and skill; Holm within a measure.

    `over`: sources (what other surveys would show), or tasks of these sources.
    """
    rows = []
    for measure in ("score", "skill_uniform", "skill_marginal"):
        for over, given_sources in (("sources", False), ("tasks of these sources", True)):
            for comparison in compare_respondents(populations.scores, measure, given_sources):
                rows.append({"over": over} | comparison.row() | {"measure": measure, "sentence": comparison.sentence()})
    return pd.DataFrame(rows)


def design_sentences(populations: Populations) -> list[str]:
    """What so few sources cannot tell, and what the second interval is of."""
    sources = len({truth.question.source for truth in populations.truths.values()})
    if sources >= FEW_SOURCES:
        return []
    scope = "The interval given these sources is over tasks: it holds for these surveys and says nothing of others."
    if sources == 1:
        return [f"All tasks are from one source: nothing is known of other surveys, so no interval over them. {scope}"]
    pairs = len(respondents(populations)) * (len(respondents(populations)) - 1) // 2
    return [
        f"{sources} sources cannot tell what other surveys would show: an interval clustered by them is as wide as t "
        f"with {sources - 1} degree{'s' * (sources > 2)} of freedom makes it. {Reach(sources, max(pairs, 1))} {scope}"
    ]


def left_out_sentences(populations: Populations) -> list[str]:
    """Rows of the microdata that are in no share, and stated shares that were divided by their sum."""
    truths = populations.truths.items()
    rows = [f"{name} {truth.n_unlisted:,} of {truth.n_data:,}" for name, truth in truths if truth.n_unlisted]
    off = Counter(
        label(key.respondent, key.mode)
        for key, answers in populations.answers.items()
        for answer in answers.values()
        if OFF_SUM in answer.flags
    )
    return [
        *([f"Rows left out, for their task lists no such level: {listed(rows)}."] if rows else []),
        *(
            f"{who}: shares of {counted(n, 'condition')} do not sum to 100 %; they were divided by their sum."
            for who, n in off.items()
        ),
    ]


def uninformative_sentences(populations: Populations) -> list[str]:
    """Where a perfect answer and a uniform one cannot be told apart, from how many draws, and whose they are."""
    tasks: dict[str, dict[str, dict[str, None]]] = {}  # task -> draws -> who
    for score in populations.scores:
        if score.status == Status.OK and not score.informative:
            draws = "even if stated" if score.draws is None else f"{score.draws:g} draws"
            tasks.setdefault(score.task, {}).setdefault(draws, {})[score.mode or score.respondent] = None
    if not tasks:
        return []
    places = [
        f"{task} ({'; '.join(f'{draws}: {listed(list(who), 20)}' for draws, who in of_task.items())})"
        for task, of_task in tasks.items()
    ]
    return [
        "No score where a perfect answer cannot be told from a uniform one (uninformative); skill and TV stand: "
        f"{'; '.join(places)}."
    ]


def fallback_sentences(populations: Populations) -> list[str]:
    """Which models were asked in another way than planned, and why."""
    return [
        f"{model}, {mode}: {note} ({count} conditions)."
        for (model, mode), notes in populations.notes.items()
        for note, count in notes.items()
    ]


def _task_row(
    populations: Populations,
    task: str,
    pairs: Sequence[tuple[str, str]],
    scores: dict[tuple[str, str, str], TaskScore],
    measure: str,
) -> dict[str, object]:
    row: dict[str, object] = {"task": task, "source": populations.truths[task].question.source}
    for respondent, mode in pairs:
        score = scores.get((task, respondent, mode))
        if score is None:
            continue
        measured, key = score.measures[measure], label(respondent, mode)
        row[key] = measured.value
        if measured.interval is not None:
            row |= {f"{key} low": measured.interval.low, f"{key} high": measured.interval.high}
    return row


def _cells(measure: str, estimate: Estimate) -> dict[str, float | bool | None]:
    return estimate.cells(measure) | {f"{measure}_n": estimate.n}


def _mean(values: Sequence[float | None]) -> float | None:
    known = [value for value in values if value is not None]
    return sum(known) / len(known) if known else None


def _most(populations: Populations, respondent: str, mode: str) -> float | None:
    """The largest error over orders that `qa` states for a condition."""
    errors = (answer.error for answer in populations.answers_of(respondent, mode))
    return max((error for error in errors if error is not None), default=None)


def _fallback(populations: Populations, respondent: str, mode: str) -> str:
    """The mode that was used in the end, where it is another one."""
    used = {answer.mode for answer in populations.answers_of(respondent, mode) if answer.mode}
    others = used - {mode, mode.split("/")[0]}
    return ", ".join(sorted("words" if other == "likelihood-words" else other for other in others))
