"""Whether the numbers stand: five checks before any conclusion, how verdicts settle with the runs, how answers fail.

    runs        every cell that a claim speaks of rests on at least 100 runs that gave a graph
    complete    every model gave at least one readable range for every measure of every cell under every arm
    widths      no truth has zero width, as the original asks; those that have are named and marked `degenerate` (no
                ratio to them is taken), and a claimed point is a failure mode that is counted
    vacuous     no model answers [0, largest value] everywhere
    possible    no model claims what the measure cannot be (an SHD above d(d-1)/2, a precision above 1)

A check that fails does not stop a report: it says what the numbers below it do not rest on.

Convergence says what would have been said with fewer runs, of m = 10, 20, 30, 50, 100, ... n in the order they came:

    agreement(m)  = share of claims whose verdict `low <= mean of the first m runs <= high` is that of all n

Failure modes, of a claim [l, u] about a measure with largest value M, measured mean m, and R the range of the runs
(or, where the target is the mean, its CI):

    refused, truncated, unreadable, ...   no range: by status
    impossible                            no value of the claim can be: u < 0 or l > M (an SHD above d(d-1)/2)
    beyond the scale                      an end of it cannot be: l < 0 or u > M
    over-optimistic, over-pessimistic     the whole claim is better (worse) than m
    overconfident                         narrower than R and covers less of what it is of than its level
    vacuous                               at least .95 M wide
    point                                 l = u

Shares come with Wilson's interval, which counts claims as if each was drawn alone; claims about one data set are not,
so the true interval is wider.
"""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from typing import NamedTuple

import numpy as np
import pandas as pd
from numpy.typing import NDArray

from trueness.errors import listed
from trueness.statistics.proportions import wilson
from trueness.statistics.runs import CHECKPOINTS
from trueness.status import Status
from trueness.studies.forecast.analysis import Analysis, lines, percent, percent_with_ends
from trueness.studies.forecast.frames import CELL, ITEM, KEYS, Forecasts, ends_of
from trueness.studies.forecast.scores import is_beyond, is_impossible
from trueness.studies.protocol import Check
from trueness.texts import counted

LEAST_RUNS = 100
_SETTLED = 0.95  # the agreement from which on verdicts are called settled
_MARK = {True: "passed", False: "FAILED", None: "not checked"}
Flags = NDArray[np.bool_]


class Validation(NamedTuple):
    """The checks, and the completeness matrix (respondents x statuses)."""

    checks: tuple[Check, ...]
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
        return Analysis("validation", pd.DataFrame(self.rows()), self.sentences, {"completeness": self.completeness})


def validation(forecasts: Forecasts) -> Validation:
    rules = {"runs": _runs, "complete": _complete, "widths": _widths, "vacuous": _vacuous, "possible": _possible}
    checks = tuple(Check(name, *rule(forecasts)) for name, rule in rules.items())
    return Validation(checks, completeness(forecasts))


Verdict = tuple[bool | None, str]  # passed, None where there is nothing to check; the sentence


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
    truths = {key: forecasts.truths.get(key) for key in dict.fromkeys([*claimed, *forecasts.truths])}
    if not truths:
        return None, "no cell was measured."
    cells: dict[tuple[str, ...], tuple[int, int]] = {}  # -> runs with a graph, runs planned
    for (dataset, learner, _), truth in truths.items():
        runs, planned = (len(truth.runs), truth.planned) if truth else (0, 0)
        cells[dataset, learner] = max(cells.get((dataset, learner), (0, 0)), (runs, planned))
    short = [cell for cell, (runs, _) in cells.items() if runs < LEAST_RUNS]
    least = min(cells, key=lambda cell: cells[cell][0])
    runs, planned = cells[least]
    if short:
        return False, (
            f"{len(short)} of {len(cells)} cells rest on fewer than {LEAST_RUNS} runs; the least is {least[1]} on "
            f"{least[0]}: {runs} of {planned} planned."
        )
    sentence = f"each of {counted(len(cells), 'cell')} rests on {runs} runs or more."
    fewer = sum(truth is not None and len(truth.runs) < truth.planned for truth in truths.values())
    if fewer:
        sentence += f" On some of them {fewer} of {len(truths)} measures have no value (0/0, or a failed run)."
    return True, sentence


def _complete(forecasts: Forecasts) -> Verdict:
    models, rows = forecasts.models, forecasts.all_arms
    claims = rows[rows["respondent"].isin(models)]
    if claims.empty:
        return None, "no model was asked."
    items = len(claims[list(ITEM)].drop_duplicates())
    answered = claims[claims["answered"]].drop_duplicates([*ITEM, "respondent"])["respondent"].value_counts()
    lacking = [f"{name} {answered.get(name, 0)} of {items}" for name in models if answered.get(name, 0) < items]
    if lacking:
        return False, f"not every model answered every item: {listed(lacking)}."
    return True, f"{counted(len(models), 'model')} answered all {items} items (cell x measure x arm)."


def _widths(forecasts: Forecasts) -> Verdict:
    rows = forecasts.all_arms
    flat = [key for key, truth in forecasts.truths.items() if truth.degenerate]
    points = int((rows["answered"] & (rows["low"] == rows["high"])).sum())
    which = f", {listed(map('/'.join, flat))}" if flat else ""
    return not flat if forecasts.truths else None, (
        f"{len(flat)} of {len(forecasts.truths)} truths have zero width (every run gave one value){which}; they are "
        f"marked degenerate and have no ratio. {points} of {int(rows['answered'].sum())} claims are points."
    )


def vacuous(forecasts: Forecasts) -> list[str]:
    """The models that answered the whole range everywhere."""
    share = _vacuous_shares(forecasts)
    return list(share.index[share == 1])


def _answered(forecasts: Forecasts) -> pd.DataFrame:
    rows = forecasts.all_arms
    return rows[rows["answered"] & rows["respondent"].isin(forecasts.models)]


def _vacuous_shares(forecasts: Forecasts) -> pd.Series:
    """Respondent -> the share of its ranges that say nothing."""
    answered = _answered(forecasts)
    full = (answered["low"] <= 0) & (answered["high"] >= answered["truth_upper"])
    return full.groupby(answered["respondent"]).mean()


def _vacuous(forecasts: Forecasts) -> Verdict:
    share = _vacuous_shares(forecasts)
    if share.empty:
        return None, "no model gave a readable range."
    if empty := vacuous(forecasts):
        return False, f"{listed(empty)} answered the whole range everywhere: full coverage, and nothing said."
    most = f"{share.idxmax()} ({percent(float(share.max()))})"
    return True, f"no model answers the whole range everywhere; the most is {most}."


def _possible(forecasts: Forecasts) -> Verdict:
    answered = _answered(forecasts)
    if answered.empty:
        return None, "no model gave a readable range."
    low, high, upper = (answered[name].to_numpy(float) for name in ("low", "high", "truth_upper"))
    beyond, impossible = int(is_beyond(low, high, upper).sum()), int(is_impossible(low, high, upper).sum())
    if not beyond:
        return True, f"every range of {counted(len(answered), 'claim')} can be."
    return False, (
        f"{beyond} of {counted(len(answered), 'claim')} have an end that the measure cannot reach, {impossible} of "
        "them lie wholly there. They are scored as made, and those no better than the worst claim that can be."
    )


# ---- with fewer runs


def convergence(forecasts: Forecasts) -> Analysis:
    """One row a respondent and number of runs."""
    rows = forecasts.answers(forecasts.claimants)
    rows = rows[rows["truth_runs"] >= 2]
    if rows.empty:
        return Analysis.untold("convergence", "Convergence cannot be told: no readable claim about a measured cell.")
    place, keys = pd.factorize(pd.MultiIndex.from_frame(rows[[*CELL, "measure"]]))
    truths = [forecasts.truths[key] for key in keys]
    n = max(len(truth.runs) for truth in truths)
    low, high = (rows[name].to_numpy(float) for name in ("low", "high"))

    def verdicts(m: int) -> Flags:
        means = np.array([truth.mean if m >= len(truth.runs) else truth.runs[:m].mean() for truth in truths])[place]
        return np.asarray((low <= means) & (means <= high))

    final, steps = verdicts(n), [*(m for m in CHECKPOINTS if m < n), n]
    same = pd.DataFrame({m: verdicts(m) == final for m in steps}).groupby(rows["respondent"].to_numpy(), sort=False)
    each = same.mean().rename_axis("respondent").rename_axis(columns="runs")
    table = pd.Series(each.stack(), name="agreement").reset_index()
    table["claims"] = table["respondent"].map(same.size())
    models = each[each.index.isin(forecasts.models)]
    agreed = (models if len(models) else each).mean()
    sentence = (
        f"With {steps[0]} runs a cell {percent(agreed.iloc[0])} of the verdicts (the mean is covered or not) are those "
        f"of all {n} runs; {percent(_SETTLED)} agree from {agreed.index[agreed >= _SETTLED][0]} runs on."
    )
    return Analysis("convergence", table, (sentence,))


# ---- in which ways answers fail

VACUOUS = 0.95


def failures(forecasts: Forecasts) -> Analysis:
    """One row a respondent and mode."""
    people = (*forecasts.models, *(name for name in forecasts.references if name.startswith("human/")))
    rows = forecasts.all_arms
    rows = rows[rows["respondent"].isin(people)].reset_index(drop=True)
    if rows.empty:
        return Analysis.untold("failures", "Failure modes cannot be told: nobody was asked.")
    answered = rows[rows["answered"]]
    statuses = {str(status): rows["status"].astype(str) == status for status in Status if status != Status.OK}
    counts = [*_counts(rows, statuses), *_counts(answered, _modes(answered))]
    table = pd.DataFrame(counts, columns=["respondent", "mode", "count", "of"])
    table["share"] = table["count"] / table["of"].where(table["of"] > 0)
    pairs = zip(table["count"], table["of"], strict=True)
    table[["low", "high"]] = np.array([ends_of(wilson(int(n), int(of)) if of else None) for n, of in pairs], float)
    return Analysis("failures", table, tuple(_sentences(table, people)))


def _modes(rows: pd.DataFrame) -> dict[str, Flags]:
    low, high, mean, upper = (rows[name].to_numpy(float) for name in ("low", "high", "truth_mean", "truth_upper"))
    below, above = high < mean, low > mean
    fewer_is_better = (rows["measure"] == "shd").to_numpy()
    of_mean = (rows["target"] == "mean").to_numpy()
    spread = np.where(of_mean, rows["ci_high"] - rows["ci_low"], rows["truth_high"] - rows["truth_low"])
    return {
        "impossible": is_impossible(low, high, upper),
        "beyond the scale": is_beyond(low, high, upper),
        "over-optimistic": np.where(fewer_is_better, below, above),
        "over-pessimistic": np.where(fewer_is_better, above, below),
        "overconfident": (high - low < spread) & (rows["hit"].to_numpy(float) < rows["level"].to_numpy(float)),
        "vacuous": high - low >= VACUOUS * upper,
        "point": low == high,
    }


def _counts(rows: pd.DataFrame, modes: Mapping[str, Flags | pd.Series]) -> Iterator[tuple[str, str, int, int]]:
    """Respondent, mode, how often, of how many claims."""
    of = rows.groupby("respondent", sort=False).size()
    for mode, flags in modes.items():
        times = rows[flags].groupby("respondent").size()
        yield from ((str(name), mode, int(times.get(name, 0)), int(n)) for name, n in of.items())


def _sentences(table: pd.DataFrame, people: tuple[str, ...]) -> Iterator[str]:
    for name in people:
        mine = table[(table["respondent"] == name) & (table["count"] > 0)].sort_values("share", ascending=False)
        each = [
            f"{row.mode} {row.count} of {row.of} claims ({percent_with_ends(row.share, row.low, row.high)})"
            for row in lines(mine)
        ]
        yield f"{name}: {listed(each) if each else 'no failure mode was seen'}."
