"""Tables over tasks and respondents: means with their intervals, and paired comparisons.

Tasks of one survey share its respondents, its year and its wording: they are one cluster. Two intervals answer two
questions, and both are given wherever a mean is:

    over sources           t clustered by source, C - 1 degrees of freedom or fewer: what other surveys would show.
                           Of two or three surveys it leaves nearly everything open (t is 12.7 with one degree, 4.3
                           with two), because they cannot tell.
    given these sources    t over tasks: what other tasks of these same surveys would show. With the sources fixed it
                           errs on the long side, since differences between them count as noise of tasks.

The mean of `score` leaves out the uninformative tasks and says how many; the means of the skills are over raw values,
those below 0 included, and that against the marginal over the tasks that have a dependence to know. A respondent is a
model in one mode: sampling, verbalised and next-token answers are different things and are never averaged.
"""

from __future__ import annotations

from collections.abc import Sequence

import numpy as np

from trueness.errors import SettingError, did_you_mean, listed
from trueness.measure import direction
from trueness.statistics import Comparison, Estimate, mean
from trueness.statistics.multiplicity import differences_in_pairs
from trueness.studies.population.scores import MEASURES, POSSIBLE, TaskScore

FEW_SOURCES = 6  # below it an interval over sources is of little use, and its level not held (statistics/estimates.py)
_NEEDS_DEPENDENCE = ("skill_marginal", "skill_d2_marginal", "direction", "change")


def respondent_means(scores: Sequence[TaskScore], measure: str = "score") -> dict[str, Estimate]:
    """Respondent -> its mean over the tasks, with the interval over sources."""
    _check(measure)
    return {
        label: mean(values, clusters=sources, name=measure, bounds=POSSIBLE[measure])
        for label, (values, sources) in _values(scores, measure).items()
    }


def means_given_sources(scores: Sequence[TaskScore], measure: str = "score") -> dict[str, Estimate]:
    """The same means, with the interval over tasks given these sources."""
    _check(measure)
    return {
        name: mean(values, name=measure, bounds=POSSIBLE[measure])
        for name, (values, _) in _values(scores, measure).items()
    }


def compare_respondents(scores: Sequence[TaskScore], measure: str = "score") -> list[Comparison]:
    """All pairs of respondents on the tasks both have a value on, clustered by source, Holm-adjusted."""
    source = {score.task: score.source for score in scores}
    return _compare(scores, measure, [source[task] for task in source])


def compare_given_sources(scores: Sequence[TaskScore], measure: str = "score") -> list[Comparison]:
    """The same pairs over the tasks of these sources; nothing is said of other surveys."""
    return _compare(scores, measure, None)


def _compare(scores: Sequence[TaskScore], measure: str, sources: list[str] | None) -> list[Comparison]:
    _check(measure)
    values = {(_label(score), score.task): _score_value(score, measure) for score in scores}
    labels, tasks = (list(dict.fromkeys(names)) for names in (map(_label, scores), (score.task for score in scores)))
    columns = {label: [values.get((label, task), np.nan) for task in tasks] for label in labels}
    pairs = differences_in_pairs(columns, sources, bounds=POSSIBLE[measure])
    better = direction(measure)
    return [pair.described(measure=measure, units="tasks", clusters="sources", better=better) for pair in pairs]


def _values(scores: Sequence[TaskScore], measure: str) -> dict[str, tuple[list[float], list[str]]]:
    """Respondent -> its values and their sources, one a task."""
    table: dict[str, tuple[list[float], list[str]]] = {}
    for score in scores:
        values, sources = table.setdefault(_label(score), ([], []))
        values.append(_score_value(score, measure))
        sources.append(score.source)
    return table


def _score_value(score: TaskScore, measure: str) -> float:
    if measure in _NEEDS_DEPENDENCE and score.flat:
        return float("nan")
    return round(score.value(measure), 12)  # a skill of 1e-17 is one of 0: by rounding alone it would vary


def label(respondent: str, mode: str) -> str:
    """Who it is in a table: a model in one mode."""
    return f"{respondent} ({mode})" if mode else respondent


def _label(score: TaskScore) -> str:
    return label(score.respondent, score.mode)


def _check(measure: str) -> None:
    if measure not in MEASURES:
        near = did_you_mean(measure, MEASURES) or f"The measures are {listed(MEASURES, 20)}."
        raise SettingError(f"{measure!r} is not a measure of a population study. {near}")
