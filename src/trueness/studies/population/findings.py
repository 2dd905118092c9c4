"""What a population study found, in sentences: the mean of each respondent and mode, and who can be told from whom.

A mean is over informative tasks, its interval clustered by sources; pairs are tested by sign flips, Holm over all
pairs. What could not be tested is counted, not listed. Notes say what must stand beside the tables.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence

from trueness.errors import listed
from trueness.intervals import fixed, value_text
from trueness.outside import Json
from trueness.reading.distribution import OFF_SUM
from trueness.showing.summary import Headline, Standing, ranking
from trueness.statistics.reach import Reach
from trueness.status import Status
from trueness.studies.population.answers import Populations
from trueness.studies.population.tables import label, respondents
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


def mean_sentence(level: float, row: Mapping[str, Json]) -> str:
    """The mean score of a respondent in a mode, with its interval and over how many tasks."""
    name, over = label(row["respondent"], row["mode"]), f"{row['informative']} informative of {row['tasks']} tasks"
    if row[MEASURE] is None or row[MEASURE] != row[MEASURE]:
        return f"{name}: no score ({over}; {row['answered']} answered; no interval; no test)."
    score = value_text(row[MEASURE], (row["score_low"], row["score_high"]), fixed(0), bool(row.get("score_constant")))
    kind = f"{100 * level:g} % t CI clustered by source"
    if row["score_low"] is None:
        same = row.get("score_constant")
        kind = "the same in every task: no interval" if same else "no interval over sources"
    if row["score_given_low"] is not None:
        kind += f"; given these sources [{row['score_given_low']:.0f}, {row['score_given_high']:.0f}]"
    return (
        f"{name}: mean score {score}, where 100 is a perfect sampler and 0 a uniform one "
        f"({kind}; n = {over}; no test of its own)."
    )


# ---- notes: sentences that must stand beside the tables


def notes(populations: Populations) -> list[str]:
    """Those that are not said first."""
    sentences = [*_design(populations), *fallbacks(populations)]
    for name, truth in populations.truths.items():
        sentences += truth.notes
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


def fallbacks(populations: Populations) -> list[str]:
    """Which models were asked in another way than planned, and why."""
    return [
        f"{model}, {mode}: {note} ({count} conditions)."
        for (model, mode), notes in populations.notes.items()
        for note, count in notes.items()
    ]
