"""The tables of a population study, and what it says in sentences.

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

Outcomes that are numbers have E[V1 | V2 = v] and quantiles, of the population and of each answer, side by side:

    truth     weighted mean and quantiles of the rows; 95 % of the bootstrap draws of the mean
    answer    mean and quantiles of the numbers that were drawn (95 % t interval of the mean), or of the stated
              distribution (no interval); a reference has its cells' middles
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence

import numpy as np
import pandas as pd

from trueness.errors import listed
from trueness.measure import direction
from trueness.outside import Json
from trueness.reading.distribution import OFF_SUM
from trueness.showing import theme
from trueness.showing.summary import Headline, Standing, ranking
from trueness.showing.tables import Column, Table
from trueness.statistics import Comparison, Estimate, mean
from trueness.statistics.multiplicity import differences_in_pairs
from trueness.statistics.reach import Reach
from trueness.statistics.result import interval_cells
from trueness.status import Status
from trueness.studies.population.answers import Populations
from trueness.studies.population.elicitation import Answer
from trueness.studies.population.scores import MEASURES, POSSIBLE, TaskScore
from trueness.studies.population.truth import QUANTILES, PopulationTruth
from trueness.texts import counted

MEASURE = "score"
FEW_SOURCES = 6  # below it an interval over sources is of little use, and its level not held (statistics/estimates.py)
LEGEND = (
    "score: 100 cannot be told from the truth, 0 no better than uniform; the mean over informative tasks.  skill: "
    "1 - distance / distance of the baseline, below 0 is worse.  mass: probability on option letters.",
    "Intervals are 95 %, over sources (clustered); 'given these sources': over tasks; none where the value is the same "
    "in every task (constant).  Modes are not averaged.",
)
Rows = Sequence[Mapping[str, Json]]
NAMES = tuple(f"p{100 * q:.0f}" for q in QUANTILES)
TROUBLE = (Status.REFUSED, Status.UNREADABLE, Status.TRUNCATED, Status.FAILED, Status.TIMED_OUT)
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
    if measure == "skill_marginal" and score.flat:
        return float("nan")
    return round(score.value(measure), 12)  # a skill of 1e-17 is one of 0: by rounding alone it would vary


def respondents(populations: Populations) -> list[tuple[str, str]]:
    """(respondent, mode) in the order of the plan; baselines last."""
    pairs = dict.fromkeys((score.respondent, score.mode) for score in populations.scores)
    order = {name: k for k, name in enumerate((*populations.models, *populations.references))}
    return sorted(pairs, key=lambda pair: order.get(pair[0], len(order)))


def summary_rows(populations: Populations) -> list[dict[str, Json]]:
    """One row a respondent and mode: what it answered, and how well."""
    scores = populations.scores
    means = {measure: respondent_means(scores, measure) for measure in MEANS}
    within_sources = respondent_means(scores, MEASURE, given_sources=True)
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
        }
        name = label(respondent, mode)
        for key, estimate in (*((key, of[name]) for key, of in means.items()), ("score_given", within_sources[name])):
            row |= estimate.cells(key) | {f"{key}_n": estimate.n}
        rows.append(row)
    return rows


def main_table(populations: Populations, summary: Sequence[Mapping[str, Json]]) -> Table:
    """One line a respondent and mode, of `summary_rows`."""
    names = theme.labels((*populations.models, *populations.references), longest=30)
    rows = [
        {
            **row,
            "name": names[row["respondent"]],
            "contends": row["kind"] == "model",
            "in_part": _in_part(populations, row),
            "not_read": ", ".join(f"{status} {row[str(status)]:,}" for status in TROUBLE if row[str(status)]),
        }
        for row in summary
    ]
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
    on_screen = (Column("in_part", "in part", "text"), Column("not_read", "not read", "text"))
    dropped = ("score_original", "score_document", "tv", "skill_uniform", "mass", "score_given", "skill_marginal")
    return Table(
        "population_main", columns, rows, caption, contends="contends", rule_before="kind", once=("name",),
        drop=[(key,) for key in dropped], on_screen=on_screen,
    )  # fmt: skip


def _in_part(populations: Populations, row: Mapping[str, Json]) -> str:
    """Of how many conditions, where a task counts as answered although some of its conditions are not."""
    theirs = [s for s in populations.scores if (s.respondent, s.mode) == (row["respondent"], row["mode"])]
    statuses = [status for score in theirs if score.status == Status.OK for status in score.statuses.values()]
    answered = statuses.count(Status.OK)
    return "" if answered == len(statuses) else f"{answered} of {len(statuses)} conditions"


def task_table(populations: Populations, measure: str) -> Table:
    """Tasks by respondents, each with its own interval."""
    shown = theme.labels((*populations.models, *populations.references), longest=24)
    columns = [Column("task", "Task", "text"), Column("source", "Source", "text")]
    for respondent, mode in respondents(populations):
        key = label(respondent, mode)
        low, high = (None, None) if respondent in populations.references else (f"{key} low", f"{key} high")
        columns.append(
            Column(key, label(shown[respondent], mode), "number", low, high, decimals=0 if "score" in measure else 2)
        )
    rows: dict[str, dict[str, object]] = {
        task: {"task": task, "source": truth.question.source} for task, truth in populations.truths.items()
    }
    for score in populations.scores:
        measured, key = score.measures[measure], label(score.respondent, score.mode)
        rows[score.task][key] = measured.value
        if measured.interval is not None:
            rows[score.task] |= {f"{key} low": measured.interval.low, f"{key} high": measured.interval.high}
    caption = (
        f"The {measure.replace('_', ' ')} of every task, with {100 * populations.level:g} % bootstrap intervals "
        "(truth and draws). A dash: no answer, or a task where a perfect sampler of so many draws cannot be told from "
        "a uniform one."
    )
    title = f"{measure.replace('_', ' ')} by task"
    return Table("population_table", tuple(columns), [*rows.values()], caption, rule_before="source", title=title)


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


def comparison_rows(populations: Populations, measure: str) -> list[dict[str, Json]]:
    """All pairs of models in their modes, and of models and baselines, by one measure, with Holm's adjustment.

    `over`: sources (what other surveys would show), or tasks of these sources.
    """
    return [
        {"over": over} | comparison.row() | {"measure": measure, "sentence": comparison.sentence()}
        for over, given_sources in (("sources", False), ("tasks of these sources", True))
        for comparison in compare_respondents(populations.scores, measure, given_sources)
    ]


def _mean(values: Sequence[float | None]) -> float | None:
    known = [value for value in values if value is not None]
    return sum(known) / len(known) if known else None


# ---- outcomes that are numbers


def true_numbers(truth: PopulationTruth, level: float) -> dict[str, dict[str, Json]]:
    """Condition -> mean with its interval, and quantiles, of the population."""
    assert truth.means is not None and truth.quantiles is not None
    low, high = np.quantile(truth.mean_draws(), [(1 - level) / 2, (1 + level) / 2], axis=0)
    return {
        condition: {"true_mean": truth.means[c], "true_mean_low": low[c], "true_mean_high": high[c]}
        | {f"true_{name}": value for name, value in zip(NAMES, truth.quantiles[c], strict=True)}
        for c, condition in enumerate(truth.conditions)
    }


def answer_numbers(truth: PopulationTruth, answer: Answer | None) -> dict[str, Json]:
    """What was said of one condition; its status where nothing was."""
    status = "not asked" if answer is None else str(answer.status)
    if answer is None or answer.distribution is None:
        return {"status": status, "n": None, "mean": None} | interval_cells(None, "mean") | dict.fromkeys(NAMES)
    if answer.numbers:
        numbers, shares = np.array(answer.numbers), None
    else:
        numbers, shares = np.array(truth.question.outcome.middles), np.array(answer.distribution.probs)
    quantiles = np.quantile(numbers, QUANTILES, method="inverted_cdf", weights=shares).tolist()
    interval = mean(answer.numbers).interval if answer.draws and answer.numbers else None
    ends = interval_cells(None if interval is None or interval.degenerate else interval, "mean")
    centre = {"status": status, "n": answer.draws, "mean": float(np.average(numbers, weights=shares))}
    return centre | ends | dict(zip(NAMES, quantiles, strict=True))


def numbers_frame(populations: Populations) -> pd.DataFrame:
    """One row a numeric task, condition, respondent, mode and repeat."""
    truths = {task: truth for task, truth in populations.truths.items() if truth.means is not None}
    known = {task: true_numbers(truth, populations.level) for task, truth in truths.items()}
    rows = [
        {"task": key.task, "condition": condition, "respondent": key.respondent, "mode": key.mode or "reference",
         "repeat": key.repeat} | true | answer_numbers(truths[key.task], answers.get(condition))
        for key, answers in populations.answers.items() if key.task in truths
        for condition, true in known[key.task].items()
    ]  # fmt: skip
    return pd.DataFrame(rows)


# ---- sentences: the mean of each respondent and mode, who can be told from whom, what must stand beside the tables


def headline_of(level: float, summary: Rows, pairs: Rows) -> Headline | None:
    """Models and modes by their mean score; who can be told from the best."""
    rows = [row for row in summary if row["kind"] == "model" and row[MEASURE] is not None]
    if not rows:
        return None
    standings = tuple(
        Standing(
            label(row["respondent"], row["mode"]), row[MEASURE], row["score_low"], row["score_high"],
            bool(row.get("score_constant")),
        )
        for row in sorted(rows, key=lambda row: -row[MEASURE])
    )  # fmt: skip
    verdicts = {
        frozenset((row["a"], row["b"])): (row["p"] if row["p_adjusted"] is None else row["p_adjusted"]) <= 1 - level
        for row in tested(pairs)
    }
    of = "mean score over informative tasks, 100 cannot be told from the truth, 0 is no better than uniform"
    sentence = ranking(standings, lambda a, b: verdicts.get(frozenset((a, b))), of)
    return Headline(sentence, f"{of}; {100 * level:g} % intervals over sources", standings)


def tested(pairs: Rows) -> list[Mapping[str, Json]]:
    """Pairs that share enough scored tasks for a test."""
    return [row for row in pairs if row["p"] is not None and row["p"] == row["p"]]


def never_tested(pairs: Rows) -> list[str]:
    """Pairs that no test can reach."""
    every = {(row["a"], row["b"]) for row in pairs}
    lost = len(every - {(row["a"], row["b"]) for row in tested(pairs)})
    return [f"{lost} of {len(every)} pairs of respondents share too few scored tasks to be tested."] if lost else []


def notes(populations: Populations) -> list[str]:
    """Those that are not said first."""
    sentences = _design(populations)
    for name, truth in populations.truths.items():
        if truth.thin:
            thin = ", ".join(f"{condition} ({n})" for condition, n in truth.thin.items())
            sentences.append(f"{name}: conditions with too few rows were left out: {thin}.")
        if truth.design == "model":
            sentences.append(f"{name}: the truth is an out-of-fold gradient-boosted estimate with its own uncertainty.")
    return [*sentences, *_uninformative(populations)]


def _design(populations: Populations) -> list[str]:
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


def left_out(populations: Populations) -> list[str]:
    """Rows of the microdata that are in no share, and stated shares that were divided by their sum."""
    truths = populations.truths.items()
    rows = [f"{name} {truth.n_unlisted:,} of {truth.n_data:,}" for name, truth in truths if truth.n_unlisted]
    sentences = [f"Rows left out, for their task lists no such level: {listed(rows)}."] if rows else []
    for who, mode in respondents(populations):
        n = sum(OFF_SUM in answer.flags for answer in populations.answers_of(who, mode))
        if n:
            off = f"shares of {counted(n, 'condition')} do not sum to 100 %; they were divided by their sum."
            sentences.append(f"{label(who, mode)}: {off}")
    return sentences


def _uninformative(populations: Populations) -> list[str]:
    """Where a perfect answer and a uniform one cannot be told apart, from how many draws, and whose they are."""
    tasks: dict[str, dict[str, list[str]]] = {}  # task -> draws -> who
    for score in populations.scores:
        if score.status == Status.OK and not score.informative:
            draws = "even if stated" if score.draws is None else f"{score.draws:g} draws"
            tasks.setdefault(score.task, {}).setdefault(draws, []).append(score.mode or score.respondent)
    places = [
        f"{task} ({'; '.join(f'{draws}: {listed([*dict.fromkeys(who)], 20)}' for draws, who in of_task.items())})"
        for task, of_task in tasks.items()
    ]
    why = "No score where a perfect answer cannot be told from a uniform one (uninformative); skill and TV stand"
    return [f"{why}: {'; '.join(places)}."] if places else []
