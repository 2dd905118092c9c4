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

from dataclasses import dataclass

import numpy as np
import pandas as pd

from trueness.showing.saving import plain_rows
from trueness.status import Status
from trueness.studies.forecast.against import is_beyond, is_impossible
from trueness.studies.forecast.analysis import ITEM, Analysis, asked_models, join_words, lines, percent
from trueness.studies.forecast.analysis import respondents as everybody
from trueness.studies.forecast.forecast_frames import CELL, KEYS, Forecasts
from trueness.studies.forecast.selection import all_arms
from trueness.texts import counted

LEAST_RUNS = 100
_RATIOS = ("calibration_mean_ci", "calibration_runs")


@dataclass(frozen=True, eq=False)
class ValidationCheck:
    """One check; `passed` is None when there is nothing to check."""

    name: str
    passed: bool | None
    sentence: str
    evidence: pd.DataFrame

    def to_dict(self) -> dict[str, object]:
        return {
            "name": self.name,
            "passed": self.passed,
            "sentence": self.sentence,
            "evidence": plain_rows(self.evidence),
        }

    def __str__(self) -> str:
        return f"{_MARK[self.passed]} {self.name}: {self.sentence}"


_MARK = {True: "passed", False: "FAILED", None: "not checked"}


@dataclass(frozen=True, eq=False)
class Validation:
    """The checks and the completeness matrix (respondents x statuses)."""

    checks: tuple[ValidationCheck, ...]
    completeness: pd.DataFrame

    @property
    def is_valid(self) -> bool:
        return all(check.passed for check in self.checks)

    @property
    def sentences(self) -> tuple[str, ...]:
        return tuple(str(check) for check in self.checks)

    def analysis(self) -> Analysis:
        """The same in the form of the other analyses."""
        rows = [{"check": check.name, "passed": check.passed, "sentence": check.sentence} for check in self.checks]
        evidence = {check.name: check.evidence for check in self.checks}
        return Analysis(
            "validation", pd.DataFrame(rows), self.sentences, {"completeness": self.completeness, **evidence}
        )

    def __str__(self) -> str:
        return "\n".join(self.sentences)


def validation(forecasts: Forecasts) -> Validation:
    rows = all_arms(forecasts)
    checks = (
        _runs(forecasts),
        *(check(rows, forecasts) for check in (_complete, _widths, _vacuous, _possible)),
    )
    return Validation(checks, completeness(forecasts))


def completeness(forecasts: Forecasts) -> pd.DataFrame:
    """One row a respondent: claims asked for, answered, and the others by status. Levels of one claim count once."""
    claims = forecasts.claims.drop_duplicates(list(KEYS))
    counts = pd.crosstab(claims["respondent"], claims["status"].astype(str))
    order = [status.value for status in Status if status.value in counts]
    order += [str(status) for status in counts if status not in order]
    table = counts.reindex(index=list(everybody(forecasts)), columns=order).fillna(0).astype(int)
    table.insert(0, "asked", table.sum(axis=1))
    table.insert(1, "answered", claims["low"].notna().groupby(claims["respondent"]).sum().reindex(table.index))
    return table.rename_axis(columns=None).reset_index(names="respondent")


def _runs(forecasts: Forecasts) -> ValidationCheck:
    """A run that gave a graph counts, though a measure may be 0/0 on it: SHD has a value wherever there is a graph."""
    claimed = forecasts.scores[[*CELL, "measure"]].drop_duplicates().itertuples(index=False, name=None)
    keys = list(dict.fromkeys([*claimed, *forecasts.truths]))
    truths = [forecasts.truths.get(key) for key in keys]
    evidence = pd.DataFrame(keys, columns=[*CELL, "measure"])
    evidence["runs"] = [len(truth.runs) if truth else 0 for truth in truths]
    evidence["planned"] = [truth.planned if truth else 0 for truth in truths]
    if evidence.empty:
        return ValidationCheck("runs", None, "no cell was measured.", evidence)
    cells = evidence.groupby(list(CELL), sort=False)[["runs", "planned"]].max().reset_index()
    short = cells[cells["runs"] < LEAST_RUNS]
    if len(short):
        worst = short.sort_values("runs").iloc[0]
        sentence = (
            f"{len(short)} of {len(cells)} cells rest on fewer than {LEAST_RUNS} runs; the least is {worst['learner']} "
        )
        sentence += f"on {worst['dataset']}: {worst['runs']} of {worst['planned']} planned."
        return ValidationCheck("runs", False, sentence, evidence)
    sentence = f"each of {counted(len(cells), 'cell')} rests on {int(cells['runs'].min())} runs or more."
    fewer = evidence[evidence["runs"] < evidence["planned"]]
    if len(fewer):
        sentence += f" On some of them {len(fewer)} of {len(evidence)} measures have no value (0/0, or a failed run)."
    return ValidationCheck("runs", True, sentence, evidence)


def _complete(rows: pd.DataFrame, forecasts: Forecasts) -> ValidationCheck:
    models = asked_models(forecasts)
    claims = rows[rows["respondent"].isin(models)]
    if claims.empty:
        return ValidationCheck(
            "complete", None, "no model was asked.", pd.DataFrame(columns=["respondent", "items", "answered"])
        )
    items = claims[list(ITEM)].drop_duplicates()
    answered = claims[claims["answered"]].drop_duplicates([*ITEM, "respondent"]).groupby("respondent").size()
    evidence = pd.DataFrame({"respondent": models, "items": len(items)})
    evidence["answered"] = evidence["respondent"].map(answered).fillna(0).astype(int)
    evidence["missing"] = evidence["items"] - evidence["answered"]
    lacking = evidence[evidence["missing"] > 0]
    if lacking.empty:
        sentence = f"{counted(len(models), 'model')} answered all {len(items)} items (cell x measure x arm)."
        return ValidationCheck("complete", True, sentence, evidence)
    each = [f"{row.respondent} {row.answered} of {row.items}" for row in lines(lacking)]
    return ValidationCheck("complete", False, f"not every model answered every item: {join_words(each)}.", evidence)


def _widths(rows: pd.DataFrame, forecasts: Forecasts) -> ValidationCheck:
    flat = [key for key, truth in forecasts.truths.items() if truth.degenerate]
    evidence = pd.DataFrame(flat, columns=[*CELL, "measure"])
    evidence["value"] = [forecasts.truths[key].mean for key in flat]
    points = int((rows["answered"] & (rows["low"] == rows["high"])).sum())
    ratios = [column for column in _RATIOS if column in rows]
    of_flat = pd.MultiIndex.from_frame(rows[[*CELL, "measure"]]).isin(flat) if flat else np.zeros(len(rows), bool)
    unmarked = int(rows.loc[of_flat, ratios].notna().any(axis=1).sum()) if ratios and flat else 0
    which = f", {join_words(['/'.join(key) for key in flat], 6)}" if flat else ""
    sentence = (
        f"{len(flat)} of {len(forecasts.truths)} truths have zero width (every run gave one value){which}; they are "
        f"marked degenerate and have no ratio. {points} of {int(rows['answered'].sum())} claims are points."
    )
    if unmarked:
        sentence = (
            f"{unmarked} claims about a truth of zero width carry a ratio of widths, which has no meaning. {sentence}"
        )
    return ValidationCheck("widths", not flat and not unmarked if forecasts.truths else None, sentence, evidence)


def vacuous(forecasts: Forecasts) -> list[str]:
    """The models that answered the whole range everywhere."""
    evidence = _vacuous(all_arms(forecasts), forecasts).evidence
    return list(evidence.loc[evidence["share"] == 1, "respondent"])


def _vacuous(rows: pd.DataFrame, forecasts: Forecasts) -> ValidationCheck:
    answered = rows[rows["answered"] & rows["respondent"].isin(asked_models(forecasts))]
    if answered.empty:
        columns = ["respondent", "claims", "vacuous", "share"]
        return ValidationCheck("vacuous", None, "no model gave a readable range.", pd.DataFrame(columns=columns))
    full = ((answered["low"] <= 0) & (answered["high"] >= answered["truth_upper"])).groupby(answered["respondent"])
    evidence = full.agg(["size", "sum", "mean"]).reset_index()
    evidence.columns = pd.Index(["respondent", "claims", "vacuous", "share"])
    empty = evidence.loc[evidence["share"] == 1, "respondent"]
    if len(empty):
        sentence = f"{join_words(list(empty))} answered the whole range everywhere: full coverage, and nothing said."
        return ValidationCheck("vacuous", False, sentence, evidence)
    worst = evidence.sort_values("share").iloc[-1]
    sentence = (
        f"no model answers the whole range everywhere; the most is {worst['respondent']} ({percent(worst['share'])})."
    )
    return ValidationCheck("vacuous", True, sentence, evidence)


def _possible(rows: pd.DataFrame, forecasts: Forecasts) -> ValidationCheck:
    columns = ["respondent", "claims", "beyond", "impossible"]
    answered = rows[rows["answered"] & rows["respondent"].isin(asked_models(forecasts))]
    if answered.empty:
        return ValidationCheck("possible", None, "no model gave a readable range.", pd.DataFrame(columns=columns))
    low, high, upper = (answered[name].to_numpy(float) for name in ("low", "high", "truth_upper"))
    flags = pd.DataFrame({"beyond": is_beyond(low, high, upper), "impossible": is_impossible(low, high, upper)})
    who = answered["respondent"].reset_index(drop=True)
    evidence = flags.groupby(who, sort=False).sum().reset_index()
    evidence.insert(1, "claims", who.groupby(who, sort=False).size().to_numpy())
    beyond, impossible = int(flags["beyond"].sum()), int(flags["impossible"].sum())
    if not beyond:
        return ValidationCheck("possible", True, f"every range of {counted(len(answered), 'claim')} can be.", evidence)
    sentence = (
        f"{beyond} of {counted(len(answered), 'claim')} have an end that the measure cannot reach, {impossible} of "
        "them lie wholly there. They are scored as made, and those no better than the worst claim that can be."
    )
    return ValidationCheck("possible", False, sentence, evidence)
