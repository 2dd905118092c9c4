"""What a population study found, in sentences: the mean of each respondent and mode, and who can be told from whom.

A mean is over informative tasks, its interval clustered by sources; pairs are tested by exact sign flips, Holm over all
pairs. What could not be tested is counted, not listed.
"""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any

from trueness.studies.population import tables
from trueness.studies.population.answers import Populations
from trueness.studies.population.files import notes

MEASURE = "score"


def sections(populations: Populations) -> list[tuple[str, tuple[str, ...]]]:
    found = {
        "Mean scores": tuple(_mean_sentence(populations, row) for row in tables.summary_rows(populations)),
        "Who can be told from whom": tuple(str(row["sentence"]) for row in _pairs(populations) if _tested(row)),
    }
    return [(title, said) for title, said in found.items() if said]


def untold(populations: Populations) -> list[str]:
    """What the design cannot tell: too few sources or draws, and pairs that no test can reach."""
    rows = _pairs(populations)
    pairs, tested = {(row["a"], row["b"]) for row in rows}, {(row["a"], row["b"]) for row in rows if _tested(row)}
    lost = len(pairs - tested)
    never = [f"{lost} of {len(pairs)} pairs of respondents share too few scored tasks to be tested."] if lost else []
    return [*notes(populations), *never]


def _pairs(populations: Populations) -> list[dict[str, Any]]:
    frame = tables.comparisons_frame(populations)
    rows = [{str(key): value for key, value in row.items()} for row in frame.to_dict("records")]
    return [row for row in rows if row["measure"] == MEASURE]


def _tested(row: Mapping[str, Any]) -> bool:
    return row["p"] is not None and row["p"] == row["p"]


def _mean_sentence(populations: Populations, row: Mapping[str, Any]) -> str:
    name, share = tables.label(row["respondent"], row["mode"]), f"{100 * populations.level:g} %"
    over = f"{row['informative']} informative of {row['tasks']} tasks"
    if row.get(MEASURE) is None or row[MEASURE] != row[MEASURE]:
        return f"{name}: no score ({over}; {row['answered']} answered; no interval; no test)."
    ends = f" [{row['score_low']:.0f}, {row['score_high']:.0f}]" if row.get("score_low") is not None else ""
    none = "the same in every task: no interval" if row.get("score_constant") else "no interval over sources"
    kind = f"{share} t CI clustered by source" if ends else none
    if row.get("score_given_low") is not None:
        kind += f"; given these sources [{row['score_given_low']:.0f}, {row['score_given_high']:.0f}]"
    return (
        f"{name}: mean score {row[MEASURE]:.0f}{ends}, where 100 is a perfect sampler and 0 a uniform one "
        f"({kind}; n = {over}; no test of its own)."
    )
