"""Five checks before any conclusion; they stand on top of every report.

    runs        every cell that a claim speaks of rests on at least 100 runs that gave a graph
    complete    every model gave at least one readable range for every measure of every cell under every arm
    widths      no truth has zero width, as the original asks; those that have are named and marked `degenerate` (no
                ratio to them is taken), and a claimed point is a failure mode that is counted
    vacuous     no model answers [0, largest value] everywhere
    possible    no model claims what the measure cannot be (an SHD above d(d-1)/2, a precision above 1)

A check that fails does not stop a report: it says what the numbers below it do not rest on.
"""

from __future__ import annotations

from typing import NamedTuple

import numpy as np
import pandas as pd

from trueness.status import Status
from trueness.studies.forecast.against import is_beyond, is_impossible
from trueness.studies.forecast.analysis import Analysis, join_words, lines, percent
from trueness.studies.forecast.frames import CELL, ITEM, KEYS, Forecasts
from trueness.studies.protocol import Check
from trueness.texts import counted

LEAST_RUNS = 100
_RATIOS = ("calibration_mean_ci", "calibration_runs")
_MARK = {True: "passed", False: "FAILED", None: "not checked"}


class Validation(NamedTuple):
    """The checks, the rows that each looked at, and the completeness matrix (respondents x statuses)."""

    checks: tuple[Check, ...]
    evidence: dict[str, pd.DataFrame]
    completeness: pd.DataFrame

    @property
    def is_valid(self) -> bool:
        return all(check.passed for check in self.checks)

    @property
    def sentences(self) -> tuple[str, ...]:
        return tuple(f"{_MARK[check.passed]} {check.name}: {check.sentence}" for check in self.checks)

    def rows(self) -> list[dict[str, object]]:
        return [{"check": check.name, "passed": check.passed, "sentence": check.sentence} for check in self.checks]

    def analysis(self) -> Analysis:
        """The same in the form of the other analyses."""
        more = {"completeness": self.completeness, **self.evidence}
        return Analysis("validation", pd.DataFrame(self.rows()), self.sentences, more)


def validation(forecasts: Forecasts) -> Validation:
    rules = {"runs": _runs, "complete": _complete, "widths": _widths, "vacuous": _vacuous, "possible": _possible}
    made = {name: rule(forecasts) for name, rule in rules.items()}
    checks = tuple(Check(name, passed, sentence) for name, (passed, sentence, _) in made.items())
    return Validation(checks, {name: rows for name, (_, _, rows) in made.items()}, completeness(forecasts))


Verdict = tuple[bool | None, str, pd.DataFrame]  # passed, None where there is nothing to check; sentence; evidence


def completeness(forecasts: Forecasts) -> pd.DataFrame:
    """One row a respondent: claims asked for, answered, and the others by status. Levels of one claim count once."""
    claims = forecasts.claims.drop_duplicates(list(KEYS))
    counts = pd.crosstab(claims["respondent"], claims["status"].astype(str))
    order = [status.value for status in Status if status.value in counts]
    order += [str(status) for status in counts if status not in order]
    table = counts.reindex(index=list(forecasts.as_scored), columns=order).fillna(0).astype(int)
    table.insert(0, "asked", table.sum(axis=1))
    table.insert(1, "answered", claims["low"].notna().groupby(claims["respondent"]).sum().reindex(table.index))
    return table.rename_axis(columns=None).reset_index(names="respondent")


def _runs(forecasts: Forecasts) -> Verdict:
    """A run that gave a graph counts, though a measure may be 0/0 on it: SHD has a value wherever there is a graph."""
    claimed = forecasts.scores[[*CELL, "measure"]].drop_duplicates().itertuples(index=False, name=None)
    keys = list(dict.fromkeys([*claimed, *forecasts.truths]))
    truths = [forecasts.truths.get(key) for key in keys]
    evidence = pd.DataFrame(keys, columns=[*CELL, "measure"])
    evidence["runs"] = [len(truth.runs) if truth else 0 for truth in truths]
    evidence["planned"] = [truth.planned if truth else 0 for truth in truths]
    if evidence.empty:
        return None, "no cell was measured.", evidence
    cells = evidence.groupby(list(CELL), sort=False)[["runs", "planned"]].max().reset_index()
    short = cells[cells["runs"] < LEAST_RUNS]
    if len(short):
        worst = short.sort_values("runs").iloc[0]
        sentence = (
            f"{len(short)} of {len(cells)} cells rest on fewer than {LEAST_RUNS} runs; the least is "
            f"{worst['learner']} on {worst['dataset']}: {worst['runs']} of {worst['planned']} planned."
        )
        return False, sentence, evidence
    sentence = f"each of {counted(len(cells), 'cell')} rests on {int(cells['runs'].min())} runs or more."
    fewer = evidence[evidence["runs"] < evidence["planned"]]
    if len(fewer):
        sentence += f" On some of them {len(fewer)} of {len(evidence)} measures have no value (0/0, or a failed run)."
    return True, sentence, evidence


def _complete(forecasts: Forecasts) -> Verdict:
    models, rows = forecasts.models, forecasts.all_arms
    claims = rows[rows["respondent"].isin(models)]
    if claims.empty:
        return None, "no model was asked.", pd.DataFrame(columns=["respondent", "items", "answered"])
    items = claims[list(ITEM)].drop_duplicates()
    answered = claims[claims["answered"]].drop_duplicates([*ITEM, "respondent"]).groupby("respondent").size()
    evidence = pd.DataFrame({"respondent": models, "items": len(items)})
    evidence["answered"] = evidence["respondent"].map(answered).fillna(0).astype(int)
    evidence["missing"] = evidence["items"] - evidence["answered"]
    lacking = evidence[evidence["missing"] > 0]
    if lacking.empty:
        return (
            True,
            f"{counted(len(models), 'model')} answered all {len(items)} items (cell x measure x arm).",
            evidence,
        )
    each = [f"{row.respondent} {row.answered} of {row.items}" for row in lines(lacking)]
    return False, f"not every model answered every item: {join_words(each)}.", evidence


def _widths(forecasts: Forecasts) -> Verdict:
    rows = forecasts.all_arms
    flat = [key for key, truth in forecasts.truths.items() if truth.degenerate]
    evidence = pd.DataFrame(flat, columns=[*CELL, "measure"])
    evidence["value"] = [forecasts.truths[key].mean for key in flat]
    points = int((rows["answered"] & (rows["low"] == rows["high"])).sum())
    of_flat = pd.MultiIndex.from_frame(rows[[*CELL, "measure"]]).isin(flat) if flat else np.zeros(len(rows), bool)
    unmarked = int(rows.loc[of_flat, list(_RATIOS)].notna().any(axis=1).sum())
    which = f", {join_words(['/'.join(key) for key in flat], 6)}" if flat else ""
    sentence = (
        f"{len(flat)} of {len(forecasts.truths)} truths have zero width (every run gave one value){which}; they are "
        f"marked degenerate and have no ratio. {points} of {int(rows['answered'].sum())} claims are points."
    )
    if unmarked:
        wrong = f"{unmarked} claims about a truth of zero width carry a ratio of widths, which has no meaning."
        sentence = f"{wrong} {sentence}"
    return not flat and not unmarked if forecasts.truths else None, sentence, evidence


def vacuous(forecasts: Forecasts) -> list[str]:
    """The models that answered the whole range everywhere."""
    *_, evidence = _vacuous(forecasts)
    return list(evidence.loc[evidence["share"] == 1, "respondent"])


def _answered(forecasts: Forecasts) -> pd.DataFrame:
    rows = forecasts.all_arms
    return rows[rows["answered"] & rows["respondent"].isin(forecasts.models)]


def _vacuous(forecasts: Forecasts) -> Verdict:
    columns, answered = ["respondent", "claims", "vacuous", "share"], _answered(forecasts)
    if answered.empty:
        return None, "no model gave a readable range.", pd.DataFrame(columns=columns)
    full = ((answered["low"] <= 0) & (answered["high"] >= answered["truth_upper"])).groupby(answered["respondent"])
    evidence = full.agg(["size", "sum", "mean"]).reset_index()
    evidence.columns = pd.Index(columns)
    empty = evidence.loc[evidence["share"] == 1, "respondent"]
    if len(empty):
        sentence = f"{join_words(list(empty))} answered the whole range everywhere: full coverage, and nothing said."
        return False, sentence, evidence
    worst = evidence.sort_values("share").iloc[-1]
    most = f"{worst['respondent']} ({percent(worst['share'])})"
    return True, f"no model answers the whole range everywhere; the most is {most}.", evidence


def _possible(forecasts: Forecasts) -> Verdict:
    answered = _answered(forecasts)
    if answered.empty:
        columns = ["respondent", "claims", "beyond", "impossible"]
        return None, "no model gave a readable range.", pd.DataFrame(columns=columns)
    low, high, upper = (answered[name].to_numpy(float) for name in ("low", "high", "truth_upper"))
    flags = pd.DataFrame({"beyond": is_beyond(low, high, upper), "impossible": is_impossible(low, high, upper)})
    who = answered["respondent"].reset_index(drop=True)
    evidence = flags.groupby(who, sort=False).sum().reset_index()
    evidence.insert(1, "claims", who.groupby(who, sort=False).size().to_numpy())
    beyond, impossible = int(flags["beyond"].sum()), int(flags["impossible"].sum())
    if not beyond:
        return True, f"every range of {counted(len(answered), 'claim')} can be.", evidence
    sentence = (
        f"{beyond} of {counted(len(answered), 'claim')} have an end that the measure cannot reach, {impossible} of "
        "them lie wholly there. They are scored as made, and those no better than the worst claim that can be."
    )
    return False, sentence, evidence
