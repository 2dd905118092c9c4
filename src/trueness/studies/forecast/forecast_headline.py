"""What a forecast study says first: whether models' ranges hold what they say, and whether they beat naive ones."""

from __future__ import annotations

from collections.abc import Mapping, Sequence

from trueness.outside import Json
from trueness.showing.headline import Headline, Standing, joined
from trueness.studies.forecast import selection
from trueness.studies.forecast.forecast_frames import Forecasts
from trueness.studies.forecast.summary import CONSISTENT, UNKNOWN, rows
from trueness.studies.forecast.validation import vacuous

NAIVE = "skill_climatology"


def headline_of(forecasts: Forecasts) -> Headline:
    of_run = selection.main_arm(forecasts).get("target") == "run"
    covered = "coverage_runs" if of_run else "calibrated_coverage"
    models = [row for row in rows(forecasts) if row["kind"] == "model"]
    readable = [row for row in models if row[covered] is not None]
    if not readable:
        return Headline("No model gave a range that can be read.")
    missing, empty = len(models) - len(readable), vacuous(forecasts)
    there = [row for row in readable if row["respondent"] not in empty]  # who says nothing is not praised for it
    silent = f"; {missing} of {len(models)} gave no range that can be read" if missing else ""
    level = f"{100 * forecasts.level:g} %"
    standings = tuple(
        Standing(row["respondent"], row[covered], row[f"{covered}_low"], row[f"{covered}_high"])
        for row in sorted(readable, key=lambda row: (row not in there, row["interval_score"]))
    )
    honest, untold = (
        joined([row["respondent"] for row in there if row["confidence"] == word]) for word in (CONSISTENT, UNKNOWN)
    )
    parts = [f"the coverage of {honest} is consistent with it"] if honest else []
    parts += [f"so few data sets cannot tell it of {untold}"] if untold else []
    better = [row["respondent"] for row in there if (row.get(NAIVE) or 0.0) > 0]
    naive = "" if not any(row.get(NAIVE) is not None for row in there) else (
        f"; {joined(better) or 'none'} {'score' if better[1:] else 'scores'} better than ranges of the other data sets"
        " (climatology)"
    )  # fmt: skip
    nothing = f"{joined(empty)} answered the whole range everywhere, which says nothing"
    verdict = (
        f"Ranges that say {level}: {'; '.join(parts)}" if parts else _dishonest(there, covered, level, bool(empty))
    )
    judged = f"{verdict}{naive}{f'; {nothing}' if empty else ''}" if there else f"Ranges that say {level}: {nothing}"
    sentence = f"{judged}{silent}."
    of = f"share of single runs in {level} ranges" if of_run else f"share of {level} ranges that hold the runs' mean"
    last = ", who says nothing last" if empty else ""
    return Headline(sentence, f"{of}; the best interval score first{last}; intervals over data sets", standings)


def _dishonest(there: Sequence[Mapping[str, Json]], covered: str, level: str, others: bool) -> str:
    """Every model's ranges hold less, or more, than they say; others answered the whole range and are left out."""
    shares = sorted((f"{100 * row[covered]:.0f}" for row in there), key=float)
    held = " to ".join(dict.fromkeys((shares[0], shares[-1]))) if shares else ""
    whose = f"those of {joined([row['respondent'] for row in there])}" if others else "they"
    what = f"hold {held} % of the runs" if covered == "coverage_runs" else f"hold the runs' mean in {held} % of cases"
    return f"No model's {level} ranges are honest: {whose} {what}"
