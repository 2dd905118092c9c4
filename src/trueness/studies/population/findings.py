"""What a population study found, in sentences: the mean of each respondent and mode, and who can be told from whom.

A mean is over informative tasks, its interval clustered by sources; pairs are tested by sign flips, Holm over all
pairs. What could not be tested is counted, not listed.
"""

from __future__ import annotations

from collections.abc import Mapping

from trueness.intervals import fixed, value_text
from trueness.outside import Json
from trueness.showing.headline import Headline, Standing, ranking
from trueness.studies.population import tables
from trueness.studies.population.answers import Populations
from trueness.studies.population.files import notes

MEASURE = "score"


def sections(populations: Populations) -> list[tuple[str, tuple[str, ...]]]:
    parts = {
        "Mean scores": tuple(_mean_sentence(populations, row) for row in tables.summary_rows(populations)),
        "Who can be told from whom": tuple(str(row["sentence"]) for row in _pairs(populations) if _has_p(row)),
    }
    return [(title, sentences) for title, sentences in parts.items() if sentences]


def headline_of(populations: Populations) -> Headline | None:
    """Models and modes by their mean score; who can be told from the best."""
    rows = [row for row in tables.summary_rows(populations) if row["kind"] == "model" and row[MEASURE] is not None]
    if not rows:
        return None
    ranked = sorted(rows, key=lambda row: -row[MEASURE])
    standings = tuple(
        Standing(
            tables.label(row["respondent"], row["mode"]),
            row[MEASURE],
            row["score_low"],
            row["score_high"],
            bool(row.get("score_constant")),
        )
        for row in ranked
    )
    alpha = 1 - populations.level
    verdicts = {
        frozenset((row["a"], row["b"])): bool(
            (row["p_adjusted"] if row["p_adjusted"] is not None else row["p"]) <= alpha
        )
        for row in _pairs(populations)
        if _has_p(row)
    }
    of = "mean score over informative tasks, 100 cannot be told from the truth, 0 is no better than uniform"
    sentence = ranking(standings, lambda a, b: verdicts.get(frozenset((a, b))), of)
    return Headline(sentence, f"{of}; {100 * populations.level:g} % intervals over sources", standings)


def untold(populations: Populations) -> list[str]:
    """What the design cannot tell: too few sources or draws, and pairs that no test can reach."""
    rows = _pairs(populations)
    pairs, tested = {(row["a"], row["b"]) for row in rows}, {(row["a"], row["b"]) for row in rows if _has_p(row)}
    lost = len(pairs - tested)
    never = [f"{lost} of {len(pairs)} pairs of respondents share too few scored tasks to be tested."] if lost else []
    return [*notes(populations), *never]


def _pairs(populations: Populations) -> list[dict[str, Json]]:
    frame = tables.comparisons_frame(populations)
    rows = [{str(key): value for key, value in row.items()} for row in frame.to_dict("records")]
    return [row for row in rows if row["measure"] == MEASURE]


def _has_p(row: Mapping[str, Json]) -> bool:
    return row["p"] is not None and row["p"] == row["p"]


def _mean_sentence(populations: Populations, row: Mapping[str, Json]) -> str:
    name, share = tables.label(row["respondent"], row["mode"]), f"{100 * populations.level:g} %"
    over = f"{row['informative']} informative of {row['tasks']} tasks"
    if row.get(MEASURE) is None or row[MEASURE] != row[MEASURE]:
        return f"{name}: no score ({over}; {row['answered']} answered; no interval; no test)."
    ends = row.get("score_low"), row.get("score_high")
    score = value_text(row[MEASURE], ends, fixed(0), bool(row.get("score_constant")))
    none = "the same in every task: no interval" if row.get("score_constant") else "no interval over sources"
    kind = none if row.get("score_low") is None else f"{share} t CI clustered by source"
    if row.get("score_given_low") is not None:
        kind += f"; given these sources [{row['score_given_low']:.0f}, {row['score_given_high']:.0f}]"
    return (
        f"{name}: mean score {score}, where 100 is a perfect sampler and 0 a uniform one "
        f"({kind}; n = {over}; no test of its own)."
    )
